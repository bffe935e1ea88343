"""Search guided by an evaluator: known truths, rules against their formulas, rows kept apart."""

import math

import numpy as np
import pytest

from agents.search.evaluator import RolloutEvaluator, Stateless, UniformEvaluator
from agents.search.gumbel import GumbelRules, draw_gumbel, halving_schedule, root_digit
from agents.search.puct import PuctRules, best_digit, noisy_priors
from agents.search.search import search
from agents.search.tree import add_node, new_tree
from rstt_env import UNDECIDED, Positions, positions_from_moves
from tests.conftest import DEPTHS, JIT
from tests.vectors import ENDGAMES

RULES = [GumbelRules(), PuctRules()]


def seeds(number):
    return np.arange(number, dtype=np.uint64)


class TableEvaluator(Stateless):
    """Logits and a value that depend on the position's key alone."""

    def __init__(self):
        self.batches = []

    def evaluate(self, state, positions, roots):
        keys = Positions.from_state(state)[positions].keys
        self.batches.append(len(positions))
        parts = (keys[:, None] >> np.arange(0, 54, 6, dtype=np.uint64)) & np.uint64(63)
        values = (keys % np.uint64(1001)).astype(np.float32) / 500 - 1
        return parts.astype(np.float32) / 32, values


def test_the_root_s_child_is_the_best_of_those_whose_turn_it_is_or_else_of_all():
    noise, completed, policy = np.zeros(9), np.arange(9) * 1.0, np.ones(9)
    visits = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0], np.int32)
    assert root_digit(0b111111111, visits, noise, 1, completed, policy) == 4
    assert root_digit(0b111111111, visits, noise, 0, completed, policy) == 8
    assert root_digit(0b111111111, visits, noise, 7, completed, policy) == 8
    assert root_digit(0b000000111, visits, noise, 0, completed, policy) == 2


def test_the_halving_schedule_divides_the_simulations():
    """Nine children: 9 × 1, then the better halves; every child's turns come in order."""
    schedule = halving_schedule(9, 32)
    assert schedule[:4] == [(0, 9), (1, 4), (2, 4), (3, 2)]
    assert sum(number for _, number in schedule) == 32
    assert halving_schedule(4, 16) == [(0, 4), (1, 4), (2, 2), (3, 2), (4, 2), (5, 2)]
    assert halving_schedule(1, 3) == [(0, 1), (1, 1), (2, 1)]
    assert halving_schedule(9, 5) == [(0, 5)]
    assert halving_schedule(9, 0) == []


def test_gumbel_noise_has_the_right_distribution():
    noise = np.empty((4000, 9))
    for row, stream in enumerate(seeds(len(noise))):
        draw_gumbel(np.uint64(stream * np.uint64(0x9E3779B97F4A7C15)), noise[row])
    assert noise.mean() == pytest.approx(0.5772, abs=0.05)
    assert noise.var() == pytest.approx(math.pi**2 / 6, rel=0.1)


@pytest.mark.parametrize("rules", RULES)
def test_without_simulations_it_is_the_bare_policy(rules):
    class Fixed(Stateless):
        def evaluate(self, state, games, roots):
            return np.tile(np.log(np.arange(1, 10, dtype=np.float32)), (len(games), 1)), np.full(
                len(games), 0.25, np.float32
            )

    result = search(Positions(1), Fixed(), rules, 0, seeds(1), explore=False)
    np.testing.assert_allclose(result.policy[0], np.arange(1, 10) / 45, rtol=1e-5)
    assert result.digit[0] == 8
    assert result.value[0] == pytest.approx(0.25)
    assert result.simulations[0] == 0


def test_the_completed_policy_is_the_paper_s():
    """One simulation: the visited child has its value, the others the mixed value."""

    class Fixed(Stateless):
        def evaluate(self, state, games, roots):
            first = Positions.from_state(state)[games].ply == 0
            values = np.where(first, 0.1, -0.6).astype(np.float32)  # for the mover
            return np.zeros((len(games), 9), np.float32), values

    result = search(Positions(1), Fixed(), GumbelRules(), 1, seeds(1), explore=False)
    (visited,) = np.flatnonzero(result.visits[0])
    assert result.scores[0, visited] == pytest.approx(0.6)
    mixed = (0.1 + 1 * 0.6) / 2  # (v + N · Σπq / Σπ) / (1 + N)
    sigma = (50 + 1) * 1.0
    logits = np.full(9, sigma * (mixed + 1) / 2)
    logits[visited] = sigma * (0.6 + 1) / 2
    expected = np.exp(logits - logits.max())
    np.testing.assert_allclose(result.policy[0], expected / expected.sum(), rtol=1e-4)


@pytest.mark.parametrize(("visits", "totals", "expected"), [
    ([0, 0, 0], [0, 0, 0], 2),  # N = 0: the highest prior
    ([0, 0, 1], [0, 0, -1], 1),  # N = 1: 0.3 · c beats -1 + 0.6 / 2 · c
    ([4, 0, 4], [4, 0, -4], 0),
])  # fmt: skip
def test_puct_follows_its_formula(visits, totals, expected):
    tree = new_tree(1, 1)
    logits = np.log(np.array([0.1, 0.3, 0.6] + [1e-9] * 6))
    add_node(tree, 0, 0, 0b111, logits, 0.0)
    tree.visits[0, 0, :3], tree.totals[0, 0, :3] = visits, totals
    prior = np.empty(9)
    noisy_priors(tree, 0, np.zeros(9), 0.0, prior)
    np.testing.assert_allclose(prior[:3], [0.1, 0.3, 0.6], rtol=1e-6)
    assert best_digit(tree, 0, 0, prior, 1.25) == expected


@pytest.mark.parametrize("rules", RULES)
def test_a_win_is_found_proven_and_played_for_both_players(rules):
    # X wins with 6; O, to move, must block 6
    positions = positions_from_moves(1, [[4, 0, 2, 1], [4, 0, 2], [4, 0, 8, 2, 3, 6]])
    result = search(positions, RolloutEvaluator(4), rules, 60, seeds(3), explore=False)
    assert result.digit.tolist() == [6, 6, 5]
    assert result.proven[[0, 2]].all()
    assert result.value[[0, 2]].tolist() == [1, 1]
    np.testing.assert_allclose(result.policy[0], np.eye(9)[6])


@pytest.mark.parametrize("rules", RULES)
def test_what_is_proven_in_the_endgames_is_true(rules):
    chosen = ENDGAMES if JIT else ENDGAMES[:1]
    positions = positions_from_moves(2, [endgame["moves"] for endgame in chosen])
    result = search(
        positions, RolloutEvaluator(1), rules, 800 if JIT else 60, seeds(len(chosen)), explore=False
    )
    values = np.array([endgame["value"] for endgame in chosen])
    np.testing.assert_array_equal(result.value[result.proven], values[result.proven])
    if JIT:
        assert result.proven.sum() >= 10
    best = np.array([endgame["best"][0] for endgame in chosen])
    free = positions.focus == 0
    sure = result.proven & (values == 1) & ~free
    np.testing.assert_array_equal(result.digit[sure], best[sure] % 9)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_position_gets_the_same_answer_alone_and_in_any_batch(depth, rules):
    positions = Positions(depth, 6)
    rng = np.random.default_rng(depth)
    for _ in range(3):
        positions.play(positions.random_squares(rng.integers(2**62, size=6)))
    order = np.array([3, 0, 5, 1, 4, 2])
    simulations = 24 if JIT else 6
    together = search(positions, TableEvaluator(), rules, simulations, seeds(6), explore=True)
    shuffled = search(
        positions[order], TableEvaluator(), rules, simulations, seeds(6)[order], explore=True,
        threads=1,
    )  # fmt: skip
    for ours, theirs in zip(together, shuffled, strict=True):
        np.testing.assert_array_equal(ours[order], theirs)
    alone = search(positions[4], TableEvaluator(), rules, simulations, seeds(6)[4:5], explore=True)
    np.testing.assert_array_equal(alone.policy[0], together.policy[4])


@pytest.mark.parametrize(("rules", "batches"), [
    (GumbelRules(), [5, 45, 20, 10, 5]),  # the roots, then a leaf for each child of a turn
    (PuctRules(), [5] * 17),  # the roots, then one batch a simulation
])  # fmt: skip
def test_all_games_are_evaluated_together(rules, batches):
    evaluator = TableEvaluator()
    search(Positions(2, 5), evaluator, rules, 16, seeds(5), explore=True)
    assert evaluator.batches == batches


@pytest.mark.parametrize("rules", RULES)
def test_closed_children_get_nothing_and_every_simulation_counts(rules):
    positions = Positions(2, 8)
    for seed in range(20):
        positions.play(positions.random_squares(seed + np.arange(8)))
    positions = positions[positions.outcome == UNDECIDED]
    before = positions.keys
    result = search(positions, TableEvaluator(), rules, 16, seeds(len(positions)), explore=True)
    closed = ~positions.legal_children
    assert (result.policy[closed] == 0).all()
    assert (result.visits[closed] == 0).all()
    np.testing.assert_allclose(result.policy.sum(axis=1), 1, rtol=1e-5)
    assert (result.visits.sum(axis=1) == result.simulations).all()
    assert (result.simulations[~result.proven] == 16).all()
    assert (positions.keys == before).all()
    assert positions.legal_children[np.arange(len(positions)), result.digit].all()


def test_an_evaluator_is_told_of_the_roots_that_leaves_were_reached_from():
    class Told(UniformEvaluator):
        def __init__(self):
            self.planted = []

        def plant(self, state):
            self.planted.append(Positions.from_state(state).copy())

        def evaluate(self, state, positions, roots):
            asked = Positions.from_state(state)[positions]
            before = self.planted[-1].state.boards[roots][:, :, :2]
            after = asked.state.boards[:, :, :2]
            assert ((before & after) == before).all()  # no mark was taken away
            return super().evaluate(state, positions, roots)

    positions = Positions(1, 3)
    positions.play([0, 4, 8])
    told = Told()
    search(positions, told, GumbelRules(), 12, seeds(3), explore=False)
    assert len(told.planted) == 1
    np.testing.assert_array_equal(told.planted[0].keys, positions.keys)
