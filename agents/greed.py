"""The kernel of the greedy agent."""

from rstt_env.jit import kernel
from rstt_env.kernels import get, is_reachable, position_key
from rstt_env.rng import GAMMA, below, mix
from rstt_env.state import CLOSED
from rstt_env.tree import HAS_LINE, digit_of, first_deepest, parent_of


@kernel
def boards_claimed(boards, g, board, digit, player):
    """How many boards a mark on `digit` of a deepest board claims: 0 to the game's depth."""
    claimed = 0
    while HAS_LINE[get(boards, g, board, player) | 1 << digit]:
        claimed += 1
        if board == 0:
            break
        board, digit = parent_of(board), digit_of(board)
    return claimed


@kernel
def greedy_squares(state, seeds, squares):
    """Fill `squares`, int64[N]: a random one of those that claim the most boards.

    Game g, which isn't over, draws from `seeds[g]`, uint64[N], and its position.
    """
    levels, boards = state.levels, state.boards
    deepest = first_deepest(levels)
    for g in range(len(squares)):
        focus, player = state.focus[g], state.to_play[g]
        bits = position_key(levels, boards, g, focus, player) ^ mix(seeds[g])
        first, end = focus, focus + 1  # the deepest boards under the focus
        while first < deepest:
            first, end = 9 * first + 1, 9 * end + 1
        most, equals = -1, 0
        for board in range(first, end):
            if not is_reachable(boards, g, board, focus):
                continue
            for digit in range(9):
                if (get(boards, g, board, CLOSED) >> digit) & 1:
                    continue
                claimed = boards_claimed(boards, g, board, digit, player)
                if claimed > most:
                    most, equals = claimed, 0
                if claimed == most:
                    equals += 1  # each of n equals is kept with a chance of 1 / n
                    bits += GAMMA
                    if below(equals, bits) == 0:
                        squares[g] = 9 * (board - deepest) + digit
