"""Worker processes that search, so that the server never waits for a search."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import SpawnProcess

from agents.agent import Answer
from experiments.play.thinking import Question, answer_questions

PATIENCE = 180.0  # seconds that an answer may take, loading and compilation included
WAITING = 200  # questions that may wait


class AgentError(Exception):
    """An agent could not answer; the text says why."""


class BusyError(AgentError):
    """Too many questions wait."""


class Workers:
    """Up to `number` processes, each with one question at a time; the other questions wait.

    Args:
        number: of processes; one that ends, or was never started, starts when it is needed.
        warm: specs and depths that a process gets ready for at its start.
        patience: seconds after which a process that hasn't answered is ended.
    """

    def __init__(
        self,
        number: int,
        warm: list[tuple[str, int]] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._patience = patience
        self._idle = [_Worker(warm or []) for _ in range(number)]
        self._all = list(self._idle)
        self._threads = ThreadPoolExecutor(number, "pipe")  # one waits at each pipe
        self._asked: dict[object, asyncio.Task[Answer | str]] = {}
        self._queue: list[tuple[int, int, asyncio.Future[_Worker]]] = []
        self._numbers = itertools.count()

    def start(self) -> None:
        """Have the processes ready before anyone waits for them."""
        for worker in self._all:
            worker.start()

    async def ask(
        self, question: Question, urgent: bool = False, asker: object | None = None
    ) -> Answer:
        """The agent's answer.

        Args:
            question: what is asked.
            urgent: moves are, and go before analyses.
            asker: for whom one question at a time is answered, also if it no longer waits.

        Raises:
            BusyError: too many questions wait.
            AgentError: says why the agent can't answer.
        """
        worker = await self._worker_for(asker, question.game, urgent)
        answering = asyncio.create_task(self._answer(worker, question))
        key = asker or answering
        self._asked[key] = answering
        answering.add_done_callback(lambda done: self._asked.pop(key))
        # a caller who gives up doesn't end the search: it would take longer to start anew
        reply = await asyncio.shield(answering)
        if isinstance(reply, str):
            raise AgentError(reply)
        return reply

    async def _answer(self, worker: _Worker, question: Question) -> Answer | str:
        try:
            return await worker.ask(question, self._patience, self._threads)
        finally:
            self._release(worker)

    async def _worker_for(self, asker: object | None, game: int, urgent: bool) -> _Worker:
        """A process, once nothing else is answered for the asker."""
        while True:
            while asker is not None and asker in self._asked:
                await asyncio.wait([self._asked[asker]])
            worker = await self._worker(game, urgent)
            if asker not in self._asked:  # nor has it asked meanwhile
                return worker
            self._release(worker)

    async def _worker(self, game: int, urgent: bool) -> _Worker:
        """An idle process, the one that knows the game if it can be had."""
        if self._idle:
            at = next((i for i, idle in enumerate(self._idle) if idle.game == game), -1)
            return self._idle.pop(at)
        if len(self._queue) >= WAITING:
            raise BusyError("too many searches are waiting; try again in a moment")
        future: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        entry = (0 if urgent else 1, next(self._numbers), future)
        self._queue.append(entry)
        try:
            return await future
        except asyncio.CancelledError:
            if entry in self._queue:
                self._queue.remove(entry)
            elif not future.cancelled():
                self._release(future.result())
            raise

    def _release(self, worker: _Worker) -> None:
        while self._queue:
            first = min(self._queue, key=lambda entry: entry[:2])
            self._queue.remove(first)
            if not first[2].done():  # it may have been cancelled in this very moment
                first[2].set_result(worker)
                return
        self._idle.append(worker)

    def close(self) -> None:
        """End all processes, also those that search."""
        for worker in self._all:
            worker.end()
        self._threads.shutdown()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, warm: list[tuple[str, int]]) -> None:
        self._warm = warm
        self._process: SpawnProcess | None = None
        self.game: int | None = None  # that it was last asked about

    async def ask(
        self, question: Question, patience: float, threads: ThreadPoolExecutor
    ) -> Answer | str:
        """The process's reply, or why there is none."""
        if self._process is None:
            self.start()
        self.game = question.game
        loop = asyncio.get_running_loop()
        try:
            self._pipe.send(question)
            reply = loop.run_in_executor(threads, self._pipe.recv)
            answer: Answer | str = await asyncio.wait_for(reply, patience)
            return answer
        except TimeoutError:
            self.end()
            return f"no answer in {patience:g} s; give the agent a smaller budget"
        except (EOFError, OSError):
            self.end()
            return "the process that searched has ended; it may have been out of memory"

    def start(self) -> None:
        """Start a process."""
        context = multiprocessing.get_context("spawn")  # threads don't survive a fork
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=answer_questions, args=(theirs, self._warm), daemon=True
        )
        self._process.start()
        theirs.close()

    def end(self) -> None:
        """Kill the process; the next question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
