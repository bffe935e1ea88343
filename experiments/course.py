"""A course of a run: the games of one depth, their positions, and what they pay for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from agents.alphazero.replay import Replay
from agents.alphazero.searchers import Searchers
from agents.alphazero.selfplay import Round, SelfPlay
from experiments.schema import TrainConfig


@dataclass
class CourseCounters:
    """What a course counts.

    Attributes:
        positions: searched choices.
        earned: updates that they pay for, and that the learner has not been asked for yet.
        owed: updates that are left of the learner's turn.
        kept: size of the replay at each checkpoint that is kept.
    """

    positions: int = 0
    earned: float = 0.0
    owed: int = 0
    kept: list[int] = field(default_factory=list)


class Course:
    """Self-play at one depth, and the replay that it fills.

    Args:
        config: of games of this depth, see `TrainConfig.courses`.
        share: of the run's positions.
        network: that guides the games, on `device`.
        device, precision: of its evaluations.
        folder: of the run.
    """

    def __init__(
        self, config: TrainConfig, share: float, network: nn.Module, device: torch.device,
        precision: torch.dtype, folder: Path,
    ) -> None:  # fmt: skip
        self.config, self.share, self.depth = config, share, config.game.depth
        self.searchers = Searchers(
            network, device, precision, config.search.rules, config.search.solver,
            config.selfplay.games, config.runtime.threads,
        )  # fmt: skip
        self.selfplay = SelfPlay(
            self.depth, config.selfplay, config.search.simulations, config.seed
        )
        self._folder = folder / "replay" / f"depth{self.depth}"
        self.replay = Replay(self._folder, self.depth)
        self.counters = CourseCounters()

    def play(self) -> Round:
        """A round of self-play; what is ready goes into the replay."""
        config, counters = self.config, self.counters
        round_ = self.selfplay.round(self.searchers)
        self.replay.append(round_.records)
        counters.positions += config.selfplay.games
        counters.earned += config.selfplay.games * config.learner.reuse / config.learner.batch
        return round_

    def ask_for_updates(self) -> None:
        """Owe the updates that were earned; before there is enough to learn from, they lapse."""
        counters = self.counters
        whole = int(counters.earned)
        counters.earned -= whole
        if self.replay.size >= self.config.learner.window_min:
            counters.owed += whole

    def state(self) -> dict[str, Any]:
        """All that changes; the replay is written to disk."""
        self.replay.flush()
        counters = self.counters
        counters.kept = [*counters.kept, self.replay.size][-self.config.runtime.keep :]
        return {
            "selfplay": self.selfplay.state(),
            "replay_size": self.replay.size,
            "counters": asdict(counters),
            "network_seconds": self.searchers.seconds,
        }

    def forget(self) -> None:
        """Delete the positions that no checkpoint needs any more."""
        self.replay.forget_before(min(self.counters.kept) - self.config.learner.window_max)

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        size, window = state["replay_size"], self.config.learner.window(state["replay_size"])
        self.replay = Replay(self._folder, self.depth, size, window)
        self.selfplay.restore(state["selfplay"])
        self.searchers.refresh()
        self.searchers.seconds = state["network_seconds"]
        self.counters = CourseCounters(**state["counters"])
