"""Game records: one line of JSON for a game."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from rstt_env import tree
from rstt_env.outcome import NAMES
from rstt_env.positions import Positions, positions_from_moves
from rstt_env.state import State

_FIELDS = {"depth", "moves", "result", "metadata"}


@dataclass(frozen=True)
class GameRecord:
    """A game: depth, squares in the order played, result, and whatever else is known of it.

    `result` is `X`, `O`, `draw`, or `undecided` where the game was not played to the end.
    """

    depth: int
    moves: list[int]
    result: str
    metadata: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_moves(
        cls, depth: int, moves: list[int], metadata: dict[str, Any] | None = None
    ) -> GameRecord:
        """The record of the game that `moves` make; `IllegalMoveError` if the rules forbid one."""
        outcome = int(positions_from_moves(depth, [moves]).outcome[0])
        return cls(
            tree.check_depth(depth),
            [int(square) for square in moves],
            NAMES[outcome],
            metadata or {},
        )

    @classmethod
    def from_json(cls, line: str) -> GameRecord:
        """Read a record and check it against the rules; `ValueError` says what is wrong."""
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"a game record is one line of JSON, not {line[:40]!r}: {error}"
            ) from None
        if not isinstance(fields, dict) or not _FIELDS - {"metadata"} <= set(fields) <= _FIELDS:
            found = sorted(fields) if isinstance(fields, dict) else fields
            raise ValueError(f"a game record holds depth, moves, result and metadata, not {found}")
        moves, metadata = fields["moves"], fields.get("metadata", {})
        if not isinstance(moves, list) or not isinstance(metadata, dict):
            raise ValueError(
                f"moves must be a list and metadata an object, not {moves!r} and {metadata!r}"
            )
        record = cls.of_moves(fields["depth"], moves, metadata)
        if record.result != fields["result"]:
            raise ValueError(
                f"the record says {fields['result']!r}, but its moves end in {record.result!r}"
            )
        return record

    def to_json(self) -> str:
        """One line, without the newline."""
        return json.dumps(
            {
                "depth": self.depth,
                "moves": self.moves,
                "result": self.result,
                "metadata": self.metadata,
            },
            separators=(",", ":"),
            allow_nan=False,  # NaN is no JSON
        )

    def positions(self) -> Positions:
        """A batch of all positions of the game, from the start to after the last move."""
        game, batch = Positions(self.depth), Positions(self.depth, len(self.moves) + 1)
        for ply, square in enumerate(self.moves, start=1):
            game.play([square])
            for name in State._fields[1:]:
                getattr(batch.state, name)[ply] = getattr(game.state, name)[0]
        return batch
