"""The search tree of UCT: a record of 32 numbers for each node.

A node is a position at which a choice among at most nine children is to be made; an edge
is one of the nine. Statistics belong to edges. An edge's first visit is a rollout and
makes no node; its second visit does, so that most of a tree's leaves cost no memory.
"""

import numpy as np
from numpy.typing import NDArray

from agents.solver import solve
from rstt_env.jit import kernel

# Columns of a node's record. An edge's digit is added to the first three.
VISITS = 0  # 9 columns: simulations through the edge
TOTAL = 9  # 9 columns: their results summed up, each 1, 0 or -1 for the node's player
CHILD = 18  # 9 columns: the node that the edge leads to, NONE before its second visit
UNTRIED = 27  # nine bits: legal edges without a visit
LEGAL = 28  # nine bits: legal edges
PLAYER = 29  # who chooses here
PROVEN = 30  # nine bits: edges whose game-theoretic value is known (the solver)
PROOFS = 31  # two bits an edge: that value + 1 (see `agents.solver`)
WIDTH = 32  # int32: 128 bytes a node, two cache lines
NODE_BYTES = 4 * WIDTH

NONE = 0  # node 0 is the first root and nobody's child


def follow(nodes: NDArray[np.int32], digits: list[int]) -> int | None:
    """The node that `digits` lead to from row 0 of `nodes`, int32[n, WIDTH], if there is one."""
    node = 0
    for digit in digits:
        node = int(nodes[node, CHILD + digit])
        if node == NONE:
            return None
    return node


@kernel
def add_node(nodes, sizes, t, legal, player):
    """A new node of tree `t`, or NONE if the tree is full."""
    node = sizes[t]
    if node == nodes.shape[1]:
        return NONE
    sizes[t] = node + 1
    nodes[t, node, :] = 0
    nodes[t, node, LEGAL] = legal
    nodes[t, node, UNTRIED] = legal
    nodes[t, node, PLAYER] = player
    return node


@kernel
def solve_node(nodes, t, node):
    """Whether a node is proven, and its value for its player."""
    record = nodes[t, node]
    return solve(record[PROVEN], record[PROOFS], record[LEGAL])


@kernel
def prove_wins(nodes, t, node, digits):
    """The edges in the mask `digits` win for certain."""
    nodes[t, node, PROVEN] |= digits
    for digit in range(9):
        if (digits >> digit) & 1:
            nodes[t, node, PROOFS] |= 2 << (2 * digit)


@kernel
def plant(nodes, sizes, legal, player):
    """The first node of every tree; `legal` and `player` are int64[T]."""
    for t in range(len(sizes)):
        sizes[t] = 0
        add_node(nodes, sizes, t, legal[t], player[t])


@kernel
def walk(nodes, sizes, roots, trees, digits, legal, player):
    """Make the child behind `digits[i]` the root of tree `trees[i]`.

    Where there is none, or no room for one, the tree is planted anew.
    """
    for i in range(len(trees)):
        t = trees[i]
        child = nodes[t, roots[t], CHILD + digits[i]]
        if child == NONE:
            sizes[t] = 0
            child = add_node(nodes, sizes, t, legal[t], player[t])
        roots[t] = child


@kernel
def copy_subtree(nodes, t, root, kept):
    """Copy the subtree under `root` of tree `t` to `kept`, int32[n, WIDTH]; return its size.

    The nodes come breadth first, the root as number 0; those for which `kept` has no room
    are left out, with their edges' statistics kept.
    """
    kept[0] = nodes[t, root]
    size, done = 1, 0
    while done < size:
        for digit in range(9):
            child = kept[done, CHILD + digit]
            if child != NONE:
                kept[done, CHILD + digit] = NONE
                if size < len(kept):
                    kept[size] = nodes[t, child]
                    kept[done, CHILD + digit] = size
                    size += 1
        done += 1
    return size
