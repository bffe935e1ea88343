"""The loop of search: select a leaf in every game, evaluate all of them at once, back up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search import descent
from agents.search.evaluator import Evaluator, Rows
from agents.search.gumbel import GumbelRules, draw_gumbel, halving_schedule
from agents.search.puct import PuctRules, dirichlet_noise
from agents.search.tree import Tree, new_tree
from agents.threads import num_cores, parallel
from rstt_env.positions import Positions

Rules = GumbelRules | PuctRules


class Result(NamedTuple):
    """What a search says of G roots. Values are for the mover."""

    digit: NDArray[np.int64]
    """int64[G]: the child to choose."""
    policy: NDArray[np.float32]
    """float32[G, 9]: the training target, 0 for closed children."""
    value: NDArray[np.float32]
    """float32[G]: of the root, in [-1, 1]."""
    scores: NDArray[np.float32]
    """float32[G, 9]: values of the visited children, NaN for the others."""
    visits: NDArray[np.int32]
    """int32[G, 9]: simulations through the children."""
    proven: NDArray[np.bool_]
    """bool[G]: whether `value` is certain."""
    simulations: NDArray[np.int64]
    """int64[G]: done; fewer than asked for where the root was solved."""


def search(
    positions: Positions,
    evaluator: Evaluator,
    rules: Rules,
    simulations: int,
    seeds: NDArray[np.uint64],
    *,
    explore: bool,
    solver: bool = True,
    threads: int | None = None,
) -> Result:
    """Search G positions that go on, in lockstep; each gets `simulations`.

    Args:
        positions: batch of G, left as they are.
        evaluator: gives logits and values.
        rules: Gumbel AlphaZero or PUCT, with their constants.
        simulations: for each root; 0 asks for the bare policy.
        seeds: uint64[G]; a root's random numbers depend on its seed and its position.
        explore: with the noise of training; without, play is deterministic.
        solver: prove nodes (MCTS-Solver).
        threads: of the walks; all cores by default.
    """
    return _Search(positions, evaluator, rules, solver, threads or num_cores()).run(
        simulations, seeds, explore
    )


class _Search:
    def __init__(
        self,
        positions: Positions,
        evaluator: Evaluator,
        rules: Rules,
        solver: bool,
        threads: int,
    ) -> None:
        self._state, self._leaves = positions.state, positions.copy().state
        self._evaluator, self._solver, self._threads = evaluator, solver, threads
        gumbel = rules if isinstance(rules, GumbelRules) else GumbelRules()
        puct = rules if isinstance(rules, PuctRules) else PuctRules()
        self._gumbel, self._puct = gumbel, puct
        self._rule = descent.GUMBEL if isinstance(rules, GumbelRules) else descent.PUCT

    def run(self, simulations: int, seeds: NDArray[np.uint64], explore: bool) -> Result:
        state, num_games = self._state, len(self._state.focus)
        games = np.arange(num_games)
        tree = new_tree(num_games, simulations + 1)
        self._evaluator.plant(state)
        logits, values = self._evaluator.evaluate(state, games)
        descent.plant(tree, state, games, logits, values)

        noise = self._noise(seeds, explore)
        schedule = self._schedule(tree, simulations)
        path = np.empty((num_games, simulations + 2, 2), np.int32)
        length = np.zeros(num_games, np.int32)
        waiting = np.zeros(num_games, np.bool_)
        done = np.zeros(num_games, np.int64)
        share = self._puct.noise if explore else 0.0
        parts = np.array_split(games, self._threads)
        for turn in range(simulations):
            wanted = schedule[:, turn].copy()
            arguments = (
                self._rule, self._gumbel.c_visit, self._gumbel.c_scale, self._puct.c_puct, share,
                noise, wanted, self._solver, path, length, waiting, done,
            )  # fmt: skip

            def select(part: Rows, arguments: tuple[Any, ...] = arguments) -> None:
                descent.select(tree, state, self._leaves, part, *arguments)

            parallel(select, parts, self._threads)
            rows = np.flatnonzero(waiting)
            if len(rows):
                logits, values = self._evaluator.evaluate(self._leaves, rows)
                changes = np.empty((3, len(rows)), np.int64)
                descent.expand(tree, self._leaves, rows, logits, values, path, length, *changes)
                self._evaluator.expand(rows, *changes)
        return self._result(tree, noise, done)

    def _noise(self, seeds: NDArray[np.uint64], explore: bool) -> NDArray[np.float64]:
        """float64[G, 9]: Gumbel or Dirichlet noise of each root; zeros without exploration."""
        noise = np.zeros((len(seeds), 9))
        if explore:
            streams = seeds ^ Positions.from_state(self._state).keys
            for g, stream in enumerate(streams):
                if self._rule == descent.GUMBEL:
                    draw_gumbel(stream, noise[g])
                else:
                    noise[g] = dirichlet_noise(int(stream), self._puct.alpha)
        return noise

    def _schedule(self, tree: Tree, simulations: int) -> NDArray[np.int32]:
        """int32[G, simulations]: sequential halving among as many children as there are."""
        open_children = np.bitwise_count(tree.legal[:, 0])
        considered = np.minimum(open_children, self._gumbel.considered)
        table = np.zeros((10, simulations), np.int32)
        for number in set(considered.tolist()):
            table[number] = halving_schedule(number, simulations)
        return table[considered]

    def _result(
        self, tree: Tree, noise: NDArray[np.float64], simulations: NDArray[np.int64]
    ) -> Result:
        num_games = len(noise)
        result = Result(
            digit=np.empty(num_games, np.int64),
            policy=np.empty((num_games, 9), np.float32),
            value=np.empty(num_games, np.float32),
            scores=np.empty((num_games, 9), np.float32),
            visits=tree.visits[:, 0].copy(),
            proven=np.empty(num_games, np.bool_),
            simulations=simulations,
        )
        descent.conclude(
            tree, np.arange(num_games), self._rule, self._gumbel.c_visit, self._gumbel.c_scale,
            noise, result.digit, result.policy, result.value, result.scores, result.proven,
        )  # fmt: skip
        return result
