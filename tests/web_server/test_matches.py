"""Matches and rooms: who may play what, where, and what is refused."""

import re
import time

import pytest
from starlette.websockets import WebSocketDisconnect

from tests.playing import Browser, room

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


def test_two_players_on_one_screen_play_a_game_to_its_end(client):
    browser = Browser(client)
    match = browser.create(depth=1)
    assert (match["you"], match["moves"], match["result"]) == ("both", [], None)
    for ply, square in enumerate([0, 3, 1, 4, 2]):
        moved = browser.play(match["code"], ply, square)
        assert (moved["ply"], moved["square"]) == (ply, square)
    assert (moved["result"], moved["reason"]) == ("X", "line")
    assert "over" in browser.error(type="move", code=match["code"], ply=5, square=8)
    assert "over" in browser.error(type="resign", code=match["code"])
    assert browser.open(match["code"])["moves"] == [0, 3, 1, 4, 2]


def test_a_draw_is_told_from_a_win(client):
    browser = Browser(client)
    match = browser.create(depth=1, moves=[0, 1, 2, 4, 3, 5, 7, 6])
    moved = browser.play(match["code"], 8, 8)
    assert (moved["result"], moved["reason"]) == ("draw", "full")


def test_a_room_is_played_from_two_browsers_and_watched_from_a_third(client):
    host, guest, code = room(client)
    watcher = Browser(client)
    seen = watcher.open(code)
    assert (seen["you"], seen["watchers"]) == (None, 1)
    assert [seat["name"] for seat in seen["seats"]] == ["Ada", "Bob"]
    host.send(type="move", code=code, ply=0, square=40)
    for browser in (host, guest, watcher):
        assert browser.receive("moved")["square"] == 40
    for browser in (host, guest, watcher):
        browser.send(type="scores")  # nothing else was said
        assert browser.receive("moved", "scores")["type"] == "scores"
    assert "O's turn" in host.error(type="move", code=code, ply=1, square=36)
    assert "only its players" in watcher.error(type="move", code=code, ply=1, square=36)
    assert guest.play(code, 1, 36)["ply"] == 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"type": "move", "ply": 0, "square": 36}, "at ply 1, not at 0"),
        ({"type": "move", "ply": 2, "square": 36}, "at ply 1, not at 2"),
        ({"type": "move", "ply": 1, "square": 0}, "square 0 \\(1.1\\) is illegal: outside"),
        ({"type": "move", "ply": 1, "square": 40}, "occupied"),
        ({"type": "move", "ply": 1, "square": 81}, "no such square"),
        ({"type": "move", "ply": 1, "square": 6561}, "less than 6561"),
        ({"type": "move", "ply": 1, "square": -1}, "greater than or equal to 0"),
        ({"type": "move", "ply": 1, "square": "36"}, "valid integer"),
        ({"type": "move", "ply": 1, "square": 36.5}, "valid integer"),
        ({"type": "move", "ply": 1}, "square: Field required"),
        ({"type": "move", "ply": 1, "square": 36, "extra": 1}, "Extra inputs"),
        ({"type": "undo", "ply": 1}, "moves against people are final"),
        ({"type": "hint", "ply": 1}, "no hints against people"),
        ({"type": "rematch"}, "not over"),
        ({"type": "analyse", "id": 1, "depth": 2, "moves": [40], "spec": "uct:10"}, "against peop"),
        ({"type": "dance"}, "does not match any of the expected tags"),
    ],
)
def test_what_is_illegal_is_refused_and_changes_nothing(client, message, reason):
    host, guest, code = room(client)
    host.play(code, 0, 40)
    guest.receive("moved")
    before = guest.open(code)
    assert re.search(reason, guest.error(**message, code=code))
    assert guest.open(code) == before


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "{}", "null", '{"type":1}', '{"type":"move"', "🙂"]
)
def test_junk_is_refused(client, text):
    browser = Browser(client)
    browser.send_text(text)
    assert browser.next()["type"] == "error"
    assert browser.ask("scores", type="scores")


def test_a_message_of_a_megabyte_and_a_flood_are_refused(client):
    browser = Browser(client)
    code = browser.create()["code"]
    assert "65536 characters" in browser.error(type="rename", name="x" * 70_000)
    for _ in range(100):
        browser.send(type="move", code=code, ply=0, square=0)
    errors = [browser.next() for _ in range(100)]
    texts = {error.get("message") for error in errors}
    assert "too many messages; wait a second" in texts
    assert sum(error["type"] == "moved" for error in errors) == 1
    time.sleep(0.3)
    assert browser.open(code)["moves"] == [0]


def test_another_site_can_not_connect(client):
    evil = {"origin": "http://evil.example"}, {"origin": "http://["}, {"host": "evil.example"}
    for headers in evil:
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://localhost/ws", headers=headers),
        ):
            pass
    with client.websocket_connect(
        "ws://localhost/ws", headers={"origin": "http://localhost", "host": "localhost"}
    ):
        pass
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    page = client.get("/")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]


def test_nothing_is_done_before_hello(client):
    with client.websocket_connect("ws://localhost/ws") as session:
        session.send_json({"type": "scores"})
        assert session.receive_json()["message"] == "say hello first"


def test_a_dropped_player_comes_back_to_the_seat_by_token(client):
    host, guest, code = room(client)
    host.play(code, 0, 40)
    guest.close()
    assert host.receive("match")["seats"][1]["online"] is False
    stranger = Browser(client)
    assert stranger.open(code)["you"] is None
    again = Browser(client, token=guest.token)
    assert again.welcome["name"] == "Bob"
    assert again.open(code)["you"] == "O"
    again.play(code, 1, 36)


def test_a_host_that_only_watches_leaves_the_seat_free(client):
    host = Browser(client)
    match = host.create(mode="room", side="O")
    assert [seat["kind"] for seat in match["seats"]] == ["free", "person"]
    watcher = Browser(client)
    assert watcher.open(match["code"], watch=True)["you"] is None
    assert "other seat" in host.error(type="move", code=match["code"], ply=0, square=0)
    assert watcher.open(match["code"])["you"] == "X"


def test_a_room_that_nobody_came_to_can_be_closed(client):
    host = Browser(client)
    code = host.create(mode="room")["code"]
    closed = host.ask("closed", type="resign", code=code)
    assert (closed["code"], "before anyone came" in closed["message"]) == (code, True)
    assert "no match" in Browser(client).error(type="open", code=code, watch=False)


def test_resigning_gives_the_match_away_and_a_rematch_swaps_seats(client):
    host, guest, code = room(client)
    guest.send(type="resign", code=code)
    for browser in (host, guest):
        seen = browser.receive("match")
        assert (seen["result"], seen["reason"]) == ("X", "resigned")
    host.send(type="rematch", code=code)
    assert guest.receive("match")["offer"] == "X"
    guest.send(type="rematch", code=code)
    new = guest.receive("rematch")["next"]
    assert host.receive("rematch")["next"] == new
    assert host.open(new)["you"] == "O"
    assert guest.open(new)["you"] == "X"
