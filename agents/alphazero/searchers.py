"""Who searches the games of self-play: this process, or one for each core.

Python runs one thread of a process at a time, and a search is many short calls; so cores are
kept busy by processes. The games are divided among them for good, since an evaluator keeps
something of each game's root.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.alphazero.evaluators import AnyEvaluator, make_evaluator
from agents.alphazero.incremental import IncrementalEvaluator
from agents.search.evaluator import Evaluator
from agents.search.search import Result, Rules, search
from agents.threads import num_cores
from rstt_env.positions import Positions
from rstt_env.state import State

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


class ProcessEndedError(OSError):
    """A process that searched games has ended by itself."""


class Searchers:
    """Searches with a network, incrementally evaluated if it can be; then on all cores.

    Other processes end with `close`, or when this process ends in whatever way.

    Args:
        network: on `device`; searches go on with the weights that it had at the last `refresh`.
        device, precision: of its evaluations.
        rules, solver: of the searches.
        games: of a round.
        threads: cores to use; all by default.

    Attributes:
        evaluator: of this process's part.
        evaluations: of positions, so far.
        seconds: that they took, in the mean of the processes.

    Raises:
        ProcessEndedError: while it started.
    """

    def __init__(
        self, network: nn.Module, device: torch.device, precision: torch.dtype, rules: Rules,
        solver: bool, games: int, threads: int | None = None,
    ) -> None:  # fmt: skip
        cores = threads or num_cores()
        self.evaluator: AnyEvaluator = make_evaluator(network, device, precision, 1)
        incremental = isinstance(self.evaluator, IncrementalEvaluator)
        number = max(1, min(cores, games // _SHARE)) if incremental else 1
        self._network = network
        self._local = LocalSearcher(self.evaluator, rules, solver, 1 if incremental else threads)
        self._others = [_Other() for _ in range(number - 1)]
        if self._others:  # all of them are starting by now
            task = pickle.dumps(_Task(network, precision, rules, solver))
            for other in self._others:
                other.ask(task)
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
            ProcessEndedError: the games are as they were.
        """
        first, *rest = np.array_split(np.arange(len(positions)), len(self))
        for other, part in zip(self._others, rest, strict=True):
            other.ask(_Question(positions[part].state, seeds[part], simulations, explore))
        own = _Question(positions[first].state, seeds[first], simulations, explore)
        answers = [_search(self._local, self.evaluator, own)]
        answers += [other.answer() for other in self._others]
        self.evaluations += sum(answer.evaluations for answer in answers)
        self.seconds += sum(answer.seconds for answer in answers) / len(self)
        results = [answer.result for answer in answers]
        return Result(*map(np.concatenate, zip(*results, strict=True)))

    def refresh(self) -> None:
        """Take over the network's weights."""
        for other in self._others:
            other.ask(_weights(self._network))
        self.evaluator.refresh()
        for other in self._others:
            other.answer()

    def close(self) -> None:
        """End the other processes; nothing can be searched any more."""
        for other in self._others:
            other.end()

    def warm_up(self, depth: int) -> None:
        """Have the kernels of all processes compiled or loaded; counts nothing."""
        before = self.evaluations, self.seconds
        seeds = np.zeros(len(self), np.uint64)
        self._local.search(Positions(depth, 1), seeds[:1], 2, explore=True)  # the others load them
        self.search(Positions(depth, len(self)), seeds, 2, explore=True)
        self.evaluations, self.seconds = before


class _Task(NamedTuple):
    """What a process searches with."""

    network: nn.Module
    precision: torch.dtype
    rules: Rules
    solver: bool


class _Question(NamedTuple):
    """The arguments of a search."""

    state: State
    seeds: NDArray[np.uint64]
    simulations: int
    explore: bool


class _Answer(NamedTuple):
    """The result of a search, the evaluations that it took, and the seconds that they took."""

    result: Result
    evaluations: int
    seconds: float


_Weights = dict[str, NDArray[Any]]


def _search(searcher: LocalSearcher, evaluator: AnyEvaluator, question: _Question) -> _Answer:
    evaluations, seconds = evaluator.evaluations, evaluator.seconds
    state, seeds, simulations, explore = question
    result = searcher.search(Positions.from_state(state), seeds, simulations, explore)
    return _Answer(result, evaluator.evaluations - evaluations, evaluator.seconds - seconds)


class _Other:
    """Another process, and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # threads don't survive a fork
        self._pipe, theirs = context.Pipe()
        self._waiting = False  # whether an answer is still to come
        # little is handed over here: it is written before the process reads, or has died
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _blocked(*_LEFT_TO_US):
            self._process.start()
        theirs.close()
        # tells it to end; at the end of this process, before others are waited for
        self.end = Finalize(self, self._pipe.close, exitpriority=10)

    def ask(self, what: bytes | _Question | _Weights) -> None:
        """Send a pickled task, the first time; later a question, or weights."""
        try:
            if self._waiting:  # for what nobody wants to know any more: a call was broken off
                self._pipe.recv()
            self._pipe.send(what)
        except (EOFError, OSError):
            raise self._gone() from None
        self._waiting = True

    def answer(self) -> Any:
        """Wait for what it says to what was asked last."""
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            raise self._gone() from None
        self._waiting = False
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _gone(self) -> ProcessEndedError:
        self._process.join(5.0)
        status = self._process.exitcode
        why = "its own words are above"
        if status == -9:
            why = "killed, for want of memory perhaps; then use fewer runtime.threads"
        return ProcessEndedError(
            f"a process that searched games has ended with status {status}: {why}"
        )


@contextmanager
def _blocked(*signals: signal.Signals) -> Iterator[None]:
    """A process that is started herein doesn't get these, even while it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else `start` does it, which unblocks them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """Answer whatever is asked, until the other end is closed."""
    for number in _LEFT_TO_US:
        signal.signal(number, signal.SIG_IGN)
    torch.set_num_threads(1)
    server = _Server()
    while True:
        try:
            asked = pipe.recv()
        except (EOFError, OSError):
            return
        answer: Any
        try:
            answer = server.answer(asked)
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = error
        try:
            _send(pipe, answer)
        except OSError:
            return


def _send(pipe: Connection, answer: Any) -> None:
    try:
        pipe.send(answer)
    except (pickle.PicklingError, TypeError, AttributeError):  # an exception may hold anything
        pipe.send(RuntimeError(repr(answer)))


class _Server:
    """What another process knows."""

    _task: _Task
    _evaluator: IncrementalEvaluator
    _searcher: LocalSearcher

    def answer(self, asked: bytes | _Question | _Weights) -> _Answer | None:
        if isinstance(asked, _Question):
            return _search(self._searcher, self._evaluator, asked)
        if isinstance(asked, bytes):
            self._task = task = pickle.loads(asked)
            self._evaluator = IncrementalEvaluator(task.network, task.precision, 1)
            self._searcher = LocalSearcher(self._evaluator, task.rules, task.solver, 1)
            return None
        weights = {name: torch.from_numpy(weight) for name, weight in asked.items()}
        self._task.network.load_state_dict(weights)
        self._evaluator.refresh()
        return None


def _weights(network: nn.Module) -> _Weights:
    return {name: weight.detach().numpy() for name, weight in network.state_dict().items()}
