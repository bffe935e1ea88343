"""What a position is worth before it is decided: material in open lines, level by level.

A board scores for each player by the children won, each as often as it stands in a line of
three that is still open to the player. A level counts `SCALE` times as much as the one below.
A decided board scores nothing itself: what it is worth shows in the board around it.
"""

import numpy as np
from numpy.typing import NDArray

from rstt_env.jit import kernel
from rstt_env.kernels import get, settle
from rstt_env.outcome import O, X
from rstt_env.state import CLOSED, OPEN
from rstt_env.tree import BASE_THREE, LINES, first_deepest, parent_of

# The weights, chosen by matches (experiments/results/README.md).
OPEN_LINE = (0, 1, 4)
"""Of a line without a foreign or drawn child, by how many of its children are won already."""
SCALE = 8
"""How much more a board counts than one a level below."""


def _worth(mine: int, blocked: int) -> int:
    open_lines = [line for line in LINES if not line & blocked and line & mine != line]
    return sum(OPEN_LINE[(line & mine).bit_count()] for line in open_lines)


def _table() -> NDArray[np.int16]:
    table = np.zeros(3**9, np.int16)
    for mine in range(512):
        for blocked in range(512):
            if not mine & blocked:
                table[int(BASE_THREE[mine]) + 2 * int(BASE_THREE[blocked])] = _worth(mine, blocked)
    return table


_WORTH = _table()
"""int16[3^9]: a board's worth to a player, by the base-3 code of its children: 1 is mine, 2 is
blocked."""


@kernel
def worth(boards, board, player):
    """What the children of `board` are worth to a player who owns some of them, unscaled."""
    mine = get(boards, 0, board, player)
    blocked = get(boards, 0, board, CLOSED) & ~mine
    return np.int32(_WORTH[BASE_THREE[mine] + 2 * BASE_THREE[blocked]])


@kernel
def own_score(boards, board):
    """The worth of `board` to X less that to O, its children's contents aside, unscaled."""
    return worth(boards, board, X) - worth(boards, board, O)


@kernel
def fill_scores(levels, boards, scores):
    """Fill `scores`, int32[num_boards]: each board's score for X with all that lies under it."""
    scale, deepest = 1, first_deepest(levels)
    for board in range(len(scores) - 1, -1, -1):
        if board < deepest:
            scale, deepest = scale * SCALE, parent_of(deepest)
        total = 0
        if get(boards, 0, board, OPEN) > 0:
            total = own_score(boards, board) * scale
            if scale > 1:
                for digit in range(9):
                    total += scores[9 * board + 1 + digit]
        scores[board] = total


@kernel
def mark(levels, boards, scores, board, digit, player, saved_boards, saved_scores, ply):
    """Mark a square, bring `scores` up to date, and return the outcome.

    Saves what changes in row `ply` of `saved_boards`, uint16[P, d, 4], and `saved_scores`,
    int32[P, d], for `unmark`.
    """
    depth = len(levels)
    at, scale = board, 1
    for level in range(depth):
        for column in range(4):
            saved_boards[ply, level, column] = boards[0, at, column]
        # what lies under the board, without the board itself
        saved_scores[ply, level] = scores[at] - scale * own_score(boards, at)
        scale *= SCALE
        at = parent_of(at) if at else 0
    outcome = settle(levels, boards, 0, board, digit, player)
    at, change, scale = board, 0, 1
    for level in range(depth):
        old = scores[at]
        new = 0
        if get(boards, 0, at, OPEN) > 0:
            new = saved_scores[ply, level] + scale * own_score(boards, at) + change
        saved_scores[ply, level] = old
        scores[at] = new
        change = new - old
        scale *= SCALE
        at = parent_of(at) if at else 0
    return outcome


@kernel
def unmark(levels, boards, scores, board, saved_boards, saved_scores, ply):
    """Undo what `mark` did with the same `board` and `ply`."""
    for level in range(len(levels)):
        for column in range(4):
            boards[0, board, column] = saved_boards[ply, level, column]
        scores[board] = saved_scores[ply, level]
        board = parent_of(board) if board else 0
