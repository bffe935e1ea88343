"""An agent as a program for CodinGame's protocol (`agents.process`), depth 2.

python -m experiments.bot agent=uct:0.1s
"""

from __future__ import annotations

import sys
from typing import TextIO

from agents import Agent, make_agent
from experiments import cli
from experiments.schema import BotConfig
from rstt_env import tree
from rstt_env.positions import Positions


def play(agent: Agent, source: TextIO, target: TextIO) -> None:
    """Answer turns until the input ends: one game, as X if it begins with `-1 -1`, else as O.

    Raises:
        ValueError: the input isn't that of the protocol, or not a game by our rules.
    """
    pixels = tree.pixels(2).tolist()
    square_at = {(pixel // 9, pixel % 9): square for square, pixel in enumerate(pixels)}
    position = Positions(2)
    for line in source:
        row, column = _two_numbers(line)
        if row >= 0:
            position.play([square_at[row, column]])
        count = int(next(source, "0"))
        valid = [square_at[_two_numbers(next(source, ""))] for _ in range(count)]
        # an opening leaves one action only, which needn't be all that the rules allow
        square = valid[0] if len(valid) == 1 else int(agent.act(position, [0]).square[0])
        if square not in valid:
            raise ValueError(f"the valid actions lack square {square} of\n{position}")
        position.play([square])
        print(pixels[square] // 9, pixels[square] % 9, file=target, flush=True)


def _two_numbers(line: str) -> tuple[int, int]:
    words = line.split()
    if len(words) != 2 or not all(word.lstrip("-").isdigit() for word in words):
        raise ValueError(f"{line!r} is not a row and a column")
    row, column = map(int, words)
    if not (row == column == -1 or (0 <= row <= 8 and 0 <= column <= 8)):
        raise ValueError(f"{line!r} is no row and column from 0 to 8, nor -1 -1")
    return row, column


def bot(config: BotConfig) -> None:
    """Play on standard input and output."""
    play(make_agent(config.agent, depth=2, seed=config.seed), sys.stdin, sys.stdout)


def main() -> None:
    """Run it."""
    cli.run("bot", bot)


if __name__ == "__main__":
    main()
