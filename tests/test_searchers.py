"""Processes that search: they find what one process finds, and die with a clear word."""

import os
import signal

import numpy as np
import pytest
import torch

from agents.alphazero.searchers import Searchers
from agents.search.gumbel import GumbelRules
from rstt_env.positions import Positions
from tests.test_network import small_network

GAMES = 64


def searchers(network, threads):
    return Searchers(
        network, torch.device("cpu"), torch.float32, GumbelRules(), True, GAMES, threads
    )


def positions(plies):
    batch = Positions(2, GAMES)
    for ply in range(plies):
        batch.play(batch.random_squares(np.arange(GAMES) + GAMES * ply))
    return batch


def ask(searchers, plies):
    return searchers.search(positions(plies), np.arange(GAMES, dtype=np.uint64), 8, True)


def assert_alike(ours, theirs):
    np.testing.assert_array_equal(ours.digit, theirs.digit)
    np.testing.assert_array_equal(ours.visits, theirs.visits)
    np.testing.assert_allclose(ours.policy, theirs.policy, atol=1e-4)
    np.testing.assert_allclose(ours.value, theirs.value, atol=1e-4)


@pytest.fixture(scope="module")
def both():
    network = small_network()
    return network, searchers(network, 1), searchers(network, 2)


def test_a_process_for_each_core_but_not_for_few_games(both):
    _, alone, two = both
    assert (len(alone), len(two)) == (1, 2)


def test_two_processes_find_what_one_finds_also_with_new_weights(both):
    network, alone, two = both
    first = ask(alone, 3)
    assert_alike(first, ask(two, 3))
    assert two.evaluations == alone.evaluations > 0
    with torch.no_grad():
        for weight in network.parameters():
            weight.mul_(1.5)
    assert_alike(ask(two, 3), first)  # until they are told
    for one in (alone, two):
        one.refresh()
    later = ask(alone, 5)
    assert_alike(later, ask(two, 5))
    assert np.abs(ask(two, 3).value - first.value).max() > 1e-3


def test_warming_up_counts_nothing():
    one = searchers(small_network(), 1)
    one.warm_up(2)
    assert (one.evaluations, one.seconds) == (0, 0.0)


def test_what_goes_wrong_in_a_process_is_said_here(both):
    network, _, two = both
    kept = {name: weight.clone() for name, weight in network.state_dict().items()}
    for weight in network.parameters():
        weight.data.fill_(float("nan"))
    two.refresh()
    with pytest.raises(ValueError, match="not finite"):
        ask(two, 3)
    network.load_state_dict(kept)


def test_a_process_that_was_killed_is_reported():
    two = searchers(small_network(), 2)
    ask(two, 3)
    os.kill(two._others[0]._process.pid, signal.SIGKILL)
    with pytest.raises(OSError, match="ended with status -9"):
        ask(two, 3)


def test_processes_end_with_their_searchers():
    two = searchers(small_network(), 2)
    process = two._others[0]._process
    del two
    process.join(10)
    assert process.exitcode == 0


def test_interrupts_and_a_plea_to_end_are_left_to_the_process_that_asked():
    two = searchers(small_network(), 2)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(two._others[0]._process.pid, number)
    assert len(ask(two, 3).digit) == GAMES
