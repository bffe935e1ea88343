"""Observations: what decides the future, as planes from one player's side.

`C = 4 + 3 (d - 1)` planes of 3^d × 3^d squares, laid out as the game is drawn, int8, 0 or 1:

    0          squares marked by the player who looks (the mover, unless said otherwise)
    1          squares marked by the opponent
    2          squares legal for the mover; all 0 when the game is over by its rules (an
               environment that ended a game for an illegal action shows the position as it was)
    3          the focus: every square under the board that the mover is confined to
    1 + 3l     squares under a board of level l that the player has won, l = 1 … d-1
    2 + 3l     … that the opponent has won
    3 + 3l     … that is drawn

Level 1 boards are the nine largest below the root.
"""

import numpy as np

from rstt_env.jit import kernel
from rstt_env.kernels import get, is_reachable
from rstt_env.outcome import UNDECIDED
from rstt_env.state import CLOSED
from rstt_env.tree import digit_of, first_deepest, parent_of


def num_planes(depth: int) -> int:
    """How many planes an observation has."""
    return 4 + 3 * (depth - 1)


@kernel
def observe(state, viewers, pixels, planes):
    """Fill `planes`, int8[N, C, 9^d] (flat pictures), as `viewers`, int8[N], see the games.

    `pixels` is `tree.pixels(depth)`.
    """
    boards = state.boards
    depth = len(state.levels)
    deepest = first_deepest(state.levels)
    for g in range(len(planes)):
        me = np.int64(viewers[g])
        focus = np.int64(state.focus[g])
        going_on = state.outcome[g] == UNDECIDED
        for board in range(deepest, 9 * deepest + 1):
            confined = is_under(board, focus)
            legal = going_on and confined and is_reachable(boards, g, board, focus)
            mine = get(boards, g, board, me)
            theirs = get(boards, g, board, 1 - me)
            square = 9 * (board - deepest)
            for digit in range(9):
                pixel = pixels[square + digit]
                is_mine, is_theirs = (mine >> digit) & 1, (theirs >> digit) & 1
                planes[g, 0, pixel] = is_mine
                planes[g, 1, pixel] = is_theirs
                planes[g, 2, pixel] = legal and is_mine == 0 and is_theirs == 0
                planes[g, 3, pixel] = confined
            ancestor = board
            for level in range(depth - 1, 0, -1):
                parent, place = parent_of(ancestor), digit_of(ancestor)
                won = (get(boards, g, parent, me) >> place) & 1
                lost = (get(boards, g, parent, 1 - me) >> place) & 1
                drawn = ((get(boards, g, parent, CLOSED) >> place) & 1) - won - lost
                for digit in range(9):
                    pixel = pixels[square + digit]
                    planes[g, 1 + 3 * level, pixel] = won
                    planes[g, 2 + 3 * level, pixel] = lost
                    planes[g, 3 + 3 * level, pixel] = drawn
                ancestor = parent


@kernel
def is_under(board, ancestor):
    """Whether `board` is `ancestor` or lies under it."""
    while board > ancestor:
        board = parent_of(board)
    return board == ancestor
