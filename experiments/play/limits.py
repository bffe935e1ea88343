"""What a server does not let a browser do."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from experiments.play.messages import SIZE

_RATE = 20.0  # messages a second, in the long run
_BURST = 60.0  # at once


class Allowance:
    """How much a connection may still send: large messages count for several (a token bucket)."""

    def __init__(self) -> None:
        self._tokens, self._at = _BURST, time.monotonic()

    def spend(self, size: int) -> bool:
        """Whether a message of `size` bytes is within the allowance, which it then uses up."""
        now = time.monotonic()
        self._tokens = min(_BURST, self._tokens + _RATE * (now - self._at))
        self._at = now
        cost = 1 + 5 * size / SIZE
        if self._tokens < cost:
            return False
        self._tokens -= cost
        return True


def same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a page of this server opened the connection.

    A program that is no browser sends no origin, and may connect.
    """
    try:
        return origin is None or urlsplit(origin).netloc == host
    except ValueError:  # such as http://[
        return False
