"""The vector environment, step by step beside Gymnasium's own over the single one."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

from rstt_env import IllegalMoveError, random_actions
from rstt_env.vector_env import RSTTVectorEnv
from tests.conftest import DEPTHS

N = 7


def make(mode="vector_entry_point", autoreset=AutoresetMode.NEXT_STEP, **kwargs):
    if mode == "sync":
        return gymnasium.make_vec(
            "RSTT-v0",
            num_envs=N,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": autoreset},
            **kwargs,
        )
    return gymnasium.make_vec(
        "RSTT-v0", num_envs=N, vectorization_mode=mode, autoreset_mode=autoreset, **kwargs
    )


def assert_same_info(ours, theirs):
    """Ours has every entry of theirs, where theirs says that it holds."""
    for key, value in theirs.items():
        if isinstance(value, dict):
            assert_same_info(ours[key], value)
        elif key.startswith("_"):
            assert ours[key].dtype == np.bool_
            assert (ours[key] | ~value).all()
        elif key == "final_obs":
            for mine, other in zip(ours[key], value, strict=True):
                assert (mine is None) == (other is None)
                assert other is None or data_equivalence(mine, other)
        else:
            rows = theirs[f"_{key}"]
            assert ours[key].dtype == value.dtype
            assert (ours[key][rows] == value[rows]).all()


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
@pytest.mark.parametrize(("choice", "observation"), [("square", "planes"), ("digit", "dict")])
@pytest.mark.parametrize("autoreset", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_it_does_what_gymnasium_s_vector_environment_does(depth, choice, observation, autoreset):
    kwargs = {"depth": depth, "choice": choice, "observation": observation}
    ours = make(autoreset=autoreset, **kwargs)
    theirs = make("sync", autoreset=autoreset, **kwargs)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    observations, infos = ours.reset(seed=5)
    expected, expected_infos = theirs.reset(seed=5)
    rng = np.random.default_rng(5)
    ended = 0
    for _ in range(200 if depth < 3 else 620):
        assert data_equivalence(observations, expected, exact=True)
        assert_same_info(infos, expected_infos)
        assert infos["action_mask"].any(axis=1).all()
        assert (ours.unwrapped.action_masks() == infos["action_mask"]).all()
        actions = random_actions(infos["action_mask"], rng)
        observations, *flags, infos = ours.step(actions)
        expected, *expected_flags, expected_infos = theirs.step(actions)
        for flag, expected_flag in zip(flags, expected_flags, strict=True):
            assert flag.dtype == expected_flag.dtype
            assert (flag == expected_flag).all()
        ended += flags[1].sum()
    assert ended >= 3


def test_without_autoreset_finished_games_wait_for_the_reset_mask():
    envs = make(depth=1, autoreset="Disabled")
    _, infos = envs.reset()
    over = np.zeros(N, np.bool_)
    rng = np.random.default_rng(0)
    while not over.any():
        _, _, over, _, infos = envs.step(random_actions(infos["action_mask"], rng))
    assert infos["action_mask"][over].all()
    with pytest.raises(ValueError, match=rf"environments \[{np.flatnonzero(over)[0]}.*are over"):
        envs.step(random_actions(infos["action_mask"], rng))
    before = envs.unwrapped.positions.copy()
    observations, infos = envs.reset(options={"reset_mask": over})
    assert (envs.unwrapped.positions[over].ply == 0).all()
    assert (envs.unwrapped.positions[~over].keys == before[~over].keys).all()
    assert (observations[over][:, 2] == 1).all()
    envs.step(random_actions(infos["action_mask"], rng))


@pytest.mark.parametrize(
    "mask", [np.zeros(N, np.bool_), np.ones(N - 1, np.bool_), np.ones(N, np.int8)]
)
def test_a_malformed_reset_mask_is_refused(mask):
    with pytest.raises(ValueError, match="reset_mask is"):
        make(depth=1).reset(options={"reset_mask": mask})


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
def test_an_illegal_action_names_its_environment_and_changes_none(autoreset):
    envs = make(depth=2, autoreset=autoreset)
    envs.reset()
    envs.step(np.full(N, 40))
    before = envs.unwrapped.positions.copy()
    actions = np.full(N, 36)
    actions[3] = 0
    with pytest.raises(IllegalMoveError, match="game 3: square 0"):
        envs.step(actions)
    assert (envs.unwrapped.positions.keys == before.keys).all()
    with pytest.raises(ValueError, match="one whole number for each of 7"):
        envs.step(np.full(N - 1, 36))


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
def test_an_illegal_action_loses_where_that_was_asked_for(autoreset):
    envs = make(depth=2, illegal_action="lose", autoreset=autoreset)
    envs.reset()
    envs.step(np.full(N, 40))
    actions = np.full(N, 36)
    actions[3] = 0
    _, rewards, over, _, infos = envs.step(actions)
    assert rewards.tolist() == [0, 0, 0, -1, 0, 0, 0]
    assert np.flatnonzero(over).tolist() == [3]
    if autoreset == AutoresetMode.SAME_STEP:
        assert envs.unwrapped.positions.ply.tolist() == [2, 2, 2, 0, 2, 2, 2]
        assert infos["final_obs"][3][1].sum() == 1
        assert infos["final_info"]["action_mask"][3].all()
    else:
        assert infos["action_mask"][3].all()
        assert envs.unwrapped.positions.ply[3] == 1


def test_observation_and_info_share_no_mask():
    envs = make(depth=1, observation="dict")
    observations, infos = envs.reset()
    observations["action_mask"][:] = 0
    assert infos["action_mask"].all()


def test_final_observations_are_not_overwritten_by_later_steps():
    envs = make(depth=1, autoreset=AutoresetMode.SAME_STEP, observation="dict")
    _, infos = envs.reset()
    rng = np.random.default_rng(1)
    kept = None
    for _ in range(40):
        observations, _, over, _, infos = envs.step(random_actions(infos["action_mask"], rng))
        assert envs.observation_space.contains(observations)
        if over.any() and kept is None:
            game = int(np.flatnonzero(over)[0])
            final = infos["final_obs"][game]
            assert envs.single_observation_space.contains(final)
            kept = copy.deepcopy(final)
    assert np.array_equal(final["observation"], kept["observation"])
    assert kept["observation"][:2].sum() >= 5
    assert not kept["observation"][2].any()  # nothing is legal
    assert kept["action_mask"].all()


def test_instances_share_neither_metadata_nor_buffers():
    one, other = RSTTVectorEnv(2), RSTTVectorEnv(2)
    one.metadata["render_modes"].append("changed")
    assert other.metadata["render_modes"] == ["ansi", "rgb_array"]
    first, _ = one.reset()
    second, _ = other.reset()
    one.step([40, 40])
    assert np.array_equal(first, second)
    assert (other.positions.ply == 0).all()


def test_unknown_arguments_are_refused():
    with pytest.raises(ValueError, match="num_envs is 0"):
        RSTTVectorEnv(0)
    with pytest.raises(ValueError, match="unknown reset options"):
        RSTTVectorEnv(2).reset(options={"resetmask": np.ones(2, np.bool_)})
    with pytest.raises(ValueError, match="autoreset_mode is 'x'; it must be one of"):
        RSTTVectorEnv(2, autoreset_mode="x")


def test_seeding_and_closing():
    envs = make(depth=1)
    envs.reset(seed=3)
    assert envs.unwrapped.np_random_seed == 3
    envs.close()
    envs.close()


def test_it_renders_every_game():
    envs = make(depth=1, render_mode="ansi")
    envs.reset()
    envs.step(np.arange(N))
    frames = envs.render()
    assert len(frames) == N
    assert frames[3].startswith("O to move anywhere after 4")
