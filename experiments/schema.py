"""What the configurations hold, with types and ranges. The defaults are in `configs`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, OmegaConf

from agents.alphazero.schedule import LearnerConfig
from agents.alphazero.selfplay import SelfPlayConfig
from agents.search.gumbel import GumbelRules
from agents.search.puct import PuctRules
from agents.search.search import Rules


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


@dataclass
class SearchConfig:
    """Group `search`: what its ways of search share."""

    name: str = MISSING
    simulations: int = MISSING
    solver: bool = MISSING

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise ValueError(f"search.simulations is {self.simulations}; it must be 1 or more")

    @property
    def rules(self) -> Rules:
        raise NotImplementedError


@dataclass
class GumbelConfig(SearchConfig):
    """`search=gumbel`, see `GumbelRules`."""

    c_visit: float = MISSING
    c_scale: float = MISSING
    considered: int = MISSING

    @property
    def rules(self) -> Rules:
        if not 1 <= self.considered <= 9:
            raise ValueError(f"search.considered is {self.considered}; it must be from 1 to 9")
        if not (self.c_visit >= 0 and self.c_scale >= 0):
            raise ValueError(
                f"search.c_visit is {self.c_visit} and search.c_scale {self.c_scale}; both must "
                "be 0 or more"
            )
        return GumbelRules(self.c_visit, self.c_scale, self.considered)


@dataclass
class PuctConfig(SearchConfig):
    """`search=puct`, see `PuctRules`."""

    c_puct: float = MISSING
    noise: float = MISSING
    alpha: float = MISSING

    @property
    def rules(self) -> Rules:
        if not (0 <= self.noise <= 1 and self.alpha > 0 and self.c_puct >= 0):
            raise ValueError(
                f"search.noise is {self.noise}, search.alpha {self.alpha} and search.c_puct "
                f"{self.c_puct}; they must be from 0 to 1, more than 0, and 0 or more"
            )
        return PuctRules(self.c_puct, self.noise, self.alpha)


SEARCHES: dict[str, type[SearchConfig]] = {"gumbel": GumbelConfig, "puct": PuctConfig}


@dataclass
class EvaluationConfig:
    """Group `evaluation`: what a training run is measured by."""

    simulations: int = MISSING
    opponents: list[str] = MISSING
    ratings: dict[str, float] = field(default_factory=dict)
    games: int = MISSING
    every: int = MISSING
    share: float = MISSING
    final_games: int = MISSING

    def __post_init__(self) -> None:
        _even(self.games, "evaluation.games")
        _even(self.final_games, "evaluation.final_games")
        if self.simulations < 0 or self.every < 1 or not 0 <= self.share <= 1:
            raise ValueError(
                f"evaluation.simulations is {self.simulations}, evaluation.every {self.every} and "
                f"evaluation.share {self.share}; they must be 0 or more, 1 or more, and from 0 to 1"
            )
        if not self.opponents or len(set(self.opponents)) < len(self.opponents):
            raise ValueError(
                f"evaluation.opponents are {self.opponents}; name one or more different ones"
            )


@dataclass
class RuntimeConfig:
    """Group `runtime`."""

    device: str = MISSING
    precision: str = MISSING
    threads: int | None = None
    checkpoint_minutes: float = MISSING
    keep: int = MISSING

    def __post_init__(self) -> None:
        if self.device not in ("auto", "cpu", "cuda"):
            raise ValueError(f"runtime.device is {self.device!r}; choose auto, cpu or cuda")
        if self.precision not in ("auto", "float32", "bfloat16"):
            raise ValueError(
                f"runtime.precision is {self.precision!r}; choose auto, float32 or bfloat16"
            )
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"runtime.threads is {self.threads}; give 1 or more, or null")
        if self.keep < 1 or not self.checkpoint_minutes >= 0:
            raise ValueError(
                f"runtime.keep is {self.keep} and runtime.checkpoint_minutes "
                f"{self.checkpoint_minutes}; they must be 1 or more and 0 or more"
            )


@dataclass
class BudgetConfig:
    """When a run ends: after so many minutes or positions, whichever comes first."""

    minutes: float | None = None
    positions: int | None = None

    def __post_init__(self) -> None:
        given = [amount for amount in (self.minutes, self.positions) if amount is not None]
        if not given or not all(amount > 0 for amount in given):  # nan is not
            raise ValueError(
                f"budget.minutes is {self.minutes} and budget.positions {self.positions}; give "
                "one of them, or both, more than 0"
            )


@dataclass
class TrainConfig:
    """`experiments.train`"""

    game: GameConfig = field(default_factory=GameConfig)
    network: dict[str, Any] = MISSING
    search: SearchConfig = MISSING
    selfplay: SelfPlayConfig = MISSING
    learner: LearnerConfig = MISSING
    evaluation: EvaluationConfig = MISSING
    runtime: RuntimeConfig = MISSING
    budget: BudgetConfig = MISSING
    seed: int = MISSING
    output: str = MISSING
    mix: dict[str, Any] = field(default_factory=dict)
    init: str | None = None
    resume: str | None = None

    def __post_init__(self) -> None:
        _seed(self.seed)
        _ = self.courses

    @property
    def courses(self) -> list[tuple[float, TrainConfig]]:
        """The share of the positions, and the settings, of every depth; first the run's own."""
        others = [
            _course(self, name, dict(settings), f"mix.{name}")
            for name, settings in self.mix.items()
        ]
        left = 1 - sum(share for share, _ in others)
        if not left > 1e-6:
            raise ValueError(
                f"mix has shares of {', '.join(f'{share:g}' for share, _ in others)}; together "
                f"they must be less than 1, so that depth {self.game.depth} has the rest"
            )
        return [(left, self), *others]

    def facts(self) -> dict[str, Any]:
        """All of it as plain values, but for the folders, which are no part of a result."""
        facts = {
            name: value for name, value in asdict(self).items() if name not in ("output", "resume")
        }
        facts["init"] = None if self.init is None else Path(self.init).name
        return facts


def _course(
    config: TrainConfig, name: str, settings: dict[str, Any], where: str
) -> tuple[float, TrainConfig]:
    """The share and the settings of another depth, those of the run where it says nothing."""
    depth = {f"depth{number}": number for number in range(1, 5)}.get(name)
    if depth is None or depth == config.game.depth:
        raise ValueError(
            f"{where}: a mix is of other depths than the run's own, such as depth{_other(config)}"
        )
    share = settings.pop("share", None)
    if not isinstance(share, (int, float)) or not 0 < share < 1:
        raise ValueError(f"{where}.share is {share}; it must be more than 0 and less than 1")
    parts: dict[str, Any] = {"game": GameConfig(depth), "mix": {}}
    for part, values in settings.items():
        if part == "budget":  # comes along with a depth's scale, and is the run's
            continue
        if part not in ("search", "selfplay", "learner", "evaluation"):
            raise ValueError(
                f"{where}.{part}: a depth has its own share, search, selfplay, learner and "
                "evaluation"
            )
        own = OmegaConf.structured(getattr(config, part))
        if part == "evaluation":
            own.ratings = {}  # each depth has a scale of its own
        parts[part] = OmegaConf.to_object(OmegaConf.merge(own, values))
    return float(share), replace(config, **parts)


def _other(config: TrainConfig) -> int:
    return 3 if config.game.depth == 2 else 2


@dataclass
class PublishConfig:
    """`experiments.publish`"""

    runs: list[str] = MISSING
    output: str = MISSING


@dataclass
class ShipConfig:
    """`experiments.ship`"""

    run: str = MISSING
    name: str = MISSING

    def __post_init__(self) -> None:
        if self.name not in (names := ["depth1", "depth2", "depth3", "depth4", "all"]):
            raise ValueError(f"name is {self.name!r}; choose one of {', '.join(names)}")


@dataclass
class PlayConfig:
    """`experiments.play`"""

    host: str = MISSING
    port: int = MISSING
    browser: bool = MISSING
    networks: list[str] = MISSING
    agents: list[str] = MISSING
    data: str | None = None
    workers: int | None = None
    rooms: int = MISSING
    expire: float = MISSING

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port is {self.port}; it must be from 0 (any free one) to 65535")
        if self.workers is not None and self.workers < 1:
            raise ValueError(f"workers is {self.workers}; give 1 or more, or null")
        if self.rooms < 1:
            raise ValueError(f"rooms is {self.rooms}; it must be 1 or more")
        if not self.expire > 0:
            raise ValueError(f"expire is {self.expire}; it must be more than 0")


def _even(games: int, name: str = "games") -> None:
    if games < 2 or games % 2:
        raise ValueError(
            f"{name} is {games}; it must be an even number from 2 on: "
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
    store.store("train_schema", TrainConfig)
    store.store("publish_schema", PublishConfig)
    store.store("ship_schema", ShipConfig)
    store.store("play_schema", PlayConfig)
    for name, schema in SEARCHES.items():
        store.store(f"{name}_schema", schema, group="search", package="search")
