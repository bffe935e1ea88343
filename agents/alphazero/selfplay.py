"""Self-play: games side by side, each searched choice a position to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.alphazero.encoding import DRAWN, MINE, OPEN, THEIRS, encode, statuses
from agents.alphazero.replay import DRAW, LOSS, WIN, new_records, record_type, to_units
from agents.alphazero.schedule import GAMES, ROUNDS
from agents.alphazero.searchers import Searcher
from agents.search.evaluator import Rows
from agents.search.search import Result
from agents.seeds import game_seeds
from rstt_env import outcome as outcomes
from rstt_env import tree
from rstt_env.outcome import UNDECIDED, view
from rstt_env.positions import Positions

_SWAPPED = np.array([OPEN, THEIRS, MINE, DRAWN], np.uint8)  # a status seen by the other player


@dataclass
class SelfPlayConfig:
    """How games are played to learn from.

    Attributes:
        games: played side by side, one batch.
        random_plies: a game begins with 0 to so many uniformly random plies.
        sampled_plies: up to this ply choices are drawn from the search's policy; later ones are
            the search's best.
        stagger: the first games begin with up to this share of the board's squares marked at
            random, so that they don't all end at once.
        horizon: searched choices after which a position is learnt from, whether its game is over
            or not: its value target is then the root value of so many choices later. None waits
            for the result.
        fast_share: how many rounds are fast: searched with `fast_simulations` and no
            exploration, for the value alone (playout cap randomisation; Wu, 2019).
        fast_simulations: for each choice of a fast round.
    """

    games: int
    random_plies: int
    sampled_plies: int
    stagger: float
    horizon: int | None
    fast_share: float
    fast_simulations: int

    def __post_init__(self) -> None:
        if min(self.games, self.fast_simulations) < 1:
            raise ValueError(
                f"selfplay.games is {self.games} and selfplay.fast_simulations "
                f"{self.fast_simulations}; both must be 1 or more"
            )
        if min(self.random_plies, self.sampled_plies) < 0:
            raise ValueError(
                f"selfplay.random_plies is {self.random_plies} and selfplay.sampled_plies "
                f"{self.sampled_plies}; both must be 0 or more"
            )
        if self.horizon is not None and self.horizon < 1:
            raise ValueError(f"selfplay.horizon is {self.horizon}; give 1 or more, or null")
        if not (0 <= self.fast_share < 1 and 0 <= self.stagger < 1):
            raise ValueError(
                f"selfplay.fast_share is {self.fast_share} and selfplay.stagger "
                f"{self.stagger}; both must be from 0 to less than 1"
            )


class Round(NamedTuple):
    """What a round of self-play brought."""

    records: NDArray[Any]
    """Positions that are ready to be learnt from, see `replay.record_type`."""
    outcomes: NDArray[np.int64]
    """int64[k]: of the games that ended, as `rstt_env` numbers them."""
    plies: NDArray[np.int64]
    """int64[k]: their lengths."""
    positions: Positions
    """Batch of G: what was searched."""
    result: Result
    """What the search said."""
    fast: bool
    """Whether the search was a fast one."""


class SelfPlay:
    """Plays `config.games` games at once; as soon as one ends, another begins.

    All randomness comes from the seed, a game's number and the number of rounds, so that
    `state` holds all that is needed to go on.
    """

    def __init__(self, depth: int, config: SelfPlayConfig, simulations: int, seed: int) -> None:
        self._depth, self._config, self._seed = depth, config, seed
        self._simulations = simulations
        self._positions = Positions(depth, config.games)
        self._ids = np.arange(config.games)
        self._next_id = config.games
        self.rounds = 0
        # of each game, the searched positions that wait for their value targets, oldest first
        self._waiting: list[list[tuple[Any, int]]] = [[] for _ in self._ids]
        self._begin(self._ids)
        self._settle()

    def round(self, searcher: Searcher) -> Round:
        """Search every game once and go on with what the search chose."""
        config, positions = self._config, self._positions
        rng = np.random.default_rng((self._seed, ROUNDS, self.rounds))
        fast = bool(rng.random() < config.fast_share)
        seeds = game_seeds(self._seed, self._ids.astype(np.uint64), config.games)
        searched = positions.copy()
        simulations = config.fast_simulations if fast else self._simulations
        result = searcher.search(searched, seeds.astype(np.uint64), simulations, explore=not fast)
        policy = np.zeros_like(result.policy) if fast else result.policy
        encoding = encode(searched.state, np.arange(config.games))
        records = new_records(self._depth, encoding, policy, result.value)
        records["game"] = self._ids
        ready: list[NDArray[Any]] = []
        for game, mover in enumerate(searched.to_play.tolist()):
            self._waiting[game].append((records[game], mover))
            while config.horizon is not None and len(self._waiting[game]) > config.horizon:
                ready.append(
                    self._bootstrapped(game, float(result.value[game]), encoding.status[game])
                )

        digits = result.digit.copy()
        early = np.flatnonzero(searched.ply < config.sampled_plies)
        shares = result.policy[early].cumsum(axis=1)
        digits[early] = (shares > rng.random((len(early), 1)) * shares[:, -1:]).argmax(axis=1)
        positions.choose(digits)
        finished = self._settle()
        ready.extend(records for records, _, _ in finished)
        self.rounds += 1
        return Round(
            records=np.concatenate([np.empty(0, record_type(self._depth)), *ready]),
            outcomes=np.array([outcome for _, outcome, _ in finished], np.int64),
            plies=np.array([plies for _, _, plies in finished], np.int64),
            positions=searched,
            result=result,
            fast=fast,
        )

    def _bootstrapped(self, game: int, value: float, status: NDArray[np.uint8]) -> NDArray[Any]:
        """The oldest waiting position; its targets are the newest root's value and boards."""
        record, mover = self._waiting[game].pop(0)
        newest_mover = self._waiting[game][-1][1]
        ready = np.array([record])
        ready["value"] = to_units(np.array([view(value, newest_mover, mover)]))
        ready["owners"] = status if newest_mover == mover else _SWAPPED[status]
        return ready

    def _settle(self) -> list[tuple[NDArray[Any], int, int]]:
        """Take forced choices and replace finished games until every game has a choice.

        Returns the records, the outcome and the plies of each game that ended.
        """
        finished: list[tuple[NDArray[Any], int, int]] = []
        while True:
            over = np.flatnonzero(self._positions.outcome != UNDECIDED)
            if len(over):
                outcome, plies = self._positions.outcome, self._positions.ply
                finished.extend(
                    (self._ended(game, int(outcome[game])), int(outcome[game]), int(plies[game]))
                    for game in over.tolist()
                )
                self._ids[over] = self._next_id + np.arange(len(over))
                self._next_id += len(over)
                self._begin(over)
                continue
            legal = self._positions.legal_children
            forced = np.flatnonzero(legal.sum(axis=1) == 1)
            if not len(forced):
                return finished
            digits = legal[forced].argmax(axis=1)
            self._positions.choose(digits, forced)

    def _ended(self, game: int, outcome: int) -> NDArray[Any]:
        """The waiting positions of a game that ended, with its result."""
        waiting = self._waiting[game]
        records = np.array([record for record, _ in waiting], record_type(self._depth))
        owners = statuses(self._positions.state, np.array([game, game]), np.array([0, 1]))
        drawn = outcome == outcomes.DRAW
        for record, (_, mover) in zip(records, waiting, strict=True):
            record["outcome"] = DRAW if drawn else WIN if outcome == mover else LOSS
            record["owners"] = owners[mover]
            record["owners"][0] = DRAWN if drawn else MINE if outcome == mover else THEIRS
        self._waiting[game] = []
        return records

    def _begin(self, games: Rows) -> None:
        """Start `games` anew, each with a few random plies that depend on its number."""
        squares = tree.num_squares(self._depth)
        self._positions.reset(games)
        left = np.zeros(len(self._ids), np.int64)
        seeds = np.zeros(len(self._ids), np.int64)
        for game in games.tolist():
            rng = np.random.default_rng((self._seed, GAMES, int(self._ids[game])))
            first = self._ids[game] < self._config.games and self._config.stagger > 0
            most = int(self._config.stagger * squares) if first else self._config.random_plies
            left[game], seeds[game] = rng.integers(most + 1), rng.integers(2**60)
        while len(games := np.flatnonzero(left > 0)):
            self._positions.play(self._positions[games].random_squares(seeds[games]), games)
            left[games] -= 1
            over = games[self._positions.outcome[games] != UNDECIDED]
            self._positions.reset(over)
            left[over] = 0

    def state(self) -> dict[str, Any]:
        """All that changes, as arrays and plain numbers."""
        waiting = [pair for game in self._waiting for pair in game]
        records = np.array([record for record, _ in waiting], record_type(self._depth))
        return {
            "positions": {
                name: array.copy() for name, array in self._positions.state._asdict().items()
                if name != "levels"
            },
            "ids": self._ids.copy(),
            "next_id": self._next_id,
            "rounds": self.rounds,
            "waiting": np.array([len(game) for game in self._waiting]),
            "records": records.view(np.uint8),
            "movers": np.array([mover for _, mover in waiting], np.int64),
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        for name, array in state["positions"].items():
            getattr(self._positions.state, name)[:] = array
        self._ids[:] = state["ids"]
        self._next_id, self.rounds = state["next_id"], state["rounds"]
        records = state["records"].view(record_type(self._depth))
        pairs = list(zip(records, state["movers"].tolist(), strict=True))
        ends = state["waiting"].cumsum().tolist()
        self._waiting = [pairs[a:b] for a, b in zip([0, *ends], ends, strict=False)]
