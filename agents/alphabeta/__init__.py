"""Alpha-beta: the classical opponent, and the only one where rollouts say little."""

from agents.alphabeta.agent import AlphaBetaAgent

__all__ = ["AlphaBetaAgent"]
