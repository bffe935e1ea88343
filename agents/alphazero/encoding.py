"""Positions as a network sees them: whole numbers, from the mover's side."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rstt_env import tree
from rstt_env.jit import kernel
from rstt_env.kernels import get
from rstt_env.state import CLOSED, State
from rstt_env.tree import BASE_THREE, FULL, digit_of, first_deepest, parent_of

NUM_CODES = 3**9
"""How many contents a deepest board can have."""

OPEN, MINE, THEIRS, DRAWN = 0, 1, 2, 3
"""What became of a board or square, seen by the mover."""


class Encoding(NamedTuple):
    """n positions of one depth."""

    contents: NDArray[np.int32]
    """int32[n, 9^(d-1)]: the squares of each deepest board as a base-3 number, digit k for
    square k: 0 empty, 1 mine, 2 theirs."""
    status: NDArray[np.uint8]
    """uint8[n, num_boards]: OPEN, MINE, THEIRS or DRAWN, by heap number."""
    path: NDArray[np.int32]
    """int32[n, d-1]: the boards below the root on the way to the focus; 0 where it has ended."""
    cells: NDArray[np.uint8]
    """uint8[n, 9]: the focus's children, OPEN to DRAWN (at a deepest board, its squares)."""
    focus: NDArray[np.int32]
    """int32[n]"""
    reach: NDArray[np.int32]
    """int32[n]: the board whose children the nine choices send the opponent to; -1 where the
    focus is no deepest board, or is the root."""
    legal: NDArray[np.bool_]
    """bool[n, 9]: the open children of the focus."""


def new_encoding(depth: int, n: int) -> Encoding:
    """An encoding to be filled in."""
    return Encoding(
        contents=np.empty((n, 9 ** (depth - 1)), np.int32),
        status=np.empty((n, tree.num_boards(depth)), np.uint8),
        path=np.empty((n, depth - 1), np.int32),
        cells=np.empty((n, 9), np.uint8),
        focus=np.empty(n, np.int32),
        reach=np.empty(n, np.int32),
        legal=np.empty((n, 9), np.bool_),
    )


def encode(state: State, games: NDArray[np.int64]) -> Encoding:
    """The chosen rows of a state, none of which is over."""
    encoding = new_encoding(len(state.levels), len(games))
    fill(state, games, *encoding)
    return encoding


def statuses(
    state: State, games: NDArray[np.int64], viewers: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """uint8[n, num_boards]: what became of the boards of n positions, seen by n players.

    OPEN for the root, even where the game is over.
    """
    out = np.empty((len(games), state.boards.shape[1]), np.uint8)
    for row, (game, viewer) in enumerate(zip(games, viewers, strict=True)):
        fill_status(state.levels, state.boards, game, viewer, out[row])
    return out


@kernel
def status_of(boards, g, board, digit, mover):
    """OPEN, MINE, THEIRS or DRAWN: what became of a child of `board`."""
    if (get(boards, g, board, mover) >> digit) & 1:
        return MINE
    if (get(boards, g, board, 1 - mover) >> digit) & 1:
        return THEIRS
    return DRAWN if (get(boards, g, board, CLOSED) >> digit) & 1 else OPEN


@kernel
def fill_status(levels, boards, g, viewer, out):
    """What became of each board of position `g`, into `out`, uint8[num_boards]; root: OPEN."""
    out[0] = OPEN
    for board in range(first_deepest(levels)):
        for digit in range(9):
            out[9 * board + 1 + digit] = status_of(boards, g, board, digit, viewer)


@kernel
def walk(levels, boards, g, focus):
    """The board that the walk along the path to `focus`, without its first digit, reaches."""
    depth = len(levels)
    span = 1
    for _ in range(depth - 2):
        span *= 9
    # the node with that address one level up; its outermost closed part relaxes to the parent
    board = parent_of(first_deepest(levels)) + (focus - first_deepest(levels)) % span
    reached = board
    while board > 0:
        above = parent_of(board)
        if (get(boards, g, above, CLOSED) >> digit_of(board)) & 1:
            reached = above
        board = above
    return reached


@kernel
def fill(state, games, contents, status, path, cells, focus, reach, legal):
    """Fill the arrays of an `Encoding` with the rows `games` of `state`."""
    levels, boards = state.levels, state.boards
    depth, deepest = len(levels), first_deepest(levels)
    for i in range(len(games)):
        g = games[i]
        mover, at = np.int64(state.to_play[g]), np.int64(state.focus[g])
        for board in range(contents.shape[1]):
            mine = BASE_THREE[get(boards, g, deepest + board, mover)]
            theirs = BASE_THREE[get(boards, g, deepest + board, 1 - mover)]
            contents[i, board] = mine + 2 * theirs
        fill_status(levels, boards, g, mover, status[i])
        for digit in range(9):
            cells[i, digit] = status_of(boards, g, at, digit, mover)
            legal[i, digit] = (FULL & ~get(boards, g, at, CLOSED)) >> digit & 1
        focus[i] = at
        reach[i] = walk(levels, boards, g, at) if at >= deepest and depth > 1 else -1
        level, board = 0, at
        while board > 0:
            level, board = level + 1, parent_of(board)
        board = at
        for step in range(depth - 2, -1, -1):
            path[i, step] = 0
            if step < level:
                path[i, step], board = board, parent_of(board)
