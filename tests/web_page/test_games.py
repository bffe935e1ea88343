"""Whole games in a browser, by mouse and touch."""

import random

import pytest

from agents import make_agent
from rstt_env.notation import parse_square
from tests.pages import (
    DESKTOP,
    PHONE,
    ending,
    games_of,
    record_of,
)

pytestmark = pytest.mark.jit


@pytest.mark.parametrize(("depth", "side"), [(1, "X"), (1, "O"), (2, "X")])
def test_a_whole_game_against_easy_by_mouse(visit, depth, side):
    board = visit()
    board.new_game(depth=depth, mode="agent", level="Easy", side=side)
    greedy, draw = make_agent("greedy", depth, seed=1), random.Random(depth)
    board.wait(state="yours")
    while board.state != "over":
        ply = board.ply
        assert board.page.title() == "● Your move – RSTT"
        assert board.moves[-20:] == board.shown_moves[-20:]
        if depth == 1:
            square = draw.choice(board.legal)
        else:
            square = int(greedy.act(board.positions).square[0])
        board.click(square)
        board.answered(ply)
        assert board.moves[ply] == square
    result = board.result
    assert board.status == ending(result, side)
    assert board.row.result == result
    for mark in "XO":
        note = "won" if mark == result else "you" if mark == side else ""
        assert board.seat(mark, ".note") == note
    assert (board.text("#ranking") == "+10 points") == (result == side)


@pytest.mark.parametrize(("depth", "result"), [(3, "O"), (4, "draw")])
def test_a_large_game_is_played_on_from_a_record_to_its_end(visit, depth, result):
    game = games_of(depth, result)[0]
    moves, ends = game["moves"], len(game["moves"])
    before = ends - 20
    board = visit(**{"reduced_motion": "reduce"} if depth == 4 else {})
    board.begin()
    text = f"{record_of([40, 36])}\n{record_of(moves[:before], depth)}\n"
    board.load(text, number=2)
    assert board.ply == 0
    board.page.click("#last")
    board.wait(ply=before)
    assert board.status == f"Ply {before} of {before}"
    board.page.click("#play-on")
    assert str(before) in board.text("#new-from")
    board.new_game(mode="shared")
    board.wait(before, "yours")
    for square in moves[before:]:
        assert board.state == "yours"
        board.play(square)
    assert board.moves == moves
    assert board.state == "over"
    assert board.status == ending(result)
    assert board.row.result == result


def test_what_is_no_game_is_refused_with_its_reason(visit):
    board = visit()
    board.begin()
    board.page.click("#load-game")
    for text, reason in [
        (f"{record_of([40])}\nnonsense", "Line 2 is no game record"),
        ('{"depth":5,"moves":[]}', "depth must be 1, 2, 3 or 4"),
        (record_of([40]).replace("40", "40,40"), "ply 1: 5.5 is illegal"),
        ('{"depth":2,"moves":[40],"result":"X"}', 'result is "X", but its moves make undecided'),
        ('{"depth":2,"moves":[40],"metadata":null}', "its metadata must be an object"),
        ('{"depth":2,"moves":[40],"metadata":{"x":1}}', "its names must be text"),
        ("{", "it isn’t JSON"),
    ]:
        board.page.fill("#import-text", text)
        assert reason in board.text("#import-about")
        assert board.page.is_disabled("#import-show")


def test_a_record_over_several_lines_is_there_again_after_a_reload(visit):
    board = visit()
    board.begin()
    board.page.click("#load-game")
    board.page.fill("#import-text", '{\n "depth": 2,\n "moves": [40]\n}')
    assert board.text("#import-about") == "depth 2, 1 ply, undecided"
    board.page.click("#import-show")
    board.wait(0, "replay")
    board.page.reload()
    board.wait(0, "replay")
    assert board.status == "Ply 0 of 1"


@pytest.mark.parametrize("fragment", ["abc", "position=2.K", "position=2.AAE9"])
def test_a_link_that_was_cut_off_is_said_to_be(visit, fragment):
    board = visit(fragment)
    board.shows("#toast", "This link is not complete")
    board.begin()
    assert board.page.url.endswith("/")


def test_a_square_that_may_not_be_played_is_refused_with_its_reason(visit):
    board = visit()
    board.new_game(depth=2, mode="shared")
    board.wait(0, "yours")
    board.click(40)
    board.wait(1, "yours")
    for square, reason in ((40, "5.5 is taken"), (0, "Play in board 5")):
        board.click(square)
        board.shows("#toast", reason)
        assert (board.ply, board.view) == (1, 0)
    board.click(36)
    board.page.wait_for_selector("#toast", state="hidden")


@pytest.mark.parametrize(("depth", "device"), [(3, PHONE), (4, DESKTOP)])
def test_at_its_end_the_whole_game_is_shown(visit, depth, device):
    board, moves = visit(**device), games_of(depth)[0]["moves"]
    board.begin()
    board.load(record_of(moves[:-1], depth))
    board.page.click("#last")
    board.wait(len(moves) - 1, "replay")
    board.page.click("#play-on")
    board.new_game(mode="shared")
    board.wait(len(moves) - 1, "yours")
    board.play(moves[-1])  # from board to board, until the square is large
    assert (board.state, board.view) == ("over", 0)


def test_on_a_phone_taps_lead_to_where_squares_are_large_enough(visit):
    board = visit(**PHONE)
    board.new_game(depth=3, mode="shared")
    board.wait(0, "yours")
    square = parse_square(3, "5.3.7")
    board.tap(square)  # too small yet
    board.page.wait_for_selector("#breadcrumb [data-board='5'][aria-current]")
    assert board.ply == 0
    board.tap(square)
    board.wait(1, "yours")
    assert board.moves == [square]
    assert board.view == 3
