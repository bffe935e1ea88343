"""A training run: its parts, its counters, its folder, and how it is saved and restored."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from omegaconf import DictConfig, OmegaConf
from torch import Tensor
from yaml import YAMLError  # type: ignore[import-untyped]

from agents.alphazero.agent import best_device
from agents.alphazero.checkpoint import Card, Checkpoints, initialise
from agents.alphazero.learner import Learner, Update
from agents.alphazero.networks import make_network
from agents.alphazero.precision import PRECISIONS, fastest_precision
from agents.alphazero.selfplay import Round
from experiments.course import Course
from experiments.provenance import commit
from experiments.schema import SEARCHES, TrainConfig

CONFIG = "config.yaml"


@dataclass
class Clock:
    """The seconds that a run has taken, over all its sittings, and what they went into."""

    parts: dict[str, float] = field(default_factory=dict)
    before: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self.started

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time of what is inside for a part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - start


@dataclass
class Counters:
    """What a run counts, beside rounds, updates and what its courses count.

    Attributes:
        positions: searched choices of all depths: the x-axis of every curve.
        assessed_at: positions at the last assessment.
        best_score: of all assessments, the opponents' scores added up.
        seconds_per_game: that the last one took for a game against each opponent.
    """

    positions: int = 0
    assessed_at: int = 0
    best_score: float = 0.0
    seconds_per_game: float = 0.0


class Training:
    """Network, learner and courses, and the two steps that a run consists of.

    There is a course for each depth: one, unless the run has a mix.
    """

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self.config, depth = config, config.game.depth
        self.device = _device(config.runtime.device)
        if config.runtime.threads is not None:
            torch.set_num_threads(config.runtime.threads)
        if config.runtime.precision == "auto":  # measured once: a run goes on as it began
            config.runtime.precision = fastest_precision(self.device)
        precision = PRECISIONS[config.runtime.precision]
        sizes = {name: value for name, value in config.network.items() if name != "name"}
        network = make_network(config.network["name"], depth, sizes, config.seed)
        if config.init is not None and config.resume is None:
            initialise(network, Path(config.init))
        network.to(self.device)
        self.learner = Learner(network, config.learner, self.device, config.seed, precision)
        self.courses = [
            Course(course, share, network, self.device, precision, folder)
            for share, course in config.courses
        ]
        self.counters, self.clock = Counters(), Clock()
        self.published = False
        self._sizes, self._commit = sizes, commit()

    def warm_up(self) -> None:
        """Have the kernels of self-play compiled or loaded; then the clock starts."""
        for course in self.courses:
            course.searchers.warm_up(course.depth)
        self.clock.started = time.perf_counter()

    def close(self) -> None:
        """End the processes that search; nothing can be played any more."""
        for course in self.courses:
            course.searchers.close()

    @property
    def progress(self) -> float:
        """The share of the budget that is used up."""
        budget = self.config.budget
        used = [0.0]
        if budget.minutes is not None:
            used.append(self.clock.seconds / (60 * budget.minutes))
        if budget.positions is not None:
            used.append(self.counters.positions / budget.positions)
        return max(used)

    @property
    def evaluations(self) -> int:
        """Of positions by the network, in this sitting's self-play."""
        return sum(course.searchers.evaluations for course in self.courses)

    @property
    def network_seconds(self) -> float:
        """What of the time of self-play they took, over all sittings."""
        return sum(course.searchers.seconds for course in self.courses)

    @property
    def owed(self) -> bool:
        """Whether it is the learner's turn."""
        return any(course.counters.owed for course in self.courses)

    def play(self) -> Round:
        """A round of self-play, at the depth that is furthest behind its share."""
        course = min(self.courses, key=lambda course: course.counters.positions / course.share)
        round_ = course.play()
        self.counters.positions += course.config.selfplay.games
        earned = sum(course.counters.earned for course in self.courses)
        self.published = False
        if earned >= self.config.learner.updates:
            for course in self.courses:
                course.ask_for_updates()
            self.published = not self.owed  # the curves of self-play alone
        return round_

    def learn(self) -> Update:
        """An update; after the last one of a turn, self-play gets the new weights.

        The depths take turns, so that the weights don't swing between them.
        """
        course = max(self.courses, key=lambda course: course.counters.owed)
        update = self.learner.update(course.replay, course.config.learner, self.progress)
        course.counters.owed -= 1
        self.published = not self.owed
        if self.published:
            self._check_finite()
            for course in self.courses:
                course.searchers.refresh()
        return update

    def _check_finite(self) -> None:
        for name, weight in self.learner.average.state_dict().items():
            if not torch.isfinite(weight).all():
                raise ValueError(
                    f"{name} is not finite after {self.learner.updates} updates: training has "
                    "diverged; resume from the last checkpoint with a lower learner.rate"
                )

    @property
    def card(self) -> Card:
        return Card(
            depth=self.config.game.depth,
            network=self.config.network["name"],
            sizes=self._sizes,
            positions=self.counters.positions,
            commit=self._commit,
            config=self.config.facts(),
        )

    def save(self, checkpoints: Checkpoints) -> Path:
        """Write a checkpoint; delete what no checkpoint needs any more."""
        self._check_finite()
        path = checkpoints.save(
            self.learner.average,
            self.card,
            {
                "courses": {f"depth{course.depth}": course.state() for course in self.courses},
                "learner": self.learner.state(),
                "counters": asdict(self.counters),
                "seconds": self.clock.seconds,
                "parts": dict(self.clock.parts),
            },
            self.learner.updates,
        )
        for course in self.courses:
            course.forget()
        return path

    def restore(self, state: dict[str, Any], average: dict[str, Tensor]) -> None:
        """Go on from a checkpoint."""
        self.learner.restore(state["learner"], average)
        for course in self.courses:
            course.restore(state["courses"][f"depth{course.depth}"])
        self.counters = Counters(**state["counters"])
        self.clock = Clock(state["parts"], state["seconds"])


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("runtime.device is cuda, but torch finds no GPU; use auto or cpu")
    return best_device() if name == "auto" else torch.device(name)


def run_folder(config: TrainConfig) -> Path:
    """The run's folder: `resume`, or a new one; `ValueError` if that holds something already."""
    folder = Path(config.resume or config.output)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"output: {folder} is a file; name a folder for the run")
    if config.resume is None and folder.exists() and any(folder.iterdir()):
        raise ValueError(
            f"output: {folder} holds something already; name another folder, or go on with the "
            f"run in it by resume={folder}"
        )
    return folder


def save_config(config: TrainConfig, folder: Path) -> None:
    """Write the configuration into the run's folder, whole or not at all."""
    unfinished = folder / f".{CONFIG}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(OmegaConf.structured(config), unfinished)
        unfinished.replace(folder / CONFIG)
    except OSError as error:
        raise ValueError(f"output: {folder} can't be written: {error.strerror}") from None


_FIXED = (
    "game", "mix", "network", "search", "selfplay.games", "learner.window_max", "seed", "init",
)  # fmt: skip


def saved_config(composed: DictConfig, overrides: list[str]) -> DictConfig:
    """The configuration to run: the composed one or, with `resume`, the run's own with `overrides`.

    Raises:
        ValueError: the run isn't there, or an override doesn't go with it.
    """
    if composed.resume is None:
        return composed
    path = Path(composed.resume) / CONFIG
    if not path.exists():
        raise ValueError(f"resume: {composed.resume} is no run: it has no {CONFIG}")
    try:
        saved = OmegaConf.load(path)
    except (OSError, YAMLError) as error:
        raise ValueError(f"resume: {path} is damaged: {str(error).splitlines()[0]}") from None
    schema = OmegaConf.structured(TrainConfig)
    schema.search = SEARCHES[saved.search.name]
    config = OmegaConf.merge(schema, saved)
    assert isinstance(config, DictConfig)
    for override in overrides:
        name = override.lstrip("+~").partition("=")[0]
        if name == "output":
            raise ValueError("resume: a run goes on in its own folder; leave output away")
        if name in ("experiment", "scale", "selfplay", "learner", "evaluation", "runtime"):
            raise ValueError(
                f"resume: the run keeps its settings; name those to change, not {name}"
            )
        ours, theirs = OmegaConf.select(composed, name), OmegaConf.select(config, name)
        if name != "resume" and ours != theirs:
            if any(name == fixed or name.startswith(fixed + ".") for fixed in _FIXED):
                raise ValueError(
                    f"resume: the run in {composed.resume} has {name}={theirs}, not {ours}, and "
                    f"can't change that; start a new one from its weights by init="
                    f"{composed.resume}"
                )
            OmegaConf.update(config, name, ours)
    if missing := sorted(OmegaConf.missing_keys(config)):
        new = " ".join(f"{name}={OmegaConf.select(composed, name)}" for name in missing)
        raise ValueError(
            f"resume: the run in {composed.resume} is older than some settings; go on with {new}"
        )
    config.resume, config.output = composed.resume, composed.resume
    return config
