"""Where an agent's random numbers come from."""

import numpy as np
from numpy.typing import NDArray

from rstt_env.jit import kernel
from rstt_env.rng import GAMMA, mix

_NO_GAME = np.uint64(2**64 - 1)


@kernel
def _fill_seeds(seed, ids, seeds):
    for i in range(len(seeds)):
        seeds[i] = mix(mix(seed) + ids[i] * GAMMA) >> np.uint64(1)  # fits into int64


def game_seeds(
    seed: int, games: NDArray[np.uint64] | None, num_positions: int
) -> NDArray[np.int64]:
    """int64[B]: for each position a seed from the agent's seed and the game's id, if it has one."""
    ids = np.full(num_positions, _NO_GAME) if games is None else games
    seeds = np.empty(num_positions, np.int64)
    _fill_seeds(np.uint64(seed & (2**64 - 1)), ids, seeds)
    return seeds
