"""Which agents may be asked for in a browser, and an agent with less to think with."""

from __future__ import annotations

from agents.budget import Budget

MOST_SECONDS = 10.0
MOST = {"flatmc": 1_000_000, "uct": 3_000_000, "alphabeta": 12, "az": 20_000}
"""Simulations, or choices to look ahead: what one search may take."""
_STAGES = 5  # of an analysis, each with about twice the budget of the one before


def check_spec(spec: str, offered: list[str], anywhere: bool) -> str:
    """`spec`, if a browser may ask for it.

    Args:
        spec: an agent's.
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
    if name == "az" and not anywhere:
        raise ValueError(
            f"{spec!r} reads a file, so the server must be started with it, by agents or networks; "
            f"there are {', '.join(offered) or 'none'}"
        )
    if name in MOST:
        _, amount, options = _parts(spec)
        _check_amount(spec, name, amount)
        if any(option[:1] == "p" for option in options.split(":")):
            raise ValueError(f"{spec!r}: a search has one core here; leave the option p out")
    elif name not in ("random", "greedy"):
        raise ValueError(
            f"no agent is called {name!r}; there are random, greedy, {', '.join(MOST)}"
        )
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


def _check_amount(spec: str, name: str, amount: str) -> None:
    if name == "az" and amount == "0":
        return
    budget = Budget.parse(amount)
    if (budget.seconds or 0) > MOST_SECONDS or (budget.simulations or 0) > MOST[name]:
        raise ValueError(
            f"{spec!r} thinks too long; here it may take up to {MOST_SECONDS:g}s, or {MOST[name]:,}"
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
        amounts = [f"{budget.seconds * share:.4f}s" for share in shares[:-1]]
    elif before == "alphabeta:":
        amounts = [str(choices) for choices in range(1, budget.simulations or 1)]
    else:
        amounts = [f"{max(1, round((budget.simulations or 1) * share))}" for share in shares[:-1]]
    return [*(f"{before}{less}{after}" for less in dict.fromkeys(amounts) if less != amount), spec]
