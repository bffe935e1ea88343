"""Pictures of a position: coloured text, and an RGB image drawn with Pillow."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from rstt_env import tree
from rstt_env.outcome import DRAW, UNDECIDED, O, X
from rstt_env.positions import Positions
from rstt_env.state import CLOSED

_ANSI = {"X": "1;34", "x": "34", "O": "1;31", "o": "31", "*": "33", ".": "90"}
_LAST, _LINE = "7", "1;32"  # SGR codes: reverse video, bold green

_CELL = {1: 240, 2: 84, 3: 28, 4: 9}  # pixels of a square, by depth
_GAP = {1: (6,), 2: (2, 10), 3: (1, 4, 10), 4: (1, 2, 5, 12)}  # pixels after a board of a weight
_SCALE = 2  # drawn larger and reduced, which smooths the edges

_GRID, _SQUARE, _LEGAL = (70, 74, 82), (255, 255, 255), (255, 240, 178)
_PLAYER = {X: (38, 98, 196), O: (206, 58, 48)}
_TINT = {X: (205, 222, 250), O: (250, 212, 208), DRAW: (186, 188, 192)}
_FOCUS, _LAST_MOVE, _WIN = (240, 168, 0), (255, 140, 0), (22, 160, 70)


def ansi(positions: Positions) -> str:
    """The drawing of a batch of one (`notation`), coloured for a terminal.

    X is blue, O red, legal squares yellow, the last move reversed, a winning line green.
    """
    header, *lines = str(positions).splitlines()
    depth = positions.depth
    square_at = np.argsort(tree.pixels(depth))
    last = int(positions.last_square[0])
    winners = _winning_boards(positions)
    parts = [header, "\n"]
    count = 0
    for line in lines:
        for symbol in line:
            code = _ANSI.get(symbol)
            if code:
                square = int(square_at[count])
                if square // 9 ** (depth - 1) in winners and symbol != ".":
                    code = _LINE
                code = f"{code};{_LAST}" if square == last else code
                count += 1
            parts.append(f"\x1b[{code}m{symbol}\x1b[0m" if code else symbol)
        parts.append("\n")
    return "".join(parts)


def rgb_array(positions: Positions) -> NDArray[np.uint8]:
    """uint8[H, W, 3]: the picture of a batch of one, about 800 pixels wide."""
    depth, state = positions.depth, positions.state
    starts = _starts(depth)
    side = starts[-1]
    image = Image.new("RGB", (side, side), _GRID)
    pen = ImageDraw.Draw(image)

    legal = positions.legal[0]
    deepest = tree.num_boards(depth - 1)
    for square in range(tree.num_squares(depth)):
        box = _box(starts, depth, tree.num_boards(depth) + square)
        pen.rectangle(box, _LEGAL if legal[square] else _SQUARE)
        masks = state.boards[0, deepest + square // 9]
        for player in (X, O):
            if masks[player] >> square % 9 & 1:
                _mark(pen, box, player)

    for board in reversed(range(1, tree.num_boards(depth))):  # outer boards cover inner ones
        _cover_if_decided(image, state.boards[0], _box(starts, depth, board), board)
    if positions.outcome[0] == UNDECIDED:
        focus = int(state.focus[0])
        pen.rectangle(_box(starts, depth, focus), outline=_FOCUS, width=3 * _SCALE)
    if state.last_square[0] >= 0:
        box = _box(starts, depth, tree.num_boards(depth) + int(state.last_square[0]))
        width = max(2 * _SCALE, (box[2] - box[0]) // 14)
        grown = (box[0] - width, box[1] - width, box[2] + width, box[3] + width)
        pen.rectangle(grown, outline=_LAST_MOVE, width=width)
    winners = _winning_boards(positions)
    if winners:
        centres = [_centre(_box(starts, depth, 1 + digit)) for digit in winners]
        pen.line([centres[0], centres[-1]], _WIN, side // 60)
    small = image.resize((side // _SCALE, side // _SCALE), Image.Resampling.LANCZOS)
    return np.asarray(small).copy()


def pixel_box(depth: int, node: int) -> tuple[int, int, int, int]:
    """Where `rgb_array` draws a board or square: left, top, right, bottom."""
    left, top, right, bottom = (edge // _SCALE for edge in _box(_starts(depth), depth, node))
    return left, top, right, bottom


def _winning_boards(positions: Positions) -> list[int]:
    """The three children of the root that won the game, if it was won."""
    outcome = int(positions.outcome[0])
    if outcome not in (X, O):
        return []
    marks = int(positions.state.boards[0, 0, outcome])
    line = next(line for line in tree.LINES if marks & line == line)
    return [digit for digit in range(9) if line >> digit & 1]


def _starts(depth: int) -> list[int]:
    """The first pixel of each row (and column) of squares, and the picture's side."""
    starts, at = [], _GAP[depth][-1]
    for line in range(1, 3**depth + 1):
        starts.append(at * _SCALE)
        weight = next(w for w in range(depth, -1, -1) if line % 3**w == 0)
        at += _CELL[depth] + _GAP[depth][min(weight, depth - 1)]
    return [*starts, at * _SCALE]


def _box(starts: list[int], depth: int, node: int) -> tuple[int, int, int, int]:
    """The pixels (left, top, right, bottom) of a board or square."""
    digits = tree.digits_of(node)
    span = 3 ** (depth - len(digits))
    row = span * sum(digit // 3 * 3**i for i, digit in enumerate(reversed(digits)))
    column = span * sum(digit % 3 * 3**i for i, digit in enumerate(reversed(digits)))
    end = _CELL[depth] * _SCALE - 1
    return (
        starts[column],
        starts[row],
        starts[column + span - 1] + end,
        starts[row + span - 1] + end,
    )


def _centre(box: tuple[int, int, int, int]) -> tuple[int, int]:
    return (box[0] + box[2]) // 2, (box[1] + box[3]) // 2


def _mark(pen: ImageDraw.ImageDraw, box: tuple[int, int, int, int], player: int) -> None:
    size = box[2] - box[0]
    inset, width = size * 0.2, max(_SCALE, round(size * 0.12))
    left, top, right, bottom = (
        box[0] + inset,
        box[1] + inset,
        box[2] - inset,
        box[3] - inset,
    )
    if player == X:
        pen.line((left, top, right, bottom), _PLAYER[X], width)
        pen.line((left, bottom, right, top), _PLAYER[X], width)
    else:
        pen.ellipse((left, top, right, bottom), outline=_PLAYER[O], width=width)


def _cover_if_decided(
    image: Image.Image,
    boards: NDArray[np.uint16],
    box: tuple[int, int, int, int],
    board: int,
) -> None:
    """Lay a tint and a large mark over a board that is decided; its squares shine through."""
    masks, digit = boards[(board - 1) // 9], (board - 1) % 9
    if not masks[CLOSED] >> digit & 1:
        return
    owner = next((player for player in (X, O) if masks[player] >> digit & 1), DRAW)
    corner = (box[2] + 1, box[3] + 1)
    region = image.crop((box[0], box[1], *corner))
    tint = Image.new("RGB", region.size, _TINT[owner])
    image.paste(Image.blend(region, tint, 0.78), box[:2])
    if owner != DRAW:
        _mark(ImageDraw.Draw(image), box, owner)
