"""Which of two agents is stronger? `python -m experiments.evaluate --help`"""

from __future__ import annotations

import json
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
    console.print(table(matches, config.game.depth))
    for match in matches:
        for reason in match.forfeits[:3]:
            console.print(f"given up against {match.opponent}: {reason}")
    if output is not None:
        console.print(f"figures, curves and games are in {output}; look at the games with")
        console.print(f"  python -m experiments.replay {output / 'games.jsonl'}")
    return matches


def table(matches: list[Match], depth: int) -> Table:
    """The matches, a line each; wins–draws–losses are the agent's."""
    table = Table(
        title=f"{matches[0].agent} at depth {depth} (intervals: 95 %, from the variance of pairs)",
        title_justify="left",
    )
    for heading in ("against", "games", "w–d–l", "as X", "as O", "score", "Elo difference",
                    "distinct", "plies", "sims/move", "core-ms/move"):  # fmt: skip
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for match in matches:
        own, other = match.efforts
        verdict = f" {match.verdict or 'open'}" if match.sprt else ""
        table.add_row(
            match.opponent,
            str(len(match.games)),
            str(match.counts),
            str(match.in_seat(X)),
            str(match.in_seat(O)),
            _interval(match.score, "{:.1%}"),
            _interval(match.elo, "{:+.0f}") + verdict,
            str(match.distinct_games),
            f"{match.mean_length:.1f}",
            " / ".join(f"{e.simulations / max(1, e.moves):,.0f}" for e in (own, other)),
            " / ".join(f"{1000 * e.seconds / max(1, e.moves):,.2f}" for e in (own, other)),
        )
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
