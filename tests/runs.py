"""Training runs for tests: tiny, in process or as a program."""

import os
import signal
import subprocess
import sys

import hydra
from omegaconf import OmegaConf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents.alphazero.checkpoint import Checkpoints
from experiments.schema import register
from experiments.train import train
from experiments.training import saved_config

SMALL = [
    "network.embedding=8",
    "network.hidden=16",
    "network.content_hidden=8",
    "network.head_blocks=1",
]
TINY = [
    "search.simulations=4",
    "selfplay.games=8",
    "selfplay.random_plies=2",
    "learner.batch=16",
    "learner.window_min=32",
    "learner.window_max=500",
    "learner.updates=4",
    "evaluation.opponents=[random]",
    "evaluation.games=2",
    "evaluation.final_games=2",
    "evaluation.simulations=2",
    "budget.minutes=null",
    "runtime.precision=float32",  # what is fastest would be measured anew for each run
]


def compose(*overrides, tiny=True):
    register()
    small = [] if {"network=resnet", "network=own"} & set(overrides) else SMALL
    with hydra.initialize_config_module("configs", version_base="1.3"):
        composed = hydra.compose("train", [*(small + TINY) * tiny, *overrides])
    return OmegaConf.to_object(saved_config(composed, list(overrides)))


def run(output, *overrides, after_step=lambda training: None):
    return train(compose(f"output={output}", *overrides), after_step)


CLOCK = ("speed/", "time/", "memory/", "endgames/", "strength/")


def curves(folder, clock=CLOCK):
    """Curve → [(positions, value)], without those that depend on the clock."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    return {
        name: [(event.step, event.value) for event in events.Scalars(name)]
        for name in events.Tags()["scalars"]
        if not name.startswith(clock)
    }


def positions_of(folder):
    """Of the newest checkpoint."""
    return int(Checkpoints(folder).all()[-1].name.partition("-")[0])


def stop_after(positions):
    def after_step(training):
        if training.counters.positions >= positions:
            os.kill(os.getpid(), signal.SIGINT)

    return after_step


def command(*arguments):
    sweep = ["-m"] * ("-m" in arguments)  # flags come first
    rest = [argument for argument in arguments if argument != "-m"]
    return [sys.executable, "-m", "experiments.train", *sweep, *SMALL, *TINY, *rest]


def program(*arguments, **options):
    return subprocess.run(command(*arguments), capture_output=True, text=True, **options)


def start(*arguments):
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
