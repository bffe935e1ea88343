"""Alpha-beta against solved positions, plain minimax, and perfect play at depth 1."""

import numpy as np
import pytest

from agents import make_agent
from agents.alphabeta.deepening import Deepening
from agents.alphabeta.evaluation import fill_scores, mark, unmark
from agents.alphabeta.table import AT_LEAST, SOLVED, look_up, new_table, store
from agents.simple import RandomAgent
from rstt_env import DRAW, UNDECIDED, O, Positions, X, positions_from_moves
from tests.conftest import DEPTHS, JIT
from tests.twins.negamax import negamax
from tests.vectors import ENDGAMES

SOME = ENDGAMES if JIT else ENDGAMES[:2]


def test_the_endgames_are_solved_to_the_end():
    """The one best move of each, its value, and the opposite value for the other player after
    every move."""
    agent = make_agent("alphabeta:200", 2)
    positions = positions_from_moves(2, [endgame["moves"] for endgame in SOME])
    answer = agent.act(positions)
    assert answer.square.tolist() == [endgame["best"][0] for endgame in SOME]
    assert answer.value.tolist() == [endgame["value"] for endgame in SOME]
    assert answer.proven.all()
    after = [
        (endgame["moves"] + [int(square)], value)
        for endgame in SOME
        for square, value in endgame["values"].items()
    ]
    positions = positions_from_moves(2, [moves for moves, _ in after])
    going_on = np.flatnonzero(positions.outcome == UNDECIDED)
    values = agent.act(positions[going_on]).value
    assert values.tolist() == [-after[game][1] for game in going_on]


def minimax(position):
    """The value for the mover, and how many plies the loser can hold out; slow and obvious."""
    player = int(position.to_play[0])
    results = []
    for square in np.flatnonzero(position.legal[0]):
        following = position.copy()
        following.play([square])
        outcome = int(following.outcome[0])
        if outcome == UNDECIDED:
            results.append(-minimax(following))
        else:
            results.append(0 if outcome == DRAW else 1 if outcome == player else -1)
    return max(results)


@pytest.mark.parametrize("moves", [[4, 0, 8], [0, 4, 8, 1], [0, 1, 4], [1, 3, 5]])
def test_values_are_those_of_plain_minimax(moves):
    position = positions_from_moves(1, [moves])
    assert make_agent("alphabeta:9", 1).act(position).value[0] == minimax(position)


@pytest.mark.parametrize("log2_size", [1, 16])
@pytest.mark.parametrize("depth", [1, 2, 3] if JIT else [1])
def test_scores_are_those_of_plain_negamax(depth, log2_size):
    """With the table and without (a table of two entries), wins and losses to the choice."""
    rng = np.random.default_rng(depth)
    for _ in range(40 if JIT else 3):
        position = Positions(depth)
        for _ in range(int(rng.integers(1, {1: 6, 2: 50, 3: 300}[depth]))):
            if position.outcome[0] == UNDECIDED:
                position.play(position.random_squares(int(rng.integers(2**62))))
        if position.outcome[0] != UNDECIDED:
            continue
        deepening = Deepening(position, new_table(log2_size))
        for choices in (1, 2, 3):
            deepening.to(choices)
            assert deepening.score == negamax(position, choices)
            if deepening.solved:
                break


def test_the_quicker_win_is_played():
    # X can win at once with 6 (2, 4, 6) or, more slowly, by 8 with two threats
    position = positions_from_moves(1, [[4, 0, 2, 1]])
    assert make_agent("alphabeta:9", 1).act(position).square[0] == 6


def test_depth_one_is_a_draw_from_every_first_square():
    positions = positions_from_moves(1, [[square] for square in range(9)])
    answer = make_agent("alphabeta:9", 1).act(positions)
    assert (answer.value == 0).all()


@pytest.mark.parametrize("seat", [X, O])
def test_it_never_loses_at_depth_one_against_any_replies(seat):
    agent = make_agent("alphabeta:9", 1)
    positions, results = Positions(1), set()
    while len(positions):
        ours = np.flatnonzero(positions.to_play == seat)
        theirs = np.flatnonzero(positions.to_play != seat)
        games, replies = np.nonzero(positions[theirs].legal)
        replied = positions[theirs[games]]
        replied.play(replies)
        answered = positions[ours]
        if len(ours):
            answered.play(agent.act(answered).square)
        following = replied if len(replied) else answered
        results |= set(following.outcome.tolist())
        positions = following[following.outcome == UNDECIDED]
    assert 1 - seat not in results
    assert {seat, DRAW} <= results


@pytest.mark.parametrize("depth", DEPTHS)
def test_scores_are_kept_up_to_date_and_undone(depth):
    """Incremental evaluation equals evaluation from scratch, along whole random games."""
    state, game = Positions(depth).state, Positions(depth)
    scores = np.zeros(state.boards.shape[1], np.int32)
    fresh = scores.copy()
    saved = np.zeros((1, depth, 4), np.uint16), np.zeros((1, depth), np.int32)
    rng = np.random.default_rng(depth)
    for ply in range(400 if JIT else 60):
        if game.outcome[0] != UNDECIDED:
            break
        square, player = int(game.random_squares(int(rng.integers(2**62)))[0]), int(game.to_play[0])
        board, digit = state.boards.shape[1] - 9 ** (depth - 1) + square // 9, square % 9
        before = state.boards.copy(), scores.copy()
        for attempt in range(2):
            mark(state.levels, state.boards, scores, board, digit, player, *saved, 0)
            if attempt == 0:
                unmark(state.levels, state.boards, scores, board, *saved, 0)
                np.testing.assert_array_equal(state.boards, before[0])
                np.testing.assert_array_equal(scores, before[1])
        game.play([square])
        np.testing.assert_array_equal(state.boards, game.state.boards)
        if depth < 4 or ply % 20 == 0:
            fill_scores(state.levels, state.boards, fresh)
            np.testing.assert_array_equal(scores, fresh)


def test_the_evaluation_takes_no_side():
    positions = positions_from_moves(2, [[40, 36, 0, 8, 72]])
    swapped = positions.copy()
    swapped.state.boards[:, :, [0, 1]] = swapped.state.boards[:, :, [1, 0]]
    totals = []
    for state in (positions.state, swapped.state):
        scores = np.zeros(10, np.int32)
        fill_scores(state.levels, state.boards, scores)
        totals.append(int(scores[0]))
    assert totals[0] == -totals[1] != 0


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_position_gets_the_same_answer_alone_and_in_any_batch(depth):
    agent = make_agent("alphabeta:4" if JIT else "alphabeta:2", depth)
    start = positions_from_moves(depth, [[0], [1], [2], [3]])
    start.play(RandomAgent(depth).act(start).square)
    together = agent.act(start)
    backwards = agent.act(start[::-1])
    for row in range(4):
        alone = agent.act(start[row])
        assert alone.square[0] == together.square[row] == backwards.square[3 - row]
        assert alone.value[0] == together.value[row]
        assert alone.simulations[0] == together.simulations[row]


@pytest.mark.parametrize("depth", DEPTHS)
def test_it_takes_what_one_move_wins(depth):
    """At every depth: the first player to have two in a row everywhere needs one mark."""
    position = Positions(depth)
    levels = range(depth)
    board = 0
    for level in levels:  # X owns children 0 and 1 of every board on the way down to child 2
        position.state.boards[0, board, 0] = position.state.boards[0, board, 2] = 0b11
        board = 9 * board + 3 if level < depth - 1 else board
    position.state.focus[0] = board
    answer = make_agent("alphabeta:2", depth).act(position)
    assert answer.square[0] == int("2" * depth, 9)
    assert answer.value[0] == 1


def test_heuristic_values_are_no_proofs():
    answer = make_agent("alphabeta:3", 2).act(positions_from_moves(2, [[40]]))
    assert -1 < answer.value[0] < 1
    assert not answer.proven[0]
    assert (np.abs(answer.scores[0][~np.isnan(answer.scores[0])]) < 1).all()


@pytest.mark.jit
def test_a_budget_in_seconds_is_kept_and_an_interrupted_search_answers():
    position = positions_from_moves(2, [[40]])
    answer = make_agent("alphabeta:0.1s", 2).act(position)
    assert 0.08 < answer.seconds[0] < 0.3
    assert answer.simulations[0] > 10_000
    assert position.legal[0, answer.square[0]]


@pytest.mark.parametrize("depth", DEPTHS)
def test_variations_are_legal_lines(depth):
    answer = make_agent("alphabeta:4", depth).act(Positions(depth))
    assert answer.variations[0][0] == answer.square[0]
    assert len(answer.variations[0]) > 1
    positions_from_moves(depth, [answer.variations[0]])


@pytest.mark.parametrize("score", [-1_000_000, -1, 0, 1, 999_999])
def test_the_table_returns_what_was_stored(score):
    table, key, salt = new_table(4), np.uint64(2**63 + 7), np.uint64(5)
    assert not look_up(table, key, salt).found
    store(table, key, salt, score, SOLVED, AT_LEAST, 8)
    entry = look_up(table, key, salt)
    assert (entry.found, entry.score, entry.depth, entry.bound, entry.digit) == (
        True, score, SOLVED, AT_LEAST, 8,
    )  # fmt: skip
    assert not look_up(table, key, np.uint64(6)).found
