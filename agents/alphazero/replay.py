"""The replay: positions with their targets, in append-only shards on disk.

A shard is a plain file of records of one size. Positions are numbered from 0 in the order in
which they came; the learner draws from a window that ends with the newest. A checkpoint only
needs to remember how many positions there were.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.alphazero.encoding import Encoding
from rstt_env import tree

SHARD = 2**14
"""Positions in a file."""
_APART = 4  # choices between positions of one game in an update: near, so that boards are equal

WIN, DRAW, LOSS, UNKNOWN = 0, 1, 2, 3
"""Outcomes for the mover, in the order of a network's outputs."""

_POLICY, _VALUE = 65535, 32767


def record_type(depth: int) -> np.dtype[np.void]:
    """A position of a depth: the fields of `Encoding` in small types, then the targets.

    `policy` is in units of 1/65535, all 0 where the search was too fast to learn from; `value`,
    of the search's root, in 1/32767; `outcome` is WIN, DRAW or LOSS for the mover, or UNKNOWN;
    `owners` is what became of each board by the time that the position was learnt from, like
    `status`; `game` is the number of its game in the run. 87 bytes at depth 2, 395 at depth 3,
    3,151 at depth 4.
    """
    return np.dtype(
        [
            ("contents", np.uint16, (9 ** (depth - 1),)),
            ("status", np.uint8, (tree.num_boards(depth),)),
            ("path", np.int16, (depth - 1,)),
            ("cells", np.uint8, (9,)),
            ("focus", np.int16),
            ("reach", np.int16),
            ("legal", np.bool_, (9,)),
            ("policy", np.uint16, (9,)),
            ("value", np.int16),
            ("outcome", np.uint8),
            ("owners", np.uint8, (tree.num_boards(depth),)),
            ("game", np.uint32),
        ]
    )


def new_records(
    depth: int, encoding: Encoding, policy: NDArray[np.float32], value: NDArray[np.float32]
) -> NDArray[Any]:
    """Records of n searched positions, each of game 0, whose outcomes and owners are to come.

    Args:
        depth: of the games.
        encoding: of the positions.
        policy: float32[n, 9], the search's targets.
        value: float32[n], of its roots.
    """
    records = np.empty(len(value), record_type(depth))
    for name, array in encoding._asdict().items():
        records[name] = array
    records["policy"] = np.rint(policy * _POLICY)
    records["value"] = to_units(value)
    records["outcome"] = UNKNOWN
    records["owners"] = encoding.status
    records["game"] = 0
    return records


def to_units(value: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Values as records hold them."""
    units: NDArray[np.floating[Any]] = np.rint(np.clip(value, -1, 1) * _VALUE)
    return units


def encoding_of(records: NDArray[Any]) -> Encoding:
    """The `Encoding` of records, in its own types."""
    wide = {np.dtype(np.uint16): np.int32, np.dtype(np.int16): np.int32}
    arrays = [records[name] for name in Encoding._fields]
    return Encoding(*[array.astype(wide.get(array.dtype, array.dtype)) for array in arrays])


def policies(records: NDArray[Any]) -> NDArray[np.float32]:
    """float32[n, 9]: the policy targets, which sum to 1; all 0 where there is none."""
    policy = records["policy"].astype(np.float32)
    shares: NDArray[np.float32] = policy / np.maximum(policy.sum(axis=1, keepdims=True), 1)
    return shares


def values(records: NDArray[Any]) -> NDArray[np.float32]:
    """float32[n]: the values of the roots."""
    return (records["value"] / _VALUE).astype(np.float32)


class Replay:
    """Positions in shards under a folder.

    Args:
        folder: of the shards; made with the first of them.
        depth: of the games.
        size: how many positions count; what a run wrote after its last checkpoint is
            overwritten.

    Raises:
        ValueError: a shard that holds some of the newest `window` positions is missing or cut.
    """

    def __init__(self, folder: Path, depth: int, size: int = 0, window: int = 0) -> None:
        self.depth, self.size = depth, size
        self._folder, self._type = folder, record_type(depth)
        self._shards: dict[int, NDArray[Any]] = {}
        for number in range(max(0, size - window) // SHARD, (size + SHARD - 1) // SHARD):
            path, wanted = self._path(number), SHARD * self._type.itemsize
            if not path.exists() or path.stat().st_size != wanted:
                raise ValueError(f"{path} is missing or cut: it should have {wanted} bytes")

    def append(self, records: NDArray[Any]) -> None:
        """Add records; `OSError` if the disk is full, in which case none counts."""
        done = 0
        while done < len(records):
            number, place = divmod(self.size + done, SHARD)
            part = records[done : done + SHARD - place]
            self._shard(number, new=True)[place : place + len(part)] = part
            done += len(part)
        self.size += len(records)

    def flush(self) -> None:
        """Have everything on disk."""
        for shard in self._shards.values():
            assert isinstance(shard, np.memmap)
            shard.flush()

    def sample(
        self, number: int, window: int, rng: np.random.Generator, per_game: int = 1
    ) -> NDArray[Any]:
        """`number` records, drawn uniformly, with replacement, from the newest `window`.

        With `per_game`, each that is drawn brings others of its game, some choices apart.
        """
        if not self.size:
            raise ValueError("the replay is empty")
        oldest = max(0, self.size - window)
        chosen = rng.integers(oldest, self.size, number // per_game)
        if per_game > 1:
            chosen = self._with_others(chosen, oldest, per_game)
        shards, places = np.divmod(chosen, SHARD)
        records = np.empty(number, self._type)
        for shard in np.unique(shards).tolist():
            rows = shards == shard
            records[rows] = self._shard(shard)[places[rows]]
        return records

    def _with_others(
        self, drawn: NDArray[np.int64], oldest: int, per_game: int
    ) -> NDArray[np.int64]:
        """Each that was drawn and the next ones of its game; after the last come its first."""
        shards = range(oldest // SHARD, (self.size + SHARD - 1) // SHARD)
        games = np.concatenate([self._shard(shard)["game"] for shard in shards])
        first = shards[0] * SHARD
        games = games[oldest - first : self.size - first]
        chosen: list[NDArray[np.int64]] = []
        for number in drawn - oldest:
            own = np.flatnonzero(games == games[number])
            places = np.searchsorted(own, number) + _APART * np.arange(per_game)
            chosen.append(oldest + own[places % len(own)])
        return np.concatenate(chosen)

    def forget_before(self, position: int) -> None:
        """Delete the shards that end before a position."""
        for path in self._folder.glob("shard-*.bin"):
            number = int(path.stem.removeprefix("shard-"))
            if (number + 1) * SHARD <= position:
                self._shards.pop(number, None)
                path.unlink()

    def _path(self, number: int) -> Path:
        return self._folder / f"shard-{number:06}.bin"

    def _shard(self, number: int, new: bool = False) -> NDArray[Any]:
        if number not in self._shards:
            path = self._path(number)
            if new and not path.exists():
                _reserve(path, SHARD * self._type.itemsize)
            self._shards[number] = np.memmap(path, self._type, mode="r+", shape=(SHARD,))
        return self._shards[number]


def _reserve(path: Path, size: int) -> None:
    """A file of `size` bytes, all of them on disk: a full disk shows here, and not as a crash
    when a page of the memory map finds no room."""
    unfinished = path.with_suffix(".tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with unfinished.open("wb") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.write(bytes(size))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
