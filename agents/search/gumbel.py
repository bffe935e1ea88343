"""The rules of Gumbel AlphaZero (Danihelka et al., 2022): whom to visit, what to learn.

At the root, Gumbel noise draws a few children without replacement and sequential halving
divides the simulations among them; inside, a deterministic rule follows the policy improved
by completed Q values. Values enter as (v + 1) / 2, and are not rescaled any further.
"""

import math
from typing import NamedTuple

import numpy as np

from agents.search.tree import LOWEST, NOBODY, edge_value, is_lost
from agents.solver import is_proven, proven_value, solve
from rstt_env.jit import inlined, kernel
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


def halving_schedule(considered: int, simulations: int) -> list[tuple[int, int]]:
    """Sequential halving as turns: (visits that the next children have had, how many they are).

    All of `considered` children get the same number of visits, then the better half of them
    again, and so on down to two, until the simulations are used up. The children of a turn
    are simulated side by side: their subtrees have nothing in common.
    """
    schedule: list[tuple[int, int]] = []
    remaining, visits, left = max(considered, 1), 0, simulations
    phases = max(1, math.ceil(math.log2(remaining)))
    while left > 0:
        for _ in range(max(1, simulations // (phases * remaining))):
            schedule.append((visits, min(remaining, left)))
            visits, left = visits + 1, left - remaining
            if left <= 0:
                break
        remaining = max(2, remaining // 2) if considered > 1 else 1
    return schedule


@kernel
def draw_gumbel(stream, noise):
    """Fill `noise`, float64[9], with standard Gumbel numbers from the random uint64 `stream`."""
    for digit in range(9):
        stream += GAMMA
        uniform = (np.float64(mix(stream) >> np.uint64(11)) + 0.5) / 2.0**53
        noise[digit] = math.log(1 / math.log(1 / uniform))


@inlined
def improved(tree, g, node, c_visit, c_scale, policy, completed):
    """Fill `policy`, float64[9], with the policy improved by completed Q values.

    `completed`, float64[9], gets logits + σ(Q), from which it is the softmax over the legal
    children that are no proven losses; over all legal ones where there are no others. In a
    won node the policy is uniform over the proven wins. Returns what a child without a visit
    is worth.
    """
    legal = np.int64(tree.legal[g, node])
    proven, proofs = np.int64(tree.proven[g, node]), np.int64(tree.proofs[g, node])
    solved, best = solve(proven, proofs, legal)
    # what the unvisited children are worth: the network's value, mixed with the visited ones'
    most, total, prior_visited, weighted = 0, 0, 0.0, 0.0
    for digit in range(9):
        visits = np.int64(tree.visits[g, node, digit])
        if visits > 0:
            most, total = max(most, visits), total + visits
            prior = np.float64(tree.priors[g, node, digit])
            prior_visited += prior
            value = edge_value(proven, proofs, digit, tree.totals[g, node, digit], visits)
            weighted += prior * value
    mixed = np.float64(tree.value[g, node])
    if prior_visited > 0:
        mixed = (mixed + total * weighted / prior_visited) / (1 + total)
    scale = (c_visit + most) * c_scale
    highest = LOWEST
    for digit in range(9):
        completed[digit], policy[digit] = LOWEST, 0.0
        if (legal >> digit) & 1:
            visits = np.int64(tree.visits[g, node, digit])
            value = mixed
            if visits > 0 or is_proven(proven, digit):
                value = edge_value(proven, proofs, digit, tree.totals[g, node, digit], visits)
            completed[digit] = tree.logits[g, node, digit] + scale * (value + 1) / 2
            if not is_excluded(proven, proofs, digit, solved, best):
                highest, policy[digit] = max(highest, completed[digit]), 1.0
    norm = 0.0
    for digit in range(9):
        if policy[digit] > 0 and not (solved and best == 1):
            policy[digit] = math.exp(completed[digit] - highest)
        norm += policy[digit]
    for digit in range(9):
        policy[digit] /= norm
    return mixed


@kernel
def is_excluded(proven, proofs, digit, solved, best):
    """Whether proofs rule a legal child out: a loss among others; in a won node, all but wins."""
    if solved and best == 1:
        return not is_proven(proven, digit) or proven_value(proofs, digit) < 1
    return is_lost(proven, proofs, digit) and not (solved and best == -1)


@kernel
def root_digit(legal, visits, noise, wanted, completed, policy):
    """The root's child to simulate next: the best of those with `wanted` visits.

    Children that have too few or too many of `visits`, int32[9], come after those; what
    `policy` rules out is out of the question.
    """
    best, best_rank, best_is_wanted = NOBODY, LOWEST, False
    for digit in range(9):
        if (legal >> digit) & 1 and policy[digit] > 0:
            rank, is_wanted = noise[digit] + completed[digit], visits[digit] == wanted
            if (is_wanted, rank) > (best_is_wanted, best_rank):
                best, best_rank, best_is_wanted = digit, rank, is_wanted
    return best


@kernel
def inner_digit(visits, policy):
    """The child whose share of `visits`, int32[9], falls shortest of the improved policy."""
    total = 0
    for digit in range(9):
        total += visits[digit]
    best, best_lag = NOBODY, LOWEST
    for digit in range(9):
        if policy[digit] > 0:
            lag = policy[digit] - visits[digit] / (1 + total)
            if lag > best_lag:
                best, best_lag = digit, lag
    return best
