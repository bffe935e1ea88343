"""The computer's levels, and what a win over each is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents import make_agent
from agents.agent import Agent, Answer
from agents.seeds import game_seeds
from agents.specs import Context
from rstt_env.positions import Positions
from rstt_env.rng import below

_EASY = "own:experiments.play.levels:careless:0.25:uct:0.05s"


@dataclass(frozen=True)
class Level:
    """An opponent that counts in the ranking."""

    name: str
    points: int
    spec: str
    about: str


def levels(depth: int, network: str | None) -> list[Level]:
    """From the easiest to the hardest; `network` is the path of one trained at this depth."""
    hard = hard_spec(depth)
    if network:
        expert, about = f"az:{network}:1.8s", "a trained network and search, 1.8 s a move"
    elif depth == 2:
        expert, about = "uct:5s:solver:reuse", "tree search, 5 s a move"
    else:
        expert, about = "alphabeta:5s", "alpha-beta, 5 s a move"
    return [
        Level("Easy", 10, _EASY, "tree search, 0.05 s a move; one in four is random"),
        Level("Medium", 30, "uct:0.7s", "tree search, 0.7 s a move"),
        Level("Hard", 60, hard, "tree search with all that helps it, 1.8 s a move"),
        Level("Expert", 100, expert, about),
    ]


def hard_spec(depth: int) -> str:
    """What Hard plays with; it gives hints as well.

    Rollouts that take boards help where they are long; at depth 2 they take more time than they
    are worth (experiments/results/README.md).
    """
    return "uct:1.8s:solver:reuse" + (":decisive" if depth > 2 else "")


class CarelessAgent:
    """Plays a random move in `share` of its turns, else what another agent plays.

    Which turns depends on the seed, the game's id and the position alone.
    """

    def __init__(self, agent: Agent, share: float, seed: int) -> None:
        self._agent, self._share, self._seed = agent, share, seed

    @property
    def timed(self) -> bool:
        return self._agent.timed

    def reset(self, games: Sequence[int] | None = None) -> None:
        self._agent.reset(games)

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        answer = self._agent.act(positions, games)
        ids = None if games is None else np.asarray(games, np.int64).astype(np.uint64)
        seeds = game_seeds(self._seed, ids, len(positions))
        for row, key in enumerate(positions.keys ^ seeds.astype(np.uint64)):
            if below(1000, key) < 1000 * self._share:
                square = int(positions[row].random_squares(seeds[row])[0])
                answer.square[row], answer.variations[row] = square, [square]
        return answer


def careless(text: str, context: Context) -> CarelessAgent:
    """The agent of `own:experiments.play.levels:careless:SHARE:SPEC`."""
    share, _, spec = text.partition(":")
    agent = make_agent(spec, context.depth, context.seed, context.threads)
    return CarelessAgent(agent, float(share), context.seed)
