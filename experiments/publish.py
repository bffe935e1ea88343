"""From runs to a result that others can read: `python -m experiments.publish --help`"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.alphazero.checkpoint import load_weights, weights_file
from experiments import cli
from experiments.schema import PublishConfig

_KEPT = ("strength/", "endgames/", "policy/", "loss/", "games/", "speed/", "time/", "value/")


def publish(config: PublishConfig) -> None:
    """Write each run's curves, settings and final matches to a file, and one picture of all."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("this needs matplotlib: pip install -c constraints.txt -e '.[ladder]'")
    from experiments.pictures import draw_curves

    runs = {Path(run).name: collect(Path(run)) for run in config.runs}
    if len(runs) < len(config.runs):
        raise ValueError(f"runs are {config.runs}; their last names must differ")
    output = Path(config.output)
    output.mkdir(parents=True, exist_ok=True)
    for name, run in runs.items():
        (output / f"{name}.json").write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    console = Console(emoji=False)
    for name in [name for name, run in runs.items() if not run["curve"]]:
        console.print(f"{name} was never assessed: it is not in the picture")
        del runs[name]
    if runs:
        draw_curves(runs, output / "curves.png")
    console.print(f"{', '.join(map(str, config.runs))}: published in {output}")


def collect(run: Path) -> dict[str, Any]:
    """All that is worth publishing of a run; `ValueError` if it is none.

    Its curves are thinned to the assessments: of each, the value at the positions or the last
    one before.
    """
    if not (run / "checkpoints").is_dir():
        raise ValueError(f"runs: {run} is no run: it has no checkpoints")
    card, _ = load_weights(weights_file(run))
    events = EventAccumulator(str(run), size_guidance={"scalars": 0}).Reload()
    curves = {
        name: {event.step: event.value for event in events.Scalars(name)}
        for name in events.Tags()["scalars"]
        if name.startswith(_KEPT)
    }
    rows = []
    for positions in sorted(curves.get("endgames/policy", {})):
        row: dict[str, float] = {"positions": positions}
        for name, points in curves.items():
            # an assessment's own figures are there or not: a clean sweep has no finite rating
            own = name.startswith(("strength/", "endgames/"))
            before = [
                step for step in points if step == positions or (step < positions and not own)
            ]
            if before:
                row[name] = round(points[max(before)], 5)
        rows.append(row)
    final = run / "final" / "results.json"
    return {
        "commit": card.commit,
        "config": card.config,
        "positions": card.positions,
        "final": json.loads(final.read_text("utf-8")) if final.exists() else None,
        "curve": rows,
    }


def main() -> None:
    """Run it."""
    cli.run("publish", publish)


if __name__ == "__main__":
    main()
