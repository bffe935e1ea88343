"""Alpha-beta over nine-way choices: negamax with a transposition table (Knuth & Moore, 1975).

The player changes only when a mark is placed, so values and windows change sides through
`view` where a child has another mover than its parent, and stay where it hasn't. The
search keeps a stack of its own and can be interrupted at any node and resumed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.alphabeta.evaluation import mark, unmark
from agents.alphabeta.table import AT_LEAST, AT_MOST, EXACT, NO_DIGIT, SOLVED, look_up, store
from rstt_env import tree
from rstt_env.jit import kernel
from rstt_env.kernels import destination, get, marks_key, mover_key
from rstt_env.outcome import UNDECIDED, X, outcome_value, view
from rstt_env.state import CLOSED
from rstt_env.tree import COMPLETING, FULL, NUM_ONES, first_deepest

WIN = 1_000_000
"""Score of a won game, less one for each choice on the way to it."""
SURE_WIN, SURE_LOSS = 970_000, -970_000
"""Scores from here on are proven: no game has more than 26,244 choices."""
HIGHEST, LOWEST = 2_000_000, -2_000_000

# Columns of `Stack.frames`: one row a choice on the way from the root to the node at hand.
FOCUS = 0
PLAYER = 1
DEPTH = 2  # how many choices are still to be looked ahead
FLOOR = 3  # the window with which the node was entered …
LOWER = 4  # … and what is left of it
UPPER = 5
BEST = 6  # the best score so far, for the node's player
BEST_DIGIT = 7
BEST_SOLVED = 8  # whether that score holds at every depth
ALL_SOLVED = 9  # whether the scores of all children so far do
TODO = 10  # nine bits: children not looked at yet
DIGIT = 11  # the child that is being looked at
FRAME = 12

_TABLE_MOVE, _CLAIM, _HANDING = 1 << 30, 1 << 28, 1 << 20


class Stack(NamedTuple):
    """A search in progress at depth d; kernels change it in place. P is the most choices ahead."""

    ply: NDArray[np.int64]
    """int64[1]: the row of the node at hand; -1 when the search is done."""
    frames: NDArray[np.int32]
    """int32[P, FRAME]"""
    keys: NDArray[np.uint64]
    """uint64[P]: position keys."""
    order: NDArray[np.int32]
    """int32[P, 9]: the children with the highest numbers are looked at first."""
    history: NDArray[np.int32]
    """int32[2, num_boards, 9]: how often, by player, a choice refuted what came before."""
    root_scores: NDArray[np.int32]
    """int32[9]: the scores of the root's children; upper bounds except for the best."""
    saved_boards: NDArray[np.uint16]
    saved_scores: NDArray[np.int32]
    """uint16[P, d, 4], int32[P, d]: what `unmark` needs."""


def new_stack(depth: int, most_choices: int) -> Stack:
    """An empty stack."""
    return Stack(
        ply=np.full(1, -1),
        frames=np.zeros((most_choices, FRAME), np.int32),
        keys=np.zeros(most_choices, np.uint64),
        order=np.zeros((most_choices, 9), np.int32),
        history=np.zeros((2, tree.num_boards(depth), 9), np.int32),
        root_scores=np.zeros(9, np.int32),
        saved_boards=np.zeros((most_choices, depth, 4), np.uint16),
        saved_scores=np.zeros((most_choices, depth), np.int32),
    )


@kernel
def enter(levels, boards, stack, ply, key, focus, player, depth, lower, upper, first):
    """Lay the node at hand on the stack; `first` is the child to begin with, if one is known."""
    frame = stack.frames[ply]
    frame[FOCUS], frame[PLAYER], frame[DEPTH] = focus, player, depth
    frame[FLOOR] = frame[LOWER] = lower
    frame[UPPER] = upper
    frame[BEST], frame[BEST_DIGIT], frame[BEST_SOLVED] = LOWEST, NO_DIGIT, False
    frame[ALL_SOLVED] = True
    frame[TODO] = FULL & ~get(boards, 0, focus, CLOSED)
    stack.keys[ply] = key
    deepest = first_deepest(levels)
    claiming = 0
    if focus >= deepest:
        claiming = COMPLETING[get(boards, 0, focus, player)]
    for digit in range(9):
        rank = stack.history[player, focus, digit]
        if digit == first:
            rank += _TABLE_MOVE
        elif (claiming >> digit) & 1:
            rank += _CLAIM
        elif focus >= deepest:
            sent = destination(levels, boards, 0, focus, digit)
            if sent < deepest or COMPLETING[get(boards, 0, sent, 1 - player)] & ~get(
                boards, 0, sent, CLOSED
            ):
                rank -= _HANDING
        stack.order[ply, digit] = rank


@kernel
def next_digit(stack, ply):
    """Take the most promising child that is left."""
    todo, best, best_rank = stack.frames[ply, TODO], 0, np.int64(LOWEST)
    for digit in range(9):
        if (todo >> digit) & 1 and stack.order[ply, digit] > best_rank:
            best, best_rank = digit, np.int64(stack.order[ply, digit])
    stack.frames[ply, TODO] = todo & ~(1 << best)
    stack.frames[ply, DIGIT] = best
    return best


@kernel
def absorb(stack, ply, score, solved):
    """Take in the score, for the player of row `ply`, of the child that was looked at."""
    frame = stack.frames[ply]
    digit = frame[DIGIT]
    if score > frame[BEST]:
        frame[BEST], frame[BEST_DIGIT], frame[BEST_SOLVED] = score, digit, solved
    if not solved:
        frame[ALL_SOLVED] = False
    if ply == 0:
        stack.root_scores[digit] = score
    if score > frame[LOWER]:
        frame[LOWER] = score
        if score >= frame[UPPER]:
            frame[TODO] = 0
            depth = min(frame[DEPTH], 64)
            refuted = stack.history[frame[PLAYER], frame[FOCUS], digit] + depth * depth
            stack.history[frame[PLAYER], frame[FOCUS], digit] = min(refuted, _HANDING // 2)


@kernel
def is_sure(score):
    """Whether a score says that the game is won or lost for certain."""
    return score >= SURE_WIN or score <= SURE_LOSS


@kernel
def from_afar(score, choices):
    """A node's score seen from so many choices before: each makes a sure result count one less."""
    if score >= SURE_WIN:
        return score - choices
    return score + choices if score <= SURE_LOSS else score


@kernel
def from_nearby(score, choices):
    """The inverse of `from_afar`."""
    if score >= SURE_WIN:
        return score + choices
    return score - choices if score <= SURE_LOSS else score


@kernel
def conclude(stack, ply, table, salt):
    """The score of the finished node in row `ply`, and whether it is solved; both are stored."""
    frame = stack.frames[ply]
    score = np.int64(frame[BEST])
    bound = EXACT
    if score >= frame[UPPER]:
        bound = AT_LEAST
    elif score <= frame[FLOOR]:
        bound = AT_MOST
    solved = is_sure(score) or (
        frame[BEST_SOLVED] != 0 if bound == AT_LEAST else frame[ALL_SOLVED] != 0
    )
    depth = SOLVED if solved else np.int64(frame[DEPTH])
    digit = np.int64(frame[BEST_DIGIT])
    store(table, stack.keys[ply], salt, from_nearby(score, ply), depth, bound, digit)
    return score, solved


@kernel
def run(levels, boards, scores, stack, table, salt, max_nodes):
    """Go on with the search for `max_nodes` nodes, or to its end: `stack.ply[0]` is then -1.

    `boards`, uint16[1, num_boards, 4], and `scores` (see `evaluation`) belong to the node at
    hand; at the end they are the root's again. Returns the number of nodes looked at.
    """
    deepest = first_deepest(levels)
    frames, nodes, ply = stack.frames, 0, stack.ply[0]
    while ply >= 0 and nodes < max_nodes:
        if frames[ply, TODO] == 0:
            score, solved = conclude(stack, ply, table, salt)
            child_player = frames[ply, PLAYER]
            ply -= 1
            if ply >= 0:
                if frames[ply, FOCUS] >= deepest:
                    unmark(
                        levels, boards, scores, np.int64(frames[ply, FOCUS]),
                        stack.saved_boards, stack.saved_scores, ply,
                    )  # fmt: skip
                absorb(stack, ply, view(score, child_player, frames[ply, PLAYER]), solved)
            continue

        # make the next choice
        nodes += 1
        focus, player = np.int64(frames[ply, FOCUS]), np.int64(frames[ply, PLAYER])
        depth = np.int64(frames[ply, DEPTH])
        if NUM_ONES[FULL & ~get(boards, 0, focus, CLOSED)] > 1:
            depth -= 1  # what is forced costs nothing
        digit = next_digit(stack, ply)
        key = stack.keys[ply] ^ mover_key(levels, focus, player)
        child, mover, outcome = 9 * focus + 1 + digit, player, UNDECIDED
        marked = focus >= deepest
        if marked:
            marks = get(boards, 0, focus, player)
            key ^= marks_key(focus, player, marks) ^ marks_key(focus, player, marks | 1 << digit)
            outcome = mark(
                levels, boards, scores, focus, digit, player,
                stack.saved_boards, stack.saved_scores, ply,
            )  # fmt: skip
            child, mover = destination(levels, boards, 0, focus, digit), 1 - player
        key ^= mover_key(levels, child, mover)

        # what is known of the position without looking further
        lower = view(frames[ply, LOWER], player, mover)
        upper = view(frames[ply, UPPER], player, mover)
        if player != mover:
            lower, upper = upper, lower
        known, solved, score, first = False, False, np.int64(0), NO_DIGIT
        if outcome != UNDECIDED:
            known, solved = True, True
            score = from_afar(np.int64(outcome_value(outcome, mover)) * WIN, ply + 1)
        elif depth <= 0 or ply + 1 == len(frames):
            known, score = True, np.int64(view(scores[0], X, mover))
        else:
            entry = look_up(table, key, salt)
            if entry.found:
                first = entry.digit
                score = from_afar(entry.score, ply + 1)
                known = entry.depth >= depth and (
                    entry.bound == EXACT
                    or (entry.bound == AT_LEAST and score >= upper)
                    or (entry.bound == AT_MOST and score <= lower)
                )
                solved = entry.depth == SOLVED
        if not known:
            ply += 1
            enter(levels, boards, stack, ply, key, child, mover, depth, lower, upper, first)
            continue
        if marked:
            unmark(levels, boards, scores, focus, stack.saved_boards, stack.saved_scores, ply)
        absorb(stack, ply, view(score, mover, player), solved)
    stack.ply[0] = ply
    return nodes
