"""Players: classical ones, the arena in which they meet, and (to come) those that learn."""

from agents.agent import FORFEIT, Agent, Answer
from agents.specs import KINDS, make_agent

__all__ = ["FORFEIT", "KINDS", "Agent", "Answer", "make_agent"]
