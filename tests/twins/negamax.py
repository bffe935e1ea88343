"""Plain negamax over choices: no windows, no table, no ordering, positions are copied."""

import numpy as np

from agents.alphabeta.evaluation import fill_scores
from agents.alphabeta.search import WIN
from rstt_env import DRAW, UNDECIDED


def negamax(position, choices, ply=0):
    """The score for the mover, `choices` ahead; forced choices don't count."""
    mover = int(position.to_play[0])
    if position.outcome[0] != UNDECIDED:
        outcome = int(position.outcome[0])
        won = 0 if outcome == DRAW else WIN - ply
        return won if outcome == mover else -won
    if choices <= 0:
        scores = np.zeros(position.state.boards.shape[1], np.int32)
        fill_scores(position.state.levels, position.state.boards, scores)
        return int(scores[0]) if mover == 0 else -int(scores[0])
    digits = np.flatnonzero(position.legal_children[0])
    best = -2 * WIN
    for digit in digits:
        following = position.copy()
        following.choose([digit])
        score = negamax(following, choices - (len(digits) > 1), ply + 1)
        same = following.to_play[0] == mover
        best = max(best, score if same else -score)
    return best
