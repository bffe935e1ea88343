"""How people write squares and positions.

An address lists the digits 1–9 from the outermost board inward: `5.1.9`. Fewer digits
name a board, and the root is `root`. A drawing is a header and the squares:

    O to move in 5 after 1.5

      X . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | * * * | . . .
      …

`X` and `O` are marks, `*` a square that is legal, `.` any other empty one; in a won board
the empty squares show the winner as `x` or `o`.
"""

import re

import numpy as np
from numpy.typing import NDArray

from rstt_env import kernels, tree
from rstt_env.outcome import DRAW, NAMES, UNDECIDED, O, X
from rstt_env.state import CLOSED, OPEN, State, new_state, select

ROOT = "root"


def address(node: int) -> str:
    """The address of a board or a square from its node number: `5.1.9`."""
    return ".".join(str(digit + 1) for digit in tree.digits_of(node)) or ROOT


def parse_address(text: str) -> int:
    """The node number of an address; `ValueError` if it isn't one."""
    if text == ROOT:
        return 0
    if not isinstance(text, str) or not re.fullmatch(r"[1-9](\.[1-9])*", text):
        raise ValueError(
            f"{text!r} is no address; write the digits 1-9 from the outermost board inward, "
            f"such as '5.1', or {ROOT!r}"
        )
    return tree.node_of([int(digit) - 1 for digit in text.split(".")])


def square_address(depth: int, square: int) -> str:
    """The address of a square: `square_address(2, 36)` is `5.1`."""
    return address(tree.num_boards(depth) + square)


def parse_square(depth: int, text: str) -> int:
    """The index of the square with an address; `ValueError` if it doesn't name one."""
    square = parse_address(text) - tree.num_boards(depth)
    if not 0 <= square < tree.num_squares(depth):
        raise ValueError(f"{text!r} does not name a square; at depth {depth} it has {depth} digits")
    return square


def draw(state: State, game: int) -> str:
    """Draw one game of a batch."""
    depth = len(state.levels)
    side = 3**depth
    picture = np.empty(side * side, "<U1")
    picture[tree.pixels(depth)] = _symbols(state, game)
    lines: list[str] = []
    for row, symbols in enumerate(picture.reshape(side, side)):
        if row and row % 3 == 0:
            lines.append(_rule(side, _weight(row)))
        parts = [symbols[0]]
        for column in range(1, side):
            weight = _weight(column)
            parts.append(f" {'|' * weight} " if weight else " ")
            parts.append(symbols[column])
        lines.append("".join(parts))
    return "\n".join([_header(state, game), "", *(f"  {line}" for line in lines)])


def parse_drawing(text: str) -> State:
    """The position that `draw` shows, as a batch of one.

    Empty squares may all be written as `.`; what else is written has to be true. Raises
    `ValueError` where header and squares contradict each other or the rules.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    header = lines[0] if lines else ""
    rows = [re.sub(r"[\s|]", "", line) for line in lines[1:]]
    rows = [row for row in rows if row and not set(row) <= set("-=#+")]
    depth = {3**d: d for d in range(1, tree.MAX_DEPTH + 1)}.get(len(rows))
    if depth is None or any(len(row) != len(rows) for row in rows):
        raise ValueError(
            f"the drawing has rows of {[len(row) for row in rows]} squares; "
            "it must be a square of side 3, 9, 27 or 81 under a header line"
        )
    unknown = sorted(set("".join(rows)) - set("XO.*xo"))
    if unknown:
        raise ValueError(f"the drawing holds {unknown[0]!r}; squares are written X O . * x o")
    symbols = np.array(list("".join(rows)))[tree.pixels(depth)]
    state = _state_of(depth, symbols)
    _read_header(state, header)
    _check_symbols(state, symbols)
    return state


def _weight(line: int) -> int:
    """How many levels of boards end before this row or column (0: none)."""
    weight = 0
    while line and line % 3 == 0:
        line //= 3
        weight += 1
    return weight


def _rule(side: int, weight: int) -> str:
    line = "-=#"[weight - 1]
    parts = [line]
    for column in range(1, side):
        bars = _weight(column)
        parts.append(f"{line}{'+' * bars}{line}" if bars else line)
        parts.append(line)
    return "".join(parts)


def _symbols(state: State, game: int) -> NDArray[np.str_]:
    """The symbol of every square, in the order of squares."""
    depth = len(state.levels)
    legal = np.empty((1, tree.num_squares(depth)), np.bool_)
    one = select(state, [game])
    kernels.legal_squares(one, legal)
    symbols = np.where(legal[0], "*", ".")
    owner = np.empty((1, tree.num_boards(depth)), np.int8)
    kernels.owners(one, owner)
    for board in reversed(range(tree.num_boards(depth))):  # outer boards overwrite inner ones
        if owner[0, board] in (X, O):
            size = 9 ** (depth - tree.level_of(board))
            start = (board - tree.num_boards(tree.level_of(board))) * size
            symbols[start : start + size] = "xo"[owner[0, board]]
    deepest = one.boards[0, tree.num_boards(depth - 1) :]
    for player in (X, O):
        marked = (deepest[:, player, None] >> np.arange(9)) & 1
        symbols[marked.ravel() == 1] = "XO"[player]
    return symbols


def _header(state: State, game: int) -> str:
    outcome, last = int(state.outcome[game]), int(state.last_square[game])
    after = f" after {square_address(len(state.levels), last)}" if last >= 0 else ""
    if outcome == DRAW:
        return f"draw{after}"
    if outcome != UNDECIDED:
        return f"{NAMES[outcome]} wins{after}"
    where = f"in {address(int(state.focus[game]))}" if state.focus[game] else "anywhere"
    return f"{NAMES[int(state.to_play[game])]} to move {where}{after}"


def _state_of(depth: int, symbols: NDArray[np.str_]) -> State:
    """The masks and counts that follow from the marks; the rest as in a new game."""
    state = new_state(depth, 1)
    boards = state.boards[0]
    for player in (X, O):
        marks = (symbols == "XO"[player]).reshape(-1, 9) @ (1 << np.arange(9))
        boards[tree.num_boards(depth - 1) :, player] = marks
    boards[:, CLOSED] = boards[:, X] | boards[:, O]
    for board in reversed(range(tree.num_boards(depth))):
        masks = boards[board]
        children = slice(9 * board + 1, 9 * board + 10)
        masks[OPEN] = (
            9 - int(masks[CLOSED]).bit_count()
            if board >= tree.num_boards(depth - 1)
            else boards[children, OPEN].sum()
        )
        lines = [player for player in (X, O) if tree.HAS_LINE[masks[player]]]
        if len(lines) == 2:
            raise ValueError(f"both players have three in a row in board {address(board)}")
        if not lines and masks[CLOSED] != tree.FULL:
            continue
        masks[OPEN] = 0
        if board == 0:
            state.outcome[0] = lines[0] if lines else DRAW
            continue
        parent, bit = boards[(board - 1) // 9], 1 << (board - 1) % 9
        parent[CLOSED] |= bit
        if lines:
            parent[lines[0]] |= bit
    return state


def _read_header(state: State, header: str) -> None:
    """Set mover, focus and last square from the first line of a drawing."""
    depth = len(state.levels)
    match = re.fullmatch(
        r"(?:(?P<mover>[XO]) to move (?:anywhere|in (?P<focus>[\d.]+))|draw|[XO] wins)"
        r"(?: after (?P<last>[\d.]+))?",
        header,
    )
    if not match:
        raise ValueError(
            f"the drawing begins with {header!r}; it must begin with a line such as "
            "'X to move anywhere', 'O to move in 5.1 after 1.5.1', 'X wins' or 'draw'"
        )
    deepest = state.boards[0, tree.num_boards(depth - 1) :]
    counts = [sum(int(m).bit_count() for m in deepest[:, player]) for player in (X, O)]
    if counts[X] - counts[O] not in (0, 1):
        raise ValueError(f"there are {counts[X]} X and {counts[O]} O; X moves first, in turn")
    state.to_play[0] = X if counts[X] == counts[O] else O
    if match["last"]:
        state.last_square[0] = parse_square(depth, match["last"])
    if match["focus"]:
        focus = parse_address(match["focus"])
        if focus >= tree.num_boards(depth) or not kernels.is_reachable(state.boards, 0, focus, 0):
            raise ValueError(f"the drawing says {header!r}, but there is no open board there")
        state.focus[0] = focus
    last_player, outcome = 1 - int(state.to_play[0]), int(state.outcome[0])
    if outcome in (X, O) and outcome != last_player:
        raise ValueError(f"{NAMES[outcome]} has won, but {NAMES[last_player]} moved last")
    if state.last_square[0] >= 0:
        _check_last_square(state, last_player)
    if _header(state, 0) != header:
        raise ValueError(f"the drawing says {header!r}, but its squares say {_header(state, 0)!r}")


def _check_last_square(state: State, last_player: int) -> None:
    """The last square holds a mark of who moved last, and the focus is where it sends."""
    board, digit = divmod(int(state.last_square[0]), 9)
    board += tree.num_boards(len(state.levels) - 1)
    name = square_address(len(state.levels), int(state.last_square[0]))
    if not state.boards[0, board, last_player] >> digit & 1:
        raise ValueError(
            f"the last move is said to be {name}, which {NAMES[last_player]} has not marked"
        )
    if state.outcome[0] == UNDECIDED:
        sent = int(kernels.destination(state.levels, state.boards, 0, board, digit))
        if not kernels.is_reachable(state.boards, 0, int(state.focus[0]), sent):
            raise ValueError(
                f"{name} sends to {address(sent)}, not to {address(int(state.focus[0]))}"
            )


def _check_symbols(state: State, symbols: NDArray[np.str_]) -> None:
    true = _symbols(state, 0)
    wrong = np.flatnonzero((symbols != true) & (symbols != "."))
    if len(wrong):
        square = int(wrong[0])
        raise ValueError(
            f"square {square_address(len(state.levels), square)} is drawn as "
            f"{str(symbols[square])!r}, but it is {str(true[square])!r} ('.' would do as well)"
        )
