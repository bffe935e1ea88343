"""Decisive rollouts: take a board at hand, else don't hand one over (Teytaud & Teytaud, 2010)."""

import numpy as np

from rstt_env.jit import kernel
from rstt_env.kernels import destination, get
from rstt_env.rng import below, mix
from rstt_env.state import CLOSED
from rstt_env.tree import COMPLETING, FULL, NTH_ZERO, NUM_ONES, first_deepest


@kernel
def completing(boards, g, board, player):
    """Nine bits: the open squares of a deepest board that give `player` three in a row."""
    marks = np.uint64(get(boards, g, board, player))
    return np.int64(COMPLETING[marks]) & ~get(boards, g, board, CLOSED)


@kernel
def nth_one(mask, n):
    """The digit of the n-th set bit of a nine-bit mask."""
    return np.int64(NTH_ZERO[np.uint64(FULL & ~mask), np.uint64(n)])


@kernel
def careful_move(levels, boards, g, board, digit, player, bits):
    """A digit of the deepest board `board` for the mover of a rollout.

    One that completes the board, if there is any; else `digit`, the random choice, unless it
    sends the opponent to a deepest board that the opponent can complete; else another
    random one that doesn't, if there is any. Where the move would fill its own board, the
    place that it sends to is the one before that: a guess, as all of this is.
    """
    winning = completing(boards, g, board, player)
    if winning:
        return nth_one(winning, below(NUM_ONES[np.uint64(winning)], mix(bits)))
    deepest = first_deepest(levels)
    options = FULL & ~get(boards, g, board, CLOSED)
    while True:
        sent = destination(levels, boards, g, board, digit)
        handed = completing(boards, g, sent, 1 - player) if sent >= deepest else 0
        if sent == board:
            handed &= ~(1 << digit)  # the move itself blocks this one
        if not handed:
            return digit
        options &= ~(1 << digit)
        if not options:
            return digit
        bits = mix(bits)
        digit = nth_one(options, below(NUM_ONES[np.uint64(options)], bits))
