"""Undo, hints, the past, export."""

import random
import re

import pytest

from rstt_env import GameRecord
from rstt_env.notation import parse_square, square_address
from tests.pages import UNCOUNTED, games_of, record_of

pytestmark = pytest.mark.jit


def test_undo_takes_back_a_move_with_its_answer(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    assert board.page.is_disabled("#undo")
    board.play(4)
    board.wait(2, "yours")
    board.page.click("#undo")
    board.wait(0, "yours")
    assert board.moves == []
    board.play(0)
    board.wait(2, "yours")
    assert board.moves[0] == 0


def test_undo_while_the_agent_thinks_gives_the_turn_back(visit):
    board = visit()
    board.new_game(spec="uct:2s", depth=1, side="X")
    board.wait(0, "yours")
    board.choose(4)
    board.shows("#status", "O thinks…")
    board.page.click("#undo")
    board.wait(0, "yours")
    board.play(0)
    board.wait(2, "yours")
    assert board.moves[0] == 0
    assert re.match(r"O played \d\. Your move", board.status)


def test_a_ranked_match_begins_without_analysis(visit):
    board = visit()
    board.begin()
    board.press("a")
    board.press("n")
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.shows("#toast", "Analysis is off")
    assert not board.page.is_checked("#analysis-on")
    assert "10 points" in board.text("#ranking")


def test_a_hint_names_a_legal_square_and_costs_the_points(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    board.play(4)
    board.wait(2, "yours")
    assert "10 points" in board.text("#ranking")
    board.page.click("#ask-hint")
    board.shows(
        "#hint", re.compile(r"^Hint: [1-9]: \d+ % of [\d,.]+( million)? simulations, value ")
    )
    assert parse_square(1, board.text("#hint").split(":")[1].strip()) in board.legal
    assert board.text("#ranking") == UNCOUNTED
    board.play(board.legal[0])
    assert not board.page.is_visible("#hint")


def test_the_past_is_looked_at_by_slider_buttons_keys_and_list(visit):
    moves = games_of(2)[0]["moves"]
    board = visit()
    board.begin()
    board.load(record_of(moves))
    ends = len(moves)
    page = board.page
    steps = [
        (lambda: page.click("#last"), ends),
        (lambda: page.fill("#plies", "7"), 7),
        (lambda: board.press(","), 6),
        (lambda: board.press("["), 5),
        (lambda: board.press("."), 6),
        (lambda: board.press("]"), 7),
        (lambda: page.click("#next"), 8),
        (lambda: page.click("#previous"), 7),
        (lambda: page.click("#moves [data-ply='12']"), 12),
        (lambda: page.click("#first"), 0),
        (lambda: board.press(","), 0),
        (lambda: page.fill("#plies", f"{ends - 1}"), ends - 1),
        (lambda: page.click("#play"), ends),
    ]
    for act, ply in steps:
        act()
        board.wait(ply, "replay")
        assert page.input_value("#plies") == str(ply)
        assert board.status.startswith(f"Ply {ply} of {ends}")
        if ply:
            current = page.locator("#moves [aria-current=step]")
            assert current.inner_text() == square_address(2, moves[ply - 1])
    board.shows("#play", "Play")


def test_a_move_does_not_pull_one_out_of_the_past(room):
    host, guest = room()
    host.play_to(guest, 40)
    guest.play_to(host, 36)
    host.play_to(guest, 0)
    host.press(",", ",")
    host.wait(1, "replay")
    guest.choose(8)
    host.shows("#status", "Ply 1 of 4")
    host.click(36)
    host.wait(1, "replay")
    host.page.click("#back")
    host.wait(4, "yours")
    host.play_to(guest, 72)
    assert host.moves == [40, 36, 0, 8, 72]


def test_export_and_link_hold_the_game_shown(visit):
    board, draw = visit(permissions=["clipboard-read", "clipboard-write"]), random.Random(2)
    board.new_game(depth=3, mode="shared")
    for _ in range(4):
        board.play(draw.choice(board.legal))
    with board.page.expect_download() as download:
        board.page.click("#export")
    assert board.code in download.value.suggested_filename
    record = GameRecord.from_json(download.value.path().read_text())
    assert (record.depth, record.moves) == (3, board.moves)
    assert record.metadata["match"] == board.code

    board.press(",")
    board.wait(3, "replay")
    board.page.click("#copy-position")
    board.shows("#toast", "Copied")
    link = board.page.evaluate("navigator.clipboard.readText()")
    other = visit(link.partition("#")[2])
    other.wait(3, "replay")
    assert other.shown_moves == board.moves[:3]
    board.page.click("#breadcrumb [data-board='0']")
    other.page.click("#breadcrumb [data-board='0']")
    assert other.labels == board.labels
