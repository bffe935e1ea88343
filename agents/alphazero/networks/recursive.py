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

    mix: Tensor

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
        mix = torch.randint(2**62, (9,), generator=torch.Generator().manual_seed(0))
        self.register_buffer("mix", mix, persistent=False)
        self.register_buffer("one_hot", one_hot, persistent=False)  # [19683, 27]

    def prepare(self) -> Tensor:
        """[19686, C]: the embedding of every content of a deepest board, then of decided boards."""
        return torch.cat((self.embed_contents(self.one_hot), self.decided.weight))

    def forward(self, inputs: Inputs, table: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits of the nine choices, [n, 9], and of win, draw and loss, [n, 3].

        `table` is `prepare()`, for those who evaluate often with the same weights.
        """
        table = self.prepare() if table is None else table
        return self._answer(inputs, *self._embed(inputs, table), table)

    def with_owners(self, inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
        """As `forward`, and what will become of each board: logits, [n, num_boards, 4], of its
        being open, mine, theirs or drawn some plies later.

        They are seen in a board's embedding alone: a target for embeddings that is closer than the
        game's result (after the ownership head of KataGo; Wu, 2019).
        """
        table = self.prepare()
        boards, rows = self._embed(inputs, table)
        owners = torch.cat((self.owner(boards), embedding(rows, self.owner(table))), 1)
        return *self._answer(inputs, boards, rows, table), owners

    def _answer(
        self, inputs: Inputs, boards: Tensor, rows: Tensor, table: Tensor
    ) -> tuple[Tensor, Tensor]:
        """From what `_embed` returned."""
        (number, upper), width = boards.shape[:2], boards.shape[2]
        nine = torch.arange(1, 10, device=boards.device)
        wanted = torch.cat(
            (
                torch.zeros_like(inputs.focus)[:, None],
                inputs.path,
                9 * inputs.focus[:, None] + nine,
                9 * inputs.reach.clamp(min=0)[:, None] + nine,
            ),
            1,
        )
        # one gather for all boards that are looked at: its gradient is as large as all boards
        deep = (wanted - upper).clamp(0, rows.shape[1] - 1)
        firsts = upper * torch.arange(number, device=boards.device)[:, None]
        where = torch.where(wanted < upper, firsts + wanted, number * upper + rows.gather(1, deep))
        near = embedding(where, torch.cat((boards.reshape(-1, width), table)))
        root, below, children, sent = torch.split(near, [1, inputs.path.shape[1], 9, 9], 1)

        context = root[:, 0]
        for step, board in enumerate(inputs.path.unbind(1)):
            refined = self.step(
                torch.cat((context, below[:, step] + self.digit((board - 1) % 9)), 1)
            )
            context = context + torch.where(board[:, None] > 0, refined, 0.0)

        at_squares = inputs.focus >= upper
        squares = self.square(inputs.cells.clamp(max=2))
        children = torch.where(at_squares[:, None, None], squares, children)
        sent = torch.where((inputs.reach >= 0)[:, None, None], sent, self.nowhere)
        output = self.head(torch.cat((context, children.flatten(1), sent.flatten(1)), 1))
        return output[:, :9], output[:, 9:]

    def _embed(self, inputs: Inputs, table: Tensor) -> tuple[Tensor, Tensor]:
        """All boards but the deepest by heap number, [n, boards, C], learned vectors where one is
        decided; and the deepest, [n, 9^(d-1)], as rows of the table."""
        deepest = inputs.contents.shape[1]
        first = (deepest - 1) // 8  # the level's first heap number
        status = inputs.status[:, first:]
        rows = torch.where(status == OPEN, inputs.contents, NUM_CODES - 1 + status)
        levels: list[Tensor] = []
        while first > 0:
            if levels:
                own = self.combine(levels[-1].reshape(len(rows), -1, 9 * table.shape[1]))
            else:
                own = self._around_deepest(rows, table)
            first = (first - 1) // 9
            status = inputs.status[:, first : first + own.shape[1], None]
            decided = self.decided((status[..., 0] - 1).clamp(min=0))
            levels.append(torch.where(status == OPEN, own, decided))
        none = table.new_zeros(len(rows), 0, table.shape[1])
        return torch.cat([none, *levels[::-1]], 1), rows

    def _around_deepest(self, rows: Tensor, table: Tensor) -> Tensor:
        """[n, 9^(d-2), C]: the boards around the deepest ones, combined from them.

        The learner's positions share many, as games begin empty and `per_game` are of one game:
        in training, equal ones are combined once. They are told apart by a hash of 64 bits, which
        errs once in 10^10 updates.
        """
        nines = rows.reshape(-1, 9)
        if not self.training:
            own: Tensor = self.combine(embedding(nines, table).flatten(1))
            return own.reshape(len(rows), -1, table.shape[1])
        hashes = (nines * self.mix).sum(1)
        distinct, which = torch.unique(hashes, return_inverse=True)
        numbers = torch.arange(len(nines), device=nines.device)
        some = torch.zeros_like(distinct).scatter_(0, which, numbers)
        own = self.combine(embedding(nines[some], table).flatten(1))
        return embedding(which.reshape(len(rows), -1), own)
