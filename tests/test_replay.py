"""The replay: nothing is lost or mixed up, on disk and under symmetries."""

import errno
import os

import numpy as np
import pytest

from agents.alphazero import replay as module
from agents.alphazero.augmentation import transform
from agents.alphazero.encoding import Encoding, encode
from agents.alphazero.replay import (
    Replay,
    encoding_of,
    new_records,
    policies,
    record_type,
    values,
)
from rstt_env import transform as transform_positions
from tests.conftest import DEPTHS
from tests.test_network import some_positions


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(module, "SHARD", 16)


def some_records(depth, seed=0):
    positions = some_positions(depth, seed)
    rng = np.random.default_rng(seed)
    policy = rng.random((len(positions), 9)) * positions.legal_children
    policy /= policy.sum(axis=1, keepdims=True)
    value = rng.uniform(-1, 1, len(positions))
    rows = np.arange(len(positions))
    encoding = encode(positions.state, rows)
    records = new_records(depth, encoding, policy.astype(np.float32), value.astype(np.float32))
    return positions, records, policy, value


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_record_holds_the_position_and_its_targets(depth):
    positions, records, policy, value = some_records(depth)
    encoding = encode(positions.state, np.arange(len(positions)))
    for ours, theirs in zip(encoding_of(records), encoding, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(policies(records), policy, atol=2e-5)
    np.testing.assert_allclose(values(records), value, atol=2e-5)


def test_records_are_as_small_as_they_say():
    assert [record_type(depth).itemsize for depth in (2, 3, 4)] == [87, 395, 3151]


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_symmetry_turns_position_and_targets_together(depth):
    """The record of a turned position is the turned record."""
    positions, records, _, _ = some_records(depth)
    squares = np.zeros((len(positions), 9**depth))
    for symmetry in range(8):
        chosen = np.full(len(positions), symmetry)
        turned, _ = transform_positions(positions, chosen, squares)
        encoding = encode(turned.state, np.arange(len(turned)))
        ours = transform(records, chosen, depth)
        for mine, theirs in zip(encoding_of(ours), encoding, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(ours["owners"], encoding.status)  # as `new_records` has it
        legal = ours["policy"] > 0
        assert (legal <= ours["legal"]).all()
        np.testing.assert_array_equal(np.sort(ours["policy"]), np.sort(records["policy"]))
        np.testing.assert_array_equal(ours["value"], records["value"])


def test_shards_are_filled_one_after_the_other_and_read_back(tmp_path):
    _, records, _, _ = some_records(2)
    records["value"] = np.arange(len(records))
    replay = Replay(tmp_path / "replay", 2)
    replay.append(records[:20])
    replay.append(records[20:])
    assert replay.size == len(records) > 32
    replay.flush()
    again = Replay(tmp_path / "replay", 2, size=len(records), window=1000)
    drawn = again.sample(3000, 1000, np.random.default_rng(0))
    assert set(drawn["value"].tolist()) == set(range(len(records)))
    for row in drawn[:50]:
        assert row == records[row["value"]]


def test_the_window_ends_with_the_newest(tmp_path):
    _, records, _, _ = some_records(2)
    records["value"] = np.arange(len(records))
    replay = Replay(tmp_path, 2)
    replay.append(records)
    drawn = replay.sample(500, 7, np.random.default_rng(0))
    assert set(drawn["value"].tolist()) == set(range(len(records) - 7, len(records)))


def test_positions_of_one_game_are_drawn_together(tmp_path):
    """Of three games, in an order that says nothing, each from any of its positions on."""
    records = some_records(2)[1][:36]
    records["value"] = np.arange(36)
    records["game"] = np.random.default_rng(1).integers(3, size=36)
    replay = Replay(tmp_path, 2)
    replay.append(records)
    drawn = replay.sample(900, 36, np.random.default_rng(0), per_game=3)
    assert set(drawn["value"].tolist()) == set(range(36))
    games, values = drawn["game"].reshape(-1, 3), drawn["value"].reshape(-1, 3)
    assert (games == games[:, :1]).all()
    assert all(len(set(row)) == 3 for row in values.tolist())
    recent = replay.sample(900, 20, np.random.default_rng(0), per_game=3)["value"]
    assert set(recent.tolist()) == set(range(16, 36))


def test_what_came_after_a_checkpoint_is_overwritten(tmp_path):
    _, records, _, _ = some_records(2)
    first = Replay(tmp_path, 2)
    first.append(records[:10])
    first.append(records[10:20])  # the run was killed, its checkpoint knows of 10
    resumed = Replay(tmp_path, 2, size=10, window=100)
    resumed.append(records[30:33])
    assert resumed.size == 13
    drawn = resumed.sample(400, 3, np.random.default_rng(0))
    assert {row.tobytes() for row in drawn} == {row.tobytes() for row in records[30:33]}


def test_old_shards_are_deleted(tmp_path):
    _, records, _, _ = some_records(2)
    replay = Replay(tmp_path, 2)
    replay.append(records[:33])
    replay.forget_before(17)
    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        "shard-000001.bin", "shard-000002.bin",
    ]  # fmt: skip
    Replay(tmp_path, 2, size=33, window=16)
    with pytest.raises(ValueError, match=r"shard-000000.bin is missing or cut"):
        Replay(tmp_path, 2, size=33, window=33)


def test_a_cut_shard_is_noticed(tmp_path):
    _, records, _, _ = some_records(2)
    Replay(tmp_path, 2).append(records[:16])
    os.truncate(tmp_path / "shard-000000.bin", 100)
    with pytest.raises(ValueError, match="missing or cut"):
        Replay(tmp_path, 2, size=16, window=16)


def test_a_full_disk_is_an_error_and_nothing_counts(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    _, records, _, _ = some_records(2)
    replay = Replay(tmp_path, 2)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space left"):
        replay.append(records)
    assert replay.size == 0
    assert not list(tmp_path.iterdir())


def test_an_empty_replay_says_so(tmp_path):
    with pytest.raises(ValueError, match="the replay is empty"):
        Replay(tmp_path, 2).sample(1, 1, np.random.default_rng(0))


def test_encodings_have_the_fields_of_records():
    assert set(Encoding._fields) < set(record_type(2).names)
