"""Pictures of results (matplotlib, extra `ladder`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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


def draw_curves(runs: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Write a PNG: the strength of runs (see `experiments.publish`) over minutes and positions.

    It is the rating where the opponents have ratings, else the score against the first of them.
    A triangle is a lower bound: every game was won.
    """
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    by_minutes, by_positions = figure.subplots(1, 2, sharey=True)
    label, anchors = "", dict[str, float]()
    for name, run in runs.items():
        rows = run["curve"]
        rated = any("strength/rating_low" in row for row in rows)
        key = "strength/rating{}" if rated else "strength/score{}/" + _first_opponent(rows[0])
        label = "Elo (95 % intervals)" if rated else f"score against {_first_opponent(rows[0])}"
        values, low, high = (
            np.array([row.get(key.format(kind), np.nan) for row in rows])
            for kind in ("", "_low", "_high")
        )
        swept = np.isnan(values)
        for axes, x in (
            (by_minutes, [row["speed/minutes"] for row in rows]),
            (by_positions, [row["positions"] / 1e6 for row in rows]),
        ):
            shown = axes.plot(x, values, marker="o", markersize=3, label=name)
            axes.plot(np.array(x)[swept], low[swept], "^", color=shown[0].get_color())
            axes.fill_between(x, low, high, alpha=0.15)
        evaluation = run["config"]["evaluation"]
        for opponent in evaluation["opponents"] if rated else ():
            anchors[opponent] = evaluation["ratings"][opponent]
    for opponent, rating in anchors.items():
        for axes in (by_minutes, by_positions):
            axes.axhline(rating, color="grey", linestyle=":", linewidth=1)
            axes.annotate(opponent, (0.99, rating), xycoords=("axes fraction", "data"), ha="right")
    by_minutes.set_ylabel(label)
    by_minutes.set_xlabel("minutes")
    by_positions.set_xlabel("million positions")
    for axes in (by_minutes, by_positions):
        axes.grid(alpha=0.3)
        axes.legend()
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=110)


def _first_opponent(row: Mapping[str, Any]) -> str:
    return next(name for name in row if name.startswith("strength/score/")).split("/", 2)[2]
