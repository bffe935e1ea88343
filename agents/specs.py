"""Spec strings: the one way to name an agent, in code, configurations and commands.

A spec is a name, then what the agent needs, then options, joined by colons:
`uct:1000:solver:reuse`. `KINDS` lists them all.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from agents.agent import Agent
from agents.alphabeta import AlphaBetaAgent
from agents.budget import Budget
from agents.process import ProcessAgent
from agents.simple import FlatMonteCarloAgent, GreedyAgent, RandomAgent
from agents.uct import EXPLORATION, UCTAgent


@dataclass(frozen=True)
class Context:
    """What an agent gets beside its spec."""

    depth: int
    seed: int
    threads: int | None


@dataclass(frozen=True)
class Kind:
    """A name that a spec can start with."""

    usage: str
    about: str
    make: Callable[[str, Context], Agent]
    """Builds the agent from what follows the name and its colon."""


def make_agent(spec: str, depth: int, seed: int = 0, threads: int | None = None) -> Agent:
    """The agent that `spec` names.

    Args:
        spec: such as `random`, `uct:1000`, `uct:0.7s:solver`, `alphabeta:6`.
        depth: of the games that it will play, 1 to 4.
        seed: of its random numbers.
        threads: how many cores it may use; all by default.

    Raises:
        ValueError: names what is unknown or wrong in the spec, and the nearest valid form.
    """
    name, _, rest = str(spec).partition(":")
    if name not in KINDS:
        usages = ", ".join(kind.usage for kind in KINDS.values())
        raise ValueError(f"no agent is called {name!r}{_nearest(name, KINDS)}; there are {usages}")
    try:
        return KINDS[name].make(rest, Context(depth, seed, threads))
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {error}") from None


def _nearest(word: str, valid: Iterable[str]) -> str:
    close = difflib.get_close_matches(word.lower(), valid, n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _bare(text: str) -> None:
    if text:
        raise ValueError(f"it takes nothing after its name, not {text!r}")


def _random(text: str, context: Context) -> Agent:
    _bare(text)
    return RandomAgent(context.depth, context.seed)


def _greedy(text: str, context: Context) -> Agent:
    _bare(text)
    return GreedyAgent(context.depth, context.seed)


def _flat(text: str, context: Context) -> Agent:
    budget = Budget.parse(text)
    if budget.simulations is None:
        raise ValueError("it takes a number of playouts, such as flatmc:1000, not seconds")
    return FlatMonteCarloAgent(
        context.depth, budget.simulations, seed=context.seed, threads=context.threads
    )


_UCT_OPTIONS = {
    "solver": "prove positions, play a proven win at once",
    "reuse": "keep the subtree of a game for its next move",
    "decisive": "rollouts take a board at hand, else avoid handing one over",
    "c0.7": f"exploration constant ({EXPLORATION} without)",
    "p4": "four independent trees that share the budget, one a core",
}


def _uct(text: str, context: Context) -> Agent:
    budget, *options = text.split(":")
    flags = {"solver": False, "reuse": False, "decisive": False}
    exploration, trees = EXPLORATION, 1
    if len({option[0] if option[:1] in "cp" else option for option in options}) < len(options):
        raise ValueError(f"an option is given twice in {':'.join(options)!r}")
    for option in options:
        if option in flags:
            flags[option] = True
        elif re.fullmatch(r"c\d+(\.\d+)?", option):
            exploration = float(option[1:])
        elif re.fullmatch(r"p[1-9]\d*", option):
            trees = int(option[1:])
        else:
            raise ValueError(
                f"no option is called {option!r}{_nearest(option, _UCT_OPTIONS)}; "
                f"there are {', '.join(_UCT_OPTIONS)}"
            )
    return UCTAgent(
        context.depth,
        Budget.parse(budget),
        seed=context.seed,
        exploration=exploration,
        trees=trees,
        threads=context.threads,
        **flags,
    )


def _alphabeta(text: str, context: Context) -> Agent:
    amount, _, options = text.partition(":")
    if options:
        raise ValueError(f"it has no options, such as {options!r}")
    budget = Budget.parse(amount, "choices to look ahead, such as 6,")
    return AlphaBetaAgent(
        context.depth, budget.simulations, budget.seconds, threads=context.threads
    )


def _process(text: str, context: Context) -> Agent:
    return ProcessAgent(context.depth, text)


_LOW = ":bfloat16"


def _alphazero(text: str, context: Context) -> Agent:
    plain = text.removesuffix(_LOW)
    path, _, amount = plain.rpartition(":")
    if not path:
        raise ValueError(
            "write az:PATH:64, with a run's folder, a checkpoint, its weights or a shipped name, "
            "such as depth2, as the path, and simulations for each choice, or core-seconds for a "
            "move, such as 1.5s"
        )
    budget = Budget(simulations=0) if amount == "0" else Budget.parse(amount)
    from agents.alphazero.agent import AlphaZeroAgent  # torch takes seconds to import

    return AlphaZeroAgent.load(
        Path(path), context.depth, budget, context.threads, low_precision=plain != text
    )


def _own(text: str, context: Context) -> Agent:
    module, _, rest = text.partition(":")
    function, _, rest = rest.partition(":")
    try:
        make = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"there is no {module}:{function} ({error}); write own:package.module:function"
        ) from None
    agent: Agent = make(rest, context)
    return agent


KINDS = {
    "random": Kind("random", "uniformly random legal squares", _random),
    "greedy": Kind("greedy", "claims the largest board that one move can, else random", _greedy),
    "flatmc": Kind("flatmc:1000", "so many random playouts a move, no tree", _flat),
    "uct": Kind(
        "uct:1000 or uct:0.7s",
        "tree search with random rollouts: simulations, or core-seconds, a move. Options: "
        + "; ".join(f":{option} {about}" for option, about in _UCT_OPTIONS.items()),
        _uct,
    ),
    "alphabeta": Kind(
        "alphabeta:6 or alphabeta:0.5s",
        "iterative deepening so many choices deep, or for so many core-seconds a move",
        _alphabeta,
    ),
    "az": Kind(
        "az:depth2:64, az:PATH:1.5s or az:PATH:0",
        "a trained network: a shipped one (such as depth2), a run's folder (its newest "
        "checkpoint), a checkpoint or its weights; simulations for each choice of a move, "
        "core-seconds for a move, or the bare policy. "
        f"Option: {_LOW}, matrix products in that precision, as self-play may have them",
        _alphazero,
    ),
    "own": Kind(
        "own:package.module:function:TEXT",
        "your own agent: what the function returns for TEXT and a Context (see agents/README.md)",
        _own,
    ),
    "process": Kind(
        "process:COMMAND",
        "a program that speaks CodinGame's protocol of Ultimate Tic-Tac-Toe (depth 2)",
        _process,
    ),
}
