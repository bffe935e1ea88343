"""The single environment, `gymnasium.make("RSTT-v0")`: both players through one agent's hands."""

import copy
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rstt_env import tree
from rstt_env.interface import RENDER_MODES, Interface
from rstt_env.outcome import UNDECIDED, outcome_value
from rstt_env.positions import Positions
from rstt_env.render import ansi, rgb_array


class RSTTEnv(gymnasium.Env[Any, Any]):
    """Recursive Super Tic-Tac-Toe for an agent that plays both sides in turn.

    Arguments are those of `Interface`. Observations show the game from the mover's side.
    The reward belongs to the player who just moved: 1 for a win, else 0. `info` holds
    `action_mask` (int8[num_actions]), `to_play` (0 or 1) and `focus` (heap number of the
    board that the mover is confined to). When a game is over its mask is all ones, though
    no action is legal (`Interface.masks` says why), and only `reset` goes on.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        depth: int = 2,
        choice: Literal["square", "digit"] = "square",
        observation: Literal["planes", "dict"] = "planes",
        illegal_action: Literal["raise", "lose"] = "raise",
        render_mode: Literal["ansi", "rgb_array"] | None = None,
    ) -> None:
        self.interface = Interface(depth, choice, observation, illegal_action, render_mode)
        self.metadata = copy.deepcopy(self.metadata)
        self.render_mode = render_mode
        self.observation_space = self.interface.observation_space()
        self.action_space = self.interface.action_space()
        self.positions = Positions(depth)
        self._forfeited = False

    @property
    def game_over(self) -> bool:
        return self._forfeited or bool(self.positions.outcome[0] != UNDECIDED)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.positions.reset()
        self._forfeited = False
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self.game_over and self.interface.illegal_action == "lose":
            raise ValueError("the game is over; call reset()")
        mover = int(self.positions.to_play[0])
        lost = self.interface.act(self.positions, as_actions(action, 1), np.zeros(1, np.int64))
        self._forfeited = len(lost) > 0
        reward = -1.0 if self._forfeited else outcome_value(int(self.positions.outcome[0]), mover)
        return self._observation(), float(reward), self.game_over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[num_actions]: the mask under the name and type that sb3-contrib asks for."""
        return self._mask().astype(np.bool_)

    def actions_for(self, square: int) -> list[int]:
        """The actions, one or more, that mark `square` from the position at hand."""
        if self.interface.choice == "square":
            return [square]
        node = tree.num_boards(self.interface.depth) + square
        level = tree.level_of(int(self.positions.focus[0]))
        return tree.digits_of(node)[level:]

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return ansi(self.positions)
        if self.render_mode == "rgb_array":
            return rgb_array(self.positions)
        return None

    def _mask(self) -> NDArray[np.int8]:
        mask: NDArray[np.int8] = self.interface.masks(self.positions, np.array([self.game_over]))[0]
        return mask

    def _observation(self) -> Any:
        batch = self.interface.observations(self.positions, self._mask()[None])
        return (
            {key: value[0] for key, value in batch.items()} if isinstance(batch, dict) else batch[0]
        )

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask(),
            "to_play": int(self.positions.to_play[0]),
            "focus": int(self.positions.focus[0]),
        }


def as_actions(actions: Any, num_games: int) -> NDArray[np.int64]:
    """`actions` as int64[num_games]; `ValueError` if they are no whole numbers, or too few."""
    array = np.asarray(actions)
    if array.dtype.kind not in "iu" or array.size != num_games:
        raise ValueError(
            f"actions are {actions!r}; give one whole number for each of {num_games} games"
        )
    return array.reshape(num_games).astype(np.int64)
