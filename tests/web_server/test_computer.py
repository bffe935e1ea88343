"""The computer as opponent: answers, failures, moves taken back."""

import time

import pytest

from tests.playing import DYING, FIRST, SLOW, Browser, serving

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


def test_the_computer_answers_and_its_moves_can_be_taken_back(client):
    browser = Browser(client)
    match = browser.create(mode="agent", opponent=FIRST)
    code = match["code"]
    assert match["seats"][1] == {"name": FIRST, "kind": "computer", "online": True}
    assert not match["ranked"]
    browser.play(code, 0, 40)
    reply = browser.receive("moved")
    assert (reply["ply"], reply["square"]) == (1, 36)
    undone = browser.ask("match", type="undo", code=code, ply=2)
    assert (undone["moves"], undone["thinking"]) == ([], False)
    assert "no move of yours" in browser.error(type="undo", code=code, ply=0)


def test_the_computer_begins_where_it_is_x(client):
    browser = Browser(client)
    match = browser.create(mode="agent", opponent=FIRST, side="O")
    assert match["you"] == "O"
    assert browser.receive("moved")["square"] == 0
    assert "no move of yours" in browser.error(type="undo", code=match["code"], ply=1)


def test_a_late_answer_to_a_position_that_was_taken_back_is_dropped(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=SLOW)["code"]
    browser.play(code, 0, 40)  # it begins to think of an answer in board 5
    assert not browser.ask("match", type="undo", code=code, ply=1)["thinking"]
    browser.play(code, 0, 0)
    reply = browser.receive("moved")
    assert (reply["ply"], reply["square"]) == (1, 1)  # in board 1
    time.sleep(1)
    assert browser.open(code)["moves"] == [0, 1]


def test_a_late_answer_to_a_match_that_is_over_is_dropped(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=SLOW)["code"]
    browser.play(code, 0, 40)
    browser.ask("match", type="resign", code=code)
    time.sleep(1)
    seen = browser.open(code)
    assert (seen["moves"], seen["result"]) == ([40], "O")


def test_an_agent_that_fails_gives_up_and_says_why(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=DYING)["code"]
    browser.play(code, 0, 40)
    seen = browser.receive("match")
    assert (seen["result"], seen["reason"]) == ("X", "gave up")
    assert "has ended" in seen["why"]
    assert seen["points"] is None


def test_the_computer_goes_on_after_a_restart(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=SLOW)["code"]
        browser.play(code, 0, 40)
    with serving(tmp_path) as client:
        browser = Browser(client, token=browser.token)
        assert browser.open(code)["thinking"]
        assert browser.receive("moved")["square"] == 36


def test_on_a_shared_screen_one_ply_is_taken_back(client):
    browser = Browser(client)
    code = browser.create(moves=[40, 36])["code"]
    browser.play(code, 2, 0)
    assert browser.ask("match", type="undo", code=code, ply=3)["moves"] == [40, 36]
    assert "no move of yours" in browser.error(type="undo", code=code, ply=2)
