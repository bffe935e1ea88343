"""What a training run is worth: games against the baselines, and endgames with known answers."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from agents import make_agent
from agents.alphazero.agent import AlphaZeroAgent
from agents.alphazero.checkpoint import BEST, save_weights
from agents.arena import Progress, play_pairs
from agents.budget import Budget
from agents.match import Match
from agents.openings import make_openings
from agents.ratings import Estimate, expected_score, score_interval
from experiments.endgames import Endgames, solved_endgames
from experiments.evaluate import details, verdicts
from experiments.matches import Meeting, play_match
from experiments.provenance import provenance
from experiments.schema import TrainConfig
from experiments.stopping import Stop
from experiments.training import Training

_EXTREME = 4000.0  # Elo: no rating is looked for beyond


@dataclass(frozen=True)
class Assessment:
    """What the averaged weights are worth at a depth.

    Attributes:
        depth: of the games.
        matches: against each opponent.
        rating: on the scale of the opponents' ratings; None if one of them has none.
        policy_accuracy, search_accuracy: in solved endgames.
    """

    depth: int
    matches: list[Match]
    rating: Estimate | None
    policy_accuracy: float
    search_accuracy: float


class Assessor:
    """Assesses the averaged weights now and then, within a share of the run's time.

    Every assessment plays the same openings, at every depth of the run, so that a curve shows the
    agent and not the luck of the draw. The first one plays a quarter of the games, to see how long
    they take; later ones as many as fit into a sixth of what all may take.
    """

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self._config, self._options, self._folder = config, config.evaluation, folder
        self._courses = [course for _, course in config.courses]
        self._endgames = [solved_endgames(course.game.depth) for course in self._courses]
        for course in self._courses:
            for opponent in course.evaluation.opponents:
                make_agent(opponent, course.game.depth)  # what is misspelt fails before the run

    def is_due(self, training: Training) -> bool:
        """Whether enough positions have passed, and another one keeps within the share."""
        counters, clock = training.counters, training.clock
        cost = self._games(training) * counters.seconds_per_game
        affordable = self._spent(training) + cost <= self._options.share * clock.seconds
        waited = counters.positions - counters.assessed_at >= self._options.every
        return waited and affordable and self._options.share > 0

    @staticmethod
    def _spent(training: Training) -> float:
        return training.clock.parts.get("evaluation", 0.0)

    def _allowance(self, training: Training) -> float:
        """Seconds that assessments may take in the whole run, so far as its length is known."""
        whole = training.clock.seconds / max(training.progress, 1e-9)
        return self._options.share * whole

    def _games(self, training: Training) -> int:
        """How many to play against each opponent: an even number."""
        games = self._options.games / 4
        if training.counters.seconds_per_game:
            games = self._allowance(training) / 6 / training.counters.seconds_per_game
        return 2 * max(1, int(min(games, self._options.games) / 2))

    def assess(self, training: Training, stop: Stop) -> list[Assessment] | None:
        """Play the matches of each depth; None if a stop was requested, or it would take too long
        for the run."""
        start = time.perf_counter()
        counters, games = training.counters, self._games(training)
        left = self._allowance(training) - self._spent(training)

        def watch(*_: object) -> None:
            if stop.requested or time.perf_counter() - start > left:
                raise KeyboardInterrupt

        try:
            matches = [self._matches(training, course, games, watch) for course in self._courses]
        except KeyboardInterrupt:
            return None
        finally:
            counters.assessed_at = counters.positions
            counters.seconds_per_game = (time.perf_counter() - start) / games
        return self.conclude(training, matches)

    def conclude(self, training: Training, matches: list[list[Match]]) -> list[Assessment]:
        """What the matches of each depth say of the averaged weights, and endgames; the best
        weights are kept."""
        counters = training.counters
        score = sum(match.score.value for played in matches for match in played)
        if score >= counters.best_score:
            counters.best_score = score
            path = self._folder / "checkpoints" / BEST
            path.parent.mkdir(exist_ok=True)
            save_weights(path, training.learner.average, training.card)
        return [
            self._assessment(training, course, endgames, played)
            for course, endgames, played in zip(self._courses, self._endgames, matches, strict=True)
        ]

    def _assessment(
        self, training: Training, course: TrainConfig, endgames: Endgames, matches: list[Match]
    ) -> Assessment:
        options = course.evaluation
        by_policy, by_search = (
            endgames.accuracy(self._agent(training, course, count).act(endgames.positions).square)
            for count in (0, options.simulations)
        )
        rating = None
        if set(options.opponents) <= set(options.ratings):
            rating = pooled_rating(matches, [options.ratings[match.opponent] for match in matches])
        return Assessment(course.game.depth, matches, rating, by_policy, by_search)

    def _matches(
        self, training: Training, course: TrainConfig, games: int, watch: Progress
    ) -> list[Match]:
        depth, options, threads = course.game.depth, course.evaluation, course.runtime.threads
        player = self._agent(training, course, options.simulations)
        openings = make_openings(depth, self._options.games // 2, course.seed)[: games // 2]
        matches: list[Match] = []
        for opponent in options.opponents:
            match = Match(f"az:{options.simulations}", opponent)
            other = make_agent(opponent, depth, course.seed + 1, threads)
            for wave in play_pairs((player, other), depth, openings, watch):
                match.add(wave)
            matches.append(match)
        return matches

    @staticmethod
    def _agent(training: Training, course: TrainConfig, simulations: int) -> AlphaZeroAgent:
        return AlphaZeroAgent(
            course.game.depth,
            training.learner.average,
            Budget(simulations=simulations),
            rules=training.card.rules(course.game.depth),
            threads=course.runtime.threads,
            device=training.device,
        )


def pooled_rating(matches: list[Match], ratings: list[float]) -> Estimate:
    """The rating at which the pooled score against opponents of known ratings is expected.

    The interval is that of the pooled score: of the agent's games, not of the known ratings.
    Where all or none of the games were won, there is only a bound: the rating is infinite.
    """
    pairs = [score for match in matches for score in match.pair_scores]
    weights = [len(match.games) / (2 * len(pairs)) for match in matches]

    def expected(rating: float) -> float:
        return sum(
            weight * expected_score(rating - other)
            for weight, other in zip(weights, ratings, strict=True)
        )

    def inverse(score: float) -> float:
        if score in (0.0, 1.0):
            return math.copysign(math.inf, score - 0.5)
        low, high = -_EXTREME, _EXTREME
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if expected(middle) < score else (low, middle)
        return low

    return Estimate(*map(inverse, score_interval(pairs)))


def final_matches(config: TrainConfig, folder: Path, checkpoint: Path) -> list[list[Match]]:
    """Play the finished agent against the baselines of each depth, and show tables.

    The figures are saved in `final` in the run's folder, those of a mix's other depths below it.
    """
    (_, own), *others = config.courses
    return [
        _final_table(own, folder / "final", checkpoint),
        *(
            _final_table(course, folder / "final" / f"depth{course.game.depth}", checkpoint)
            for _, course in others
        ),
    ]


def _final_table(config: TrainConfig, folder: Path, checkpoint: Path) -> list[Match]:
    depth, options = config.game.depth, config.evaluation
    facts: dict[str, Any] = {**provenance(config), "config": config.facts()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "games.jsonl").unlink(missing_ok=True)  # of before a resumption
    origin = {"commit": facts["commit"], "seed": config.seed}
    # openings that no assessment has seen
    meeting = Meeting(depth, options.final_games, config.seed + 1000, folder, origin)
    agent = f"az:{checkpoint}:{options.simulations}"
    matches: list[Match] = []
    for opponent in options.opponents:
        matches.append(play_match(agent, opponent, meeting, threads=config.runtime.threads))
        name = f"az:{options.simulations}"  # the folder is no part of a result
        figures = {**facts, "matches": [{**match.figures(), "agent": name} for match in matches]}
        path = folder / "results.json"
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        if matches[-1].interrupted:
            raise KeyboardInterrupt
    console = Console(emoji=False)
    for table in (verdicts(matches, depth), details(matches)):
        console.print(table)
    return matches
