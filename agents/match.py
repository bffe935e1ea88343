"""A match: the games of two agents, and what they say."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.arena import Effort, Game, Wave
from agents.ratings import SPRT, Estimate, elo_interval, score_interval
from rstt_env.outcome import O, X


@dataclass
class Counts:
    """Wins, draws and losses of the first agent."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, games: Iterable[Game]) -> Counts:
        """Count games."""
        values = [game.value for game in games]
        return cls(values.count(1.0), values.count(0.0), values.count(-1.0))

    @property
    def score(self) -> float:
        """(W + D/2) / N."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)

    def __str__(self) -> str:
        return f"{self.wins}–{self.draws}–{self.losses}"


@dataclass
class Match:
    """All that was played between two agents, in whole pairs. Figures are the first agent's.

    Args:
        agent, opponent: their names.
        sprt: a sequential test to stop the match by.
    """

    agent: str
    opponent: str
    sprt: SPRT | None = None
    games: list[Game] = field(default_factory=list)
    interrupted: bool = False
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))

    def add(self, wave: Wave) -> None:
        """Take in the games of a wave."""
        self.games.extend(wave.games)
        self.interrupted |= wave.interrupted
        for own, new in zip(self.efforts, wave.efforts, strict=True):
            own.moves += new.moves
            own.simulations += new.simulations
            own.seconds += new.seconds

    @property
    def counts(self) -> Counts:
        return Counts.of(self.games)

    def in_seat(self, seat: int) -> Counts:
        """The games in which the first agent was X (0) or O (1)."""
        return Counts.of(game for game in self.games if game.seat == seat)

    @property
    def pair_scores(self) -> list[float]:
        """A score between 0 and 1 for each opening."""
        values = np.array([game.value for game in self.games]).reshape(-1, 2)
        scores: list[float] = ((values.sum(axis=1) + 2) / 4).tolist()
        return scores

    @property
    def score(self) -> Estimate:
        return score_interval(self.pair_scores)

    @property
    def elo(self) -> Estimate:
        return elo_interval(self.score)

    @property
    def verdict(self) -> str | None:
        """Of the sequential test; None without one, and while it is open."""
        return self.sprt.verdict(self.pair_scores) if self.sprt else None

    @property
    def distinct_games(self) -> int:
        return len({tuple(game.moves) for game in self.games})

    @property
    def mean_length(self) -> float:
        """In plies."""
        return float(np.mean([len(game.moves) for game in self.games]))

    @property
    def forfeits(self) -> list[str]:
        """Why games were given up."""
        return [game.forfeit for game in self.games if game.forfeit is not None]

    def figures(self) -> dict[str, Any]:
        """All of it, as plain numbers and strings, for JSON, which has no infinity: None."""

        def finite(estimate: Estimate) -> dict[str, float | None]:
            return {
                name: round(x, 4) if math.isfinite(x) else None
                for name, x in estimate._asdict().items()
            }

        return {
            "agent": self.agent,
            "opponent": self.opponent,
            "games": len(self.games),
            **vars(self.counts),
            "as_x": vars(self.in_seat(X)),
            "as_o": vars(self.in_seat(O)),
            "score": finite(self.score),
            "elo": finite(self.elo),
            "distinct_games": self.distinct_games,
            "mean_length": round(self.mean_length, 2),
            "simulations_per_move": [
                round(e.simulations / max(1, e.moves), 1) for e in self.efforts
            ],
            "core_seconds_per_move": [round(e.seconds / max(1, e.moves), 6) for e in self.efforts],
            "sprt": None if self.sprt is None else {**self.sprt._asdict(), "verdict": self.verdict},
            "forfeits": self.forfeits,
        }
