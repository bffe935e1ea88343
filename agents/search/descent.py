"""From the roots to the leaves and back: the walk that every rule of search shares."""

import numpy as np

from agents.search.gumbel import improved, inner_digit, root_digit
from agents.search.puct import best_digit, noisy_priors
from agents.search.tree import (
    LOWEST,
    NOBODY,
    NONE,
    add_node,
    back_up,
    edge_value,
    solve_node,
)
from agents.solver import is_proven, proven_value
from rstt_env.jit import inlined, kernel
from rstt_env.kernels import destination, get, settle
from rstt_env.outcome import UNDECIDED, X, outcome_value, view
from rstt_env.state import CLOSED
from rstt_env.tree import FULL, first_deepest

GUMBEL, PUCT = 0, 1


@kernel
def plant(tree, state, games, logits, values):
    """Roots for `games`, int64[n], with what the evaluator says of them, row by row."""
    for i in range(len(games)):
        g = games[i]
        tree.size[g] = 0
        legal = FULL & ~get(state.boards, g, state.focus[g], CLOSED)
        add_node(tree, g, state.to_play[g], legal, logits[i], values[i])


@inlined
def pick_inner(tree, g, node, rule, c_visit, c_scale, c_puct, policy, scratch):
    """The child to go on with, below the root; `policy` and `scratch`, float64[9], are for work."""
    if rule == GUMBEL:
        improved(tree, g, node, c_visit, c_scale, policy, scratch)
        return inner_digit(tree.visits[g, node], policy)
    return best_digit(tree, g, node, tree.priors[g, node], c_puct)


@inlined
def pick_at_root(
    tree, g, rule, c_visit, c_scale, c_puct, share, noise, wanted, number, digits, policy, scratch
):
    """Up to `number` different children to simulate side by side; returns how many there are.

    Fills `digits`, int64[9].
    """
    if rule == PUCT:
        noisy_priors(tree, g, noise, share, policy)
        digits[0] = best_digit(tree, g, 0, policy, c_puct)
        return 1
    improved(tree, g, 0, c_visit, c_scale, policy, scratch)
    for picked in range(number):
        digit = root_digit(tree.legal[g, 0], tree.visits[g, 0], noise, wanted, scratch, policy)
        if digit == NOBODY:
            return picked
        digits[picked], policy[digit] = digit, 0.0
    return number


@inlined
def expand_game(tree, leaves, g, path, length, waiting, place, logits, values):
    """A new node for each leaf of game `g` that waited, and its value to all on the way.

    The evaluator's answer to a row of `waiting` is number `place[row]`.
    """
    lanes = len(waiting) // len(tree.size)
    for row in range(lanes * g, lanes * (g + 1)):
        if waiting[row]:
            waiting[row] = False
            i = place[row]
            legal = FULL & ~get(leaves.boards, row, leaves.focus[row], CLOSED)
            player = leaves.to_play[row]
            node = add_node(tree, g, player, legal, logits[i], values[i])
            tree.child[g, path[row, length[row] - 1, 0], path[row, length[row] - 1, 1]] = node
            back_up(tree, g, path[row], length[row], view(np.float64(values[i]), player, X), False)


@kernel
def expand(tree, leaves, path, length, waiting, place, logits, values):
    """`expand_game` for all games."""
    for g in range(len(tree.size)):
        expand_game(tree, leaves, g, path, length, waiting, place, logits, values)


@kernel
def select(
    tree, state, leaves, games, rule, c_visit, c_scale, c_puct, share, noise, wanted, number,
    solver, path, length, waiting, simulations, place, logits, values,
):  # fmt: skip
    """Walk from the root to some leaves in each of `games`, int64[n], each by another child.

    Leaves that were waiting for an evaluation are expanded first. Row `lanes · g + j` of what
    follows is for walk j of game g, where `lanes` of them have room. A walk that ends in a known
    result is backed up at once. The others leave their position in `leaves`, their walk in
    `path`, int32[rows, P, 2], and `length`, int32[rows], and set `waiting`, bool[rows]: they
    need an evaluation. `noise` is float64[G, 9]; `wanted` and `number`, int32[G], are the turn of
    the halving schedule. A solved root is left alone.
    """
    lanes = len(waiting) // len(state.focus)
    policy, scratch, digits = np.empty(9), np.empty(9), np.empty(9, np.int64)
    for i in range(len(games)):
        g = games[i]
        expand_game(tree, leaves, g, path, length, waiting, place, logits, values)
        if solver and solve_node(tree, g, 0)[0]:
            continue
        walks = pick_at_root(
            tree, g, rule, c_visit, c_scale, c_puct, share, noise[g], wanted[g],
            min(number[g], lanes), digits, policy, scratch,
        )  # fmt: skip
        simulations[g] += walks
        for j in range(walks):
            walk(
                tree, state, leaves, g, lanes * g + j, digits[j], rule, c_visit, c_scale, c_puct,
                solver, path, length, waiting, policy, scratch,
            )  # fmt: skip


@inlined
def walk(
    tree, state, leaves, g, row, digit, rule, c_visit, c_scale, c_puct, solver, path, length,
    waiting, policy, scratch,
):  # fmt: skip
    """One walk of game `g`, from the root through its child `digit`; see `select`."""
    levels, deepest = state.levels, first_deepest(state.levels)
    leaves.boards[row] = state.boards[g]
    focus, player = np.int64(state.focus[g]), np.int64(state.to_play[g])
    node, steps, value, known = np.int64(0), 0, 0.0, False
    while True:
        path[row, steps, 0], path[row, steps, 1] = node, digit
        steps += 1
        if is_proven(tree.proven[g, node], digit):
            own = np.float64(proven_value(tree.proofs[g, node], digit))
            value, known = view(own, tree.player[g, node], X), True
            break
        outcome = UNDECIDED
        if focus < deepest:
            focus = 9 * focus + 1 + digit
        else:
            outcome = settle(levels, leaves.boards, row, focus, digit, player)
            focus = destination(levels, leaves.boards, row, focus, digit)
            player = 1 - player
        if outcome != UNDECIDED:
            value, known = outcome_value(outcome, X), True
            break
        child = np.int64(tree.child[g, node, digit])
        if child == NONE:
            break
        node = child
        digit = pick_inner(tree, g, node, rule, c_visit, c_scale, c_puct, policy, scratch)
    length[row] = steps
    if known:
        back_up(tree, g, path[row], steps, value, solver)
    else:
        waiting[row] = True
        leaves.focus[row], leaves.to_play[row] = focus, player


@kernel
def variation(tree, state, g, digit, squares):
    """Fill `squares`, int64[n], with what is expected in game `g` after `digit`; return how many.

    Below the root the edge is a proven win or, else, the most visited that is no proven loss. The
    variation ends where the tree does, or where `squares` is full.
    """
    levels, deepest = state.levels, first_deepest(state.levels)
    boards = state.boards[g : g + 1].copy()
    focus, player = np.int64(state.focus[g]), np.int64(state.to_play[g])
    node, length, outcome = np.int64(0), 0, UNDECIDED
    while outcome == UNDECIDED and digit != NOBODY and length < len(squares):
        if focus < deepest:
            focus = 9 * focus + 1 + digit
        else:
            squares[length] = 9 * (focus - deepest) + digit
            length += 1
            outcome = settle(levels, boards, 0, focus, digit, player)
            focus = destination(levels, boards, 0, focus, digit)
            player = 1 - player
        node = np.int64(tree.child[g, node, digit])
        if node == NONE:
            break
        digit, best_rank = NOBODY, 0.0
        for k in range(9):
            rank = np.float64(tree.visits[g, node, k])
            if rank > 0:
                if is_proven(tree.proven[g, node], k):
                    rank += 1e12 * proven_value(tree.proofs[g, node], k)
                if digit == NOBODY or rank > best_rank:
                    digit, best_rank = k, rank
    return length


@kernel
def conclude(
    tree, games, rule, c_visit, c_scale, noise, digit, policy, value, scores, proven
):  # fmt: skip
    """What the search says of the roots of `games`: see `search.Result`."""
    target, completed = np.empty(9), np.empty(9)
    for i in range(len(games)):
        g = games[i]
        mixed = improved(tree, g, 0, c_visit, c_scale, target, completed)
        solved, sure = solve_node(tree, g, 0)
        most, total = 0, 0
        for k in range(9):
            if target[k] > 0:
                most, total = max(most, tree.visits[g, 0, k]), total + tree.visits[g, 0, k]
        best, best_rank, expected = 0, 2 * LOWEST, 0.0
        for k in range(9):
            policy[g, k], scores[g, k] = target[k], np.nan
            known = tree.visits[g, 0, k] > 0 or is_proven(tree.proven[g, 0], k)
            if known:
                scores[g, k] = edge_value(
                    tree.proven[g, 0], tree.proofs[g, 0], k,
                    tree.totals[g, 0, k], tree.visits[g, 0, k],
                )  # fmt: skip
            if target[k] > 0:
                expected += target[k] * (scores[g, k] if known else mixed)
                rank = tree.visits[g, 0, k] + target[k] / 2  # which tells equal visits apart
                if rule == GUMBEL:
                    rank = noise[g, k] + completed[k]
                    if tree.visits[g, 0, k] < most and not solved:
                        rank += LOWEST
                elif total > 0 and not solved:
                    policy[g, k] = tree.visits[g, 0, k] / total
                if rank > best_rank:
                    best, best_rank = k, rank
        digit[g], value[g], proven[g] = best, np.float64(sure) if solved else expected, solved
