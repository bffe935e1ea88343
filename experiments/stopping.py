"""Ctrl-C and SIGTERM as a wish that a program fulfils when it is ready."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Stop:
    """Whether the program has been asked to stop."""

    requested: bool = False


@contextmanager
def stop_requests() -> Iterator[Stop]:
    """Note the first SIGINT or SIGTERM; a second one interrupts at once."""
    stop = Stop()

    def note(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
