"""The recursive network, evaluated from what has changed since the root of the search.

A move changes one deepest board and the boards above it. Of each game, the boards of the root
are kept in both players' views: the embeddings of inner boards, and what their nine children
contribute to the first layers that look at them: the combiner's (`sums`), and the head's for the
board that a choice sends to (`sent`). A leaf differs from its root in a few deepest boards. The
change of an embedding goes through the slice of a layer that belongs to its digit, and is added
to what is kept of the board above: a ninth of a layer in place of a whole one. So the cost of an
evaluation grows with the depth, and not with the number of boards.

Nothing is carried on from move to move: when a search begins, its roots are compared with what
is kept, and boards that differ are computed from their children. The idea is that of NNUE, the
networks of chess engines (Nasu, 2018).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.alphazero import changes
from agents.alphazero.encoding import NUM_CODES, OPEN
from agents.alphazero.evaluator import AT_ONCE, ChancesEvaluator, Evaluation, in_parts
from agents.alphazero.networks.recursive import RecursiveNetwork
from agents.search.evaluator import Rows
from rstt_env import tree
from rstt_env.state import State

_STEP = 16  # numbers of rows in products of whole layers are multiples of this one
_CHUNK = 2048  # inner boards of roots that are computed at once


class _Weights:
    """A network's weights, sliced and tabulated for this way of evaluating."""

    def __init__(self, network: RecursiveNetwork, precision: torch.dtype) -> None:
        self._precision = precision
        first, head = network.combine[0], network.head[0]
        assert isinstance(first, torch.nn.Linear)
        assert isinstance(head, torch.nn.Linear)
        self.hidden, nine = first.weight.shape
        self.width = width = nine // 9
        context, children, sent = torch.split(head.weight, [width, nine, nine], dim=1)
        self.table = network.prepare()  # [19686, C]
        self._bias = first.bias.clone()
        self._first = first.weight.T.to(precision).contiguous()  # [9C, H]
        self._sent = sent.T.to(precision).contiguous()
        self._context = context.T.to(precision).contiguous()
        self._children = children.T.to(precision).contiguous()
        self.head_bias = head.bias.clone()
        self.nowhere = network.nowhere.repeat(9) @ sent.T
        # what the squares of a deepest board contribute, by its contents: [19683, H]
        each = torch.einsum(
            "vc,kch->kvh", network.square.weight, children.T.reshape(9, width, self.hidden)
        )
        self.squares = torch.zeros(1, self.hidden)
        for digit in range(9):  # the contents of the first squares, then of one more
            self.squares = (each[digit, :, None] + self.squares).flatten(0, 1)
        self.digit = network.digit.weight.clone()
        self._combine, self._step, self._head = (
            copy.deepcopy(layers).to(precision)
            for layers in (network.combine[1:], network.step, network.head[1:])
        )

    def embed(self, sums: Tensor) -> Tensor:
        """[m, C]: the embeddings of inner boards from their sums, [m, H]."""
        return self._through(self._combine, sums)

    def sum_up(self, children: Tensor) -> tuple[Tensor, Tensor]:
        """[m, H] each: what is kept of inner boards with the children's embeddings, [m, 9C]."""
        return self._times(children, self._first) + self._bias, self._times(children, self._sent)

    def add_to_sums(self, sums: Tensor, rows: Rows, change: Tensor, nodes: Rows) -> None:
        """Add to `sums`, [·, H], what m changes of embeddings, [m, C], make of them.

        That of board `nodes[i]` belongs to `sums[rows[i]]`, the board above it.
        """
        self._add(self._first, sums, rows, change, nodes)

    def add_to_sent(self, sent: Tensor, rows: Rows, change: Tensor, nodes: Rows) -> None:
        """The same for `sent`."""
        self._add(self._sent, sent, rows, change, nodes)

    def _add(self, layer: Tensor, kept: Tensor, rows: Rows, change: Tensor, nodes: Rows) -> None:
        order, ends = np.empty_like(nodes), np.empty(10, np.int64)
        changes.sort_by_digit(nodes, order, ends)
        change = change[order].to(self._precision)
        added = torch.empty(len(change), self.hidden, dtype=self._precision)
        weights = layer.view(9, self.width, -1)
        for digit in np.flatnonzero(np.diff(ends)):
            part = slice(ends[digit], ends[digit + 1])
            torch.mm(change[part], weights[digit], out=added[part])
        kept.index_add_(0, torch.from_numpy(rows[order]), added.float())

    def refine(self, context: Tensor, below: Tensor) -> Tensor:
        """[m, C]: what the next board on the path, [m, C], adds to the context, [m, C]."""
        return self._through(self._step, torch.cat((context, below), 1))

    def hidden_of_context(self, context: Tensor) -> Tensor:
        """[n, H]: what the context contributes to the head's first layer."""
        return self._times(context, self._context) + self.head_bias

    def hidden_of_children(self, children: Tensor) -> Tensor:
        """[m, H]: what the nine children of an inner focus, [m, 9C], contribute to it."""
        return self._times(children, self._children)

    def answer(self, hidden: Tensor) -> Tensor:
        """[n, 12]: the network's output from the head's first layer."""
        return self._through(self._head, hidden)

    def _times(self, rows: Tensor, layer: Tensor) -> Tensor:
        return (self._padded(rows) @ layer)[: len(rows)].float()

    def _through(self, layers: nn.Module, rows: Tensor) -> Tensor:
        output: Tensor = layers(self._padded(rows))[: len(rows)].float()
        return output

    def _padded(self, rows: Tensor) -> Tensor:
        """Rows in the precision of the products, with meaningless ones behind them if it is low.

        oneDNN compiles bfloat16 products for each number of rows that it meets, which takes longer
        than they do; so it meets few.
        """
        if rows.dtype == self._precision:
            return rows
        steps = (len(rows) + _STEP - 1) // _STEP
        wanted = len(rows) if len(rows) < _STEP else steps * _STEP
        padded = torch.empty(wanted, rows.shape[1], dtype=self._precision)
        padded[: len(rows)] = rows
        return padded


class _Level(NamedTuple):
    """The boards of one level that differ from their roots', sorted by leaf and board."""

    leaf: Rows  # int64[m]
    node: Rows  # int64[m]
    change: Tensor  # [m, C]: of the embedding
    begins: Rows  # int64[n + 1]: the first entry of each leaf
    embeddings: Tensor  # [m, C]


@contextmanager
def _torch_threads(number: int | None) -> Iterator[None]:
    """Have torch use so many threads in the calling thread; None for as many as it does."""
    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class IncrementalEvaluator(ChancesEvaluator):
    """Evaluates with the weights that `network` has now; `refresh` takes over later ones.

    On the CPU. The full network, `NetworkEvaluator`, is its slow twin. With bfloat16 as
    `precision`, matrix products are done in it; sums stay float32. `threads` are torch's while it
    plants and evaluates; as many as it uses by default. An evaluator with a `leader`
    shares its tables, and is refreshed after it. `evaluations` and `seconds` say how many
    evaluations there were and how long they took.
    """

    def __init__(
        self,
        network: RecursiveNetwork,
        precision: torch.dtype = torch.float32,
        threads: int | None = None,
        leader: IncrementalEvaluator | None = None,
    ) -> None:
        self.network, self._precision, self._threads = network, precision, threads
        self._leader = leader
        self.evaluations, self.seconds = 0, 0.0
        self._depth, self._room = 0, 0  # of the games of which roots are kept
        self.refresh()

    def sibling(self) -> IncrementalEvaluator:
        """One for other games, with the same tables."""
        return IncrementalEvaluator(self.network, self._precision, self._threads, self)

    @torch.inference_mode()
    def refresh(self) -> None:
        """Take over the network's weights; what is kept of the roots is void."""
        self.network.eval()
        if self._leader is None:
            self._weights = _Weights(self.network, self._precision)
        else:
            self._weights = self._leader._weights
        self._void = True

    # --- the roots ---

    def plant(self, state: State) -> None:
        """Compute those boards of the roots that differ from what is kept."""
        with _torch_threads(self._threads), torch.inference_mode():
            self._plant(state)

    def _plant(self, state: State) -> None:
        start = time.perf_counter()
        depth, number, weights = len(state.levels), len(state.focus), self._weights
        boards = tree.num_boards(depth)
        if depth != self._depth or number > self._room:
            self._depth, self._room, self._void = depth, number, True
            inner = max(1, tree.num_boards(depth - 1))
            self._rows = np.full((2, number, 9 ** (depth - 1)), -1, np.int32)
            self._opens = np.zeros((number, boards), np.uint16)
            self._embeddings = torch.zeros(2, number, inner, weights.width)
            self._sums = torch.zeros(2, number, inner, weights.hidden)
            self._sent = torch.zeros(2, number, inner, weights.hidden)
        changed = np.zeros((number, boards), np.bool_)
        if self._void:
            self._rows[:] = -1
            self._void = False
        changes.update_roots(state.levels, state.boards, self._rows, self._opens, changed)
        for level in range(depth - 2, -1, -1):
            first, end = tree.num_boards(level), tree.num_boards(level + 1)
            roots, nodes = np.nonzero(changed[:, first:end])
            for at in range(0, len(roots), _CHUNK):
                part = slice(at, at + _CHUNK)
                for viewer in (0, 1):
                    self._compute(state, roots[part], nodes[part] + first, viewer)
        self.seconds += time.perf_counter() - start

    def _compute(self, state: State, roots: Rows, nodes: Rows, viewer: int) -> None:
        """What is kept of inner boards from the embeddings of their children."""
        weights = self._weights
        children = torch.empty(len(roots), 9 * weights.width)
        changes.gather_children(
            state.levels, self._rows, weights.table.numpy(), self._embeddings.numpy(), viewer,
            roots, nodes, children.numpy(),
        )  # fmt: skip
        sums, sent = weights.sum_up(children)
        viewers = np.full(len(roots), viewer)
        embeddings = self._embed(state, roots, nodes, viewers, sums)
        self._sums[viewer, roots, nodes] = sums
        self._sent[viewer, roots, nodes] = sent
        self._embeddings[viewer, roots, nodes] = embeddings

    def _embed(
        self, state: State, positions: Rows, nodes: Rows, viewers: Rows, sums: Tensor
    ) -> Tensor:
        """Embeddings from sums; learned vectors where a board is decided."""
        embeddings = self._weights.embed(sums)
        status = np.empty(len(positions), np.int64)
        changes.fill_statuses(state.boards, positions, nodes, viewers, status)
        decided = np.flatnonzero(status != OPEN)
        if len(decided):
            embeddings[decided] = self._weights.table[NUM_CODES - 1 + status[decided]]
        return embeddings

    # --- the leaves ---

    def _answers(self, state: State, positions: Rows, roots: Rows | None) -> Evaluation:
        assert roots is not None, "leaves are evaluated by what differs from their roots"
        of_root = roots

        def evaluate(part: Rows) -> tuple[Tensor, Tensor]:
            return self._evaluate(state, positions[part], of_root[part])

        with _torch_threads(self._threads), torch.inference_mode():
            return in_parts(evaluate, len(positions), AT_ONCE)

    def _evaluate(self, state: State, positions: Rows, roots: Rows) -> tuple[Tensor, Tensor]:
        weights, depth = self._weights, len(state.levels)
        movers = state.to_play[positions].astype(np.int64)
        focus = state.focus[positions].astype(np.int64)
        leaves = _Leaves(self, state, positions, roots, movers)
        path, reach = np.empty((len(focus), depth - 1), np.int64), np.empty(len(focus), np.int64)
        changes.find_paths(state.levels, state.boards, positions, focus, path, reach)

        context = leaves.embeddings(np.arange(len(focus)), np.zeros_like(focus))
        for nodes in path.T:
            there = np.flatnonzero(nodes)
            if not len(there):
                break
            below = leaves.embeddings(there, nodes[there]) + weights.digit[(nodes[there] - 1) % 9]
            context[there] += weights.refine(context[there], below)
        hidden = weights.hidden_of_context(context) + leaves.children(focus) + leaves.sent(reach)
        output = weights.answer(hidden)
        return output[:, :9], torch.softmax(output[:, 9:], 1)


def _select(kept: Tensor, rows: Tensor) -> Tensor:
    """[m, W]: rows of what is kept, [2, G, boards, W]; faster than three indices."""
    return kept.flatten(0, 2).index_select(0, rows)


class _Leaves:
    """n leaves: of any of their boards what is kept of the root, and what has changed since."""

    def __init__(
        self, evaluator: IncrementalEvaluator, state: State, positions: Rows, roots: Rows,
        movers: Rows,
    ) -> None:  # fmt: skip
        self._evaluator, self._weights = evaluator, evaluator._weights
        self._state, self._positions, self._roots, self._movers = state, positions, roots, movers
        self._depth = len(state.levels)
        self._deepest = tree.num_boards(self._depth - 1)
        self._levels: list[_Level] = []  # of the root's level first
        self._climb()

    def _climb(self) -> None:
        """From the deepest boards that have changed, level by level, up to the root."""
        leaf, node, before, after = self._changes()
        embeddings = self._weights.table[after]
        self._add_level(leaf, node, embeddings - self._weights.table[before], embeddings)
        for _ in range(self._depth - 1):
            below = self._levels[0]
            parent_leaf, parent_node, parent = (np.empty_like(below.leaf) for _ in range(3))
            number = changes.merge_parents(below.leaf, below.node, parent_leaf, parent_node, parent)
            leaf, node = parent_leaf[:number], parent_node[:number]
            movers = self._movers[leaf]
            kept = self._rows_of(movers, self._roots[leaf], node)
            sums = _select(self._evaluator._sums, kept)
            self._weights.add_to_sums(sums, parent, below.change, below.node)
            embeddings = self._evaluator._embed(
                self._state, self._positions[leaf], node, movers, sums
            )
            change = embeddings - _select(self._evaluator._embeddings, kept)
            self._add_level(leaf, node, change, embeddings)

    def _add_level(self, leaf: Rows, node: Rows, change: Tensor, embeddings: Tensor) -> None:
        begins = np.searchsorted(leaf, np.arange(len(self._positions) + 1))
        self._levels.insert(0, _Level(leaf, node, change, begins, embeddings))

    def _changes(self) -> list[Rows]:
        size = 16 * len(self._positions)
        while True:
            entries = [np.empty(size, np.int64) for _ in range(4)]
            size = changes.find_changes(
                self._state.levels, self._state.boards, self._movers, self._positions,
                self._roots, self._evaluator._rows, self._evaluator._opens, *entries,
            )  # fmt: skip
            if size <= len(entries[0]):
                return [entry[:size] for entry in entries]

    def embeddings(self, leaves: Rows, nodes: Rows) -> Tensor:
        """[k, C]: of one board of each of k leaves, all of a level."""
        if not len(nodes) or nodes[0] >= self._deepest:
            return self._weights.table[self._content_rows(leaves, nodes)]
        level, kept = self._levels[tree.level_of(int(nodes[0]))], self._evaluator._embeddings
        out = torch.empty(len(nodes), self._weights.width)
        changes.gather(
            leaves, nodes, level.begins, level.node, level.embeddings.numpy(), kept.numpy(),
            self._movers, self._roots, out.numpy(),
        )  # fmt: skip
        return out

    def children(self, focus: Rows) -> Tensor:
        """[n, H]: what the nine children of the focus contribute to the head's first layer."""
        width, out = self._weights.width, torch.empty(len(focus), self._weights.hidden)
        at_squares = np.flatnonzero(focus >= self._deepest)
        rows = self._content_rows(at_squares, focus[at_squares])
        out[at_squares] = self._weights.squares[rows]
        for level in range(self._depth - 1):
            first, end = tree.num_boards(level), tree.num_boards(level + 1)
            here = np.flatnonzero((focus >= first) & (focus < end))
            if not len(here):
                continue
            nine = 9 * focus[here][:, None] + np.arange(1, 10)
            embeddings = self.embeddings(np.repeat(here, 9), nine.ravel())
            out[here] = self._weights.hidden_of_children(embeddings.view(len(here), 9 * width))
        return out

    def sent(self, reach: Rows) -> Tensor:
        """[n, H]: what the boards that choices send to contribute to the head's first layer."""
        somewhere = np.flatnonzero(reach >= 0)
        out = self._weights.nowhere.repeat(len(reach), 1)
        movers, roots = self._movers[somewhere], self._roots[somewhere]
        rows = self._rows_of(movers, roots, reach[somewhere])
        out[somewhere] = _select(self._evaluator._sent, rows)
        for level in self._levels[1:]:
            chosen = np.flatnonzero((level.node - 1) // 9 == reach[level.leaf])
            if len(chosen):
                self._weights.add_to_sent(
                    out, level.leaf[chosen], level.change[chosen], level.node[chosen]
                )
        return out

    def _rows_of(self, movers: Rows, roots: Rows, nodes: Rows) -> Tensor:
        """The rows of boards in what is kept, [2, G, boards, W], as if that were [·, W]."""
        _, number, boards, _ = self._evaluator._sums.shape
        return torch.from_numpy((movers * number + roots) * boards + nodes)

    def _content_rows(self, leaves: Rows, nodes: Rows) -> Rows:
        rows = np.empty(len(nodes), np.int64)
        changes.fill_content_rows(
            self._state.boards, self._positions[leaves], nodes, self._movers[leaves], rows
        )
        return rows
