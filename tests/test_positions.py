"""The batch of games: what it refuses, and that games of a batch never mix."""

import pickle
import re

import numpy as np
import pytest

from rstt_env import UNDECIDED, IllegalMoveError, O, Positions, X, kernels, positions_from_moves
from rstt_env.positions import _REASONS
from tests.conftest import DEPTHS


def same(one, other):
    return all((a == b).all() for a, b in zip(one.state[1:], other.state[1:], strict=True))


def advanced(depth, num_games, plies, seed=0):
    """A batch of different games after `plies` random moves each."""
    positions = Positions(depth, num_games)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        going_on = np.flatnonzero(positions.outcome == UNDECIDED)
        squares = positions.random_squares(rng.integers(2**62, size=num_games))
        positions.play(squares[going_on], going_on)
    return positions


ILLEGAL = [
    ([[40], [40, 40]], 1, 40, "occupied"),
    ([[40], [40, 0]], 1, 0, "outside the focus"),
    ([[81]], 0, 81, "no such square"),
    ([[40, 36], [-1]], 1, -1, "no such square"),
]


@pytest.mark.parametrize(("moves", "game", "square", "reason"), ILLEGAL)
def test_an_illegal_move_is_refused_with_game_square_and_reason(moves, game, square, reason):
    with pytest.raises(IllegalMoveError) as error:
        positions_from_moves(2, moves)
    assert (error.value.game, error.value.action) == (game, square)
    assert error.value.reason == reason
    assert re.match(
        rf"ply \d of game {game}: square {square}\b.*{reason}; legal are", str(error.value)
    )


def test_a_square_of_a_decided_board_is_refused_as_such():
    positions = Positions.from_drawing("""
    X to move anywhere after 9.1

      X X X | O . . | O . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | O . .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    with pytest.raises(IllegalMoveError, match=r"square 3 .*board decided"):
        positions.play([3])


def test_a_finished_game_refuses_every_move():
    positions = positions_from_moves(1, [[0, 3, 1, 4, 2]])
    assert positions.outcome[0] == X
    for refused in (positions.play, positions.choose):
        with pytest.raises(IllegalMoveError, match="game over; nothing is legal"):
            refused([5])


def test_one_illegal_move_refuses_the_whole_batch():
    positions = advanced(2, 50, 7)
    before = positions.copy()
    squares = positions.random_squares(5)
    squares[37] = (squares[37] + 9) % 81
    if positions.legal[37, squares[37]]:
        squares[37] = 81
    with pytest.raises(IllegalMoveError, match="game 37"):
        positions.play(squares)
    assert same(positions, before)


@pytest.mark.parametrize(
    ("squares", "games", "message"),
    [
        ([40], None, "1 actions for 3 games"),
        ([1.5, 2, 3], None, "float64"),
        ([[1], [2], [3]], None, "shape"),
        ([40, 41], [0, 0], "the same game twice"),
        ([40], [3], "games 0 to 2"),
        ([True, True, True], None, "bool"),
    ],
)
def test_malformed_arguments_are_refused(squares, games, message):
    positions = Positions(2, 3)
    with pytest.raises(ValueError, match=message):
        positions.play(squares, games)
    assert same(positions, Positions(2, 3))


def test_an_unknown_depth_is_refused():
    for depth in (0, 5, 2.0, 2.5, "2", True, None):
        with pytest.raises(ValueError, match="from 1 to 4"):
            Positions(depth)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Positions(2, 1.5), "num_games is 1.5"),
        (lambda: Positions(2, -1), "num_games is -1"),
        (lambda: Positions(2).playouts(0, -1), "repeats is -1"),
        (lambda: Positions(2, 3).random_squares([1, 2]), "2 seeds for 3 games"),
        (lambda: Positions(2).observation(2), "viewer is 2"),
        (lambda: Positions(2).owner(5), "5 is no address"),
        (lambda: positions_from_moves(2, [40, 36]), "moves of game 0 are 40"),
        (lambda: positions_from_moves(2, [["5.5"]]), "moves of game 0"),
        (lambda: Positions(2).playouts(seeds=1.5), "seeds are an array of float64"),
        (lambda: Positions(2).play(np.array([2**63], np.uint64)), "whole numbers"),
    ],
)
def test_malformed_questions_are_refused(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


def test_an_empty_batch_answers_with_empty_arrays():
    empty = Positions(2, 0)
    assert empty.legal.shape == (0, 81)
    assert empty.observation().shape == (0, 7, 9, 9)
    assert empty.playouts(0).tally.shape == (0, 3)
    assert len(positions_from_moves(2, [])) == 0
    assert len(positions_from_moves(2, [[]])) == 1
    assert len(positions_from_moves(2, (squares for squares in ([40], [])))) == 2


def test_a_digit_that_names_a_closed_child_is_refused():
    positions = positions_from_moves(2, [[40]])
    with pytest.raises(IllegalMoveError, match="digit 4 is illegal: occupied"):
        positions.choose([4])
    with pytest.raises(IllegalMoveError, match="no such digit"):
        positions.choose([9])


@pytest.mark.parametrize("depth", DEPTHS)
def test_any_row_of_any_batch_gives_the_same_answers(depth):
    batch = advanced(depth, 12, 5, seed=3)
    order = np.random.default_rng(0).permutation(12)
    shuffled = batch[order]
    for ask in (
        lambda p: p.random_squares(7),
        lambda p: p.keys,
        lambda p: p.legal,
        lambda p: p.legal_children,
        lambda p: p.observation(),
        lambda p: p.owners,
        lambda p: p.playouts(seeds=7, repeats=3).tally if depth < 4 else p.keys,
    ):
        assert (ask(batch)[order] == ask(shuffled)).all()
        assert (ask(batch)[5] == ask(batch[5])[0]).all()


@pytest.mark.parametrize("depth", DEPTHS)
def test_random_squares_are_legal_and_uniform(depth):
    positions = advanced(depth, 1, 3)
    legal = np.flatnonzero(positions.legal[0])
    many = positions[np.zeros(200 * len(legal), np.int64)] if depth < 3 else positions
    squares = many.random_squares(np.arange(len(many)))
    assert np.isin(squares, legal).all()
    if depth < 3:
        counts = np.bincount(squares, minlength=9**depth)[legal]
        chi_square = ((counts - 200) ** 2 / 200).sum()
        assert chi_square < len(legal) + 5 * np.sqrt(2 * len(legal))


def test_playouts_leave_the_positions_alone_and_count_finished_games():
    positions = positions_from_moves(1, [[], [0, 3, 1, 4, 2]])
    before = positions.copy()
    result = positions.playouts(seeds=0, repeats=10)
    assert same(positions, before)
    assert result.tally[0].sum() == 10
    assert result.tally[1].tolist() == [10, 0, 0]
    assert result.plies[1] == 0
    assert 50 <= result.plies[0] <= 90
    assert (positions.playouts(0, 10).tally == result.tally).all()
    assert (positions.playouts(1, 10).tally[0] != result.tally[0]).any()


def test_games_are_reset_alone_or_together():
    positions = advanced(2, 6, 9)
    before = positions.copy()
    positions.reset([1, 4])
    assert same(positions[[1, 4]], Positions(2, 2))
    assert same(positions[[0, 2, 3, 5]], before[[0, 2, 3, 5]])
    positions.reset()
    assert same(positions, Positions(2, 6))


def test_chosen_games_are_played_and_the_others_stay():
    positions = advanced(2, 6, 9)
    before = positions.copy()
    squares = positions.random_squares(1)
    positions.play(squares[[2, 5]], [2, 5])
    assert (positions.ply == [9, 9, 10, 9, 9, 10]).all()
    assert same(positions[[0, 1, 3, 4]], before[[0, 1, 3, 4]])


@pytest.mark.parametrize("depth", DEPTHS)
def test_copies_and_pickles_are_equal_and_independent(depth):
    positions = advanced(depth, 3, 4)
    for twin in (positions.copy(), pickle.loads(pickle.dumps(positions))):
        assert same(twin, positions)
        twin.play(twin.random_squares(0))
        assert not same(twin, positions)
    error = IllegalMoveError(1, 2, "occupied", "text")
    assert pickle.loads(pickle.dumps(error)).reason == "occupied"


def test_what_is_returned_is_a_copy():
    positions = advanced(2, 2, 4)
    before = positions.copy()
    for array in (positions.focus, positions.to_play, positions.outcome, positions.last_square):
        array[:] = 1
    positions.legal[:] = False
    positions.owners[:] = 1
    assert same(positions, before)


@pytest.mark.parametrize("depth", DEPTHS)
def test_positions_that_differ_have_different_keys_and_equal_ones_equal_keys(depth):
    positions = advanced(depth, 200 if depth > 1 else 5, 4, seed=1)
    facts = {
        (p.state.boards[..., :2].tobytes(), int(p.focus[0]), int(p.to_play[0])) for p in positions
    }
    assert len(set(positions.keys.tolist())) == len(facts)


def test_the_key_holds_focus_and_mover():
    one = Positions(3)
    other = Positions(3)
    other.choose([4])
    assert one.keys != other.keys  # same marks, same mover, other focus
    turned = Positions(3)
    turned.state.to_play[0] = O
    assert one.keys != turned.keys
    # two orders of the same moves, a transposition
    a, b = positions_from_moves(1, [[0, 1, 2], [2, 1, 0]])
    assert a.keys == b.keys


def test_owner_is_asked_by_address():
    positions = positions_from_moves(1, [[0, 3, 1, 4, 2], []])
    assert positions.owner("root").tolist() == [X, UNDECIDED]
    with pytest.raises(ValueError, match="names no board"):
        positions.owner("1")
    with pytest.raises(ValueError, match="is no address"):
        positions.owner("0.1")


def test_every_reason_has_words():
    assert set(_REASONS) == set(range(kernels.LEGAL + 1, kernels.OUTSIDE_FOCUS + 1))
