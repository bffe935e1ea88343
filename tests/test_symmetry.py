"""One function turns position, focus, last square and policy together."""

import numpy as np
import pytest

from rstt_env import UNDECIDED, Positions, transform
from rstt_env.tree import SYMMETRIES, permuted_boards, permuted_nodes
from tests.conftest import DEPTHS
from tests.test_positions import advanced, same


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_turned_game_is_the_game_of_the_turned_moves(depth):
    game = Positions(depth, 8)
    turned = Positions(depth, 8)
    symmetries = np.arange(8)
    rng = np.random.default_rng(depth)
    for _ in range(min(9**depth, 120)):
        squares = game.random_squares(int(rng.integers(2**62)))  # the same in all eight
        if game.outcome[0] != UNDECIDED:
            break
        game.play(squares)
        turned.play(permuted_nodes(depth)[symmetries, squares])
        expected = transform(game, symmetries)[0]
        assert same(turned, expected)
        assert (turned.owners[symmetries[:, None], permuted_boards(depth)] == game.owners).all()


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_policy_turns_with_the_legal_squares_and_children(depth):
    positions = advanced(depth, 8, 5, seed=2)
    turned, legal = transform(positions, np.arange(8), positions.legal)
    assert (legal == turned.legal).all()
    turned, children = transform(positions, np.arange(8), positions.legal_children)
    assert (children == turned.legal_children).all()


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
def test_observations_turn_like_pictures(depth):
    positions = advanced(depth, 8, 6, seed=4)
    planes = positions.observation()
    turned = transform(positions, np.arange(8))[0].observation()
    pictures = {
        tuple(np.rot90(base, k).ravel()): (flip, k)
        for flip, base in enumerate((np.arange(9).reshape(3, 3), np.arange(9).reshape(3, 3).T))
        for k in range(4)
    }
    for s, symmetry in enumerate(SYMMETRIES):
        # symmetry[digit] is where a digit goes, its argsort shows which digit comes to a place
        flip, k = pictures[tuple(np.argsort(symmetry))]
        base = planes[s].swapaxes(1, 2) if flip else planes[s]
        assert (np.rot90(base, k, axes=(1, 2)) == turned[s]).all()


def test_symmetries_undo_each_other():
    positions = advanced(2, 8, 11)
    inverse = np.array(
        [int(np.flatnonzero((np.argsort(s) == SYMMETRIES).all(axis=1))[0]) for s in SYMMETRIES]
    )
    there = transform(positions, np.arange(8))[0]
    assert same(transform(there, inverse)[0], positions)
    assert same(transform(positions, 0)[0], positions)


def test_wrong_arguments_are_refused():
    positions = Positions(2, 3)
    with pytest.raises(ValueError, match="there are 0 to 7"):
        transform(positions, 8)
    with pytest.raises(ValueError, match=r"policy has shape \(3, 10\)"):
        transform(positions, 1, np.zeros((3, 10)))
