"""UCT against its slow twin, against known truths, and in the corners of its options."""

import numpy as np
import pytest

from agents import make_agent
from agents.budget import Budget
from agents.uct import EXPLORATION, UCTAgent
from agents.uct.forest import Forest, Options, Statistics
from agents.uct.rollout import careful_move
from agents.uct.search import best_edge
from agents.uct.tree import CHILD, NONE, TOTAL, VISITS, WIDTH
from rstt_env import UNDECIDED, O, Positions, X, positions_from_moves
from rstt_env.state import CLOSED
from tests.conftest import DEPTHS, JIT
from tests.twins.uct import Twin
from tests.vectors import ENDGAMES, GAMES

PLAIN = Options(exploration=1.4, solver=False, decisive=False)
SOLVER = Options(exploration=1.4, solver=True, decisive=False)
GOLDEN_VISITS = [20, 28, 14, 18, 52, 33, 5, 2, 28]
GOLDEN_SQUARE = 79
GOLDEN_FIRST_CHOICE = [22, 14, 9, 38, 11, 23, 8, 23, 52]
GAMES_OF_2 = [game for game in GAMES if game["depth"] == 2 and game["result"] != "draw"]
GOLDEN_TOTALS = [4, 9, 1, 3, 21, 10, -2, -2, 8]
LATE = ENDGAMES[0]["moves"]


def grow(positions, simulations, options=PLAIN, bits=None, capacity=5000, threads=1):
    bits = np.arange(len(positions), dtype=np.uint64) if bits is None else bits
    forest = Forest(positions.copy(), bits.copy(), capacity)
    forest.search(options, np.full(len(positions), simulations), None, threads)
    return forest


def same(twin, nodes, row, node):
    """Whether a node of the twin and its subtree are row `row` of the kernel's nodes."""
    for digit in range(9):
        assert nodes[row, VISITS + digit] == node.visits.get(digit, 0)
        child = nodes[row, CHILD + digit]
        assert (child != NONE) == (digit in node.children)
        if child != NONE:
            same(twin, nodes, child, node.children[digit])


@pytest.mark.parametrize("options", [PLAIN, SOLVER])
@pytest.mark.parametrize(
    ("depth", "moves", "simulations"),
    [(1, [], 300), (1, [4, 0, 8], 100), (2, [40], 120), (2, LATE, 400), (3, [0], 15)],
)
def test_kernel_and_slow_twin_grow_the_same_tree(depth, moves, simulations, options):
    if depth not in DEPTHS:
        pytest.skip("slow without the JIT")
    position = positions_from_moves(depth, [moves])
    bits = np.array([99], np.uint64)
    forest = grow(position, simulations, options, bits)
    twin = Twin(position, bits[0], options.exploration, options.solver)
    for _ in range(int(forest.simulations[0])):
        twin.simulate()
    assert forest.simulations[0] == simulations or twin.root.value() is not None
    assert forest.sizes[0] == twin.nodes
    same(twin, forest.nodes[0], 0, twin.root)
    assert forest.statistics().totals[0].tolist() == [twin.root.totals.get(k, 0) for k in range(9)]


def test_golden_tree():
    """The root of a small tree, written down: a change of the frozen yardstick shows here."""
    forest = grow(Positions(1), 200, Options(EXPLORATION, False, False), np.array([5], np.uint64))
    statistics = forest.statistics()
    assert statistics.visits[0].tolist() == GOLDEN_VISITS
    assert statistics.totals[0].tolist() == GOLDEN_TOTALS


def test_the_frozen_yardstick_s_answer():
    """`uct:N` with its keys, shares and seeds, at depth 2: this is what results refer to."""
    answer = make_agent("uct:400", 2, seed=0).act(Positions(2), [1])
    assert answer.square.tolist() == [GOLDEN_SQUARE]
    assert answer.visits[0].tolist() == GOLDEN_FIRST_CHOICE


@pytest.mark.parametrize(
    ("visits", "totals", "expected"),
    [
        ([1, 0], [-1, 0], 0),  # N = 1: log 1 = 0, the only visited edge
        ([1, 1], [-1, 1], 1),  # N = 2: the same width for both
        ([100, 2], [40, 0], 1),  # 0.4 + 0.21 < 0 + 1.52
        ([100, 20], [80, 6], 0),  # 0.8 + 0.22 > 0.3 + 0.49
    ],
)
def test_the_upper_confidence_bound(visits, totals, expected):
    nodes = np.zeros((1, 1, WIDTH), np.int32)
    nodes[0, 0, VISITS : VISITS + 2] = visits
    nodes[0, 0, TOTAL : TOTAL + 2] = totals
    assert best_edge(nodes, 0, 0, 1.0) == expected


def test_the_final_choice():
    """A proven win; else visits without proven losses; then the mean; then the digit."""
    nan = np.nan

    def best(visits, totals, proven):
        wide = [
            np.array([row + [0 if row is not proven else nan] * 6])
            for row in (visits, totals, proven)
        ]
        return int(Statistics(np.arange(9)[None] < 3, *wide).best()[0])

    assert best([5, 90, 5], [0, 80, 5], [nan, nan, 1.0]) == 2
    assert best([5, 90, 5], [0, 80, 5], [nan, -1.0, nan]) == 2
    assert best([5, 9, 9], [0, 3, 4], [nan, nan, nan]) == 2
    assert best([9, 9, 9], [4, 4, 4], [nan, nan, nan]) == 0
    assert best([5, 90, 5], [0, 0, 0], [-1.0, -1.0, -1.0]) == 1
    assert best([5, 90, 5], [0, 0, 0], [0.0, nan, nan]) == 1


def test_a_proven_win_of_several_choices_is_carried_out():
    """Free to move, with few simulations: what the first choice proved is then played."""
    agent = make_agent("uct:4:solver", 2, seed=1)
    late = positions_from_moves(2, [game["moves"][: len(game["moves"]) - 1] for game in GAMES_OF_2])
    answer = agent.act(late)
    sure = answer.proven & (answer.value == 1)
    assert sure.sum() > 10
    after = late.copy()
    mover = after.to_play
    after.play(answer.square)
    replies = make_agent("alphabeta:200", 2).act(after[sure & (after.outcome == UNDECIDED)])
    won = after.outcome[sure] == mover[sure]
    assert won.sum() + (replies.value == -1).sum() == sure.sum()


def test_decisive_rollouts_change_the_search():
    decisive = grow(Positions(2), 200, Options(1.0, False, True))
    plain = grow(Positions(2), 200, Options(1.0, False, False))
    assert (decisive.statistics().totals != plain.statistics().totals).any()


@pytest.mark.parametrize("trees", ["", ":p2"])
def test_a_kept_tree_is_used_only_where_it_leads(trees):
    """The same id with another position is searched anew."""
    agent = make_agent(f"uct:200:reuse{trees}", 2, seed=1)
    agent.act(Positions(2), [1])
    other = positions_from_moves(2, [[8, 72]])
    fresh = make_agent(f"uct:200{trees}", 2, seed=1).act(other, [1])
    np.testing.assert_array_equal(agent.act(other, [1]).visits, fresh.visits)


def test_bandit_with_a_known_answer():
    """O has two squares left: 6 draws, 8 loses. UCB1 pulls an arm that is worse by 1 about
    c² log N = 12 times of 500."""
    position = positions_from_moves(1, [[0, 1, 2, 4, 3, 5, 7]])
    statistics = grow(position, 500).statistics()
    assert statistics.visits[0].sum() == statistics.visits[0, [6, 8]].sum() == 500
    assert statistics.totals[0, 6] == 0
    assert statistics.totals[0, 8] == -statistics.visits[0, 8]
    assert 9 <= statistics.visits[0, 8] <= 15


def test_every_edge_counts_for_its_own_player():
    """The same position with the players exchanged grows the same tree."""
    x, o = positions_from_moves(1, [[4, 0], [4, 0]])
    swapped = o.copy()
    swapped.state.boards[:, :, [0, 1]] = swapped.state.boards[:, :, [1, 0]]
    swapped.state.to_play[:] = 1 - swapped.state.to_play
    forests = [grow(p, 400, SOLVER, np.array([3], np.uint64)) for p in (x, swapped)]
    for ours, theirs in zip(*(f.statistics() for f in forests), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_position_gets_the_same_answer_alone_and_in_any_batch(depth):
    simulations = 60 if JIT else 8
    agent = make_agent(f"uct:{simulations}", depth, seed=3)
    positions = positions_from_moves(depth, [[], [0], [1], [2]])
    together = agent.act(positions)
    for row in range(len(positions)):
        alone = agent.act(positions[row])
        assert alone.square[0] == together.square[row]
        np.testing.assert_array_equal(alone.visits[0], together.visits[row])
    backwards = agent.act(positions[::-1])
    np.testing.assert_array_equal(backwards.square[::-1], together.square)
    one_thread = make_agent(f"uct:{simulations}", depth, seed=3, threads=1).act(positions)
    np.testing.assert_array_equal(one_thread.visits, together.visits)


def test_games_and_seeds_have_random_numbers_of_their_own():
    positions = Positions(2, 3)
    agent = make_agent("uct:100", 2, seed=1)
    visits = agent.act(positions, [5, 6, 7]).visits
    assert len({tuple(row) for row in visits.tolist()}) == 3
    np.testing.assert_array_equal(agent.act(positions, [7, 5, 6]).visits, visits[[2, 0, 1]])
    assert (agent.act(positions).visits == agent.act(positions).visits[0]).all()
    other = make_agent("uct:100", 2, seed=2).act(positions, [5, 6, 7]).visits
    assert (other != visits).any()


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_moves_simulations_are_shared_among_its_choices(depth):
    agent = make_agent("uct:40", depth)
    answer = agent.act(Positions(depth))
    assert answer.simulations[0] == 40
    assert answer.visits[0].sum() == 40 // depth
    # confined to a deepest board, a move is a single choice
    confined = positions_from_moves(depth, [[0]])
    assert agent.act(confined).visits[0].sum() == 40


def test_a_choice_with_a_single_child_costs_nothing():
    position = positions_from_moves(1, [[0, 1, 2, 4, 3, 5, 7, 6]])
    answer = make_agent("uct:1000", 1).act(position)
    assert answer.square[0] == 8
    assert answer.simulations[0] == 0


def test_the_solver_is_right_in_the_endgames_and_wherever_it_has_a_proof():
    chosen = ENDGAMES if JIT else ENDGAMES[:1]
    agent = make_agent("uct:20000:solver" if JIT else "uct:600:solver", 2)
    positions = positions_from_moves(2, [endgame["moves"] for endgame in chosen])
    answer = agent.act(positions)
    right = [
        square in endgame["best"] for square, endgame in zip(answer.square, chosen, strict=True)
    ]
    assert sum(right) >= (57 if JIT else 1)
    proven = answer.proven
    assert proven.sum() >= (30 if JIT else 0)
    values = np.array([endgame["value"] for endgame in chosen])
    assert np.array(right)[proven].all()
    np.testing.assert_array_equal(answer.value[proven], values[proven])


def test_a_proven_win_is_played_at_once_and_a_proven_loss_avoided():
    # X to move: 6 wins at once; in the second position O must block 6
    positions = positions_from_moves(1, [[4, 0, 2, 1], [4, 0, 2]])
    answer = make_agent("uct:5000:solver", 1).act(positions)
    assert answer.square.tolist() == [6, 6]
    assert answer.value.tolist() == [1.0, 0.0]
    assert answer.simulations[0] < 100
    assert (answer.scores[1, [1, 3, 5, 7, 8]] == -1).all()


def test_reuse_keeps_the_subtree_after_both_moves():
    agent = make_agent("uct:500:reuse", 2, seed=1)
    position = Positions(2)
    first = agent.act(position, [8])
    position.play(first.square)
    reply = first.variations[0][1]
    position.play([reply])
    fresh = make_agent("uct:500", 2, seed=1).act(position, [8])
    kept = agent.act(position, [8])
    assert fresh.visits.sum() < kept.visits.sum()
    assert kept.simulations[0] == fresh.simulations[0]  # new ones
    again = agent.act(position, [8])
    assert again.visits.sum() == fresh.visits.sum()  # the kept tree belongs to the next turn


def test_reset_and_other_games_forget_the_tree():
    agent = make_agent("uct:200:reuse", 2, seed=1)
    position = Positions(2)
    position.play(agent.act(position, [1]).square)
    position.play(position.random_squares(0))
    fresh = make_agent("uct:200", 2, seed=1).act(position, [1])
    agent.reset([1])
    np.testing.assert_array_equal(agent.act(position, [1]).visits, fresh.visits)


def test_a_full_tree_goes_on_without_new_nodes():
    forest = grow(Positions(2), 3000 if JIT else 60, capacity=8)
    assert forest.sizes[0] == 8
    assert forest.statistics().visits.sum() == (3000 if JIT else 60)
    answer = UCTAgent(2, Budget(simulations=400 if JIT else 40), max_nodes=5).act(Positions(2))
    assert answer.simulations[0] == (400 if JIT else 40)
    assert Positions(2).legal[0, answer.square[0]]


def test_parallel_trees_share_the_budget_and_ignore_the_number_of_cores():
    positions = Positions(2, 2)
    one = make_agent("uct:400:p4", 2, threads=1).act(positions, [0, 1])
    two = make_agent("uct:400:p4", 2, threads=2).act(positions, [0, 1])
    np.testing.assert_array_equal(one.visits, two.visits)
    assert one.simulations.tolist() == [400, 400]
    assert one.visits.sum(axis=1).tolist() == [200, 200]


@pytest.mark.jit
def test_a_budget_in_seconds_is_kept():
    answer = make_agent("uct:0.2s", 2).act(Positions(2))
    assert answer.simulations[0] > 1000
    assert 0.15 < answer.seconds[0] < 0.4


@pytest.mark.parametrize("depth", DEPTHS)
def test_variations_are_legal_lines(depth):
    answer = make_agent("uct:300:solver" if JIT else "uct:20:solver", depth).act(Positions(depth))
    line = answer.variations[0]
    assert line[0] == answer.square[0]
    positions_from_moves(depth, [line])


def test_careful_rollouts_take_a_board_at_hand():
    state = Positions(2).state
    state.boards[0, 5, X] = state.boards[0, 5, CLOSED] = 0b11  # X needs digit 2 of board 5
    digits = {careful_move(state.levels, state.boards, 0, 5, 7, X, np.uint64(b)) for b in range(9)}
    assert digits == {2}


def test_careful_rollouts_do_not_hand_a_board_over_unless_they_must():
    state = Positions(2).state
    for digit in range(8):  # O needs one mark in the boards that 0-7 send to, not in that of 8
        state.boards[0, 1 + digit, O] = state.boards[0, 1 + digit, CLOSED] = 0b110
    state.boards[0, 5] = 0  # the board at hand is empty
    safe = {careful_move(state.levels, state.boards, 0, 5, 0, X, np.uint64(b)) for b in range(40)}
    assert safe == {4, 8}  # 4 is the board at hand itself
    state.boards[0, 9, O] = state.boards[0, 9, CLOSED] = 0b110
    state.boards[0, 5, CLOSED] = 0b10000  # now all that is left hands one over
    digit = careful_move(state.levels, state.boards, 0, 5, 3, X, np.uint64(1))
    assert digit in {0, 1, 2, 3, 5, 6, 7, 8}


def test_careful_rollouts_know_that_the_move_itself_blocks():
    state = Positions(1).state
    state.boards[0, 0, O], state.boards[0, 0, CLOSED] = 0b11, 0b11  # O threatens 2
    digits = {careful_move(state.levels, state.boards, 0, 0, 5, X, np.uint64(b)) for b in range(9)}
    assert digits == {2}
