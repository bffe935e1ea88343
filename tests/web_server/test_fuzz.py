"""Whatever a browser sends: no text breaks the server, only legal moves change a match."""

import json
import random
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from experiments.play.messages import parse
from rstt_env import positions_from_moves
from tests.playing import Browser, room

pytestmark = [pytest.mark.jit, pytest.mark.filterwarnings("ignore")]


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
