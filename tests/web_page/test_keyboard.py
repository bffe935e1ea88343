"""The board by keyboard alone."""

import random
import re

import pytest

from rstt_env.notation import square_address
from tests.pages import ending

pytestmark = pytest.mark.jit


def test_a_whole_game_by_keyboard(visit):
    board = visit()
    board.page.wait_for_selector("#new-game[open]")
    board.press("ArrowLeft", "Tab", "ArrowRight", "Enter")
    board.wait(0, "yours")
    assert (board.row.depth, board.row.mode) == (1, "shared")
    draw = random.Random(3)
    while board.state != "over":
        ply, square = board.ply, draw.choice(board.legal)
        board.walk(square)
        assert board.focused.startswith(f"{square + 1}, empty, legal")
        board.press("Enter")
        board.answered(ply)
        assert board.focused.startswith(f"{square + 1}, {'XO'[ply % 2]}")
    assert board.status == ending(board.result)
    old = board.code
    board.tab_to("#rematch")
    board.press("Enter")
    board.page.wait_for_selector(f"body:not([data-code='{old}'])")
    board.wait(0, "yours")


def test_a_larger_board_by_keyboard(visit):
    board = visit()
    board.page.wait_for_selector("#new-game[open]")
    board.press("Tab", "ArrowRight", "Enter")
    board.wait(0, "yours")
    assert (board.row.depth, board.row.mode) == (2, "shared")
    draw = random.Random(4)
    for ply in range(12):
        square = draw.choice(board.legal)
        outer, inner = divmod(square, 9)
        if board.view == 0:
            board.walk(outer)
            assert re.match(f"board {outer + 1}, .*you may play here", board.focused)
            board.press("Enter")
        elif board.view != outer + 1:
            board.press("Escape")
            board.walk(outer)
            board.press("+")
        assert board.view == outer + 1
        board.walk(inner)
        assert board.focused.startswith(f"{square_address(2, square)}, empty, legal, sends ")
        board.press(" ")
        board.answered(ply)
        assert board.moves[ply:] == [square]
    board.press("h")
    assert board.view in (0, int(board.positions.focus[0]))
    assert re.search("you may play here|legal", board.focused)
