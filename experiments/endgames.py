"""Solved endgames: positions whose best squares are known for certain, a noise-free yardstick.

Depth 1: positions of random games, solved by alpha-beta. Depth 2: 60 endgames with 9 to 14 open
squares and one best move, solved by a separate program. Depths 3 and 4: the last move of random
games that were won: one of the winning squares has to be found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import make_agent
from rstt_env import tree
from rstt_env.outcome import DRAW, UNDECIDED, outcome_value, view
from rstt_env.positions import Positions, positions_from_moves

_DATA = Path(__file__).parent / "data" / "endgames.json"
_NUMBER = 100  # at most


class Endgames(NamedTuple):
    """Positions and their best squares."""

    positions: Positions
    best: NDArray[np.bool_]
    """bool[n, 9^d]"""

    def accuracy(self, squares: NDArray[np.int64]) -> float:
        """The share of answers that are among the best."""
        return float(self.best[np.arange(len(squares)), squares].mean())


def solved_endgames(depth: int) -> Endgames:
    """The endgames of a depth, always the same."""
    if depth == 2:
        endgames = json.loads(_DATA.read_text("utf-8"))
        best = [endgame["best"] for endgame in endgames]
        positions = positions_from_moves(2, [endgame["moves"] for endgame in endgames])
    else:
        games = _random_games(depth)
        before = [game[:-1] for game in games] if depth > 1 else [
            game[:ply] for game in games for ply in range(1, len(game) - 1)
        ]  # fmt: skip
        candidates = positions_from_moves(depth, before)
        solved = [(row, _best(candidates[row])) for row in range(len(candidates))]
        legal = candidates.num_legal
        solved = [(row, squares) for row, squares in solved if 0 < len(squares) < legal[row]]
        positions = candidates[np.array([row for row, _ in solved[:_NUMBER]])]
        best = [squares for _, squares in solved[:_NUMBER]]
    table = np.zeros((len(best), tree.num_squares(depth)), np.bool_)
    for row, squares in enumerate(best):
        table[row, squares] = True
    return Endgames(positions, table)


def _best(position: Positions) -> list[int]:
    """The squares of the highest value; at depths 3 and 4 those that win at once."""
    squares = np.flatnonzero(position.legal[0])
    after = position[np.zeros(len(squares), np.int64)]
    after.play(squares)
    mover = int(position.to_play[0])
    if position.depth > 1:
        return [int(square) for square in squares[after.outcome == mover]]
    values = np.array([outcome_value(int(outcome), mover) for outcome in after.outcome], float)
    going = np.flatnonzero(after.outcome == UNDECIDED)
    if len(going):
        answer = make_agent("alphabeta:9", 1).act(after[going])
        values[going] = [view(float(value), 1 - mover, mover) for value in answer.value]
    return [int(square) for square in squares[values == values.max()]]


def _random_games(depth: int) -> list[list[int]]:
    """The squares of random games; at depths 3 and 4 of those that were won."""
    positions = Positions(depth, 20 if depth == 1 else 2 * _NUMBER)
    moves: list[list[int]] = [[] for _ in range(len(positions))]
    ply = 0
    while len(going := np.flatnonzero(positions.outcome == UNDECIDED)):
        seeds = ply + 10_000 * np.arange(len(positions))
        squares = positions.random_squares(seeds)[going]
        positions.play(squares, going)
        for game, square in zip(going.tolist(), squares.tolist(), strict=True):
            moves[game].append(square)
        ply += 1
    won = np.flatnonzero(positions.outcome != DRAW) if depth > 1 else range(len(moves))
    return [moves[game] for game in won]
