"""What a worker process does: it answers positions with agents that it keeps."""

from __future__ import annotations

import signal
from collections import OrderedDict
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

from agents import make_agent
from agents.agent import Agent, Answer
from rstt_env.positions import positions_from_moves

_AGENTS = 8  # that a worker keeps
_GAMES = 4  # of which an agent keeps what it learnt: a tree takes up to half a GiB


class Question(NamedTuple):
    """A position, as the moves that lead to it, and who is to answer it."""

    spec: str
    depth: int
    moves: list[int]
    game: int
    """An id: what an agent learnt of a game it may use for the next move."""


def answer_questions(connection: Connection) -> None:
    """Answer until the pipe ends: an `Answer`, or the text of what is wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    keeper = _Keeper()
    with suppress(EOFError, OSError):  # the server has ended
        while True:
            question: Question = connection.recv()
            try:
                reply: Answer | str = keeper.answer(question)
            except Exception as error:  # an agent of one's own may raise anything
                reply = str(error) or type(error).__name__
            connection.send(reply)


class _Keeper:
    """Agents by spec and depth, the latest last."""

    def __init__(self) -> None:
        self._agents: OrderedDict[tuple[str, int], tuple[Agent, OrderedDict[int, None]]] = (
            OrderedDict()
        )

    def answer(self, question: Question) -> Answer:
        """Raises what the agent does, and `ValueError` for what can't be answered."""
        agent, games = self._agent(question.spec, question.depth)
        games[question.game] = games.pop(question.game, None)
        if len(games) > _GAMES:
            agent.reset([games.popitem(last=False)[0]])
        positions = positions_from_moves(question.depth, [question.moves])
        return agent.act(positions, [question.game])

    def _agent(self, spec: str, depth: int) -> tuple[Agent, OrderedDict[int, None]]:
        kept = self._agents.pop((spec, depth), None)
        if kept is None:
            kept = make_agent(spec, depth, threads=1), OrderedDict()
        self._agents[spec, depth] = kept
        if len(self._agents) > _AGENTS:
            self._agents.popitem(last=False)[1][0].reset()
        return kept
