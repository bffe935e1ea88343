"""How much an agent may compute for a move."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """What a move may take: a number of simulations, or core-seconds; one of the two is None."""

    simulations: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str, what: str = "simulations, such as 1000,") -> "Budget":
        """Read `1000` or `0.7s` (core-seconds); `ValueError` if it is neither.

        `what` is what a number counts, for the error.
        """
        if re.fullmatch(r"[1-9]\d{,11}", text):
            return cls(simulations=int(text))
        if re.fullmatch(r"\d+(\.\d+)?s", text) and float(text[:-1]) > 0:
            return cls(seconds=float(text[:-1]))
        raise ValueError(
            f"{text!r} is no budget; write a number of {what} or core-seconds, such as 0.7s"
        )

    def share(self, parts: int) -> "Budget":
        """An equal part of it."""
        if self.seconds is not None:
            return Budget(seconds=self.seconds / parts)
        return Budget(simulations=(self.simulations or 0) // parts)
