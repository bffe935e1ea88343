"""The eight symmetries of the square, applied to every level of a game at once."""

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rstt_env import tree
from rstt_env.positions import Positions, whole_numbers
from rstt_env.state import CLOSED, OPEN, select


@overload
def transform(positions: Positions, symmetry: ArrayLike) -> tuple[Positions, None]: ...
@overload
def transform(
    positions: Positions, symmetry: ArrayLike, policy: NDArray[Any]
) -> tuple[Positions, NDArray[Any]]: ...
def transform(
    positions: Positions, symmetry: ArrayLike, policy: NDArray[Any] | None = None
) -> tuple[Positions, NDArray[Any] | None]:
    """Apply a symmetry of the square, at all levels at once, to positions and their policy.

    Args:
        positions: N positions, left as they are.
        symmetry: int or int[N] in 0 … 7; 0 changes nothing (`tree.SYMMETRIES`).
        policy: any[N, 9^d] over squares or any[N, 9] over the children of the focus.

    Returns:
        The turned positions (focus and last square included), and the turned policy.
    """
    state, depth = positions.state, positions.depth
    symmetries = whole_numbers(symmetry, "symmetries")
    if len(symmetries) not in (1, len(positions)):
        raise ValueError(f"{len(symmetries)} symmetries for {len(positions)} positions")
    symmetries = np.broadcast_to(symmetries, len(positions))
    if symmetries.size and not 0 <= symmetries.min() <= symmetries.max() < 8:
        raise ValueError(f"symmetry is {symmetry!r}; there are 0 to 7")
    rows = np.arange(len(positions))
    boards_to = tree.permuted_boards(depth)[symmetries]
    squares_to = tree.permuted_nodes(depth)[symmetries]
    turned = select(state, slice(None))
    masks = tree.PERMUTED_MASK[symmetries[:, None, None], state.boards[..., : CLOSED + 1]]
    turned.boards[rows[:, None], boards_to, : CLOSED + 1] = masks
    turned.boards[rows[:, None], boards_to, OPEN] = state.boards[..., OPEN]
    turned.focus[:] = boards_to[rows, state.focus]
    turned.last_square[:] = np.where(state.last_square < 0, -1, squares_to[rows, state.last_square])
    if policy is None:
        return Positions.from_state(turned), None
    policy = np.asarray(policy)
    if policy.shape not in ((len(rows), 9), (len(rows), tree.num_squares(depth))):
        raise ValueError(
            f"policy has shape {policy.shape}; it must be ({len(rows)}, 9) "
            f"or ({len(rows)}, {tree.num_squares(depth)})"
        )
    places = tree.SYMMETRIES[symmetries] if policy.shape[1] == 9 else squares_to
    turned_policy = np.empty_like(policy)
    turned_policy[rows[:, None], places] = policy
    return Positions.from_state(turned), turned_policy
