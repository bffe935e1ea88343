"""Uniformly random games to the end: the fastest loop of the engine."""

import numpy as np

from rstt_env.jit import kernel
from rstt_env.kernels import destination, get, nth_legal, position_key, settle
from rstt_env.outcome import UNDECIDED
from rstt_env.rng import GAMMA, below, mix
from rstt_env.state import OPEN
from rstt_env.tree import first_deepest

LANES = 2  # games advanced in turn, so that the processor overlaps their work
IDLE = -1


@kernel
def playouts(state, games, repeats, seeds, tally, plies):
    """`repeats` uniformly random playouts from each of `games`, which stay as they are.

    Adds to `tally`, int64[N, 3] (won by X, won by O, drawn), and to `plies`, int64[N]. The
    games must not be over. The random numbers of a playout depend on its game's `seeds[g]`,
    uint64[N], the position and the playout's number among its repeats, on nothing else.
    """
    levels = state.levels
    game = np.full(LANES, IDLE)  # the game that a lane plays out
    boards = np.empty((LANES, 9 * first_deepest(levels) + 1, 4), np.uint16)
    focus = np.empty(LANES, np.int64)
    player = np.empty(LANES, np.int64)
    length = np.empty(LANES, np.int64)
    stream = np.empty(LANES, np.uint64)
    key = np.uint64(0)
    jobs, started, live = len(games) * repeats, 0, LANES
    while live > 0:
        lane = 0
        while lane < live:
            if game[lane] == IDLE:
                if started == jobs:  # the last lane moves here
                    live -= 1
                    game[lane], boards[lane] = game[live], boards[live]
                    focus[lane], player[lane] = focus[live], player[live]
                    length[lane], stream[lane] = length[live], stream[live]
                    continue
                g, number = games[started // repeats], started % repeats
                if number == 0:
                    key = position_key(levels, state.boards, g, state.focus[g], state.to_play[g])
                    key = mix(key ^ mix(seeds[g]))
                game[lane], boards[lane] = g, state.boards[g]
                focus[lane], player[lane] = state.focus[g], state.to_play[g]
                length[lane], stream[lane] = 0, mix(key + np.uint64(number))
                started += 1
            stream[lane] += GAMMA
            rank = below(get(boards, lane, focus[lane], OPEN), stream[lane])
            board, digit = nth_legal(levels, boards, lane, focus[lane], rank)
            outcome = settle(levels, boards, lane, board, digit, player[lane])
            length[lane] += 1
            if outcome == UNDECIDED:
                focus[lane] = destination(levels, boards, lane, board, digit)
                player[lane] = 1 - player[lane]
            else:
                tally[game[lane], outcome] += 1
                plies[game[lane]] += length[lane]
                game[lane] = IDLE
            lane += 1
