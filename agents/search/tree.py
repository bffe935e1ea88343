"""Search trees of a batch of games, and what a simulation does to them."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.solver import is_proven, proven_value, solve
from rstt_env.jit import inlined, kernel
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
    of its edges are for the player who chooses there. All arrays but `size` are columns of one
    array with a record of 256 bytes for each node, so that a visit touches four cache lines.
    """

    size: NDArray[np.int32]
    """int32[G]: nodes in use."""
    player: NDArray[np.int32]
    """int32[G, M]: who chooses."""
    legal: NDArray[np.int32]
    """int32[G, M]: nine bits, the open children."""
    proven: NDArray[np.int32]
    """int32[G, M], see `agents.solver`."""
    proofs: NDArray[np.int32]
    """int32[G, M], see `agents.solver`."""
    visits: NDArray[np.int32]
    """int32[G, M, 9]: simulations through each edge."""
    child: NDArray[np.int32]
    """int32[G, M, 9]: the node that an edge leads to, or NONE."""
    totals: NDArray[np.float32]
    """float32[G, M, 9]: the values of the simulations through each edge, summed up."""
    logits: NDArray[np.float32]
    """float32[G, M, 9]: what the evaluator says of the children."""
    priors: NDArray[np.float32]
    """float32[G, M, 9]: their softmax over the open children, 0 for the others."""
    value: NDArray[np.float32]
    """float32[G, M]: what the evaluator says of the position."""


_RECORD = 64  # numbers of four bytes for a node: 50 are used, and records begin on a cache line


def new_tree(num_games: int, capacity: int) -> Tree:
    """Trees without nodes."""
    ints = np.empty((num_games, capacity, _RECORD), np.int32)
    floats = ints.view(np.float32)
    return Tree(
        size=np.zeros(num_games, np.int32),
        player=ints[:, :, 0],
        legal=ints[:, :, 1],
        proven=ints[:, :, 2],
        proofs=ints[:, :, 3],
        visits=ints[:, :, 4:13],
        child=ints[:, :, 13:22],
        totals=floats[:, :, 22:31],
        logits=floats[:, :, 31:40],
        priors=floats[:, :, 40:49],
        value=floats[:, :, 49],
    )


@inlined
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


@inlined
def solve_node(tree, g, node):
    """Whether a node is proven, and its value for its player."""
    return solve(tree.proven[g, node], tree.proofs[g, node], tree.legal[g, node])


@inlined
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
