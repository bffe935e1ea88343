"""A browser that is connected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Member:
    """A connection, and whose it is once it has said hello.

    Attributes:
        address: of the network, from where it comes.
        send: takes a message to the browser.
        player: its number in the store; -1 before hello.
        matches: the codes of those that it looks at.
    """

    def __init__(self, address: str, send: Callable[[dict[str, Any]], None]) -> None:
        self.address, self.send = address, send
        self.player = -1
        self.matches: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def works_on(self, name: str) -> bool:
        """Whether work of that name is under way."""
        return name in self._tasks

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Work for this browser, in place of its earlier work of that name."""
        if name in self._tasks:
            self._tasks[name].cancel()
        task = self._tasks[name] = asyncio.create_task(work)

        def forget(done: asyncio.Task[None]) -> None:
            if self._tasks.get(name) is done:
                del self._tasks[name]

        task.add_done_callback(forget)

    def stop(self) -> None:
        """End all that is done for it."""
        for task in list(self._tasks.values()):
            task.cancel()


def closed(message: str, code: str) -> dict[str, Any]:
    """The message that says why there is no longer a match."""
    return {"type": "closed", "message": message, "code": code}


def refusal(about: str | None, message: str, code: str | None) -> dict[str, Any]:
    """The message that says why something was not done."""
    return {"type": "error", "about": about, "message": message, "code": code}
