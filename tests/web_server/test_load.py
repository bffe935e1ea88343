"""The web board's server under many players, and killed while they play."""

import asyncio
import json

import pytest
import websockets

from experiments.bench.crowd import Crowd, Server
from rstt_env import UNDECIDED, positions_from_moves

pytestmark = pytest.mark.jit


@pytest.mark.parametrize(
    ("rooms", "pause"),
    [(30, (0.02, 0.1)), pytest.param(200, (0.2, 1.0), marks=pytest.mark.slow)],
)
def test_no_move_is_lost_or_doubled_though_the_server_is_killed_meanwhile(rooms, pause, tmp_path):
    """Two searches run all the while. Players check every message; this checks the rest."""
    server = Server(tmp_path)
    crowd = Crowd(server.url, rooms, pause)

    async def first_half():
        async with crowd.connected():
            await crowd.search(2)
            playing = asyncio.create_task(crowd.play())
            while sum(map(len, crowd.games)) < 25 * rooms:
                await asyncio.sleep(0.05)
            server.kill()
            await playing

    async def second_half():
        async with crowd.connected():
            await crowd.search(2)
            await crowd.play()

    try:
        asyncio.run(first_half())
        before = [list(moves) for moves in crowd.games]
        assert all(before)
        assert any(positions_from_moves(2, before).outcome == UNDECIDED)
        server.start()
        asyncio.run(second_half())
    finally:
        server.kill()
    assert (positions_from_moves(2, crowd.games).outcome != UNDECIDED).all()
    for half, whole in zip(before, crowd.games, strict=True):
        assert whole[: len(half)] == half
    print(f"{len(crowd.echoes)} moves, the slowest echo {max(crowd.echoes) * 1000:.0f} ms")


def test_a_message_of_a_megabyte_ends_its_connection_alone(tmp_path):
    server = Server(tmp_path)
    url = f"ws{server.url.removeprefix('http')}ws"

    async def whole():
        async with websockets.connect(url) as other, websockets.connect(url) as socket:
            await socket.send("x" * 2**20)
            with pytest.raises(websockets.ConnectionClosedError) as closed:
                await socket.recv()
            assert closed.value.rcvd.code == 1009  # "message too big"
            await other.send(json.dumps({"type": "hello"}))
            assert json.loads(await other.recv())["type"] == "welcome"

    try:
        asyncio.run(whole())
    finally:
        server.kill()
