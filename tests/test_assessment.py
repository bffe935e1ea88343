"""What a run is measured by: ratings, calibration, endgames; and what is published of it."""

import json

import numpy as np
import pytest

from agents import make_agent
from agents.arena import Game
from agents.match import Match
from agents.ratings import expected_score
from experiments.assessment import pooled_rating
from experiments.endgames import solved_endgames
from experiments.publish import publish
from experiments.schema import PublishConfig
from experiments.tracking import calibration_error
from tests.conftest import DEPTHS
from tests.runs import run

pytestmark = pytest.mark.jit  # self-play takes minutes without


def match(wins, losses):
    """Pairs that were won or lost as a whole."""
    played = Match("a", "b")
    for opening in range(wins + losses):
        value = 1.0 if opening < wins else -1.0
        played.games.extend(Game(opening, seat, [opening], value) for seat in (0, 1))
    return played


def test_a_pooled_rating_is_the_one_that_expects_the_score():
    rating = pooled_rating([match(30, 10), match(10, 30)], [0.0, 400.0])
    expected = (expected_score(rating.value) + expected_score(rating.value - 400)) / 2
    assert expected == pytest.approx(0.5)
    assert rating.value == pytest.approx(200, abs=1)
    assert rating.low < 150 < 250 < rating.high
    assert pooled_rating([match(30, 10)], [100.0]).value == pytest.approx(100 + 190.8, abs=1)


def test_a_clean_sweep_has_a_finite_lower_bound():
    rating = pooled_rating([match(20, 0)], [0.0])
    assert 0 < rating.low < 1000
    assert rating.value == np.inf
    assert pooled_rating([match(0, 20)], [0.0]).value == -np.inf


def test_calibration_compares_like_with_like():
    value = np.array([0.5] * 100 + [-0.5] * 100)
    result = np.array([1.0] * 75 + [-1.0] * 25 + [1.0] * 25 + [-1.0] * 75)
    assert calibration_error(value, result) == pytest.approx(0.0)
    assert calibration_error(value, -result) == pytest.approx(1.0)
    assert calibration_error(np.ones(10), np.ones(10)) == 0.0


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_endgames_have_answers_that_search_finds_and_chance_does_not(depth):
    endgames = solved_endgames(depth)
    assert len(endgames.best) >= 60
    assert (endgames.best.sum(axis=1) >= 1).all()
    assert (endgames.best <= endgames.positions.legal).all()
    assert (endgames.best.sum(axis=1) < endgames.positions.num_legal).all()
    strong = {1: "alphabeta:9", 2: "alphabeta:14", 3: "alphabeta:3", 4: "alphabeta:4"}[depth]
    if depth != 2:  # its own are solved in test_alphabeta
        assert endgames.accuracy(make_agent(strong, depth).act(endgames.positions).square) == 1.0
    chance = endgames.accuracy(make_agent("random", depth).act(endgames.positions).square)
    assert chance < 0.7


def test_runs_are_published_with_their_curves_and_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("one", "two"):
        run(tmp_path / name, "budget.positions=400", "evaluation.every=64", "evaluation.share=1",
            "evaluation.opponents=[random]")  # fmt: skip
    runs = [str(tmp_path / name) for name in ("one", "two")]
    publish(PublishConfig(runs, str(tmp_path / "out")))
    result = json.loads((tmp_path / "out" / "one.json").read_text())
    assert result["positions"] == 400
    assert result["config"]["game"]["depth"] == 2
    assert {"positions", "strength/score/random", "endgames/policy", "speed/minutes"} <= set(
        result["curve"][0]
    )
    assert result["final"]["matches"][0]["agent"] == "az:2"
    assert str(tmp_path) not in (tmp_path / "out" / "one.json").read_text()
    assert (tmp_path / "out" / "curves.png").stat().st_size > 10_000
    with pytest.raises(ValueError, match="must differ"):
        publish(PublishConfig([runs[0], runs[0]], str(tmp_path / "out")))
    with pytest.raises(ValueError, match="is no run"):
        publish(PublishConfig([str(tmp_path)], str(tmp_path / "out")))
