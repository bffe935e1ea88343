"""Names, lists, browsers that don't read; which networks and agents there are."""

import asyncio
import json

import hydra
import pytest
from omegaconf import OmegaConf

from experiments.play import server
from experiments.play.__main__ import _networks
from experiments.play.club import Club
from experiments.play.store import Store
from experiments.play.workers import Workers
from experiments.schema import register
from tests.playing import Browser, room, serving

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


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
