"""Which evaluator suits a network and a device."""

from __future__ import annotations

import torch
from torch import nn

from agents.alphazero.evaluator import NetworkEvaluator
from agents.alphazero.incremental import IncrementalEvaluator
from agents.alphazero.networks.recursive import RecursiveNetwork


def make_evaluator(
    network: nn.Module, device: torch.device, precision: torch.dtype = torch.float32
) -> NetworkEvaluator | IncrementalEvaluator:
    """The fastest evaluator of a network that is on `device`."""
    if isinstance(network, RecursiveNetwork) and device.type == "cpu":
        return IncrementalEvaluator(network, precision)
    return NetworkEvaluator(network, device, precision)
