"""The recursive network, evaluated from what has changed since the root of the search.

A move changes one deepest board and the boards above it. Of each game, the boards of the root
are kept in both players' views: the embeddings of inner boards, and their *sums*: what their
nine children contribute to the first layers that look at them (the combiner's, and the head's
for the board that a choice sends to). A leaf differs from its root in a few deepest boards. The
change of an embedding goes through the slice of those layers that belongs to its digit, and is
added to the sums of the board above: a ninth of a layer in place of a whole one. So the cost of
an evaluation grows with the depth, and not with the number of boards.

Nothing is carried on from move to move: when a search begins, its roots are compared with what
is kept, and boards that differ are computed from their children. The idea is that of NNUE, the
networks of chess engines (Nasu, 2018).
"""

from __future__ import annotations

import copy
import time
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.alphazero import changes
from agents.alphazero.encoding import NUM_CODES, OPEN
from agents.alphazero.evaluator import AT_ONCE, Evaluation, in_parts
from agents.alphazero.networks.recursive import RecursiveNetwork
from agents.search.evaluator import Rows
from rstt_env import tree
from rstt_env.state import State

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
        self.bias = first.bias
        self.table = network.prepare()  # [19686, C]
        self._sums = torch.cat((first.weight, sent)).T.to(precision).contiguous()  # [9C, 2H]
        self._slices = self._sums.view(9, width, -1)  # one for each digit
        self._context = context.T.to(precision).contiguous()
        self._children = children.T.to(precision).contiguous()
        self.head_bias = head.bias
        self.nowhere = network.nowhere.repeat(9) @ sent.T
        # what the squares of a deepest board contribute, by its contents: [19683, H]
        each = torch.einsum(
            "vc,kch->kvh", network.square.weight, children.T.reshape(9, width, self.hidden)
        )
        codes = torch.arange(NUM_CODES)
        self.squares = torch.zeros(NUM_CODES, self.hidden)
        for digit in range(9):
            self.squares += each[digit, codes // 3**digit % 3]
        self.digit = network.digit.weight
        self._combine, self._step, self._head = (
            copy.deepcopy(layers).to(precision)
            for layers in (network.combine[1:], network.step, network.head[1:])
        )

    def embed(self, sums: Tensor) -> Tensor:
        """[m, C]: the embeddings of inner boards from their sums, [m, 2H]."""
        hidden = sums[:, : self.hidden] + self.bias
        embeddings: Tensor = self._combine(hidden.to(self._precision)).float()
        return embeddings

    def sum_up(self, children: Tensor) -> Tensor:
        """[m, 2H]: the sums of inner boards from the embeddings of their children, [m, 9C]."""
        return (children.to(self._precision) @ self._sums).float()

    def sum_up_changes(self, changes: Tensor, ends: Rows) -> Tensor:
        """[m, 2H]: what changes of embeddings, [m, C], sorted by digit, add to the sums above.

        Those of digit k are number `ends[k]` to `ends[k + 1]`.
        """
        changes = changes.to(self._precision)
        added = torch.empty(len(changes), 2 * self.hidden, dtype=self._precision)
        for digit in range(9):
            part = slice(ends[digit], ends[digit + 1])
            torch.mm(changes[part], self._slices[digit], out=added[part])
        return added.float()

    def refine(self, context: Tensor, below: Tensor) -> Tensor:
        """[m, C]: what the next board on the path, [m, C], adds to the context, [m, C]."""
        refined: Tensor = self._step(torch.cat((context, below), 1).to(self._precision)).float()
        return refined

    def hidden_of_context(self, context: Tensor) -> Tensor:
        """[n, H]: what the context contributes to the head's first layer."""
        return (context.to(self._precision) @ self._context).float() + self.head_bias

    def hidden_of_children(self, children: Tensor) -> Tensor:
        """[m, H]: what the nine children of an inner focus, [m, 9C], contribute to it."""
        return (children.to(self._precision) @ self._children).float()

    def answer(self, hidden: Tensor) -> Tensor:
        """[n, 12]: the network's output from the head's first layer."""
        output: Tensor = self._head(hidden.to(self._precision)).float()
        return output


class _Level(NamedTuple):
    """The inner boards of one level that differ from their roots', sorted by leaf and board."""

    begins: Rows  # int64[n + 1]: the first entry of each leaf
    node: Rows  # int64[m]
    sums: Tensor  # [m, 2H]
    embeddings: Tensor  # [m, C]


class IncrementalEvaluator:
    """Evaluates with the weights that `network` has now; `refresh` takes over later ones.

    On the CPU. The full network, `NetworkEvaluator`, is its slow twin. With bfloat16 as
    `precision`, matrix products are done in it; sums stay float32. `threads` are torch's in the
    thread that calls `plant` and `evaluate`; as it is by default. `evaluations` and `seconds` say
    how many evaluations there were and how long they took.
    """

    def __init__(
        self,
        network: RecursiveNetwork,
        precision: torch.dtype = torch.float32,
        threads: int | None = None,
    ) -> None:
        self._network, self._precision, self._threads = network, precision, threads
        self.evaluations, self.seconds = 0, 0.0
        self._depth, self._room = 0, 0  # of the games of which roots are kept
        self.refresh()

    @torch.inference_mode()
    def refresh(self) -> None:
        """Take over the network's weights; what is kept of the roots is void."""
        self._network.eval()
        self._weights = _Weights(self._network, self._precision)
        self._void = True

    # --- the roots ---

    @torch.inference_mode()
    def plant(self, state: State) -> None:
        """Compute those boards of the roots that differ from what is kept."""
        start = time.perf_counter()
        if self._threads is not None:
            torch.set_num_threads(self._threads)  # of the calling thread alone
        depth, number, weights = len(state.levels), len(state.focus), self._weights
        boards = tree.num_boards(depth)
        if depth != self._depth or number > self._room:
            self._depth, self._room, self._void = depth, number, True
            inner = max(1, tree.num_boards(depth - 1))
            self._rows = np.full((2, number, 9 ** (depth - 1)), -1, np.int32)
            self._embeddings = torch.zeros(2, number, inner, weights.width)
            self._sums = torch.zeros(2, number, inner, 2 * weights.hidden)
        changed = np.zeros((number, boards), np.bool_)
        if self._void:
            self._rows[:] = -1
            self._void = False
        changes.update_roots(state.levels, state.boards, self._rows, changed)
        for level in range(depth - 2, -1, -1):
            first, end = tree.num_boards(level), tree.num_boards(level + 1)
            roots, nodes = np.nonzero(changed[:, first:end])
            for at in range(0, len(roots), _CHUNK):
                part = slice(at, at + _CHUNK)
                for viewer in (0, 1):
                    self._compute(state, roots[part], nodes[part] + first, viewer)
        self.seconds += time.perf_counter() - start

    def _compute(self, state: State, roots: Rows, nodes: Rows, viewer: int) -> None:
        """Sums and embeddings of inner boards from the embeddings of their children."""
        weights = self._weights
        children = torch.empty(len(roots), 9 * weights.width)
        changes.gather_children(
            state.levels, self._rows, weights.table.numpy(), self._embeddings.numpy(), viewer,
            roots, nodes, children.numpy(),
        )  # fmt: skip
        sums = weights.sum_up(children)
        viewers = np.full(len(roots), viewer)
        embeddings = self._embed(state, roots, nodes, viewers, sums)
        self._sums[viewer, roots, nodes] = sums
        self._embeddings[viewer, roots, nodes] = embeddings

    def _embed(
        self, state: State, positions: Rows, nodes: Rows, viewers: Rows, sums: Tensor
    ) -> Tensor:
        """Embeddings from sums; learned vectors where a board is decided."""
        embeddings = self._weights.embed(sums)
        status = np.empty(len(positions), np.int64)
        changes.fill_statuses(state.boards, positions, nodes, viewers, status)
        decided = np.flatnonzero(status != OPEN)
        embeddings[decided] = self._weights.table[NUM_CODES - 1 + status[decided]]
        return embeddings

    # --- the leaves ---

    def evaluate(self, state: State, positions: Rows, roots: Rows) -> Evaluation:
        start = time.perf_counter()

        def evaluate(part: Rows) -> tuple[Tensor, Tensor]:
            return self._evaluate(state, positions[part], roots[part])

        result = in_parts(evaluate, len(positions), AT_ONCE)
        self.evaluations += len(positions)
        self.seconds += time.perf_counter() - start
        return result

    @torch.inference_mode()
    def _evaluate(self, state: State, positions: Rows, roots: Rows) -> tuple[Tensor, Tensor]:
        weights, depth = self._weights, len(state.levels)
        movers = state.to_play[positions].astype(np.int64)
        focus = state.focus[positions].astype(np.int64)
        leaves = _Leaves(self, state, positions, roots, movers)
        path, reach = np.empty((len(focus), depth - 1), np.int64), np.empty(len(focus), np.int64)
        changes.find_paths(state.levels, state.boards, positions, focus, path, reach)

        context = leaves.embeddings(np.zeros_like(focus))
        for nodes in path.T:
            there = np.flatnonzero(nodes)
            below = leaves.embeddings(np.where(nodes > 0, nodes, -1))[there]
            below = below + weights.digit[(nodes[there] - 1) % 9]
            context[there] += weights.refine(context[there], below)

        hidden = weights.hidden_of_context(context) + leaves.children(focus)
        if depth > 1:
            hidden += torch.where(
                torch.from_numpy(reach >= 0)[:, None],
                leaves.sums(np.maximum(reach, 0))[:, weights.hidden :],
                weights.nowhere,
            )
        else:
            hidden += weights.nowhere
        output = weights.answer(hidden)
        chances = torch.softmax(output[:, 9:], 1)
        return output[:, :9], chances[:, 0] - chances[:, 2]


class _Leaves:
    """n leaves: of any of their boards, the embedding and the sums, changed or kept."""

    def __init__(
        self, evaluator: IncrementalEvaluator, state: State, positions: Rows, roots: Rows,
        movers: Rows,
    ) -> None:  # fmt: skip
        self._evaluator, self._weights = evaluator, evaluator._weights
        self._state, self._positions, self._roots, self._movers = state, positions, roots, movers
        self._depth = len(state.levels)
        self._deepest = tree.num_boards(self._depth - 1)
        self._levels: list[_Level] = []  # root first
        if self._depth > 1:
            self._climb()

    def _climb(self) -> None:
        """From the deepest boards that have changed, level by level, up to the root."""
        leaf, node, before, after = self._changes()
        change = self._weights.table[after] - self._weights.table[before]
        for _ in range(self._depth - 1):
            parent_leaf, parent_node, parent_of_entry = (np.empty_like(leaf) for _ in range(3))
            number = changes.merge_parents(leaf, node, parent_leaf, parent_node, parent_of_entry)
            order, ends = np.empty_like(leaf), np.empty(10, np.int64)
            changes.sort_by_digit(node, order, ends)
            leaf, node = parent_leaf[:number], parent_node[:number]
            movers = self._movers[leaf]
            kept = (movers, self._roots[leaf], node)
            sums = self._evaluator._sums[kept]
            sums.index_add_(
                0,
                torch.from_numpy(parent_of_entry[order]),
                self._weights.sum_up_changes(change[order], ends),
            )
            embeddings = self._evaluator._embed(
                self._state, self._positions[leaf], node, movers, sums
            )
            change = embeddings - self._evaluator._embeddings[kept]
            begins = np.searchsorted(leaf, np.arange(len(self._positions) + 1))
            self._levels.insert(0, _Level(begins, node, sums, embeddings))

    def _changes(self) -> list[Rows]:
        size = 16 * len(self._positions)
        while True:
            entries = [np.empty(size, np.int64) for _ in range(4)]
            size = changes.find_changes(
                self._state.levels, self._state.boards, self._movers, self._positions,
                self._roots, self._evaluator._rows, *entries,
            )  # fmt: skip
            if size <= len(entries[0]):
                return [entry[:size] for entry in entries]

    def embeddings(self, nodes: Rows) -> Tensor:
        """[n, C]: of one board for each leaf, all of a level; negative ones are left out."""
        if nodes.max(initial=0) >= self._deepest:
            rows = np.zeros(len(nodes), np.int64)
            there = np.flatnonzero(nodes >= 0)
            rows[there] = self._content_rows(there, nodes[there])
            return self._weights.table[rows]
        return self._gather(nodes, "embeddings", self._evaluator._embeddings)

    def sums(self, nodes: Rows) -> Tensor:
        """[n, 2H]: of an inner board for each leaf, of any level."""
        out = torch.empty(len(nodes), 2 * self._weights.hidden)
        for level in range(self._depth - 1):
            first, end = tree.num_boards(level), tree.num_boards(level + 1)
            here = (nodes >= first) & (nodes < end)
            if here.any():
                self._gather(np.where(here, nodes, -1), "sums", self._evaluator._sums, out)
        return out

    def children(self, focus: Rows) -> Tensor:
        """[n, H]: what the nine children of the focus contribute to the head's first layer."""
        out = torch.empty(len(focus), self._weights.hidden)
        at_squares = np.flatnonzero(focus >= self._deepest)
        rows = self._content_rows(at_squares, focus[at_squares])
        out[at_squares] = self._weights.squares[rows]
        for level in range(self._depth - 1):
            first, end = tree.num_boards(level), tree.num_boards(level + 1)
            here = (focus >= first) & (focus < end)
            if here.any():
                nodes = np.where(here, 9 * focus + 1, -9)
                nine = [self.embeddings(nodes + digit)[here] for digit in range(9)]
                out[here] = self._weights.hidden_of_children(torch.cat(nine, 1))
        return out

    def _content_rows(self, leaves: Rows, nodes: Rows) -> Rows:
        rows = np.empty(len(nodes), np.int64)
        changes.fill_content_rows(
            self._state.boards, self._positions[leaves], nodes, self._movers[leaves], rows
        )
        return rows

    def _gather(self, nodes: Rows, name: str, kept: Tensor, out: Tensor | None = None) -> Tensor:
        level = self._levels[tree.level_of(int(nodes.max()))]
        if out is None:
            out = torch.zeros(len(nodes), kept.shape[-1])
        changes.gather(
            nodes, level.begins, level.node, getattr(level, name).numpy(), kept.numpy(),
            self._movers, self._roots, out.numpy(),
        )  # fmt: skip
        return out
