"""What search asks of whatever evaluates positions: a network, a table, rollouts."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rstt_env.positions import Positions
from rstt_env.state import State

Rows = NDArray[np.int64]


class Evaluator(Protocol):
    """Evaluates positions for their movers, at the choice that is to be made there.

    Evaluators may keep something of each game's root, of which `plant` tells them.
    """

    def evaluate(
        self, state: State, positions: Rows, roots: Rows
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits of the nine children of the focus, float32[n, 9], and values, float32[n].

        Args:
            state: positions that go on; only to be read, and only during the call.
            positions: int64[n], the rows of `state` that are asked for.
            roots: int64[n], the games whose roots, last given to `plant`, they were reached from.

        Logits of closed children are ignored. Values are for the mover, in [-1, 1].
        """
        ...

    def plant(self, state: State) -> None:
        """All games get new trees, whose roots (node 0) are the positions of `state`."""
        ...


class Stateless:
    """An evaluator that keeps nothing."""

    def plant(self, state: State) -> None:
        pass


class UniformEvaluator(Stateless):
    """Knows nothing: equal logits, value 0."""

    def evaluate(
        self, state: State, positions: Rows, roots: Rows
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return np.zeros((len(positions), 9), np.float32), np.zeros(len(positions), np.float32)


class RolloutEvaluator(Stateless):
    """Equal logits; the value is the mean result of random playouts.

    The playouts of a position depend on the seed and the position alone.
    """

    def __init__(self, playouts: int = 1, seed: int = 0) -> None:
        self._playouts, self._seed = playouts, seed

    def evaluate(
        self, state: State, positions: Rows, roots: Rows
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        chosen = Positions.from_state(state)[positions]
        tally = chosen.playouts(self._seed, self._playouts).tally
        mover, rows = chosen.to_play.astype(np.int64), np.arange(len(chosen))
        results = (tally[rows, mover] - tally[rows, 1 - mover]) / self._playouts
        return np.zeros((len(chosen), 9), np.float32), results.astype(np.float32)
