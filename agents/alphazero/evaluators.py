"""Which evaluators suit a network and a device."""

from __future__ import annotations

import torch
from torch import nn

from agents.alphazero.evaluator import NetworkEvaluator
from agents.alphazero.incremental import IncrementalEvaluator
from agents.alphazero.networks.recursive import RecursiveNetwork
from agents.threads import num_cores

AnyEvaluator = NetworkEvaluator | IncrementalEvaluator


def make_evaluator(
    network: nn.Module,
    device: torch.device,
    precision: torch.dtype = torch.float32,
    threads: int | None = None,
) -> AnyEvaluator:
    """The fastest evaluator of a network that is on `device`; see `IncrementalEvaluator`."""
    if type(network) is RecursiveNetwork and device.type == "cpu":
        return IncrementalEvaluator(network, precision, threads)
    return NetworkEvaluator(network, device, precision)


def make_evaluators(
    network: nn.Module, device: torch.device, precision: torch.dtype, threads: int | None = None
) -> list[AnyEvaluator]:
    """The fastest evaluators for many games, which are to be divided among them.

    One for each of `threads` cores (all by default), if the network is evaluated incrementally:
    what is not a matrix product then runs side by side as well.
    """
    first = make_evaluator(network, device, precision, 1)
    if not isinstance(first, IncrementalEvaluator):
        return [first]
    return [first, *(first.sibling() for _ in range((threads or num_cores()) - 1))]
