"""UCT, slow and obvious: nodes are objects, the path is a list, positions are copied.

It draws the same random numbers in the same order as the kernel, so that both must grow the
same tree. No part of it is shared with the kernel but the random generator and the engine.
"""

import math

import numpy as np

from rstt_env import DRAW, UNDECIDED
from rstt_env.rng import GAMMA, below


class Node:
    def __init__(self, position):
        self.player = int(position.to_play[0])
        self.untried = np.flatnonzero(position.legal_children[0]).tolist()
        self.visits, self.totals, self.children, self.proven = {}, {}, {}, {}
        self.legal = list(self.untried)

    def value(self):
        """The proven value for the node's player, or None."""
        if 1 in self.proven.values():
            return 1
        if len(self.proven) == len(self.legal):
            return max(self.proven.values())
        return None


class Twin:
    def __init__(self, position, bits, exploration, solver=False):
        self.position, self.bits = position.copy(), int(bits)
        self.exploration, self.solver = exploration, solver
        self.root = Node(position)
        self.nodes = 1

    def draw(self):
        self.bits = (self.bits + int(GAMMA)) % 2**64
        return np.uint64(self.bits)

    def simulate(self):
        position, node, path, known = self.position.copy(), self.root, [], False
        bits = self.draw()
        while True:
            new = bool(node.untried)
            if new:
                digit = node.untried.pop(int(below(len(node.untried), bits)))
            else:
                digit = self.best(node)
            path.append((node, digit))
            if digit in node.proven:
                winner = self.winner(node.proven[digit], node.player)
                known = True
                break
            position.choose([digit])
            if position.outcome[0] != UNDECIDED:
                winner, known = int(position.outcome[0]), True
                break
            if digit not in node.children:
                winning = self.winning_digits(position) if self.solver else []
                if winning:
                    node.children[digit] = Node(position)
                    node.children[digit].proven.update(dict.fromkeys(winning, 1))
                    self.nodes += 1
                    winner, known = int(position.to_play[0]), True
                    break
                if new:
                    winner = self.rollout(position)
                    break
                node.children[digit] = Node(position)
                self.nodes += 1
            node = node.children[digit]
        for node, digit in reversed(path):
            result = 0 if winner == DRAW else 1 if winner == node.player else -1
            node.visits[digit] = node.visits.get(digit, 0) + 1
            node.totals[digit] = node.totals.get(digit, 0) + result
            if known and self.solver:
                node.proven.setdefault(digit, result)
                value = node.value()
                known = value is not None
                if known:
                    winner = self.winner(value, node.player)

    def winning_digits(self, position):
        """The squares that win at once, where the mover is confined to a deepest board."""
        if 9 * position.focus[0] + 1 < position.state.boards.shape[1]:
            return []
        digits = np.flatnonzero(position.legal_children[0])
        following = position[np.zeros(len(digits), int)]
        following.choose(digits)
        return digits[following.outcome == position.to_play[0]].tolist()

    def winner(self, value, player):
        return DRAW if value == 0 else player if value == 1 else 1 - player

    def best(self, node):
        total = sum(node.visits.values())
        bounds = {}
        for digit, visits in sorted(node.visits.items()):
            if node.proven.get(digit) != -1:
                mean = node.totals[digit] / visits
                bounds[digit] = mean + self.exploration * math.sqrt(math.log(total) / visits)
        return max(bounds, key=bounds.get)  # the first of equals

    def rollout(self, position):
        while position.outcome[0] == UNDECIDED:
            bits = self.draw()
            legal = np.flatnonzero(position.legal[0])
            position.play([legal[int(below(len(legal), bits))]])
        return int(position.outcome[0])
