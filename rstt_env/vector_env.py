"""N games in one vector environment, stepped by the engine in one go."""

import copy
from typing import Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rstt_env.env import RSTTEnv, as_actions
from rstt_env.interface import Interface
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions
from rstt_env.render import ansi, rgb_array


class RSTTVectorEnv(VectorEnv[Any, Any, Any]):
    """`gymnasium.make_vec("RSTT-v0", num_envs, vectorization_mode="vector_entry_point")`.

    Rewards, observations, masks and options are those of `RSTTEnv`, batched, as are
    `infos`: `action_mask` int8[N, num_actions], `to_play` and `focus` int64[N]. A refused
    action raises `IllegalMoveError`, which names the environment, and no environment changes.

    Autoreset modes, for an environment whose game is over:
        NEXT_STEP: its next action is ignored, and that step returns the new game.
        SAME_STEP: the new game is returned at once; the finished one is in
            `infos["final_obs"]` and `infos["final_info"]`.
        DISABLED: it has to be reset through `reset(options={"reset_mask": …})`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        depth: int = 2,
        choice: Literal["square", "digit"] = "square",
        observation: Literal["planes", "dict"] = "planes",
        illegal_action: Literal["raise", "lose"] = "raise",
        render_mode: Literal["ansi", "rgb_array"] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.interface = Interface(depth, choice, observation, illegal_action, render_mode)
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}; there has to be at least one environment")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = [mode.value for mode in AutoresetMode]
            raise ValueError(
                f"autoreset_mode is {autoreset_mode!r}; it must be one of {modes}"
            ) from None
        self.metadata = {**copy.deepcopy(RSTTEnv.metadata), "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self.interface.observation_space()
        self.single_action_space = self.interface.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.positions = Positions(depth, num_envs)
        self._over = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all games anew, or those of `options["reset_mask"]`, bool[N].

        `seed` seeds `np_random` alone: the game itself has no randomness.
        """
        super().reset(seed=seed)
        unknown = set(options or {}) - {"reset_mask"}
        if unknown:
            raise ValueError(
                f"unknown reset options {sorted(unknown)}; the one known is 'reset_mask'"
            )
        mask = np.ones(self.num_envs, np.bool_)
        if options is not None and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise ValueError(
                    f"reset_mask is {mask.dtype}{list(mask.shape)} with {np.count_nonzero(mask)} "
                    f"set; it must be bool[{self.num_envs}] with at least one environment set"
                )
        self._restart(mask)
        return self._look()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        waiting = self._over.copy()
        if self.autoreset_mode == AutoresetMode.DISABLED and waiting.any():
            raise ValueError(
                f"the games of environments {np.flatnonzero(waiting).tolist()} are over; reset "
                "them with options={'reset_mask': …}, or choose another autoreset_mode"
            )
        playing = np.flatnonzero(~waiting)
        lost = self.interface.act(
            self.positions, as_actions(actions, self.num_envs)[playing], playing
        )
        self._restart(waiting)

        outcome = self.positions.outcome
        rewards = np.zeros(self.num_envs)
        rewards[outcome >= 0] = outcome[outcome >= 0] < 2  # only the mover can have won
        rewards[lost] = -1.0
        self._over = outcome != UNDECIDED
        self._over[lost] = True
        terminations = self._over.copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and terminations.any():
            final_obs, final_info = self._look()
            self._restart(terminations)
            observations, infos = self._look()
            infos |= self._final(terminations, final_obs, final_info)
        else:
            observations, infos = self._look()
        truncations = np.zeros(self.num_envs, np.bool_)
        return observations, rewards, terminations, truncations, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[N, num_actions]: the masks under the name and type that sb3-contrib asks for."""
        return self.interface.masks(self.positions, self._over).astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        draw = {"ansi": ansi, "rgb_array": rgb_array}.get(self.render_mode or "")
        return None if draw is None else tuple(draw(position) for position in self.positions)

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        if chosen.any():
            self.positions.reset(np.flatnonzero(chosen))
            self._over[chosen] = False

    def _look(self) -> tuple[Any, dict[str, Any]]:
        masks = self.interface.masks(self.positions, self._over)
        observations = self.interface.observations(self.positions, masks)
        info = {
            "action_mask": masks,
            "to_play": self.positions.to_play.astype(np.int64),
            "focus": self.positions.focus.astype(np.int64),
        }
        every = np.ones(self.num_envs, np.bool_)
        return observations, info | {f"_{key}": every.copy() for key in info}

    def _final(
        self, ended: NDArray[np.bool_], observations: Any, info: dict[str, Any]
    ) -> dict[str, Any]:
        """`final_obs` and `final_info` as Gymnasium's own vector environments give them."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        for game in np.flatnonzero(ended):
            final_obs[game] = (
                {key: value[game] for key, value in observations.items()}
                if isinstance(observations, dict)
                else observations[game]
            )
        final_info = {key: ended.copy() if key[0] == "_" else value for key, value in info.items()}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }
