"""Search trees of a batch of games, and what a simulation does to them."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solver import is_proven, proven_value, solve
from rstt_env.jit import kernel
from rstt_env.outcome import X, view

NONE = -1
"""As a child: no node yet."""


LOWEST = -1e30
"""Below every rank that a child can have."""
NOBODY = -1
"""As a digit: no child."""


class Tree(NamedTuple):
    """G trees of up to M nodes each; node 0 is the root. Kernels change it in place.

    A node is a position at which one of nine children is to be chosen; values of a node and
    of its edges are for the player who chooses there.
    """

    size: NDArray[np.int32]
    """int32[G]: nodes in use."""
    player: NDArray[np.int8]
    """int8[G, M]: who chooses."""
    legal: NDArray[np.int16]
    """int16[G, M]: nine bits, the open children."""
    value: NDArray[np.float32]
    """float32[G, M]: what the evaluator says of the position."""
    logits: NDArray[np.float32]
    """float32[G, M, 9]: what it says of the children."""
    priors: NDArray[np.float32]
    """float32[G, M, 9]: their softmax over the open children, 0 for the others."""
    visits: NDArray[np.int32]
    """int32[G, M, 9]: simulations through each edge."""
    totals: NDArray[np.float32]
    """float32[G, M, 9]: their values summed up."""
    child: NDArray[np.int32]
    """int32[G, M, 9]: the node that an edge leads to, or NONE."""
    proven: NDArray[np.int16]
    """int16[G, M], see `agents.solver`."""
    proofs: NDArray[np.int32]
    """int32[G, M], see `agents.solver`."""


def new_tree(num_games: int, capacity: int) -> Tree:
    """Trees without nodes."""

    def array(dtype: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((num_games, *shape), dtype)

    return Tree(
        size=array(np.int32),
        player=array(np.int8, capacity),
        legal=array(np.int16, capacity),
        value=array(np.float32, capacity),
        logits=array(np.float32, capacity, 9),
        priors=array(np.float32, capacity, 9),
        visits=array(np.int32, capacity, 9),
        totals=array(np.float32, capacity, 9),
        child=array(np.int32, capacity, 9),
        proven=array(np.int16, capacity),
        proofs=array(np.int32, capacity),
    )


@kernel
def add_node(tree, g, player, legal, logits, value):
    """A new node of tree `g`, which has room for it; `logits` is float32[9]."""
    node = tree.size[g]
    tree.size[g] = node + 1
    tree.player[g, node], tree.legal[g, node] = player, legal
    tree.value[g, node] = value
    highest, norm = LOWEST, 0.0
    for digit in range(9):
        if (legal >> digit) & 1:
            highest = max(highest, np.float64(logits[digit]))
    for digit in range(9):
        prior = math.exp(logits[digit] - highest) if (legal >> digit) & 1 else 0.0
        norm += prior
        tree.logits[g, node, digit], tree.priors[g, node, digit] = logits[digit], prior
        tree.visits[g, node, digit] = 0
        tree.totals[g, node, digit] = 0
        tree.child[g, node, digit] = NONE
    for digit in range(9):
        tree.priors[g, node, digit] /= norm
    tree.proven[g, node] = tree.proofs[g, node] = 0
    return node


@kernel
def edge_value(proven, proofs, digit, total, visits):
    """The value of a visited or proven edge: proven, or the mean."""
    if is_proven(proven, digit):
        return np.float64(proven_value(proofs, digit))
    return np.float64(total) / visits


@kernel
def is_lost(proven, proofs, digit):
    """Whether an edge is a proven loss."""
    return is_proven(proven, digit) and proven_value(proofs, digit) < 0


@kernel
def solve_node(tree, g, node):
    """Whether a node is proven, and its value for its player."""
    return solve(tree.proven[g, node], tree.proofs[g, node], tree.legal[g, node])


@kernel
def back_up(tree, g, path, length, value, known):
    """Add a result, `value` for X, to the edges of a walk; `known` turns it into proofs.

    `path`, int32[P, 2], holds the walk's nodes and digits.
    """
    for step in range(length - 1, -1, -1):
        node, digit = path[step, 0], path[step, 1]
        player = tree.player[g, node]
        result = view(value, X, player)
        tree.visits[g, node, digit] += 1
        tree.totals[g, node, digit] += result
        if known:
            if not is_proven(tree.proven[g, node], digit):
                tree.proven[g, node] |= 1 << digit
                tree.proofs[g, node] |= (np.int32(result) + 1) << (2 * digit)
            known, best = solve_node(tree, g, node)
            if known:
                value = view(np.float64(best), player, X)
