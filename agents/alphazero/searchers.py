"""Who searches the games of self-play: this process, or one for each core.

Python runs one thread of a process at a time, and a search is many short calls; so cores are
kept busy by processes. The games are divided among them for good, since an evaluator keeps
something of each game's root.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.alphazero.evaluators import make_evaluator
from agents.alphazero.incremental import IncrementalEvaluator
from agents.search.evaluator import Evaluator
from agents.search.search import Result, Rules, search
from agents.threads import num_cores
from rstt_env.positions import Positions

_SHARE = 32  # games that are worth a process
_LEFT_TO_US = (signal.SIGINT, signal.SIGTERM)  # a terminal sends them to all processes


class Searcher(Protocol):
    """Searches every game of a round of self-play."""

    def search(
        self, positions: Positions, seeds: NDArray[np.uint64], simulations: int, explore: bool
    ) -> Result:
        """See `agents.search.search.search`; game g is row g in every round."""
        ...


class LocalSearcher:
    """Searches in this process.

    Args:
        evaluator: of the positions.
        rules, solver, threads: see `agents.search.search.search`.
    """

    def __init__(
        self, evaluator: Evaluator, rules: Rules, solver: bool = True, threads: int | None = None
    ) -> None:
        self.evaluator, self._rules, self._solver = evaluator, rules, solver
        self._threads = threads

    def search(
        self, positions: Positions, seeds: NDArray[np.uint64], simulations: int, explore: bool
    ) -> Result:
        return search(
            positions, self.evaluator, self._rules, simulations, seeds, explore=explore,
            solver=self._solver, threads=self._threads,
        )  # fmt: skip


class Searchers:
    """Searches with a network, incrementally evaluated if it can be; then on all cores.

    Ends its processes when it is deleted, or when this process ends in whatever way.

    Args:
        network: on `device`; searches go on with the weights that it had at the last `refresh`.
        device, precision: of its evaluations.
        rules, solver: of the searches.
        games: of a round.
        threads: cores to use; all by default.

    Attributes:
        local: this process's part.
        evaluations: of positions, so far.
        seconds: that they took, in the mean of the processes.
    """

    def __init__(
        self, network: nn.Module, device: torch.device, precision: torch.dtype, rules: Rules,
        solver: bool, games: int, threads: int | None = None,
    ) -> None:  # fmt: skip
        cores = threads or num_cores()
        evaluator = make_evaluator(network, device, precision, 1)
        incremental = isinstance(evaluator, IncrementalEvaluator)
        number = max(1, min(cores, games // _SHARE)) if incremental else 1
        self._network = network
        self.local = LocalSearcher(evaluator, rules, solver, 1 if incremental else threads)
        self._others = [_Other(_Task(network, precision, rules, solver)) for _ in range(number - 1)]
        self.evaluations, self.seconds = 0, 0.0

    def __len__(self) -> int:
        """How many processes search."""
        return 1 + len(self._others)

    def search(
        self, positions: Positions, seeds: NDArray[np.uint64], simulations: int, explore: bool
    ) -> Result:
        """See `Searcher`.

        Raises:
            ValueError: the network's values are not finite.
            OSError: a process has ended, for want of memory perhaps.
        """
        first, *rest = np.array_split(np.arange(len(positions)), len(self))
        for other, part in zip(self._others, rest, strict=True):
            other.ask((positions[part].state, seeds[part], simulations, explore))
        answers = [_count(self.local, positions[first], seeds[first], simulations, explore)]
        answers += [other.answer() for other in self._others]
        self.evaluations += sum(answer.evaluations for answer in answers)
        self.seconds += sum(answer.seconds for answer in answers) / len(self)
        results = [answer.result for answer in answers]
        return Result(*map(np.concatenate, zip(*results, strict=True)))

    def refresh(self) -> None:
        """Take over the network's weights."""
        weights = _numpy(self._network) if self._others else {}
        for other in self._others:
            other.ask(weights)
        self.local.evaluator.refresh()  # type: ignore[attr-defined]
        for other in self._others:
            other.answer()

    def warm_up(self, depth: int) -> None:
        """Have the kernels of all processes compiled or loaded; counts nothing."""
        before = self.evaluations, self.seconds
        seeds = np.zeros(len(self), np.uint64)
        self.search(Positions(depth, len(self)), seeds, 2, explore=True)
        self.evaluations, self.seconds = before


class _Task(NamedTuple):
    """What a process searches with."""

    network: nn.Module
    precision: torch.dtype
    rules: Rules
    solver: bool


class _Answer(NamedTuple):
    """The result of a search, the evaluations that it took, and the seconds that they took."""

    result: Result
    evaluations: int
    seconds: float


def _count(searcher: LocalSearcher, *arguments: Any) -> _Answer:
    evaluator: Any = searcher.evaluator
    evaluations, seconds = evaluator.evaluations, evaluator.seconds
    result = searcher.search(*arguments)
    return _Answer(result, evaluator.evaluations - evaluations, evaluator.seconds - seconds)


class _Other:
    """Another process, and the pipe to it."""

    def __init__(self, task: _Task) -> None:
        context = multiprocessing.get_context("spawn")  # threads don't survive a fork
        self._pipe, theirs = context.Pipe()
        # plain bytes, lest torch hand over tensors in shared memory
        self._process = context.Process(
            target=_serve, args=(theirs, pickle.dumps(task)), daemon=True
        )
        with _blocked(*_LEFT_TO_US):
            self._process.start()
        theirs.close()
        weakref.finalize(self, self._pipe.close)  # tells it to end, also when this process ends

    def ask(self, what: Any) -> None:
        """Send a search's arguments, or weights."""
        try:
            self._pipe.send(what)
        except OSError:
            raise self._gone() from None

    def answer(self) -> Any:
        """Wait for what it says."""
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            raise self._gone() from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _gone(self) -> OSError:
        self._process.join(5.0)
        return OSError(
            f"a process that searched games has ended with status {self._process.exitcode}, for "
            "want of memory perhaps; resume the run, with fewer runtime.threads if need be"
        )


@contextmanager
def _blocked(*signals: signal.Signals) -> Iterator[None]:
    """A process that is started herein doesn't get these, even while it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, pickled: bytes) -> None:
    """Search, or take over weights, whenever asked, until the other end is closed."""
    for number in _LEFT_TO_US:
        signal.signal(number, signal.SIG_IGN)
    torch.set_num_threads(1)
    task: _Task = pickle.loads(pickled)
    evaluator = IncrementalEvaluator(task.network, task.precision, 1)  # type: ignore[arg-type]
    searcher = LocalSearcher(evaluator, task.rules, task.solver, 1)
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError):
            return
        answer: Any = None
        try:
            if isinstance(asked, dict):
                tensors = {name: torch.from_numpy(weight) for name, weight in asked.items()}
                task.network.load_state_dict(tensors)
                evaluator.refresh()
            else:
                state, *arguments = asked
                answer = _count(searcher, Positions.from_state(state), *arguments)
        except Exception as error:
            answer = error
        try:
            pipe.send(answer)
        except OSError:
            return


def _numpy(network: nn.Module) -> dict[str, NDArray[Any]]:
    return {name: weight.detach().numpy() for name, weight in network.state_dict().items()}
