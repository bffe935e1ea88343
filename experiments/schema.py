"""What the configurations hold, with types and ranges. The defaults are in `configs`."""

from __future__ import annotations

from dataclasses import dataclass, field

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING


@dataclass
class GameConfig:
    """Group `game`."""

    depth: int = MISSING


@dataclass
class EvaluateConfig:
    """`experiments.evaluate`"""

    agent: str = MISSING
    opponents: list[str] = MISSING
    game: GameConfig = field(default_factory=GameConfig)
    games: int = MISSING
    sprt: list[float] | None = None
    seed: int = MISSING
    output: str | None = None

    def __post_init__(self) -> None:
        _even(self.games)
        _seed(self.seed)
        if not self.opponents or len(set(self.opponents)) < len(self.opponents):
            raise ValueError(f"opponents are {self.opponents}; name one or more different ones")
        if self.sprt is not None and (len(self.sprt) != 2 or self.sprt[0] >= self.sprt[1]):
            raise ValueError(
                f"sprt is {self.sprt}; give two Elo differences, the lower first, such as [0,20]"
            )


@dataclass
class LadderConfig:
    """`experiments.ladder`"""

    agents: list[str] = MISSING
    game: GameConfig = field(default_factory=GameConfig)
    games: int = MISSING
    seed: int = MISSING
    output: str = MISSING

    def __post_init__(self) -> None:
        _even(self.games)
        _seed(self.seed)
        if len(self.agents) < 2 or len(set(self.agents)) < len(self.agents):
            raise ValueError(f"agents are {self.agents}; give two or more different ones")


@dataclass
class BotConfig:
    """`experiments.bot`"""

    agent: str = MISSING
    seed: int = MISSING


def _even(games: int) -> None:
    if games < 2 or games % 2:
        raise ValueError(
            f"games is {games}; it must be an even number from 2 on: "
            "every opening is played from both seats"
        )


def _seed(seed: int) -> None:
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be 0 or more")


def register() -> None:
    """Make the schemas known to Hydra."""
    store = ConfigStore.instance()
    store.store("evaluate_schema", EvaluateConfig)
    store.store("ladder_schema", LadderConfig)
    store.store("bot_schema", BotConfig)
