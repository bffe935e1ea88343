"""A match: the stored row, the position, and what the rules say of both."""

from __future__ import annotations

import time
from typing import Any, Literal

from experiments.play.store import Row, Store
from rstt_env.outcome import NAMES, UNDECIDED, O, X
from rstt_env.positions import IllegalMoveError, positions_from_moves

Seat = Literal["X", "O"]
OTHER: dict[str, Seat] = {"X": "O", "O": "X"}


class RefusedError(ValueError):
    """What a player asked for can't be done; nothing was changed."""


class Match:
    """A match that goes on or is over. What changes it is stored first."""

    def __init__(self, store: Store, row: Row) -> None:
        self._store, self.row = store, row
        self.moves = store.moves(row.id)
        self._positions = positions_from_moves(row.depth, [self.moves])

    # --- what it is asked for ---

    @property
    def over(self) -> bool:
        return self.row.result is not None

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def to_play(self) -> Seat:
        return "X" if self.ply % 2 == 0 else "O"

    @property
    def full(self) -> bool:
        """Whether nobody is missing."""
        return self.row.mode != "room" or None not in (self.row.x, self.row.o)

    @property
    def computer(self) -> Seat | None:
        """The seat of the agent."""
        if self.row.mode != "agent":
            return None
        return "X" if self.row.x is None else "O"

    @property
    def awaits_computer(self) -> bool:
        return not self.over and self.to_play == self.computer

    def seats(self, player: int) -> list[Seat]:
        """The seats that a player holds: two on a shared screen."""
        held: list[Seat] = []
        if self.row.x == player:
            held.append("X")
        if self.row.o == player:
            held.append("O")
        return held

    def seat(self, player: int) -> Seat:
        """The seat for which a player acts now; `RefusedError` for one who only watches."""
        seats = self.seats(player)
        if not seats:
            raise RefusedError("you watch this match; only its players can do that")
        return self.to_play if len(seats) == 2 else seats[0]

    @property
    def left(self) -> float | None:
        """Seconds that the clock leaves for this move."""
        if self.over or self.row.timer is None or self.row.turn_began is None:
            return None
        return max(0.0, self.row.turn_began + self.row.timer - time.time())

    def check_ply(self, ply: int) -> None:
        """`RefusedError` for who speaks of another position than the present one."""
        if self.over:
            raise RefusedError("the match is over")
        if ply != self.ply:
            raise RefusedError(f"the match is at ply {self.ply}, not at {ply}")

    def points_of(self, player: int) -> int | None:
        """The points that a player has won with this match."""
        won = self.row.result in self.seats(player) and self.row.mode == "agent"
        return self.row.points if won and self.row.points else None

    def plies_to_undo(self) -> int:
        """How many plies go back to the player's last move; `RefusedError` if there is none."""
        if self.row.mode == "room":
            raise RefusedError("moves against people are final")
        plies = 1 if self.row.mode == "shared" or self.awaits_computer else 2
        if self.ply - plies < self.row.start:
            raise RefusedError("there is no move of yours to take back")
        return plies

    # --- what changes it ---

    def play(self, ply: int, square: int) -> None:
        """Mark a square for the player to move; `RefusedError` if the rules forbid it."""
        self.check_ply(ply)
        positions = self._positions.copy()
        try:
            positions.play([square])
        except IllegalMoveError as error:
            raise RefusedError(str(error).removeprefix("game 0: ")) from None
        outcome = int(positions.outcome[0])
        changes: dict[str, Any] = {"turn_began": time.time() if self.row.timer else None}
        if outcome != UNDECIDED:
            changes |= {
                "result": NAMES[outcome],
                "reason": "line" if outcome in (X, O) else "full",
            }
        self._store.add_move(self.row.id, ply, square, **changes)
        self._positions = positions
        self.moves.append(square)
        self._take_over(changes)

    def take_back(self, plies: int) -> None:
        """Undo the last moves."""
        self._store.take_back(self.row.id, self.ply - plies)
        del self.moves[self.ply - plies :]
        self._positions = positions_from_moves(self.row.depth, [self.moves])
        self.row.points = 0

    def change(self, **columns: Any) -> None:
        """Change stored columns."""
        self._store.update(self.row.id, **columns)
        self._take_over(columns)

    def _take_over(self, columns: dict[str, Any]) -> None:
        for name, value in columns.items():
            setattr(self.row, name, value)
