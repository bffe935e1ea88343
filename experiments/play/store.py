"""What outlives the server: players, matches and their moves, in one SQLite file.

Every change is written before anyone is told of it. In SQLite's write-ahead mode what is written
survives the end of the process at any moment (and a power cut but for the last moments).
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

_VERSION = 1
_SCHEMA = """
CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    token BLOB NOT NULL UNIQUE,  -- a hash of what the browser keeps
    name TEXT NOT NULL
);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    depth INTEGER NOT NULL,
    mode TEXT NOT NULL,          -- agent, shared or room
    x INTEGER REFERENCES players,
    o INTEGER REFERENCES players,
    opponent TEXT,               -- mode agent: a level or a spec
    points INTEGER NOT NULL,     -- for a win; 0 where the match doesn't count
    start INTEGER NOT NULL,      -- how many moves it began with
    timer REAL,                  -- seconds for a move
    turn_began REAL,             -- of the clock, moved on by the time that the server was down
    result TEXT,
    reason TEXT,
    why TEXT,
    address TEXT NOT NULL,       -- from where it was made
    changed REAL NOT NULL
);
CREATE INDEX matches_running ON matches (result, mode, address);
CREATE INDEX matches_x ON matches (x);
CREATE INDEX matches_o ON matches (o);
CREATE TABLE moves (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    ply INTEGER NOT NULL,
    square INTEGER NOT NULL,
    PRIMARY KEY (match, ply)
) WITHOUT ROWID;
CREATE TABLE alive (at REAL NOT NULL);
INSERT INTO alive VALUES (0);
"""
_CODE = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without those that look alike


@dataclass
class Row:
    """A match as it is stored; see the schema."""

    id: int
    code: str
    depth: int
    mode: str
    x: int | None
    o: int | None
    opponent: str | None
    points: int
    start: int
    timer: float | None
    turn_began: float | None
    result: str | None
    reason: str | None
    why: str | None
    address: str
    changed: float


class Store:
    """The database in `folder`; `ValueError` if it can't be used."""

    def __init__(self, folder: Path) -> None:
        path = folder / "matches.sqlite3"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(folder / "lock", thread_local=False)
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(
                f"another server uses {folder}; end it, or name another folder with data=…"
            ) from None
        except OSError as error:
            raise ValueError(f"{folder} can't be used: {error}; name one with data=…") from None
        try:
            # one thread at a time uses it: the one that makes it, then that of the event loop
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
            )
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise ValueError(f"{path} was not made by this program; name another data=…")
            if version == 0:
                self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT")
            elif version != _VERSION:
                raise ValueError(
                    f"{path} is of format {version}, this version knows {_VERSION}; "
                    "name another folder with data=…"
                )
        except sqlite3.Error as error:
            raise ValueError(f"{path} can't be used: {error}; name a folder with data=…") from None

    def close(self) -> None:
        self._db.close()
        self._lock.release()

    # --- players ---

    def player(self, token: str | None, name: str) -> tuple[int, str, str]:
        """The id, token and name of the player who holds `token`; of a new one without."""
        if token is not None:
            found = self._db.execute(
                "SELECT id, name FROM players WHERE token = ?", [_hash(token)]
            ).fetchone()
            if found:
                return found[0], token, found[1]
        token = secrets.token_urlsafe(16)
        cursor = self._db.execute(
            "INSERT INTO players (token, name) VALUES (?, ?)", [_hash(token), name]
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid, token, name

    def rename(self, player: int, name: str) -> None:
        self._db.execute("UPDATE players SET name = ? WHERE id = ?", [name, player])

    def name(self, player: int) -> str:
        found = self._db.execute("SELECT name FROM players WHERE id = ?", [player])
        name: str = found.fetchone()[0]
        return name

    # --- matches ---

    def create(self, moves: list[int], **columns: Any) -> Row:
        """A new match with a code of its own."""
        code = _new_code()
        while self.find(code) is not None:
            code = _new_code()
        columns |= {"code": code, "changed": time.time(), "start": len(moves)}
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        with _Transaction(self._db):
            cursor = self._db.execute(
                f"INSERT INTO matches ({names}) VALUES ({marks})", list(columns.values())
            )
            self._db.executemany(
                "INSERT INTO moves VALUES (?, ?, ?)",
                [(cursor.lastrowid, ply, square) for ply, square in enumerate(moves)],
            )
        row = self.find(code)
        assert row is not None
        return row

    def find(self, code: str) -> Row | None:
        """The match with a code."""
        return next(self._rows("WHERE code = ?", [code]), None)

    def with_clocks(self) -> list[Row]:
        """The matches in which a clock runs."""
        return list(self._rows("WHERE result IS NULL AND turn_began IS NOT NULL", []))

    def moves(self, match: int) -> list[int]:
        found = self._db.execute("SELECT square FROM moves WHERE match = ? ORDER BY ply", [match])
        return [square for (square,) in found]

    def update(self, match: int, **columns: Any) -> None:
        """Change some columns."""
        columns["changed"] = time.time()
        names = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE matches SET {names} WHERE id = ?", [*columns.values(), match])

    def add_move(self, match: int, ply: int, square: int, **columns: Any) -> None:
        """A move and what it changes, whole or not at all."""
        with _Transaction(self._db):
            self._db.execute("INSERT INTO moves VALUES (?, ?, ?)", [match, ply, square])
            self.update(match, **columns)

    def delete(self, match: int) -> None:
        self._db.execute("DELETE FROM matches WHERE id = ?", [match])

    def take_back(self, match: int, ply: int) -> None:
        """Delete the moves from `ply` on; the match no longer counts."""
        with _Transaction(self._db):
            self._db.execute("DELETE FROM moves WHERE match = ? AND ply >= ?", [match, ply])
            self.update(match, points=0)

    def count_rooms(self, address: str) -> int:
        """How many unfinished rooms were made from a network address."""
        count: int = self._db.execute(
            "SELECT count(*) FROM matches WHERE result IS NULL AND mode = 'room' AND address = ?",
            [address],
        ).fetchone()[0]
        return count

    def expire(self, hours: float) -> list[str]:
        """Delete unfinished rooms in which nothing has happened for so long; their codes."""
        gone = self._db.execute(
            "DELETE FROM matches WHERE result IS NULL AND mode = 'room' AND changed < ?"
            " RETURNING code",
            [time.time() - 3600 * hours],
        )
        return [code for (code,) in gone.fetchall()]

    def beat(self) -> None:
        """Note that the server is alive."""
        self._db.execute("UPDATE alive SET at = ?", [time.time()])

    def resume_clocks(self) -> None:
        """Let time go on where it stood when the server was last alive."""
        with _Transaction(self._db):
            last = self._db.execute("SELECT at FROM alive").fetchone()[0]
            if last:
                self._db.execute(
                    "UPDATE matches SET turn_began = turn_began + :down, changed = changed + :down"
                    " WHERE result IS NULL",
                    {"down": max(0.0, time.time() - last)},
                )
            self.beat()

    # --- scores ---

    def unfinished(self, player: int, number: int = 50) -> list[Row]:
        """A player's matches that are not over, the latest first."""
        return list(
            self._rows(
                "WHERE result IS NULL AND (x = ? OR o = ?) ORDER BY changed DESC LIMIT ?",
                [player, player, number],
            )
        )

    def ply(self, match: int) -> int:
        """How many moves a match has."""
        found = self._db.execute("SELECT count(*) FROM moves WHERE match = ?", [match])
        ply: int = found.fetchone()[0]
        return ply

    def record_of(self, player: int) -> list[dict[str, Any]]:
        """Wins, draws and losses of a player by opponent and depth."""
        found = self._db.execute(
            """
            SELECT coalesce(opponent, 'people'), depth,
                   sum(result = mark), sum(result = 'draw'), sum(result NOT IN (mark, 'draw'))
            FROM (
                SELECT opponent, depth, result, 'X' AS mark, mode FROM matches WHERE x = :player
                UNION ALL
                SELECT opponent, depth, result, 'O', mode FROM matches WHERE o = :player
            )
            WHERE result IS NOT NULL AND mode != 'shared'
            GROUP BY 1, 2 ORDER BY 2, 1
            """,
            {"player": player},
        )
        names = ("opponent", "depth", "wins", "draws", "losses")
        return [dict(zip(names, row, strict=True)) for row in found]

    def leaders(self, number: int = 20) -> list[tuple[int, str, int, str]]:
        """Id, name and points of the best players, and what their best win was against."""
        found = self._db.execute(
            """
            SELECT players.id, name, sum(points), opponent || ' at depth ' || depth,
                   max(points * 10 + depth)
            FROM matches JOIN players ON players.id = CASE result WHEN 'X' THEN x ELSE o END
            WHERE result IN ('X', 'O') AND points > 0
            GROUP BY players.id ORDER BY 3 DESC, players.id LIMIT ?
            """,  # with one max(), SQLite takes the bare columns from its row
            [number],
        )
        return [row[:4] for row in found]

    def _rows(self, where: str, values: Iterable[Any]) -> Any:
        names = ", ".join(Row.__dataclass_fields__)
        found = self._db.execute(f"SELECT {names} FROM matches {where}", list(values))
        return (Row(*row) for row in found.fetchall())


class _Transaction:
    """All of it or nothing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN")

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")


def _new_code() -> str:
    return "".join(secrets.choice(_CODE) for _ in range(6))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
