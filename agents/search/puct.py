"""The rules of AlphaZero (Silver et al., 2018): PUCT, Dirichlet noise, visits as the target."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.tree import LOWEST, NOBODY, edge_value, is_lost
from agents.solver import is_proven
from rstt_env.jit import kernel


class PuctRules(NamedTuple):
    """The constants of the method.

    Attributes:
        c_puct: how much priors weigh against values.
        noise: the share of Dirichlet noise in the root's priors (while training).
        alpha: its concentration.
    """

    c_puct: float = 1.25
    noise: float = 0.25
    alpha: float = 1.0


@kernel
def noisy_priors(tree, g, noise, share, prior):
    """Fill `prior`, float64[9]: the root's, mixed with a `share` of `noise`."""
    norm = 0.0
    for digit in range(9):
        prior[digit] = tree.priors[g, 0, digit]
        if prior[digit] > 0:
            norm += noise[digit]
    for digit in range(9):
        if share > 0 and prior[digit] > 0:
            prior[digit] = (1 - share) * prior[digit] + share * noise[digit] / norm


@kernel
def best_digit(tree, g, node, prior, c_puct):
    """The child with the highest value + c · prior · √N / (1 + n).

    A child without a visit counts as much as the node itself; a proven loss is out of the
    question. At N = 0 the highest prior decides.
    """
    proven, proofs = np.int64(tree.proven[g, node]), np.int64(tree.proofs[g, node])
    total = 0
    for digit in range(9):
        total += tree.visits[g, node, digit]
    width = c_puct * math.sqrt(max(1, total))
    best, best_bound = NOBODY, LOWEST
    for digit in range(9):
        if prior[digit] > 0 and not is_lost(proven, proofs, digit):
            visits = np.int64(tree.visits[g, node, digit])
            value = np.float64(tree.value[g, node])
            if visits > 0 or is_proven(proven, digit):
                value = edge_value(proven, proofs, digit, tree.totals[g, node, digit], visits)
            bound = value + width * prior[digit] / (1 + visits)
            if bound > best_bound:
                best, best_bound = digit, bound
    return best


def dirichlet_noise(seed: int, alpha: float) -> NDArray[np.float64]:
    """float64[9]: numbers of a gamma distribution; normalised over any of them, Dirichlet's."""
    return np.random.default_rng(seed).gamma(alpha, size=9)
