"""State: a batch of games at one depth, as a record of arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rstt_env import tree
from rstt_env.outcome import UNDECIDED, X

# The columns of `State.boards`. Columns 0 and 1 are the players' own: their marks.
CLOSED, OPEN = 2, 3


class State(NamedTuple):
    """N games at depth d. Arrays are batch first; kernels change them in place.

    What follows from these is not stored: a board's owner is in its parent's masks, the
    outcome is the root's owner, the ply is the number of marks.
    """

    levels: tuple[int, ...]
    """d zeros. Only the length counts: it is part of the type, so that the compiler knows
    the depth and every depth gets machine code of its own."""

    boards: NDArray[np.uint16]
    """uint16[N, num_boards, 4], a record of eight bytes for each board:

        0, 1    nine bits each: the children that X, that O has won (at a deepest board: marked)
        CLOSED  nine bits: the children that are decided, won or drawn
        OPEN    how many playable squares lie under the board, 0 once it is decided
    """

    focus: NDArray[np.int32]
    """int32[N], heap number of the board that the mover is confined to; 0 when the game is over."""

    to_play: NDArray[np.int8]
    """int8[N], 0 (X) or 1 (O). When the game is over: the player who did not make the last move."""

    outcome: NDArray[np.int8]
    """int8[N]: `outcome.X`, `O`, `DRAW`, or `UNDECIDED` while the game goes on."""

    last_square: NDArray[np.int32]
    """int32[N], the square marked last, -1 before the first move. No rule depends on it."""


def new_state(depth: int, num_games: int) -> State:
    """`num_games` games at `depth`, before the first move."""
    boards = np.zeros((num_games, tree.num_boards(depth), 4), np.uint16)
    for level in range(depth):
        first, end = tree.num_boards(level), tree.num_boards(level + 1)
        boards[:, first:end, OPEN] = 9 ** (depth - level)
    return State(
        levels=(0,) * depth,
        boards=boards,
        focus=np.zeros(num_games, np.int32),
        to_play=np.full(num_games, X, np.int8),
        outcome=np.full(num_games, UNDECIDED, np.int8),
        last_square=np.full(num_games, -1, np.int32),
    )


def select(state: State, games: Any) -> State:
    """A copy of the chosen games (any NumPy index that keeps the batch axis)."""
    arrays: list[Any] = [array[games].copy() for array in state[1:]]
    return State(state.levels, *arrays)
