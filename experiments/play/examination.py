"""Analyses: what an agent thinks of a position, or of all positions of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.agent import Answer
from experiments.play.member import Member
from experiments.play.specs import stages
from experiments.play.thinking import Question
from experiments.play.workers import AgentError, Workers
from rstt_env.outcome import UNDECIDED, X, outcome_value, view
from rstt_env.positions import positions_from_moves

_POINTS = 120  # of a graph, at most


class Examination:
    """One request of a browser, answered bit by bit.

    Args:
        workers: that search.
        member: the browser; it has one search at a time.
        number: the browser's, repeated in every message.
        depth: of the game.
        spec: of the agent.
    """

    def __init__(
        self, workers: Workers, member: Member, number: int, depth: int, spec: str
    ) -> None:  # fmt: skip
        self._workers, self._member, self._number = workers, member, number
        self._send = member.send
        self._depth, self._spec = depth, spec

    async def analyse(self, moves: list[int]) -> None:
        """Send what the agent thinks of a position, with more and more time to think."""
        try:
            position = positions_from_moves(self._depth, [moves])
            if position.outcome[0] != UNDECIDED:
                raise ValueError("the game is over: there is nothing to analyse")
            about = {"type": "analysis", "id": self._number, "ply": len(moves)}
            about |= {"spec": self._spec, "board": int(position.focus[0])}
            for spec in stages(self._spec):
                found = facts(await self._ask(spec, moves))
                final = spec == self._spec or found["proven"]
                self._send({**about, "final": final, **found})
                if final:
                    break
        except (ValueError, AgentError) as error:
            self._fail("analyse", error)

    async def draw_graph(self, moves: list[int]) -> None:
        """Send the values of the positions of a game, for X; of a long one, of some of them."""
        try:
            outcome = int(positions_from_moves(self._depth, [moves]).outcome[0])
            plies = np.unique(np.linspace(0, len(moves), _POINTS).round().astype(int)).tolist()
            for done, ply in enumerate(plies, start=1):
                if ply == len(moves) and outcome != UNDECIDED:
                    value = float(outcome_value(outcome, X))
                else:
                    value = await self._value(moves[:ply])
                self._send(
                    {"type": "point", "id": self._number, "ply": ply, "value": value,
                     "done": done, "total": len(plies)}
                )  # fmt: skip
        except (ValueError, AgentError) as error:
            self._fail("graph", error)

    async def _value(self, moves: list[int]) -> float:
        answer = await self._ask(stages(self._spec)[0], moves)
        return float(view(float(answer.value[0]), len(moves) % 2, X))

    async def _ask(self, spec: str, moves: list[int]) -> Answer:
        question = Question(spec, self._depth, moves, game=-1)
        try:
            return await self._workers.ask(question, asker=self._member)
        except AgentError as error:  # about the agent as the browser named it
            raise AgentError(str(error).replace(spec, self._spec)) from None

    def _fail(self, about: str, error: Exception) -> None:
        self._send({"type": "error", "about": about, "message": str(error), "code": None})


def facts(answer: Answer) -> dict[str, Any]:
    """An answer to one position as plain values: None for what the agent doesn't know."""
    visits = answer.visits[0].tolist()
    return {
        "square": int(answer.square[0]),
        "value": float(answer.value[0]),
        "proven": bool(answer.proven[0]),
        "visits": visits if any(visits) else None,
        "policy": _known(answer.policy[0]),
        "scores": [None if np.isnan(score) else float(score) for score in answer.scores[0]],
        "chances": _known(answer.chances[0]),
        "variation": answer.variations[0],
        "simulations": int(answer.simulations[0]),
        "seconds": float(answer.seconds[0]),
    }


def _known(numbers: NDArray[np.float64]) -> list[float] | None:
    return None if np.isnan(numbers).all() else [float(number) for number in numbers]
