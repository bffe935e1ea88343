"""Recursive Super Tic-Tac-Toe: the game, its engine and its environments."""

import gymnasium

from rstt_env.opponent import OpponentWrapper
from rstt_env.outcome import DRAW, UNDECIDED, O, X
from rstt_env.positions import (
    IllegalMoveError,
    Playouts,
    Positions,
    positions_from_moves,
)
from rstt_env.record import GameRecord
from rstt_env.sampling import random_actions
from rstt_env.symmetry import transform

__all__ = [
    "DRAW",
    "UNDECIDED",
    "GameRecord",
    "IllegalMoveError",
    "O",
    "OpponentWrapper",
    "Playouts",
    "Positions",
    "X",
    "positions_from_moves",
    "random_actions",
    "transform",
]

gymnasium.register(
    "RSTT-v0",
    entry_point="rstt_env.env:RSTTEnv",
    vector_entry_point="rstt_env.vector_env:RSTTVectorEnv",
)
