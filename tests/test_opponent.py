"""The wrapper that plays the other side."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rstt_env import UNDECIDED, OpponentWrapper
from tests.conftest import DEPTHS


def make(depth=2, opponent=None, seat="random", **kwargs):
    return OpponentWrapper(gymnasium.make("RSTT-v0", depth=depth, **kwargs), opponent, seat)


def first_legal(positions):
    return positions.legal.argmax(axis=1)


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth < 4])
@pytest.mark.parametrize("choice", ["square", "digit"])
def test_rewards_are_the_learner_s_in_either_seat(depth, choice):
    env = make(depth, choice=choice)
    rewards = set()
    for episode in range(40 if depth < 3 else 4):
        _, info = env.reset(seed=episode)
        env.action_space.seed(episode)
        seat, over, total = info["seat"], False, 0.0
        while not over:
            assert info["to_play"] == seat
            _, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
            total += reward
        outcome = env.unwrapped.positions.outcome[0]
        assert outcome != UNDECIDED
        assert total == {seat: 1.0, 1 - seat: -1.0, 2: 0.0}[int(outcome)]
        rewards.add(total)
    assert depth > 2 or {-1.0, 1.0} <= rewards


@pytest.mark.parametrize("seat", [0, 1])
def test_the_given_opponent_answers_and_the_seat_is_fixed(seat):
    env = make(1, first_legal, seat)
    _, info = env.reset()
    assert info["seat"] == info["to_play"] == seat
    assert env.unwrapped.positions.ply[0] == seat
    if seat == 1:
        assert env.unwrapped.positions.last_square[0] == 0
    env.step(8)
    assert env.unwrapped.positions.ply[0] == 2 + seat


def test_a_seed_repeats_seats_and_replies():
    def episodes():
        env = make(2)
        games = []
        for episode in range(10):
            _, info = env.reset(seed=7 if episode == 0 else None)
            over = False
            while not over:
                action = int(info["action_mask"].argmax())
                _, _, over, _, info = env.step(action)
            games.append((info["seat"], int(env.unwrapped.positions.keys[0])))
        return games

    games = episodes()
    assert games == episodes()
    assert len(set(games)) > 1
    assert {seat for seat, _ in games} == {0, 1}


@pytest.mark.parametrize("answer", [[80], [-1], [4, 4], 4.5, [4.0], [None], ["a"]])
def test_a_wrong_answer_of_the_opponent_is_named(answer):
    env = make(2, lambda positions: np.array(answer), 0, illegal_action="lose")
    env.reset()
    with pytest.raises(ValueError, match="the opponent answered"):
        env.step(0)
    with pytest.raises(RuntimeError, match="failed to answer"):
        env.step(1)  # it isn't the learner's turn


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasium_s_checker_passes_and_the_spec_makes_it_again():
    env = make(2, illegal_action="lose", seat=1)
    check_env(env, skip_render_check=True)
    assert env.spec.make().unwrapped.interface.depth == 2


def test_the_opponent_gets_a_copy_of_the_position():
    def meddling(positions):
        square = positions.legal.argmax(axis=1)
        positions.play(square)
        return square

    env = make(2, meddling, 0)
    env.reset()
    env.step(40)
    assert env.unwrapped.positions.ply[0] == 2


def test_an_illegal_action_of_the_learner_loses():
    env = make(2, first_legal, 0, illegal_action="lose")
    env.reset()
    env.step(40)
    _, reward, over, _, _ = env.step(40)
    assert (reward, over) == (-1.0, True)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="seat is 2"):
        make(seat=2)
    with pytest.raises(TypeError, match="opponent is 'random'"):
        make(opponent="random")
    with pytest.raises(TypeError, match="wraps RSTT-v0"):
        OpponentWrapper(gymnasium.make("CartPole-v1"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("depth", "choice"), [(1, "square"), (2, "square"), (3, "square"), (3, "digit")]
)
def test_maskable_ppo_trains_without_an_illegal_action(depth, choice):
    """10^5 steps at each depth; an illegal action would raise. At depth 2 it has to win clearly."""
    sb3_contrib = pytest.importorskip("sb3_contrib")
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    env = make(depth, choice=choice)
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, seed=0, n_steps=2048, batch_size=256)
    model.learn(100_000)
    score, games = 0.0, 200 if depth < 3 else 20
    for game in range(games):
        observation, _ = env.reset(seed=game)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=env.unwrapped.action_masks())
            observation, reward, over, _, _ = env.step(int(action))
        score += (reward + 1) / 2
    print(f"depth {depth}, {choice}: {score / games:.3f} over {games} games")
    assert score / games > (0.6 if depth < 3 else 0.4)
