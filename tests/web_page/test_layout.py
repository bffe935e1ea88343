"""The page's own rules, and that it fits every screen."""

import zlib

import pytest

from rstt_env import DRAW, positions_from_moves
from rstt_env.outcome import NAMES
from tests.pages import DESKTOP, PHONE, games_of, position_fragment

pytestmark = pytest.mark.jit


REPLAY = """async ({ games, every }) => {
  const { Position, digitsOf } = await import("/static/position.js");
  const nameOf = (board) => digitsOf(board).join(".") || "root";
  return games.map(({ depth, moves }) => {
    const position = new Position(depth);
    const counts = [], forced = [], legal = {};
    moves.forEach((square, ply) => {
      counts.push(position.numLegal);
      forced.push(digitsOf(position.focus));
      if (ply % every === 0) legal[ply] = position.legalSquares().join();
      position.play(square);
    });
    const boards = {};
    position.owner.forEach((owner, k) => {
      if (owner >= 0) boards[nameOf(k)] = ["X", "O", "draw"][owner];
    });
    return { counts, forced, legal, boards, outcome: position.outcome };
  });
}"""


def replayed(visit, games, every):
    """What the page makes of games; of the legal squares only those of each `every`th ply."""
    asked = [{"depth": game["depth"], "moves": game["moves"]} for game in games]
    found = visit().page.evaluate(REPLAY, {"games": asked, "every": every})
    assert len(found) == len(games) > 0
    return zip(games, found, strict=True)


@pytest.mark.parametrize(("depth", "every"), [(1, 1), (2, 1), (3, 10), (4, 100)])
def test_the_page_reproduces_the_reference_games(visit, depth, every):
    for game, found in replayed(visit, games_of(depth), every):
        assert found["counts"] == game["legal_count"]
        assert found["forced"] == game["forced"]
        for ply, squares in found["legal"].items():
            assert zlib.crc32(squares.encode()) == game["legal_crc32"][int(ply)]
        assert NAMES[found["outcome"]] == game["result"]
        if game["boards"]:
            assert found["boards"] == game["boards"]


def test_for_the_page_three_drawn_boards_in_a_row_are_no_line(visit):
    moves = [
        77, 53, 74, 24, 60, 61, 70, 65, 21, 35, 80, 45, 2, 18, 1, 14, 47, 25, 67, 44, 15, 54, 5, 51,
        59, 48, 30, 33, 57, 29, 20, 19, 17, 11, 22, 42, 55, 16, 69, 56, 26, 28, 12, 32, 36, 4, 38,
        23, 43, 64, 13, 39, 0, 71, 68, 37, 9, 66, 62, 58, 40, 41, 63,
    ]  # fmt: skip
    before = positions_from_moves(2, [moves[:-1]])
    assert [before.owner(name)[0] for name in "357"] == [DRAW, DRAW, DRAW]
    ((_, found),) = replayed(visit, [{"depth": 2, "moves": moves}], 1)
    assert found["legal"][str(len(moves) - 1)] == "63"
    assert found["outcome"] == positions_from_moves(2, [moves]).outcome[0]


@pytest.mark.parametrize(("device", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_nothing_is_wider_than_the_screen(visit, device, scheme):
    board = visit(**device, color_scheme=scheme)
    width = device["viewport"]["width"]
    page = board.page
    page.wait_for_selector("#new-game[open]")
    for depth in (1, 2, 3, 4):
        assert board.width <= width
        moves = games_of(depth)[-1]["moves"][: 4 * 9**depth // 10]
        board.open(position_fragment(depth, moves))
        board.wait(len(moves), "replay")
        page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    assert board.width <= width
    page.goto(f"{page.url.partition('#')[0]}rules")
    assert board.width <= width
