"""The single environment, held against the engine and against Gymnasium's own checker."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rstt_env
from rstt_env import UNDECIDED, IllegalMoveError, Positions
from rstt_env.env import RSTTEnv
from rstt_env.render import rgb_array
from rstt_env.rng import mix
from rstt_env.tree import num_boards
from tests.conftest import DEPTHS


def make(**kwargs):
    return gymnasium.make("RSTT-v0", **kwargs)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("choice", ["square", "digit"])
def test_an_episode_is_the_engine_s_game(depth, choice):
    env, positions = make(depth=depth, choice=choice), Positions(depth)
    observation, info = env.reset(seed=1)
    env.action_space.seed(1)
    act = positions.play if choice == "square" else positions.choose
    for _ in range(2 * 9**depth):
        legal = positions.legal if choice == "square" else positions.legal_children
        assert info["action_mask"].dtype == np.int8
        assert (info["action_mask"] == legal[0]).all()
        assert (env.get_wrapper_attr("action_masks")() == legal[0]).all()
        assert info["to_play"] == positions.to_play[0]
        assert info["focus"] == positions.focus[0]
        assert (observation == positions.observation()[0]).all()
        mover = info["to_play"]
        action = env.action_space.sample(info["action_mask"])
        act([action])
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
        outcome = positions.outcome[0]
        assert over == (outcome != UNDECIDED)
        assert reward == (1.0 if outcome == mover else 0.0)
        if over:
            return
    pytest.fail("the game never ended")


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
@pytest.mark.parametrize("choice", ["square", "digit"])
@pytest.mark.parametrize("observation", ["planes", "dict"])
def test_gymnasium_s_checker_passes_without_warnings(depth, choice, observation):
    env = make(
        depth=depth,
        choice=choice,
        observation=observation,
        illegal_action="lose",
        render_mode="rgb_array",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_episodes_after_the_first_have_the_same_length_and_reset_counts_no_move():
    env = make(depth=1)
    for _ in range(3):
        observation, info = env.reset()
        assert info["to_play"] == 0
        assert not observation[:2].any()
        for ply, square in enumerate([0, 3, 1, 4, 2]):
            _, reward, over, _, _ = env.step(square)
            assert over == (ply == 4)
        assert reward == 1.0


def test_an_illegal_action_raises_and_changes_nothing():
    env = make(depth=2).unwrapped
    env.reset()
    before, *_, info = env.step(40)
    for action, reason in ((40, "occupied"), (0, "outside the focus"), (81, "no such square")):
        with pytest.raises(ValueError, match=reason):
            env.step(action)
    for action in (1.5, None, "5.1", [36, 37]):
        with pytest.raises(ValueError, match="one whole number"):
            env.step(action)
    after, *_, later = env.step(36)
    assert (after[:2].sum(axis=(1, 2)) == [1, 1]).all()
    assert (before[:2].sum(axis=(1, 2)) == [0, 1]).all()
    assert (info["to_play"], later["to_play"]) == (1, 0)


def test_each_reason_is_named():
    env = make(depth=1).unwrapped
    env.reset()
    env.step(0)
    with pytest.raises(IllegalMoveError, match=r"game 0: square 0 .*occupied"):
        env.step(0)
    for square in (3, 1, 4, 2):
        env.step(square)
    with pytest.raises(IllegalMoveError, match="game over"):
        env.step(8)


def test_an_illegal_action_loses_where_that_was_asked_for():
    env = make(depth=2, illegal_action="lose").unwrapped
    env.reset()
    env.step(40)
    before = env.positions.copy()
    _, reward, over, _, info = env.step(40)
    assert (reward, over) == (-1.0, True)
    assert env.positions.keys == before.keys
    assert info["action_mask"].all()
    with pytest.raises(ValueError, match="game is over"):
        env.step(36)
    env.reset()
    assert env.step(100)[1:3] == (-1.0, True)
    finished = make(depth=1, illegal_action="lose").unwrapped
    finished.reset()
    for square in (0, 3, 1, 4, 2):
        finished.step(square)
    with pytest.raises(ValueError, match="game is over"):
        finished.step(8)


def test_a_finished_game_s_mask_is_all_ones_and_samplers_can_take_it():
    env = make(depth=1)
    env.reset()
    for square in (0, 3, 1, 4, 2):
        *_, over, _, info = env.step(square)
    assert over
    assert info["action_mask"].tolist() == [1] * 9
    assert env.action_space.contains(env.action_space.sample(info["action_mask"]))
    assert not env.unwrapped.positions.legal.any()
    torch = pytest.importorskip("torch")
    distributions = pytest.importorskip("sb3_contrib.common.maskable.distributions")
    policy = distributions.MaskableCategorical(logits=torch.zeros(1, 9))
    policy.apply_masking(info["action_mask"][None])
    assert torch.isfinite(policy.log_prob(policy.sample())).all()


def test_the_dictionary_observation_carries_the_mask():
    env = make(depth=2, observation="dict")
    observation, info = env.reset()
    assert env.observation_space.contains(observation)
    assert (observation["action_mask"] == info["action_mask"]).all()
    observation["action_mask"][:] = 0
    assert info["action_mask"].all()  # no shared buffer


def test_observations_don_t_change_after_they_were_returned():
    env = make(depth=2)
    first, info = env.reset()
    kept, mask = first.copy(), info["action_mask"].copy()
    env.step(40)
    assert (first == kept).all()
    assert (info["action_mask"] == mask).all()


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_where_the_game_stands(clone):
    env = make(depth=2).unwrapped
    env.reset(seed=3)
    env.step(40)
    twin = clone(env)
    assert twin.positions.keys == env.positions.keys
    twin.step(36)
    assert twin.positions.keys != env.positions.keys


def test_instances_share_no_metadata():
    one, other = RSTTEnv(), RSTTEnv()
    one.metadata["render_modes"].append("changed")
    assert (
        other.metadata
        == RSTTEnv.metadata
        == {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}
    )


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"depth": 5}, "depth is 5"),
        ({"choice": "squares"}, "choice is 'squares'; it must be one of"),
        ({"observation": "image"}, "observation is 'image'"),
        ({"illegal_action": "ignore"}, "illegal_action is 'ignore'"),
    ],
)
def test_unknown_arguments_are_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        make(**kwargs)


@pytest.mark.parametrize("depth", DEPTHS)
def test_pictures_show_marks_won_boards_focus_last_move_and_the_winning_line(depth):
    env = make(depth=depth, render_mode="rgb_array")
    env.reset(seed=0)
    env.action_space.seed(0)
    blank = env.render()
    assert blank.dtype == np.uint8
    assert blank.ndim == 3
    info = {"action_mask": np.ones(9**depth, np.int8)}
    over, frame = False, blank
    while not over:
        *_, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
        if over:
            previous, frame = frame, env.render()
    assert frame.shape == blank.shape
    assert (frame != previous).any()
    green = (frame[..., 1] > 140) & (frame[..., 0] < 60) & (frame[..., 2] < 100)
    won = env.unwrapped.positions.outcome[0] in (0, 1)
    assert green.any() == won
    gold = abs(blank.astype(int) - (240, 168, 0)).max(axis=-1) < 12
    assert gold.sum() > 1000  # around the focus
    gold = abs(frame.astype(int) - (240, 168, 0)).max(axis=-1) < 12
    assert gold.sum() < 200


def test_pictures_show_a_won_board_large_and_the_last_move_framed():
    # O has won board 2, X has marked 1.2 (the README's position)
    moves = [55, 10, 16, 67, 37, 11, 20, 19, 12, 30, 28, 9, 1]
    picture = rgb_array(rstt_env.positions_from_moves(2, [moves])).astype(int)
    third = len(picture) // 3
    red = abs(picture - (206, 58, 48)).max(axis=-1) < 12
    won, other = red[:third, third : 2 * third], red[:third, :third]
    assert won.mean() > 0.05 > other.mean()  # a ring over the board, against nothing
    frame = abs(picture - (255, 140, 0)).max(axis=-1) < 12
    assert frame[: third // 3 + 20, third // 3 - 8 : 2 * third // 3 + 20].sum() == frame.sum() > 200


def test_text_pictures_are_the_drawing_in_colour():
    env = make(depth=2, render_mode="ansi")
    env.reset()
    env.step(40)
    text = env.render()
    assert text.startswith("O to move in 5 after 5.5\n")
    assert "\x1b[1;34;7mX\x1b[0m" in text  # the last move, reversed
    assert make(depth=2).unwrapped.render() is None


def test_a_move_is_spelled_out_in_actions():
    env = make(depth=3, choice="digit").unwrapped
    env.reset()
    square = 4 * 81 + 5 * 9 + 6
    assert env.actions_for(square) == [4, 5, 6]
    env.step(4)
    assert env.actions_for(square) == [5, 6]
    assert env.positions.focus[0] == 5
    assert make(depth=3).unwrapped.actions_for(square) == [square]
    assert num_boards(3) == 91


def test_random_actions_are_legal_and_uniform():
    masks = np.zeros((9000, 9), np.int8)
    masks[:, [1, 4, 8]] = 1
    actions = rstt_env.random_actions(masks, np.random.default_rng(0))
    counts = np.bincount(actions, minlength=9)
    assert counts[[0, 2, 3, 5, 6, 7]].sum() == 0
    assert (abs(counts[[1, 4, 8]] - 3000) < 250).all()
    with pytest.raises(ValueError, match="masks have shape"):
        rstt_env.random_actions(masks[0], np.random.default_rng(0))
    masks[17] = 0
    with pytest.raises(ValueError, match="environment 17"):
        rstt_env.random_actions(masks, np.random.default_rng(0))


def test_the_random_numbers_are_splitmix64():
    # the first outputs of the reference implementation for seed 0
    gamma = 0x9E3779B97F4A7C15
    states = [(k * gamma) % 2**64 for k in (1, 2, 3)]
    assert [int(mix(np.uint64(s))) for s in states] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
