"""How a rate is measured, and what a row of a benchmark holds."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes:
        rate: `unit`s per second; or, where no time is given, so many `unit`s.
        per: what `nanoseconds` is the time of.
        ratio: how many times our own rate, in the same run, is this one.
    """

    name: str
    rate: float
    unit: str
    nanoseconds: float | None = None
    per: str = ""
    ratio: float | None = None

    @property
    def rate_text(self) -> str:
        """The rate, for people."""
        return f"{self.rate:,.0f} {self.unit}{'' if self.nanoseconds is None else '/s'}"

    @property
    def time_text(self) -> str:
        """The time of one `per`, for people."""
        return "" if self.nanoseconds is None else f"{self.nanoseconds:,.1f} ns a {self.per}"

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)


def best_rate(work: Callable[[], float], seconds: float, rounds: int = 5) -> float:
    """Units per second of `work`, which returns how many units it did: the best of `rounds`.

    Other users of a shared machine can only slow a round down, so the best is the truest.
    """
    work()  # compiles, warms caches
    best = 0.0
    for _ in range(rounds):
        start, done = time.perf_counter(), 0.0
        while (elapsed := time.perf_counter() - start) < seconds / rounds or not done:
            done += work()
        best = max(best, done / elapsed if elapsed > 0 else 0.0)
    return best


def machine() -> str:
    """The processor's name and the number of cores."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"
