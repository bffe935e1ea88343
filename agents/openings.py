"""Openings: the short starts from which pairs of games are played."""

from __future__ import annotations

import numpy as np

from rstt_env import tree
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions, positions_from_moves

RANDOM_PLIES = {1: 2, 2: 6, 3: 6, 4: 6}
"""Depth → the longest random start; at depth 1 longer ones are often lost already."""


def first_squares(depth: int) -> list[int]:
    """One first square of each kind that the symmetries of the board tell apart."""
    images = tree.permuted_nodes(depth)  # [8, 9^d]
    return [int(square) for square in np.unique(images.min(axis=0))]


def make_openings(depth: int, number: int, seed: int) -> list[list[int]]:
    """`number` different starts: all distinct first squares in random order, then random starts.

    A random start has two to `RANDOM_PLIES[depth]` uniformly random plies and is not over. When a
    small board has no new ones left, starts repeat; the number of distinct games shows that.
    """
    rng = np.random.default_rng(seed)
    openings = [[square] for square in rng.permutation(first_squares(depth)).tolist()][:number]
    seen = {tuple(opening) for opening in openings}
    tries = 0
    while len(openings) < number:
        opening = _random_start(depth, int(rng.integers(2, RANDOM_PLIES[depth] + 1)), rng)
        tries += 1
        known = tuple(opening) in seen and tries < 20 * number
        if not known and positions_from_moves(depth, [opening]).outcome[0] == UNDECIDED:
            openings.append(opening)
            seen.add(tuple(opening))
    return openings


def _random_start(depth: int, plies: int, rng: np.random.Generator) -> list[int]:
    position, moves = Positions(depth), []
    for _ in range(plies):
        position.play(position.random_squares(int(rng.integers(2**62))))
        moves.append(int(position.last_square[0]))
    return moves
