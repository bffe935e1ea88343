"""Alpha-beta as an agent: iterative deepening, choice by choice."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from agents.agent import Answer, check_request
from agents.alphabeta.deepening import Deepening
from agents.alphabeta.table import new_table
from agents.budget import Budget
from agents.threads import num_cores, parallel
from rstt_env import tree
from rstt_env.positions import Positions

_TABLE = 20  # log2 of the entries of a core's transposition table, 16 bytes each


class AlphaBetaAgent:
    """Negamax with iterative deepening, a transposition table and an evaluation of open lines.

    Args:
        depth: of the games, 1 to 4.
        budget: how many choices to look ahead, at each choice of a move; or core-seconds for
            a move, shared equally among the choices that are left of it. Forced choices
            don't count. The search stops early when it has solved the position.
        threads: how many cores to use for a batch; all by default.

    Its `visits` are 0, `simulations` are nodes, and `scores` of children other than the best
    are upper bounds. It uses no random numbers.
    """

    def __init__(self, depth: int, budget: Budget, *, threads: int | None = None) -> None:
        self._depth, self._budget = tree.check_depth(depth), budget
        self._threads = threads or num_cores()
        self._own = threading.local()  # every thread has a table of its own

        Deepening(Positions(depth), new_table(1)).to(1)  # compiles before a clock runs

    @property
    def timed(self) -> bool:
        return self._budget.seconds is not None

    def reset(self, games: Sequence[int] | None = None) -> None:
        pass  # it keeps nothing

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        check_request(positions, self._depth, games)
        answer = Answer.blank(len(positions))
        parallel(
            lambda row: self._answer(positions[row], row, answer),
            range(len(positions)),
            self._threads,
        )
        return answer

    def _answer(self, position: Positions, row: int, answer: Answer) -> None:
        """Fill in a row of the answer; `position` is played on."""
        start = time.thread_time()
        if not hasattr(self._own, "table"):
            self._own.table = new_table(_TABLE)
        first = self._depth - tree.level_of(int(position.focus[0]))
        opinion, deepening = False, None
        for choices in range(first, 0, -1):
            digits = np.flatnonzero(position.legal_children[0])
            digit = int(digits[0])
            if len(digits) > 1 or (choices == 1 and not opinion):  # a forced move has a value too
                deepening = Deepening(position, self._own.table)
                if self._budget.seconds is None:
                    deepening.to(self._budget.simulations or 1)
                else:
                    left = self._budget.seconds - (time.thread_time() - start)
                    deepening.for_seconds(left / choices)
                digit = deepening.digit
                answer.simulations[row] += deepening.nodes
                if not opinion:  # a move's value is that of its first choice among several
                    answer.value[row], opinion = deepening.value, True
                    answer.proven[row] = deepening.solved
                if choices == first:
                    answer.scores[row, digits] = deepening.scores[digits]
            position.choose([digit])
        answer.square[row] = position.last_square[0]
        answer.variations[row].append(int(answer.square[row]))
        if deepening is not None:
            answer.variations[row].extend(deepening.variation(position))
        answer.seconds[row] = time.thread_time() - start
