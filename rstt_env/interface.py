"""What the Gymnasium environments share: spaces, observations, masks, actions."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rstt_env import tree
from rstt_env.observation import num_planes
from rstt_env.positions import Positions

CHOICES = ("square", "digit")
OBSERVATIONS = ("planes", "dict")
ILLEGAL_ACTIONS = ("raise", "lose")
RENDER_MODES = ("ansi", "rgb_array")


@dataclass(frozen=True)
class Interface:
    """How an environment shows positions and takes actions.

    Attributes:
        depth: 1 to 4.
        choice: `square`: an action is a square, `Discrete(9^d)`. `digit`: an action picks a
            child of the focus, `Discrete(9)`; the move ends with the digit of a square.
        observation: `planes`: the planes of `observation`. `dict`: these as `observation`,
            and the mask as `action_mask`.
        illegal_action: `raise`: `IllegalMoveError`, nothing changes. `lose`: the position stays,
            the mover gets -1 and the game ends.
    """

    depth: int
    choice: Literal["square", "digit"] = "square"
    observation: Literal["planes", "dict"] = "planes"
    illegal_action: Literal["raise", "lose"] = "raise"
    render_mode: Literal["ansi", "rgb_array"] | None = None

    def __post_init__(self) -> None:
        tree.check_depth(self.depth)
        for name, options in (
            ("choice", CHOICES),
            ("observation", OBSERVATIONS),
            ("illegal_action", ILLEGAL_ACTIONS),
            ("render_mode", (None, *RENDER_MODES)),
        ):
            if getattr(self, name) not in options:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {options}")

    @property
    def num_actions(self) -> int:
        return 9 if self.choice == "digit" else tree.num_squares(self.depth)

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.num_actions)

    def observation_space(self) -> spaces.Space[Any]:
        side = 3**self.depth
        planes = spaces.Box(0, 1, (num_planes(self.depth), side, side), np.int8)
        if self.observation == "planes":
            return planes
        mask = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return spaces.Dict({"observation": planes, "action_mask": mask})

    def masks(self, positions: Positions, over: NDArray[np.bool_]) -> NDArray[np.int8]:
        """int8[N, num_actions], 1 where the action is legal.

        All ones in the games that are `over`: there no action is legal and none has an
        effect, and ones keep samplers and masked policies well defined until the reset.
        """
        legal = positions.legal_children if self.choice == "digit" else positions.legal
        legal[over] = True
        return legal.view(np.int8)

    def observations(self, positions: Positions, masks: NDArray[np.int8]) -> Any:
        """The observations of N games, batched as Gymnasium batches the space."""
        planes = positions.observation()
        if self.observation == "planes":
            return planes
        return {"observation": planes, "action_mask": masks.copy()}

    def act(
        self, positions: Positions, actions: NDArray[np.int64], games: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Play one action in each of `games`; return those that an illegal action ended.

        Raises:
            IllegalMoveError: where `illegal_action` is `raise`; no game changes.
        """
        play = positions.choose if self.choice == "digit" else positions.play
        if self.illegal_action == "raise":
            play(actions, games)
            return games[:0]
        masks = self.masks(positions[games], np.zeros(len(games), np.bool_))
        valid = (actions >= 0) & (actions < self.num_actions)
        legal = valid & (masks[np.arange(len(games)), np.where(valid, actions, 0)] == 1)
        play(actions[legal], games[legal])
        lost: NDArray[np.int64] = games[~legal]
        return lost
