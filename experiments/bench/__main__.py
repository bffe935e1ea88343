"""The command line of the benchmarks."""

import json
import sys
from dataclasses import dataclass
from typing import Literal, cast

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from rich.table import Table

from experiments.bench import engine, play, search, selfplay
from experiments.bench.measure import Row, machine

SUITES = {
    "engine": engine.run,
    "search": search.run,
    "selfplay": selfplay.run,
    "play": play.run,
}
USAGE = f"usage: python -m experiments.bench {{{','.join(SUITES)}}} [seconds=2] [json=true]"


@dataclass
class Options:
    """What may follow the suite's name."""

    seconds: float = 2.0
    """how long each row is measured"""
    json: bool = False
    """print JSON instead of a table"""


def main() -> None:
    """Run a suite and print its rows."""
    suite, *overrides = sys.argv[1:] or ["--help"]
    if suite not in SUITES:
        print(USAGE, file=sys.stdout if suite in ("-h", "--help") else sys.stderr)
        sys.exit(0 if suite in ("-h", "--help") else 2)
    try:
        merged = OmegaConf.merge(OmegaConf.structured(Options), OmegaConf.from_dotlist(overrides))
        options = cast("Options", OmegaConf.to_object(merged))
    except (OmegaConfBaseException, ValueError) as error:
        sys.exit(f"{str(error).splitlines()[0]}\n{USAGE}")

    if options.seconds <= 0:
        sys.exit(f"seconds is {options.seconds}; give more than 0\n{USAGE}")
    rows: list[Row] = []
    status = Console(stderr=True)
    with status.status("") as line:
        for row in SUITES[suite](options.seconds, lambda name: line.update(f"measuring {name} …")):
            rows.append(row)
    if options.json:
        print(json.dumps({"machine": machine(), "rows": [row.as_dict() for row in rows]}))
        return
    table = Table(title=f"{suite}, on {machine()}", title_justify="left")
    for heading in ("what", "rate", "time", "ours is"):
        justify: Literal["left", "right"] = "left" if heading == "what" else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:,.{2 if row.ratio < 10 else 1}f} ×"
        table.add_row(row.name, row.rate_text, row.time_text, ratio)
    Console(width=max(130, status.width)).print(table)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
