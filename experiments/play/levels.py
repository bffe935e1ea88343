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

HARD = "uct:1.8s:solver:reuse:decisive"
_WITHOUT_A_NETWORK = {1: "alphabeta:5s", 2: "uct:5s:solver:reuse:decisive"}


@dataclass(frozen=True)
class Level:
    """An opponent that counts in the ranking."""

    name: str
    points: int
    spec: str


def levels(depth: int, network: str | None) -> list[Level]:
    """From the easiest to the hardest; `network` is the path of one trained at this depth."""
    expert = f"az:{network}:1.8s" if network else _WITHOUT_A_NETWORK.get(depth, "alphabeta:5s")
    return [
        Level("Easy", 10, "own:experiments.play.levels:careless:0.25:uct:0.05s"),
        Level("Medium", 30, "uct:0.7s"),
        Level("Hard", 60, HARD),
        Level("Expert", 100, expert),
    ]


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
