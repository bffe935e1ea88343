"""Ratings on one scale from the matches of many agents (Bradley & Terry, 1952)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.match import Match
from agents.ratings import Estimate

_ELO = 400 / math.log(10)
_PRIOR = 0.5
"""Half a point each way is added to every match, so that a clean sweep has a finite rating."""
_RESAMPLES = 300


def rate(names: Sequence[str], matches: Sequence[Match], seed: int = 0) -> list[Estimate]:
    """The Elo rating of each name, the first of which is 0, with bootstrap intervals.

    Draws count half to each side. The 95 % intervals come from drawing the pairs of every
    match anew, with replacement; they are those of the difference from the first name. A
    rating across a sweep (no point lost) is a lower bound at best: the half point each way
    that stands in for the missing ones decides it.
    """
    scores = [np.array(match.pair_scores) for match in matches]
    rng = np.random.default_rng(seed)
    ratings = _fit(names, matches, scores)
    resampled = np.array(
        [
            _fit(names, matches, [rng.choice(pairs, len(pairs)) for pairs in scores])
            for _ in range(_RESAMPLES)
        ]
    )
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    return [Estimate(*map(float, figures)) for figures in zip(ratings, low, high, strict=True)]


def _fit(
    names: Sequence[str], matches: Sequence[Match], scores: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    import choix  # of the extra `ladder`

    points = np.zeros((len(names), len(names)))
    for match, pairs in zip(matches, scores, strict=True):
        first, second = names.index(match.agent), names.index(match.opponent)
        won = 2 * float(pairs.sum())  # two games a pair
        points[first, second] += won + _PRIOR
        points[second, first] += 2 * len(pairs) - won + _PRIOR
    strengths: NDArray[np.float64] = choix.ilsr_pairwise_dense(points, max_iter=1000)
    elo: NDArray[np.float64] = _ELO * (strengths - strengths[0])
    return elo
