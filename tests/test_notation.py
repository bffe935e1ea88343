"""Addresses and drawings, written and read back."""

import numpy as np
import pytest

from rstt_env import UNDECIDED, Positions, positions_from_moves
from rstt_env.notation import address, parse_address, parse_square, square_address
from tests.conftest import DEPTHS
from tests.test_positions import same

START = """\
X to move anywhere

  * * * | * * * | * * *
  * * * | * * * | * * *
  * * * | * * * | * * *
  ------+-------+------
  * * * | * * * | * * *
  * * * | * * * | * * *
  * * * | * * * | * * *
  ------+-------+------
  * * * | * * * | * * *
  * * * | * * * | * * *
  * * * | * * * | * * *"""


def test_addresses_name_squares_and_boards():
    assert square_address(2, 36) == "5.1"
    assert square_address(3, 8) == "1.1.9"
    assert address(0) == "root"
    assert address(5) == "5"
    assert [parse_square(2, square_address(2, s)) for s in range(81)] == list(range(81))
    for wrong in ("", "5.", "0.1", "5.10", "a", "5,1"):
        with pytest.raises(ValueError, match="is no address"):
            parse_address(wrong)
    with pytest.raises(ValueError, match="it has 2 digits"):
        parse_square(2, "5.1.1")


def test_the_start_is_drawn_as_people_see_it():
    assert str(Positions(2)) == START
    assert str(Positions(1)).splitlines()[2:] == ["  * * *"] * 3


def test_a_move_is_drawn_with_focus_and_last_square():
    drawing = str(positions_from_moves(2, [[8]]))
    assert drawing.startswith("O to move in 9 after 1.9\n")
    assert drawing.splitlines()[4] == "  . . X | . . . | . . ."
    assert drawing.splitlines()[-1] == "  . . . | . . . | * * *"


@pytest.mark.parametrize("depth", DEPTHS)
def test_drawings_are_read_back_throughout_whole_games(depth):
    positions = Positions(depth)
    rng = np.random.default_rng(depth)
    every = max(1, 9**depth // 40)
    for ply in range(9**depth):
        over = positions.outcome[0] != UNDECIDED
        if over or ply % every == 0:
            assert same(Positions.from_drawing(str(positions)), positions)
        if over:
            break
        positions.play(positions.random_squares(int(rng.integers(2**62))))


def test_a_position_in_the_middle_of_a_move_is_read_back():
    positions = Positions(3)
    positions.choose([4])
    assert str(positions).startswith("X to move in 5\n")
    assert same(Positions.from_drawing(str(positions)), positions)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ("", "side 3, 9, 27 or 81"),
        (START.replace("anywhere", "somewhere"), "must begin with a line such as"),
        (START.replace("X to", "O to"), "its squares say 'X to move anywhere'"),
        (START.replace("*", "X", 2), "there are 2 X and 0 O"),
        (START.replace("*", "Z", 1), "holds 'Z'"),
        (START.replace("*", "x", 1), "square 1.1 is drawn as 'x', but it is '\\*'"),
        (START[:-30], "side 3, 9, 27 or 81"),
        (START.replace("anywhere", "in 5.1"), "no open board there"),
        (START.replace("anywhere", "anywhere after 9.9.9"), "it has 2 digits"),
        ("X wins\n\nX X X\nO O .\nO . .", "X has won, but O moved last"),
        ("O to move anywhere after 2\n\nX . .\n. . .\n. . .", "which X has not marked"),
        (str(positions_from_moves(2, [[8]])).replace("in 9", "in 7"), "1.9 sends to 9, not to 7"),
        (
            str(positions_from_moves(2, [[8]])).replace("in 9", "anywhere"),
            "sends to 9, not to root",
        ),
        ("O to move anywhere\n\nX X X\nO O O\n. . .", "both players have three in a row"),
        ("X to move anywhere\n\nX X X\nO O .\n. . .", "squares say 'X wins'"),
    ],
)
def test_false_drawings_are_refused(drawing, message):
    with pytest.raises(ValueError, match=message):
        Positions.from_drawing(drawing)
