"""What a network sees of a position, and the recursive network over it."""

import numpy as np
import pytest
import torch

from agents.alphazero.encoding import DRAWN, MINE, OPEN, THEIRS, encode
from agents.alphazero.evaluator import NetworkEvaluator
from agents.alphazero.networks import make_network
from agents.alphazero.networks.inputs import Inputs
from agents.search.gumbel import GumbelRules
from agents.search.search import search
from rstt_env import DRAW, UNDECIDED, Positions
from rstt_env.tree import digits_of, node_of, num_boards
from tests.conftest import DEPTHS

CPU = torch.device("cpu")
SMALL = {
    "recursive": {"embedding": 8, "hidden": 16, "content_hidden": 12, "head_blocks": 1},
    "resnet": {"channels": 8, "blocks": 1},
}


def some_positions(depth, seed=0):
    """Positions from all parts of random games, some in the middle of a free move."""
    rng = np.random.default_rng(seed)
    positions = Positions(depth, 40)
    for ply in range({1: 5, 2: 40, 3: 120, 4: 200}[depth]):
        going = np.flatnonzero((positions.outcome == UNDECIDED) & (rng.random(40) < 0.9))
        squares = positions.random_squares(ply)
        positions.play(squares[going], going)
    positions.reset([0])
    positions = positions[positions.outcome == UNDECIDED]
    free = np.flatnonzero((positions.focus == 0) & (rng.random(len(positions)) < 0.5))
    if depth > 1 and len(free):
        positions.choose(positions.legal_children[free].argmax(axis=1), free)
    return positions


def small_network(name="recursive", depth=2):
    return make_network(name, depth, SMALL[name]).eval()


def assert_same(evaluator, positions, others):
    """The network says the same of two batches."""
    rows = np.arange(len(positions))
    np.testing.assert_equal(
        evaluator.evaluate(positions.state, rows), evaluator.evaluate(others.state, rows)
    )


@pytest.mark.parametrize("depth", DEPTHS)
def test_boards_that_are_combined_once_in_training_give_the_same(depth):
    positions = some_positions(depth)
    twice = np.arange(len(positions)).repeat(2)
    inputs = Inputs.of(encode(positions.state, twice), CPU)
    network = small_network(depth=depth)
    for trained, plain in zip(network.train()(inputs), network.eval()(inputs), strict=True):
        torch.testing.assert_close(trained, plain)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_encoding_says_what_is_on_the_board(depth):
    """Against the engine's owners and drawings, board by board, from the mover's side."""
    positions = some_positions(depth)
    encoding = encode(positions.state, np.arange(len(positions)))
    owners, first = positions.owners, num_boards(depth - 1)
    for row in range(0, len(positions), 5):
        mover = int(positions.to_play[row])
        sides = {UNDECIDED: OPEN, DRAW: DRAWN, mover: MINE, 1 - mover: THEIRS}
        for board in range(1, num_boards(depth)):
            assert encoding.status[row, board] == sides[int(owners[row, board])]
        focus = int(positions.focus[row])
        digits = digits_of(focus)
        path = [node_of(digits[: k + 1]) for k in range(len(digits))]
        assert encoding.path[row].tolist() == path + [0] * (depth - 1 - len(path))
        marks = positions.state.boards[row, first:, :2]
        for board in (0, len(marks) - 1, max(0, focus - first)):
            mine, theirs = int(marks[board, mover]), int(marks[board, 1 - mover])
            code = sum(((mine >> k & 1) + 2 * (theirs >> k & 1)) * 3**k for k in range(9))
            assert encoding.contents[row, board] == code
        assert encoding.legal[row].tolist() == positions.legal_children[row].tolist()
        if len(digits) < depth - 1 or depth == 1:
            assert encoding.reach[row] == -1
        else:  # the walk along the focus's address without its first digit, while boards are open
            reached = 0
            for digit in digits[1:]:
                below = 9 * reached + 1 + digit
                if owners[row, below] != UNDECIDED:
                    break
                reached = below
            assert encoding.reach[row] == reached


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("depth", DEPTHS)
def test_a_position_is_evaluated_alone_as_in_a_batch(depth, name):
    positions = some_positions(depth)
    evaluator = NetworkEvaluator(small_network(name, depth), CPU)
    logits, values = evaluator.evaluate(positions.state, np.arange(len(positions)))
    assert logits.shape == (len(positions), 9)
    assert (np.abs(values) <= 1).all()
    for row in range(0, len(positions), 7):
        own_logits, own_values = evaluator.evaluate(positions.state, np.array([row]))
        np.testing.assert_allclose(own_logits[0], logits[row], atol=1e-5)
        np.testing.assert_allclose(own_values[0], values[row], atol=1e-5)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("depth", DEPTHS)
def test_players_are_seen_from_the_mover_s_side(depth, name):
    """With the players exchanged, mover included, the network says the same."""
    positions = some_positions(depth)
    evaluator = NetworkEvaluator(small_network(name, depth), CPU)
    swapped = positions.copy()
    swapped.state.boards[:, :, [0, 1]] = swapped.state.boards[:, :, [1, 0]]
    swapped.state.to_play[:] = 1 - swapped.state.to_play
    assert_same(evaluator, positions, swapped)


def test_what_is_inside_a_decided_board_does_not_count():
    positions = Positions.from_drawing("""
    O to move in 2 after 1.2

      X X X | * * * | . . .
      O O x | * * * | . . .
      x x x | * * * | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
      ------+-------+------
      . . . | . . . | . . .
      . . . | . . . | . . .
      . . . | . . . | . . .
    """)
    other = positions.copy()
    other.state.boards[0, 1, 1] = 0b110_000_000  # O's marks elsewhere in X's board
    assert_same(NetworkEvaluator(small_network(), CPU), positions, other)


@pytest.mark.parametrize("name", SMALL)
def test_the_focus_and_where_choices_send_to_count(name):
    positions = Positions(2, 2)
    positions.play([40, 44])  # sent to boards 5 and 9: the same board else, but one mark
    evaluator = NetworkEvaluator(small_network(name), CPU)
    logits, _ = evaluator.evaluate(positions.state, np.arange(2))
    assert not np.allclose(logits[0], logits[1], atol=1e-4)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("depth", DEPTHS)
def test_every_weight_learns(depth, name):
    """At depth 1 the recursive network's weights for boards within boards rest."""
    network = small_network(name, depth)
    positions = some_positions(depth)
    inputs = Inputs.of(encode(positions.state, np.arange(len(positions))), CPU)
    outputs = network.with_owners(inputs) if name == "recursive" else network(inputs)
    sum(output.square().sum() for output in outputs).backward()
    still = {
        name.split(".")[0]
        for name, weight in network.named_parameters()
        if weight.grad is None or not weight.grad.any()
    }
    rest = {"combine", "step", "digit", "decided"}
    assert still <= (rest if depth == 1 and name == "recursive" else set())


def test_the_recursive_network_has_one_set_of_weights_for_all_depths():
    shallow, deep = small_network(depth=1).state_dict(), small_network(depth=4).state_dict()
    assert {name: w.shape for name, w in shallow.items()} == {
        name: w.shape for name, w in deep.items()
    }


def test_the_weights_depend_on_the_seed_alone():
    first = make_network("recursive", 2, SMALL["recursive"], seed=1).state_dict()
    torch.rand(3)
    again = make_network("recursive", 2, SMALL["recursive"], seed=1).state_dict()
    other = make_network("recursive", 2, SMALL["recursive"], seed=2).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


@pytest.mark.parametrize(("name", "sizes", "complaint"), [
    ("recursiv", {}, "no network is called 'recursiv'"),
    ("no.such.module:Class", {}, "no network is called"),
    ("recursive", {"width": 3}, "unexpected keyword argument 'width'"),
])  # fmt: skip
def test_what_no_network_is(name, sizes, complaint):
    with pytest.raises(ValueError, match=complaint):
        make_network(name, 2, sizes)


def test_a_search_runs_on_a_network_and_leaves_it_as_it_was():
    network = small_network()
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    positions, evaluator = some_positions(2), NetworkEvaluator(network, CPU)
    seeds = np.arange(len(positions), dtype=np.uint64)
    result = search(positions, evaluator, GumbelRules(), 8, seeds, explore=True)
    rows = np.arange(len(positions))
    assert positions.legal_children[rows, result.digit].all()
    assert len(positions) < evaluator.evaluations <= 9 * len(positions)
    for name, weight in network.state_dict().items():
        assert torch.equal(weight, before[name])


def test_refresh_takes_over_new_weights():
    network, positions = small_network(), some_positions(2)
    evaluator, rows = NetworkEvaluator(network, CPU), np.arange(3)
    before, _ = evaluator.evaluate(positions.state, rows)
    with torch.no_grad():
        network.embed_contents[0].weight.add_(1.0)
    evaluator.refresh()
    after, _ = evaluator.evaluate(positions.state, rows)
    assert not np.allclose(before, after)
