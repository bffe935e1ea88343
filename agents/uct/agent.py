"""UCT as an agent: from positions to squares, choice by choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.agent import Answer, check_request
from agents.budget import Budget
from agents.seeds import game_seeds
from agents.threads import num_cores
from agents.uct.forest import Forest, Options
from agents.uct.tree import NODE_BYTES, follow
from rstt_env import tree
from rstt_env.outcome import UNDECIDED
from rstt_env.positions import Positions

EXPLORATION = 1.0
"""The constant c of UCB1, `mean + c sqrt(log N / n)`, for results in [-1, 1].

Part of the frozen yardstick. At depth 2 it won against 0.7, 1.2 and sqrt(2), the constant of
the UCB1 paper, by 40, 20 and 35 Elo at 10,000 simulations.
"""

_MEMORY = 2**29  # bytes that the trees searched side by side may take, if one alone takes less
_FASTEST = 4e6  # simulations a core-second: an upper bound that sizes the trees of timed searches


class UCTAgent:
    """UCT with one random rollout a simulation (Kocsis & Szepesvári, 2006).

    A move's budget is shared equally among the choices that are left of it; the tree is kept
    from a choice to the next. A choice with a single open child takes nothing. The final
    choice is a proven win, else the most visited child.

    Args:
        depth: of the games, 1 to 4.
        budget: simulations or core-seconds for a move.
        seed: of the random numbers; a position's also depend on its game's id, if it has one.
        exploration: the constant of UCB1.
        solver: prove positions (MCTS-Solver), play a proven win at once.
        reuse: keep the subtree of a game (by its id) for the next move.
        decisive: rollouts take a board at hand, else avoid handing one over.
        trees: independent trees, merged at the end, that share a move's budget and can each
            use a core (root parallelism). The answer doesn't depend on the number of cores.
        max_nodes: of a tree, 128 bytes each. A full tree goes on without new nodes: simulations
            end in rollouts from its leaves.
        threads: how many cores to use for a batch; all by default.
    """

    def __init__(
        self,
        depth: int,
        budget: Budget,
        *,
        seed: int = 0,
        exploration: float = EXPLORATION,
        solver: bool = False,
        reuse: bool = False,
        decisive: bool = False,
        trees: int = 1,
        max_nodes: int = 4_000_000,
        threads: int | None = None,
    ) -> None:
        if budget.simulations is not None and budget.simulations < trees:
            raise ValueError(f"{trees} trees need as many simulations, not {budget.simulations}")
        self._depth, self._budget, self._seed = tree.check_depth(depth), budget.share(trees), seed
        self._options = Options(exploration, solver, decisive)
        self._reuse, self._trees, self._max_nodes = reuse, trees, max_nodes
        self._threads = threads or num_cores()
        self._warm_up()
        self._kept: dict[int, tuple[Positions, list[NDArray[np.int32]]]] = {}

    def _warm_up(self) -> None:
        """Have the kernels compiled before a clock runs."""
        forest = Forest(Positions(self._depth), np.zeros(1, np.uint64), capacity=2)
        forest.search(self._options, np.ones(1, np.int64), None, threads=1)

    @property
    def timed(self) -> bool:
        return self._budget.seconds is not None

    def reset(self, games: Sequence[int] | None = None) -> None:
        for game in list(self._kept) if games is None else games:
            self._kept.pop(game, None)

    def act(self, positions: Positions, games: Sequence[int] | None = None) -> Answer:
        ids = check_request(positions, self._depth, games)
        seeds = game_seeds(self._seed, ids, len(positions))
        answer = Answer.blank(len(positions))
        capacity = self._capacity()
        at_once = max(1, max(self._threads, _MEMORY // (capacity * NODE_BYTES)) // self._trees)
        for first in range(0, len(positions), at_once):
            rows = np.arange(first, min(first + at_once, len(positions)))
            chosen = None if games is None else [games[row] for row in rows.tolist()]
            self._act(positions, rows, chosen, seeds, capacity, answer)
        return answer

    def _capacity(self) -> int:
        """Nodes that a tree may need: one a simulation, and as many again if it was kept."""
        simulations = self._budget.simulations or int((self._budget.seconds or 0) * _FASTEST)
        return min(self._max_nodes, (simulations + 2) * (2 if self._reuse else 1))

    def _act(
        self,
        positions: Positions,
        rows: NDArray[np.int64],
        games: list[int] | None,
        seeds: NDArray[np.int64],
        capacity: int,
        answer: Answer,
    ) -> None:
        """Fill in `rows` of the answer, whose trees are searched side by side."""
        copies = np.repeat(rows, self._trees)
        forest = Forest(positions[copies], self._bits(positions, seeds, copies), capacity)
        if games is not None and self._reuse:
            self._bring_back(forest, games)
        trees = np.arange(len(copies)).reshape(-1, self._trees)  # of each game
        left = self._depth - np.array([tree.level_of(b) for b in positions.focus[rows].tolist()])
        for choice in range(self._depth):
            playing = np.flatnonzero(left)
            forest.search(self._options, *self._shares(forest, left), self._threads)
            statistics = forest.statistics().merged(self._trees)
            best = statistics.best()
            means = statistics.means()
            if choice == 0:
                answer.visits[rows], answer.scores[rows] = statistics.visits, means
            # a move's value is that of its first choice among several
            unknown = playing[(answer.simulations[rows[playing]] == 0)]
            answer.value[rows[unknown]] = np.nan_to_num(means[unknown, best[unknown]])
            answer.proven[rows[unknown]] = statistics.solved()[unknown]
            answer.simulations[rows] = forest.simulations.reshape(trees.shape).sum(axis=1)
            forest.choose(trees[playing].ravel(), np.repeat(best[playing], self._trees))
            left[playing] -= 1
        answer.seconds[rows] = forest.seconds.reshape(trees.shape).sum(axis=1)
        answer.square[rows] = forest.positions.last_square[trees[:, 0]]
        for row, first in zip(rows, trees[:, 0], strict=True):
            answer.variations[row][:] = [int(answer.square[row]), *forest.variation(first)]
        if games is not None and self._reuse:
            for game, own in zip(games, trees, strict=True):
                if forest.positions.state.outcome[own[0]] == UNDECIDED:
                    self._kept[game] = forest.positions[own], [forest.kept(t) for t in own]

    def _bits(
        self, positions: Positions, seeds: NDArray[np.int64], copies: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """uint64[T], a random stream for each tree."""
        number = np.arange(len(copies), dtype=np.uint64) % np.uint64(self._trees)
        streams: NDArray[np.uint64] = positions.keys[copies] ^ seeds[copies].astype(np.uint64)
        return streams + number * np.uint64(0xD1B54A32D192ED03)  # far apart

    def _shares(
        self, forest: Forest, left: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
        """What each tree may take for this choice: simulations or core-seconds."""
        choices = np.repeat(left, self._trees)
        worth_it = (choices > 0) & (forest.positions.legal_children.sum(axis=1) > 1)
        if self._budget.simulations is not None:
            rest = self._budget.simulations - forest.simulations
            return np.where(worth_it, rest // np.maximum(choices, 1), 0), None
        time_left = (self._budget.seconds or 0.0) - forest.seconds
        return None, np.where(worth_it, time_left / np.maximum(choices, 1), 0.0)

    def _bring_back(self, forest: Forest, games: list[int]) -> None:
        """Graft the trees kept for these games where the opponent's move leads on in them."""
        for i, game in enumerate(games):
            expected, kept = self._kept.pop(game, (None, []))
            first = i * self._trees
            square = int(forest.positions.state.last_square[first])
            if expected is None or square < 0 or not expected[0].legal[0, square]:
                continue
            focus = int(expected.state.focus[0])
            digits = tree.digits_of(tree.num_boards(self._depth) + square)[tree.level_of(focus) :]
            expected.play([square] * len(expected))
            if expected.keys[0] != forest.positions[first].keys[0]:
                continue
            for t, nodes in enumerate(kept):
                node = follow(nodes, digits)
                if node is not None:
                    forest.graft(first + t, nodes, node)
