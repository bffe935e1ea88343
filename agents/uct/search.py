"""UCT (Kocsis & Szepesvári, 2006) over nine-way choices, wholly inside kernels.

A simulation walks down from the root by UCB1, tries one edge that has no visit yet, plays
out at random from there and adds the result to every edge on its way. The player changes
only when a mark is placed, so each edge counts for the player who chooses at its node.

With the solver (Winands, Björnsson & Saito, 2008), the value of a finished game proves the
edge that led to it: a node is proven by one winning edge or by all its edges, and that
proves the edge into it. Edges that lose for certain are not chosen again, and one with a
proven value ends a simulation. Where the mover can win with a single mark, that is seen at
once, and no rollout is made (decisive moves; Teytaud & Teytaud, 2010): worth 45 Elo.
"""

import math

import numpy as np

from agents.solver import is_proven, proven_value
from agents.uct.rollout import careful_move
from agents.uct.tree import (
    CHILD,
    NONE,
    PLAYER,
    PROOFS,
    PROVEN,
    TOTAL,
    UNTRIED,
    VISITS,
    add_node,
    prove_wins,
    solve_node,
)
from rstt_env.jit import kernel
from rstt_env.kernels import destination, get, nth_legal, settle
from rstt_env.outcome import UNDECIDED, X, outcome_value, view
from rstt_env.rng import GAMMA, below
from rstt_env.state import CLOSED, OPEN
from rstt_env.tree import (
    COMPLETING,
    FULL,
    HAS_LINE,
    NTH_ZERO,
    NUM_ONES,
    digit_of,
    first_deepest,
    parent_of,
)

LANES = 2  # simulations of different trees in flight, so that the processor overlaps their work
IDLE = -1
NO_EDGE = -1
NOTHING = float("-inf")


@kernel
def best_edge(nodes, t, node, exploration):
    """The visited edge with the highest upper confidence bound (UCB1).

    A proven loss is out of the question; a node with nothing else is solved and not visited.
    """
    visits = 0
    for digit in range(9):
        visits += nodes[t, node, VISITS + digit]
    width = exploration * math.sqrt(math.log(visits))
    best, best_bound = NONE, NOTHING
    for digit in range(9):
        visits = nodes[t, node, VISITS + digit]
        if visits > 0:
            scale = 1 / math.sqrt(visits)
            bound = (nodes[t, node, TOTAL + digit] * scale + width) * scale
            if bound > best_bound:
                lost = (
                    is_proven(nodes[t, node, PROVEN], digit)
                    and proven_value(nodes[t, node, PROOFS], digit) < 0
                )
                if not lost:
                    best, best_bound = digit, bound
    return best


@kernel
def winning_squares(boards, g, focus, player):
    """Nine bits: the squares of the deepest board `focus` with which `player` wins the game."""
    board = focus
    while board > 0:  # every board above has to be completed by the one below
        above = parent_of(board)
        if not HAS_LINE[get(boards, g, above, player) | 1 << digit_of(board)]:
            return np.int64(0)
        board = above
    return np.int64(COMPLETING[get(boards, g, focus, player)]) & ~get(boards, g, focus, CLOSED)


@kernel
def descend(
    levels, nodes, sizes, t, root, exploration, solver, boards, lane, focus, player, bits, path
):
    """Walk from the root to the end of the tree, playing the choices on `boards[lane]`.

    Returns the focus, the mover and the outcome there, whether the solver knows the
    outcome, and the length of the walk, whose nodes and digits are left in `path[lane]`.
    """
    deepest = first_deepest(levels)
    node, length = root, 0
    while True:
        untried = nodes[t, node, UNTRIED]
        if untried:
            missing = np.uint64(FULL & ~untried)
            digit = np.int64(NTH_ZERO[missing, below(NUM_ONES[np.uint64(untried)], bits)])
            nodes[t, node, UNTRIED] = untried ^ (1 << digit)
        else:
            digit = best_edge(nodes, t, node, exploration)
        path[lane, length, 0], path[lane, length, 1] = node, digit
        length += 1
        if is_proven(nodes[t, node, PROVEN], digit):
            value = view(proven_value(nodes[t, node, PROOFS], digit), nodes[t, node, PLAYER], X)
            return focus, player, value, True, length
        outcome = UNDECIDED
        if focus < deepest:
            focus = 9 * focus + 1 + digit
        else:
            outcome = settle(levels, boards, lane, focus, digit, player)
            focus = destination(levels, boards, lane, focus, digit)
            player = 1 - player
        if outcome != UNDECIDED:
            return focus, player, np.int64(outcome_value(outcome, X)), True, length
        child = nodes[t, node, CHILD + digit]
        winning = 0
        if solver and child == NONE and focus >= deepest:
            winning = winning_squares(boards, lane, focus, player)
        if child == NONE and (winning or not untried):
            legal = FULL & ~get(boards, lane, focus, CLOSED)
            child = add_node(nodes, sizes, t, legal, player)
            nodes[t, node, CHILD + digit] = child
        if winning:
            if child != NONE:
                prove_wins(nodes, t, child, winning)
            return focus, player, view(1, player, X), True, length
        if child == NONE:
            return focus, player, 0, False, length
        node = child


@kernel
def back_up(nodes, t, path, lane, length, value, known):
    """Add a result, `value` for X, to the edges of the walk; `known` turns it into proofs."""
    for step in range(length - 1, -1, -1):
        node, digit = path[lane, step, 0], path[lane, step, 1]
        player = nodes[t, node, PLAYER]
        result = view(value, X, player)
        nodes[t, node, VISITS + digit] += 1
        nodes[t, node, TOTAL + digit] += np.int32(result)
        if known:
            if not is_proven(nodes[t, node, PROVEN], digit):
                nodes[t, node, PROVEN] |= 1 << digit
                nodes[t, node, PROOFS] |= (result + 1) << (2 * digit)
            known, best = solve_node(nodes, t, node)
            if known:
                value = view(best, player, X)


@kernel
def search(
    levels, boards, focus, player, trees, nodes, sizes, roots, wanted, bits,
    exploration, solver, careful,
):  # fmt: skip
    """Run up to `wanted[t]` simulations in each tree t of `trees`; return how many, in its order.

    Tree t stands at game t of `boards`, `focus` and `player`, which stay as they are. Its
    root `roots[t]` exists. `bits[t]` is its random stream and is used up. A solved root ends
    its search early. A full tree is searched on without new nodes: its simulations then end
    in a rollout from the last node on their way.
    """
    # threads that write to neighbouring numbers would slow each other down
    shared_sizes, sizes, shared_bits, bits = sizes, sizes.copy(), bits, bits.copy()
    num_boards = boards.shape[1]
    done = np.zeros(len(trees), np.int64)
    job = np.full(LANES, IDLE)  # the place in `trees` of the tree that a lane works for
    rolling = np.zeros(LANES, np.bool_)  # whether its simulation is in the rollout
    scratch = np.empty((LANES, num_boards, 4), np.uint16)
    at = np.empty(LANES, np.int64)
    mover = np.empty(LANES, np.int64)
    length = np.zeros(LANES, np.int64)
    path = np.empty((LANES, len(levels) * 9 ** len(levels), 2), np.int32)
    started, live = 0, LANES
    while live > 0:
        lane = 0
        while lane < live:
            if job[lane] == IDLE:
                if started < len(trees):
                    job[lane], rolling[lane] = started, False
                    started += 1
                else:  # the last lane moves here
                    live -= 1
                    job[lane], rolling[lane], at[lane] = job[live], rolling[live], at[live]
                    mover[lane], length[lane] = mover[live], length[live]
                    scratch[lane], path[lane] = scratch[live], path[live]
                continue
            t = trees[job[lane]]
            value, known = 0, False
            if rolling[lane]:
                bits[t] += GAMMA
                rank = below(get(scratch, lane, at[lane], OPEN), bits[t])
                board, digit = nth_legal(levels, scratch, lane, at[lane], rank)
                if careful:
                    digit = careful_move(levels, scratch, lane, board, digit, mover[lane], bits[t])
                outcome = settle(levels, scratch, lane, board, digit, mover[lane])
                if outcome == UNDECIDED:
                    at[lane] = destination(levels, scratch, lane, board, digit)
                    mover[lane] = 1 - mover[lane]
                    lane += 1
                    continue
                value = np.int64(outcome_value(outcome, X))
            else:
                solved = solver and solve_node(nodes, t, roots[t])[0]
                if done[job[lane]] == wanted[t] or solved:
                    job[lane] = IDLE
                    continue
                scratch[lane] = boards[t]
                bits[t] += GAMMA
                at[lane], mover[lane], value, known, length[lane] = descend(
                    levels, nodes, sizes, t, roots[t], exploration, solver,
                    scratch, lane, focus[t], player[t], bits[t], path,
                )  # fmt: skip
                rolling[lane] = True
                if not known:
                    lane += 1
                    continue
            back_up(nodes, t, path, lane, length[lane], value, known and solver)
            rolling[lane] = False
            done[job[lane]] += 1
            lane += 1
    for t in trees:
        shared_sizes[t], shared_bits[t] = sizes[t], bits[t]
    return done


@kernel
def variation(levels, boards, focus, player, nodes, t, root, squares):
    """Fill `squares` with the principal variation of tree `t` from its root; return its length.

    At each node the edge is a proven win or, else, the most visited that is no proven loss.
    The variation ends where the tree does, or where `squares` is full.
    """
    deepest = first_deepest(levels)
    scratch = boards.copy()
    node, length, outcome = root, 0, UNDECIDED
    while outcome == UNDECIDED and length < len(squares):
        best, best_rank = NO_EDGE, 0.0
        for digit in range(9):
            rank = float(nodes[t, node, VISITS + digit])
            if rank > 0:
                if is_proven(nodes[t, node, PROVEN], digit):
                    rank += 1e12 * proven_value(nodes[t, node, PROOFS], digit)
                if best == NO_EDGE or rank > best_rank:
                    best, best_rank = digit, rank
        if best == NO_EDGE:
            break
        if focus < deepest:
            focus = 9 * focus + 1 + best
        else:
            squares[length] = 9 * (focus - deepest) + best
            length += 1
            outcome = settle(levels, scratch, 0, focus, best, player)
            focus = destination(levels, scratch, 0, focus, best)
            player = 1 - player
        node = nodes[t, node, CHILD + best]
        if node == NONE:
            break
    return length
