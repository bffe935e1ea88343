"""Analysis in a browser: values, variations, what is proven."""

import re

import pytest

from rstt_env import positions_from_moves
from rstt_env.notation import parse_square
from tests.pages import UNCOUNTED, games_of, position_fragment, record_of

pytestmark = pytest.mark.jit

TORCH = 240_000  # ms, for its first import and for kernels that have to be compiled


def test_analysis_shows_value_variation_and_graph(visit, weights):
    moves = games_of(2, "X")[0]["moves"]
    board, plies = visit(), 30
    page = board.page
    board.begin()
    board.load(record_of(moves))
    page.fill("#plies", str(plies))
    page.fill("#analysis-spec", f"az:{weights}:16")
    page.locator("#analysis-spec").blur()
    board.press("a")
    assert page.is_checked("#analysis-on")
    facts = re.compile(r"^value [+−]?\d\.\d\d for X \(to move\) · 16 simulations · [\d.]+ s$")
    board.shows("#analysis-facts", facts, timeout=TORCH)
    chances = re.fullmatch(r"X (\d+) % · draw (\d+) % · O (\d+) %", board.text("#value-text"))
    assert sum(map(int, chances.groups())) == 100
    assert page.get_attribute("#value-bar", "aria-label") == chances[0]
    parts = page.locator("#value-bar span").evaluate_all(
        "all => all.map((part) => Number(part.style.flexGrow))"
    )
    assert [100 * part for part in parts] == pytest.approx(list(map(int, chances.groups())), abs=1)

    line = [parse_square(2, text) for text in page.locator("#variation button").all_inner_texts()]
    assert line
    positions_from_moves(2, [moves[:plies] + line])
    page.click("#variation [data-step='1']")
    board.wait(plies + 1, "replay")
    assert board.status == f"Variation: 1 of {len(line)} moves after ply {plies}"
    for key, step in ((".", min(2, len(line))), (",", min(2, len(line)) - 1)):
        board.press(key)
        board.wait(plies + step)
    board.press("Escape")
    board.wait(plies, "replay")

    page.click("#analyse-game")
    ends = len(moves)
    page.wait_for_selector("#graph-progress", state="hidden")
    curve = page.get_attribute("#graph .curve", "d")
    assert len(re.findall(r"[ML]", curve)) == ends + 1
    assert curve.endswith("100.000 -1.000")
    box = page.locator("#graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 10 / ends, box["y"] + box["height"] / 2)
    board.wait(10, "replay")


@pytest.mark.parametrize(("spec", "unit"), [("uct:2000:solver", ""), ("alphabeta:9", " nodes")])
def test_what_is_proven_is_certain(visit, spec, unit):
    board = visit(position_fragment(1, [0, 3, 1, 4]))
    board.wait(4, "replay")
    board.page.fill("#analysis-spec", spec)
    board.page.check("#analysis-on")
    board.shows("#value-text", "X 100 % · draw 0 % · O 0 %")
    board.shows(
        "#analysis-facts", re.compile(rf"^value \+1\.00 for X \(to move\) · proven.*{unit}")
    )
    board.page.click("#previous")
    board.shows("#analysis-facts", re.compile("^value .* for O \\(to move\\)"))


def test_analysis_says_what_it_cannot_tell(visit):
    board = visit(position_fragment(1, [4]))
    board.wait(1, "replay")
    board.page.check("#analysis-on")
    for spec, text in [("nobody:3", "no agent"), ("random", "random has no opinion on positions")]:
        board.page.fill("#analysis-spec", spec)
        board.page.locator("#analysis-spec").blur()
        board.shows("#value-text", text)
        assert board.page.is_checked("#analysis-on")


def test_analysis_is_drawn_on_the_board_and_costs_the_points(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    assert "10 points" in board.text("#ranking")
    assert board.text("#analysis-note") == "With analysis, this match won’t count."
    board.page.mouse.move(0, 0)
    plain = board.picture
    board.page.fill("#analysis-spec", "uct:500")
    board.page.check("#analysis-on")
    board.shows("#analysis-facts", re.compile(r"500 simulations · [\d.]+ s$"))
    drawn = board.picture
    assert drawn != plain
    board.page.uncheck("#overlay-on")
    assert board.picture == plain
    board.page.check("#overlay-on")
    assert board.picture == drawn
    board.shows("#ranking", UNCOUNTED)
    assert not board.page.is_visible("#analysis-note")
    board.press("a")
    assert board.picture == plain
