"""Levels, points, and what costs them."""

import pytest

from experiments.play.levels import levels
from tests.playing import CHEATING, FIRST, Browser, change, serving

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


def test_a_hint_is_a_legal_square_with_its_reason_and_costs_the_points(client):
    browser = Browser(client)
    match = browser.create(depth=1, mode="agent", opponent="Easy")
    assert match["ranked"]
    hint = browser.ask("hint", type="hint", code=match["code"], ply=0)
    assert 0 <= hint["square"] < 9
    assert hint["visits"] > 100
    assert 0 < hint["share"] <= 1
    assert -1 <= hint["value"] <= 1
    assert not browser.open(match["code"])["ranked"]


def test_wins_over_levels_are_worth_points_and_kept(tmp_path):
    with serving(tmp_path) as client:
        ada, bob = Browser(client, name="Ada"), Browser(client, name="<b>Bob</b>")
        for browser, level in ((ada, "Easy"), (bob, "Hard"), (bob, "Easy")):
            code = browser.create(depth=1, mode="agent", opponent=level)["code"]
            browser.close()
            change(
                tmp_path, f"UPDATE matches SET result = 'X', reason = 'line' WHERE code = '{code}'"
            )
            browser.__init__(client, token=browser.token)
            seen = browser.open(code)
            assert seen["points"] == {"Easy": 10, "Hard": 60}[level]
        lost = ada.create(depth=1, mode="agent", opponent="Expert")["code"]
        ada.ask("match", type="resign", code=lost)
        scores = ada.ask("scores", type="scores")
        assert [(one["name"], one["points"], one["you"]) for one in scores["leaders"]] == [
            ("<b>Bob</b>", 70, False), ("Ada", 10, True)
        ]  # fmt: skip
        assert scores["leaders"][0]["best"] == "Hard at depth 1"
        assert {one["opponent"]: (one["wins"], one["losses"]) for one in scores["you"]} == {
            "Easy": (1, 0), "Expert": (0, 1)
        }  # fmt: skip


def test_levels_are_worth_more_and_think_longer_from_one_to_the_next():
    for depth in (1, 2, 3, 4):
        assert [level.points for level in levels(depth, None)] == [10, 30, 60, 100]
        assert levels(depth, "somewhere")[-1].spec == "az:somewhere:1.8s"


def test_help_costs_the_points_and_so_does_a_start_of_one_s_own(tmp_path, client):
    browser = Browser(client)
    ranked = {"depth": 1, "mode": "agent", "opponent": "Easy"}
    assert not browser.create(**ranked, moves=[0, 1])["ranked"]
    code = browser.create(**ranked)["code"]
    browser.play(code, 0, 4)
    browser.receive("moved")
    browser.ask("match", type="undo", code=code, ply=2)
    assert not browser.open(code)["ranked"]
    code = browser.create(**ranked)["code"]
    browser.send(type="analyse", id=1, depth=1, moves=[], spec="uct:10", code=code)
    assert not browser.receive("match")["ranked"]


def test_a_rematch_is_ranked_anew_and_there_is_one(client):
    browser = Browser(client)
    code = browser.create(depth=1, mode="agent", opponent="Hard")["code"]
    browser.ask("match", type="resign", code=code)
    new = browser.ask("rematch", type="rematch", code=code)["next"]
    assert browser.ask("rematch", type="rematch", code=code)["next"] == new
    seen = browser.open(new)
    assert (seen["you"], seen["ranked"], seen["moves"]) == ("O", True, [])


def test_rematches_keep_to_what_is_allowed(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=FIRST)["code"]
        going_on = browser.create(mode="agent", opponent=FIRST, side="O")["code"]
        browser.receive("moved")
        browser.ask("match", type="resign", code=code)
    change(tmp_path, "DELETE FROM moves WHERE match = (SELECT max(id) FROM matches)")
    with serving(tmp_path, specs=[]) as client:
        browser = Browser(client, token=browser.token)
        browser.open(code)
        assert "started with it" in browser.error(type="rematch", code=code)
        browser.open(going_on)
        assert "started with it" in browser.receive("match")["why"]


def test_an_answer_that_is_none_loses_and_is_worth_nothing(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=CHEATING)["code"]
        browser.play(code, 0, 40)
        seen = browser.receive("match")
        assert (seen["result"], seen["why"]) == (
            "X",
            "the agent answered square 5000, which is not legal",
        )
        ranked = browser.create(mode="agent", opponent="Easy")["code"]
        browser.close()
    change(tmp_path, f"UPDATE matches SET opponent = '{CHEATING}' WHERE code = '{ranked}'")
    with serving(tmp_path) as client:
        browser = Browser(client, token=browser.token)
        browser.open(ranked)
        browser.play(ranked, 0, 40)
        seen = browser.receive("match")
        assert (seen["result"], seen["points"]) == ("X", None)
        assert browser.ask("scores", type="scores")["leaders"] == []
