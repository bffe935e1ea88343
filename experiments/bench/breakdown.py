"""What the time of self-play goes into, on one thread."""

import pstats
import time
from cProfile import Profile
from pathlib import Path

from agents.alphazero.evaluator import Evaluation
from agents.alphazero.incremental import IncrementalEvaluator
from agents.alphazero.searchers import LocalSearcher
from agents.search.evaluator import Rows
from experiments.training import Training
from rstt_env.state import State

PARTS = {
    "select, expand, back up": ("descent.select", "descent.expand"),
    "gather": (
        "changes.find_changes", "changes.merge_parents", "changes.find_paths", "changes.gather",
        "changes.fill_content_rows", "changes.fill_statuses",
    ),
    "combine": ("incremental.add_to_sums", "incremental.embed"),
    "path": ("incremental.refine",),
    "heads": (
        "incremental.hidden_of_context", "incremental.hidden_of_children",
        "incremental.add_to_sent", "incremental.answer",
    ),
}  # fmt: skip
"""Part → the functions that it consists of, none of which calls one of another part."""


class _Watched:
    """An evaluator whose `plant` is timed by itself: it shares functions with `evaluate`."""

    def __init__(self, evaluator: IncrementalEvaluator, profile: Profile) -> None:
        self._evaluator, self._profile = evaluator, profile
        self.planting, self.evaluating = 0.0, 0.0

    def plant(self, state: State) -> None:
        self._profile.disable()
        start = time.perf_counter()
        self._evaluator.plant(state)
        self.planting += time.perf_counter() - start
        self._profile.enable()

    def refresh(self) -> None:
        start = time.perf_counter()
        self._evaluator.refresh()
        self.planting += time.perf_counter() - start

    def evaluate(self, state: State, positions: Rows, roots: Rows) -> Evaluation:
        start = time.perf_counter()
        result = self._evaluator.evaluate(state, positions, roots)
        self.evaluating += time.perf_counter() - start
        return result


def breakdown(training: Training, seconds: float, period: int) -> dict[str, float]:
    """Nanoseconds for each evaluation in self-play on one core, by part.

    There are new weights every `period` rounds, whose tables are counted with the roots.
    Nothing where the network isn't evaluated incrementally, as on a GPU.
    """
    evaluator, profile = training.courses[0].searchers.evaluator, Profile()
    if not isinstance(evaluator, IncrementalEvaluator):
        return {}
    watched, search = _Watched(evaluator, profile), training.config.search
    searcher = LocalSearcher(watched, search.rules, search.solver, 1)
    for number in range(2):  # the first time, kernels are loaded and the roots are made
        before, rounds, start = evaluator.evaluations, 0, time.perf_counter()
        while not rounds or number * (rounds % period or time.perf_counter() - start < seconds):
            if rounds % period == 0:
                watched.refresh()
            profile.enable()
            training.courses[0].selfplay.round(searcher)
            profile.disable()
            rounds += 1
        if not number:
            profile.clear()
            watched.planting = watched.evaluating = 0.0
    whole = time.perf_counter() - start
    evaluations = evaluator.evaluations - before
    spent: dict[str, float] = {}
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (file, _, name), (_, _, _, cumulative, _) in stats.items():
        spent[f"{Path(file).stem}.{name}"] = cumulative
    parts = {part: sum(spent.get(name, 0.0) for name in names) for part, names in PARTS.items()}
    parts["roots"] = watched.planting
    evaluated = sum(parts[part] for part in ("gather", "combine", "path", "heads"))
    parts["rest of the evaluation"] = watched.evaluating - evaluated
    parts["rest of self-play"] = whole - sum(parts.values())
    return {part: 1e9 * taken / evaluations for part, taken in parts.items()}
