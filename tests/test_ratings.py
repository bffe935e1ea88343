"""Scores, intervals, Elo, the sequential test and ratings, against known figures."""

import math

import numpy as np
import pytest

from agents.arena import Effort, Game, Wave
from agents.ladder import rate
from agents.match import Counts, Match
from agents.ratings import (
    SPRT,
    elo,
    elo_interval,
    expected_score,
    log_likelihood_ratio,
    score_interval,
)


def match_of(pairs, agent="a", opponent="b"):
    """A match from the two values of each pair."""
    match = Match(agent, opponent)
    games = [
        Game(number, seat, [number, seat], value)
        for number, pair in enumerate(pairs)
        for seat, value in enumerate(pair)
    ]
    match.add(Wave(games, (Effort(10, 100, 1.0), Effort(10, 0, 0.5))))
    return match


def test_score_counts_a_draw_half_and_names_its_fields():
    match = match_of([(1, 0), (-1, -1), (1, 1)])
    assert match.counts == Counts(wins=3, draws=1, losses=2)
    assert match.score.value == match.counts.score == 3.5 / 6
    assert match.pair_scores == [0.75, 0.0, 1.0]
    assert match.in_seat(0) == Counts(2, 0, 1)
    assert match.in_seat(1) == Counts(1, 1, 1)
    assert match.distinct_games == 6


def test_the_interval_comes_from_the_variance_of_pairs():
    """One seat that always wins leaves nothing uncertain between agents of one strength."""
    seat_wins = match_of([(1, -1)] * 200)
    assert seat_wins.score.value == 0.5
    assert seat_wins.score.high - seat_wins.score.low < 0.02
    mixed = match_of([(1, 1), (-1, -1)] * 100)
    assert mixed.score.high - mixed.score.low == pytest.approx(
        2 * 1.96 * 0.5 / math.sqrt(200), 0.01
    )


@pytest.mark.parametrize("value", [1, -1])
def test_clean_sweeps_have_the_exact_one_sided_bound(value):
    score = match_of([(value, value)] * 20).score
    bound = 0.05 ** (1 / 20)  # the share of pairs lost that 20 in a row leave possible
    if value == 1:
        assert tuple(score) == pytest.approx((1, bound, 1))
        assert elo_interval(score).value == elo_interval(score).high == math.inf
        assert math.isfinite(elo_interval(score).low)
    else:
        assert tuple(score) == pytest.approx((0, 0, 1 - bound))


def test_intervals_hold_what_they_promise():
    """Of 95 % intervals about 95 % hold the truth (here 92 to 98)."""
    rng = np.random.default_rng(0)
    shares = np.array([0.1, 0.15, 0.3, 0.25, 0.2])
    truth = shares @ [0, 0.25, 0.5, 0.75, 1]
    held = 0
    for _ in range(1000):
        low, high = score_interval(rng.choice([0, 0.25, 0.5, 0.75, 1], 60, p=shares).tolist())[1:]
        held += low <= truth <= high
    assert 920 <= held <= 980


@pytest.mark.parametrize(("sweeps", "pairs"), [(0.97, 50), (0.97, 100), (0.93, 20), (0.9, 50)])
def test_intervals_hold_near_the_end_of_the_scale(sweeps, pairs):
    """Where nearly all pairs are won: at least 93 %."""
    rng = np.random.default_rng(1)
    shares = np.array([0, 0, (1 - sweeps) / 2, (1 - sweeps) / 2, sweeps])
    truth, held = shares @ [0, 0.25, 0.5, 0.75, 1], 0
    for _ in range(1000):
        low, high = score_interval(rng.choice([0, 0.25, 0.5, 0.75, 1], pairs, p=shares))[1:]
        held += low <= truth <= high
    assert held >= 930


def test_losing_half_a_point_does_not_raise_the_lower_bound():
    assert score_interval([1.0] * 19 + [0.75]).low < score_interval([1.0] * 20).low


def test_elo_is_the_logistic_scale():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 11) == pytest.approx(-400)
    assert elo(0) == -math.inf
    assert elo(1) == math.inf
    assert elo(expected_score(123.0)) == pytest.approx(123)


def test_the_likelihood_ratio_is_fishtests():
    """Between near hypotheses the ratio is that of the normal approximation."""
    pairs = [0.0] * 20 + [0.25] * 90 + [0.5] * 200 + [0.75] * 120 + [1.0] * 30
    scores = np.array(pairs)
    s0, s1 = expected_score(0), expected_score(10)
    normal = len(pairs) * (s1 - s0) * (2 * scores.mean() - s0 - s1) / (2 * scores.var())
    assert log_likelihood_ratio(pairs, 0, 10) == pytest.approx(normal, rel=0.02)
    swapped = log_likelihood_ratio(pairs, 10, 0)
    assert swapped == pytest.approx(-log_likelihood_ratio(pairs, 0, 10))


def test_the_sequential_test_errs_as_rarely_as_it_says():
    """At each hypothesis the wrong verdict comes in about 5 % of matches (here at most 9)."""
    rng = np.random.default_rng(1)
    sprt = SPRT(0, 60)
    for truth, wrong in ((0, "H1"), (60, "H0")):
        mean = expected_score(truth)
        shares = np.array([(1 - mean) ** 2, 0, 2 * mean * (1 - mean), 0, mean**2])
        errors = 0
        for _ in range(200):
            pairs, verdict = [], None
            while verdict is None:
                pairs += rng.choice([0, 0.25, 0.5, 0.75, 1], 10, p=shares).tolist()
                verdict = sprt.verdict(pairs)
            errors += verdict == wrong
        assert errors <= 18


def test_ratings_recover_true_strengths():
    rng = np.random.default_rng(2)
    true = {"a": 0.0, "b": 150.0, "c": 400.0, "d": 650.0}
    names, matches = list(true), []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            win = expected_score(true[first] - true[second])
            values = np.where(rng.random((300, 2)) < win, 1.0, -1.0)
            matches.append(match_of(values.tolist(), first, second))
    ratings = dict(zip(names, rate(names, matches), strict=True))
    assert tuple(ratings["a"]) == (0, 0, 0)
    for name in names[1:]:
        assert ratings[name].value == pytest.approx(true[name], abs=60)
        assert ratings[name].low < ratings[name].value < ratings[name].high


def test_a_clean_sweep_has_a_finite_rating():
    ratings = rate(["a", "b"], [match_of([(-1, -1)] * 10)])
    assert 200 < ratings[1].value < 1000
    assert ratings[1].low < ratings[1].value - 50


def test_figures_are_plain_json():
    import json

    figures = json.loads(json.dumps(match_of([(1, 1)] * 4).figures(), allow_nan=False))
    assert figures["score"]["value"] == 1
    assert figures["elo"]["value"] is None
    assert figures["as_x"] == {"wins": 4, "draws": 0, "losses": 0}
    assert figures["core_seconds_per_move"] == [0.1, 0.05]
