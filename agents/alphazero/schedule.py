"""The learner's settings, its schedules, and the names of a run's streams of random numbers."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDS, GAMES, UPDATES = range(3)
"""What a stream is for: it is seeded by a run's seed, one of these, and a number."""


@dataclass
class LearnerConfig:
    """How the network learns.

    Attributes:
        rate: of AdamW, after the warm-up.
        warmup: updates over which the rate rises.
        decay: share of the budget, at its end, over which the rate falls to a tenth.
        weight_decay: of AdamW.
        batch: positions in an update.
        per_game: how many of them are of one game: what is equal in them is computed once.
        reuse: how often each position is used, on average.
        updates: of the network between two publications of its weights to self-play.
        clip: largest norm of the gradient.
        ema: how slowly the averaged weights, for evaluation, follow: their share that stays.
        result_weight: of the cross-entropy to the result.
        root_weight: of the squared error to the value of the search's root.
        material: share of `material` in that value, beside the search's: what the boards are
            worth when the position is learnt from (as KataGo's score beside its result).
        owner_weight: of the cross-entropy to what becomes of each open board, for networks that
            say so (`with_owners`).
        window_min, window_share, window_max: the newest positions that are learnt from are this
            share of all, within these bounds.
    """

    rate: float
    warmup: int
    decay: float
    weight_decay: float
    batch: int
    per_game: int
    reuse: float
    updates: int
    clip: float
    ema: float
    result_weight: float
    root_weight: float
    material: float
    owner_weight: float
    window_min: int
    window_share: float
    window_max: int

    def __post_init__(self) -> None:
        if not self.rate > 0:
            raise ValueError(f"learner.rate is {self.rate}; it must be more than 0")
        for name in ("warmup", "weight_decay", "result_weight", "root_weight", "owner_weight"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"learner.{name} is {getattr(self, name)}; it must be 0 or more")
        if not 0 <= self.material <= 1:
            raise ValueError(f"learner.material is {self.material}; it must be from 0 to 1")
        if not 0 < self.window_share <= 1:
            raise ValueError(
                f"learner.window_share is {self.window_share}; it must be more than 0, at most 1"
            )
        if not 0 <= self.ema < 1 or not 0 <= self.decay <= 1:
            raise ValueError(
                f"learner.ema is {self.ema} and learner.decay {self.decay}; the first must be "
                "from 0 to less than 1, the second from 0 to 1"
            )
        if min(self.batch, self.updates) < 1 or min(self.reuse, self.clip) <= 0:
            raise ValueError(
                f"learner.batch is {self.batch}, learner.updates {self.updates}, learner.reuse "
                f"{self.reuse} and learner.clip {self.clip}; all must be more than 0"
            )
        if self.per_game < 1 or self.batch % self.per_game:
            raise ValueError(
                f"learner.per_game is {self.per_game}; it must divide learner.batch, {self.batch}"
            )
        if not self.batch <= self.window_min <= self.window_max:
            raise ValueError(
                f"learner.batch is {self.batch}, learner.window_min {self.window_min} and "
                f"learner.window_max {self.window_max}; each must be at most the next, since a "
                "batch is drawn from the window"
            )

    def window(self, size: int) -> int:
        """How many of `size` positions, the newest, to draw from."""
        return int(min(max(self.window_share * size, self.window_min), self.window_max))

    def scale(self, update: int, progress: float) -> float:
        """The learning rate, as a share of `rate`, at a share of the budget, `progress`."""
        warm = min(1.0, (update + 1) / max(1, self.warmup))
        left = min(1.0, (1 - progress) / self.decay) if self.decay else 1.0
        return warm * (0.1 + 0.9 * max(0.0, left))
