"""The loop of search: select a leaf in every game, evaluate all of them at once, back up."""

from __future__ import annotations

import time
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
from rstt_env.state import new_state

Rules = GumbelRules | PuctRules

_PART = 64  # games that are worth a thread of their own
_LONGEST = 81  # plies of a variation


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
    """int64[G]: done; fewer than asked for where the root was solved, or children ruled out."""
    prior: NDArray[np.float32]
    """float32[G, 9]: the bare policy of the root."""


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
    deadline: float | None = None,
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
        deadline: a time of `time.perf_counter` at which no further turn begins.
    """
    return Search(positions, evaluator, rules, solver, threads or num_cores()).run(
        simulations, seeds, explore, deadline
    )


class Search:
    """What `search` runs, once, for those who want more than the result; arguments as there."""

    def __init__(
        self,
        positions: Positions,
        evaluator: Evaluator,
        rules: Rules,
        solver: bool,
        threads: int,
    ) -> None:
        self._state = positions.state
        self._evaluator, self._solver, self._threads = evaluator, solver, threads
        gumbel = rules if isinstance(rules, GumbelRules) else GumbelRules()
        puct = rules if isinstance(rules, PuctRules) else PuctRules()
        self._gumbel, self._puct = gumbel, puct
        self._rule = descent.GUMBEL if isinstance(rules, GumbelRules) else descent.PUCT

    def run(
        self, simulations: int, seeds: NDArray[np.uint64], explore: bool, deadline: float | None
    ) -> Result:
        state, num_games = self._state, len(self._state.focus)
        games = np.arange(num_games)
        tree = new_tree(num_games, simulations + 1)
        self._evaluator.plant(state)
        logits, values = self._evaluator.evaluate(state, games, games)
        descent.plant(tree, state, games, logits, values)

        wanted, number = self._schedule(tree, simulations)
        lanes = int(number.max(initial=1))  # walks of a game side by side
        rows = num_games * lanes
        leaves = new_state(len(state.levels), rows)
        noise = self._noise(seeds, explore)
        path = np.empty((rows, simulations + 2, 2), np.int32)
        length = np.zeros(rows, np.int32)
        waiting, place = np.zeros(rows, np.bool_), np.zeros(rows, np.int64)
        done = np.zeros(num_games, np.int64)
        share = self._puct.noise if explore else 0.0
        parts = np.array_split(games, min(self._threads, max(1, num_games // _PART)))
        for turn in range(len(number)):
            arguments = (
                self._rule, self._gumbel.c_visit, self._gumbel.c_scale, self._puct.c_puct, share,
                noise, wanted[turn], number[turn], self._solver, path, length, waiting, done,
                place, logits, values,
            )  # fmt: skip

            def select(part: Rows, arguments: tuple[Any, ...] = arguments) -> None:
                descent.select(tree, state, leaves, part, *arguments)

            parallel(select, parts, self._threads)
            chosen = np.flatnonzero(waiting)
            if len(chosen):
                logits, values = self._evaluator.evaluate(leaves, chosen, chosen // lanes)
                place[chosen] = np.arange(len(chosen))
            if deadline is not None and time.perf_counter() > deadline:
                break
        descent.expand(tree, leaves, path, length, waiting, place, logits, values)
        self._tree = tree
        return self._result(tree, noise, done)

    def variation(self, game: int, digit: int) -> list[int]:
        """The squares that a search which has run expects of a game after the choice `digit`."""
        squares = np.empty(_LONGEST, np.int64)
        length = descent.variation(self._tree, self._state, game, digit, squares)
        line: list[int] = squares[:length].tolist()
        return line

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

    def _schedule(
        self, tree: Tree, simulations: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`wanted` and `number`, int32[turns, G]: the turns of each game's schedule.

        Sequential halving among as many children as there are; one simulation a turn for PUCT.
        """
        open_children = np.bitwise_count(tree.legal[:, 0])
        considered = np.minimum(open_children, self._gumbel.considered)
        schedules = {
            int(count): halving_schedule(int(count), simulations)
            if self._rule == descent.GUMBEL
            else [(0, 1)] * simulations
            for count in np.unique(considered)
        }
        turns = max((len(schedule) for schedule in schedules.values()), default=0)
        table = np.zeros((10, turns, 2), np.int32)
        for count, schedule in schedules.items():
            table[count, : len(schedule)] = np.array(schedule, np.int32).reshape(-1, 2)
        wanted, number = table[considered].transpose(2, 1, 0)
        return np.ascontiguousarray(wanted), np.ascontiguousarray(number)

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
            prior=tree.priors[:, 0].copy(),
        )
        descent.conclude(
            tree, np.arange(num_games), self._rule, self._gumbel.c_visit, self._gumbel.c_scale,
            noise, result.digit, result.policy, result.value, result.scores, result.proven,
        )  # fmt: skip
        return result
