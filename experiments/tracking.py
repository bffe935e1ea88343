"""What a run shows: TensorBoard curves, and a live view in the terminal."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from omegaconf import OmegaConf
from rich.console import Console
from rich.live import Live
from rich.table import Table
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from agents.alphazero.learner import Update
from agents.alphazero.replay import DRAW, UNKNOWN, WIN
from agents.alphazero.selfplay import Round
from experiments.assessment import Assessment
from experiments.course import Course
from experiments.matches import LINE_EVERY
from experiments.memory import memory
from experiments.provenance import commit
from experiments.schema import TrainConfig
from experiments.thoughts import pictures
from experiments.training import Training
from rstt_env import outcome as outcomes

_LAYOUT = {
    "what matters": {
        "Elo on the scale of the ladder": ["Multiline", ["^strength/rating"]],
        "score against each opponent": ["Multiline", ["^strength/score/"]],
        "policy loss, and the lowest possible": ["Multiline", ["^loss/policy"]],
        "result loss": ["Multiline", ["^loss/result"]],
        "endgames solved": ["Multiline", ["^endgames/"]],
        "bare policy's agreement with the search": ["Multiline", ["^policy/agreement"]],
        "positions per second": ["Multiline", ["^speed/positions_per_second"]],
        "shares of time": ["Multiline", ["^time/"]],
    }
}
_BINS = 10  # of predicted values, for their calibration


class Tracker:
    """Writes curves over positions, and shows how the run goes.

    In a mix, the curves of other depths than the run's own have its name before theirs.
    """

    def __init__(self, config: TrainConfig, folder: Path, training: Training) -> None:
        self._config, self._training, self._folder = config, training, folder
        self._console = Console(stderr=True, emoji=False)
        self._live = Live(console=self._console, transient=True, auto_refresh=False)
        self._shown_at = time.perf_counter()
        self._measured = (
            training.counters.positions,
            training.evaluations,
            time.perf_counter(),
        )
        self._rate, self._losses, self._last = 0.0, "", "none yet"
        self._figures: dict[str, float] = {}  # of the last assessment

    def __enter__(self) -> Tracker:
        positions = self._training.counters.positions
        # in the middle of the learner's turn, the curves of these positions are still to come
        purge = positions if self._training.owed else positions + 1
        threading.excepthook = _quiet
        self._writer = SummaryWriter(str(self._folder), purge_step=purge if positions else None)
        facts = self._config.facts()
        self._writer.add_custom_scalars(_LAYOUT)
        self._writer.add_text("config", f"```\n{OmegaConf.to_yaml(facts)}\n```", positions)
        self._writer.add_text("commit", commit(), positions)
        if not positions:
            self._print(f"the run is in {self._folder}; watch it with")
            above = "runs" if "runs" in self._folder.parts else self._folder
            self._print(f"  tensorboard --logdir {above}")
        else:
            self._print(f"going on with {self._folder} from {positions:,} positions")
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        with suppress(OSError):  # the checkpoint is there; `_add` has said what was wrong
            self._writer.close()
        threading.excepthook = threading.__excepthook__

    # --- curves ---

    def log(self, rounds: Sequence[Round], updates: Sequence[Update]) -> None:
        """The curves of a turn of self-play and learner."""
        training = self._training
        figures = self._speed() | self._time()
        for course in training.courses[::-1]:  # the run's own last: its losses are shown
            depth = course.depth
            own = self._selfplay([round_ for round_ in rounds if round_.positions.depth == depth])
            if learnt := [update for update in updates if update.depth == depth]:
                own |= self._learning(learnt, course)
            window, size = course.config.learner.window(course.replay.size), course.replay.size
            own["replay/positions"] = size
            # how many positions have been searched since the oldest that is learnt from came in
            searched = course.counters.positions
            own["replay/age"] = min(window + searched - size, searched)
            figures |= self._named(own, depth)
        if updates:
            figures["learner/rate"] = training.learner.rate(training.progress)
            figures["learner/updates"] = training.learner.updates
        held = memory()
        if held is not None:
            figures["memory/MiB"] = held
        self._add(figures)

    def _named(self, figures: dict[str, float], depth: int) -> dict[str, float]:
        if depth == self._config.game.depth:
            return figures
        return {f"depth{depth}/{name}": value for name, value in figures.items()}

    def _add(self, figures: dict[str, float]) -> None:
        try:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, self._training.counters.positions)
        except OSError as error:
            raise OSError(f"the curves in {self._folder} can't be written: {error}") from None

    def _speed(self) -> dict[str, float]:
        training = self._training
        now = (training.counters.positions, training.evaluations, time.perf_counter())
        positions, evaluations, seconds = (b - a for a, b in zip(self._measured, now, strict=True))
        self._measured = now
        self._rate = positions / seconds
        return {
            "speed/positions_per_second": positions / seconds,
            "speed/evaluations_per_second": evaluations / seconds,
            "speed/minutes": training.clock.seconds / 60,
        }

    def _time(self) -> dict[str, float]:
        clock = self._training.clock
        parts = dict(clock.parts)
        parts["network"] = self._training.network_seconds
        parts["search"] = parts.pop("self-play", 0.0) - parts["network"]
        return {f"time/{name}": value / clock.seconds for name, value in parts.items()}

    def _selfplay(self, rounds: Sequence[Round]) -> dict[str, float]:
        figures: dict[str, float] = {}
        full = [round_.result for round_ in rounds if not round_.fast]
        if full:
            policy = np.concatenate([result.policy for result in full])
            prior = np.concatenate([result.prior for result in full])
            figures["policy/agreement"] = float((policy.argmax(1) == prior.argmax(1)).mean())
            figures["policy/entropy"] = _entropy(prior)
            figures["policy/target_entropy"] = _entropy(policy)
            figures["search/proven"] = float(np.mean([result.proven.mean() for result in full]))
        plies = np.array([count for round_ in rounds for count in round_.plies])
        if len(plies):
            results = np.concatenate([round_.outcomes for round_ in rounds])
            figures["games/plies"] = float(plies.mean())
            for name, outcome in (("X", outcomes.X), ("O", outcomes.O), ("draw", outcomes.DRAW)):
                figures[f"games/{name}"] = float((results == outcome).mean())
        return figures

    def _learning(self, updates: Sequence[Update], course: Course) -> dict[str, float]:
        def mean(name: str) -> float:
            return float(torch.stack([getattr(update, name) for update in updates]).mean())

        value = torch.cat([update.value for update in updates]).cpu().numpy()
        outcome = torch.cat([update.outcome for update in updates]).cpu().numpy()
        known = outcome != UNKNOWN
        result = np.where(outcome == DRAW, 0.0, np.where(outcome == WIN, 1.0, -1.0))
        figures = {
            "loss/policy": mean("policy_loss"),
            "loss/policy_floor": mean("policy_floor"),
            "loss/result": mean("result_loss"),
            "loss/root_value": mean("root_loss"),
            "learner/gradient_norm": mean("gradient_norm"),
            "learner/policy_entropy": mean("policy_entropy"),
        }
        if course.config.learner.owner_weight > 0:
            figures["loss/owners"] = mean("owner_loss")
        if known.any():
            figures["value/calibration_error"] = calibration_error(value[known], result[known])
            figures["value/bias"] = float((value - result)[known].mean())
        value_loss = f"{figures['loss/result']:.3f}" if known.any() else "– (no game has ended)"
        self._losses = f"policy {figures['loss/policy']:.3f} value {value_loss}"
        return figures

    def assessed(self, assessments: list[Assessment] | None) -> None:
        """The curves of an assessment, and what the network thinks of a few positions."""
        if assessments is None:
            self._last = "broken off: it would take more than evaluation.share of the run"
            if not self._console.is_terminal:
                self._print(f"{self._training.counters.positions:,} positions: {self._last}")
            return
        figures: dict[str, float] = {}
        for assessment in assessments:
            figures |= self._named(_figures(assessment), assessment.depth)
        self._add(figures)
        for number, picture in enumerate(pictures(self._config, self._training)):
            self._writer.add_image(
                f"thoughts/{number}", picture, self._training.counters.positions, dataformats="HWC"
            )
        self._last = "; ".join(
            ("" if len(assessments) == 1 else f"depth {assessment.depth}: ") + _summary(assessment)
            for assessment in assessments
        )
        self._figures = figures
        if not self._console.is_terminal:
            self._print(f"{self._training.counters.positions:,} positions: {self._last}")

    def stop(self, checkpoint: Path) -> None:
        """The live view is over; say where the result is."""
        self._live.stop()
        self._print(f"checkpoint: {checkpoint}")

    def conclude(self, assessments: list[Assessment]) -> None:
        """The last matches as a point of the curves; hyperparameters beside their figures."""
        self.assessed(assessments)
        flat = _flat(self._config.facts())
        figures = {name: value for name, value in self._figures.items() if name.count("/") == 1}
        file = self._writer.file_writer
        assert file is not None
        for summary in hparams(flat, figures):
            file.add_summary(summary)

    # --- the terminal ---

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, highlight=False)

    def show(self, evaluation: str | None = None) -> None:
        """Refresh the live view, or print a line now and then.

        `evaluation` is shown at once, in place of the last one's figures.
        """
        now = time.perf_counter()
        waited = now - self._shown_at > (0.5 if self._console.is_terminal else LINE_EVERY)
        if not waited and not (evaluation and self._console.is_terminal):
            return
        self._shown_at = now
        rows = {
            "positions": f"{self._training.counters.positions:,}",
            "rate": f"{self._rate:,.0f} positions/s",
            "time left": self._time_left(),
            "losses": self._losses or self._filling(),
            "evaluation": evaluation or self._last,
        }
        if self._console.is_terminal:
            table = Table(show_header=False, title=str(self._folder), title_justify="left")
            for name, value in rows.items():
                table.add_row(name, value)
            self._live.update(table, refresh=True)
        else:
            self._print("{positions} positions, {rate}, {time left} left, {losses}".format(**rows))

    def _filling(self) -> str:
        """How far the replay is: a position is ready when its game, or the horizon, is over."""
        wanted = self._config.learner.window_min
        ready = min(wanted, self._training.courses[0].replay.size)
        return f"{ready:,} of {wanted:,} positions are ready to be learnt from"

    def _time_left(self) -> str:
        progress, seconds = self._training.progress, self._training.clock.seconds
        left = seconds / progress - seconds if progress else 0.0
        return f"{int(left) // 60}:{int(left) % 60:02}"


def _figures(assessment: Assessment) -> dict[str, float]:
    """An assessment as points of curves; what is infinite is no point."""
    figures = {
        "endgames/policy": assessment.policy_accuracy,
        "endgames/search": assessment.search_accuracy,
    }
    estimates = [
        (f"strength/{kind}", f"/{match.opponent}", estimate)
        for match in assessment.matches
        for kind, estimate in (("score", match.score), ("elo", match.elo))
    ]
    if assessment.rating is not None:
        estimates.append(("strength/rating", "", assessment.rating))
    for kind, opponent, estimate in estimates:
        for name, value in estimate._asdict().items():
            if np.isfinite(value):
                suffix = "" if name == "value" else f"_{name}"
                figures[f"{kind}{suffix}{opponent}"] = value
    return figures


def _summary(assessment: Assessment) -> str:
    """Such as "75% v uct:100, Elo +120"."""
    scores = [f"{match.score.value:.0%} v {match.opponent}" for match in assessment.matches]
    if (rating := assessment.rating) is not None:
        scores.append(
            f"Elo {rating.value:+.0f}" if np.isfinite(rating.value)
            else f"Elo over {rating.low:+.0f}" if rating.value > 0
            else f"Elo under {rating.high:+.0f}"
        )  # fmt: skip
    return ", ".join(scores)


def _quiet(error: threading.ExceptHookArgs) -> None:
    """Leave out the traceback of TensorBoard's thread on a full disk: it is raised again."""
    if not isinstance(error.exc_value, OSError):
        threading.__excepthook__(error)


def calibration_error(value: NDArray[np.floating[Any]], result: NDArray[np.floating[Any]]) -> float:
    """How far predicted values are from the mean result of those like them, in [0, 2].

    The expected calibration error over bins of equal width (Guo et al., 2017).
    """
    bins = np.minimum((value + 1) / 2 * _BINS, _BINS - 1).astype(int)
    counts = np.bincount(bins, minlength=_BINS)
    gaps = np.bincount(bins, weights=value - result, minlength=_BINS)
    return float(np.abs(gaps).sum() / counts.sum())


def _entropy(policy: NDArray[np.float32]) -> float:
    """The mean entropy of the rows, in nats."""
    return float(-(policy * np.log(np.maximum(policy, 1e-12))).sum(axis=1).mean())


def _flat(facts: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Nested settings as `learner.rate`: numbers and strings."""
    flat: dict[str, Any] = {}
    for name, value in facts.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}.")
        else:
            plain = isinstance(value, (int, float, str, bool))
            flat[above + name] = value if plain else json.dumps(value)
    return flat
