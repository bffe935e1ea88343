"""Another program as an agent, over CodinGame's protocol of Ultimate Tic-Tac-Toe.

Each turn the program reads the row and the column (0-8) of the opponent's mark, or `-1 -1`,
then the number of valid actions, then one `row column` a line; it answers `row column`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO

import numpy as np

from agents.agent import Answer, check_request
from agents.threads import num_cores, parallel
from rstt_env import tree
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions

FIRST_SECONDS, TURN_SECONDS = 30.0, 5.0
"""How long a program may take: for its first answer (it may have to compile), for another."""

_KNOWN_FROM = 8  # plies that a game may have had before the program joins it
_NO_ID = 2**62  # ids from here on are our own
_PIXELS = tree.pixels(2)


class ProcessAgent:
    """Runs `command` once for each game.

    A program can't be handed a position: it learns a game ply by ply. Plies that it didn't
    choose itself, such as those of an opening, are put to it as the only valid action. It has
    to join a game within the first eight plies and to see every one of its turns.

    A program that crashes, doesn't answer in time or gives an illegal answer forfeits the
    game, with the reason in the answer's `forfeits`.

    Raises:
        ValueError: the depth isn't 2, or there is no such program.
    """

    timed = True

    def __init__(self, depth: int, command: str) -> None:
        if depth != 2:
            raise ValueError(f"the protocol is that of depth 2, not of depth {depth}")
        self._command = shlex.split(command)
        if not self._command:
            raise ValueError("give a command, such as process:./bot")
        if shutil.which(self._command[0]) is None:
            raise ValueError(f"there is no program {self._command[0]!r}")
        self._sessions: dict[int, _Session] = {}

    def reset(self, games: Sequence[int] | None = None) -> None:
        for game in list(self._sessions) if games is None else games:
            session = self._sessions.pop(game, None)
            if session is not None:
                session.close()

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        check_request(positions, 2, games)
        answer = Answer.blank(len(positions))
        # without ids every position is a game of its own, over at once
        ids = range(_NO_ID, _NO_ID + len(positions)) if games is None else games
        try:
            parallel(
                lambda row: self._answer(positions[row], int(ids[row]), row, answer),
                range(len(positions)),
                num_cores(),
            )
        finally:
            if games is None:
                self.reset(ids)
        return answer

    def _answer(self, position: Positions, game: int, row: int, answer: Answer) -> None:
        start = time.perf_counter()
        try:
            if game not in self._sessions:
                self._sessions[game] = _Session(self._command, position)
            answer.square[row] = self._sessions[game].turn(position)
            answer.variations[row].append(int(answer.square[row]))
        except ProgramError as failure:
            answer.forfeits[row] = f"{shlex.join(self._command)}: {failure}"
            self.reset([game])
        answer.seconds[row] = time.perf_counter() - start


class ProgramError(Exception):
    """The program lost the game by itself."""


class _Session:
    """A running program and the game that it has seen so far."""

    def __init__(self, command: list[str], position: Positions) -> None:
        history = moves_to(position)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed in `close`)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,  # so that `close` reaches what a wrapper script starts
            )
        except OSError as error:
            self._errors.close()
            raise ProgramError(f"can't be started: {error.strerror}") from None
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._seen, self._patience = Positions(2), FIRST_SECONDS
        try:
            for square in history:
                if self._seen.to_play[0] == position.to_play[0]:
                    answered = self._ask(self._seen, [square])
                    if answered != square:
                        raise ProgramError(
                            f"answered {_name(answered)} to the opening's {_name(square)}"
                        )
                self._seen.play([square])
        except ProgramError:
            self.close()
            raise

    def turn(self, position: Positions) -> int:
        """The program's square in `position`, which has to follow from what it has seen."""
        last = int(position.last_square[0])
        if self._seen.keys[0] != position.keys[0]:
            if self._seen.legal[0, last]:
                self._seen.play([last])
            if self._seen.keys[0] != position.keys[0]:
                raise ValueError("the program hasn't seen this game's last turns; reset the game")
        legal = np.flatnonzero(position.legal[0]).tolist()
        square = self._ask(position, legal)
        if square not in legal:
            raise ProgramError(f"answered {_name(square)}, which is illegal in\n{position}")
        self._seen.play([square])
        return square

    def close(self) -> None:
        """End the program and all that it started; the reader closes its output."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):  # what it had not read yet
                    stream.close()

    def _ask(self, position: Positions, valid: list[int]) -> int:
        last = int(position.last_square[0])
        lines = [_name(last) if last >= 0 else "-1 -1", str(len(valid)), *map(_name, valid)]
        assert self._process.stdin is not None
        while not self._lines.empty() and self._lines.queue[0]:
            self._lines.get()  # it said more than it was asked for
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()
            answer = self._lines.get(timeout=self._patience)
        except queue.Empty:
            raise ProgramError(f"gave no answer within {self._patience:g} s") from None
        except OSError:
            answer = b""
        if not answer:
            raise ProgramError(self._last_words())
        self._patience = TURN_SECONDS
        words = answer.decode(errors="replace").split()
        del words[2:]  # some referees let a message follow
        if len(words) != 2 or not all(word in tuple("012345678") for word in words):
            raise ProgramError(f"answered {answer!r}, which is no row and column from 0 to 8")
        return int(np.argmax(9 * int(words[0]) + int(words[1]) == _PIXELS))

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(b"")

    def _last_words(self) -> str:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"ended with exit status {code}" + (f": {lines[-1]}" if lines else "")


def _name(square: int) -> str:
    return f"{_PIXELS[square] // 9} {_PIXELS[square] % 9}"


def moves_to(position: Positions) -> list[int]:
    """Squares which, played from the start, lead to a position (a batch of one) of few plies.

    Any order that the rules allow will do: it is the same position.

    Raises:
        ValueError: the position has had too many plies to look for an order.
    """
    plies = int(position.ply[0])
    if plies > _KNOWN_FROM:
        raise ValueError(
            f"a program can't join a game that has had {plies} plies; at most {_KNOWN_FROM}"
        )
    goal, last = position.keys[0], int(position.last_square[0])
    marks = position.state.boards[0, tree.num_boards(1) :, :2]  # [9, 2]

    def search(sofar: Positions, moves: list[int]) -> list[int] | None:
        if len(moves) == plies:
            return moves if sofar.keys[0] == goal else None
        player = int(sofar.to_play[0])
        for square in np.flatnonzero(sofar.legal[0]).tolist():
            wanted = marks[square // 9, player] >> (square % 9) & 1
            if wanted and (square == last) == (len(moves) == plies - 1):
                following = sofar.copy()
                following.play([square])
                found = search(following, [*moves, square])
                if found is not None:
                    return found
        return None

    found = search(Positions(2), [])
    if found is None or position.outcome[0] != UNDECIDED:
        raise ValueError(f"no order of moves leads to\n{position}")
    return found
