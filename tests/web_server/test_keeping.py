"""What outlives a server: matches, clocks, and the folder that holds them."""

import sqlite3
import time

import pytest

from experiments.play.store import Store
from tests.playing import Browser, change, room, serving

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


def test_the_clock_gives_the_match_to_the_opponent(tmp_path):
    with serving(tmp_path) as client:
        host = Browser(client)
        code = host.create(mode="room", timer=15)["code"]
        host.close()
        change(tmp_path, "UPDATE matches SET timer = 0.6")
        guest = Browser(client)
        assert 0.3 < guest.open(code)["left"] <= 0.6  # it runs once both are there
        host = Browser(client, token=host.token)
        host.open(code)
        guest.receive("match")
        moved = host.play(code, 0, 40)
        assert 0.3 < moved["left"] <= 0.6
        guest.receive("moved")
        seen = guest.receive("match")
        assert (seen["result"], seen["reason"], seen["left"]) == ("X", "time", None)


def test_matches_outlive_the_server_and_clocks_stand_meanwhile(tmp_path):
    with serving(tmp_path) as client:
        host, guest, code = room(client, timer=15)
        host.play(code, 0, 40)
        tokens = host.token, guest.token
        left = guest.open(code)["left"]
    change(tmp_path, "UPDATE alive SET at = at - 100")  # so long was it down,
    change(tmp_path, "UPDATE matches SET turn_began = turn_began - 100")  # with the clock running
    with serving(tmp_path) as client:
        guest = Browser(client, token=tokens[1])
        seen = guest.open(code)
        assert (seen["moves"], seen["you"]) == ([40], "O")
        assert left - 3 < seen["left"] <= left + 1
        guest.play(code, 1, 36)
        assert Browser(client, token=tokens[0]).open(code)["moves"] == [40, 36]


def test_idle_matches_expire_and_rooms_are_limited(tmp_path):
    with serving(tmp_path, rooms=2) as client:
        browser = Browser(client)
        codes = [browser.create(mode="room")["code"] for _ in range(2)]
        error = browser.error(type="create", depth=2, mode="room", moves=[])
        assert "2 unfinished rooms" in error
        solo = browser.create(mode="shared")["code"]
        played = browser.create(depth=1, moves=[0, 3, 1, 4])["code"]
        browser.play(played, 4, 2)
    change(tmp_path, "UPDATE matches SET changed = changed - 49 * 3600")
    with serving(tmp_path, rooms=2) as client:
        browser = Browser(client, token=browser.token)
        assert "expired" in browser.error(type="open", code=codes[0], watch=False)
        assert browser.open(played)["result"] == "X"
        assert browser.open(solo)["result"] is None
        browser.create(mode="room")


def test_no_match_expires_because_the_server_was_down(tmp_path):
    with serving(tmp_path) as client:
        code = Browser(client).create(mode="room")["code"]
    change(tmp_path, "UPDATE matches SET changed = changed - 1e6")
    change(tmp_path, "UPDATE alive SET at = at - 1e6")
    with serving(tmp_path) as client:
        assert Browser(client).open(code, watch=True)


def test_a_clock_that_runs_out_while_nobody_looks_ends_the_match(tmp_path):
    with serving(tmp_path) as client:
        code = room(client, timer=15)[2]
    change(tmp_path, "UPDATE matches SET timer = 0.2")
    with serving(tmp_path) as client:
        time.sleep(1)
        assert Store.find(client.store, code).result == "O"


def test_one_folder_has_one_server(tmp_path):
    with serving(tmp_path), pytest.raises(ValueError, match="another server uses"):
        Store(tmp_path)
    Store(tmp_path).close()


def test_a_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "matches.sqlite3") as database:
        database.execute("CREATE TABLE matches (x)")
    database.close()
    with pytest.raises(ValueError, match="not made by this program"):
        Store(tmp_path)
