"""A crowd for the web board: rooms at depth 2 in which scripted players move at random."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import websockets

from rstt_env.outcome import NAMES, UNDECIDED
from rstt_env.positions import Positions


class Server:
    """The board's server as a program of its own, over a folder of matches."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self.start()

    def start(self) -> None:
        """Start it, the second time at the same address."""
        options = [f"port={self._port}", f"data={self._folder}", "browser=false", "rooms=10000"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "experiments.play", *options],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().split()[4]
        self._port = int(self.url.rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


class Player:
    """A browser in one seat of a room; what it was told lasts longer than its connection."""

    def __init__(self, url: str, crowd: Crowd) -> None:
        self._url, self._crowd = f"ws{url.removeprefix('http')}ws", crowd
        self._token: str | None = None
        self._socket: Any = None
        self.moves: list[int] = []
        self.result: str | None = None

    async def connect(self) -> None:
        """Say hello, as who it was before."""
        self._socket = await websockets.connect(self._url, max_queue=None)
        welcome = await self.ask("welcome", type="hello", token=self._token)
        self._token = welcome["token"]

    async def ask(self, kind: str, **message: Any) -> dict[str, Any]:
        """Send a message; the first answer of that type."""
        await self._socket.send(json.dumps(message))
        while True:
            answer: dict[str, Any] = json.loads(await self._socket.recv())
            if answer["type"] == kind:
                return answer
            assert answer["type"] != "error", answer

    async def enter(self, code: str) -> None:
        """See the match; it still has all the moves that anyone was told of."""
        seen = await self.ask("match", type="open", code=code)
        self._code, self._seat = code, seen["you"]
        assert seen["moves"][: len(self.moves)] == self.moves, "moves were lost"
        self.moves = seen["moves"]

    async def search(self) -> None:
        """Have the first position analysed, again and again."""
        question = {"type": "analyse", "id": 1, "depth": 2, "moves": [], "spec": "uct:10s"}
        with suppress(websockets.ConnectionClosed):
            while True:
                answer = await self.ask("analysis", **question)
                while not answer["final"]:
                    answer = json.loads(await self._socket.recv())

    async def close(self) -> None:
        """Be gone."""
        if self._socket is not None:
            await self._socket.close()

    async def play(self) -> None:
        """Move at random when it is the seat's turn, to the end or until the server is gone."""
        with suppress(websockets.ConnectionClosed):
            await self._play()

    async def _play(self) -> None:
        position = Positions(2)
        for square in self.moves:
            position.play([square])
        while position.outcome[0] == UNDECIDED:
            ply, sent = len(self.moves), 0.0
            if self._seat == "XO"[ply % 2]:
                await asyncio.sleep(self._crowd.random.uniform(*self._crowd.pause))
                legal = position.legal[0].nonzero()[0].tolist()
                square = self._crowd.random.choice(legal)
                sent = time.perf_counter()
                await self._socket.send(
                    json.dumps({"type": "move", "code": self._code, "ply": ply, "square": square})
                )
            moved = json.loads(await self._socket.recv())
            while moved["type"] != "moved":
                assert moved["type"] != "error", moved
                moved = json.loads(await self._socket.recv())
            if sent:
                self._crowd.echoes.append(time.perf_counter() - sent)
                assert moved["square"] == square, "another move was made"
            assert moved["ply"] == ply, "a move was lost or doubled"
            position.play([moved["square"]])
            self.moves.append(moved["square"])
            self.result = moved["result"]
        assert self.result == NAMES[int(position.outcome[0])]


class Crowd:
    """Two players in each of some rooms.

    Args:
        url: of the server.
        rooms: how many.
        pause: shortest and longest time that a player thinks, in seconds.
        seed: of all that is random.

    Attributes:
        echoes: seconds from sending each move to hearing of it.
    """

    def __init__(self, url: str, rooms: int, pause: tuple[float, float], seed: int = 0) -> None:
        self.pause, self.random = pause, random.Random(seed)
        self.echoes: list[float] = []
        self._pairs = [(Player(url, self), Player(url, self)) for _ in range(rooms)]
        self._codes: list[str] = []
        self._url, self._watchers = url, list[Player]()
        self._searches: list[asyncio.Task[None]] = []

    @property
    def games(self) -> list[list[int]]:
        """The moves of each room."""
        return [host.moves for host, _ in self._pairs]

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Connections, and rooms that are opened the first time and come back to later."""
        try:
            await self._enter()
            yield
        finally:
            for search in self._searches:
                search.cancel()
            everyone = [*self._watchers, *(player for pair in self._pairs for player in pair)]
            await asyncio.gather(*(player.close() for player in everyone))
            await asyncio.gather(*self._searches, return_exceptions=True)
            self._watchers.clear()
            self._searches.clear()

    async def _enter(self) -> None:
        await asyncio.gather(*(player.connect() for pair in self._pairs for player in pair))
        if not self._codes:
            room = {"type": "create", "depth": 2, "mode": "room", "side": "random"}
            rooms = await asyncio.gather(*(host.ask("match", **room) for host, _ in self._pairs))
            self._codes = [match["code"] for match in rooms]
        for player in (0, 1):  # the host is in its seat when the guest comes
            pairs = zip(self._pairs, self._codes, strict=True)
            await asyncio.gather(*(pair[player].enter(code) for pair, code in pairs))

    async def play(self, seconds: float | None = None) -> None:
        """Play in all rooms to the end, for some seconds, or until the server is gone.

        Raises:
            AssertionError: the server did what it mustn't.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for pair in self._pairs:
                    for player in pair:
                        group.create_task(player.play())

    async def search(self, number: int) -> None:
        """Have some searches run, one after the other, for as long as there are connections."""
        for _ in range(number):
            self._watchers.append(player := Player(self._url, self))
            await player.connect()
            self._searches.append(asyncio.create_task(player.search()))
