"""Training runs: exact resumption, interruption, and what a run leaves behind."""

import multiprocessing
import os
import signal
import time

import pytest
import torch
from omegaconf import OmegaConf
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import make_agent
from agents.alphazero.checkpoint import BEST, WEIGHTS, Checkpoints, load_network
from experiments.assessment import Assessor
from experiments.stopping import Stop
from experiments.train import train
from rstt_env import Positions
from tests.conftest import DEPTHS
from tests.runs import compose, curves, positions_of, program, run, start, stop_after

pytestmark = pytest.mark.jit  # self-play takes minutes without


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_stopping_and_resuming_changes_nothing(tmp_path):
    """2N positions in one go, in two, and again: the same curves and the same weights.

    The stop falls in the middle of a turn of the learner or of self-play.
    """
    options = ["game=depth2", "seed=3", "selfplay.fast_share=0.2", "selfplay.horizon=6"]
    for name in ("whole", "again"):
        run(tmp_path / name, *options, "budget.positions=640")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", *options, "budget.positions=640", after_step=stop_after(328))
    stopped = positions_of(tmp_path / "parts")
    assert 0 < stopped < 640
    train(compose(f"resume={tmp_path / 'parts'}"))
    assert curves(tmp_path / "whole") == curves(tmp_path / "again")
    ours, theirs = curves(tmp_path / "whole"), curves(tmp_path / "parts")
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert [step for step, _ in ours[name]] == [step for step, _ in theirs[name]]
        different = [a[0] for a, b in zip(ours[name], theirs[name], strict=True) if a != b]
        # the turn that was interrupted is averaged over what came after the interruption
        assert len(different) <= 1
        assert all(stopped <= step < stopped + 64 for step in different)
    weights = [
        load_file(Checkpoints(tmp_path / name).all()[-1] / WEIGHTS)
        for name in ("whole", "again", "parts")
    ]
    for other in weights[1:]:
        assert all(torch.equal(weights[0][key], other[key]) for key in weights[0])


MIXED = [
    "game=depth2", "seed=3", "+mix.depth1.share=0.25", "+mix.depth1.learner.batch=8",
    "+mix.depth3.share=0.25", "+mix.depth3.selfplay.horizon=4",
    "+mix.depth3.search.simulations=2", "+mix.depth3.evaluation.opponents=[greedy]",
]  # fmt: skip


def test_a_mix_keeps_its_shares_and_learns_of_every_depth(tmp_path):
    depths = []

    def note(training):
        depths.append([course.counters.positions for course in training.courses])

    done = run(tmp_path / "run", *MIXED, "budget.positions=800", after_step=note)
    assert [course.depth for course in done.courses] == [2, 1, 3]
    assert depths[-1] == [400, 200, 200]
    for own, *others in depths:  # at any time, to within a round
        assert all(abs(own - 2 * other) <= 16 for other in others)
    names = curves(tmp_path / "run", clock=())
    assert {"loss/policy", "depth1/loss/policy", "depth3/loss/policy"} <= set(names)
    assert {"strength/score/random", "depth1/strength/score/random"} <= set(names)
    assert "depth3/strength/score/greedy" in names
    assert (tmp_path / "run" / "final" / "depth3" / "results.json").exists()
    card, _ = load_network(tmp_path / "run")
    assert card.depths == [1, 2, 3]
    assert done.learner.updates > 100


def test_a_mix_that_is_stopped_and_resumed_learns_the_same(tmp_path):
    run(tmp_path / "whole", *MIXED, "budget.positions=800")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", *MIXED, "budget.positions=800", after_step=stop_after(500))
    assert 0 < positions_of(tmp_path / "parts") < 800
    train(compose(f"resume={tmp_path / 'parts'}"))
    ours, theirs = (
        load_file(Checkpoints(tmp_path / name).all()[-1] / WEIGHTS) for name in ("whole", "parts")
    )
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


TWO = ["selfplay.games=64", "selfplay.horizon=4", "runtime.threads=2"]  # processes


def test_two_processes_stopped_and_resumed_learn_the_same(tmp_path):
    options = [*TWO, "budget.positions=768"]
    run(tmp_path / "whole", *options)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts", *options, after_step=stop_after(400))
    assert 0 < positions_of(tmp_path / "parts") < 768
    train(compose(f"resume={tmp_path / 'parts'}"))
    ours, theirs = (
        load_file(Checkpoints(tmp_path / name).all()[-1] / WEIGHTS) for name in ("whole", "parts")
    )
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_run_whose_searching_process_dies_says_so_and_can_go_on(tmp_path):
    folder = tmp_path / "run"

    def kill(training):
        if training.counters.positions == 512:
            os.kill(training.courses[0].searchers._others[0]._process.pid, signal.SIGKILL)

    with pytest.raises(OSError, match=r"ended with status -9.*Checkpoint: .*000000000512"):
        run(folder, *TWO, "budget.positions=768", after_step=kill)
    assert not multiprocessing.active_children()
    assert train(compose(f"resume={folder}")).counters.positions == 768


def test_another_seed_is_another_run(tmp_path):
    for seed in (0, 1):
        run(tmp_path / str(seed), f"seed={seed}", "budget.positions=80")
    ours, theirs = (load_network(tmp_path / str(seed))[1].state_dict() for seed in (0, 1))
    assert not torch.equal(ours["digit.weight"], theirs["digit.weight"])


@pytest.mark.parametrize("depth", DEPTHS)
def test_every_depth_trains_and_its_agent_plays(tmp_path, depth):
    run(tmp_path / "run", f"game=depth{depth}", "selfplay.horizon=6", "budget.positions=200")
    names = curves(tmp_path / "run")
    assert {"loss/policy", "loss/policy_floor", "policy/agreement", "replay/positions"} <= set(
        names
    )
    for spec in ("0", "3", "0.01s"):
        agent = make_agent(f"az:{tmp_path / 'run'}:{spec}", depth)
        square = agent.act(Positions(depth)).square
        assert 0 <= square[0] < 9**depth


def test_the_mix_of_all_depths_is_a_config(tmp_path):
    done = run(tmp_path / "run", "experiment=all_depths", "budget.positions=300",
               *(f"mix.depth{depth}.selfplay.games=8" for depth in (1, 2, 4)))  # fmt: skip
    assert sorted(course.depth for course in done.courses) == [1, 2, 3, 4]
    assert done.courses[-1].config.search.c_scale < done.courses[0].config.search.c_scale
    for depth in DEPTHS:
        square = make_agent(f"az:{tmp_path / 'run'}:3", depth).act(Positions(depth)).square
        assert 0 <= square[0] < 9**depth


def test_the_classic_search_trains(tmp_path):
    run(tmp_path / "run", "search=puct", "selfplay.horizon=6", "budget.positions=200")
    assert "loss/policy" in curves(tmp_path / "run")


def test_a_budget_too_small_to_learn_is_told(tmp_path, capsys):
    run(tmp_path / "run", "budget.positions=16")
    assert "nothing was learnt: learner.window_min is 32 positions" in capsys.readouterr().err


def test_a_run_leaves_curves_tables_checkpoints_and_its_configuration(tmp_path, capsys):
    run(tmp_path / "run", "game=depth1", "budget.positions=400", "evaluation.every=64",
        "evaluation.share=1.0", "runtime.precision=auto")  # fmt: skip
    folder = tmp_path / "run"
    events = EventAccumulator(str(folder)).Reload()
    scalars = set(events.Tags()["scalars"])
    assert {
        "loss/policy", "loss/policy_floor", "loss/result", "loss/root_value",
        "value/calibration_error", "policy/entropy", "policy/agreement", "endgames/policy",
        "endgames/search", "learner/gradient_norm", "learner/rate", "games/plies", "games/X",
        "games/O", "games/draw", "speed/positions_per_second", "speed/evaluations_per_second",
        "time/search", "time/network", "time/learner", "time/evaluation", "replay/positions",
        "replay/age", "memory/MiB", "strength/score/random",
    } <= scalars  # fmt: skip
    assert events.Tags()["images"]
    assert any("config" in name for name in events.Tags()["tensors"])
    saved = OmegaConf.load(folder / "config.yaml")
    assert saved.runtime.precision in ("float32", "bfloat16")  # what auto has chosen
    assert (folder / "final" / "results.json").exists()
    assert (folder / "final" / "games.jsonl").exists()
    assert (folder / "checkpoints" / BEST).exists()
    assert "score" in capsys.readouterr().out
    files = [path for path in folder.iterdir() if path.name.startswith("events")]
    assert len(files) == 1  # no run of its own for the hyperparameters


def test_old_checkpoints_and_shards_are_deleted(tmp_path):
    run(tmp_path / "run", "budget.positions=400", "runtime.checkpoint_minutes=0", "runtime.keep=2")
    assert len(Checkpoints(tmp_path / "run").all()) == 2
    assert positions_of(tmp_path / "run") == 400
    assert not list((tmp_path / "run" / "checkpoints").glob(".*"))


def test_a_run_starts_from_another_depth_s_weights(tmp_path):
    run(tmp_path / "first", "game=depth1", "budget.positions=80")
    given = []

    def note(training):
        given.append(training.learner.average.state_dict())

    start = f"init={tmp_path / 'first'}"
    run(tmp_path / "second", "game=depth2", start, "budget.positions=8", after_step=note)
    _, network = load_network(tmp_path / "first")
    assert all(torch.equal(weight, given[0][name]) for name, weight in network.state_dict().items())


def test_evaluation_changes_nothing(tmp_path):
    for name, every in (("with", 16), ("without", 10**6)):
        run(tmp_path / name, "budget.positions=200", f"evaluation.every={every}",
            "evaluation.share=1.0")  # fmt: skip
    ours, theirs = (load_network(tmp_path / name)[1].state_dict() for name in ("with", "without"))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.parametrize("updates", [1, 3, 50])
def test_positions_are_reused_as_often_as_asked(tmp_path, updates):
    done = run(tmp_path / "run", "budget.positions=1600", f"learner.updates={updates}",
               "learner.reuse=3")  # fmt: skip
    seen = done.learner.updates * 16 / 3
    assert seen == pytest.approx(1600 - 16 * updates / 3, abs=16 * updates / 3 + 300)
    assert seen > 1000


def test_a_run_that_diverges_ends_and_keeps_its_last_checkpoint(tmp_path):
    with pytest.raises(ValueError, match=r"diverged.*lower"):
        run(tmp_path / "run", "budget.positions=4000", "learner.rate=1e30", "learner.warmup=0",
            "learner.weight_decay=1e30", "runtime.checkpoint_minutes=0")  # fmt: skip
    _, network = load_network(tmp_path / "run")
    assert all(torch.isfinite(weight).all() for weight in network.state_dict().values())


def test_an_assessment_is_broken_off_by_a_stop_and_kept_within_its_share(tmp_path):
    options = ["budget.positions=400", "evaluation.every=16"]
    done = run(tmp_path / "run", *options, "evaluation.share=0.0")
    assert done.counters.assessed_at == 0
    scores = curves(tmp_path / "run", clock=())["strength/score/random"]
    assert [step for step, _ in scores] == [400]  # the last matches alone
    stop = Stop(requested=True)
    assessor = Assessor(compose("budget.positions=400"), tmp_path / "other")
    assert assessor.assess(done, stop) is None


# --- as a program ---


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_can_go_on(tmp_path, number):
    process = start("output=run", "budget.positions=1000000000", "runtime.checkpoint_minutes=0.01")
    checkpoints = Checkpoints(tmp_path / "run")
    wait_for(lambda: checkpoints.all())
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == (130 if number != signal.SIGKILL else -number), errors
    before = positions_of(tmp_path / "run")
    if number != signal.SIGKILL:
        assert f"{before:012}" in errors
    after = program("resume=run", f"budget.positions={before + 100}")
    assert after.returncode == 0, after.stderr
    assert positions_of(tmp_path / "run") >= before + 100


def test_a_sweep_gives_every_run_a_folder(tmp_path):
    done = program("-m", "seed=0,1", "output=sweep", "budget.positions=80")
    assert done.returncode == 0, done.stderr
    folders = sorted(path.name for path in (tmp_path / "sweep").iterdir())
    assert folders == ["0_seed-0", "1_seed-1"]
