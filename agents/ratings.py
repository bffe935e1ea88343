"""What a match says: scores with intervals, Elo differences, and when to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Z = 1.96
"""Standard errors on each side of a 95 % interval."""

_PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


class Estimate(NamedTuple):
    """A figure and its 95 % interval."""

    value: float
    low: float
    high: float


def score_interval(pair_scores: Sequence[float]) -> Estimate:
    """The mean score of a match from the scores of its pairs, each 0, 1/4, … 1.

    The two games of a pair share an opening, so that the pair is the unit that varies. The
    interval is Student's. Near 0 % and 100 % the n pairs vary too little to say how rare the
    rare ones are: with a confidence of 95 %, as many as a share 1 - 0.05^(1/n) of pairs may
    score as none did. The interval is never narrower than that; at 0 % and 100 % it is the
    exact one-sided bound.
    """
    scores = np.asarray(pair_scores, float)
    mean = float(scores.mean())
    unseen = 1 - 0.05 ** (1 / len(scores))
    low, high = mean * (1 - unseen), mean + (1 - mean) * unseen
    if scores.min() < scores.max():
        error = _student(len(scores) - 1) * float(scores.std(ddof=1)) / math.sqrt(len(scores))
        low, high = min(low, mean - error), max(high, mean + error)
    return Estimate(mean, max(0.0, low), min(1.0, high))


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by its expansion (Abramowitz & Stegun, 26.7.5)."""
    powers = [(Z**3 + Z) / 4, (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96]
    powers.append((3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384)
    return Z + sum((term / float(freedom ** (k + 1)) for k, term in enumerate(powers)), 0.0)


def elo(score: float) -> float:
    """The logistic Elo difference that a score stands for; infinite at 0 and 1."""
    if score <= 0:
        return float("-inf")
    return math.inf if score >= 1 else 400 * math.log10(score / (1 - score))


def expected_score(elo_difference: float) -> float:
    """The inverse of `elo`."""
    return 1 / (1 + 10 ** (elo_difference / -400))


def elo_interval(score: Estimate) -> Estimate:
    """The Elo difference that belongs to a score and its interval."""
    return Estimate(elo(score.value), elo(score.low), elo(score.high))


def log_likelihood_ratio(pair_scores: Sequence[float], elo0: float, elo1: float) -> float:
    """How much better `elo1` explains a match than `elo0`: the pentanomial GSPRT.

    The generalised sequential probability ratio test, as fishtest uses it: each hypothesis
    fixes the mean score, and the five outcomes of a pair are given the likeliest
    distribution with that mean.
    """
    counts = np.array([(np.asarray(pair_scores) == score).sum() for score in _PAIR_SCORES], float)
    counts = np.maximum(counts, 1e-3)  # an outcome not seen yet is not impossible
    shares = counts / counts.sum()
    likeliest = [_with_mean(shares, expected_score(elo)) for elo in (elo0, elo1)]
    return float(counts.sum() * (shares * np.log(likeliest[1] / likeliest[0])).sum())


def _with_mean(shares: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """The distribution with a mean under which the observed shares are the likeliest.

    It is shares / (1 + x (score - mean)), for the x that gives it the right mean, found by
    bisection (Owen, Empirical Likelihood, 2001).
    """
    distance = _PAIR_SCORES - mean
    low, high = -1 / distance[-1], -1 / distance[0]  # all probabilities positive in between
    for _ in range(100):
        x = (low + high) / 2
        if (shares * distance / (1 + x * distance)).sum() > 0:
            low = x
        else:
            high = x
    likeliest: NDArray[np.float64] = shares / (1 + x * distance)
    return likeliest


_LIMIT = math.log(0.95 / 0.05)  # of the log-likelihood ratio, for errors of 5 %


class SPRT(NamedTuple):
    """A sequential test of two Elo differences, with errors of 5 % on each side."""

    elo0: float
    elo1: float

    def verdict(self, pair_scores: Sequence[float]) -> str | None:
        """`H1` (at least elo1), `H0` (at most elo0), or None: play on."""
        ratio = log_likelihood_ratio(pair_scores, self.elo0, self.elo1)
        if ratio >= _LIMIT:
            return "H1"
        return "H0" if ratio + _LIMIT <= 0 else None
