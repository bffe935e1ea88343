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
_OUTCOMES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def rate(names: Sequence[str], matches: Sequence[Match], seed: int = 0) -> list[Estimate]:
    """The Elo rating of each name, the first of which is 0, with bootstrap intervals.

    Draws count half to each side. The 95 % intervals are those of the difference from the
    first name, so let that one be among the middle. They come from a Bayesian bootstrap: how
    often the five outcomes of a pair come in each match is drawn from what is likely after
    what was seen, with one pair more, shared by the five. A rating that hangs on sweeps alone
    (no point lost) is a lower bound at best: the half point each way decides it.
    """
    scores = [np.array(match.pair_scores) for match in matches]
    rng = np.random.default_rng(seed)
    ratings = _fit(names, matches, [float(pairs.mean()) for pairs in scores])

    def likely_score(pairs: NDArray[np.float64]) -> float:
        counts = (pairs[:, None] == _OUTCOMES).sum(axis=0)
        return float(rng.dirichlet(counts + 1 / len(_OUTCOMES)) @ _OUTCOMES)

    resampled = np.array(
        [_fit(names, matches, list(map(likely_score, scores))) for _ in range(_RESAMPLES)]
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
        points[first, second] += score * len(match.games) + _PRIOR
        points[second, first] += (1 - score) * len(match.games) + _PRIOR
    strengths: NDArray[np.float64] = choix.ilsr_pairwise_dense(points, max_iter=1000)
    elo: NDArray[np.float64] = _ELO * (strengths - strengths[0])
    return elo
