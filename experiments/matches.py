"""Matches as programs run them: with a live line, and with every game on disk at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from agents import make_agent
from agents.arena import Game, play_pairs, record
from agents.match import Match
from agents.openings import make_openings
from agents.ratings import SPRT
from rstt_env import tree

LINE_EVERY = 15.0
"""Seconds between lines of progress where there is no terminal."""
_LENGTH = 0.7  # of a game, as a share of the squares, until the first games are over


@dataclass(frozen=True)
class Meeting:
    """What a match is played with."""

    depth: int
    games: int
    seed: int
    output: Path | None
    """Games are appended to `games.jsonl` in this folder."""
    facts: dict[str, Any]
    """Goes into every game's record."""


def play_match(
    agent: str,
    opponent: str,
    meeting: Meeting,
    sprt: SPRT | None = None,
    threads: int | None = None,
) -> Match:
    """Play `meeting.games` games, fewer if `sprt` decides earlier or Ctrl-C stops it.

    Both agents use `threads` cores, by default all.

    Raises:
        KeyboardInterrupt: before the first pair was done; after it, the match is returned as
            it stands, marked `interrupted`.
    """
    match = Match(agent, opponent, sprt)
    agents = (
        make_agent(agent, meeting.depth, meeting.seed, threads),
        make_agent(opponent, meeting.depth, meeting.seed + 1, threads),
    )
    openings = make_openings(meeting.depth, meeting.games // 2, meeting.seed)
    with _live_line() as live:
        for name, player in zip((agent, opponent), agents, strict=True):
            trained = getattr(player, "trained_depths", [meeting.depth])
            if meeting.depth not in trained:
                live.console.print(
                    f"{name} was trained at depth {trained[-1]}, and plays at depth "
                    f"{meeting.depth} here (game=depth{trained[-1]} for its own)",
                    soft_wrap=True,
                )
        shown_at = time.perf_counter()
        line = live.add_task(f"{agent} v {opponent}", total=meeting.games, score="")

        def progress(plies: Sequence[int], values: Sequence[float]) -> None:
            length = match.mean_length if match.games else _LENGTH * tree.num_squares(meeting.depth)
            part = sum(min(1.0, count / length) for count in plies)
            live.update(line, completed=len(match.games) + part, score=_so_far(match, values))
            nonlocal shown_at
            if not live.console.is_terminal and time.perf_counter() - shown_at > LINE_EVERY:
                shown_at = time.perf_counter()
                done = f"{len(match.games) + part:.1f}/{meeting.games} games played"
                live.console.print(f"{agent} v {opponent}: {done}", soft_wrap=True)

        try:
            for wave in play_pairs(agents, meeting.depth, openings, progress):
                _save(wave.games, (agent, opponent), meeting)  # first: an interrupt may come
                match.add(wave)
                live.update(line, completed=len(match.games), score=_so_far(match))
                if not live.console.is_terminal:
                    done = f"{len(match.games)}/{meeting.games} games"
                    live.console.print(
                        f"{agent} v {opponent}: {done} {_so_far(match)}", soft_wrap=True
                    )
                    shown_at = time.perf_counter()
                if match.verdict is not None:
                    break
        except KeyboardInterrupt:
            if not match.games:
                raise
            match.interrupted = True
    return match


def report_forfeits(console: Console, matches: Sequence[Match]) -> None:
    """Say which games were given up, and why."""
    for match in matches:
        reasons = Counter(reason.splitlines()[0] for reason in match.forfeits)
        for reason, times in reasons.most_common(3):
            console.print(f"given up, {match.agent} v {match.opponent}, {times} ×: {reason}")


def _save(games: Sequence[Game], names: tuple[str, str], meeting: Meeting) -> None:
    if meeting.output is None:
        return
    lines = [record(game, meeting.depth, names, meeting.facts).to_json() + "\n" for game in games]
    with (meeting.output / "games.jsonl").open("a", encoding="utf-8") as file:
        file.write("".join(lines))


def _live_line() -> Progress:
    console = Console(stderr=True, emoji=False)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        TextColumn("{task.completed:.0f}/{task.total} games {task.fields[score]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _so_far(match: Match, values: Sequence[float] = ()) -> str:
    """Wins–draws–losses, games of the running wave included; the interval is of whole pairs."""
    counts = match.counts
    counts.wins += values.count(1.0)
    counts.draws += values.count(0.0)
    counts.losses += values.count(-1.0)
    if not match.games:
        return str(counts)
    score = match.score
    return f"{counts} {score.value:.1%} [{score.low:.0%}, {score.high:.0%}]"
