"""A network as the evaluator of a search."""

from __future__ import annotations

import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.alphazero.encoding import encode
from agents.alphazero.networks.inputs import Inputs
from agents.search.evaluator import Rows, Stateless
from rstt_env.state import State

AT_ONCE = 512
"""Positions in a batch on a CPU: what lies between two layers then stays in its caches."""


class NetworkEvaluator(Stateless):
    """Evaluates with the weights that `network` has now; `refresh` takes over later ones.

    The value is the chance of a win less that of a loss. `evaluations` and `seconds` say how many
    there were and how long they took.
    """

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self._network, self._device = network, device
        self.evaluations, self.seconds = 0, 0.0
        self.refresh()

    @torch.inference_mode()
    def refresh(self) -> None:
        """Prepare what depends on the weights alone."""
        self._network.eval()
        self._prepared = self._network.prepare()  # type: ignore[operator]

    def evaluate(
        self, state: State, games: Rows
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        start = time.perf_counter()
        at_once = AT_ONCE if self._device.type == "cpu" else len(games)
        parts = np.array_split(games, max(1, (len(games) + at_once - 1) // at_once))
        logits, values = zip(*[self._evaluate(state, part) for part in parts], strict=True)
        result = np.concatenate(logits), np.concatenate(values)
        if not np.isfinite(result[1]).all():
            raise ValueError(
                "the network's values are not finite: its training has diverged; go on from an "
                "earlier checkpoint, with a lower learner.rate"
            )
        self.evaluations += len(games)
        self.seconds += time.perf_counter() - start
        return result

    @torch.inference_mode()
    def _evaluate(
        self, state: State, games: Rows
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        inputs = Inputs.of(encode(state, games), self._device)
        logits, outcome = self._network(inputs, self._prepared)
        chances = torch.softmax(outcome, 1)
        return logits.float().cpu().numpy(), (chances[:, 0] - chances[:, 2]).float().cpu().numpy()
