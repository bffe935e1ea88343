"""What an agent is: it answers positions with squares, and says what it thinks of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions

FORFEIT = -1
"""The square of an answer that gives the game up."""


@dataclass(frozen=True)
class Answer:
    """An agent's answer to B positions. Values are for the mover, in [-1, 1].

    `visits` and `scores` are about the nine children of the focus: about the squares
    themselves where the mover is confined to a deepest board, else about the first of the
    choices that make up the move.
    """

    square: NDArray[np.int64]
    """int64[B], a legal square; `FORFEIT` where the agent gives the game up."""

    value: NDArray[np.float64]
    """float64[B]; 0 where the agent has no opinion."""

    proven: NDArray[np.bool_]
    """bool[B]: whether the value is certain."""

    visits: NDArray[np.int64]
    """int64[B, 9], simulations through each child; 0 where the agent has none."""

    scores: NDArray[np.float64]
    """float64[B, 9], the value of each child; NaN where it is not known."""

    policy: NDArray[np.float64]
    """float64[B, 9], what it prefers before it searches: probabilities; NaN where it has none."""

    chances: NDArray[np.float64]
    """float64[B, 3], of a win, a draw and a loss, before it searches; NaN where it has none."""

    variations: list[list[int]]
    """B principal variations: the squares that the agent expects, its own first."""

    simulations: NDArray[np.int64]
    """int64[B]: simulations, or nodes, that the answer took."""

    seconds: NDArray[np.float64]
    """float64[B]: core-seconds that the answer took."""

    forfeits: dict[int, str] = field(default_factory=dict)
    """Row → why the game is given up."""

    @classmethod
    def blank(cls, num_positions: int) -> Answer:
        """An answer without squares and opinions, to be filled in."""
        return cls(
            square=np.full(num_positions, FORFEIT, np.int64),
            value=np.zeros(num_positions),
            proven=np.zeros(num_positions, np.bool_),
            visits=np.zeros((num_positions, 9), np.int64),
            scores=np.full((num_positions, 9), np.nan),
            policy=np.full((num_positions, 9), np.nan),
            chances=np.full((num_positions, 3), np.nan),
            variations=[[] for _ in range(num_positions)],
            simulations=np.zeros(num_positions, np.int64),
            seconds=np.zeros(num_positions),
        )


class Agent(Protocol):
    """Plays any number of games at one depth."""

    @property
    def timed(self) -> bool:
        """Whether the clock decides how well it plays, so that it needs a core to itself."""
        ...

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        """Answer B positions, none of which is over.

        With `games`, an id for each position, the agent may keep what it learnt of a game for
        its next move, and equal positions of different games get random numbers of their own.
        A position's answer never depends on its row or on the other rows.
        """
        ...

    def reset(self, games: Sequence[int] | None = None) -> None:
        """Forget the games with these ids; all of them by default."""
        ...


def check_request(
    positions: Positions, depth: int, games: Sequence[int] | None
) -> NDArray[np.uint64] | None:
    """The ids as uint64[B], None without; `ValueError` says what an agent can't answer."""
    if positions.depth != depth:
        raise ValueError(
            f"the positions are of depth {positions.depth}, the agent was made for depth {depth}"
        )
    over = np.flatnonzero(positions.outcome != UNDECIDED)
    if len(over):
        raise ValueError(f"position {over[0]} is over: there is nothing to answer")
    if games is None:
        return None
    ids = np.asarray(games, np.int64)
    if ids.shape != (len(positions),) or len(set(ids.tolist())) != len(ids):
        raise ValueError(f"games are {games!r}; give {len(positions)} different ids, one for each")
    return ids.astype(np.uint64)
