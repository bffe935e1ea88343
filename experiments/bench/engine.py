"""The suite `engine`: playouts on one core, the vector environment, and OpenSpiel beside them."""

import importlib.util
from collections.abc import Callable, Iterator

import gymnasium
import numpy as np

from experiments.bench.measure import Row, best_rate
from rstt_env import Positions, random_actions

Announce = Callable[[str], None]


def run(seconds: float, announce: Announce) -> Iterator[Row]:
    """Yield the rows, measuring each for about `seconds`."""
    ours = 0.0
    for depth, repeats in ((1, 50_000), (2, 10_000), (3, 1_000), (4, 100)):
        announce(f"playouts at depth {depth}")
        row = _playouts(depth, repeats, seconds)
        ours = row.rate if depth == 2 else ours
        yield row
    if importlib.util.find_spec("pyspiel"):
        announce("OpenSpiel")
        rate = _open_spiel(seconds)
        name = "OpenSpiel's playouts in C++, depth 2, one core"
        yield Row(name, rate, "playout", 1e9 / rate, "playout", ours / rate)
    announce("the vector environment")
    vector = _environment("vector_entry_point", 1024, seconds)
    yield Row("vector environment, depth 2, N = 1024", vector, "step", 1e9 / vector, "step")
    announce("SyncVectorEnv")
    sync = _environment("sync", 1024, seconds)
    yield Row("SyncVectorEnv, depth 2, N = 1024", sync, "step", 1e9 / sync, "step", vector / sync)


def _playouts(depth: int, repeats: int, seconds: float) -> Row:
    start = Positions(depth)
    counts = {"plies": 0, "playouts": 0}

    def work() -> float:
        result = start.playouts(seeds=counts["playouts"], repeats=repeats)
        counts["plies"] += int(result.plies[0])
        counts["playouts"] += repeats
        return repeats

    rate = best_rate(work, seconds)
    plies = counts["plies"] / counts["playouts"]
    return Row(f"playouts, depth {depth}, one core", rate, "playout", 1e9 / (rate * plies), "ply")


def _environment(mode: str, num_envs: int, seconds: float) -> float:
    """Steps per second, observations and masks included, with random legal actions."""
    envs = gymnasium.make_vec("RSTT-v0", num_envs=num_envs, vectorization_mode=mode, depth=2)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def work() -> float:
        nonlocal infos
        actions = random_actions(infos["action_mask"], rng)
        infos = envs.step(actions)[-1]
        return num_envs

    rate = best_rate(work, seconds)
    envs.close()
    return rate


def _open_spiel(seconds: float) -> float:
    """Playouts per second of OpenSpiel's C++ MCTS when rollouts make up nearly all of its work."""
    import pyspiel

    rollouts, simulations = 1000, 8
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(
        game, evaluator, 2.0, simulations, 1000, False, 1, False,
        pyspiel.ChildSelectionPolicy.UCT,
    )  # fmt: skip
    state = game.new_initial_state()

    def work() -> float:
        bot.mcts_search(state)
        return rollouts * simulations

    return best_rate(work, seconds)
