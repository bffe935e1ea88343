"""The contract that every agent keeps, the spec strings, and the agents that don't search."""

import numpy as np
import pytest

from agents import KINDS, make_agent
from agents.budget import Budget
from rstt_env import UNDECIDED, IllegalMoveError, Positions, X, positions_from_moves
from rstt_env.state import CLOSED
from tests.conftest import DEPTHS, JIT

SPECS = [
    "random",
    "greedy",
    "flatmc:30",
    "uct:30",
    "uct:30:solver:reuse:decisive:c0.7:p2",
    "alphabeta:2",
    "az:PATH:6",
    "az:PATH:0",
]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("spec", SPECS)
def test_every_agent_keeps_the_contract(spec, depth, weights):
    spec = spec.replace("PATH", str(weights))
    agent = make_agent(spec, depth, seed=4)
    start = positions_from_moves(depth, [[], [0], [1, 9 if depth > 1 else 0]])
    if depth > 1:  # mid-choice: the first digit of a free move is picked already
        start.choose([3], [0])
    before = start.copy()
    answer = agent.act(start, [10, 11, 12])
    assert (start.keys == before.keys).all()
    assert answer.square.dtype == np.int64
    assert start.legal[np.arange(3), answer.square].all()
    assert (np.abs(answer.value) <= 1).all()
    legal = start.legal_children
    assert (answer.visits[~legal] == 0).all()
    assert np.isnan(answer.scores[~legal]).all()
    assert [line[0] for line in answer.variations] == answer.square.tolist()
    for game, line in zip(start, answer.variations, strict=True):
        for square in line:
            game.play([square])
    known = spec.startswith("az")
    assert (np.nan_to_num(answer.policy)[~legal] == 0).all()
    np.testing.assert_allclose(np.nan_to_num(answer.policy).sum(axis=1), known, rtol=1e-5)
    np.testing.assert_allclose(np.nan_to_num(answer.chances).sum(axis=1), known, rtol=1e-5)
    assert not answer.forfeits
    repeated = make_agent(spec, depth, seed=4).act(start, [10, 11, 12])
    np.testing.assert_array_equal(repeated.square, answer.square)
    reordered = make_agent(spec, depth, seed=4).act(start[[2, 0]], [12, 10])
    np.testing.assert_array_equal(reordered.square, answer.square[[2, 0]])


@pytest.mark.parametrize("spec", SPECS)
def test_every_agent_refuses_what_it_can_not_answer(spec, weights):
    agent = make_agent(spec.replace("PATH", str(weights)), 1)
    over = positions_from_moves(1, [[], [0, 3, 1, 4, 2]])
    with pytest.raises(ValueError, match="position 1 is over"):
        agent.act(over)
    with pytest.raises(ValueError, match="depth 2, the agent was made for depth 1"):
        agent.act(Positions(2))
    with pytest.raises(ValueError, match="give 2 different ids"):
        agent.act(Positions(1, 2), [3, 3])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("utc:100", "no agent is called 'utc' \\(did you mean 'uct'\\?\\)"),
        ("", "no agent is called ''; there are random, greedy"),
        ("uct", "'' is no budget"),
        ("uct:0", "'0' is no budget"),
        ("uct:-5", "'-5' is no budget"),
        ("uct:0s", "'0s' is no budget"),
        ("uct:100:solvr", "no option is called 'solvr' \\(did you mean 'solver'\\?\\)"),
        ("uct:100:c", "no option is called 'c'"),
        ("alphabeta:0", "'0' is no budget; write a number of choices to look ahead"),
        ("alphabeta:6:solver", "it has no options, such as 'solver'"),
        ("UCT:5", "did you mean 'uct'"),
        ("uct:2:p4", "4 trees need as many simulations, not 2"),
        ("uct:100:c1:c2", "an option is given twice"),
        ("uct:100:solver:solver", "an option is given twice"),
        ("uct:99999999999999999999", "is no budget"),
        ("random:3", "takes nothing after its name, not '3'"),
        ("flatmc:1s", "it takes a number of playouts"),
        ("process:", "give a command"),
        ("process:no_such_program --x", "no program 'no_such_program'"),
    ],
)
def test_wrong_specs_are_refused_with_what_would_be_right(spec, message):
    with pytest.raises(ValueError, match=message):
        make_agent(spec, 2)


def test_all_kinds_explain_themselves():
    assert set(KINDS) == {
        "random", "greedy", "flatmc", "uct", "alphabeta", "az", "own", "process",
    }  # fmt: skip
    assert all(kind.usage.startswith(name) and kind.about for name, kind in KINDS.items())


def test_budgets():
    assert Budget.parse("1000") == Budget(simulations=1000)
    assert Budget.parse("0.7s") == Budget(seconds=0.7)
    assert Budget(simulations=10).share(3) == Budget(simulations=3)


def test_random_play_is_uniform_over_games_and_seeds():
    positions = Positions(1, 900)
    squares = make_agent("random", 1, seed=2).act(positions, range(900)).square
    assert np.bincount(squares, minlength=9).min() > 70


def test_greed_claims_the_largest_board():
    # X has two in a row in board 1 and no other claim
    position = Positions.from_drawing("""
    X to move in 1 after 9.1

      X X * | . . . | . . .
      * * * | . . . | . . .
      * * * | . . . | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | O . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | O . .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    squares = {int(make_agent("greedy", 2, seed=s).act(position).square[0]) for s in range(20)}
    assert squares == {2}
    # free to play anywhere, with boards 5 and 9 X's: a claim of board 1 is the game, one of
    # board 2 is only a board
    position.state.focus[0] = 0
    position.state.boards[0, 2, [X, CLOSED]] = 0b11
    position.state.boards[0, 0, [X, CLOSED]] = 0b1_0001_0000
    squares = {int(make_agent("greedy", 2, seed=s).act(position).square[0]) for s in range(20)}
    assert squares == {2}


def test_greed_is_random_among_equals():
    position = Positions(1, 200)
    assert set(make_agent("greedy", 1).act(position, range(200)).square) == set(range(9))


def test_flat_monte_carlo_shares_its_playouts():
    answer = make_agent("flatmc:90", 1, seed=0).act(Positions(1))
    assert answer.visits[0].tolist() == [10] * 9
    assert answer.square[0] == np.nanargmax(answer.scores[0])
    many = make_agent(f"flatmc:{90_000 if JIT else 900}", 1, seed=0).act(Positions(1))
    assert many.square[0] == 4
    assert answer.value[0] == np.nanmax(answer.scores[0])


@pytest.mark.parametrize("spec", ["greedy", "uct:20", "alphabeta:2"])
def test_whole_games_can_be_played(spec):
    positions = Positions(1, 4)
    agent = make_agent(spec, 1)
    games = np.arange(4)
    while len(games):
        positions.play(agent.act(positions[games], games.tolist()).square, games)
        games = np.flatnonzero(positions.outcome == UNDECIDED)
    with pytest.raises(IllegalMoveError):
        positions.play([0], [0])
