"""The suite `search`: UCT on one core and on all, beside OpenSpiel and playouts; alpha-beta."""

import importlib.util
from collections.abc import Iterator

import numpy as np

from agents.alphabeta.deepening import Deepening
from agents.alphabeta.table import new_table
from agents.budget import Budget
from agents.threads import num_cores
from agents.uct import EXPLORATION, UCTAgent
from agents.uct.forest import Forest, Options
from experiments.bench.engine import Announce
from experiments.bench.measure import Row, best_rate
from rstt_env import Positions

GAMES = 8  # searched side by side
SIMULATIONS = {2: 20_000, 3: 2_000, 4: 200}  # a game and call


def run(seconds: float, announce: Announce) -> Iterator[Row]:
    """Yield the rows, measuring each for about `seconds`."""
    for depth in (2, 3, 4):
        announce(f"UCT at depth {depth}")
        rate = _uct(depth, GAMES, seconds, threads=1)
        name = f"UCT, depth {depth}, {GAMES} games, one core"
        yield Row(name, rate, "simulation", 1e9 / rate, "simulation")
        bare = _playouts(depth, seconds)
        name = f"bare playouts, depth {depth}, one core"
        yield Row(name, bare, "playout", 1e9 / bare, "playout", rate / bare)
        if depth == 2:
            yield from _depth_two(rate, seconds, announce)
    yield from _growth(seconds, announce)
    for depth in (1, 2, 3, 4):
        announce(f"alpha-beta at depth {depth}")
        rate = _alphabeta(depth, seconds)
        yield Row(f"alpha-beta, depth {depth}, one core", rate, "node", 1e9 / rate, "node")


def _depth_two(one_core: float, seconds: float, announce: Announce) -> Iterator[Row]:
    """What the rate on one core is compared with at depth 2."""
    single = _uct(2, 1, seconds, threads=1)
    yield Row("UCT, depth 2, one game, one core", single, "simulation", 1e9 / single, "simulation")
    if importlib.util.find_spec("pyspiel"):
        announce("OpenSpiel's MCTS")
        rate = _open_spiel(seconds)
        name = "OpenSpiel's MCTSBot in C++, depth 2, one core"
        yield Row(name, rate, "simulation", 1e9 / rate, "simulation", one_core / rate)
    announce("UCT on all cores")
    cores = num_cores()
    both = _uct(2, GAMES, seconds, threads=cores)
    name = f"UCT, depth 2, {GAMES} games, {cores} cores"
    yield Row(name, both, "simulation", 1e9 / both, "simulation")
    yield Row(
        f"the same on one core, of which {cores} make",
        one_core, "simulation", 1e9 / one_core, "simulation", both / one_core,
    )  # fmt: skip


def _uct(depth: int, games: int, seconds: float, threads: int) -> float:
    """Simulations per second from the first position, one rollout each."""
    simulations = SIMULATIONS[depth] * GAMES // games
    agent = UCTAgent(depth, Budget(simulations=simulations), threads=threads)
    start = Positions(depth, games)

    def work() -> float:
        return float(agent.act(start, range(games)).simulations.sum())

    return best_rate(work, seconds)


def _playouts(depth: int, seconds: float) -> float:
    start, seed = Positions(depth), iter(range(10**9))
    repeats = SIMULATIONS[depth]

    def work() -> float:
        start.playouts(seeds=next(seed), repeats=repeats)
        return repeats

    return best_rate(work, seconds)


def _open_spiel(seconds: float) -> float:
    """Simulations per second of OpenSpiel's C++ MCTS with one random rollout each."""
    import pyspiel

    simulations = SIMULATIONS[2]
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    bot = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, simulations, 10_000, False, 1, False,
        pyspiel.ChildSelectionPolicy.UCT,
    )  # fmt: skip
    state = game.new_initial_state()

    def work() -> float:
        bot.mcts_search(state)
        return simulations

    return best_rate(work, seconds)


def _growth(seconds: float, announce: Announce) -> Iterator[Row]:
    """What a simulation costs, at depth 2, while one tree grows to 10^7 nodes (1.3 GB)."""
    largest = 7 if seconds >= 1 else 4
    forest = Forest(Positions(2), np.zeros(1, np.uint64), 10**largest)
    options = Options(EXPLORATION, solver=False, decisive=False)
    for power in range(3, largest + 1):
        announce(f"a tree of 10^{power} nodes")
        before, spent = int(forest.simulations[0]), float(forest.seconds[0])
        while forest.sizes[0] < 10**power:
            missing = 10**power - int(forest.sizes[0])
            forest.search(options, np.array([missing]), None, threads=1)
        count = int(forest.simulations[0]) - before
        rate = count / (float(forest.seconds[0]) - spent)
        name = f"UCT, depth 2, one tree, until it has 10^{power} nodes"
        yield Row(name, rate, "simulation", 1e9 / rate, "simulation")


def _alphabeta(depth: int, seconds: float) -> float:
    """Nodes per second of searches from a position after a few moves."""
    start, table = Positions(depth), new_table(20)
    start.play(start.random_squares(1))
    choices = {1: 8, 2: 7, 3: 7, 4: 7}[depth]

    def work() -> float:
        deepening = Deepening(start, table)
        deepening.to(choices)
        return deepening.nodes

    return best_rate(work, seconds)
