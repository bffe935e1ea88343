"""Iterative deepening: alpha-beta one choice deep, then two, then three, …"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
from numpy.typing import NDArray

from agents.alphabeta import search
from agents.alphabeta.evaluation import SCALE, fill_scores
from agents.alphabeta.table import NO_DIGIT, look_up
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions

_FARTHEST = 2000  # choices on the stack, at most
_WHOLE = 2**62  # more nodes than any search
_ROUND = 1000  # nodes between two looks at the clock
_salts = itertools.count(1)


class Deepening:
    """The search of one position, a batch of one, which stays as it is.

    Attributes:
        digit: the best child of the focus so far.
        score: of that child, for the mover (see `search.WIN`).
        nodes: looked at so far.
        solved: whether the value is certain.
    """

    def __init__(self, position: Positions, table: NDArray[np.uint64]) -> None:
        self._table, self._salt = table, np.uint64(next(_salts) << 20)
        state = position.copy().state
        self._levels, self._boards = state.levels, state.boards
        self._root = position.keys[0], int(state.focus[0]), int(state.to_play[0])
        self._subtotals = np.zeros(self._boards.shape[1], np.int32)
        fill_scores(self._levels, self._boards, self._subtotals)
        most_choices = position.depth * int(state.boards[0, 0, 3])
        self._stack = search.new_stack(position.depth, min(most_choices, _FARTHEST) + 1)
        self._choices = 0  # looked ahead in the iteration at hand
        self.digit, self.score, self.solved, self.nodes = NO_DIGIT, 0, False, 0
        self._best_scores = np.full(9, search.LOWEST)

    def to(self, choices: int) -> None:
        """Look so many choices ahead, or as many as solve the position."""
        while self._choices < choices and not self.solved:
            self._start()
            self._go_on(_WHOLE)

    def for_seconds(self, seconds: float) -> None:
        """Go on for so many core-seconds, or until the position is solved.

        The first look, one choice ahead, is always finished.
        """
        end = time.thread_time() + seconds
        self.to(1)
        while time.thread_time() < end and not self.solved:
            if self._stack.ply[0] < 0:
                self._start()
            self._go_on(_ROUND)
        self._take_over()

    @property
    def value(self) -> float:
        """Of the position for its mover: ±1 or 0 if solved, else strictly between -1 and 1."""
        return self._as_value(self.score, self.solved)

    @property
    def scores(self) -> NDArray[np.float64]:
        """float64[9]: values of the children; upper bounds except for the best."""
        return np.array([self._as_value(int(score), False) for score in self._best_scores])

    def variation(self, position: Positions) -> list[int]:
        """The squares that the table expects from a position on which the search has passed."""
        position = position.copy()
        squares: list[int] = []
        while position.state.outcome[0] == UNDECIDED and len(squares) < 20:
            entry = look_up(self._table, position.keys[0], self._salt)
            if not entry.found or not 0 <= entry.digit < 9:
                break
            before = int(position.state.last_square[0])
            position.choose([entry.digit])
            if position.state.last_square[0] != before:
                squares.append(int(position.state.last_square[0]))
        return squares

    def _as_value(self, score: int, solved: bool) -> float:
        if score >= search.SURE_WIN:
            return 1.0
        if score <= search.SURE_LOSS:
            return -1.0
        scale = 8.0 * SCALE ** (len(self._levels) - 1)
        return 0.0 if solved else math.tanh(score / scale)

    def _start(self) -> None:
        """Begin the next iteration."""
        self._choices += 1
        key, focus, player = self._root
        first = self.digit
        self._stack.ply[0] = 0
        search.enter(
            self._levels, self._boards, self._stack, 0, key, focus, player, self._choices,
            search.LOWEST, search.HIGHEST, first,
        )  # fmt: skip

    def _go_on(self, max_nodes: int) -> None:
        self.nodes += search.run(
            self._levels, self._boards, self._subtotals, self._stack, self._table, self._salt,
            max_nodes,
        )  # fmt: skip
        if self._stack.ply[0] < 0:
            self._take_over()
            frame = self._stack.frames[0]
            self.solved = bool(frame[search.ALL_SOLVED]) or abs(self.score) >= search.SURE_WIN

    def _take_over(self) -> None:
        """Keep the best child of the iteration, even of one that isn't finished."""
        frame = self._stack.frames[0]
        finished = self._stack.ply[0] < 0
        # of children not all looked at, a loss is no news and a win is a proof
        if finished or frame[search.BEST] > search.SURE_LOSS:
            self.digit, self.score = int(frame[search.BEST_DIGIT]), int(frame[search.BEST])
            self._best_scores = self._stack.root_scores.astype(np.int64)
            self.solved |= self.score >= search.SURE_WIN
