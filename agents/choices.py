"""Moves made choice by choice, one position after the other: what such agents share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.agent import Answer, check_request
from agents.seeds import game_seeds
from agents.threads import num_cores, parallel
from rstt_env import tree
from rstt_env.positions import Positions


@dataclass(frozen=True)
class Decision:
    """A choice among the children of the focus; values are for the mover."""

    digit: int
    value: float
    scores: NDArray[np.float64]
    """float64[9]; NaN where not known."""
    visits: NDArray[np.int64]
    """int64[9]"""
    simulations: int
    proven: bool = False
    variation: Callable[[Positions], list[int]] = lambda position: []
    """The squares expected from a position that was reached from here."""


class ChoiceByChoiceAgent(ABC):
    """Decides the choices of a move one after the other; positions are spread over the cores.

    Args:
        depth: of the games, 1 to 4.
        seed: of the random numbers; a position's also depend on its game's id, if it has one.
        threads: how many cores to use for a batch; all by default.
    """

    timed = False

    def __init__(self, depth: int, seed: int = 0, threads: int | None = None) -> None:
        self._depth, self._seed = tree.check_depth(depth), seed
        self._threads = threads or num_cores()

    @abstractmethod
    def _decide(
        self, position: Positions, seed: int, choices: int, simulations: int, seconds: float
    ) -> Decision | None:
        """Choose in a batch of one, which stays as it is.

        `choices` are left of the move, this one included; it has taken so many simulations and
        core-seconds. With None the first open child is taken.
        """

    def reset(self, games: Sequence[int] | None = None) -> None:
        """Forget games: nothing was kept."""
        return

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        ids = check_request(positions, self._depth, games)
        seeds = game_seeds(self._seed, ids, len(positions)).tolist()
        answer = Answer.blank(len(positions))
        parallel(
            lambda row: self._answer(positions[row], seeds[row], row, answer),
            range(len(positions)),
            self._threads,
        )
        return answer

    def _answer(self, position: Positions, seed: int, row: int, answer: Answer) -> None:
        """Fill in a row of the answer; `position` is played on."""
        start = time.thread_time()
        first = self._depth - tree.level_of(int(position.focus[0]))
        decision, opinion = None, False
        for choices in range(first, 0, -1):
            spent = int(answer.simulations[row])
            made = self._decide(position, seed, choices, spent, time.thread_time() - start)
            digit = int(position.legal_children[0].argmax()) if made is None else made.digit
            if made is not None:
                decision = made
                answer.simulations[row] += made.simulations
                if not opinion:  # a move's value is that of its first choice among several
                    answer.value[row], answer.proven[row] = made.value, made.proven
                    opinion = True
                if choices == first:
                    answer.visits[row], answer.scores[row] = made.visits, made.scores
            position.choose([digit])
        answer.square[row] = position.last_square[0]
        answer.variations[row].append(int(answer.square[row]))
        if decision is not None:
            answer.variations[row].extend(decision.variation(position))
        answer.seconds[row] = time.thread_time() - start
