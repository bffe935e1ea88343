"""Make a run's weights part of the package: `python -m experiments.ship --help`"""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console

from agents.alphazero.checkpoint import load_network, save_weights, shipped_file
from experiments import cli
from experiments.schema import ShipConfig

MOST = 4 * 10**6
"""Bytes that shipped weights may take."""


def ship(config: ShipConfig) -> None:
    """Write the newest weights of a run, in half precision, to where `az:NAME:64` finds them."""
    card, network = load_network(Path(config.run))
    numbers = sum(weight.numel() for weight in network.state_dict().values())
    if 2 * numbers > MOST:
        raise ValueError(f"{config.run} has {numbers:,} weights; at most {MOST // 2:,} are shipped")
    path = shipped_file(config.name)
    path.parent.mkdir(exist_ok=True)
    save_weights(path, network, card, torch.float16)
    Console(emoji=False).print(
        f"az:{config.name}:64 is {config.run} now, {card.positions:,} positions, "
        f"{path.stat().st_size:,} bytes",
        soft_wrap=True,
    )


def main() -> None:
    """Run it."""
    cli.run("ship", ship)


if __name__ == "__main__":
    main()
