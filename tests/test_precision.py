"""What bfloat16 and incremental evaluation change for a network that has learnt."""

import numpy as np
import pytest
import torch

from agents.alphazero.checkpoint import load_network
from agents.alphazero.evaluator import NetworkEvaluator
from agents.alphazero.evaluators import make_evaluator
from agents.search.gumbel import GumbelRules
from agents.search.search import search
from rstt_env import UNDECIDED, Positions
from tests import runs
from tests.conftest import DEPTHS

CPU = torch.device("cpu")
POSITIONS = 10_000
SEARCHED = {1: 10_000, 2: 10_000, 3: 10_000, 4: 2_000}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A checkpoint of the first 60,000 positions at depth 2."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    runs.train(runs.compose(
        f"output={folder}", "budget.minutes=null", "budget.positions=60_000", "selfplay.games=128",
        "evaluation.opponents=[random]", "evaluation.final_games=2", tiny=False,
    ))  # fmt: skip
    return folder


def positions_of_games(depth, number):
    """Positions at random plies of random games."""
    rng, found = np.random.default_rng(depth), []
    while sum(map(len, found)) < number:
        batch = Positions(depth, 1_000)
        plies = rng.integers(0, {1: 6, 2: 50, 3: 400, 4: 3_500}[depth], len(batch))
        for ply in range(plies.max()):
            going = np.flatnonzero((batch.outcome == UNDECIDED) & (plies > ply))
            batch.play(batch.random_squares(rng.integers(2**60, size=len(batch)))[going], going)
        found.append(batch[np.flatnonzero(batch.outcome == UNDECIDED)])
    return found


def opinion(evaluator, positions, searched):
    """The policies and values of positions, and what 32 simulations choose in some of them."""
    rows, legal = np.arange(len(positions)), positions.legal_children
    evaluator.plant(positions.state)
    logits, values = evaluator.evaluate(positions.state, rows, rows)
    shares = np.where(legal, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
    some = positions[np.arange(min(searched, len(positions)))]
    seeds = np.zeros(len(some), np.uint64)
    result = search(some, evaluator, GumbelRules(), 32, seeds, explore=False)
    return shares / shares.sum(axis=1, keepdims=True), values, result.digit


@pytest.mark.slow
@pytest.mark.parametrize("depth", DEPTHS)
def test_the_fast_evaluations_of_a_trained_network_agree_with_the_whole_one(trained, depth):
    _, network = load_network(trained, depth)
    evaluators = [
        NetworkEvaluator(network, CPU),
        make_evaluator(network, CPU),
        make_evaluator(network, CPU, torch.bfloat16),
    ]
    batches = positions_of_games(depth, POSITIONS)
    searched = SEARCHED[depth] // len(batches)
    whole, fast, low = (
        [
            np.concatenate(parts)
            for parts in zip(*[opinion(e, batch, searched) for batch in batches], strict=True)
        ]
        for e in evaluators
    )
    divergence = whole[0] * np.log(np.maximum(whole[0], 1e-12) / np.maximum(low[0], 1e-12))
    figures = {
        "positions": len(whole[1]),
        "of them searched": len(whole[2]),
        "same move with 32 simulations, incremental": (whole[2] == fast[2]).mean(),
        "same move with 32 simulations, bfloat16": (whole[2] == low[2]).mean(),
        "largest difference in value, incremental": np.abs(whole[1] - fast[1]).max(),
        "same first choice, bfloat16": (whole[0].argmax(1) == low[0].argmax(1)).mean(),
        "divergence of the policies, bfloat16": divergence.sum(axis=1).mean(),
        "mean difference in value, bfloat16": np.abs(whole[1] - low[1]).mean(),
    }
    print(f"\ndepth {depth}:", *(f"{name}: {figure:.5g}" for name, figure in figures.items()),
          sep="\n  ")  # fmt: skip
    assert figures["same move with 32 simulations, incremental"] >= 0.99
    assert figures["largest difference in value, incremental"] < 1e-4
    assert figures["same first choice, bfloat16"] >= 0.99
    assert figures["divergence of the policies, bfloat16"] <= 0.002
    assert figures["mean difference in value, bfloat16"] <= 0.01
