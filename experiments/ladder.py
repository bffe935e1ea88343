"""A round robin of agents, and their ratings. `python -m experiments.ladder --help`"""

from __future__ import annotations

import importlib.util
import itertools
import json
from typing import Any

from rich.console import Console
from rich.table import Table

from agents import make_agent
from agents.ladder import rate
from agents.match import Match
from agents.ratings import Estimate
from experiments import cli
from experiments.matches import Meeting, play_match, report_forfeits
from experiments.provenance import provenance
from experiments.schema import LadderConfig


def ladder(config: LadderConfig) -> list[Estimate]:
    """Play every pair, show and save the ratings, and return them in the order of the agents."""
    for library in ("choix", "matplotlib"):
        if importlib.util.find_spec(library) is None:
            raise ValueError(
                f"the ladder needs {library}: pip install -c constraints.txt -e '.[ladder]'"
            )
    from experiments.pictures import draw_ladder

    for spec in config.agents:
        make_agent(spec, config.game.depth)  # what is misspelt fails before anything is played
    facts = provenance(config)
    output = cli.new_folder(config.output)
    origin = {"commit": facts["commit"], "seed": config.seed}
    meeting = Meeting(config.game.depth, config.games, config.seed, output, origin)
    matches: list[Match] = []
    figures: dict[str, Any] = {}

    def save() -> None:
        text = json.dumps({**facts, **figures}, indent=1) + "\n"
        (output / "results.json").write_text(text, encoding="utf-8")

    for agent, opponent in itertools.combinations(config.agents, 2):
        matches.append(play_match(agent, opponent, meeting))
        figures["matches"] = [match.figures() for match in matches]
        save()
        if matches[-1].interrupted:
            raise KeyboardInterrupt
    ratings = rate(config.agents, matches, config.seed)
    figures["ratings"] = {
        name: {key: round(x, 1) for key, x in rating._asdict().items()}
        for name, rating in zip(config.agents, ratings, strict=True)
    }
    save()
    title = f"depth {config.game.depth}, {config.games} games a pair"
    draw_ladder(config.agents, ratings, matches, title, output / "ladder.png")
    console = Console(emoji=False)
    console.print(_table(config.agents, ratings, matches, title))
    report_forfeits(console, matches)
    console.print(f"figures, games and a picture are in {output}")
    return ratings


def _table(names: list[str], ratings: list[Estimate], matches: list[Match], title: str) -> Table:
    table = Table("agent", title=f"Elo above {names[0]}, {title}", title_justify="left")
    for heading in ("Elo", "95 %", "score"):
        table.add_column(heading, justify="right")
    for name, rating in sorted(zip(names, ratings, strict=True), key=lambda row: row[1].value):
        own = [match.counts.score for match in matches if match.agent == name]
        own += [1 - match.counts.score for match in matches if match.opponent == name]
        interval = f"{rating.low:+.0f} to {rating.high:+.0f}" if name != names[0] else ""
        table.add_row(name, f"{rating.value:+.0f}", interval, f"{sum(own) / len(own):.1%}")
    return table


def main() -> None:
    """Run it."""
    cli.run("ladder", ladder)


if __name__ == "__main__":
    main()
