"""The weights that come with the package: they are small, are found by name, and play."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import make_agent
from agents.alphazero.checkpoint import load_weights, save_weights, shipped, weights_file
from agents.alphazero.networks import make_network
from experiments.schema import ShipConfig
from experiments.ship import MOST, ship
from rstt_env import Positions

SIZES = {"embedding": 8, "hidden": 16, "content_hidden": 8, "head_blocks": 1}


def small():
    """A network that is none of ours, and what it says of itself."""
    card, _ = load_weights(weights_file(Path("depth2")))
    return make_network("recursive", 2, SIZES), replace(card, sizes=SIZES)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_weights_are_found_by_name_and_play(depth, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"depth{depth}"
    assert name in shipped()
    file = weights_file(Path(name))
    assert file.stat().st_size <= MOST
    card, weights = load_weights(file)
    assert depth in card.depths
    assert len(card.commit) >= 12
    assert all(weight.dtype == torch.float32 for weight in weights.values())
    answer = make_agent(f"az:{name}:4", depth).act(Positions(depth))
    assert 0 <= answer.square[0] < 9**depth
    assert np.isfinite(answer.value[0])


def test_what_lies_here_comes_before_what_is_shipped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_weights(tmp_path / "depth2", *small())
    assert load_weights(weights_file(Path("depth2")))[0].sizes == SIZES


def test_a_name_that_is_neither_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"depth9 does not exist.*there are .*depth2"):
        make_agent("az:depth9:64", 2)


def test_shipping_halves_the_precision_and_nothing_else(tmp_path, monkeypatch):
    network, card = small()
    monkeypatch.setattr("agents.alphazero.checkpoint._SHIPPED", tmp_path / "weights")
    save_weights(tmp_path / "net", network, card)
    ship(ShipConfig(str(tmp_path / "net"), "depth3"))
    again, weights = load_weights(tmp_path / "weights" / "depth3.safetensors")
    assert again == card
    for name, weight in network.state_dict().items():
        torch.testing.assert_close(weights[name], weight, atol=1e-4, rtol=1e-3)
    with pytest.raises(ValueError, match="choose one of depth1"):
        ShipConfig("run", "best")
