"""Processes that search: they find what one process finds, and die with a clear word."""

import os
import signal
import subprocess
import sys
from unittest.mock import Mock

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


def test_what_goes_wrong_in_another_process_is_said_here_and_then_forgotten(both):
    network, alone, two = both
    kept = {name: weight.clone() for name, weight in network.state_dict().items()}
    for weight in network.parameters():
        weight.data.fill_(float("nan"))
    other, right = two._others[0], ask(alone, 3)
    other.ask({name: weight.detach().numpy() for name, weight in network.state_dict().items()})
    other.answer()
    with pytest.raises(ValueError, match="not finite") as caught:
        ask(two, 3)
    assert "in _serve" in caught.value.__notes__[0]
    network.load_state_dict(kept)
    two.refresh()
    assert_alike(ask(two, 3), right)


def test_after_a_search_that_was_broken_off_the_next_one_is_right(both, monkeypatch):
    _, alone, two = both
    with monkeypatch.context() as patch:
        patch.setattr(two._local, "search", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ask(two, 3)
    assert_alike(ask(two, 5), ask(alone, 5))


def test_a_process_that_was_killed_is_reported():
    two = searchers(small_network(), 2)
    ask(two, 3)
    os.kill(two._others[0]._process.pid, signal.SIGKILL)
    with pytest.raises(OSError, match="ended with status -9"):
        ask(two, 3)


PROGRAM = """
import tempfile

folder = tempfile.TemporaryDirectory()  # cleans up at exit, as something of ours does

from tests.test_searchers import *

if {guard}:
    two = searchers(small_network(), 2)
    ask(two, 3)
    print(two._others[0]._process.pid)
"""


def program(tmp_path, guard):
    """A program with searchers that nobody closes."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(guard=guard))
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    return subprocess.run(
        [sys.executable, file], env=environment, capture_output=True, text=True, timeout=100
    )


def test_a_program_ends_though_it_closes_nothing(tmp_path):
    ran = program(tmp_path, "__name__ == '__main__'")
    assert ran.returncode == 0, ran.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)


def test_a_program_that_lacks_the_guard_is_told(tmp_path):
    ran = program(tmp_path, "True")
    assert ran.returncode == 1
    assert "if __name__ == '__main__':" in ran.stderr
    assert "ended with status 1: its own words are above" in ran.stderr


@pytest.mark.parametrize("closed", [True, False])
def test_processes_end_with_their_searchers(closed):
    two = searchers(small_network(), 2)
    process = two._others[0]._process
    if closed:
        two.close()
    else:
        del two
    process.join(10)
    assert process.exitcode == 0


def test_a_network_that_one_process_evaluates_need_not_be_picklable():
    network = small_network("resnet")
    network.mine = lambda: None
    assert len(searchers(network, 2)) == 1


def test_interrupts_and_a_plea_to_end_are_left_to_the_process_that_asked():
    two = searchers(small_network(), 2)
    for number in (signal.SIGINT, signal.SIGTERM):  # while it starts
        os.kill(two._others[0]._process.pid, number)
    assert len(ask(two, 3).digit) == GAMES
