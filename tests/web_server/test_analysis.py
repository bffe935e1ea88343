"""Analyses and graphs, as a server sends them."""

import pytest

from rstt_env import positions_from_moves
from tests.playing import FIRST, Browser

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


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
