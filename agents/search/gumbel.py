"""The rules of Gumbel AlphaZero (Danihelka et al., 2022): whom to visit, what to learn.

At the root, Gumbel noise draws a few children without replacement and sequential halving
divides the simulations among them; inside, a deterministic rule follows the policy improved
by completed Q values. Values enter as (v + 1) / 2, and are not rescaled any further.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.tree import LOWEST, NOBODY, edge_value, is_lost, solve_node
from agents.solver import is_proven
from rstt_env.jit import kernel
from rstt_env.rng import GAMMA, mix


class GumbelRules(NamedTuple):
    """The constants of the method.

    Attributes:
        c_visit, c_scale: how much values weigh against logits: (c_visit + N) · c_scale, with N
            the most visits of a child.
        considered: how many children of the root are considered, at most.
    """

    c_visit: float = 50.0
    c_scale: float = 1.0
    considered: int = 9


def halving_schedule(considered: int, simulations: int) -> NDArray[np.int32]:
    """Sequential halving as int32[simulations]: how many visits the next child has had already.

    All of `considered` children get the same number of visits, then the better half of them
    again, and so on down to two, until the simulations are used up.
    """
    schedule: list[int] = []
    remaining, visits = max(considered, 1), 0
    phases = max(1, math.ceil(math.log2(remaining)))
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (phases * remaining))):
            schedule += [visits] * remaining
            visits += 1
        remaining = max(2, remaining // 2) if considered > 1 else 1
    return np.array(schedule[:simulations], np.int32)


@kernel
def draw_gumbel(stream, noise):
    """Fill `noise`, float64[9], with standard Gumbel numbers from the random uint64 `stream`."""
    for digit in range(9):
        stream += GAMMA
        uniform = (np.float64(mix(stream) >> np.uint64(11)) + 0.5) / 2.0**53
        noise[digit] = math.log(1 / math.log(1 / uniform))


@kernel
def improved(tree, g, node, c_visit, c_scale, policy, completed):
    """Fill `policy`, float64[9], with the policy improved by completed Q values.

    `completed`, float64[9], gets logits + σ(Q), from which it is the softmax over the legal
    children that are no proven losses; over all legal ones where there are no others. In a
    won node the policy is uniform over the proven wins. Returns what a child without a visit
    is worth.
    """
    solved, best = solve_node(tree, g, node)
    legal = tree.legal[g, node]
    most, total = 0, 0
    highest = LOWEST
    for digit in range(9):
        visits = tree.visits[g, node, digit]
        most, total = max(most, visits), total + visits
        if (legal >> digit) & 1:
            highest = max(highest, tree.logits[g, node, digit])
    # what the unvisited children are worth: the network's value, mixed with the visited ones'
    prior_visited, weighted = 0.0, 0.0
    for digit in range(9):
        if tree.visits[g, node, digit] > 0:
            prior = math.exp(tree.logits[g, node, digit] - highest)
            prior_visited += prior
            weighted += prior * edge_value(tree, g, node, digit)
    mixed = np.float64(tree.value[g, node])
    if prior_visited > 0:
        mixed = (mixed + total * weighted / prior_visited) / (1 + total)
    scale = (c_visit + most) * c_scale
    highest = LOWEST
    for digit in range(9):
        completed[digit] = LOWEST
        if (legal >> digit) & 1:
            known = tree.visits[g, node, digit] > 0 or is_proven(tree.proven[g, node], digit)
            value = edge_value(tree, g, node, digit) if known else mixed
            completed[digit] = tree.logits[g, node, digit] + scale * (value + 1) / 2
            if not is_excluded(tree, g, node, digit, solved, best):
                highest = max(highest, completed[digit])
    norm = 0.0
    for digit in range(9):
        policy[digit] = 0.0
        if (legal >> digit) & 1 and not is_excluded(tree, g, node, digit, solved, best):
            policy[digit] = 1.0
            if not (solved and best == 1):
                policy[digit] = math.exp(completed[digit] - highest)
            norm += policy[digit]
    for digit in range(9):
        policy[digit] /= norm
    return mixed


@kernel
def is_excluded(tree, g, node, digit, solved, best):
    """Whether proofs rule a legal child out: a loss among others; in a won node, all but wins."""
    if solved and best == 1:
        known = is_proven(tree.proven[g, node], digit)
        return not known or edge_value(tree, g, node, digit) < 1
    return is_lost(tree, g, node, digit) and not (solved and best == -1)


@kernel
def root_digit(tree, g, noise, wanted, completed, policy):
    """The root's child to simulate next: the best of those with `wanted` visits.

    Children that have too few or too many visits, or are proven, come after those.
    """
    best, best_rank = NOBODY, LOWEST * 10
    for digit in range(9):
        if (tree.legal[g, 0] >> digit) & 1 and policy[digit] > 0:
            rank = noise[digit] + completed[digit]
            if tree.visits[g, 0, digit] != wanted:
                rank += LOWEST
            if rank > best_rank:
                best, best_rank = digit, rank
    return best


@kernel
def inner_digit(tree, g, node, policy):
    """The child whose share of visits falls shortest of the improved policy."""
    total = 0
    for digit in range(9):
        total += tree.visits[g, node, digit]
    best, best_lag = NOBODY, LOWEST
    for digit in range(9):
        if policy[digit] > 0:
            lag = policy[digit] - tree.visits[g, node, digit] / (1 + total)
            if lag > best_lag:
                best, best_lag = digit, lag
    return best
