"""Ratings on one scale from the matches of many agents (Bradley & Terry, 1952)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.match import Match
from agents.ratings import Estimate

_ELO = 400 / math.log(10)
_RESAMPLES = 300
_LEAST = 1e-4  # of a score, so that the fit converges
_OUTCOMES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def rate(names: Sequence[str], matches: Sequence[Match], seed: int = 0) -> list[Estimate]:
    """The Elo rating of each name, the first of which is 0, with bootstrap intervals.

    Draws count half to each side. The 95 % intervals are those of the difference from the
    first name, so let that one be among the middle. How often the five outcomes of a pair come
    in each match is taken from what was seen and one pair more, shared by the five: its mean
    for the ratings, draws from its posterior for the intervals (a Bayesian bootstrap). The
    additional pair gives a clean sweep a finite rating, which is a lower bound at best.
    """
    rng = np.random.default_rng(seed)
    weights = [
        (pairs[:, None] == _OUTCOMES).sum(axis=0) + 1 / len(_OUTCOMES)
        for pairs in (np.array(match.pair_scores) for match in matches)
    ]
    ratings = _fit(names, matches, [float(w @ _OUTCOMES / w.sum()) for w in weights])
    resampled = np.array(
        [
            _fit(names, matches, [float(rng.dirichlet(w) @ _OUTCOMES) for w in weights])
            for _ in range(_RESAMPLES)
        ]
    )
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    return [Estimate(*map(float, figures)) for figures in zip(ratings, low, high, strict=True)]


def _fit(
    names: Sequence[str], matches: Sequence[Match], scores: Sequence[float]
) -> NDArray[np.float64]:
    import choix  # of the extra `ladder`

    points = np.zeros((len(names), len(names)))
    for match, score in zip(matches, scores, strict=True):
        first, second = names.index(match.agent), names.index(match.opponent)
        points[first, second] += max(score, _LEAST) * len(match.games)
        points[second, first] += max(1 - score, _LEAST) * len(match.games)
    strengths: NDArray[np.float64] = choix.ilsr_pairwise_dense(points, max_iter=1000)
    elo: NDArray[np.float64] = _ELO * (strengths - strengths[0])
    return elo
