"""What a worker process does: it answers positions with agents that it keeps."""

from __future__ import annotations

import signal
from collections import OrderedDict
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np

from agents import make_agent
from agents.agent import FORFEIT, Agent, Answer
from rstt_env.positions import Positions, positions_from_moves

_AGENTS = 8  # that a worker keeps
_GAMES = 4  # of which something is kept: a tree may take half a GiB


class Question(NamedTuple):
    """A position, as the moves that lead to it, and who is to answer it."""

    spec: str
    depth: int
    moves: list[int]
    game: int
    """An id: what an agent learnt of a game it may use for the next move."""


def answer_questions(connection: Connection, warm: list[tuple[str, int]]) -> None:
    """Answer until the pipe ends: an `Answer`, or the text of what is wrong.

    Args:
        connection: brings questions.
        warm: specs and depths whose kernels and libraries are loaded before anyone waits.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    keeper = _Keeper()
    for spec, depth in warm:
        with suppress(ValueError):  # which whoever plays against it is told
            keeper.answer(Question(spec, depth, [], game=-1))
    with suppress(EOFError, OSError):  # the server has ended
        while True:
            question: Question = connection.recv()
            try:
                reply: Answer | str = keeper.answer(question)
            except Exception as error:  # an agent of one's own may raise anything
                reply = str(error) or type(error).__name__
            connection.send(reply)


class _Keeper:
    """Agents by spec and depth, and the games of which they keep something; the latest last."""

    def __init__(self) -> None:
        self._agents: OrderedDict[tuple[str, int], Agent] = OrderedDict()
        self._games: OrderedDict[tuple[str, int, int], Agent] = OrderedDict()

    def answer(self, question: Question) -> Answer:
        """Raises what the agent does, and `ValueError` for what is no answer."""
        agent = self.agent(question.spec, question.depth)
        key = (question.spec, question.depth, question.game)
        self._games.pop(key, None)
        self._games[key] = agent
        if len(self._games) > _GAMES:
            (_, _, game), other = self._games.popitem(last=False)
            other.reset([game])
        positions = positions_from_moves(question.depth, [question.moves])
        answer = agent.act(positions, [question.game])
        _check(answer, positions)
        return answer

    def agent(self, spec: str, depth: int) -> Agent:
        """The agent, kept for the next question."""
        agent = self._agents.pop((spec, depth), None) or make_agent(spec, depth, threads=1)
        self._agents[spec, depth] = agent
        if len(self._agents) > _AGENTS:
            self._agents.popitem(last=False)
        return agent


def _check(answer: object, positions: Positions) -> None:
    """`ValueError` for what an agent of one's own may have got wrong."""
    if not isinstance(answer, Answer):
        raise ValueError(f"the agent answered {answer!r}, which is no Answer")
    square = int(answer.square[0])
    legal = 0 <= square < positions.legal.shape[1] and positions.legal[0, square]
    if square != FORFEIT and not legal:
        raise ValueError(f"the agent answered square {square}, which is not legal")
    if not np.isfinite(answer.value[0]):
        raise ValueError(f"the agent's value is {answer.value[0]}")
