"""The trees of several games, searched side by side."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.threads import parallel
from agents.uct import search, tree
from rstt_env.positions import Positions

_ROUND = 0.002  # seconds between two looks at the clock


class Options(NamedTuple):
    """What a search is made of, beside its budget."""

    exploration: float
    solver: bool
    decisive: bool


class Forest:
    """One tree for each of T positions, grown by `search`, walked down by `choose`.

    Args:
        positions: batch of T; played on in place.
        bits: uint64[T], the trees' random streams; used up in place.
        capacity: how many nodes a tree can hold; memory is taken as they are used.
    """

    def __init__(self, positions: Positions, bits: NDArray[np.uint64], capacity: int) -> None:
        self.positions, self.bits = positions, bits
        self.nodes = np.empty((len(positions), capacity, tree.WIDTH), np.int32)
        self.roots = np.zeros(len(positions), np.int64)
        self.sizes = np.zeros(len(positions), np.int64)
        self.simulations = np.zeros(len(positions), np.int64)
        self.seconds = np.zeros(len(positions))
        tree.plant(self.nodes, self.sizes, *self._choosers())

    def graft(self, t: int, kept: NDArray[np.int32], node: int) -> None:
        """Tree `t` becomes a copy of the subtree under `node` of `kept`, int32[n, WIDTH]."""
        self.roots[t] = 0
        self.sizes[t] = tree.copy_subtree(kept[None], 0, node, self.nodes[t])

    def kept(self, t: int) -> NDArray[np.int32]:
        """A copy of the subtree under the root of tree `t`, as `graft` takes it."""
        copy = np.empty((self.sizes[t], tree.WIDTH), np.int32)
        size = tree.copy_subtree(self.nodes, t, self.roots[t], copy)
        return copy[:size].copy()

    def search(
        self,
        options: Options,
        simulations: NDArray[np.int64] | None,
        seconds: NDArray[np.float64] | None,
        threads: int,
    ) -> None:
        """Grow each tree by so many simulations, or for so many core-seconds (of length T)."""
        if seconds is not None:
            parallel(
                lambda t: self._search_for(t, options, seconds[t]), range(len(seconds)), threads
            )
        elif simulations is not None:
            parts = np.array_split(np.flatnonzero(simulations), threads)
            parallel(lambda part: self._run(part, options, simulations), parts, threads)

    def choose(self, trees: NDArray[np.int64], digits: NDArray[np.int64]) -> None:
        """Play a choice in some trees and walk down to it."""
        self.positions.choose(digits, trees)
        tree.walk(self.nodes, self.sizes, self.roots, trees, digits, *self._choosers())

    def statistics(self) -> Statistics:
        """What the trees know of their roots' edges."""
        rows = self.nodes[np.arange(len(self.roots)), self.roots]
        digits = np.arange(9)
        proven = (rows[:, tree.PROVEN, None] >> digits & 1) != 0
        values = (rows[:, tree.PROOFS, None] >> 2 * digits & 3) - 1
        return Statistics(
            (rows[:, tree.LEGAL, None] >> digits & 1) != 0,
            rows[:, tree.VISITS : tree.VISITS + 9].astype(np.int64),
            rows[:, tree.TOTAL : tree.TOTAL + 9].astype(np.int64),
            np.where(proven, values, np.nan),
        )

    def variation(self, t: int) -> list[int]:
        """The squares that tree `t` expects from its root on."""
        state = self.positions[t].state
        squares = np.empty(81 * self.positions.depth, np.int64)
        length = search.variation(
            state.levels, state.boards, state.focus[0], np.int64(state.to_play[0]),
            self.nodes, t, self.roots[t], squares,
        )  # fmt: skip
        return [int(square) for square in squares[:length]]

    def _choosers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """int64[T] each: the mask of legal children, and who chooses among them."""
        legal = self.positions.legal_children @ (1 << np.arange(9))
        return legal, self.positions.to_play.astype(np.int64)

    def _run(self, trees: NDArray[np.int64], options: Options, wanted: NDArray[np.int64]) -> None:
        start = time.thread_time()
        state = self.positions.state
        done = search.search(
            state.levels, state.boards, state.focus, state.to_play, trees,
            self.nodes, self.sizes, self.roots, wanted, self.bits,
            options.exploration, options.solver, options.decisive,
        )  # fmt: skip
        self.simulations[trees] += done
        self.seconds[trees] += (time.thread_time() - start) * done / max(1, done.sum())

    def _search_for(self, t: int, options: Options, seconds: float) -> None:
        """Rounds of simulations, each as long as the clock allows."""
        start, round_size = self.seconds[t], 1
        trees, wanted = np.array([t]), np.zeros(len(self.roots), np.int64)
        while (left := start + seconds - self.seconds[t]) > 0:
            wanted[t] = round_size
            before, count = self.seconds[t], self.simulations[t]
            self._run(trees, options, wanted)
            if self.simulations[t] < count + round_size:
                return  # solved
            took = self.seconds[t] - before
            if took < min(_ROUND, left) / 2:
                round_size *= 2
            elif took > left - took and round_size > 1:
                round_size //= 2


class Statistics(NamedTuple):
    """Of the edges of T roots."""

    legal: NDArray[np.bool_]
    """bool[T, 9]"""
    visits: NDArray[np.int64]
    """int64[T, 9]"""
    totals: NDArray[np.int64]
    """int64[T, 9], results summed up for the root's player."""
    proven: NDArray[Any]
    """float64[T, 9]: proven values for the root's player; NaN where the solver knows none."""

    def merged(self, trees: int) -> Statistics:
        """Of T / trees games with `trees` independent trees each."""
        shape = (-1, trees, 9)
        proven = self.proven.reshape(shape)
        known = np.fmax.reduce(proven, axis=1)  # NaN only where no tree has a proof
        return Statistics(
            self.legal[::trees],
            self.visits.reshape(shape).sum(1),
            self.totals.reshape(shape).sum(1),
            known,
        )

    def solved(self) -> NDArray[np.bool_]:
        """bool[T]: whether a root's value is proven."""
        won: NDArray[np.bool_] = (self.proven == 1).any(axis=1)
        all_known: NDArray[np.bool_] = (self.legal == ~np.isnan(self.proven)).all(axis=1)
        return won | all_known

    def means(self) -> NDArray[np.float64]:
        """float64[T, 9]: proven values, else mean results, else NaN."""
        means = np.where(self.visits > 0, self.totals / np.maximum(self.visits, 1), np.nan)
        return np.where(np.isnan(self.proven), means, self.proven)

    def best(self) -> NDArray[np.int64]:
        """int64[T]: a proven win; else the most visited edge that isn't a proven loss.

        Equal visits are told apart by the mean, equal means by the digit.
        """
        proof = np.where(self.legal, np.nan_to_num(self.proven), -2)
        mean = np.nan_to_num(self.means(), nan=-2.0)
        first = np.broadcast_to(np.arange(8, -1, -1), mean.shape)
        best: NDArray[np.int64] = np.lexsort((first, mean, self.visits, proof), axis=1)[:, -1]
        return best
