"""The suite `play`: how soon the web board's server echoes moves while it searches."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments.bench.engine import Announce
from experiments.bench.measure import Row

ROOMS = 200
PAUSE = (0.2, 1.0)  # seconds that a player thinks
SEARCHES = 2


def run(seconds: float, announce: Announce) -> Iterator[Row]:
    """Yield the rows, from about `seconds` of play."""
    from experiments.bench.crowd import Crowd, Server

    async def echoes(url: str) -> list[float]:
        crowd = Crowd(url, ROOMS, PAUSE)
        async with crowd.connected():
            await crowd.search(SEARCHES)
            await crowd.play(seconds)
        return crowd.echoes

    announce(f"{ROOMS} rooms")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            found = asyncio.run(echoes(server.url))
        finally:
            server.kill()
    what = f"{ROOMS} rooms at depth 2, {SEARCHES} searches"
    yield Row(f"{what}: moves", len(found) / seconds, "move", 1e9 * seconds / len(found), "move")
    for share in (50, 95, 99):
        yield Row(f"{what}: echo of a move, {share}th percentile",
                  float(np.percentile(found, share) * 1000), "ms")  # fmt: skip
