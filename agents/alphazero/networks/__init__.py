"""Networks: positions in, logits of nine choices and win/draw/loss out."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from agents.alphazero.networks.inputs import Inputs
from agents.alphazero.networks.recursive import RecursiveNetwork
from agents.alphazero.networks.resnet import ResNet


class Network(Protocol):
    """What search and learner ask of a network; it is also a `torch.nn.Module`."""

    def prepare(self) -> Any:
        """What depends on the weights alone, to be handed to `forward`; None if nothing does."""
        ...

    def __call__(self, inputs: Inputs, prepared: Any = None) -> tuple[Tensor, Tensor]:
        """Logits of the nine choices, [n, 9], and of win, draw and loss, [n, 3], for the mover.

        `prepared` is `prepare()` of the same weights; without it, `forward` does it itself.
        Logits of closed children are ignored.
        """
        ...


NETWORKS: dict[str, Callable[..., nn.Module]] = {"recursive": RecursiveNetwork, "resnet": ResNet}
"""Name → class; it is called with the depth and the sizes by name."""


def make_network(name: str, depth: int, sizes: dict[str, Any], seed: int = 0) -> nn.Module:
    """A network with fresh weights, which depend on the seed alone.

    Args:
        name: of `NETWORKS`, or `package.module:Class` for one's own.
        depth: of the games.
        sizes: what else the class takes.
        seed: of the weights.

    Raises:
        ValueError: there is no such network, or it doesn't take these sizes.
    """
    make = NETWORKS.get(name) or _own(name)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            return make(depth=depth, **sizes)
        except (TypeError, RuntimeError, ValueError, ZeroDivisionError) as error:
            raise ValueError(f"network {name!r} with {sizes}: {error}") from None


def _own(name: str) -> Callable[..., nn.Module]:
    module, _, attribute = name.partition(":")
    try:
        make: Callable[..., nn.Module] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"no network is called {name!r} ({error}); there are {', '.join(NETWORKS)}, and "
            "package.module:Class for your own"
        ) from None
    return make
