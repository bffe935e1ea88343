"""Which of two agents is stronger? `python -m experiments.evaluate --help`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents import make_agent
from agents.match import Match
from agents.ratings import SPRT, Estimate, score_interval
from experiments import cli
from experiments.matches import Meeting, play_match, report_forfeits
from experiments.provenance import provenance
from experiments.schema import EvaluateConfig
from rstt_env.outcome import O, X

_VERDICTS = {None: "open", "H0": "under {1:+g}", "H1": "over {0:+g}"}


def evaluate(config: EvaluateConfig) -> list[Match]:
    """Play the matches, show and save what they say, and return them."""
    facts = provenance(config)
    for spec in (config.agent, *config.opponents):
        make_agent(spec, config.game.depth)  # what is misspelt fails before anything is played
    output = None if config.output is None else cli.new_folder(config.output)
    origin = {"commit": facts["commit"], "seed": config.seed}
    meeting = Meeting(config.game.depth, config.games, config.seed, output, origin)
    sprt = None if config.sprt is None else SPRT(*config.sprt)
    matches: list[Match] = []
    console = Console(emoji=False)
    interrupted = False
    for opponent in config.opponents:
        try:
            matches.append(play_match(config.agent, opponent, meeting, sprt))
        except KeyboardInterrupt:  # before a pair was finished
            interrupted = True
        else:
            interrupted = matches[-1].interrupted
            if output is not None:
                _save(output, facts, matches)
        if interrupted:
            break
    if not matches:
        raise KeyboardInterrupt
    for table in (verdicts(matches, config.game.depth), details(matches)):
        console.print(table)
    report_forfeits(console, matches)
    if output is not None:
        console.print(f"figures, curves and games are in {output}; look at the games with")
        console.print(f"  python -m experiments.replay {output / 'games.jsonl'}")
    if interrupted:
        raise KeyboardInterrupt
    if any(len(match.forfeits) == len(match.games) for match in matches):
        raise ValueError("every game of a match was given up: it says nothing about strength")
    return matches


def verdicts(matches: list[Match], depth: int) -> Table:
    """Who is stronger, a line a match; wins–draws–losses are the agent's."""
    sprt = any(match.sprt for match in matches)
    headings = ["against", "games", "w–d–l", "score\n95 %", "Elo difference\n95 %"]
    table = _table(f"{matches[0].agent} at depth {depth}", headings + ["SPRT"] * sprt)
    for match in matches:
        table.add_row(
            match.opponent,
            str(len(match.games)),
            str(match.counts),
            _interval(match.score, "{:.1%}"),
            _interval(match.elo, "{:+.0f}"),
            *[_VERDICTS[match.verdict].format(*match.sprt)] * sprt if match.sprt else [],
        )
    return table


def details(matches: list[Match]) -> Table:
    """How the games went, and what both sides spent on a move."""
    headings = ["against", "as X\nas O", "unique\ngames", "plies", "a move\nof", "sims", "core-ms"]
    table = _table("details (of alpha-beta, sims are nodes)", headings)
    for match in matches:
        table.add_row(
            match.opponent,
            f"{match.in_seat(X)}\n{match.in_seat(O)}",
            str(match.distinct_games),
            f"{match.mean_length:.1f}",
            "agent\nother",
            "\n".join(f"{e.simulations / max(1, e.moves):,.0f}" for e in match.efforts),
            "\n".join(f"{1000 * e.seconds / max(1, e.moves):,.2f}" for e in match.efforts),
        )
    return table


def _table(title: str, headings: list[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in headings:
        left = heading == "against"
        table.add_column(
            heading, justify="left" if left else "right", no_wrap=not left, overflow="fold"
        )
    return table


def _interval(estimate: Estimate, form: str) -> str:
    value, low, high = (form.format(x).replace("inf", "∞") for x in estimate)
    return f"{value}\n[{low}, {high}]"


def _save(output: Path, facts: dict[str, Any], matches: list[Match]) -> None:
    """Write `results.json`, and the newest match as TensorBoard curves over the games played."""
    from torch.utils.tensorboard import SummaryWriter  # seconds to import

    figures = {**facts, "matches": [match.figures() for match in matches]}
    (output / "results.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    match = matches[-1]
    with SummaryWriter(str(output)) as writer:
        for pairs in range(1, len(match.pair_scores) + 1):
            score = score_interval(match.pair_scores[:pairs])
            for name, value in score._asdict().items():
                suffix = "" if name == "value" else f"_{name}"
                writer.add_scalar(f"score{suffix}/{match.opponent}", value, 2 * pairs)


def main() -> None:
    """Run it."""
    cli.run("evaluate", evaluate)


if __name__ == "__main__":
    main()
