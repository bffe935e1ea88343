"""Agents that don't search: uniformly random play, greed, and flat Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.agent import Answer, check_request
from agents.choices import ChoiceByChoiceAgent, Decision
from agents.greed import greedy_squares
from agents.seeds import game_seeds
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


class FlatMonteCarloAgent(ChoiceByChoiceAgent):
    """Random playouts from each child, in equal numbers; the child with the best mean.

    Args:
        depth: of the games, 1 to 4.
        playouts: for a move, shared equally among the choices that are left of it, at least
            one for each child; a choice with a single open child takes none.
        seed: of the random numbers; a position's also depend on its game's id, if it has one.
        threads: how many cores to use for a batch; all by default.
    """

    def __init__(
        self, depth: int, playouts: int, *, seed: int = 0, threads: int | None = None
    ) -> None:
        super().__init__(depth, seed, threads)
        self._playouts = playouts

    def _decide(
        self, position: Positions, seed: int, choices: int, simulations: int, seconds: float
    ) -> Decision | None:
        digits = np.flatnonzero(position.legal_children[0])
        if len(digits) == 1:
            return None
        repeats = max(1, (self._playouts - simulations) // choices // len(digits))
        player = int(position.to_play[0])
        children = position[np.zeros(len(digits), np.int64)]
        children.choose(digits)
        tally = children.playouts(seed, repeats).tally
        visits, scores = np.zeros(9, np.int64), np.full(9, np.nan)
        visits[digits] = repeats
        scores[digits] = (tally[:, player] - tally[:, 1 - player]) / repeats
        best = int(np.nanargmax(scores))
        return Decision(best, float(scores[best]), scores, visits, repeats * len(digits))
