"""Pictures of what a network thinks: its policy and the search's visits, drawn over the board."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from agents.alphazero.evaluators import make_evaluator
from agents.search.search import Result, search
from experiments.schema import TrainConfig
from experiments.training import Training
from rstt_env import tree
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions
from rstt_env.render import pixel_box, rgb_array

_SHARES = (0.0, 0.1, 0.3, 0.5)  # of the squares that are marked in the positions shown
_TINT = (60, 170, 90)
_SIDE, _CAPTION = 480, 30  # pixels


def pictures(config: TrainConfig, training: Training) -> Iterator[NDArray[np.uint8]]:
    """uint8[H, W, 3]: the same positions of random games each time, with today's thoughts."""
    positions = _positions(config.game.depth)
    evaluator = make_evaluator(training.learner.average, training.device)
    result = search(
        positions, evaluator, training.card.rules(config.game.depth), config.evaluation.simulations,
        np.zeros(len(positions), np.uint64), explore=False, threads=config.runtime.threads,
    )  # fmt: skip
    for row in range(len(positions)):
        yield draw(positions[row], result, row)


def draw(position: Positions, result: Result, row: int) -> NDArray[np.uint8]:
    """A position, and over each child of the focus: bare policy in percent, visits below."""
    image = Image.fromarray(rgb_array(position)).convert("RGBA")
    layer = Image.new("RGBA", image.size)
    pen = ImageDraw.Draw(layer)
    for digit in range(9):
        share, visits = float(result.prior[row, digit]), int(result.visits[row, digit])
        if share > 0:
            box = pixel_box(position.depth, 9 * int(position.focus[0]) + 1 + digit)
            pen.rectangle(box, (*_TINT, int(200 * share) + 20))
            size = max(14, (box[3] - box[1]) // 4)
            centre = ((box[0] + box[2]) // 2, (box[1] + box[3]) // 2)
            pen.multiline_text(
                centre, f"{share:.0%}\n{visits}", (0, 0, 0), anchor="mm", align="center",
                font_size=size,
            )  # fmt: skip
    board = Image.alpha_composite(image, layer).convert("RGB").resize((_SIDE, _SIDE))
    image = Image.new("RGB", (_SIDE, _SIDE + _CAPTION), (255, 255, 255))
    image.paste(board, (0, _CAPTION))
    mover = "XO"[int(position.to_play[0])]
    text = f"{mover} to move, value {float(result.value[row]):+.2f}; policy and visits"
    ImageDraw.Draw(image).text((4, _CAPTION // 2), text, (0, 0, 0), anchor="lm", font_size=18)
    return np.asarray(image).copy()


def _positions(depth: int) -> Positions:
    shown = Positions(depth, len(_SHARES))
    for row, share in enumerate(_SHARES):
        for ply in range(int(share * tree.num_squares(depth))):
            before = shown[row]
            shown.play(shown[row].random_squares(1000 * row + ply), [row])
            if shown.outcome[row] != UNDECIDED:  # over too soon: the position before is shown
                for name, array in before.state._asdict().items():
                    if name != "levels":
                        getattr(shown.state, name)[row] = array[0]
                break
    return shown
