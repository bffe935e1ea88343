"""The facts of the game that every correct engine reproduces."""

import zlib

import numpy as np
import pytest

from rstt_env import DRAW, UNDECIDED, O, Positions, X, positions_from_moves, transform
from rstt_env.notation import address
from rstt_env.outcome import NAMES
from tests.conftest import DEPTHS, JIT
from tests.vectors import ENDGAMES, GAMES

PERFT = {1: [9, 72, 504, 3024, 15120, 54720], 2: [81, 720, 6336], 3: [729], 4: [6561]}
if JIT:
    PERFT = {**PERFT, 2: [81, 720, 6336, 55080, 473256], 3: [729, 6552, 58824], 4: [6561, 59040]}


@pytest.mark.parametrize("depth", PERFT)
def test_perft_counts_the_move_sequences(depth):
    positions = Positions(depth)
    counts = []
    for ply in range(len(PERFT[depth])):
        counts.append(int(positions.num_legal.sum()))
        if ply + 1 < len(PERFT[depth]):
            games, squares = np.nonzero(positions.legal)
            positions = positions[games]
            positions.play(squares)
    assert counts == PERFT[depth]


@pytest.mark.parametrize("depth", DEPTHS)
def test_reference_games_are_reproduced_ply_by_ply(depth):
    games = [game for game in GAMES if game["depth"] == depth]
    if not JIT:
        games = games[:8]
    assert games
    for game in games:
        positions = Positions(depth)
        for ply, square in enumerate(game["moves"]):
            legal = np.flatnonzero(positions.legal[0])
            assert len(legal) == positions.num_legal[0] == game["legal_count"][ply]
            assert zlib.crc32(",".join(map(str, legal)).encode()) == game["legal_crc32"][ply]
            forced = ".".join(str(digit + 1) for digit in game["forced"][ply]) or "root"
            assert address(int(positions.focus[0])) == forced
            positions.play([square])
        assert NAMES[int(positions.outcome[0])] == game["result"]
        decided = {
            "root" if board == 0 else ".".join(str(int(d) - 1) for d in address(board).split("."))
            for board in np.flatnonzero(positions.owners[0] != UNDECIDED)
        }
        if game["boards"]:
            for place, owner in game["boards"].items():
                name = (
                    place
                    if place == "root"
                    else ".".join(str(int(d) + 1) for d in place.split("."))
                )
                assert NAMES[int(positions.owner(name)[0])] == owner
            assert decided == set(game["boards"])


@pytest.mark.jit
@pytest.mark.parametrize(
    ("depth", "repeats", "shares", "length"),
    [
        (1, 400_000, (0.585, 0.288, 0.127), 7.63),
        # 3 million playouts, and 100,000 games of the twin, gave 41.1 / 36.6 / 22.2 %
        (2, 400_000, (0.4115, 0.366, 0.2225), 58.9),
        (3, 20_000, None, 504.7),
        (4, 1_000, None, 4_490),
    ],
)
def test_uniform_random_play_has_its_known_results(depth, repeats, shares, length):
    result = Positions(depth).playouts(seeds=1, repeats=repeats)
    assert result.tally.sum() == repeats
    assert result.plies[0] / repeats == pytest.approx(length, rel=0.002)
    if shares:
        assert result.tally[0] / repeats == pytest.approx(shares, abs=0.003)


@pytest.mark.parametrize(
    ("depth", "distinct"), list(zip((1, 2, 3, 4), (3, 15, 105, 861), strict=True))
)
def test_first_squares_fall_into_classes_under_the_symmetries(depth, distinct):
    squares = np.arange(9**depth)
    policy = np.tile(squares, (8, 1))
    _, images = transform(Positions(depth, 8), np.arange(8), policy)
    assert len(np.unique(images.min(axis=0))) == distinct


def test_solved_endgames_have_the_legal_squares_that_were_solved():
    for endgame in ENDGAMES:
        positions = positions_from_moves(endgame["depth"], [endgame["moves"]])
        assert np.flatnonzero(positions.legal[0]).tolist() == sorted(map(int, endgame["values"]))
        positions.play(endgame["best"])  # a win ends the game or goes on; both are legal


def test_a_drawn_board_is_closed_at_once_and_relaxes_the_focus():
    positions = Positions.from_drawing("""
    X to move in 1 after 4.1

      X O X | O . . | . . .
      X O O | . . . | . . .
      O X * | . . . | . . .
      ------+-------+------
      O . . | . . . | X . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | . X .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    positions.play([8])  # 1.9: nine marks, no line
    assert positions.owner("1")[0] == DRAW
    assert positions.focus[0] == 9
    positions.play([72])  # 9.1 sends to the drawn board: anywhere but there
    assert positions.focus[0] == 0
    assert not positions.legal[0, :9].any()
    assert positions.num_legal[0] == 81 - 9 - 5
    assert positions.outcome[0] == UNDECIDED


def test_winning_a_small_board_does_not_end_the_game():
    positions = Positions.from_drawing("""
    X to move in 1 after 3.1

      X X * | O . . | O . .
      * * * | . . . | . . .
      * * * | . . . | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    positions.play([2])
    assert positions.owner("1")[0] == X
    assert positions.outcome[0] == UNDECIDED
    assert not positions.legal[0, :9].any()
    positions.play([18 + 8])  # 3.9
    positions.play([72])  # 9.1 sends to the won board: anywhere but there
    assert positions.focus[0] == 0
    assert not positions.legal[0, :9].any()
    assert positions.num_legal[0] == 81 - 9 - 4


def test_a_full_root_without_a_line_is_drawn():
    positions = positions_from_moves(1, [[0, 1, 2, 4, 3, 5, 7, 6, 8]])
    assert positions.outcome[0] == DRAW
    assert not positions.legal.any()
    assert not positions.legal_children.any()
    assert positions.focus[0] == 0


def test_the_last_square_can_still_win():
    positions = positions_from_moves(1, [[0, 1, 2, 3, 4, 5, 7, 6, 8]])
    assert positions.outcome[0] == X
    assert positions.to_play[0] == O


@pytest.mark.parametrize("depth", DEPTHS)
def test_open_counts_agree_with_the_legal_squares_of_whole_games(depth):
    positions = Positions(depth, 2)
    rng = np.random.default_rng(depth)
    for _ in range(9**depth):
        assert (positions.num_legal == positions.legal.sum(axis=1)).all()
        going_on = np.flatnonzero(positions.outcome == UNDECIDED)
        if not len(going_on):
            break
        squares = positions.random_squares(rng.integers(2**62, size=2))
        positions.play(squares[going_on], going_on)
    assert (positions.outcome != UNDECIDED).all()
    assert (positions.num_legal == 0).all()
