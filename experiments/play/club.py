"""What can be done on the server: every message that a browser may send, and the computer's moves.

All of it runs in one event loop. Between the check of a request and the storing of what it
changes nothing is awaited, so that no two requests can come between each other.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Coroutine
from typing import Any

from agents.agent import FORFEIT, Answer
from experiments.play import messages as m
from experiments.play.examination import Examination, facts
from experiments.play.levels import HARD, levels
from experiments.play.match import OTHER, Match, RefusedError
from experiments.play.specs import check_spec
from experiments.play.store import Store
from experiments.play.thinking import Question
from experiments.play.workers import AgentError, BusyError, Workers
from rstt_env.outcome import NAMES, UNDECIDED
from rstt_env.positions import positions_from_moves


class Member:
    """A browser that is connected, once it has said hello."""

    def __init__(self, address: str, send: Any) -> None:
        self.address, self.send = address, send
        self.player = -1
        self.matches: set[str] = set()
        self.tasks: dict[str, asyncio.Task[None]] = {}  # analysis, graph, hint


class Club:
    """The matches and who plays them.

    Args:
        store: of what lasts.
        workers: that search.
        networks: depth → the path of weights that were trained at it.
        specs: agents that may be had beside those that browsers may name themselves.
        local: whether only this machine can reach the server.
        rooms: unfinished ones for each network address.
        expire: hours until an unfinished match in which nothing happens is deleted.
    """

    def __init__(
        self, store: Store, workers: Workers, *, networks: dict[int, str], specs: list[str],
        local: bool, rooms: int, expire: float,
    ) -> None:  # fmt: skip
        self._store, self._workers, self._local = store, workers, local
        self._rooms, self._expire = rooms, expire
        self._levels = {depth: levels(depth, networks.get(depth)) for depth in range(1, 5)}
        self._networks = {depth: f"az:{path}:1.8s" for depth, path in networks.items()}
        self._specs = [*specs, *self._networks.values()]
        self._live: dict[str, Match] = {}
        self._moving: set[asyncio.Task[None]] = set()

    # --- from the start of the server to its end ---

    async def keep_house(self) -> None:
        """Resume the clocks; then do what is due from time to time, until the server ends."""
        self._store.resume_clocks()
        for row in self._store.with_clocks():
            self._live[row.code] = match = Match(self._store, row)
            self._set_clock(match)
        while True:
            for code in self._store.expire(self._expire):
                self._forget(code, "the match has expired: nothing happened for long")
            for _ in range(600):
                self._store.beat()
                await asyncio.sleep(1)

    def _forget(self, code: str, why: str) -> None:
        match = self._live.pop(code, None)
        if match is not None:
            if match.clock:
                match.clock.cancel()
            match.send(_error("open", why, code))

    # --- who is there ---

    def receive(self, member: Member, message: m.Message) -> None:
        """Do what a message asks for; `ValueError` says why it can't be done."""
        if member.player < 0 and not isinstance(message, m.Hello):
            raise RefusedError("say hello first")
        match message:
            case m.Hello():
                self._hello(member, message)
            case m.Rename():
                self._store.rename(member.player, message.name)
                for code in member.matches:
                    self._show(self._live[code])
            case m.Scores():
                member.send(self._scores(member.player))
            case m.Create():
                self._enter(member, self._create(member, message))
            case m.Open():
                self._open(member, message)
            case m.Leave():
                self._leave(member, message.code)
            case m.Move() | m.Undo() | m.Hint() | m.Resign() | m.Rematch():
                self._act(member, self._seen_match(member, message.code), message)
            case m.Analyse() | m.Graph():
                self._examine(member, message)
            case m.Stop():
                self._stop(member)

    def quit(self, member: Member) -> None:
        """The browser is gone."""
        self._stop(member)
        for code in list(member.matches):
            self._leave(member, code)

    def _hello(self, member: Member, message: m.Hello) -> None:
        if member.player >= 0:
            raise RefusedError("you have said hello already")
        name = message.name or f"Guest {secrets.randbelow(9000) + 1000}"
        member.player, token, name = self._store.player(message.token, name)
        named = self._levels[1]
        member.send(
            {
                "type": "welcome",
                "token": token,
                "name": name,
                "levels": [
                    {
                        "name": level.name,
                        "points": level.points,
                        "spec": {d: at[i].spec for d, at in self._levels.items()},
                    }
                    for i, level in enumerate(named)
                ],
                "specs": [*self._specs, "uct:1s:solver:decisive", "alphabeta:1s", "uct:10000"],
                "networks": self._networks,
                "timers": m.TIMERS,
                "lan": not self._local,
            }
        )

    def _scores(self, player: int) -> dict[str, Any]:
        leaders = [
            {"name": name, "points": points, "best": best, "you": who == player}
            for who, name, points, best in self._store.leaders()
        ]
        return {"type": "scores", "you": self._store.record_of(player), "leaders": leaders}

    # --- matches begin, and are looked at ---

    def _create(self, member: Member, message: m.Create) -> Match:
        opponent = spec = None
        points = 0
        if message.mode == "agent":
            opponent, spec, points = self._opponent(message)
        if message.mode == "room" and self._store.count_rooms(member.address) >= self._rooms:
            raise RefusedError(
                f"there are {self._rooms} unfinished rooms from your address; finish one first"
            )
        start = positions_from_moves(message.depth, [message.moves])
        if start.outcome[0] != UNDECIDED:
            raise RefusedError(f"the game to begin with is over: {NAMES[int(start.outcome[0])]}")
        side = message.side if message.side != "random" else secrets.choice("XO")
        both = message.mode == "shared"
        row = self._store.create(
            list(message.moves),
            depth=message.depth,
            mode=message.mode,
            x=member.player if both or side == "X" else None,
            o=member.player if both or side == "O" else None,
            opponent=opponent,
            spec=spec,
            points=0 if message.moves else points,
            timer=message.timer if message.mode == "room" else None,
            address=member.address,
        )
        return self._match(row.code)

    def _opponent(self, message: m.Create) -> tuple[str, str, int]:
        """Name, spec and points of the agent that a new match is against."""
        named = message.opponent or ""
        for level in self._levels[message.depth]:
            if level.name == named:
                return level.name, level.spec, level.points
        return named, check_spec(named, self._specs, self._local), 0

    def _open(self, member: Member, message: m.Open) -> None:
        match = self._match(message.code)
        row = match.row
        if not message.watch and not match.full and not match.seats(member.player):
            columns: dict[str, Any] = {"x" if row.x is None else "o": member.player}
            match.change(**columns, turn_began=time.time() if row.timer else None)
            self._set_clock(match)
        self._enter(member, match)

    def _enter(self, member: Member, match: Match) -> None:
        """A browser looks at a match from now on; everyone there learns of it."""
        if member not in match.viewers:
            match.viewers.append(member)
            member.matches.add(match.row.code)
        self._think(match)
        self._show(match)

    def _leave(self, member: Member, code: str) -> None:
        member.matches.discard(code)
        match = self._live.get(code)
        if match is None or member not in match.viewers:
            return
        match.viewers.remove(member)
        self._show(match)
        self._rest(match)

    def _rest(self, match: Match) -> None:
        """Keep in memory only what someone looks at, or what goes on by itself."""
        if not match.viewers and match.clock is None and not match.thinking:
            self._live.pop(match.row.code, None)

    def _match(self, code: str) -> Match:
        if code not in self._live:
            row = self._store.find(code)
            if row is None:
                raise RefusedError(f"there is no match {code!r}; it may have expired")
            self._live[code] = Match(self._store, row)
        return self._live[code]

    def _seen_match(self, member: Member, code: str) -> Match:
        if code not in member.matches or code not in self._live:
            raise RefusedError(f"open match {code!r} first")
        return self._live[code]

    def _show(self, match: Match) -> None:
        for viewer in list(match.viewers):
            viewer.send(match.view(viewer.player))

    # --- in a match ---

    def _act(
        self, member: Member, match: Match, message: m.Move | m.Undo | m.Hint | m.Resign | m.Rematch
    ) -> None:
        seat = match.seat(member.player)
        match message:
            case m.Move():
                match.check_ply(message.ply)
                if not match.full:
                    raise RefusedError("nobody has taken the other seat yet; send the link")
                if seat != match.to_play:
                    raise RefusedError(f"it is {match.to_play}'s turn")
                self._play(match, message.square)
            case m.Undo():
                match.check_ply(message.ply)
                match.take_back(_plies_to_undo(match))
                self._think(match)
                self._show(match)
            case m.Hint():
                match.check_ply(message.ply)
                if match.row.mode == "room":
                    raise RefusedError("there are no hints against people")
                if seat != match.to_play:
                    raise RefusedError(f"it is {match.to_play}'s turn")
                if member.tasks.get("hint"):
                    raise RefusedError("the hint that you asked for is still being searched")
                self._unrank(match)
                self._start(member, "hint", self._hint(member, match))
            case m.Resign():
                if match.over:
                    raise RefusedError("the match is over")
                if match.full:
                    self._end(match, OTHER[seat], "resigned")
                else:
                    self._store.delete(match.row.id)
                    self._forget(match.row.code, "the room was closed before anyone came")
            case m.Rematch():
                self._rematch(match, seat)

    def _play(self, match: Match, square: int) -> None:
        """Make a move that is known to be in turn, and tell everyone."""
        ply = match.ply
        match.play(ply, square)
        self._set_clock(match)
        self._think(match)
        for viewer in list(match.viewers):
            viewer.send(
                {
                    "type": "moved", "code": match.row.code, "ply": ply, "square": square,
                    **match.news(viewer.player),
                }
            )  # fmt: skip

    def _end(self, match: Match, result: str, reason: str, why: str | None = None) -> None:
        match.end(result, reason, why)
        self._set_clock(match)
        self._show(match)

    def _unrank(self, match: Match) -> None:
        """A match in which help was taken doesn't count."""
        if match.row.points and not match.over:
            match.change(points=0)
            self._show(match)

    def _rematch(self, match: Match, seat: str) -> None:
        if not match.over:
            raise RefusedError("the match is not over")
        if match.row.mode == "room" and match.offer in (None, seat):
            match.offer = "X" if seat == "X" else "O"
            self._show(match)
            return
        row = match.row
        points = 0
        for level in self._levels[row.depth]:
            if row.mode == "agent" and level.name == row.opponent:
                points = level.points
        timer = row.timer
        new = self._store.create(
            [], depth=row.depth, mode=row.mode, x=row.o, o=row.x, opponent=row.opponent,
            spec=row.spec, points=points, timer=timer,
            turn_began=time.time() if timer else None, address=row.address,
        )  # fmt: skip
        match.offer = None
        self._set_clock(self._match(new.code))
        match.send({"type": "rematch", "code": row.code, "next": new.code})

    def _set_clock(self, match: Match) -> None:
        """Have the match end when its clock runs out."""
        if match.clock is not None:
            match.clock.cancel()
            match.clock = None
        if match.left is not None:
            loop = asyncio.get_running_loop()
            match.clock = loop.call_later(match.left, self._run_out, match)

    def _run_out(self, match: Match) -> None:
        if not match.over and (match.left or 0) > 0:  # the system's clock was set back
            self._set_clock(match)
        elif not match.over:
            self._end(match, OTHER[match.to_play], "time")

    # --- the computer ---

    def _think(self, match: Match) -> None:
        """Let the agent think if it is its turn."""
        if match.awaits_computer and not match.thinking:
            match.thinking = True
            task = asyncio.create_task(self._computers_move(match))
            self._moving.add(task)  # the loop itself keeps only a weak reference
            task.add_done_callback(self._moving.discard)

    async def _computers_move(self, match: Match) -> None:
        ply, edition = match.ply, match.edition
        square, why = FORFEIT, None
        try:
            answer = await self._ask_patiently(_question(match, match.row.spec or ""))
            square, why = int(answer.square[0]), answer.forfeits.get(0)
        except AgentError as error:
            why = str(error)
        match.thinking = False
        if match.over or (ply, edition) != (match.ply, match.edition):
            self._think(match)  # a late answer: the position is another one
        elif square == FORFEIT:
            self._end(match, OTHER[match.to_play], "gave up", why)
        else:
            self._play(match, square)
        self._rest(match)

    async def _ask_patiently(self, question: Question) -> Answer:
        while True:
            try:
                return await self._workers.ask(question, urgent=True)
            except BusyError:
                await asyncio.sleep(1)

    async def _hint(self, member: Member, match: Match) -> None:
        ply, edition = match.ply, match.edition
        try:
            answer = await self._workers.ask(_question(match, HARD), urgent=True)
        except AgentError as error:
            member.send(_error("hint", str(error), match.row.code))
            return
        if match.over or (ply, edition) != (match.ply, match.edition):
            return
        found = facts(answer)
        visits = found["visits"] or []
        member.send(
            {
                "type": "hint",
                "code": match.row.code,
                "ply": ply,
                "visits": max(visits, default=0),
                "share": max(visits, default=0) / max(1, sum(visits)),
                **{name: found[name] for name in ("square", "value", "simulations", "seconds")},
            }
        )

    def _examine(self, member: Member, message: m.Analyse | m.Graph) -> None:
        of_levels = [level.spec for level in self._levels[message.depth]]
        spec = check_spec(message.spec, [*self._specs, *of_levels], self._local)
        if message.code is not None:
            match = self._seen_match(member, message.code)
            if match.seats(member.player):
                if match.row.mode == "room" and not match.over:
                    raise RefusedError("there is no analysis while you play against people")
                self._unrank(match)
        examination = Examination(self._workers, member.send, message.id, message.depth, spec)
        work = examination.analyse if isinstance(message, m.Analyse) else examination.draw_graph
        self._start(member, message.type, work(list(message.moves)))

    def _start(self, member: Member, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Work for a browser, in place of its earlier work of that name."""
        if name in member.tasks:
            member.tasks[name].cancel()
        task = member.tasks[name] = asyncio.create_task(work)

        def forget(done: asyncio.Task[None]) -> None:
            if member.tasks.get(name) is done:
                del member.tasks[name]

        task.add_done_callback(forget)

    def _stop(self, member: Member) -> None:
        for task in list(member.tasks.values()):
            task.cancel()


def _plies_to_undo(match: Match) -> int:
    """How many plies go back to the player's last move; `RefusedError` if there is none."""
    if match.row.mode == "room":
        raise RefusedError("moves against people are final")
    plies = 1 if match.row.mode == "shared" or match.awaits_computer else 2
    if match.ply - plies < match.row.start:
        raise RefusedError("there is no move of yours to take back")
    return plies


def _question(match: Match, spec: str) -> Question:
    return Question(spec, match.row.depth, list(match.moves), match.row.id)


def _error(about: str | None, message: str, code: str | None) -> dict[str, Any]:
    return {"type": "error", "about": about, "message": message, "code": code}
