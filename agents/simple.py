"""Agents that don't search: uniformly random play, greed, and flat Monte Carlo."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.agent import Answer, check_request
from agents.budget import Budget
from agents.greed import greedy_squares
from agents.seeds import game_seeds
from agents.threads import num_cores, parallel
from rstt_env import tree
from rstt_env.positions import Positions


class RandomAgent:
    """Uniformly random legal squares."""

    timed = False

    def __init__(self, depth: int, seed: int = 0) -> None:
        self._depth, self._seed = tree.check_depth(depth), seed

    def reset(self, games: Sequence[int] | None = None) -> None:
        pass

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        ids = check_request(positions, self._depth, games)
        answer = Answer.blank(len(positions))
        answer.square[:] = self._squares(positions, game_seeds(self._seed, ids, len(positions)))
        for square, variation in zip(answer.square, answer.variations, strict=True):
            variation.append(int(square))
        return answer

    def _squares(self, positions: Positions, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions.random_squares(seeds)


class GreedyAgent(RandomAgent):
    """Claims the largest board that one move can claim, at random among equals."""

    def _squares(self, positions: Positions, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        squares = np.empty(len(positions), np.int64)
        greedy_squares(positions.state, seeds.astype(np.uint64), squares)
        return squares


class FlatMonteCarloAgent:
    """Random playouts from each child, in equal numbers; the child with the best mean.

    A move's playouts are shared equally among the choices that are left of it; a choice with
    a single open child takes none.
    """

    timed = False

    def __init__(
        self, depth: int, budget: Budget, *, seed: int = 0, threads: int | None = None
    ) -> None:
        if budget.simulations is None:
            raise ValueError("flatmc takes a number of playouts, such as flatmc:1000, not seconds")
        self._depth, self._playouts, self._seed = tree.check_depth(depth), budget.simulations, seed
        self._threads = threads or num_cores()

    def reset(self, games: Sequence[int] | None = None) -> None:
        pass

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        ids = check_request(positions, self._depth, games)
        seeds = game_seeds(self._seed, ids, len(positions))
        answer = Answer.blank(len(positions))
        parallel(
            lambda row: self._answer(positions[row], seeds[row], row, answer),
            range(len(positions)),
            self._threads,
        )
        return answer

    def _answer(self, position: Positions, seed: np.int64, row: int, answer: Answer) -> None:
        start = time.thread_time()
        opinion = False
        first = self._depth - tree.level_of(int(position.focus[0]))
        for choices in range(first, 0, -1):
            digits = np.flatnonzero(position.legal_children[0])
            best = 0
            if len(digits) > 1:
                left = self._playouts - int(answer.simulations[row])
                repeats = max(1, left // choices // len(digits))
                means = self._means(position, digits, seed, repeats)
                best = int(means.argmax())
                answer.simulations[row] += repeats * len(digits)
                if not opinion:  # a move's value is that of its first choice among several
                    answer.value[row], opinion = means[best], True
                if choices == first:
                    answer.visits[row, digits], answer.scores[row, digits] = repeats, means
            position.choose(digits[[best]])
        answer.square[row] = position.last_square[0]
        answer.variations[row].append(int(answer.square[row]))
        answer.seconds[row] = time.thread_time() - start

    def _means(
        self, position: Positions, digits: NDArray[np.int64], seed: np.int64, repeats: int
    ) -> NDArray[np.float64]:
        """The mean result for the mover of playouts from each child."""
        player = int(position.to_play[0])
        children = position[np.zeros(len(digits), np.int64)]
        children.choose(digits)
        tally = children.playouts(seed, repeats).tally
        means: NDArray[np.float64] = (tally[:, player] - tally[:, 1 - player]) / repeats
        return means
