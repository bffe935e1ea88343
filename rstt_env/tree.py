"""The board tree of a depth: numbering, lines, tables and symmetries.

Boards are heap-numbered: the root is 0 and the children of board `b` are `9b+1 … 9b+9`,
so that the parent of `b` is `(b-1) // 9`. Squares go on where boards end: square `s` of a
game is node `num_boards(depth) + s`. A *digit* (0–8, in reading order) names a child.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from rstt_env.jit import kernel

MAX_DEPTH = 4
FULL = 0b111_111_111  # a mask with all nine children

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)  # rows, columns, diagonals
_MASKS = range(512)

HAS_LINE: NDArray[np.bool_] = np.array([any(m & line == line for line in LINES) for m in _MASKS])
"""bool[512]: whether a mask holds three in a row."""

NUM_ONES: NDArray[np.uint8] = np.array([m.bit_count() for m in _MASKS], np.uint8)
"""uint8[512]: how many bits of a mask are set."""

COMPLETING: NDArray[np.uint16] = np.array(
    [sum(1 << k for k in range(9) if not m >> k & 1 and HAS_LINE[m | 1 << k]) for m in _MASKS],
    np.uint16,
)
"""uint16[512]: the bits that a mask lacks and each of which would give it three in a row."""

BASE_THREE: NDArray[np.int32] = np.array(
    [sum(3**k for k in range(9) if m >> k & 1) for m in _MASKS], np.int32
)
"""int32[512]: a mask's bits as the digits of a base-3 number; of two masks without a common bit,
BASE_THREE[a] + 2 * BASE_THREE[b] is a code from 0 to 3^9 - 1."""

NTH_ZERO: NDArray[np.uint8] = np.array(
    [([k for k in range(9) if not m >> k & 1] + [0] * 9)[:9] for m in _MASKS], np.uint8
)
"""uint8[512, 9]: the digit of the n-th bit that a mask lacks, counted from 0."""

# The eight symmetries of the square: SYMMETRIES[s][digit] is where the digit goes.
_GRID = np.arange(9).reshape(3, 3)
SYMMETRIES: NDArray[np.int64] = np.array(
    [np.argsort(np.rot90(g, turns), axis=None) for g in (_GRID, _GRID.T) for turns in range(4)]
)
"""int64[8, 9]: symmetry 0 leaves all in place."""

PERMUTED_MASK: NDArray[np.uint16] = np.array(
    [[sum(1 << s[k] for k in range(9) if m >> k & 1) for m in _MASKS] for s in SYMMETRIES.tolist()],
    np.uint16,
)
"""uint16[8, 512]: a mask after a symmetry."""


@kernel
def parent_of(node):
    """The board above `node`."""
    return np.int64(np.uint64(node - 1) // np.uint64(9))  # unsigned: no correction for signs


@kernel
def digit_of(node):
    """Which child of its parent `node` is."""
    return node - 1 - 9 * parent_of(node)


@kernel
def first_deepest(levels):
    """The lowest board that has squares; `levels` is `State.levels`."""
    board = 0
    for _ in range(len(levels) - 1):
        board = 9 * board + 1
    return board


def check_depth(depth: int) -> int:
    """Return `depth` or raise `ValueError`: it has to be 1, 2, 3 or 4."""
    whole = isinstance(depth, (int, np.integer)) and not isinstance(depth, bool)
    if not whole or not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth is {depth!r}; it must be a whole number from 1 to {MAX_DEPTH}")
    return int(depth)


def num_squares(depth: int) -> int:
    """How many squares a game has."""
    return int(9**depth)


def num_boards(depth: int) -> int:
    """How many boards a game has, the root included; also the first node of level `depth`."""
    return int((9**depth - 1) // 8)


def level_of(node: int) -> int:
    """How many digits lead from the root to `node`."""
    return len(digits_of(node))


def digits_of(node: int) -> list[int]:
    """The digits that lead from the root to `node`, outermost first."""
    digits: list[int] = []
    while node > 0:
        node, digit = divmod(node - 1, 9)
        digits.append(digit)
    return digits[::-1]


def node_of(digits: list[int]) -> int:
    """The board or square that `digits` lead to from the root."""
    node = 0
    for digit in digits:
        node = 9 * node + 1 + digit
    return node


@functools.cache
def pixels(depth: int) -> NDArray[np.int32]:
    """int32[9^d]: square → its place in the 3^d × 3^d picture, counted row by row."""
    rows = columns = np.zeros(1, np.int64)
    for _ in range(depth):
        rows = (3 * rows[:, None] + np.arange(9) // 3).ravel()
        columns = (3 * columns[:, None] + np.arange(9) % 3).ravel()
    places: NDArray[np.int32] = (rows * 3**depth + columns).astype(np.int32)
    return places


@functools.cache
def permuted_nodes(level: int) -> NDArray[np.int64]:
    """int64[8, 9^level]: where each symmetry sends the nodes of a level, counted within it."""
    places = np.zeros((8, 1), np.int64)
    for _ in range(level):
        places = (9 * places[:, :, None] + SYMMETRIES[:, None, :]).reshape(8, -1)
    return places


@functools.cache
def permuted_boards(depth: int) -> NDArray[np.int64]:
    """int64[8, num_boards]: where each symmetry sends each board (heap numbers)."""
    return np.concatenate(
        [num_boards(level) + permuted_nodes(level) for level in range(depth)], axis=1
    )
