"""The PettingZoo environment (AEC): `rstt_env.aec.env(depth=2)`. Needs the extra `pettingzoo`."""

import copy
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from rstt_env.interface import RENDER_MODES, Interface
from rstt_env.outcome import UNDECIDED, outcome_value
from rstt_env.positions import Positions
from rstt_env.render import ansi, rgb_array


def env(**kwargs: Any) -> Any:
    """`raw_env` in PettingZoo's usual wrappers: an illegal move ends the game with -1."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv[str, Any, Any]):  # noqa: N801  (PettingZoo's name)
    """Two agents, `X` and `O`, without wrappers; an illegal action raises `IllegalMoveError`.

    Observations are dictionaries: `observation`, the planes as the agent sees the game, and
    `action_mask`, int8[num_actions], all zeros for the agent who isn't to move. In a finished
    game, where agents may only step `None`, the masks of both are zeros. The winner's
    reward is 1, the loser's -1. `render_mode="human"` prints the position after every move.
    """

    metadata: dict[str, Any] = {
        "name": "rstt_v0",
        "render_modes": ["human", *RENDER_MODES],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    agent_selection: str
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    _cumulative_rewards: dict[str, float]

    def __init__(
        self,
        depth: int = 2,
        choice: Literal["square", "digit"] = "square",
        render_mode: Literal["human", "ansi", "rgb_array"] | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = self.metadata["render_modes"]
            raise ValueError(f"render_mode is {render_mode!r}; it must be None or one of {modes}")
        self.interface = Interface(depth, choice, "dict")
        self.metadata = copy.deepcopy(self.metadata)
        self.render_mode = render_mode
        self.possible_agents = ["X", "O"]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {
            agent: self.interface.observation_space() for agent in self.agents
        }
        self.action_spaces = {agent: self.interface.action_space() for agent in self.agents}
        self.positions = Positions(depth)
        self._start()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; `seed` has no effect, since the game has no randomness."""
        self.positions.reset()
        self._start()

    def observe(self, agent: str) -> dict[str, Any]:
        viewer = self.possible_agents.index(agent)
        mask = np.zeros(self.interface.num_actions, np.int8)
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            mask = self.interface.masks(self.positions, np.zeros(1, np.bool_))[0]
        return {"observation": self.positions.observation(viewer)[0], "action_mask": mask}

    def step(self, action: Any) -> None:
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        self.interface.act(self.positions, np.array([action]), np.zeros(1, np.int64))
        self._cumulative_rewards[mover] = 0.0
        outcome = int(self.positions.outcome[0])
        self.rewards = {
            agent: float(outcome_value(outcome, player))
            for player, agent in enumerate(self.possible_agents)
        }
        self.terminations = dict.fromkeys(self.agents, outcome != UNDECIDED)
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[int(self.positions.to_play[0])]
        self.infos = self._infos()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        if self.render_mode == "human":
            print(ansi(self.positions))
            return None
        if self.render_mode == "ansi":
            return ansi(self.positions)
        return rgb_array(self.positions) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        pass

    def _start(self) -> None:
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos()

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"focus": int(self.positions.focus[0])} for agent in self.agents}
