"""Alpha-beta as an agent: iterative deepening, choice by choice."""

from __future__ import annotations

import threading

import numpy as np

from agents.alphabeta.deepening import Deepening
from agents.alphabeta.table import new_table
from agents.choices import ChoiceByChoiceAgent, Decision
from rstt_env.positions import Positions

_TABLE = 20  # log2 of the entries of a core's transposition table, 16 bytes each


class AlphaBetaAgent(ChoiceByChoiceAgent):
    """Negamax with iterative deepening, a transposition table and an evaluation of open lines.

    Args:
        depth: of the games, 1 to 4.
        choices: how many choices to look ahead, at each choice of a move; those that are
            forced don't count.
        seconds: instead, core-seconds for a move, shared equally among the choices that are
            left of it; a forced choice takes none.
        threads: how many cores to use for a batch; all by default.

    The search stops early when it has solved the position. `visits` are 0, `simulations` are
    nodes, and `scores` of children other than the best are upper bounds. There are no random
    numbers.
    """

    def __init__(
        self,
        depth: int,
        choices: int | None = None,
        seconds: float | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        super().__init__(depth, threads=threads)
        if (choices is None) == (seconds is None):
            raise ValueError("give either choices or seconds")
        self._choices, self._seconds = choices, seconds
        self.timed = seconds is not None
        self._own = threading.local()  # every thread has a table of its own
        Deepening(Positions(depth), new_table(1)).to(1)  # compiles before a clock runs

    def _decide(
        self, position: Positions, seed: int, choices: int, simulations: int, seconds: float
    ) -> Decision | None:
        digits = np.flatnonzero(position.legal_children[0])
        forced = len(digits) == 1
        if not hasattr(self._own, "table"):
            self._own.table = new_table(_TABLE)
        deepening = Deepening(position, self._own.table)
        if self._choices is not None:
            if forced and (choices > 1 or simulations):
                return None  # where nothing else is to be chosen, a search still gives the value
            deepening.to(self._choices)
        elif self._seconds is not None:
            if forced:
                return None
            deepening.for_seconds((self._seconds - seconds) / choices)
        scores = np.full(9, np.nan)
        scores[digits] = deepening.scores[digits]
        return Decision(
            digit=deepening.digit,
            value=deepening.value,
            scores=scores,
            visits=np.zeros(9, np.int64),
            simulations=deepening.nodes,
            proven=deepening.solved,
            variation=deepening.variation,
        )
