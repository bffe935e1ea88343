"""An opponent inside the environment, so that single-agent algorithms can train."""

from collections.abc import Callable
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import ArrayLike

from rstt_env.env import RSTTEnv
from rstt_env.outcome import O, X, outcome_value
from rstt_env.positions import Positions

Opponent = Callable[[Positions], ArrayLike]
"""Answers N positions with int[N], a legal square for each."""


class OpponentWrapper(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """`opponent` plays the other side; observations and rewards are the learner's.

    Args:
        env: an `RSTT-v0` environment.
        opponent: uniformly random play by default.
        seat: the learner's: 0 (X, moves first), 1 (O), or `random` in each game.

    The reward is 1 for a win of the learner, -1 for a loss, else 0. `info["seat"]` is the
    learner's seat. With `reset(seed=…)` seats and the random opponent repeat.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        opponent: Opponent | None = None,
        seat: Literal["random", 0, 1] = "random",
    ) -> None:
        RecordConstructorArgs.__init__(self, opponent=opponent, seat=seat)
        super().__init__(env)
        if not isinstance(env.unwrapped, RSTTEnv):
            raise TypeError(f"OpponentWrapper wraps RSTT-v0 environments, not {env.unwrapped}")
        if seat not in ("random", X, O):
            raise ValueError(f"seat is {seat!r}; it must be 0 (X), 1 (O) or 'random'")
        if opponent is not None and not callable(opponent):
            raise TypeError(f"opponent is {opponent!r}; it must be a function of positions")
        self._game = env.unwrapped
        self._opponent = self._random_opponent if opponent is None else opponent
        self._fixed_seat = seat
        self._seat: int = X
        self._rng = np.random.default_rng()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        random_seat = self._fixed_seat == "random"
        self._seat = int(self._rng.integers(2)) if random_seat else int(self._fixed_seat)
        if self._seat == O:
            observation, _, _, _, info = self._reply()
        return observation, {**info, "seat": self._seat}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self._game.game_over and self._game.positions.to_play[0] != self._seat:
            raise RuntimeError("the opponent failed to answer the last move; call reset()")
        observation, reward, over, truncated, info = self.env.step(action)
        if not over and self._game.positions.to_play[0] != self._seat:
            observation, _, over, truncated, info = self._reply()
            reward = float(outcome_value(int(self._game.positions.outcome[0]), self._seat))
        return observation, float(reward), over, truncated, {**info, "seat": self._seat}

    def _reply(self) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        answer = np.asarray(self._opponent(self._game.positions.copy()))
        whole = answer.shape == (1,) and answer.dtype.kind in "iu"
        if not whole or not self._is_legal(int(answer[0])):
            raise ValueError(
                f"the opponent answered {answer!r}; it must answer one position with one legal "
                f"square, as an array of shape (1,), in\n{self._game.positions}"
            )
        square = int(answer[0])
        *first, last = self._game.actions_for(square)
        for action in first:
            self.env.step(action)
        return self.env.step(last)

    def _is_legal(self, square: int) -> bool:
        legal = self._game.positions.legal[0]
        return 0 <= square < len(legal) and bool(legal[square])

    def _random_opponent(self, positions: Positions) -> ArrayLike:
        return positions.random_squares(int(self._rng.integers(2**63)))
