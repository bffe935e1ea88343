"""The eight symmetries of the square, applied to whole records: position and targets alike."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.alphazero.encoding import NUM_CODES
from rstt_env import tree


@functools.cache
def _permuted_contents() -> NDArray[np.uint16]:
    """uint16[8, 19683]: the contents of a deepest board after each symmetry."""
    digits = np.arange(NUM_CODES)[:, None] // 3 ** np.arange(9) % 3  # [codes, 9]
    moved = 3**tree.SYMMETRIES  # [8, 9]: the weight of a digit where it goes
    contents: NDArray[np.uint16] = (digits @ moved.T).T.astype(np.uint16)
    return contents


def transform(records: NDArray[Any], symmetries: NDArray[np.int64], depth: int) -> NDArray[Any]:
    """Records after one symmetry each, int64[n] in 0 … 7."""
    turned = records.copy()
    rows, own = np.arange(len(records))[:, None], symmetries[:, None]
    boards = tree.permuted_boards(depth)  # [8, num_boards]
    deepest = tree.permuted_nodes(depth - 1)  # [8, 9^(d-1)]
    digits = tree.SYMMETRIES
    turned["contents"][rows, deepest[symmetries]] = _permuted_contents()[own, records["contents"]]
    for name in ("status", "owners"):
        turned[name][rows, boards[symmetries]] = records[name]
    for name in ("cells", "legal", "policy"):
        turned[name][rows, digits[symmetries]] = records[name]
    turned["path"] = boards[own, records["path"]]  # the root, which ends a path, stays
    turned["focus"] = boards[symmetries, records["focus"]]
    reach = records["reach"]
    turned["reach"] = np.where(reach < 0, reach, boards[symmetries, np.maximum(reach, 0)])
    return turned
