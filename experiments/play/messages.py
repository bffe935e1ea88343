"""What a browser may send: one JSON object a message, of one of these forms."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

SIZE = 65_536
"""Bytes of a message, at most: a whole game of depth 4 takes half of it."""
Timer = Literal[15, 30, 60, 120, 300]
"""Seconds for a move."""
_NAME = 20


def clean_name(name: str) -> str:
    """A name without control characters and directions of writing, and not empty."""
    kept = "".join(c for c in name if unicodedata.category(c)[0] != "C")
    kept = " ".join(kept.split())[:_NAME]
    if not kept:
        raise ValueError(f"a name has 1 to {_NAME} characters that can be seen")
    return kept


Name = Annotated[str, AfterValidator(clean_name)]
Code = Annotated[str, Field(min_length=6, max_length=6)]
Ply = Annotated[int, Field(ge=0, le=6561)]
Square = Annotated[int, Field(ge=0, lt=6561)]
Moves = Annotated[list[Square], Field(max_length=6561)]
Depth = Annotated[int, Field(ge=1, le=4)]
Spec = Annotated[str, Field(min_length=1, max_length=300)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Hello(_Message):
    """The first message: who is there."""

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=64)] | None = None
    name: Annotated[str, Field(max_length=200)] | None = None  # a guest's name if it is none


class Rename(_Message):
    """Another name for the player."""

    type: Literal["rename"]
    name: Name


class Create(_Message):
    """A new match."""

    type: Literal["create"]
    depth: Depth
    mode: Literal["agent", "shared", "room"]
    side: Literal["X", "O", "random"] = "random"
    opponent: Spec | None = None
    timer: Timer | None = None
    moves: Moves = []


class Open(_Message):
    """See a match, and take a seat if one is free or one's own."""

    type: Literal["open"]
    code: Code
    watch: bool = False


class _About(_Message):
    code: Code


class Leave(_About):
    """No more of this match."""

    type: Literal["leave"]


class Move(_About):
    """Mark a square, as move number `ply` (0 is the first)."""

    type: Literal["move"]
    ply: Ply
    square: Square


class Undo(_About):
    """Take back one's last move, made before ply `ply`."""

    type: Literal["undo"]
    ply: Ply


class Hint(_About):
    """What would Hard play?"""

    type: Literal["hint"]
    ply: Ply


class Resign(_About):
    """Give up."""

    type: Literal["resign"]


class Rematch(_About):
    """Once more with seats swapped; in a room, once both ask for it."""

    type: Literal["rematch"]


class _Examine(_Message):
    id: int
    depth: Depth
    moves: Moves
    spec: Spec
    code: Code | None = None


class Analyse(_Examine):
    """What does an agent think of a position?"""

    type: Literal["analyse"]


class Graph(_Examine):
    """What does it think of all positions of a game?"""

    type: Literal["graph"]


class Stop(_Message):
    """No more analyses."""

    type: Literal["stop"]


class Scores(_Message):
    """The player's results and the ranking."""

    type: Literal["scores"]


Message = (
    Hello | Rename | Create | Open | Leave | Move | Undo | Hint | Resign | Rematch
    | Analyse | Graph | Stop | Scores
)  # fmt: skip
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def parse(text: str) -> Message:
    """The message in a text; `ValueError` says what is wrong with it, in a line."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        own = first["msg"].removeprefix("Value error, ")  # a check of ours says what is meant
        text = f"{where}: {own}" if where and own == first["msg"] else own
        raise ValueError(text) from None
