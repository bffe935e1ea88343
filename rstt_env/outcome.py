"""Outcomes, and the one place where a value changes sides."""

from rstt_env.jit import kernel

X, O, DRAW, UNDECIDED = 0, 1, 2, -1  # noqa: E741  (O is what the player is called)
"""Owners of a board, and outcomes of a game (the root's owner). Players are X = 0 and O = 1."""

NAMES = {X: "X", O: "O", DRAW: "draw", UNDECIDED: "undecided"}


@kernel
def view(value, player, viewer):
    """The value in [-1, 1] that `viewer` gives to what is worth `value` to `player`."""
    return value if player == viewer else -value


@kernel
def outcome_value(outcome, viewer):
    """1.0, 0.0 or -1.0: what `outcome` is worth to `viewer`; 0.0 while undecided."""
    if outcome in (X, O):
        return view(1.0, outcome, viewer)
    return 0.0
