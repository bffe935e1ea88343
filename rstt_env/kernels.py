"""The rules, as Numba kernels.

The first part is about one game `g`: find a square, mark it and settle the boards above
it, send the opponent on. It works on `levels` and `boards` of a `State` and on plain
numbers, which compiles and runs much faster than handing the whole record around. The
second part is the loops over games.
"""

import numpy as np

from rstt_env.jit import kernel
from rstt_env.outcome import DRAW, UNDECIDED
from rstt_env.rng import GAMMA, below, mix
from rstt_env.state import CLOSED, OPEN
from rstt_env.tree import FULL, HAS_LINE, NTH_ZERO, digit_of, first_deepest, parent_of

# Why an action is refused.
LEGAL, GAME_OVER, OUT_OF_RANGE, REPEATED, OCCUPIED, BOARD_DECIDED, OUTSIDE_FOCUS = range(7)


# --- access -----------------------------------------------------------------------------
# Unsigned indices spare Numba's check for negative ones: a seventh of a playout's time.


@kernel
def get(boards, g, board, column):
    """One number of a board's record, as int64."""
    return np.int64(boards[np.uint64(g), np.uint64(board), np.uint64(column)])


@kernel
def put(boards, g, board, column, value):
    """Set one number of a board's record."""
    boards[np.uint64(g), np.uint64(board), np.uint64(column)] = value


# --- one game ---------------------------------------------------------------------------


@kernel
def is_closed(boards, g, node):
    """Whether board `node` is decided, or square `node` occupied; its ancestors aside."""
    return (get(boards, g, parent_of(node), CLOSED) >> digit_of(node)) & 1 != 0


@kernel
def is_reachable(boards, g, node, focus):
    """Whether the walk from `focus` down to `node` leads through open boards alone."""
    while node > focus:
        if is_closed(boards, g, node):
            return False
        node = parent_of(node)
    return node == focus


@kernel
def nth_legal(levels, boards, g, focus, rank):
    """The deepest board and the digit of legal square number `rank`, in the order of squares."""
    board = np.int64(focus)
    deepest = first_deepest(levels)
    while board < deepest:
        board = 9 * board + 1
        while rank >= get(boards, g, board, OPEN):
            rank -= get(boards, g, board, OPEN)
            board += 1
    closed = np.uint64(get(boards, g, board, CLOSED))
    return board, np.int64(NTH_ZERO[closed, np.uint64(rank)])


@kernel
def settle(levels, boards, g, board, digit, player):
    """Mark `digit` of a deepest board, decide the boards above it, return the game's outcome.

    Written without early exits: what does not happen is computed with zero bits, which is
    faster than a branch that the processor can't predict. Boards above a playable square are
    undecided, so that a board with a line or without an open child is one decided just now.
    """
    depth = len(levels)
    mark = 1 << digit  # what `player` gains in this board
    closing = mark  # what is decided in this board
    filled = 1  # squares that this move takes out of play
    won = closed = False
    for level in range(depth):
        marks = get(boards, g, board, player) | mark
        put(boards, g, board, player, marks)
        decided = get(boards, g, board, CLOSED) | closing
        put(boards, g, board, CLOSED, decided)
        won = HAS_LINE[np.uint64(marks)]
        closed = won | (decided == FULL)
        playable = get(boards, g, board, OPEN)
        filled = playable if closed else filled
        put(boards, g, board, OPEN, playable - filled)
        if level < depth - 1:
            parent = parent_of(board) if level < depth - 2 else 0  # spares the last division
            place = board - 1 - 9 * parent
            mark = np.int64(won) << place
            closing = np.int64(closed) << place
            board = parent
    if won:
        return player
    return DRAW if closed else UNDECIDED


@kernel
def destination(levels, boards, g, board, digit):
    """The focus after a mark on `digit` of a deepest board.

    The square's address without its first digit names a deepest board. The outermost
    decided board on the way to it, if there is one, relaxes the focus to that board's parent.
    """
    depth = len(levels)
    if depth == 1:
        return 0
    deepest = first_deepest(levels)
    span = 1
    for _ in range(depth - 2):
        span *= 9
    above = parent_of(deepest) + np.int64(np.uint64(board - deepest) % np.uint64(span))
    focus = 9 * above + 1 + digit
    for level in range(depth - 1):
        focus = above if (get(boards, g, above, CLOSED) >> digit) & 1 else focus
        if level < depth - 2:
            digit, above = digit_of(above), parent_of(above)
    return focus


@kernel
def feature_key(feature):
    """The pseudo-random uint64 that stands for one fact (Zobrist hashing, without a table)."""
    return mix(np.uint64(feature) * GAMMA + GAMMA)


@kernel
def marks_key(board, player, marks):
    """The part of a position's key that stands for a player's marks in a deepest board."""
    if marks == 0:
        return np.uint64(0)
    return feature_key((2 * board + player + 1) * 1024 + marks)  # over those of focus and mover


@kernel
def mover_key(levels, focus, player):
    """The part of a position's key that stands for the focus and the mover."""
    return feature_key(focus) ^ feature_key(9 * first_deepest(levels) + 1 + np.int64(player))


@kernel
def position_key(levels, boards, g, focus, player):
    """uint64 over all that decides the future: marks, focus, mover."""
    deepest = first_deepest(levels)
    num_boards = 9 * deepest + 1
    key = mover_key(levels, focus, player)
    for board in range(deepest, num_boards):
        for owner in range(2):
            key ^= marks_key(board, owner, get(boards, g, board, owner))
    return key


# --- all games --------------------------------------------------------------------------


@kernel
def place(state, g, board, digit):
    """The mover marks `digit` of the deepest board `board`: one whole move, legality unchecked."""
    player = np.int64(state.to_play[g])
    outcome = settle(state.levels, state.boards, g, board, digit, player)
    focus = destination(state.levels, state.boards, g, board, digit)
    state.focus[g] = focus if outcome == UNDECIDED else 0
    state.to_play[g] = 1 - player
    state.outcome[g] = outcome
    state.last_square[g] = 9 * (board - first_deepest(state.levels)) + digit


@kernel
def play(state, games, squares):
    """Play `squares[i]` in game `games[i]`, legality unchecked."""
    for i in range(len(games)):
        square = np.int64(squares[i])
        place(state, games[i], first_deepest(state.levels) + square // 9, square % 9)


@kernel
def choose(state, games, digits):
    """Pick child `digits[i]` of the focus in game `games[i]`, legality unchecked.

    At a deepest board this is a move; above, it moves the focus down.
    """
    for i in range(len(games)):
        g, digit = games[i], np.int64(digits[i])
        focus = np.int64(state.focus[g])
        if focus < first_deepest(state.levels):
            state.focus[g] = 9 * focus + 1 + digit
        else:
            place(state, g, focus, digit)


@kernel
def refused_square(state, games, squares):
    """The first i for which `squares[i]` may not be played, and why; (-1, LEGAL) if all may."""
    boards = state.boards
    first_square = 9 * first_deepest(state.levels) + 1
    seen = np.zeros(len(state.focus), np.bool_)
    for i in range(len(games)):
        g, square = games[i], np.int64(squares[i])
        if seen[g]:
            return i, REPEATED
        seen[g] = True
        if state.outcome[g] != UNDECIDED:
            return i, GAME_OVER
        if square < 0 or square > 8 * first_square:  # there are 8 · first_square + 1
            return i, OUT_OF_RANGE
        node = first_square + square
        if is_closed(boards, g, node):
            return i, OCCUPIED
        if not is_reachable(boards, g, node, 0):
            return i, BOARD_DECIDED
        if not is_reachable(boards, g, node, np.int64(state.focus[g])):
            return i, OUTSIDE_FOCUS
    return -1, LEGAL


@kernel
def refused_digit(state, games, digits):
    """The first i for which `digits[i]` may not be chosen, and why; (-1, LEGAL) if all may."""
    seen = np.zeros(len(state.focus), np.bool_)
    for i in range(len(games)):
        g, digit = games[i], np.int64(digits[i])
        focus = np.int64(state.focus[g])
        if seen[g]:
            return i, REPEATED
        seen[g] = True
        if state.outcome[g] != UNDECIDED:
            return i, GAME_OVER
        if digit < 0 or digit > 8:
            return i, OUT_OF_RANGE
        if is_closed(state.boards, g, 9 * focus + 1 + digit):
            return i, OCCUPIED if focus >= first_deepest(state.levels) else BOARD_DECIDED
    return -1, LEGAL


@kernel
def legal_squares(state, legal):
    """Fill `legal`, bool[N, 9^d]."""
    boards = state.boards
    deepest = first_deepest(state.levels)
    for g in range(len(legal)):
        legal[g] = False
        if state.outcome[g] != UNDECIDED:
            continue
        focus = np.int64(state.focus[g])
        first, end = focus, focus + 1  # the deepest boards under the focus
        while first < deepest:
            first, end = 9 * first + 1, 9 * end + 1
        for board in range(first, end):
            if is_reachable(boards, g, board, focus):
                closed = get(boards, g, board, CLOSED)
                square = 9 * (board - deepest)
                for digit in range(9):
                    legal[g, square + digit] = (closed >> digit) & 1 == 0


@kernel
def legal_children(state, legal):
    """Fill `legal`, bool[N, 9]: the open children of the focus, none when the game is over."""
    for g in range(len(legal)):
        closed = get(state.boards, g, state.focus[g], CLOSED)
        for digit in range(9):
            legal[g, digit] = state.outcome[g] == UNDECIDED and (closed >> digit) & 1 == 0


@kernel
def random_squares(state, seeds, squares):
    """Fill `squares`, int64[N], with uniformly random legal squares; -1 when the game is over.

    Game g draws from `seeds[g]`, uint64[N], and its position.
    """
    levels, boards = state.levels, state.boards
    for g in range(len(squares)):
        focus, squares[g] = state.focus[g], -1
        if state.outcome[g] == UNDECIDED:
            bits = position_key(levels, boards, g, focus, state.to_play[g]) ^ mix(seeds[g])
            rank = below(get(boards, g, focus, OPEN), bits)
            board, digit = nth_legal(levels, boards, g, focus, rank)
            squares[g] = 9 * (board - first_deepest(levels)) + digit


@kernel
def owners(state, owner):
    """Fill `owner`, int8[N, num_boards], with `outcome` codes."""
    for g in range(len(owner)):
        owner[g, 0] = state.outcome[g]
        for board in range(1, owner.shape[1]):
            owner[g, board] = UNDECIDED
            if is_closed(state.boards, g, board):
                owner[g, board] = DRAW
                for player in range(2):
                    if (get(state.boards, g, parent_of(board), player) >> digit_of(board)) & 1:
                        owner[g, board] = player


@kernel
def position_keys(state, keys):
    """Fill `keys`, uint64[N]."""
    for g in range(len(keys)):
        keys[g] = position_key(state.levels, state.boards, g, state.focus[g], state.to_play[g])
