"""Which agents may be asked for in a browser, and an agent with less to think with."""

from __future__ import annotations

import re
from pathlib import Path

from agents.alphazero.checkpoint import load_weights, shipped, weights_file
from agents.budget import Budget

MOST_SECONDS = 10.0
MOST = {"flatmc": 1_000_000, "uct": 3_000_000, "alphabeta": 9, "az": 10_000}
"""Simulations, or choices to look ahead: what one search may take; fewer simulations where games
are longer."""
_SHARE = {1: 1, 2: 1, 3: 10, 4: 100}
_OPTIONS = {"uct": ["solver", "reuse", "decisive"], "az": ["bfloat16"]}
_CONSTANT = r"c\d+(\.\d+)?"
_STAGES = 5  # of an analysis, each with about twice the budget of the one before


def check_spec(spec: str, depth: int, offered: list[str], anywhere: bool) -> str:
    """`spec`, if a browser may ask for it.

    Args:
        spec: an agent's.
        depth: of the game.
        offered: the specs that may be had in any case: what they do is the host's concern.
        anywhere: whether `az` may read weights from any path: where only the host's own machine
            can reach the server.

    Raises:
        ValueError: says why it may not, and what to do.
    """
    if spec in offered:
        return spec
    name = spec.partition(":")[0]
    if name in ("own", "process"):
        raise ValueError(
            f"{spec!r} runs a program, so the server must be started with it: agents=['{spec}']"
        )
    if name == "az" and not anywhere and spec.split(":")[1] not in shipped():
        raise ValueError(
            f"{spec!r} reads a file, so the server must be started with it, by agents or networks; "
            f"there are {', '.join(offered) or 'none'}"
        )
    if spec in ("random", "greedy"):
        return spec
    if name not in MOST:
        raise ValueError(f"{spec!r} is no agent here; there are random, greedy, {', '.join(MOST)}")
    before, amount, options = _parts(spec)
    unknown = set(filter(None, options.split(":"))) - set(_OPTIONS.get(name, []))
    unknown -= {option for option in unknown if name == "uct" and re.fullmatch(_CONSTANT, option)}
    if unknown:
        raise ValueError(f"{spec!r}: no option is called {min(unknown)!r} here")
    _check_amount(spec, name, amount, MOST[name] // (1 if name == "alphabeta" else _SHARE[depth]))
    if name == "az":
        load_weights(weights_file(Path(before[len("az:") : -1])))
    return spec


def _parts(spec: str) -> tuple[str, str, str]:
    """What comes before the budget of a spec, the budget, and the rest: `uct:`, `9`, `:solver`."""
    name, _, rest = spec.partition(":")
    if name == "az":
        low = ":bfloat16" if rest.endswith(":bfloat16") else ""
        path, _, amount = rest.removesuffix(low).rpartition(":")
        return f"az:{path}:", amount, low
    amount, colon, options = rest.partition(":")
    return f"{name}:", amount, colon + options


def _check_amount(spec: str, name: str, amount: str, most: int) -> None:
    if name == "az" and amount == "0":
        return
    try:
        budget = Budget.parse(amount)
    except ValueError as error:
        raise ValueError(f"{spec!r}: {error}") from None
    if (budget.seconds or 0) > MOST_SECONDS or (budget.simulations or 0) > most:
        raise ValueError(
            f"{spec!r} thinks too long; at this depth it may take up to {MOST_SECONDS:g}s, "
            f"or {most:,} " + ("choices to look ahead" if name == "alphabeta" else "simulations")
        )


def stages(spec: str) -> list[str]:
    """The agent with growing budgets, the last its own: what an analysis goes through."""
    if spec.partition(":")[0] not in MOST:
        return [spec]
    before, amount, after = _parts(spec)
    if amount == "0":
        return [spec]
    budget = Budget.parse(amount)
    shares = [2.0**-stage for stage in range(_STAGES - 1, -1, -1)]
    if budget.seconds is not None:
        times = [budget.seconds * share for share in shares[:-1]]
        amounts = [f"{seconds:.4f}s" for seconds in times if seconds > 0.001]
    elif before == "alphabeta:":
        amounts = [str(choices) for choices in range(1, budget.simulations or 1)]
    else:
        amounts = [f"{max(1, round((budget.simulations or 1) * share))}" for share in shares[:-1]]
    return [*(f"{before}{less}{after}" for less in dict.fromkeys(amounts) if less != amount), spec]
