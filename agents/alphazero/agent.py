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
from agents.alphazero.evaluator import NetworkEvaluator
from agents.budget import Budget
from agents.search.gumbel import GumbelRules
from agents.search.search import Result, search
from agents.seeds import game_seeds
from agents.threads import num_cores
from rstt_env import tree
from rstt_env.positions import Positions

_MOST = 100_000  # simulations of a timed search


def best_device() -> torch.device:
    """The GPU, if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class AlphaZeroAgent:
    """Gumbel search, without noise, guided by a network; the same position, the same answer.

    All positions of a batch are searched together, choice by choice.

    Args:
        depth: of the games, 1 to 4.
        network: in evaluation mode, on `device`.
        budget: simulations for each choice of a move (none: the bare policy's best child), or
            core-seconds for a move.
        seed: for equal ranks alone.
        threads: how many cores to use; all by default.
        device: of the network.
    """

    def __init__(
        self,
        depth: int,
        network: nn.Module,
        budget: Budget,
        *,
        seed: int = 0,
        threads: int | None = None,
        device: torch.device | None = None,
    ) -> None:
        self._depth, self._budget, self._seed = tree.check_depth(depth), budget, seed
        self._device = device or torch.device("cpu")
        self._evaluator = NetworkEvaluator(network.to(self._device), self._device)
        self._threads = threads or num_cores()
        self._rate = 0.0  # simulations a second on the clock
        if self.timed:
            self._measure()

    @classmethod
    def load(
        cls, path: Path, depth: int, budget: Budget, seed: int = 0, threads: int | None = None
    ) -> AlphaZeroAgent:
        """The agent of a checkpoint, see `checkpoint.load_network`."""
        _, network = load_network(path, depth)
        return cls(depth, network, budget, seed=seed, threads=threads, device=best_device())

    @property
    def timed(self) -> bool:
        return self._budget.seconds is not None

    def reset(self, games: Sequence[int] | None = None) -> None:
        """Forget games: nothing was kept."""
        return

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        ids = check_request(positions, self._depth, games)
        seeds = game_seeds(self._seed, ids, len(positions)).astype(np.uint64)
        answer = Answer.blank(len(positions))
        start = time.perf_counter()
        played, going = positions.copy(), np.arange(len(positions))
        opinion = np.zeros(len(positions), np.bool_)
        for choice in range(self._depth):
            if not len(going):
                break
            legal = played.legal_children[going]
            forced = legal.sum(axis=1) == 1
            digits = legal.argmax(axis=1)
            rows = going[~forced]
            if len(rows):
                result = self._search(played[rows], seeds[rows], start, self._depth - choice)
                digits[~forced] = result.digit
                answer.simulations[rows] += result.simulations
                new = ~opinion[rows]  # a move's value is that of its first choice among several
                answer.value[rows[new]], answer.proven[rows[new]] = (
                    result.value[new], result.proven[new],
                )  # fmt: skip
                opinion[rows] = True
                if choice == 0:
                    answer.visits[rows], answer.scores[rows] = result.visits, result.scores
            before = played.ply[going]
            played.choose(digits, going)
            going = going[played.ply[going] == before]
        answer.square[:] = played.last_square
        answer.variations[:] = [[int(square)] for square in answer.square]
        # all cores work for the whole batch
        answer.seconds[:] = (time.perf_counter() - start) * self._threads / len(positions)
        return answer

    def _search(
        self, positions: Positions, seeds: NDArray[np.uint64], start: float, choices: int
    ) -> Result:
        """Search with the budget of a choice, of which `choices` may be left of the move."""
        simulations, deadline = self._budget.simulations or 0, None
        if self._budget.seconds is not None:
            whole = self._budget.seconds * len(positions) / self._threads
            now = time.perf_counter()
            seconds = max(0.0, (start + whole - now) / choices)
            simulations = int(min(max(1, self._rate * seconds / len(positions)), _MOST))
            deadline = now + seconds
        result = search(
            positions, self._evaluator, GumbelRules(), simulations, seeds,
            explore=False, threads=self._threads, deadline=deadline,
        )  # fmt: skip
        if deadline is not None and (total := int(result.simulations.sum())):
            self._rate = total / (time.perf_counter() - now)
        return result

    def _measure(self) -> None:
        """How many simulations a second there are, compilation aside."""
        positions, seeds = Positions(self._depth), np.zeros(1, np.uint64)
        for _ in range(2):
            start = time.perf_counter()
            search(positions, self._evaluator, GumbelRules(), 64, seeds, explore=False)
            self._rate = 64 / (time.perf_counter() - start)
