"""The yardstick: a residual convolutional network over the whole board, for one depth.

The trunk of AlphaZero (Silver et al., 2018) on 3^d × 3^d planes. Each of the nine choices is a
child of the focus; its logit comes from the mean of the trunk's features over that child's
area, and the value from their mean over the board.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from agents.alphazero.encoding import NUM_CODES, OPEN
from agents.alphazero.networks.inputs import Inputs
from rstt_env import tree


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = torch.relu(x + self.layers(x))
        return y


class ResNet(nn.Module):
    """Takes an `Encoding`'s arrays as tensors and draws planes of them.

    Args:
        depth: of the games.
        channels: of the trunk.
        blocks: of two convolutions each.
    """

    digits: Tensor
    pixels: Tensor
    squares: Tensor

    def __init__(self, depth: int, channels: int, blocks: int) -> None:
        super().__init__()
        self._depth, self._side = depth, 3**depth
        planes = 2 + 3 * (depth - 1) + 2  # marks; mine, theirs, drawn of each level; focus, legal
        self.trunk = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            *(Block(channels) for _ in range(blocks)),
        )
        self.choice = nn.Sequential(
            nn.Linear(2 * channels, channels), nn.ReLU(), nn.Linear(channels, 1)
        )
        self.outcome = nn.Sequential(
            nn.Linear(channels, channels), nn.ReLU(), nn.Linear(channels, 3)
        )
        squares = torch.arange(9**depth)
        digits = torch.arange(NUM_CODES)[:, None] // 3 ** torch.arange(9) % 3  # [19683, 9]
        pixels = torch.from_numpy(tree.pixels(depth).copy()).long()  # of each square
        self.register_buffer("digits", digits, persistent=False)
        self.register_buffer("pixels", pixels, persistent=False)
        self.register_buffer("squares", squares, persistent=False)

    def prepare(self) -> None:
        """Nothing depends on the weights alone."""

    def forward(self, inputs: Inputs, prepared: None = None) -> tuple[Tensor, Tensor]:
        """Logits of the nine choices, [n, 9], and of win, draw and loss, [n, 3]."""
        areas = self._areas(inputs.focus)  # [n, squares]: which choice a square belongs to
        features = self.trunk(self._planes(inputs, areas)).flatten(2)[:, :, self.pixels]
        whole = features.mean(2)  # [n, channels]
        parts = features.new_zeros(len(areas), 10, features.shape[1]).scatter_add(
            1, areas[:, :, None].expand(-1, -1, features.shape[1]), features.transpose(1, 2)
        )
        children = parts[:, :9] / self._area_size(inputs.focus)[:, None, None]
        logits = self.choice(torch.cat((children, whole[:, None].expand(-1, 9, -1)), 2))
        return logits[..., 0], self.outcome(whole)

    def _area_size(self, focus: Tensor) -> Tensor:
        """int64[n]: squares under a child of the focus."""
        return 9 ** (self._depth - 1 - self._level(focus))

    def _level(self, focus: Tensor) -> Tensor:
        firsts = torch.tensor([tree.num_boards(level) for level in range(1, self._depth + 1)])
        return (focus[:, None] >= firsts.to(focus.device)).sum(1)

    def _areas(self, focus: Tensor) -> Tensor:
        """int64[n, squares]: the child of the focus that a square lies under; 9 for none."""
        level, size = self._level(focus), self._area_size(focus)[:, None]
        first = (9**level - 1) // 8  # heap number of the level's first board
        child = self.squares[None, :] // size - 9 * (focus - first)[:, None]
        return torch.where((child >= 0) & (child < 9), child, 9)

    def _planes(self, inputs: Inputs, areas: Tensor) -> Tensor:
        """float[n, planes, side, side]"""
        squares = 9**self._depth
        marks = self.digits[inputs.contents].flatten(1)  # [n, squares]
        planes = [marks == 1, marks == 2]
        for level in range(1, self._depth):
            first, number = tree.num_boards(level), 9**level
            status = inputs.status[:, first : first + number]
            wide = status.repeat_interleave(squares // number, dim=1)
            planes.extend(wide == kind for kind in range(OPEN + 1, OPEN + 4))
        open_child = torch.cat((inputs.legal, inputs.legal[:, :1] & False), 1)
        planes.extend((areas < 9, open_child.gather(1, areas)))
        board = torch.zeros(len(areas), len(planes), squares, device=areas.device)
        board[:, :, self.pixels] = torch.stack(planes, 1).float()
        return board.view(len(areas), -1, self._side, self._side)
