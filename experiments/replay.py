"""Step through a recorded game in the terminal: `python -m experiments.replay FILE`."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from rstt_env.notation import square_address
from rstt_env.positions import Positions
from rstt_env.record import GameRecord
from rstt_env.render import ansi

KEYS = "Enter next, b back, 12 that ply, e end, n next game, q quit"


def read_games(path: Path) -> list[GameRecord]:
    """The games of a file, a line each; `ValueError` names the line that is none."""
    games = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            games.append(GameRecord.from_json(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not games:
        raise ValueError(f"{path} holds no games")
    return games


def show(console: Console, record: GameRecord, positions: Positions, ply: int) -> None:
    """Print the position after `ply` plies; `positions` are all of the record's."""
    position = positions[ply]
    names = record.metadata
    players = f"{names['x']} (X) v {names['o']} (O), " if {"x", "o"} <= set(names) else ""
    last = f", last {square_address(record.depth, record.moves[ply - 1])}" if ply else ""
    console.print(f"\n{players}ply {ply} of {len(record.moves)}{last}", highlight=False)
    console.print(Text.from_ansi(ansi(position)), no_wrap=True, crop=False)
    if ply == len(record.moves):
        reason = f" ({names['forfeit']})" if "forfeit" in names else ""
        console.print(f"result: {record.result}{reason}", highlight=False)


def step_through(console: Console, games: list[GameRecord], number: int) -> None:
    """Show one position after another, as the keys say; without a terminal, all of one game."""
    if not sys.stdin.isatty():
        record, positions = games[number], games[number].positions()
        for ply in range(len(positions)):
            show(console, record, positions, ply)
        return
    ply, record, positions = 0, games[number], games[number].positions()
    while True:
        show(console, record, positions, ply)
        key = console.input(f"game {number + 1} of {len(games)} [{KEYS}] ").strip().lower()
        end = len(record.moves)
        if key == "q":
            return
        if key == "n":
            number, ply = (number + 1) % len(games), 0
            record, positions = games[number], games[number].positions()
        elif key.isdigit():
            ply = min(int(key), end)
        else:
            known = {"": min(ply + 1, end), "b": max(ply - 1, 0), "e": end}
            if key not in known:
                console.print(f"{key!r} is no key", highlight=False)
            ply = known.get(key, ply)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.replay", description=__doc__)
    parser.add_argument(
        "file", type=Path, help="game records, one line of JSON each, or the folder of a match"
    )
    parser.add_argument("--game", type=int, default=1, help="which game to start with; default: 1")
    arguments = parser.parse_args()
    path = arguments.file
    for folder in (path, path / "final"):  # of a match, or of a training run
        if (folder / "games.jsonl").exists():
            path = folder / "games.jsonl"
    try:
        if not path.is_file():
            raise ValueError(f"{path} is no file of games, nor a folder that holds one")
        games = read_games(path)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    if not 1 <= arguments.game <= len(games):
        sys.exit(f"error: --game is {arguments.game}; the file holds games 1 to {len(games)}")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        step_through(Console(emoji=False), games, arguments.game - 1)


if __name__ == "__main__":
    main()
