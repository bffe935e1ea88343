"""The learner: what it minimises, what it leaves alone, and that it learns."""

import numpy as np
import pytest
import torch

from agents.alphazero.encoding import DRAWN, MINE, OPEN, THEIRS, encode
from agents.alphazero.learner import Learner, LearnerConfig, in_play, material
from agents.alphazero.networks import make_network
from agents.alphazero.networks.inputs import Inputs
from agents.alphazero.replay import (
    DRAW,
    LOSS,
    UNKNOWN,
    WIN,
    Replay,
    encoding_of,
    new_records,
    policies,
    values,
)
from tests.test_network import SMALL, some_positions

CPU = torch.device("cpu")


def config(**changes):
    plain = {
        "rate": 1e-2,
        "warmup": 0,
        "decay": 0.0,
        "weight_decay": 1e-4,
        "batch": 32,
        "reuse": 4,
        "updates": 20,
        "clip": 1.0,
        "ema": 0.9,
        "result_weight": 1.0,
        "root_weight": 1.0,
        "material": 0.0,
        "per_game": 1,
        "owner_weight": 0.0,
        "window_min": 32,
        "window_share": 0.5,
        "window_max": 1000,
    }
    return LearnerConfig(**(plain | changes))


def records(depth=2, outcome=None, with_policy=True):
    """Positions whose best child is the first open one; the mover wins where that is even."""
    positions = some_positions(depth)
    legal = positions.legal_children
    best = legal.argmax(axis=1)
    policy = np.eye(9, dtype=np.float32)[best] * with_policy
    value = np.where(best % 2 == 0, 0.8, -0.8).astype(np.float32)
    made = new_records(depth, encode(positions.state, np.arange(len(positions))), policy, value)
    made["outcome"] = np.where(best % 2 == 0, WIN, LOSS) if outcome is None else outcome
    return made


@pytest.fixture
def replay(tmp_path):
    filled = Replay(tmp_path / "replay", 2)
    filled.append(records())
    return filled


def learner(name="recursive", depth=2, seed=0, **changes):
    return Learner(make_network(name, depth, SMALL[name]), config(**changes), CPU, seed)


@pytest.mark.parametrize("name", SMALL)
def test_it_learns_what_the_records_say(replay, name):
    # one of the symmetries alone would be learnt by heart; all eight need the value's sign
    own = learner(name)
    first = own.update(replay, own.config, 0.0)
    for _ in range(150):
        last = own.update(replay, own.config, 0.0)
    assert float(last.policy_loss) < 0.8 * float(first.policy_loss)
    assert float(last.result_loss) < 0.8 * float(first.result_loss)
    assert float(last.root_loss) < float(first.root_loss)


def test_the_losses_are_those_of_the_formulas():
    own = learner()
    made = records()
    made["outcome"][:5] = DRAW
    loss, update = own._loss(made, own.config, 2)
    logits, wdl = own.network(Inputs.of(encoding_of(made), CPU))
    logits, wdl = logits.detach().numpy(), wdl.detach().numpy()
    policy = result = root = 0.0
    for row in range(len(made)):
        legal = np.flatnonzero(made["legal"][row])
        shares = np.exp(logits[row, legal]) / np.exp(logits[row, legal]).sum()
        policy -= (policies(made)[row, legal] * np.log(shares)).sum()
        chances = np.exp(wdl[row]) / np.exp(wdl[row]).sum()
        result -= np.log(chances[made["outcome"][row]])
        root += (chances[WIN] - chances[LOSS] - values(made)[row]) ** 2
    number = len(made)
    assert float(update.policy_loss) == pytest.approx(policy / number, rel=1e-4)
    assert float(update.result_loss) == pytest.approx(result / number, rel=1e-4)
    assert float(update.root_loss) == pytest.approx(root / number, rel=1e-4)
    assert float(loss.detach()) == pytest.approx((policy + result + root) / number, rel=1e-4)


def test_owners_are_learnt_from_boards_that_are_in_play():
    own, made = learner(owner_weight=0.5), records()
    made["owners"][:, 1:] = np.arange(len(made))[:, None] % 4
    loss, update = own._loss(made, own.config, 2)
    logits = own.network.with_owners(Inputs.of(encoding_of(made), CPU))[2].detach().numpy()
    losses = []
    for row, board in zip(*np.nonzero(made["status"] == OPEN), strict=True):
        chances = np.exp(logits[row, board]) / np.exp(logits[row, board]).sum()
        losses.append(-np.log(chances[made["owners"][row, board]]))
    assert float(update.owner_loss) == pytest.approx(np.mean(losses), rel=1e-4)
    others = update.policy_loss + update.result_loss + update.root_loss
    assert float(loss.detach()) == pytest.approx(float(others + 0.5 * update.owner_loss), rel=1e-4)


def test_boards_inside_a_decided_one_are_out_of_play():
    status = torch.zeros(2, 91, dtype=torch.uint8)
    status[0, 3], status[0, 50] = 1, 3
    inside = range(9 * 3 + 1, 9 * 3 + 10)
    out = {(0, board) for board in (3, 50, *inside)}
    assert {tuple(pair) for pair in (~in_play(status)).nonzero().tolist()} == out


def test_material_counts_boards_by_how_much_they_matter():
    owners = np.zeros((4, 91), np.uint8)  # depth 3: the root, 9 boards, 81 deepest
    owners[0, 0] = MINE
    owners[1, 1:4] = MINE, THEIRS, THEIRS
    owners[2, 10:14] = MINE, MINE, DRAWN, OPEN
    assert material(torch.from_numpy(owners), 3).tolist() == pytest.approx(
        np.tanh([1, -1 / 3, 2 / 9, 0]).tolist()
    )


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_material_is_a_share_of_the_value_target(share):
    own, made = learner(material=share), records()
    made["owners"][:, 1:] = np.arange(len(made))[:, None] % 4
    _, update = own._loss(made, own.config, 2)
    boards = material(torch.from_numpy(made["owners"]), 2).numpy()
    target = (1 - share) * values(made) + share * boards
    error = ((update.value.numpy() - target) ** 2).mean()
    assert float(update.root_loss) == pytest.approx(error, rel=1e-4)


def test_networks_that_say_nothing_of_owners_learn_without():
    own = learner("resnet", owner_weight=0.5)
    _, update = own._loss(records(), own.config, 2)
    assert float(update.owner_loss) == 0


def test_closed_children_get_no_gradient():
    own, made = learner(), records()
    own.network.head[-1].weight.grad = None
    loss, _ = own._loss(made[:1], own.config, 2)
    loss.backward()
    gradient = own.network.head[-1].bias.grad[:9]
    assert (gradient[~torch.from_numpy(made["legal"][0])] == 0).all()
    assert (gradient[torch.from_numpy(made["legal"][0])] != 0).all()


def test_unknown_results_and_fast_searches_teach_what_they_can():
    own = learner()
    _, update = own._loss(records(outcome=UNKNOWN), own.config, 2)
    assert float(update.result_loss) == 0
    assert float(update.root_loss) > 0
    _, update = own._loss(records(with_policy=False), own.config, 2)
    assert float(update.policy_loss) == 0
    assert float(update.result_loss) > 0
    half = np.concatenate([records(), records(with_policy=False)])
    _, both = own._loss(half, own.config, 2)
    _, one = own._loss(records(), own.config, 2)
    assert float(both.policy_loss) == pytest.approx(float(one.policy_loss), rel=1e-5)


def test_low_precision_measures_nearly_the_same_losses():
    full = learner()
    low = Learner(full.network, config(), CPU, 0, torch.bfloat16)
    (loss, _), (own, update) = (each._loss(records(), each.config, 2) for each in (full, low))
    assert float(own.detach()) == pytest.approx(float(loss.detach()), rel=0.02)
    assert float(own.detach()) != float(loss.detach())
    assert update.value.dtype == torch.float32


def test_the_average_follows_the_weights_and_is_what_it_should_be(replay):
    own = learner(ema=0.5)
    slow = [w.clone() for w in own.average.state_dict().values()]
    for update in range(1, 30):
        own.update(replay, own.config, 0.0)
        stays = min(0.5, update / (update + 10))
        fast = own.network.state_dict().values()
        slow = [stays * s + (1 - stays) * f for s, f in zip(slow, fast, strict=True)]
    for expected, actual in zip(slow, own.average.state_dict().values(), strict=True):
        torch.testing.assert_close(expected, actual, atol=1e-5, rtol=1e-4)


def test_the_rate_rises_holds_and_falls():
    rule = config(rate=1e-3, warmup=10, decay=0.2)
    assert rule.scale(0, 0.0) == pytest.approx(0.1)
    assert rule.scale(9, 0.0) == rule.scale(500, 0.79) == 1
    assert rule.scale(500, 0.9) == pytest.approx(0.55)
    assert rule.scale(500, 1.0) == rule.scale(500, 1.2) == pytest.approx(0.1)


def test_the_window_grows_with_the_positions():
    rule = config(window_min=100, window_share=0.5, window_max=1000)
    assert [rule.window(size) for size in (0, 150, 400, 5000)] == [100, 100, 200, 1000]


def test_the_gradient_is_clipped_and_its_norm_reported(replay):
    own = learner(clip=1e-3)
    update = own.update(replay, own.config, 0.0)
    norms = [weight.grad.norm() for weight in own.network.parameters() if weight.grad is not None]
    assert float(torch.stack(norms).norm()) == pytest.approx(1e-3, rel=1e-2)
    assert float(update.gradient_norm) > 1e-3


def test_a_state_goes_on_as_if_nothing_had_happened(replay):
    first, second = learner(), learner()
    for _ in range(3):
        first.update(replay, first.config, 0.0)
        second.update(replay, second.config, 0.0)
    third = learner(seed=0)
    third.restore(second.state(), second.average.state_dict())
    for _ in range(3):
        first.update(replay, first.config, 0.5)
        third.update(replay, third.config, 0.5)
    for name in ("network", "average"):
        ours, theirs = (getattr(one, name).state_dict() for one in (first, third))
        assert all(torch.equal(ours[key], theirs[key]) for key in ours)


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"batch": 2000}, "a batch is drawn from the window"),
    ({"rate": 0.0}, "learner.rate is 0.0"),
    ({"ema": 1.0}, "learner.ema is 1.0"),
    ({"reuse": 0}, "learner.reuse 0"),
])  # fmt: skip
def test_what_is_out_of_range_is_named(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        config(**changes)
