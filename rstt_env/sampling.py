"""Random legal actions for many environments at once, from their masks alone."""

import numpy as np
from numpy.typing import NDArray

from rstt_env.jit import kernel
from rstt_env.rng import below


def random_actions(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """int64[N]: for each row of `masks`, int8[N, num_actions], a uniformly random action marked 1.

    Raises:
        ValueError: a row has no action marked; the message names it.
    """
    actions = np.empty(len(masks), np.int64)
    empty = _sample(masks, rng.integers(2**64, size=len(masks), dtype=np.uint64), actions)
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
