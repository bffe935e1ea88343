"""Proofs at a node: which of its nine edges have a known game-theoretic value (MCTS-Solver).

A node holds them in two numbers: `proven`, nine bits, says which edges are known;
`proofs`, two bits an edge, holds their values + 1, for the node's player.
"""

from rstt_env.jit import kernel


@kernel
def is_proven(proven, digit):
    """Whether the value of an edge is known."""
    return (proven >> digit) & 1 != 0


@kernel
def proven_value(proofs, digit):
    """1, 0 or -1: the value of a proven edge."""
    return ((proofs >> (2 * digit)) & 3) - 1


@kernel
def solve(proven, proofs, legal):
    """Whether the node itself is proven, and its value for its player.

    One winning edge proves it, or else all of them do.
    """
    best = -1
    for digit in range(9):
        if is_proven(proven, digit):
            best = max(best, proven_value(proofs, digit))
    return best == 1 or proven == legal, best
