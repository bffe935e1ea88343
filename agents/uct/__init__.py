"""UCT: Monte Carlo tree search with random rollouts, the yardstick of this field."""

from agents.uct.agent import EXPLORATION, UCTAgent

__all__ = ["EXPLORATION", "UCTAgent"]
