"""The PettingZoo environment under PettingZoo's own tests."""

import numpy as np
import pytest

from rstt_env import Positions
from tests.conftest import DEPTHS

aec = pytest.importorskip("rstt_env.aec")
ptest = pytest.importorskip("pettingzoo.test")

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
@pytest.mark.parametrize("choice", ["square", "digit"])
def test_pettingzoo_s_api_test_passes(depth, choice):
    ptest.api_test(aec.env(depth=depth, choice=choice), num_cycles=300)
    ptest.api_test(aec.raw_env(depth=depth, choice=choice), num_cycles=300)


def test_pettingzoo_s_seed_and_render_tests_pass():
    ptest.seed_test(lambda: aec.env(depth=2), num_cycles=200)
    ptest.render_test(
        lambda render_mode=None: aec.env(depth=2, render_mode=render_mode),
        custom_tests={"ansi": lambda result: isinstance(result, str)},
    )


@pytest.mark.slow
def test_pettingzoo_s_performance_benchmark_runs():
    ptest.performance_benchmark(aec.env(depth=2))


def test_a_whole_game_with_pettingzoo_s_sampler():
    env, positions = aec.env(depth=2), Positions(2)
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, over, truncated, _ = env.last()
        total[agent] += reward
        other = "O" if agent == "X" else "X"
        if other in env.agents:
            assert not env.observe(other)["action_mask"].any()
        if over or truncated:
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert agent == "XO"[positions.to_play[0]]
        assert (observation["action_mask"] == positions.legal[0]).all()
        assert (observation["observation"] == positions.observation()[0]).all()
        action = env.action_space(agent).sample(observation["action_mask"])
        positions.play([action])
        env.step(action)
    outcome = positions.outcome[0]
    expected = {0: (1, -1), 1: (-1, 1), 2: (0, 0)}[int(outcome)]
    assert (total["X"], total["O"]) == expected


def test_the_other_side_is_seen_from_its_own_seat():
    env = aec.raw_env(depth=2)
    env.reset()
    env.step(40)
    mine, theirs = env.observe("O")["observation"], env.observe("X")["observation"]
    assert mine[1].sum() == theirs[0].sum() == 1
    assert (mine[2] == theirs[2]).all()


def test_an_illegal_action_raises_bare_and_loses_wrapped():
    bare = aec.raw_env(depth=1)
    bare.reset()
    bare.step(4)
    with pytest.raises(ValueError, match="occupied"):
        bare.step(4)
    wrapped = aec.env(depth=1)
    wrapped.reset()
    wrapped.step(4)
    wrapped.step(4)
    assert wrapped.unwrapped.terminations == {"X": True, "O": True}
    assert wrapped.unwrapped._cumulative_rewards["O"] == -1
    assert not any(wrapped.observe(agent)["action_mask"].any() for agent in "XO")


def test_instances_share_no_metadata():
    one, other = aec.raw_env(), aec.raw_env()
    one.metadata["render_modes"].append("changed")
    assert other.metadata["render_modes"] == ["human", "ansi", "rgb_array"]


def test_pictures_are_shown_as_asked(capsys):
    env = aec.raw_env(depth=1, render_mode="human")
    env.reset()
    env.step(4)
    assert capsys.readouterr().out.startswith("O to move anywhere after 5")
    assert aec.raw_env(render_mode="rgb_array").render().dtype == np.uint8
    with pytest.raises(ValueError, match="render_mode is 'svg'"):
        aec.raw_env(render_mode="svg")
