"""A network as the evaluator of a search: the whole network, for each position anew."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.alphazero.encoding import encode
from agents.alphazero.networks.inputs import Inputs
from agents.search.evaluator import Rows, Stateless
from rstt_env.state import State

AT_ONCE = 512
"""Positions in a batch on a CPU: what lies between two layers then stays in its caches."""

Evaluation = tuple[NDArray[np.float32], NDArray[np.float32]]


class ChancesEvaluator(ABC):
    """What evaluators share that know the chances of a win, a draw and a loss."""

    evaluations: int
    seconds: float

    def evaluate(self, state: State, positions: Rows, roots: Rows | None = None) -> Evaluation:
        """As the contract says; a value is the chance of a win less that of a loss."""
        start = time.perf_counter()
        logits, chances = self._answers(state, positions, roots)
        self.evaluations += len(positions)
        self.seconds += time.perf_counter() - start
        return logits, chances[:, 0] - chances[:, 2]

    def chances(
        self, state: State, positions: Rows, roots: Rows | None = None
    ) -> NDArray[np.float32]:
        """float32[n, 3]: of a win, a draw and a loss for the mover; arguments as in `evaluate`."""
        return self._answers(state, positions, roots)[1]

    @abstractmethod
    def _answers(self, state: State, positions: Rows, roots: Rows | None) -> Evaluation:
        """Logits, float32[n, 9], and chances, float32[n, 3]."""


class NetworkEvaluator(ChancesEvaluator, Stateless):
    """Evaluates with the weights that `network` has now; `refresh` takes over later ones.

    With bfloat16 as `precision`, matrix products are done in it. `evaluations` and `seconds` say
    how many there were and how long they took.
    """

    def __init__(
        self, network: nn.Module, device: torch.device, precision: torch.dtype = torch.float32
    ) -> None:
        self._network, self._device, self._precision = network, device, precision
        self.evaluations, self.seconds = 0, 0.0
        self.refresh()

    @torch.inference_mode()
    def refresh(self) -> None:
        """Prepare what depends on the weights alone."""
        self._network.eval()
        self._prepared = self._network.prepare()  # type: ignore[operator]

    def _answers(self, state: State, positions: Rows, roots: Rows | None) -> Evaluation:
        at_once = AT_ONCE if self._device.type == "cpu" else max(1, len(positions))

        def evaluate(part: Rows) -> tuple[Tensor, Tensor]:
            return self._evaluate(state, positions[part])

        return in_parts(evaluate, len(positions), at_once)

    @torch.inference_mode()
    def _evaluate(self, state: State, positions: Rows) -> tuple[Tensor, Tensor]:
        inputs = Inputs.of(encode(state, positions), self._device)
        low = self._precision != torch.float32
        with torch.autocast(self._device.type, self._precision, enabled=low):
            logits, outcome = self._network(inputs, self._prepared)
        return logits, torch.softmax(outcome.float(), 1)


def in_parts(
    evaluate: Callable[[Rows], tuple[Tensor, Tensor]], number: int, at_once: int
) -> Evaluation:
    """Logits and chances of `number` positions, evaluated in parts of about `at_once`.

    Raises:
        ValueError: the chances are not finite.
    """
    parts = np.array_split(np.arange(number), max(1, (number + at_once - 1) // at_once))
    logits, chances = zip(*[evaluate(part) for part in parts], strict=True)
    result = (
        torch.cat(logits).float().cpu().numpy(),
        torch.cat(chances).float().cpu().numpy(),
    )
    if not np.isfinite(result[1]).all():
        raise ValueError(
            "the network's values are not finite: its training has diverged; go on from an earlier "
            "checkpoint, with a lower learner.rate"
        )
    return result
