"""Which of two agents is stronger? `python -m experiments.evaluate --help`"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from tensorboard.summary import Writer

from agents import make_agent
from agents.match import Match
from agents.ratings import SPRT, Estimate
from experiments import cli
from experiments.matches import Meeting, play_match
from experiments.provenance import provenance
from experiments.schema import EvaluateConfig
from rstt_env.outcome import O, X


def evaluate(config: EvaluateConfig) -> list[Match]:
    """Play the matches, show and save what they say, and return them."""
    facts = provenance(config)
    for spec in (config.agent, *config.opponents):
        make_agent(spec, config.game.depth)  # what is misspelt fails before anything is played
    output = None if config.output is None else Path(config.output)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    origin = {"commit": facts["commit"], "seed": config.seed}
    meeting = Meeting(config.game.depth, config.games, config.seed, output, origin)
    sprt = None if config.sprt is None else SPRT(*config.sprt)
    matches: list[Match] = []
    console = Console()
    for opponent in config.opponents:
        matches.append(play_match(config.agent, opponent, meeting, sprt))
        if output is not None:
            _save(output, facts, matches)
    for table in (verdicts(matches, config.game.depth), details(matches)):
        console.print(table)
    for match in matches:
        for reason, times in Counter(match.forfeits).items():
            console.print(f"given up against {match.opponent}, {times} ×: {reason}")
    if output is not None:
        console.print(f"figures, curves and games are in {output}; look at the games with")
        console.print(f"  python -m experiments.replay {output / 'games.jsonl'}")
    return matches


def verdicts(matches: list[Match], depth: int) -> Table:
    """Who is stronger, a line a match; wins–draws–losses are the agent's."""
    sprt = any(match.sprt for match in matches)
    headings = ["against", "games", "w–d–l", "score, 95 %", "Elo difference, 95 %"]
    table = _table(f"{matches[0].agent} at depth {depth}", headings + ["SPRT"] * sprt)
    for match in matches:
        table.add_row(
            match.opponent,
            str(len(match.games)),
            str(match.counts),
            _interval(match.score, "{:.1%}"),
            _interval(match.elo, "{:+.0f}"),
            *[match.verdict or "open"] * sprt,
        )
    return table


def details(matches: list[Match]) -> Table:
    """How the games went; where there are two figures, the agent's is the first."""
    headings = ["against", "as X", "as O", "distinct", "plies", "sims a move", "core-ms a move"]
    table = _table("details", headings)
    for match in matches:
        table.add_row(
            match.opponent,
            str(match.in_seat(X)),
            str(match.in_seat(O)),
            str(match.distinct_games),
            f"{match.mean_length:.1f}",
            "\n".join(f"{e.simulations / max(1, e.moves):,.0f}" for e in match.efforts),
            "\n".join(f"{1000 * e.seconds / max(1, e.moves):,.2f}" for e in match.efforts),
        )
    return table


def _table(title: str, headings: list[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "against" else "right")
    return table


def _interval(estimate: Estimate, form: str) -> str:
    value, low, high = (form.format(x).replace("inf", "∞") for x in estimate)
    return f"{value} [{low}, {high}]"


def _save(output: Path, facts: dict[str, Any], matches: list[Match]) -> None:
    """`results.json`, and a TensorBoard curve's point for each opponent."""
    figures = {**facts, "matches": [match.figures() for match in matches]}
    (output / "results.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    writer = Writer(str(output))
    match = matches[-1]
    writer.add_scalar(f"score/{match.opponent}", match.score.value, step=0)
    for name, score in (("as_x", match.in_seat(X)), ("as_o", match.in_seat(O))):
        writer.add_scalar(f"score_{name}/{match.opponent}", score.score, step=0)
    writer.close()


def main() -> None:
    """Run it."""
    cli.run("evaluate", evaluate)


if __name__ == "__main__":
    main()
