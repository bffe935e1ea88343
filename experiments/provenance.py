"""What a published figure names: commit, configuration, machine, versions."""

from __future__ import annotations

import subprocess
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from experiments.bench.measure import machine


def commit() -> str:
    """The commit of the checkout, with `+changes` if files differ from it; else `unknown`."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        name = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no")
    except OSError:  # no git on this machine
        return "unknown"
    return (name + ("+changes" if changed else "")) if name else "unknown"


def provenance(config: Any) -> dict[str, Any]:
    """For a result file: `config` is the configuration object of the run.

    Where the results were written is no part of it: they get published.
    """
    versions = {}
    for package in ("rstt", "numpy", "numba", "torch"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "unknown"
    return {
        "commit": commit(),
        "config": {name: value for name, value in asdict(config).items() if name != "output"},
        "machine": machine(),
        "versions": versions,
    }
