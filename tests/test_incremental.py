"""The incremental evaluator against its slow twin, the whole network."""

import numpy as np
import pytest
import torch

from agents.alphazero import changes
from agents.alphazero.evaluator import NetworkEvaluator
from agents.alphazero.evaluators import make_evaluator
from agents.alphazero.incremental import IncrementalEvaluator
from agents.alphazero.networks.recursive import RecursiveNetwork
from agents.search.gumbel import GumbelRules
from agents.search.search import search
from rstt_env import UNDECIDED, Positions, tree
from tests.conftest import DEPTHS
from tests.test_network import CPU, small_network, some_positions

GAMES = 12


def lively_network():
    """Weights large enough that every part shows in the output."""
    network = small_network()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.2 * torch.randn(weight.shape, generator=generator)
    return network


def step(positions, rng):
    """A random move, or a single choice of it, in every game that goes on."""
    going = np.flatnonzero(positions.outcome == UNDECIDED)
    if rng.random() < 0.3:
        legal = positions.legal_children[going]
        positions.choose((rng.random(legal.shape) * legal).argmax(axis=1), going)
    else:
        seeds = rng.integers(2**60, size=len(positions))
        positions.play(positions.random_squares(seeds)[going], going)


@pytest.mark.parametrize("depth", DEPTHS)
def test_it_says_what_the_whole_network_says_through_whole_games(depth):
    """At roots and up to four choices on; games that end begin anew under its feet."""
    network, rng = lively_network(), np.random.default_rng(0)
    slow, fast = NetworkEvaluator(network, CPU), IncrementalEvaluator(network)
    roots = Positions(depth, GAMES)
    seen, largest = 0, 0.0
    for _ in range({1: 12, 2: 90, 3: 120, 4: 60}[depth]):
        fast.plant(roots.state)
        leaves = roots.copy()
        for _ in range(4):
            going = np.flatnonzero(leaves.outcome == UNDECIDED)
            if not len(going):
                break
            logits, values = slow.evaluate(leaves.state, going)
            own_logits, own_values = fast.evaluate(leaves.state, going, going)
            legal = leaves.legal_children[going]
            np.testing.assert_allclose(own_logits[legal], logits[legal], atol=1e-4)
            np.testing.assert_allclose(own_values, values, atol=1e-4)
            seen, largest = seen + len(going), max(largest, np.abs(logits[legal]).max())
            step(leaves, rng)
        for _ in range({1: 1, 2: 1, 3: 5, 4: 70}[depth]):
            step(roots, rng)
        roots.reset(np.flatnonzero(roots.outcome != UNDECIDED))
    assert seen > 300
    assert largest > 0.5


def test_new_weights_other_games_and_another_number_of_them_are_seen():
    network = lively_network()
    slow, fast = NetworkEvaluator(network, CPU), IncrementalEvaluator(network)

    def compare(positions):
        rows = np.arange(len(positions))
        fast.plant(positions.state)
        logits, _ = slow.evaluate(positions.state, rows)
        own, _ = fast.evaluate(positions.state, rows, rows)
        legal = positions.legal_children
        np.testing.assert_allclose(own[legal], logits[legal], atol=1e-4)

    positions = some_positions(2)
    compare(positions)
    compare(positions[::-1])
    compare(positions[:5])
    compare(positions[3:])
    compare(some_positions(3))
    with torch.no_grad():
        network.square.weight += 1.0
        network.combine[0].bias += 1.0
    for evaluator in (slow, fast):
        evaluator.refresh()
    compare(positions)


def test_many_changes_at_once_are_all_seen():
    """Leaves a whole game away from their roots: more changes than there was room for."""
    network, rng = lively_network(), np.random.default_rng(1)
    slow, fast = NetworkEvaluator(network, CPU), IncrementalEvaluator(network)
    depth = DEPTHS[-1]
    roots, leaves = Positions(depth, 2), Positions(depth, 2)
    for _ in range(30 if depth == 2 else 400):
        leaves.play(leaves.random_squares(rng.integers(2**60, size=2)))
    rows = np.arange(2)
    fast.plant(roots.state)
    logits, _ = slow.evaluate(leaves.state, rows)
    own, _ = fast.evaluate(leaves.state, rows, rows)
    legal = leaves.legal_children
    np.testing.assert_allclose(own[legal], logits[legal], atol=1e-4)


@pytest.mark.parametrize("depth", DEPTHS)
def test_every_deepest_board_that_has_changed_is_found(depth):
    """Against a comparison of all of them, for leaves near their roots and far away."""
    rng, first, number = np.random.default_rng(depth), tree.num_boards(depth - 1), 0
    for plies in (1, 3, 4 ** (depth + 1)):
        roots = Positions(depth, GAMES)
        for _ in range({1: 2, 2: 20, 3: 150, 4: 300}[depth]):
            step(roots, rng)
        roots.reset(np.flatnonzero(roots.outcome != UNDECIDED))
        leaves = roots.copy()
        for _ in range(plies):
            step(leaves, rng)
        going = np.flatnonzero(leaves.outcome == UNDECIDED)
        movers = leaves.to_play[going].astype(np.int64)
        rows, opens = [], []
        for positions in (roots, leaves):
            rows.append(np.full((2, GAMES, 9 ** (depth - 1)), -1, np.int32))
            opens.append(np.zeros((GAMES, tree.num_boards(depth)), np.uint16))
            changed = np.zeros(opens[-1].shape, np.bool_)
            changes.update_roots(depth * (0,), positions.state.boards, rows[-1], opens[-1], changed)
        found = [np.empty(10_000, np.int64) for _ in range(4)]
        size = changes.find_changes(
            depth * (0,), leaves.state.boards, movers, going, going, rows[0], opens[0], *found
        )
        before, after = rows[0][movers, going], rows[1][movers, going]
        leaf, board = np.nonzero(before != after)
        wanted = leaf, board + first, before[leaf, board], after[leaf, board]
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(ours[:size], theirs)
        number += size
    assert number > 4


def test_searches_choose_alike():
    network, positions = lively_network(), some_positions(2)
    seeds = np.arange(len(positions), dtype=np.uint64)
    digits = [
        search(positions, evaluator, GumbelRules(), 32, seeds, explore=True).digit
        for evaluator in (NetworkEvaluator(network, CPU), IncrementalEvaluator(network))
    ]
    assert (digits[0] == digits[1]).mean() >= 0.99


def test_each_network_gets_the_evaluator_that_suits_it():
    assert isinstance(make_evaluator(small_network(), CPU), IncrementalEvaluator)
    assert isinstance(make_evaluator(small_network("resnet"), CPU), NetworkEvaluator)

    class Mine(RecursiveNetwork):
        """What it computes is its own affair."""

    assert isinstance(make_evaluator(Mine(2, 8, 16, 8, 1), CPU), NetworkEvaluator)


@pytest.mark.parametrize("depth", DEPTHS)
def test_low_precision_says_nearly_the_same(depth):
    network, positions = lively_network(), some_positions(depth)
    rows, legal = np.arange(len(positions)), positions.legal_children
    policies, values = [], []
    for precision in (torch.float32, torch.bfloat16):
        evaluator = make_evaluator(network, CPU, precision)
        evaluator.plant(positions.state)
        logits, value = evaluator.evaluate(positions.state, rows, rows)
        shares = np.where(legal, np.exp(logits - logits.max(axis=1, keepdims=True)), 0)
        policies.append(shares / shares.sum(axis=1, keepdims=True))
        values.append(value)
    assert np.abs(policies[0] - policies[1]).max() < 0.05
    assert np.abs(values[0] - values[1]).mean() < 0.01
    assert not np.array_equal(values[0], values[1])
