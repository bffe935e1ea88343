"""The web server: pages, and a WebSocket for each browser."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event
from starlette.websockets import WebSocket, WebSocketDisconnect

from experiments.play.club import Club
from experiments.play.limits import Allowance, same_origin
from experiments.play.member import Member, refusal
from experiments.play.messages import SIZE, parse
from experiments.play.store import Store
from experiments.play.workers import Workers

STATIC = Path(__file__).parent / "static"
LOOPBACK = ["127.0.0.1", "localhost"]
_UNSENT = 1000  # messages that a slow browser may leave unread
_HEADERS = [
    (b"content-security-policy",
     b"default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
]  # fmt: skip


def make_app(store: Store, workers: Workers, local: bool, **club: Any) -> Starlette:
    """The application.

    Args:
        store: of the matches.
        workers: that search; they and the store are closed when it ends.
        local: whether only this machine can reach it; then it has to be called by its own name, so
            that no other site can have its name point here.
        club: what `Club` takes beside these.
    """
    members = Club(store, workers, local=local, **club)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        workers.start()
        house = asyncio.create_task(members.keep_house())
        yield
        house.cancel()
        workers.close()
        store.close()

    async def board(request: Request) -> FileResponse:
        return FileResponse(STATIC / "index.html")

    async def rules(request: Request) -> FileResponse:
        return FileResponse(STATIC / "rules.html")

    async def socket(websocket: WebSocket) -> None:
        await serve(websocket, members)

    middleware = [Middleware(_Headers)]
    if local:
        middleware.insert(0, Middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK))
    return Starlette(
        routes=[
            Route("/", board),
            Route("/rules", rules),
            WebSocketRoute("/ws", socket),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=middleware,
        lifespan=lifespan,
    )


async def serve(websocket: WebSocket, club: Club) -> None:
    """A connection, from the handshake to its end."""
    if not same_origin(websocket.headers.get("origin"), websocket.headers.get("host")):
        await websocket.close(1008)  # which refuses the handshake
        return
    await websocket.accept()
    unsent: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_UNSENT)
    async with anyio.create_task_group() as connection:

        def send(message: dict[str, Any]) -> None:
            try:
                unsent.put_nowait(message)
            except asyncio.QueueFull:  # it doesn't read: let it come again
                connection.cancel_scope.cancel()

        connection.start_soon(_write, websocket, unsent)
        await _read(websocket, club, send)
        connection.cancel_scope.cancel()
    with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
        await websocket.close()


async def _read(
    websocket: WebSocket, club: Club, send: Callable[[dict[str, Any]], None]
) -> None:  # fmt: skip
    """Do what the browser asks for, message by message, until it is gone."""
    member = Member(websocket.client.host if websocket.client else "", send)
    allowance = Allowance()
    try:
        while True:
            event = await websocket.receive()
            if event["type"] == "websocket.disconnect":
                return
            text = event.get("text") or ""
            about = None
            try:
                if not allowance.spend(len(text)):
                    raise ValueError("too many messages; wait a second")
                if len(text) > SIZE:
                    raise ValueError(f"a message has up to {SIZE} characters")
                message = parse(text)
                about = message.type
                club.receive(member, message)
            except (ValueError, sqlite3.Error) as error:
                code = getattr(message, "code", None) if about else None
                send(refusal(about, str(error), code))
    finally:
        club.quit(member)


async def _write(websocket: WebSocket, unsent: asyncio.Queue[dict[str, Any]]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # it is gone
        while True:
            await websocket.send_json(await unsent.get())


class _Headers:
    """Sends with every page what browsers are to forbid it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(event: Event) -> None:
            if event["type"] == "http.response.start":
                event["headers"] = [*event["headers"], *_HEADERS]
            await send(event)

        await self._app(scope, receive, send_with_headers)
