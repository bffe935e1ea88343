"""The web board's server: matches, rooms, clocks, levels, and what it refuses."""

import asyncio
import json
import random
import re
import sqlite3
import time
from contextlib import suppress

import hydra
import pytest
from omegaconf import OmegaConf

pytest.importorskip("starlette")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect

from experiments.play import server
from experiments.play.__main__ import _networks
from experiments.play.club import Club
from experiments.play.levels import levels
from experiments.play.messages import parse
from experiments.play.store import Store
from experiments.play.workers import Workers
from experiments.schema import register
from rstt_env import positions_from_moves
from tests.playing import CHEATING, DYING, FIRST, SLOW, Browser, serving

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("matches")) as client:
        yield client


def room(client, **options):
    """A room with both seats taken: the host's and the guest's browser, and its code."""
    host, guest = Browser(client, name="Ada"), Browser(client, name="Bob")
    code = host.create(mode="room", **options)["code"]
    guest.open(code)
    host.receive("match")
    return host, guest, code


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


def change(folder, sql):
    with sqlite3.connect(folder / "matches.sqlite3") as database:
        database.execute(sql)
    database.close()


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


def test_the_computer_answers_and_its_moves_can_be_taken_back(client):
    browser = Browser(client)
    match = browser.create(mode="agent", opponent=FIRST)
    code = match["code"]
    assert match["seats"][1] == {"name": FIRST, "kind": "computer", "online": True}
    assert not match["ranked"]
    browser.play(code, 0, 40)
    reply = browser.receive("moved")
    assert (reply["ply"], reply["square"]) == (1, 36)
    undone = browser.ask("match", type="undo", code=code, ply=2)
    assert (undone["moves"], undone["thinking"]) == ([], False)
    assert "no move of yours" in browser.error(type="undo", code=code, ply=0)


def test_the_computer_begins_where_it_is_x(client):
    browser = Browser(client)
    match = browser.create(mode="agent", opponent=FIRST, side="O")
    assert match["you"] == "O"
    assert browser.receive("moved")["square"] == 0
    assert "no move of yours" in browser.error(type="undo", code=match["code"], ply=1)


def test_a_late_answer_to_a_position_that_was_taken_back_is_dropped(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=SLOW)["code"]
    browser.play(code, 0, 40)  # it begins to think of an answer in board 5
    assert not browser.ask("match", type="undo", code=code, ply=1)["thinking"]
    browser.play(code, 0, 0)
    reply = browser.receive("moved")
    assert (reply["ply"], reply["square"]) == (1, 1)  # in board 1
    time.sleep(1)
    assert browser.open(code)["moves"] == [0, 1]


def test_a_late_answer_to_a_match_that_is_over_is_dropped(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=SLOW)["code"]
    browser.play(code, 0, 40)
    browser.ask("match", type="resign", code=code)
    time.sleep(1)
    seen = browser.open(code)
    assert (seen["moves"], seen["result"]) == ([40], "O")


def test_an_agent_that_fails_gives_up_and_says_why(client):
    browser = Browser(client)
    code = browser.create(mode="agent", opponent=DYING)["code"]
    browser.play(code, 0, 40)
    seen = browser.receive("match")
    assert (seen["result"], seen["reason"]) == ("X", "gave up")
    assert "has ended" in seen["why"]
    assert seen["points"] is None


def test_the_computer_goes_on_after_a_restart(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=SLOW)["code"]
        browser.play(code, 0, 40)
    with serving(tmp_path) as client:
        browser = Browser(client, token=browser.token)
        assert browser.open(code)["thinking"]
        assert browser.receive("moved")["square"] == 36


def test_on_a_shared_screen_one_ply_is_taken_back(client):
    browser = Browser(client)
    code = browser.create(moves=[40, 36])["code"]
    browser.play(code, 2, 0)
    assert browser.ask("match", type="undo", code=code, ply=3)["moves"] == [40, 36]
    assert "no move of yours" in browser.error(type="undo", code=code, ply=2)


def test_a_hint_is_a_legal_square_with_its_reason_and_costs_the_points(client):
    browser = Browser(client)
    match = browser.create(depth=1, mode="agent", opponent="Easy")
    assert match["ranked"]
    hint = browser.ask("hint", type="hint", code=match["code"], ply=0)
    assert 0 <= hint["square"] < 9
    assert hint["visits"] > 100
    assert 0 < hint["share"] <= 1
    assert -1 <= hint["value"] <= 1
    assert not browser.open(match["code"])["ranked"]


def test_wins_over_levels_are_worth_points_and_kept(tmp_path):
    with serving(tmp_path) as client:
        ada, bob = Browser(client, name="Ada"), Browser(client, name="<b>Bob</b>")
        for browser, level in ((ada, "Easy"), (bob, "Hard"), (bob, "Easy")):
            code = browser.create(depth=1, mode="agent", opponent=level)["code"]
            browser.close()
            change(
                tmp_path, f"UPDATE matches SET result = 'X', reason = 'line' WHERE code = '{code}'"
            )
            browser.__init__(client, token=browser.token)
            seen = browser.open(code)
            assert seen["points"] == {"Easy": 10, "Hard": 60}[level]
        lost = ada.create(depth=1, mode="agent", opponent="Expert")["code"]
        ada.ask("match", type="resign", code=lost)
        scores = ada.ask("scores", type="scores")
        assert [(one["name"], one["points"], one["you"]) for one in scores["leaders"]] == [
            ("<b>Bob</b>", 70, False), ("Ada", 10, True)
        ]  # fmt: skip
        assert scores["leaders"][0]["best"] == "Hard at depth 1"
        assert {one["opponent"]: (one["wins"], one["losses"]) for one in scores["you"]} == {
            "Easy": (1, 0), "Expert": (0, 1)
        }  # fmt: skip


def test_levels_are_worth_more_and_think_longer_from_one_to_the_next():
    for depth in (1, 2, 3, 4):
        assert [level.points for level in levels(depth, None)] == [10, 30, 60, 100]
        assert levels(depth, "somewhere")[-1].spec == "az:somewhere:1.8s"


def test_help_costs_the_points_and_so_does_a_start_of_one_s_own(tmp_path, client):
    browser = Browser(client)
    ranked = {"depth": 1, "mode": "agent", "opponent": "Easy"}
    assert not browser.create(**ranked, moves=[0, 1])["ranked"]
    code = browser.create(**ranked)["code"]
    browser.play(code, 0, 4)
    browser.receive("moved")
    browser.ask("match", type="undo", code=code, ply=2)
    assert not browser.open(code)["ranked"]
    code = browser.create(**ranked)["code"]
    browser.send(type="analyse", id=1, depth=1, moves=[], spec="uct:10", code=code)
    assert not browser.receive("match")["ranked"]


def test_a_rematch_is_ranked_anew_and_there_is_one(client):
    browser = Browser(client)
    code = browser.create(depth=1, mode="agent", opponent="Hard")["code"]
    browser.ask("match", type="resign", code=code)
    new = browser.ask("rematch", type="rematch", code=code)["next"]
    assert browser.ask("rematch", type="rematch", code=code)["next"] == new
    seen = browser.open(new)
    assert (seen["you"], seen["ranked"], seen["moves"]) == ("O", True, [])


def test_rematches_keep_to_what_is_allowed(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=FIRST)["code"]
        going_on = browser.create(mode="agent", opponent=FIRST, side="O")["code"]
        browser.receive("moved")
        browser.ask("match", type="resign", code=code)
    change(tmp_path, "DELETE FROM moves WHERE match = (SELECT max(id) FROM matches)")
    with serving(tmp_path, specs=[]) as client:
        browser = Browser(client, token=browser.token)
        browser.open(code)
        assert "started with it" in browser.error(type="rematch", code=code)
        browser.open(going_on)
        assert "started with it" in browser.receive("match")["why"]


def test_an_answer_that_is_none_loses_and_is_worth_nothing(tmp_path):
    with serving(tmp_path) as client:
        browser = Browser(client)
        code = browser.create(mode="agent", opponent=CHEATING)["code"]
        browser.play(code, 0, 40)
        seen = browser.receive("match")
        assert (seen["result"], seen["why"]) == (
            "X",
            "the agent answered square 5000, which is not legal",
        )
        ranked = browser.create(mode="agent", opponent="Easy")["code"]
        browser.close()
    change(tmp_path, f"UPDATE matches SET opponent = '{CHEATING}' WHERE code = '{ranked}'")
    with serving(tmp_path) as client:
        browser = Browser(client, token=browser.token)
        browser.open(ranked)
        browser.play(ranked, 0, 40)
        seen = browser.receive("match")
        assert (seen["result"], seen["points"]) == ("X", None)
        assert browser.ask("scores", type="scores")["leaders"] == []


def test_unfinished_matches_are_listed_with_whose_turn_it_is(client):
    host, guest, code = room(client)
    waiting = host.create(mode="room", depth=3)["code"]
    host.play(code, 0, 40)
    listed = {one["code"]: one for one in host.ask("scores", type="scores")["open"]}
    assert set(listed) == {code, waiting}
    assert (listed[code]["turn"], listed[code]["ply"]) == (False, 1)
    assert (listed[waiting]["waiting"], listed[waiting]["depth"]) == (True, 3)
    guest.receive("moved")
    assert guest.ask("scores", type="scores")["open"][0]["turn"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("Ann", "Ann"), (" A \t b ", "A b"), ("x" * 50, "x" * 20), ("a\u202eb\x00", "ab")],
)
def test_names_are_cleaned(client, name, kept):
    browser = Browser(client)
    assert browser.ask("renamed", type="rename", name=name)["name"] == kept
    assert Browser(client, token=browser.token).welcome["name"] == kept


def test_a_name_of_blanks_is_refused_but_lets_its_bearer_in(client):
    browser = Browser(client, name=" \u200b ")
    assert browser.welcome["name"].startswith("Guest")
    assert (
        browser.error(type="rename", name="  ") == "a name has 1 to 20 characters that can be seen"
    )


def test_a_browser_that_does_not_read_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "_UNSENT", 3)

    class Stuck:
        """A connection that takes nothing and says one thing after the other."""

        headers, client, closed = {}, None, False
        asked = 0

        async def accept(self):
            pass

        async def receive(self):
            await asyncio.sleep(0)
            self.asked += 1
            kind = "hello" if self.asked == 1 else "scores"
            return {"type": "websocket.receive", "text": json.dumps({"type": kind})}

        async def send_json(self, message):
            await asyncio.Event().wait()

        async def close(self):
            self.closed = True

    store, browser = Store(tmp_path), Stuck()
    club = Club(store, Workers(1), networks={}, specs=[], local=True, rooms=1, expire=1)
    asyncio.run(asyncio.wait_for(server.serve(browser, club), 20))
    assert browser.closed
    assert browser.asked < 10
    store.close()


def test_the_program_is_for_this_machine_alone_unless_told_otherwise():
    with hydra.initialize_config_module("configs", version_base="1.3"):
        register()
        config = OmegaConf.to_object(hydra.compose("play"))
        assert config.host == "127.0.0.1"
        for wrong in ("port=70000", "workers=0", "rooms=0", "expire=0"):
            with pytest.raises(ValueError, match=wrong.partition("=")[0]):
                OmegaConf.to_object(hydra.compose("play", [wrong]))


def test_one_network_for_each_depth(weights):
    assert _networks([])[2] == "depth2"  # the shipped one
    assert _networks([str(weights)]) == _networks([]) | {2: str(weights)}
    with pytest.raises(ValueError, match="both of depth 2; give one"):
        _networks([str(weights), str(weights)])
    with pytest.raises(ValueError, match="does not exist"):
        _networks(["nowhere"])


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("uct", "is no budget"),
        ("random:x", "is no agent here"),
        ("uct:100:blah", "no option is called 'blah'"),
        ("az:nowhere:64", "nowhere does not exist"),
        ("uct:11s", "thinks too long"),
        ("uct:99999999", "thinks too long"),
        ("uct:100:p4", "no option is called"),
        ("alphabeta:40", "thinks too long"),
        ("own:os:system:true", "the server must be started with it"),
        ("process:touch /tmp/x", "the server must be started with it"),
        ("grandmaster", "is no agent here"),
    ],
)
def test_agents_that_a_browser_may_not_have_are_refused(client, spec, reason):
    browser = Browser(client)
    error = browser.error(type="create", depth=2, mode="agent", opponent=spec, moves=[])
    assert reason in error


def test_weights_are_read_from_anywhere_only_for_this_machine(client, tmp_path, weights):
    message = {"type": "create", "depth": 2, "mode": "agent", "opponent": f"az:{weights}:8"}
    with serving(tmp_path, local=False) as open_to_all:
        assert "by agents or networks" in Browser(open_to_all).error(**message)
    assert Browser(client).ask("match", **message)["opponent"] == f"az:{weights}:8"


def test_an_analysis_comes_in_stages_and_ends(client):
    browser = Browser(client)
    browser.send(type="analyse", id=7, depth=2, moves=[40], spec="uct:1600")
    found = [browser.receive("analysis")]
    while not found[-1]["final"]:
        found.append(browser.receive("analysis"))
    assert len(found) == 5
    assert [one["simulations"] for one in found] == sorted(one["simulations"] for one in found)
    last = found[-1]
    assert (last["id"], last["ply"], last["board"]) == (7, 1, 5)
    assert 1500 < sum(last["visits"]) <= 1600
    assert last["visits"][4] == 0
    assert last["variation"][0] == last["square"]
    positions_from_moves(2, [[40, *last["variation"]]])


def test_an_analysis_by_a_network_has_policy_and_chances(client, weights):
    browser = Browser(client)
    found = browser.ask(
        "analysis", type="analyse", id=1, depth=2, moves=[40, 36], spec=f"az:{weights}:0"
    )
    assert found["final"]
    assert sum(found["policy"]) == pytest.approx(1)
    assert sum(found["chances"]) == pytest.approx(1)


def test_an_analysis_of_what_is_no_position_is_refused(client):
    browser = Browser(client)
    for moves, reason in (([40, 0], "illegal"), ([0, 3, 1, 4, 2], "illegal")):
        error = browser.error(type="analyse", id=1, depth=2, moves=moves, spec="uct:10")
        assert reason in error
    error = browser.error(type="analyse", id=1, depth=1, moves=[0, 3, 1, 4, 2], spec="uct:10")
    assert "over" in error


def test_a_graph_has_the_value_of_every_position_for_x(client):
    browser = Browser(client)
    browser.send(type="graph", id=3, depth=1, moves=[0, 3, 1, 4, 2], spec=FIRST)
    points = [browser.receive("point") for _ in range(6)]
    assert [point["ply"] for point in points] == list(range(6))
    assert [point["value"] for point in points] == [0.25, -0.25, 0.25, -0.25, 0.25, 1.0]
    assert points[-1]["done"] == points[-1]["total"] == 6


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 90), st.floats(allow_nan=False), st.text(max_size=8),
    st.lists(st.integers(-1, 82), max_size=4),
)  # fmt: skip
_TYPES = ["hello", "rename", "open", "leave", "move", "undo", "hint", "resign", "rematch",
          "analyse", "graph", "stop", "scores", "create"]  # fmt: skip


@given(
    kind=st.sampled_from(_TYPES),
    fields=st.dictionaries(
        st.sampled_from(["code", "ply", "square", "name", "token", "id", "moves", "spec", "watch",
                         "depth", "mode", "side", "opponent", "timer", "other"]),
        _VALUES, max_size=8,
    ),
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_reader_of_messages(kind, fields):
    """It is a message, or a `ValueError`."""
    with suppress(ValueError):
        assert parse(json.dumps({"type": kind, **fields})).type == kind


@given(data=st.data())
@settings(
    max_examples=60, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
def test_whatever_is_sent_only_legal_moves_of_the_right_player_change_a_match(client, data):
    host, guest, code = room(client)
    watcher = Browser(client)
    watcher.open(code)
    browsers = {"X": host, "O": guest, None: watcher}
    moves = []
    for _ in range(data.draw(st.integers(1, 12))):
        who = data.draw(st.sampled_from(list(browsers)))
        legal = positions_from_moves(2, [moves]).legal[0]
        square = data.draw(st.one_of(st.sampled_from(legal.nonzero()[0].tolist()), _VALUES))
        ply = data.draw(st.one_of(st.just(len(moves)), _VALUES))
        kind = data.draw(st.sampled_from(["move", "move", "undo", "hint", "rematch", "open", "x"]))
        browsers[who].send(type=kind, code=code, ply=ply, square=square)
        right = who == "XO"[len(moves) % 2] and type(ply) is int and ply == len(moves)
        if kind == "move" and right and type(square) is int and 0 <= square < 81 and legal[square]:
            moves.append(square)
        browsers[who].send(type="scores")  # answered once the message before it is dealt with
        while browsers[who].next()["type"] != "scores":
            pass
    assert Browser(client, token=watcher.token).open(code)["moves"] == moves
    for browser in browsers.values():
        browser.close()


def test_random_whole_games_against_the_computer(client):
    browser, draw = Browser(client), random.Random(5)
    code = browser.create(mode="agent", opponent="random")["code"]
    moves = []
    while True:
        square = draw.choice(positions_from_moves(2, [moves]).legal[0].nonzero()[0].tolist())
        last = browser.play(code, len(moves), square)
        moves.append(square)
        if last["result"] is None:
            last = browser.receive("moved")
            assert last["ply"] == len(moves)
            moves.append(last["square"])
        if last["result"] is not None:
            break
    assert browser.open(code)["moves"] == moves
