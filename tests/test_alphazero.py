"""A network as an agent: what it answers, within which budget, and what it refuses."""

import time

import numpy as np
import pytest
import torch

from agents import make_agent
from agents.alphazero.agent import AlphaZeroAgent
from agents.alphazero.checkpoint import Card, load_network, save_weights
from agents.alphazero.encoding import encode
from agents.alphazero.networks import make_network
from agents.alphazero.networks.inputs import Inputs
from agents.budget import Budget
from rstt_env import Positions, positions_from_moves
from tests.test_network import SMALL, some_positions
from tests.vectors import ENDGAMES


def test_the_bare_policy_takes_the_likeliest_open_child(weights):
    positions = some_positions(2)
    confined = positions[np.flatnonzero(positions.focus > 0)]
    answer = make_agent(f"az:{weights}:0", 2).act(confined)
    _, network = load_network(weights)
    inputs = Inputs.of(encode(confined.state, np.arange(len(confined))), torch.device("cpu"))
    logits = network(inputs)[0].detach().numpy()
    best = np.where(confined.legal_children, logits, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(answer.square % 9, best)
    assert (answer.simulations == 0).all()
    assert (answer.visits == 0).all()


def test_a_choice_gets_the_simulations_and_a_forced_one_none(weights):
    agent = make_agent(f"az:{weights}:20", 2)
    answer = agent.act(positions_from_moves(2, [[], [40]]))
    assert answer.simulations.tolist() == [40, 20]  # two choices; one, in board 5
    assert answer.visits.sum(axis=1).tolist() == [20, 20]
    forced = Positions.from_drawing("""
    X to move in 5 after 5.5
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | X O X | . . .
      . . . | X O O | . . .
      . . . | O X * | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    answer = agent.act(forced)
    assert answer.square[0] == 44
    assert answer.simulations[0] == 0


def test_search_with_enough_simulations_solves_what_an_untrained_network_can_t(weights):
    positions = positions_from_moves(2, [endgame["moves"] for endgame in ENDGAMES])
    right = {}
    for simulations in (0, 300):
        answer = make_agent(f"az:{weights}:{simulations}", 2).act(positions)
        right[simulations] = sum(
            int(square) in endgame["best"]
            for square, endgame in zip(answer.square, ENDGAMES, strict=True)
        )
        for row, endgame in enumerate(ENDGAMES):
            if answer.proven[row]:
                assert answer.value[row] == endgame["value"]
    assert right[300] > right[0] + 10


@pytest.mark.jit
def test_a_time_budget_is_kept(weights):
    """For each position by itself: a confined one, and a free one of two choices."""
    agent = make_agent(f"az:{weights}:0.2s", 2, threads=1)
    assert agent.timed
    positions = positions_from_moves(2, [[40], []])
    agent.act(positions)
    start = time.perf_counter()
    answer = agent.act(positions)
    taken = time.perf_counter() - start
    assert taken < 2.0  # a shared machine may stall
    assert (answer.seconds > 0.05).all()
    assert answer.seconds.sum() == pytest.approx(taken, abs=0.1)
    assert (answer.simulations > 5).all()


def test_a_timed_agent_keeps_what_it_knows_of_games_until_they_are_over(weights):
    agent = make_agent(f"az:{weights}:0.01s", 2, threads=1)
    positions = positions_from_moves(2, [[40], [40, 36]])
    for _ in range(3):
        agent.act(positions, [7, 9])
    assert sorted(agent._of_game) == [7, 9]
    agent.reset([7])
    agent.act(positions[[1]])
    assert sorted(agent._of_game) == [9]
    agent.act(positions[np.zeros(80, np.int64)], range(100, 180))
    assert len(agent._of_game) <= 64
    agent.reset()
    assert not agent._of_game


def test_more_cores_give_the_same_answer_and_leave_torch_as_it_was(weights):
    positions, before = some_positions(2), torch.get_num_threads()
    positions = positions[np.arange(100) % len(positions)]
    alone = make_agent(f"az:{weights}:8", 2, threads=1).act(positions)
    divided = make_agent(f"az:{weights}:8", 2, threads=3).act(positions)
    np.testing.assert_array_equal(alone.square, divided.square)
    np.testing.assert_array_equal(alone.simulations, divided.simulations)
    np.testing.assert_allclose(alone.value, divided.value, atol=1e-4)
    assert torch.get_num_threads() == before


def test_playing_changes_no_weight(weights):
    before = weights.read_bytes()
    network = make_network("recursive", 2, SMALL["recursive"])
    copy = {name: weight.clone() for name, weight in network.state_dict().items()}
    AlphaZeroAgent(2, network, Budget(simulations=8)).act(some_positions(2))
    assert all(torch.equal(weight, copy[name]) for name, weight in network.state_dict().items())
    make_agent(f"az:{weights}:8", 2).act(Positions(2))
    assert weights.read_bytes() == before


def test_the_recursive_network_plays_every_depth_and_the_residual_one_its_own(weights, tmp_path):
    for depth in (1, 3):
        assert make_agent(f"az:{weights}:2", depth).act(Positions(depth)).square[0] >= 0
    path = tmp_path / "resnet.safetensors"
    card = Card(2, "resnet", SMALL["resnet"], 0, "none", {})
    save_weights(path, make_network("resnet", 2, SMALL["resnet"]), card)
    assert make_agent(f"az:{path}:2", 2).act(Positions(2)).square[0] >= 0
    with pytest.raises(ValueError, match=r"trained at depth 2\): the weights don't fit"):
        make_agent(f"az:{path}:2", 3)


@pytest.mark.parametrize(("spec", "complaint"), [
    ("az:64", "write az:PATH:64"),
    ("az:nowhere:64", "nowhere does not exist"),
    ("az:{weights}:many", "'many' is no budget"),
    ("az:{folder}:64", "holds no checkpoint"),
    ("az:{text}:64", "is cut or no safetensors file"),
])  # fmt: skip
def test_what_is_no_agent_is_named(weights, tmp_path, spec, complaint):
    (tmp_path / "text").write_text("words")
    spec = spec.format(weights=weights, folder=tmp_path, text=tmp_path / "text")
    with pytest.raises(ValueError, match=complaint):
        make_agent(spec, 2)


def test_low_precision_answers_nearly_the_same(weights):
    plain, low = (
        make_agent(f"az:{weights}:8{option}", 2).act(positions_from_moves(2, [[], [40], [40, 36]]))
        for option in ("", ":bfloat16")
    )
    np.testing.assert_allclose(plain.value, low.value, atol=0.02)
    assert not np.array_equal(plain.value, low.value)
