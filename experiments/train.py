"""Train an agent by self-play: `python -m experiments.train --help`"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from rich.console import Console

from agents.alphazero.checkpoint import Checkpoints
from agents.alphazero.learner import Update
from agents.alphazero.searchers import ProcessEndedError
from agents.alphazero.selfplay import Round
from experiments import cli
from experiments.assessment import Assessor, final_matches
from experiments.schema import TrainConfig
from experiments.stopping import Stop, stop_requests
from experiments.tracking import Tracker
from experiments.training import Training, run_folder, save_config, saved_config


def train(config: TrainConfig, after_step: Callable[[Training], None] = lambda _: None) -> Training:
    """Run self-play, replay and learner in turn until the budget is used up.

    `after_step` is called after every round of self-play and every update. Ctrl-C and SIGTERM
    end the run with a checkpoint.
    """
    folder = run_folder(config)
    checkpoints = Checkpoints(folder, config.runtime.keep)
    training = Training(config, folder)
    with closing(training):
        _train(training, checkpoints, after_step)
    return training


def _train(
    training: Training, checkpoints: Checkpoints, after_step: Callable[[Training], None]
) -> None:
    config, console = training.config, Console(stderr=True)
    folder = checkpoints.folder.parent
    if config.resume is not None:
        training.restore(*checkpoints.load())
        if training.progress >= 1 and (folder / "final" / "results.json").exists():
            raise ValueError(
                f"resume: the run in {folder} has used up its budget; give it a larger "
                "budget.minutes= or budget.positions=, counted from its beginning"
            )
    assessor = Assessor(config, folder)
    save_config(config, folder)  # first of all that is written: what was wrong is known by now
    console.print("getting ready (the first time, kernels are compiled) …")
    training.warm_up()
    with Tracker(config, folder, training) as tracker:
        with stop_requests() as stop:
            try:
                run(training, tracker, assessor, checkpoints, stop, after_step)
            except ProcessEndedError as error:
                raise ProcessEndedError(
                    f"{error}. Checkpoint: {training.save(checkpoints)}"
                ) from None
            path = training.save(checkpoints)
        tracker.stop(path)
        if stop.requested:
            raise KeyboardInterrupt
        if not training.learner.updates:
            ready = training.courses[0].replay.size
            console.print(
                f"nothing was learnt: learner.window_min is {config.learner.window_min:,} "
                f"positions, and {ready:,} were ready when the budget was used up",
                soft_wrap=True,
            )
            return
        matches = final_matches(config, folder, path)
        tracker.conclude(assessor.conclude(training, matches))


def run(
    training: Training, tracker: Tracker, assessor: Assessor, checkpoints: Checkpoints,
    stop: Stop, after_step: Callable[[Training], None],
) -> None:  # fmt: skip
    """Until the budget is used up or a stop is requested."""
    rounds: list[Round] = []
    updates: list[Update] = []
    saved_at = training.clock.seconds
    while training.progress < 1 and not stop.requested:
        if training.owed:
            with training.clock.part("learner"):
                updates.append(training.learn())
        else:
            with training.clock.part("self-play"):
                rounds.append(training.play())
        after_step(training)
        if training.published:
            tracker.log(rounds, updates)
            rounds, updates = [], []
            if assessor.is_due(training) and not stop.requested:
                tracker.show("being assessed …")
                with training.clock.part("evaluation"):
                    assessments = assessor.assess(training, stop)
                if assessments or not stop.requested:
                    tracker.assessed(assessments)
        if training.clock.seconds - saved_at > 60 * training.config.runtime.checkpoint_minutes:
            training.save(checkpoints)
            saved_at = training.clock.seconds
        tracker.show()


def main() -> None:
    """Run it."""
    cli.run("train", train, sweeps=True, resumed=saved_config)


if __name__ == "__main__":
    main()
