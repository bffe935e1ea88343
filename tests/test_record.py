"""Game records are one line of JSON, checked when read."""

import json

import pytest

from rstt_env import GameRecord, IllegalMoveError


def test_a_record_is_written_and_read_back():
    record = GameRecord.of_moves(1, [0, 3, 1, 4, 2], {"agents": ["uct", "random"], "depth": 7})
    line = record.to_json()
    assert "\n" not in line
    assert json.loads(line)["result"] == "X"
    assert GameRecord.from_json(line) == record
    assert record.metadata == {"agents": ["uct", "random"], "depth": 7}
    positions = record.positions()
    assert positions.ply.tolist() == [0, 1, 2, 3, 4, 5]
    assert positions.outcome.tolist() == [-1, -1, -1, -1, -1, 0]


def test_an_unfinished_game_is_undecided():
    assert GameRecord.of_moves(2, [40]).result == "undecided"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "one line of JSON"),
        ("[1]", "holds depth, moves, result"),
        ('{"depth":1,"moves":[],"result":"undecided","extra":1}', "not .*extra"),
        ('{"depth":1,"moves":[0],"result":"X","metadata":{}}', "end in 'undecided'"),
        ('{"depth":7,"moves":[0],"result":"X","metadata":{}}', "from 1 to 4"),
        ('{"depth":1,"moves":["a"],"result":"X","metadata":{}}', "whole numbers"),
        ('{"depth":1,"moves":3,"result":"X","metadata":{}}', "moves"),
        ('{"depth":1,"moves":[],"result":"undecided","metadata":3}', "metadata"),
    ],
)
def test_false_records_are_refused(line, message):
    with pytest.raises(ValueError, match=message):
        GameRecord.from_json(line)


def test_a_record_with_an_illegal_move_names_it():
    with pytest.raises(IllegalMoveError, match=r"ply 1 of game 0: square 0 .*occupied"):
        GameRecord.from_json('{"depth":1,"moves":[0,0],"result":"X","metadata":{}}')
