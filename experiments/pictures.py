"""Pictures of results (matplotlib, extra `ladder`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.match import Match
from agents.ratings import Estimate


def draw_ladder(
    names: Sequence[str],
    ratings: Sequence[Estimate],
    matches: Sequence[Match],
    title: str,
    path: Path,
) -> None:
    """Write a PNG: ratings with intervals on the left, the scores of all pairs on the right."""
    order = sorted(range(len(names)), key=lambda i: ratings[i].value)
    ranked = [names[i] for i in order]
    labels = [name if len(name) <= 28 else f"{name[:27]}…" for name in ranked]
    scores = np.full((len(names), len(names)), np.nan)
    for match in matches:
        row, column = ranked.index(match.agent), ranked.index(match.opponent)
        scores[row, column] = 100 * match.counts.score
        scores[column, row] = 100 - scores[row, column]

    figure = Figure(figsize=(6 + 0.9 * len(names), 2.6 + 0.55 * len(names)), layout="constrained")
    figure.suptitle(f"Elo above {names[0]} and scores: {title}")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.3), sharey=True)
    values = np.array([ratings[i] for i in order])
    errors = np.abs(values[:, 1:] - values[:, :1]).T
    left.errorbar(values[:, 0], range(len(names)), xerr=errors, fmt="o", capsize=3)
    for row, value in enumerate(values[:, 0]):
        left.annotate(
            f"{value:+.0f}", (value, row), (0, 7), textcoords="offset points", ha="center"
        )
    left.set_yticks(range(len(names)), labels)
    left.set_xlabel("Elo (95 % intervals)")
    left.margins(x=0.12)
    left.grid(axis="x", alpha=0.3)

    right.imshow(scores, cmap="RdYlGn", vmin=0, vmax=100, aspect="auto", alpha=0.8)
    for row, column in zip(*np.nonzero(~np.isnan(scores)), strict=True):
        right.text(column, row, f"{scores[row, column]:.1f}", ha="center", va="center")
    right.set_xticks(range(len(names)), labels, rotation=30, ha="right")
    right.set_xlabel("score in % of the row against the column")
    left.set_ylim(-0.5, len(names) - 0.5)
    FigureCanvasAgg(figure)
    figure.savefig(path)
