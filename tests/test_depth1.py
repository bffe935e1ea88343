"""Classic tic-tac-toe is a draw: an agent that has learnt it never loses, whatever is replied."""

import numpy as np
import pytest

from agents import make_agent
from rstt_env import UNDECIDED, Positions
from rstt_env.outcome import O, X
from tests.runs import compose, train


def losses(agent):
    """How many games the agent loses to all sequences of replies, in both seats."""
    lost = 0
    for seat in (X, O):
        positions = Positions(1)
        while len(positions):
            if positions.to_play[0] == seat:
                positions.play(agent.act(positions).square)
            else:
                rows, squares = np.nonzero(positions.legal)
                positions = positions[rows]
                positions.play(squares)
            lost += int((positions.outcome == 1 - seat).sum())
            positions = positions[np.flatnonzero(positions.outcome == UNDECIDED)]
            _, first = np.unique(positions.keys, return_index=True)
            positions = positions[first]
    return lost


def test_the_check_tells_a_perfect_player_from_others():
    assert losses(make_agent("alphabeta:9", 1)) == 0
    assert losses(make_agent("random", 1)) > 10
    assert losses(make_agent("alphabeta:1", 1)) > 0


@pytest.mark.slow
def test_the_default_run_learns_never_to_lose(tmp_path):
    """Three minutes; with search and with the bare policy alone."""
    train(compose("game=depth1", f"output={tmp_path / 'run'}", tiny=False))
    for simulations in (32, 0):
        assert losses(make_agent(f"az:{tmp_path / 'run'}:{simulations}", 1)) == 0
