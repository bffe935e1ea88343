"""A trained network as an agent: guided search for each choice of a move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.agent import Answer, check_request
from agents.alphazero.checkpoint import load_network
from agents.alphazero.evaluators import AnyEvaluator, make_evaluators
from agents.alphazero.incremental import IncrementalEvaluator
from agents.budget import Budget
from agents.search.gumbel import GumbelRules
from agents.search.search import Result, Search, search
from agents.threads import num_cores, parallel
from rstt_env import tree
from rstt_env.positions import Positions

_SHARE = 32  # positions for each core: with fewer, Python's lock costs more than a core gains
_MOST = 100_000  # simulations of a timed search
_KEPT = 64  # games of which something is kept


def best_device() -> torch.device:
    """The GPU, if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class AlphaZeroAgent:
    """Gumbel search, without noise, guided by a network; the same position, the same answer.

    Positions of a large batch are divided among the cores, and searched together there, choice
    by choice. Few have one core, since the leaves of their searches are too little work for more;
    so have those under a time budget, which are searched one by one.

    Args:
        depth: of the games, 1 to 4.
        network: in evaluation mode, on `device`.
        budget: simulations for each choice of a move (none: the bare policy's best child), or
            core-seconds for a move.
        rules: the search's constants.
        threads: how many cores a batch uses; all by default.
        device: of the network.
        precision: of its matrix products.

    Attributes:
        trained_depths: of the games that the network has learnt from.
    """

    def __init__(
        self,
        depth: int,
        network: nn.Module,
        budget: Budget,
        *,
        rules: GumbelRules | None = None,
        threads: int | None = None,
        device: torch.device | None = None,
        precision: torch.dtype = torch.float32,
    ) -> None:
        self._depth, self._budget = tree.check_depth(depth), budget
        self._rules = rules or GumbelRules()
        self._device = device or torch.device("cpu")
        self._threads = threads or num_cores()
        self._evaluators = make_evaluators(
            network.to(self._device), self._device, precision, self._threads
        )
        self._of_game: dict[int, IncrementalEvaluator] = {}
        self.trained_depths = [depth]
        self._rate = 0.0  # simulations a second on the clock
        if self.timed:
            self._measure()

    @classmethod
    def load(
        cls, path: Path, depth: int, budget: Budget, threads: int | None = None,
        low_precision: bool = False,
    ) -> AlphaZeroAgent:  # fmt: skip
        """The agent of a checkpoint, see `checkpoint.load_network`."""
        card, network = load_network(path, depth)
        precision = torch.bfloat16 if low_precision else torch.float32
        agent = cls(
            depth, network, budget, rules=card.rules(depth), threads=threads,
            device=best_device(), precision=precision,
        )  # fmt: skip
        agent.trained_depths = card.depths
        return agent

    @property
    def timed(self) -> bool:
        return self._budget.seconds is not None

    def reset(self, games: Sequence[int] | None = None) -> None:
        """Forget games; by default all."""
        for game in list(self._of_game) if games is None else games:
            self._of_game.pop(game, None)

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        check_request(positions, self._depth, games)
        answer = Answer.blank(len(positions))
        most = 1 if self.timed else len(positions) // _SHARE
        evaluators = self._evaluators[: max(1, most)]
        shares = np.array_split(np.arange(len(positions)), len(evaluators))

        def work(number: int) -> None:
            share = shares[number]
            if not self.timed:
                self._act(positions[share], share, answer, evaluators[number])
                return
            for row in share:  # the clock is for each position alone
                evaluator = self._evaluator_of(None if games is None else games[row])
                self._act(positions[[row]], np.array([row]), answer, evaluator)

        parallel(work, range(len(evaluators)), len(evaluators))
        return answer

    def _evaluator_of(self, game: int | None) -> AnyEvaluator:
        """One that still has most of what it needs for the next position of a game."""
        first = self._evaluators[0]
        if game is None or not isinstance(first, IncrementalEvaluator):
            return first
        evaluator = self._of_game.pop(game, None) or first.sibling()
        self._of_game[game] = evaluator  # the latest is the last
        if len(self._of_game) > _KEPT:
            del self._of_game[next(iter(self._of_game))]
        return evaluator

    @property
    def _cores(self) -> int:
        """How many of them an evaluator uses."""
        return 1 if len(self._evaluators) > 1 else self._threads

    def _act(
        self, positions: Positions, rows: NDArray[np.int64], answer: Answer,
        evaluator: AnyEvaluator,
    ) -> None:  # fmt: skip
        """Fill in `rows` of the answer to `positions`, which are played on."""
        start = time.perf_counter()
        going = np.arange(len(positions))
        opinion = np.zeros(len(positions), np.bool_)
        for choice in range(self._depth):
            if not len(going):
                break
            legal = positions.legal_children[going]
            forced = legal.sum(axis=1) == 1
            digits = legal.argmax(axis=1)
            searched = going[~forced]
            if len(searched):
                roots = positions[searched]
                run, result = self._search(roots, start, evaluator)
                digits[~forced] = result.digit
                into = rows[searched]
                answer.simulations[into] += result.simulations
                new = np.flatnonzero(~opinion[searched])
                if len(new):  # a move's value is that of its first choice of several
                    answer.value[into[new]] = result.value[new]
                    answer.proven[into[new]] = result.proven[new]
                    answer.chances[into[new]] = evaluator.chances(roots.state, new, new)
                    opinion[searched] = True
                if choice == 0:
                    answer.visits[into], answer.scores[into] = result.visits, result.scores
                    answer.policy[into] = result.prior
                for i, row in enumerate(into):
                    answer.variations[row] = run.variation(i, result.digit[i])
            before = positions.ply[going]
            positions.choose(digits, going)
            going = going[positions.ply[going] == before]
        answer.square[rows] = positions.last_square
        for row in rows:  # what was expected may end before the move is complete
            answer.variations[row] = answer.variations[row] or [int(answer.square[row])]
        spent = (time.perf_counter() - start) * self._cores
        answer.seconds[rows] = spent / max(1, len(rows))

    def _search(
        self, positions: Positions, start: float, evaluator: AnyEvaluator
    ) -> tuple[Search, Result]:
        """Search with the budget of a choice of a move that was begun at `start`."""
        simulations, deadline = self._budget.simulations or 0, None
        now = time.perf_counter()
        if self._budget.seconds is not None:
            choices = self._depth - tree.level_of(int(positions.focus[0]))
            left = start + self._budget.seconds / self._cores - now
            deadline = now + max(0.0, left / choices)
            simulations = int(min(max(1, self._rate * (deadline - now)), _MOST))
        run = Search(positions, evaluator, self._rules, solver=True, threads=self._cores)
        result = run.run(simulations, np.zeros(len(positions), np.uint64), False, deadline)
        if deadline is not None and (total := int(result.simulations.sum())):
            rate = total / (time.perf_counter() - now)
            self._rate = max(rate, 0.7 * self._rate)  # it may have been a stall of the machine
        return run, result

    def _measure(self) -> None:
        """How many simulations a second there are, compilation aside."""
        positions, seeds = Positions(self._depth), np.zeros(1, np.uint64)
        for _ in range(2):
            start = time.perf_counter()
            search(
                positions, self._evaluators[0], self._rules, 64, seeds, explore=False,
                threads=self._cores,
            )  # fmt: skip
            self._rate = 64 / (time.perf_counter() - start)
