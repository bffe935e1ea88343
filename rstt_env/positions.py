"""Positions: N games at once behind an interface that checks what it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rstt_env import kernels, notation, tree
from rstt_env.observation import num_planes, observe
from rstt_env.outcome import UNDECIDED, O, X
from rstt_env.playouts import playouts
from rstt_env.state import OPEN, State, new_state, select

_REASONS = {
    kernels.GAME_OVER: "game over",
    kernels.OUT_OF_RANGE: "no such action",
    kernels.REPEATED: "the same game twice in one call",
    kernels.OCCUPIED: "occupied",
    kernels.BOARD_DECIDED: "board decided",
    kernels.OUTSIDE_FOCUS: "outside the focus",
}


class IllegalMoveError(ValueError):
    """A move or choice that the rules forbid. Nothing was played in any game.

    Attributes:
        game: index of the game in the batch.
        action: the square, or the digit of a choice.
        reason: `occupied`, `outside the focus`, `board decided`, `game over`, …
    """

    def __init__(self, game: int, action: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.game, self.action, self.reason = game, action, reason

    def __reduce__(self) -> tuple[Any, ...]:
        return IllegalMoveError, (self.game, self.action, self.reason, str(self))


class Playouts(NamedTuple):
    """The results of random playouts from N positions."""

    tally: NDArray[np.int64]
    """int64[N, 3]: playouts won by X, won by O, drawn."""
    plies: NDArray[np.int64]
    """int64[N]: squares marked, over all playouts of a position."""


class Positions:
    """`num_games` games of one depth, played together; a single game is a batch of one.

    All arrays that it returns are copies. Players are 0 (X, moves first) and 1 (O). A square
    is the base-9 number of its address, outermost digit first; boards are heap-numbered.

    A move is made at once by `play(squares)`, or in steps by `choose(digits)`: each step
    picks a child of the focus, and the one that picks a square ends the move.
    """

    def __init__(self, depth: int, num_games: int = 1) -> None:
        self.state: State = new_state(tree.check_depth(depth), _count(num_games, "num_games"))

    @classmethod
    def from_state(cls, state: State) -> Positions:
        """Wrap the arrays of `state`, without a copy."""
        positions = cls.__new__(cls)
        positions.state = state
        return positions

    @classmethod
    def from_drawing(cls, text: str) -> Positions:
        """The position, a batch of one, that `str(position)` draws (see `notation`)."""
        return cls.from_state(notation.parse_drawing(text))

    # --- what a position is asked for ---

    @property
    def depth(self) -> int:
        return len(self.state.levels)

    def __len__(self) -> int:
        return len(self.state.focus)

    @property
    def focus(self) -> NDArray[np.int32]:
        """int32[N]: heap number of the board that the mover is confined to, 0 for the root."""
        return self.state.focus.copy()

    @property
    def to_play(self) -> NDArray[np.int8]:
        """int8[N]: the player to move; in a finished game, who did not make the last move."""
        return self.state.to_play.copy()

    @property
    def outcome(self) -> NDArray[np.int8]:
        """int8[N]: 0 X has won, 1 O has won, 2 drawn, -1 undecided."""
        return self.state.outcome.copy()

    @property
    def last_square(self) -> NDArray[np.int32]:
        """int32[N]: the square marked last, -1 before the first move."""
        return self.state.last_square.copy()

    @property
    def ply(self) -> NDArray[np.int64]:
        """int64[N]: how many squares have been marked."""
        deepest = self.state.boards[:, tree.num_boards(self.depth - 1) :, :2]
        ply: NDArray[np.int64] = np.bitwise_count(deepest).sum(axis=(1, 2), dtype=np.int64)
        return ply

    @property
    def legal(self) -> NDArray[np.bool_]:
        """bool[N, 9^d]: the legal squares, none in a finished game."""
        legal = np.empty((len(self), tree.num_squares(self.depth)), np.bool_)
        kernels.legal_squares(self.state, legal)
        return legal

    @property
    def num_legal(self) -> NDArray[np.int64]:
        """int64[N]: how many squares are legal."""
        counts: NDArray[np.uint16] = self.state.boards[np.arange(len(self)), self.state.focus, OPEN]
        return counts.astype(np.int64)

    @property
    def legal_children(self) -> NDArray[np.bool_]:
        """bool[N, 9]: the open children of the focus, none in a finished game."""
        legal = np.empty((len(self), 9), np.bool_)
        kernels.legal_children(self.state, legal)
        return legal

    @property
    def owners(self) -> NDArray[np.int8]:
        """int8[N, num_boards]: 0 or 1 for a player, 2 drawn, -1 undecided, by heap number."""
        owners = np.empty((len(self), tree.num_boards(self.depth)), np.int8)
        kernels.owners(self.state, owners)
        return owners

    def owner(self, address: str) -> NDArray[np.int8]:
        """int8[N]: the owner of the board at an address such as `5`, `5.1` or `root`."""
        board = notation.parse_address(address)
        if board >= tree.num_boards(self.depth):
            raise ValueError(
                f"{address!r} names no board; at depth {self.depth} it has at most "
                f"{self.depth - 1} digits"
            )
        return self.owners[:, board]

    @property
    def keys(self) -> NDArray[np.uint64]:
        """uint64[N]: a hash of all that decides the future: marks, focus and mover."""
        keys = np.empty(len(self), np.uint64)
        kernels.position_keys(self.state, keys)
        return keys

    def observation(self, viewer: int | None = None) -> NDArray[np.int8]:
        """int8[N, C, 3^d, 3^d]: planes (see `observation`) from the side of player `viewer`.

        By default each game is seen from its mover's side.
        """
        if viewer not in (None, X, O):
            raise ValueError(f"viewer is {viewer!r}; it must be 0 (X), 1 (O) or None (the mover)")
        depth, side = self.depth, 3**self.depth
        viewers = self.to_play if viewer is None else np.full(len(self), viewer, np.int8)
        planes = np.empty((len(self), num_planes(depth), side * side), np.int8)
        observe(self.state, viewers, tree.pixels(depth), planes)
        return planes.reshape(len(self), num_planes(depth), side, side)

    # --- what changes it ---

    def play(self, squares: ArrayLike, games: ArrayLike | None = None) -> None:
        """Play one square in each game, or in the chosen ones.

        Args:
            squares: int[N], or int[len(games)].
            games: indices of the games to play in, each at most once; all of them by default.

        Raises:
            IllegalMoveError: names the game, the square and what was legal; nothing is played.
        """
        squares, games = self._actions(squares, games)
        at, code = kernels.refused_square(self.state, games, squares)
        if code != kernels.LEGAL:
            raise self._illegal(int(games[at]), int(squares[at]), code, by_digit=False)
        kernels.play(self.state, games, squares)

    def choose(self, digits: ArrayLike, games: ArrayLike | None = None) -> None:
        """Pick a child of the focus in each game, or in the chosen ones.

        At a deepest board this marks a square and the turn passes; above, the focus moves
        down and the same player goes on. Arguments and errors are those of `play`.
        """
        digits, games = self._actions(digits, games)
        at, code = kernels.refused_digit(self.state, games, digits)
        if code != kernels.LEGAL:
            raise self._illegal(int(games[at]), int(digits[at]), code, by_digit=True)
        kernels.choose(self.state, games, digits)

    def reset(self, games: ArrayLike | None = None) -> None:
        """Start all games, or the chosen ones, anew."""
        fresh = new_state(self.depth, 1)
        chosen = slice(None) if games is None else self._games(games)
        for name in State._fields[1:]:
            getattr(self.state, name)[chosen] = getattr(fresh, name)

    # --- random play, and what makes new positions ---

    def random_squares(self, seeds: ArrayLike) -> NDArray[np.int64]:
        """int64[N]: a uniformly random legal square for each game, -1 where the game is over.

        The choice depends on the seed (int, or int[N]: one for each game) and the position,
        not on the place in the batch: with a single seed, equal positions get equal squares.
        """
        squares = np.empty(len(self), np.int64)
        kernels.random_squares(self.state, self._streams(seeds), squares)
        return squares

    def playouts(self, seeds: ArrayLike, repeats: int = 1) -> Playouts:
        """Play each position to the end at random, `repeats` times; the positions stay.

        The results depend on the seed (int, or int[N]: one for each game) and the position,
        not on the place in the batch.
        """
        repeats = _count(repeats, "repeats")
        tally = np.zeros((len(self), 3), np.int64)
        plies = np.zeros(len(self), np.int64)
        over = np.flatnonzero(self.state.outcome != UNDECIDED)
        tally[over, self.state.outcome[over]] = repeats
        going_on = np.flatnonzero(self.state.outcome == UNDECIDED)
        playouts(self.state, going_on, repeats, self._streams(seeds), tally, plies)
        return Playouts(tally, plies)

    def copy(self) -> Positions:
        """A batch of its own."""
        return self[:]

    def __getitem__(self, games: Any) -> Positions:
        """A copy of the chosen games: an index, a slice, or an array of indices or booleans."""
        if isinstance(games, (int, np.integer)):
            games = [int(games)]
        selected = select(self.state, games)
        if selected.focus.ndim != 1:
            raise IndexError(f"games are indexed along one axis, not by {games!r}")
        return Positions.from_state(selected)

    def __iter__(self) -> Iterator[Positions]:
        return (self[game] for game in range(len(self)))

    def __str__(self) -> str:
        return "\n\n".join(notation.draw(self.state, game) for game in range(len(self)))

    def __repr__(self) -> str:
        return f"<Positions: {len(self)} at depth {self.depth}>"

    # --- checks ---

    def _streams(self, seeds: ArrayLike) -> NDArray[np.uint64]:
        streams = whole_numbers(seeds, "seeds").astype(np.uint64)
        if len(streams) not in (1, len(self)):
            raise ValueError(
                f"{len(streams)} seeds for {len(self)} games; give one, or one for each"
            )
        return np.broadcast_to(streams, len(self)).copy()

    def _games(self, games: ArrayLike) -> NDArray[np.int64]:
        indices = whole_numbers(games, "games")
        if indices.size and not 0 <= indices.min() <= indices.max() < len(self):
            raise ValueError(f"games are {indices.tolist()}; there are games 0 to {len(self) - 1}")
        return indices

    def _actions(
        self, actions: ArrayLike, games: ArrayLike | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        actions = whole_numbers(actions, "actions")
        games = np.arange(len(self)) if games is None else self._games(games)
        if actions.shape != games.shape:
            raise ValueError(f"{len(actions)} actions for {len(games)} games; give one for each")
        return actions, games

    def _illegal(self, game: int, action: int, code: int, by_digit: bool) -> IllegalMoveError:
        reason = _REASONS[code].replace("action", "digit" if by_digit else "square")
        if by_digit:
            legal = np.flatnonzero(self[game].legal_children[0])
            kind, name, what = "digit", "", "digits"
        else:
            legal = np.flatnonzero(self[game].legal[0])
            on_board = 0 <= action < tree.num_squares(self.depth)
            name = f" ({notation.square_address(self.depth, action)})" if on_board else ""
            kind, what = "square", "squares"
        shown = ", ".join(map(str, legal[:9])) + (", …" if len(legal) > 9 else "")
        options = (
            f"legal are the {len(legal)} open {what} of board "
            f"{notation.address(int(self.state.focus[game]))}: {shown}"
            if len(legal)
            else "nothing is legal; reset the game"
        )
        return IllegalMoveError(
            game,
            action,
            reason,
            f"game {game}: {kind} {action}{name} is illegal: {reason}; {options}",
        )


def positions_from_moves(depth: int, moves: Sequence[ArrayLike]) -> Positions:
    """One position for each list of squares, played from the start.

    Args:
        depth: 1 to 4.
        moves: for each game its squares in the order played; the lists may differ in length.

    Raises:
        IllegalMoveError: names the game, the ply (counted from 0) and the square.
    """
    moves = list(moves)
    for game, squares in enumerate(moves):
        if np.ndim(squares) != 1:
            raise ValueError(
                f"moves of game {game} are {squares!r}; give a list of squares for each"
            )
    lists = [whole_numbers(squares, f"moves of game {game}") for game, squares in enumerate(moves)]
    positions = Positions(depth, len(lists))
    for ply in range(max(map(len, lists), default=0)):
        games = [game for game, squares in enumerate(lists) if ply < len(squares)]
        try:
            positions.play([lists[game][ply] for game in games], games)
        except IllegalMoveError as error:
            message = f"ply {ply} of {error}"
            raise IllegalMoveError(error.game, error.action, error.reason, message) from None
    return positions


def _count(value: int, name: str) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} is {value!r}; it must be a whole number, 0 or more")
    return int(value)


def whole_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """`values` as int64[n]; `ValueError` names them if they are something else."""
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError:
        raise ValueError(f"{name} are {values!r}; give whole numbers in one list") from None
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array > 2**63 - 1).any():
        raise ValueError(
            f"{name} are an array of {array.dtype} with shape {array.shape}; "
            "give whole numbers in one list"
        )
    return array.astype(np.int64)
