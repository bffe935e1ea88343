"""Observations hold all that decides the future, from one side."""

import numpy as np
import pytest

from rstt_env import UNDECIDED, O, Positions, X, positions_from_moves
from rstt_env.tree import digits_of, pixels
from tests.conftest import DEPTHS
from tests.test_positions import advanced


def naive_planes(positions, viewer):
    """The documented planes, built with plain loops from the public answers alone."""
    depth, side = positions.depth, 3**positions.depth
    planes = np.zeros((4 + 3 * (depth - 1), side, side), np.int8)
    owners, focus = positions.owners[0], int(positions.focus[0])
    deepest = positions.state.boards[0, -(9 ** (depth - 1)) :]
    for square in range(9**depth):
        digits = digits_of((9**depth - 1) // 8 + square)
        row = sum(digit // 3 * 3 ** (depth - 1 - i) for i, digit in enumerate(digits))
        column = sum(digit % 3 * 3 ** (depth - 1 - i) for i, digit in enumerate(digits))
        cell = planes[:, row, column]
        cell[0] = deepest[square // 9, viewer] >> square % 9 & 1
        cell[1] = deepest[square // 9, 1 - viewer] >> square % 9 & 1
        cell[2] = positions.legal[0, square]
        node, nodes = 0, [0]
        for digit in digits[:-1]:
            node = 9 * node + 1 + digit
            nodes.append(node)
        cell[3] = focus in nodes
        for level in range(1, depth):
            owner = owners[nodes[level]]
            cell[1 + 3 * level : 4 + 3 * level] = [owner == viewer, owner == 1 - viewer, owner == 2]
    return planes


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_planes_agree_with_plain_loops(depth, share):
    positions = advanced(depth, 1, int(share * 9**depth), seed=depth)
    for viewer in (X, O):
        assert (positions.observation(viewer)[0] == naive_planes(positions, viewer)).all()
    mover = int(positions.to_play[0])
    assert (positions.observation() == positions.observation(mover)).all()


def test_pixels_lie_as_the_game_is_drawn():
    assert pixels(1).tolist() == list(range(9))
    # the last square of board 1 lies in row 2, column 2; the first of board 2 in row 0, column 3
    assert pixels(2)[8] == 2 * 9 + 2
    assert pixels(2)[9] == 3


def test_positions_that_differ_in_the_focus_alone_look_different():
    one, other = Positions(3), Positions(3)
    other.choose([4])
    deeper = other.copy()
    deeper.choose([4])
    views = {p.observation().tobytes() for p in (one, other, deeper)}
    assert len(views) == 3


def test_a_focus_whose_only_open_child_is_the_focus_looks_different():
    """The legal squares are the same, but the choice to be made isn't."""
    drawing = str(advanced(2, 1, 0))
    whole = Positions.from_drawing(drawing)
    boards = whole.state.boards
    boards[0, 0, 2] = 0b111_101_111  # as if all children but board 5 were decided
    narrow = whole.copy()
    narrow.choose([4])
    assert (whole.legal == narrow.legal).all()
    assert (whole.observation() != narrow.observation()).any()


def test_a_finished_game_shows_nothing_legal():
    positions = positions_from_moves(1, [[0, 3, 1, 4, 2]])
    assert positions.outcome[0] != UNDECIDED
    assert not positions.observation()[0, 2].any()


def test_observations_are_copies():
    positions = advanced(2, 2, 5)
    first = positions.observation()
    kept = first.copy()
    positions.play(positions.random_squares(0))
    assert (first == kept).all()
