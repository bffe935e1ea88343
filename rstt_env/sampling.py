"""Random legal actions for many environments at once, from their masks alone."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rstt_env.jit import kernel
from rstt_env.rng import below


def random_actions(masks: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
    """int64[N]: for each row of `masks`, int8[N, num_actions], a uniformly random action marked 1.

    Raises:
        ValueError: `masks` isn't two-dimensional, or a row, which is named, marks no action.
    """
    legal: NDArray[np.bool_] = np.asarray(masks) == 1
    if legal.ndim != 2:
        raise ValueError(
            f"masks have shape {legal.shape}; it must be (num_envs, num_actions). "
            "For a single environment use env.action_space.sample(mask)"
        )
    actions = np.empty(len(legal), np.int64)
    empty = _sample(legal, rng.integers(2**64, size=len(legal), dtype=np.uint64), actions)
    if empty >= 0:
        raise ValueError(f"the mask of environment {empty} has no action marked 1")
    return actions


@kernel
def _sample(masks, bits, actions):
    """Fill `actions`; return the first row without an action, or -1."""
    for row in range(len(masks)):
        total = 0
        for action in range(masks.shape[1]):
            total += masks[row, action]
        if total == 0:
            return row
        rank = below(total, bits[row])
        action = -1
        while rank >= 0:
            action += 1
            rank -= masks[row, action]
        actions[row] = action
    return -1
