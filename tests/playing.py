"""What the tests of the web board share: a server in this process, browsers, and odd agents."""

import json
import os
import sqlite3
import time
from contextlib import ExitStack, contextmanager

import anyio
from starlette.testclient import TestClient

from agents.agent import Answer
from experiments.play.server import make_app
from experiments.play.store import Store
from experiments.play.workers import Workers

OWN = "own:tests.playing"


class FirstSquare:
    """Plays the first legal square after some seconds; what it thinks is always the same."""

    timed = False

    def __init__(self, seconds):
        self._seconds = seconds

    def reset(self, games=None):
        pass

    def act(self, positions, games=None):
        time.sleep(self._seconds)
        answer = Answer.blank(len(positions))
        answer.square[:] = positions.legal.argmax(axis=1)
        answer.variations[0] = [int(answer.square[0])]
        answer.value[:], answer.visits[:, :2] = 0.25, (30, 10)
        return answer


def slow(text, context):
    return FirstSquare(float(text))


def dying(text, context):
    os._exit(3)


def cheating(text, context):
    return Cheat()


class Cheat(FirstSquare):
    """Answers what is none."""

    def __init__(self):
        super().__init__(0)

    def act(self, positions, games=None):
        answer = super().act(positions, games)
        answer.square[:] = 5000
        return answer


AGENTS = [f"{OWN}:slow:0", f"{OWN}:slow:0.6", f"{OWN}:slow:99", f"{OWN}:dying", f"{OWN}:cheating"]
FIRST, SLOW, ENDLESS, DYING, CHEATING = AGENTS


@contextmanager
def serving(folder, workers=None, **options):
    """A server over the matches in `folder`; yields a client of it."""
    settings = {"networks": {}, "specs": AGENTS, "rooms": 1000, "expire": 48.0, "local": True}
    store = Store(folder)
    app = make_app(store, workers or Workers(2), **(settings | options))
    with TestClient(app, base_url="http://localhost") as client, ExitStack() as connections:
        client.connections, client.store = connections, store  # those have to end first
        yield client


class Browser:
    """A connection that has said hello; keeps what it was told."""

    def __init__(self, client, token=None, name=None):
        self._connection = client.connections.enter_context(ExitStack())
        self._session = self._connection.enter_context(
            client.websocket_connect("ws://localhost/ws")
        )
        self.welcome = self.ask("welcome", type="hello", token=token, name=name)
        self.token = self.welcome["token"]

    def next(self):
        """The next message, whatever it is; fails if none comes for long."""
        session = self._session

        async def receive():
            with anyio.fail_after(120):  # kernels may have to be compiled
                return await session._send_rx.receive()

        message = session.portal.call(receive)
        session._raise_on_close(message)
        return json.loads(message["text"])

    def send(self, **message):
        self._session.send_json(message)

    def send_text(self, text):
        self._session.send_text(text)

    def receive(self, *kinds):
        """The next message of one of these types; others, but errors, are passed over."""
        while True:
            message = self.next()
            if message["type"] in kinds:
                return message
            assert message["type"] != "error", message

    def ask(self, *kinds, **message):
        self.send(**message)
        return self.receive(*kinds)

    def error(self, **message):
        """The text of the error that a message leads to."""
        self.send(**message)
        self.send(type="scores")  # answered when that message has been dealt with
        texts = []
        while (answer := self.next())["type"] != "scores":
            if answer["type"] == "error":
                texts.append(answer["message"])
        assert len(texts) == 1, "there was no error"
        return texts[0]

    def create(self, **options):
        defaults = {"depth": 2, "mode": "shared", "side": "X", "opponent": None, "timer": None}
        return self.ask("match", type="create", **(defaults | {"moves": []} | options))

    def open(self, code, watch=False):
        return self.ask("match", type="open", code=code, watch=watch)

    def play(self, code, ply, square):
        return self.ask("moved", type="move", code=code, ply=ply, square=square)

    def close(self):
        self._connection.close()


def room(client, **options):
    """A room with both seats taken: the host's and the guest's browser, and its code."""
    host, guest = Browser(client, name="Ada"), Browser(client, name="Bob")
    code = host.create(mode="room", **options)["code"]
    guest.open(code)
    host.receive("match")
    return host, guest, code


def change(folder, sql):
    with sqlite3.connect(folder / "matches.sqlite3") as database:
        database.execute(sql)
    database.close()
