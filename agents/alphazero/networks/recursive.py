"""The recursive network: one set of weights for every depth.

A board's embedding is combined from those of its nine children by the same combiner at every
level; deepest boards are embedded by their contents. Down the path from the root to the
focus, a context is refined; the heads see the context, the focus's nine children and the
nine boards that each of them would send the opponent to.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from agents.alphazero.encoding import DRAWN, NUM_CODES, OPEN
from agents.alphazero.networks.inputs import Inputs


class Residual(nn.Module):
    """x + a linear layer of relu(x)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = x + self.linear(torch.relu(x))
        return y


class RecursiveNetwork(nn.Module):
    """Takes an `Encoding`'s arrays as tensors; every depth goes through the same weights.

    Args:
        depth: of the games; changes nothing.
        embedding: numbers in an embedding (C).
        hidden: width of the hidden layers (H).
        content_hidden: of the layer that embeds the contents of deepest boards.
        head_blocks: residual blocks in the head.
    """

    def __init__(
        self, depth: int, embedding: int, hidden: int, content_hidden: int, head_blocks: int
    ) -> None:
        super().__init__()
        width = embedding
        self.embed_contents = nn.Sequential(
            nn.Linear(27, content_hidden), nn.ReLU(), nn.Linear(content_hidden, width)
        )
        self.combine = nn.Sequential(
            nn.Linear(9 * width, hidden), Residual(hidden), nn.ReLU(), nn.Linear(hidden, width)
        )
        self.step = nn.Sequential(nn.Linear(2 * width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        self.digit = nn.Embedding(9, width)
        self.decided = nn.Embedding(DRAWN, width)  # in place of a closed child: mine, theirs, drawn
        self.square = nn.Embedding(3, width)  # empty, mine, theirs
        self.nowhere = nn.Parameter(torch.zeros(width))  # sent to by a choice that marks nothing
        self.head = nn.Sequential(
            nn.Linear(19 * width, hidden),
            *(Residual(hidden) for _ in range(head_blocks)),
            nn.ReLU(),
            nn.Linear(hidden, 12),
        )
        self.owner = nn.Linear(width, 4)  # for the learner alone
        codes = torch.arange(NUM_CODES)
        digits = codes[:, None] // 3 ** torch.arange(9) % 3  # [19683, 9]
        one_hot = nn.functional.one_hot(digits, 3).flatten(1).float()
        self.register_buffer("one_hot", one_hot, persistent=False)  # [19683, 27]

    def prepare(self) -> Tensor:
        """[19686, C]: the embedding of every content of a deepest board, then of decided boards."""
        return torch.cat((self.embed_contents(self.one_hot), self.decided.weight))

    def forward(self, inputs: Inputs, table: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits of the nine choices, [n, 9], and of win, draw and loss, [n, 3].

        `table` is `prepare()`, for those who evaluate often with the same weights.
        """
        boards = self._embed(inputs, self.prepare() if table is None else table)
        return self._answer(inputs, boards)

    def with_owners(self, inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
        """As `forward`, and what will become of each board: logits, [n, num_boards, 4], of its
        being open, mine, theirs or drawn some plies later.

        They are seen in a board's embedding alone: a target for embeddings that is closer than the
        game's result (after the ownership head of KataGo; Wu, 2019).
        """
        boards = self._embed(inputs, self.prepare())
        return *self._answer(inputs, boards), self.owner(boards)

    def _answer(self, inputs: Inputs, boards: Tensor) -> tuple[Tensor, Tensor]:
        number = boards.shape[1]
        nine = torch.arange(1, 10, device=boards.device)
        # one gather for all boards that are looked at: its gradient is as large as all boards
        wanted = torch.cat(
            (
                inputs.path,
                9 * inputs.focus[:, None] + nine,
                9 * inputs.reach.clamp(min=0)[:, None] + nine,
            ),
            1,
        )
        firsts = number * torch.arange(len(boards), device=boards.device)[:, None]
        near = embedding(firsts + wanted.clamp(max=number - 1), boards.flatten(0, 1))
        below, children, sent = torch.split(near, [inputs.path.shape[1], 9, 9], 1)

        context = boards[:, 0]
        for step, board in enumerate(inputs.path.unbind(1)):
            refined = self.step(
                torch.cat((context, below[:, step] + self.digit((board - 1) % 9)), 1)
            )
            context = context + torch.where(board[:, None] > 0, refined, 0.0)

        at_squares = 9 * inputs.focus + 1 >= number
        squares = self.square(inputs.cells.clamp(max=2))
        children = torch.where(at_squares[:, None, None], squares, children)
        sent = torch.where((inputs.reach >= 0)[:, None, None], sent, self.nowhere)
        output = self.head(torch.cat((context, children.flatten(1), sent.flatten(1)), 1))
        return output[:, :9], output[:, 9:]

    def _embed(self, inputs: Inputs, table: Tensor) -> Tensor:
        """[n, num_boards, C]: all boards by heap number; learned vectors where one is decided."""
        status = inputs.status[:, (inputs.status.shape[1] - 1) // 9 :]
        rows = torch.where(status == OPEN, inputs.contents, NUM_CODES - 1 + status)
        levels = [embedding(rows, table)]
        while (number := levels[-1].shape[1]) > 1:
            own = self.combine(levels[-1].reshape(len(rows), number // 9, -1))
            first = (number // 9 - 1) // 8  # the level's first heap number
            status = inputs.status[:, first : first + number // 9, None]
            decided = self.decided((status[..., 0] - 1).clamp(min=0))
            levels.append(torch.where(status == OPEN, own, decided))
        return torch.cat(levels[::-1], 1)
