"""A match that someone looks at: who is there, the clock, and the computer that plays."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol

from agents.agent import FORFEIT, Answer
from experiments.play import messages as m
from experiments.play.examination import facts
from experiments.play.levels import hard_spec
from experiments.play.match import OTHER, Match, RefusedError, Seat
from experiments.play.member import Member, refusal
from experiments.play.store import Row, Store
from experiments.play.thinking import Question
from experiments.play.workers import AgentError, BusyError, Workers


class House(Protocol):
    """What a table needs of the club that it stands in."""

    store: Store
    workers: Workers

    def opponent(self, depth: int, named: str) -> tuple[str, int]:
        """Spec and points of a level or an agent; `ValueError` if it may not be had."""
        ...

    def new_match(self, moves: list[int], *, address: str, **columns: Any) -> Row:
        """A new match; `ValueError` if there may not be one."""
        ...

    def table(self, code: str) -> Table:
        """The table of another match."""
        ...

    def rest(self, table: Table) -> None:
        """Forget the table if it is no longer needed."""
        ...

    def close(self, table: Table, why: str) -> None:
        """Delete the match."""
        ...


class Table:
    """A match with its viewers.

    Attributes:
        edition: grows whenever moves are taken back, so that a late answer to a position that
            was taken back can be told from one that counts.
    """

    def __init__(self, house: House, match: Match) -> None:
        self._house, self.match = house, match
        self.viewers: list[Member] = []
        self._edition = 0
        self._thinking: asyncio.Task[None] | None = None
        self._offer: Seat | None = None
        self._next: str | None = None  # the rematch's code
        self._clock: asyncio.TimerHandle | None = None

    @property
    def code(self) -> str:
        return self.match.row.code

    @property
    def busy(self) -> bool:
        """Whether something goes on here even if nobody looks."""
        return bool(self.viewers) or self._clock is not None or self._thinking is not None

    # --- who is there ---

    def enter(self, member: Member) -> None:
        """A browser looks on from now on; everyone there learns of it."""
        if member not in self.viewers:
            self.viewers.append(member)
            member.matches.add(self.code)
        self.think()
        self.show()

    def leave(self, member: Member) -> None:
        """It no longer does."""
        if member in self.viewers:
            self.viewers.remove(member)
            self.show()
            self._house.rest(self)

    def take_seat(self, member: Member) -> None:
        """A player takes the free seat of a room, and the clock begins to run."""
        row = self.match.row
        columns: dict[str, Any] = {"x" if row.x is None else "o": member.player}
        self.match.change(**columns, turn_began=time.time() if row.timer else None)
        self.set_clock()

    # --- what they do ---

    def act(self, member: Member, message: m.Move | m.Undo | m.Hint | m.Resign | m.Rematch) -> None:
        """Do what a player asks for; `RefusedError` says why not."""
        match = self.match
        seat = match.seat(member.player)
        if isinstance(message, (m.Move, m.Undo, m.Hint)):
            match.check_ply(message.ply)
        if isinstance(message, (m.Move, m.Hint)) and match.full and seat != match.to_play:
            raise RefusedError(f"it is {match.to_play}'s turn")
        match message:
            case m.Move():
                if not match.full:
                    raise RefusedError("nobody has taken the other seat yet; send the link")
                self._play(message.square)
            case m.Undo():
                match.take_back(match.plies_to_undo())
                self._edition += 1
                self.think()
                self.show()
            case m.Hint():
                if match.row.mode == "room":
                    raise RefusedError("there are no hints against people")
                if member.works_on("hint"):
                    raise RefusedError("the hint that you asked for is still being searched")
                self.unrank()
                member.start("hint", self._hint(member))
            case m.Resign() if match.over:
                raise RefusedError("the match is over")
            case m.Resign() if match.full:
                self._end(OTHER[seat], "resigned")
            case m.Resign():
                self._house.close(self, "the room was closed before anyone came")
            case m.Rematch():
                self._rematch(seat)

    def _play(self, square: int) -> None:
        """Make a move that is known to be in turn, and tell everyone."""
        ply = self.match.ply
        self.match.play(ply, square)
        self.set_clock()
        self.think()
        move = {"type": "moved", "code": self.code, "ply": ply, "square": square}
        for viewer in list(self.viewers):
            viewer.send({**move, **self._news(viewer.player)})

    def unrank(self) -> None:
        """A match in which help was taken doesn't count."""
        if self.match.row.points and not self.match.over:
            self.match.change(points=0)
            self.show()

    def _end(self, result: str, reason: str, why: str | None = None) -> None:
        """Someone has won otherwise than on the board."""
        self.match.change(result=result, reason=reason, why=why)
        self.set_clock()
        self.show()

    def _rematch(self, seat: Seat) -> None:
        row = self.match.row
        if not self.match.over:
            raise RefusedError("the match is not over")
        if row.mode == "room" and self._next is None and self._offer in (None, seat):
            self._offer = seat
            self.show()
            return
        if self._next is None:
            new = self._house.new_match(
                [], address=row.address, depth=row.depth, mode=row.mode, x=row.o, o=row.x,
                opponent=row.opponent, timer=row.timer,
                turn_began=time.time() if row.timer else None,
            )  # fmt: skip
            self._next, self._offer = new.code, None
            self._house.table(new.code).set_clock()
        self.send({"type": "rematch", "code": self.code, "next": self._next})

    # --- the clock ---

    def set_clock(self) -> None:
        """Have the match end when the time for the present move runs out."""
        self.stop_clock()
        left = self.match.left
        if left is not None:
            self._clock = asyncio.get_running_loop().call_later(left, self._run_out)

    def stop_clock(self) -> None:
        """Nothing happens by itself any more."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _run_out(self) -> None:
        if self.match.left:  # the system's clock was set back
            self.set_clock()
        else:
            self._end(OTHER[self.match.to_play], "time")
            self._house.rest(self)

    # --- the computer ---

    def think(self) -> None:
        """Let the agent think if it is its turn."""
        if self.match.awaits_computer and self._thinking is None:
            self._thinking = asyncio.create_task(self._computers_move())

    async def _computers_move(self) -> None:
        match = self.match
        ply, edition = match.ply, self._edition
        square, why = FORFEIT, None
        try:
            spec, _ = self._house.opponent(match.row.depth, match.row.opponent or "")
            answer = await self._ask_patiently(self._question(spec))
            square, why = int(answer.square[0]), answer.forfeits.get(0)
        except (AgentError, ValueError) as error:
            why = str(error)
        self._thinking = None
        if match.over or (ply, edition) != (match.ply, self._edition):
            self.think()  # a late answer: the position is another one
            self.show()
        elif square == FORFEIT:
            match.change(points=0)  # nobody has beaten it
            self._end(OTHER[match.to_play], "gave up", why)
        else:
            self._play(square)
        self._house.rest(self)

    async def _ask_patiently(self, question: Question) -> Answer:
        while True:
            try:
                return await self._house.workers.ask(question, urgent=True)
            except BusyError:
                await asyncio.sleep(1)

    async def _hint(self, member: Member) -> None:
        match = self.match
        ply, edition = match.ply, self._edition
        try:
            answer = await self._house.workers.ask(
                self._question(hard_spec(match.row.depth)), urgent=True
            )
        except AgentError as error:
            member.send(refusal("hint", str(error), self.code))
            return
        if match.over or (ply, edition) != (match.ply, self._edition):
            return
        found = facts(answer)
        visits = found["visits"] or [0]
        member.send(
            {
                "type": "hint",
                "code": self.code,
                "ply": ply,
                "visits": max(visits),
                "share": max(visits) / max(1, sum(visits)),
                **{name: found[name] for name in ("square", "value", "simulations", "seconds")},
            }
        )

    def _question(self, spec: str) -> Question:
        return Question(spec, self.match.row.depth, list(self.match.moves), self.match.row.id)

    # --- what is said of it ---

    def send(self, message: dict[str, Any]) -> None:
        """To all who look on."""
        for viewer in list(self.viewers):
            viewer.send(message)

    def show(self) -> None:
        """The whole match to all who look on."""
        for viewer in list(self.viewers):
            viewer.send(self._view(viewer.player))

    def _view(self, player: int) -> dict[str, Any]:
        match, row = self.match, self.match.row
        seats = match.seats(player)
        return {
            "type": "match",
            "code": row.code,
            "depth": row.depth,
            "mode": row.mode,
            "moves": match.moves,
            "start": row.start,
            "seats": [self._seat(row.x, "X"), self._seat(row.o, "O")],
            "you": "both" if len(seats) == 2 else seats[0] if seats else None,
            "opponent": row.opponent,
            "timer": row.timer,
            "watchers": len({v.player for v in self.viewers if not match.seats(v.player)}),
            "offer": self._offer,
            "why": row.why,
            **self._news(player),
        }

    def _news(self, player: int) -> dict[str, Any]:
        """The part of it that a move can change."""
        row = self.match.row
        return {
            "left": self.match.left,
            "thinking": self.match.awaits_computer,
            "result": row.result,
            "reason": row.reason,
            "ranked": row.points > 0,
            "points": self.match.points_of(player),
        }

    def _seat(self, player: int | None, seat: Seat) -> dict[str, Any]:
        if seat == self.match.computer:
            return {"name": self.match.row.opponent, "kind": "computer", "online": True}
        if player is None:
            return {"name": None, "kind": "free", "online": False}
        online = any(viewer.player == player for viewer in self.viewers)
        return {"name": self._house.store.name(player), "kind": "person", "online": online}
