"""What can be done on the server: every message that a browser may send.

All of it runs in one event loop. Between the check of a request and the storing of what it
changes nothing is awaited, so that no two requests can come between each other.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import sqlite3
import sys
from typing import Any, get_args

from experiments.play import messages as m
from experiments.play.examination import Examination
from experiments.play.levels import levels
from experiments.play.match import Match, RefusedError
from experiments.play.member import Member, closed
from experiments.play.specs import check_spec
from experiments.play.store import Row, Store
from experiments.play.table import Table
from experiments.play.workers import Workers
from rstt_env import tree
from rstt_env.outcome import NAMES, UNDECIDED
from rstt_env.positions import positions_from_moves

_SUGGESTED = ["uct:1s:solver:decisive", "alphabeta:1s", "uct:10000"]


class Club:
    """The matches and who plays them.

    Args:
        store: of what lasts.
        workers: that search.
        networks: depth → the path of weights that were trained at it.
        specs: agents that may be had beside those that browsers may name themselves.
        local: whether only this machine can reach the server.
        rooms: unfinished ones for each network address.
        expire: hours until an unfinished room in which nothing happens is deleted.
    """

    def __init__(
        self, store: Store, workers: Workers, *, networks: dict[int, str], specs: list[str],
        local: bool, rooms: int, expire: float,
    ) -> None:  # fmt: skip
        self.store, self.workers, self._local = store, workers, local
        self._rooms, self._expire = rooms, expire
        depths = range(1, tree.MAX_DEPTH + 1)
        self._levels = {depth: levels(depth, networks.get(depth)) for depth in depths}
        self._networks = {depth: f"az:{path}:1.8s" for depth, path in networks.items()}
        self._specs = [*specs, *self._networks.values()]
        self._tables: dict[str, Table] = {}

    # --- from the start of the server to its end ---

    async def keep_house(self) -> None:
        """Resume the clocks; then do what is due from time to time, until the server ends."""
        self.store.resume_clocks()
        for row in self.store.with_clocks():
            self.table(row.code).set_clock()
        for second in itertools.count():
            try:
                if second % 600 == 0:
                    for code in self.store.expire(self._expire):
                        self._forget(code, "the room has expired: nothing happened for long")
                self.store.beat()
            except sqlite3.Error as error:  # a full disk, say: it may be a matter of time
                print(f"the matches can't be written: {error}", file=sys.stderr)
            await asyncio.sleep(1)

    # --- tables ---

    def table(self, code: str) -> Table:
        """The table of a match; `RefusedError` if there is no such match."""
        if code not in self._tables:
            row = self.store.find(code)
            if row is None:
                raise RefusedError(f"there is no match {code!r}; it may have expired")
            self._tables[code] = Table(self, Match(self.store, row))
        return self._tables[code]

    def rest(self, table: Table) -> None:
        """Keep in memory only what someone looks at, or what goes on by itself."""
        if not table.busy:
            self._tables.pop(table.code, None)

    def close(self, table: Table, why: str) -> None:
        """Delete a match, and tell those who look on."""
        self.store.delete(table.match.row.id)
        self._forget(table.code, why)

    def _forget(self, code: str, why: str) -> None:
        table = self._tables.pop(code, None)
        if table is not None:
            table.stop_clock()
            table.send(closed(why, code))
            for viewer in table.viewers:
                viewer.matches.discard(code)

    def opponent(self, depth: int, named: str) -> tuple[str, int]:
        """Spec and points of a level, or of an agent that browsers may have.

        Raises:
            ValueError: says why they may not.
        """
        for level in self._levels[depth]:
            if level.name == named:
                return level.spec, level.points
        return check_spec(named, depth, self._specs, self._local), 0

    def new_match(self, moves: list[int], *, address: str, **columns: Any) -> Row:
        """A match with its opponent checked, its points set, and room for it."""
        points = 0
        if columns["mode"] == "agent":
            points = self.opponent(columns["depth"], columns["opponent"] or "")[1]
        if columns["mode"] == "room" and self.store.count_rooms(address) >= self._rooms:
            raise RefusedError(
                f"there are {self._rooms} unfinished rooms from your address; finish one first"
            )
        return self.store.create(moves, address=address, points=0 if moves else points, **columns)

    # --- what browsers ask for ---

    def receive(self, member: Member, message: m.Message) -> None:
        """Do what a message asks for; `ValueError` says why it can't be done."""
        if member.player < 0 and not isinstance(message, m.Hello):
            raise RefusedError("say hello first")
        match message:
            case m.Hello():
                self._hello(member, message)
            case m.Rename():
                self.store.rename(member.player, message.name)
                member.send({"type": "renamed", "name": message.name})
                for code in member.matches:
                    self._seen(member, code).show()
            case m.Scores():
                member.send(self._scores(member.player))
            case m.Create():
                self._create(member, message).enter(member)
            case m.Open():
                self._open(member, message)
            case m.Leave():
                self._leave(member, message.code)
            case m.Move() | m.Undo() | m.Hint() | m.Resign() | m.Rematch():
                self._seen(member, message.code).act(member, message)
            case m.Analyse() | m.Graph():
                self._examine(member, message)
            case m.Stop():
                member.stop()

    def quit(self, member: Member) -> None:
        """The browser is gone."""
        member.stop()
        for code in list(member.matches):
            self._leave(member, code)

    def _hello(self, member: Member, message: m.Hello) -> None:
        if member.player >= 0:
            raise RefusedError("you have said hello already")
        try:
            name = m.clean_name(message.name or "")
        except ValueError:
            name = f"Guest {secrets.randbelow(9000) + 1000}"
        member.player, token, name = self.store.player(message.token, name)
        named = [
            {
                "name": level.name,
                "points": level.points,
                "spec": {depth: at[number].spec for depth, at in self._levels.items()},
                "about": {depth: at[number].about for depth, at in self._levels.items()},
            }
            for number, level in enumerate(self._levels[1])
        ]
        member.send(
            {
                "type": "welcome",
                "token": token,
                "name": name,
                "levels": named,
                "specs": [*self._specs, *_SUGGESTED],
                "networks": self._networks,
                "timers": list(get_args(m.Timer)),
                "lan": not self._local,
            }
        )

    def _scores(self, player: int) -> dict[str, Any]:
        leaders = [
            {"name": name, "points": points, "best": best, "you": who == player}
            for who, name, points, best in self.store.leaders()
        ]
        unfinished = [self._summary(row, player) for row in self.store.unfinished(player)]
        record = self.store.record_of(player)
        return {"type": "scores", "you": record, "leaders": leaders, "open": unfinished}

    def _summary(self, row: Row, player: int) -> dict[str, Any]:
        ply = self.store.ply(row.id)
        return {
            "code": row.code,
            "depth": row.depth,
            "mode": row.mode,
            "opponent": row.opponent,
            "turn": player == (row.x if ply % 2 == 0 else row.o),
            "waiting": row.mode == "room" and None in (row.x, row.o),
            "ply": ply,
        }

    def _create(self, member: Member, message: m.Create) -> Table:
        start = positions_from_moves(message.depth, [message.moves])
        if start.outcome[0] != UNDECIDED:
            raise RefusedError(f"the game to begin with is over: {NAMES[int(start.outcome[0])]}")
        side = message.side if message.side != "random" else secrets.choice("XO")
        both = message.mode == "shared"
        row = self.new_match(
            message.moves,
            address=member.address,
            depth=message.depth,
            mode=message.mode,
            x=member.player if both or side == "X" else None,
            o=member.player if both or side == "O" else None,
            opponent=message.opponent if message.mode == "agent" else None,
            timer=message.timer if message.mode == "room" else None,
        )
        return self.table(row.code)

    def _open(self, member: Member, message: m.Open) -> None:
        table = self.table(message.code)
        if not message.watch and not table.match.full and not table.match.seats(member.player):
            table.take_seat(member)
        table.enter(member)

    def _leave(self, member: Member, code: str) -> None:
        member.matches.discard(code)
        if code in self._tables:
            self._tables[code].leave(member)

    def _seen(self, member: Member, code: str) -> Table:
        """A table that the browser looks at."""
        if code not in member.matches or code not in self._tables:
            raise RefusedError(f"open match {code!r} first")
        return self._tables[code]

    def _examine(self, member: Member, message: m.Analyse | m.Graph) -> None:
        of_levels = [level.spec for level in self._levels[message.depth]]
        spec = check_spec(message.spec, message.depth, [*self._specs, *of_levels], self._local)
        if message.code is not None:
            table = self._seen(member, message.code)
            if table.match.seats(member.player):
                if table.match.row.mode == "room" and not table.match.over:
                    raise RefusedError("there is no analysis while you play against people")
                table.unrank()
        examination = Examination(self.workers, member, message.id, message.depth, spec)
        work = examination.analyse if isinstance(message, m.Analyse) else examination.draw_graph
        member.start(message.type, work(message.moves))
