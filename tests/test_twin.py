"""The engine against a twin of the rules that was written independently, with nested objects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rstt_env import UNDECIDED, Positions
from rstt_env.outcome import NAMES
from rstt_env.tree import digits_of, node_of, num_boards
from tests.conftest import DEPTHS
from tests.twins.rules import Game

OWNER = {None: "undecided", "X": "X", "O": "O", "draw": "draw"}


def square_of(depth, address):
    return node_of(list(address)) - num_boards(depth)


def assert_agreement(positions, game, boards):
    depth = game.depth
    legal = sorted(square_of(depth, address) for address in game.legal())
    assert np.flatnonzero(positions.legal[0]).tolist() == legal
    assert positions.num_legal[0] == len(legal)
    assert positions.focus[0] == node_of(list(game.focus))
    assert NAMES[int(positions.outcome[0])] == OWNER[game.result]
    if game.result is None:
        assert NAMES[int(positions.to_play[0])] == game.to_play
    owners = positions.owners[0]
    for board in boards:
        assert NAMES[int(owners[board])] == OWNER[game.root.at(digits_of(board)).owner]


def play_a_game(depth, pick, check_owners_every=1):
    """Play one game in both; `pick(n)` chooses among n legal squares. Returns its plies."""
    positions, game, plies, path = Positions(depth), Game(depth), 0, []
    while True:
        over = positions.outcome[0] != UNDECIDED
        everything = over or plies % check_owners_every == 0
        assert_agreement(positions, game, range(num_boards(depth)) if everything else path)
        if over:
            return plies
        legal = game.legal()
        address = legal[pick(len(legal))]
        positions.play([square_of(depth, address)])
        game.play(address)
        path = [node_of(list(address[:length])) for length in range(depth)]  # what it can change
        plies += 1


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth <= 2])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(choices=st.lists(st.integers(0, 2**16), min_size=81, max_size=81))
def test_engine_and_twin_agree_at_every_ply(depth, choices):
    picks = iter(choices)
    play_a_game(depth, lambda n: next(picks) % n)


@pytest.mark.jit
@pytest.mark.parametrize("depth", [3, 4])
def test_engine_and_twin_agree_at_every_ply_of_deep_games(depth):
    @settings(max_examples={3: 8, 4: 1}[depth], deadline=None, derandomize=True, database=None)
    @given(seed=st.integers(0, 2**32))
    def agree(seed):
        rng = np.random.default_rng(seed)
        play_a_game(depth, lambda n: int(rng.integers(n)), check_owners_every=9**depth // 60)

    agree()


@pytest.mark.parametrize("depth", DEPTHS)
def test_choices_are_moves_taken_digit_by_digit(depth):
    by_square, by_digit = Positions(depth), Positions(depth)
    rng = np.random.default_rng(depth)
    for _ in range(200):
        if by_square.outcome[0] != UNDECIDED:
            break
        square = by_square.random_squares(int(rng.integers(2**62)))
        level = len(digits_of(int(by_digit.focus[0])))
        for digit in digits_of(num_boards(depth) + int(square[0]))[level:]:
            assert by_digit.legal_children[0, digit]
            assert by_digit.to_play == by_square.to_play
            by_digit.choose([digit])
        by_square.play(square)
        for one, other in zip(by_square.state[1:], by_digit.state[1:], strict=True):
            assert (one == other).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("depth", "plies"), [(1, 500_000), (2, 8_000_000), (3, 1_300_000), (4, 200_000)]
)
def test_ten_million_plies_agree(depth, plies):
    rng = np.random.default_rng(100 + depth)
    while plies > 0:
        plies -= play_a_game(
            depth, lambda n: int(rng.integers(n)), check_owners_every=9**depth // 9
        )
