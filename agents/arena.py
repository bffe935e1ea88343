"""The arena: two agents, pairs of games, both seats of every opening."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import FORFEIT, Agent
from agents.threads import num_cores
from rstt_env.outcome import UNDECIDED, O, X, outcome_value
from rstt_env.positions import positions_from_moves
from rstt_env.record import GameRecord

_AT_ONCE = 64  # games side by side, unless the clock counts


@dataclass(frozen=True)
class Game:
    """A game between two agents.

    Attributes:
        opening: the number of the opening.
        seat: the first agent's: 0 (X) or 1 (O).
        moves: squares, those of the opening included.
        value: of the result for the first agent: 1, 0 or -1.
        forfeit: why the loser gave up, if it did.
    """

    opening: int
    seat: int
    moves: list[int]
    value: float
    forfeit: str | None = None


@dataclass
class Effort:
    """What an agent spent on its moves."""

    moves: int = 0
    simulations: int = 0
    seconds: float = 0.0


@dataclass
class Wave:
    """Games that were played side by side, two for each opening."""

    games: list[Game] = field(default_factory=list)
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    interrupted: bool = False


Rows = NDArray[np.int64]
Progress = Callable[[Sequence[int], Sequence[float]], None]
"""Told, after each ply, how many plies each game of the wave has had, and the values (see
`Game`) of those that are over."""


def play_pairs(
    agents: tuple[Agent, Agent],
    depth: int,
    openings: Sequence[list[int]],
    progress: Progress = lambda plies, values: None,
) -> Iterator[Wave]:
    """Play every opening twice, the first agent as X and then as O; yield wave after wave.

    The games of a wave advance together, so that agents get batches, and the agents take turns,
    so that none slows the other down. Where an agent's budget is in core-seconds, it has at most
    one game a core at a time.

    Raises:
        KeyboardInterrupt: as Ctrl-C asks; the pairs that were finished are yielded first.
    """
    timed = any(agent.timed for agent in agents)
    pairs = num_cores() if timed else _AT_ONCE // 2
    for agent in agents:
        agent.reset()
    for first in range(0, len(openings), pairs):
        numbers = range(first, min(first + pairs, len(openings)))
        wave = _play_wave(agents, depth, openings, numbers, progress)
        if wave.games:
            yield wave
        if wave.interrupted:
            raise KeyboardInterrupt


def _play_wave(
    agents: tuple[Agent, Agent],
    depth: int,
    openings: Sequence[list[int]],
    numbers: range,
    progress: Progress,
) -> Wave:
    wave = Wave()
    opening = np.repeat(np.array(numbers), 2)
    seat = np.tile([X, O], len(numbers))  # the first agent's
    ids = 2 * opening + seat
    moves = [list(openings[number]) for number in opening]
    positions = positions_from_moves(depth, moves)
    forfeits: dict[int, str] = {}

    def act(side: int, rows: Rows) -> list[int]:
        answer = agents[side].act(positions[rows], ids[rows].tolist())
        effort = wave.efforts[side]
        effort.moves += len(rows)
        effort.simulations += int(answer.simulations.sum())
        effort.seconds += float(answer.seconds.sum())
        squares: list[int] = answer.square.tolist()
        for i in np.flatnonzero(answer.square == FORFEIT).tolist():
            forfeits[int(rows[i])] = answer.forfeits.get(i, "no reason given")
        return squares

    def value_of(i: int) -> float:
        # who gives up is to move: a loss as if the other had won
        outcome = 1 - positions.to_play[i] if i in forfeits else positions.outcome[i]
        return float(outcome_value(int(outcome), int(seat[i])))

    playing = np.arange(len(ids))
    try:
        while len(playing):
            sides = (positions.to_play[playing] != seat[playing]).astype(int)
            for side in (0, 1):
                rows = playing[sides == side]
                if not len(rows):
                    continue
                squares = act(side, rows)
                kept = [i for i, square in enumerate(squares) if square != FORFEIT]
                positions.play([squares[i] for i in kept], rows[kept])
                for i in kept:
                    moves[rows[i]].append(squares[i])
            going_on = positions.outcome == UNDECIDED
            going_on[list(forfeits)] = False
            playing = np.flatnonzero(going_on)
            over = sorted(set(range(len(ids))) - set(playing.tolist()))
            progress([len(squares) for squares in moves], [value_of(i) for i in over])
    except KeyboardInterrupt:
        wave.interrupted = True
    finally:
        for agent in agents:
            agent.reset(ids.tolist())
    unfinished = set(opening[playing].tolist())  # pairs count as a whole or not at all
    for i in range(len(ids)):
        if opening[i] in unfinished:
            continue
        game = Game(int(opening[i]), int(seat[i]), moves[i], value_of(i), forfeits.get(i))
        wave.games.append(game)
    return wave


def record(game: Game, depth: int, names: tuple[str, str], metadata: dict[str, Any]) -> GameRecord:
    """The game as a record; `names` are the agents', the first agent's first."""
    x, o = names if game.seat == X else names[::-1]
    facts = {"x": x, "o": o, "opening": game.opening, **metadata}
    if game.forfeit is not None:
        facts["forfeit"] = game.forfeit
    return GameRecord.of_moves(depth, game.moves, facts)
