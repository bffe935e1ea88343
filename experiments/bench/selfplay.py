"""The suite `selfplay`: the network beside the machine's peak, self-play beside the network."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import hydra
import numpy as np
import torch
from omegaconf import OmegaConf
from torch.utils.flop_counter import FlopCounterMode

from agents.alphazero.agent import best_device
from agents.alphazero.encoding import encode
from agents.alphazero.evaluator import AT_ONCE
from agents.alphazero.evaluators import make_evaluator
from agents.alphazero.networks.inputs import Inputs
from agents.alphazero.precision import PRECISIONS
from agents.alphazero.replay import new_records
from agents.alphazero.searchers import LocalSearcher
from agents.search.evaluator import UniformEvaluator
from agents.search.search import search
from experiments.bench.breakdown import breakdown
from experiments.bench.engine import Announce
from experiments.bench.measure import Row, best_rate
from experiments.memory import memory
from experiments.schema import TrainConfig, register
from experiments.training import Training
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions

_GAMES, _SIMULATIONS = 256, 32  # of which the memory is measured


def run(seconds: float, announce: Announce) -> Iterator[Row]:
    """Yield the rows, measuring each for about `seconds`: the settings of `configs/train.yaml`."""
    announce("matrix products")
    peak = _matrix_peak(seconds)
    yield Row("matrix products, float32", peak, "FLOP", 1e9 / peak, "FLOP")
    for depth in (1, 2, 3, 4):
        announce(f"depth {depth}")
        with TemporaryDirectory() as folder:
            yield from _rows(depth, folder, seconds, peak)
    held = _memory(_config(4))
    if held is not None:
        what = f"memory at depth 4, {_GAMES} games, {_SIMULATIONS} simulations"
        yield Row(what, held, "MiB")


def _rows(depth: int, folder: str, seconds: float, peak: float) -> Iterator[Row]:
    def row(what: str, rate: float, ratio: float | None = None, unit: str = "evaluation") -> Row:
        return Row(f"depth {depth}: {what}", rate, unit, 1e9 / rate, unit, ratio)

    config = _config(depth)
    config.output = f"{folder}/run"
    training = Training(config, Path(config.output))
    bare, flops = _bare(training, seconds)
    yield row(f"network, batches of {AT_ONCE}: of these products", bare, bare * flops / peak)
    both = _selfplay(training, seconds)
    yield row(f"self-play, {config.selfplay.games} games: of the network", both, both / bare)
    learner = _learner(training, seconds)
    yield row(f"learner, batches of {config.learner.batch}", learner, unit="position")
    with _one_core():
        runtime = replace(config.runtime, threads=1)
        training = Training(replace(config, runtime=runtime), Path(folder) / "one core")
        fast = _evaluator(training, seconds)
        yield row("evaluator on one core, the same batches", fast)
        alone = _selfplay(training, seconds)
        yield row("self-play on one core: of this evaluator", alone, alone / fast)
        parts = breakdown(training, seconds, _period(config))
        whole = sum(parts.values())
        for part, spent in parts.items():
            if spent > 0:  # there is no path at depth 1
                yield row(f"… {part}: of its time", 1e9 / spent, spent / whole)
        single = _one_game(training, seconds)
        yield row("one game on one core: of this evaluator", single, single / fast)


@contextmanager
def _one_core() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _config(depth: int) -> TrainConfig:
    register()
    with hydra.initialize_config_module("configs", version_base="1.3"):
        composed = hydra.compose("train", [f"game=depth{depth}", "output=unused"])
    config = OmegaConf.to_object(composed)
    assert isinstance(config, TrainConfig)
    return config


def _matrix_peak(seconds: float) -> float:
    """Floating-point operations per second of large square products, on all cores or the GPU."""
    device = best_device()
    side = 1024 if device.type == "cpu" else 8192
    a, b, out = (torch.randn(side, side, device=device) for _ in range(3))

    def work() -> float:
        torch.mm(a, b, out=out)
        float(out[0, 0])  # waits for a GPU
        return 2.0 * side**3

    return best_rate(work, seconds)


def _bare(training: Training, seconds: float) -> tuple[float, int]:
    """Evaluations per second on one batch that lies ready, and what one of them costs."""
    network = training.learner.network.eval()
    state = _positions(training, AT_ONCE).state
    inputs = Inputs.of(encode(state, np.arange(AT_ONCE)), training.device)
    with torch.inference_mode():
        prepared = network.prepare()  # type: ignore[operator]

        def work() -> float:
            logits, _ = network(inputs, prepared)
            float(logits[0, 0])  # waits for a GPU
            return AT_ONCE

        with FlopCounterMode(display=False) as counter:
            work()
        return best_rate(work, seconds), counter.get_total_flops() // AT_ONCE


def _evaluator(training: Training, seconds: float) -> float:
    """Evaluations per second of positions two plies from their roots, as search asks for them."""
    roots = _positions(training, AT_ONCE)
    leaves = roots.copy()
    for ply in range(2):
        going = np.flatnonzero(leaves.outcome == UNDECIDED)
        leaves.play(leaves.random_squares(ply + np.arange(AT_ONCE))[going], going)
    going = np.flatnonzero(leaves.outcome == UNDECIDED)
    chosen = going[np.arange(AT_ONCE) % len(going)]
    precision = PRECISIONS[training.config.runtime.precision]
    evaluator = make_evaluator(training.learner.network, training.device, precision, 1)
    evaluator.plant(roots.state)

    def work() -> float:
        evaluator.evaluate(leaves.state, chosen, chosen)
        return AT_ONCE

    return best_rate(work, seconds)


def _memory(config: TrainConfig) -> float | None:
    """MiB that self-play holds, in a process of its own."""
    config.selfplay.games, config.search.simulations = _GAMES, _SIMULATIONS
    with TemporaryDirectory() as folder, ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(_memory_here, config, Path(folder)).result()


def _memory_here(config: TrainConfig, folder: Path) -> float | None:
    (course,) = Training(config, folder).courses
    quick = LocalSearcher(UniformEvaluator(), config.search.rules)
    for _ in range(config.selfplay.horizon or 0):  # positions that wait to be learnt from
        course.replay.append(course.selfplay.round(quick).records)
    for _ in range(4):
        course.play()
    return memory()


def _positions(training: Training, number: int) -> Positions:
    """Positions of a round of self-play, as many as asked for."""
    (course,) = training.courses
    seen = course.selfplay.round(course.searchers).positions
    return seen[np.arange(number) % len(seen)]


def _selfplay(training: Training, seconds: float) -> float:
    (course,) = training.courses

    def work() -> float:
        before = training.evaluations
        course.searchers.refresh()
        for _ in range(_period(training.config)):
            course.play()
        return training.evaluations - before

    return best_rate(work, seconds, rounds=2)


def _period(config: TrainConfig) -> int:
    """Rounds of self-play between two publications of weights."""
    learner = config.learner
    positions = learner.updates * learner.batch / learner.reuse
    return max(1, round(positions / config.selfplay.games))


def _one_game(training: Training, seconds: float) -> float:
    position = _positions(training, 1)
    rules, seeds = training.config.search.rules, np.zeros(1, np.uint64)

    network, device = training.learner.network, training.device
    evaluator = make_evaluator(network, device, threads=1)  # as an agent has it

    def work() -> float:
        before = evaluator.evaluations
        search(position, evaluator, rules, 64, seeds, explore=False, threads=1)
        return evaluator.evaluations - before

    return best_rate(work, seconds)


def _learner(training: Training, seconds: float) -> float:
    """Positions per second of updates."""
    depth, positions = (
        training.config.game.depth,
        _positions(training, training.config.learner.batch),
    )
    legal = positions.legal_children
    policy = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float32)
    encoding = encode(positions.state, np.arange(len(positions)))
    value = np.zeros(len(positions), np.float32)
    (course,) = training.courses
    course.replay.append(new_records(depth, encoding, policy, value))

    def work() -> float:
        training.learner.update(course.replay, training.config.learner, 0.0)
        return training.config.learner.batch

    return best_rate(work, seconds, rounds=2)
