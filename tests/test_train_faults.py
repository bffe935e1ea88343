"""Training runs that can't be: wrong settings, damaged checkpoints, a full disk."""

import shutil
import subprocess

import hydra
import numpy as np
import pytest
import torch
from omegaconf import OmegaConf

from agents.alphazero.checkpoint import STATE, WEIGHTS, Checkpoints
from experiments.schema import register
from experiments.train import train
from experiments.training import saved_config
from tests.runs import compose, positions_of, program, run

pytestmark = pytest.mark.jit  # self-play takes minutes without


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("arguments", "complaint"), [
    (["game=depth5"], "game is 'depth5'"),
    (["game.depth=3"], "write game=depth3"),
    (["network.width=64"], "write +network.width=64"),
    (["learner.bacth=3"], "did you mean 'learner.batch'"),
    (["experiment=quik"], "did you mean quick"),
    (["learner.batch=1000"], "a batch is drawn from the window"),
    (["learner.batch=many"], "learner.batch: "),
    (["network.name=recursiv"], "no network is called 'recursiv'"),
    (["network.hidden=-4"], "network 'recursive' with"),
    (["selfplay.random_plies=-1"], "selfplay.random_plies is -1"),
    (["search.considered=12"], "search.considered is 12"),
    (["evaluation.simulations=-1"], "evaluation.simulations is -1"),
    (["learner.window_share=-3"], "learner.window_share is -3"),
    (["learner.result_weight=-1"], "learner.result_weight is -1"),
    (["search.c_scale=-1"], "search.c_scale -1"),
    (["runtime.checkpoint_minutes=-1"], "runtime.checkpoint_minutes -1"),
    (["budget.minutes=nan"], "budget.minutes is nan"),
    (["-m", "learner.bacth=1,2"], "did you mean 'learner.batch'"),
    (["-m", "seed=0,-1"], "seed is -1"),
    (["resume=nowhere"], "nowhere is no run"),
    (["init=nowhere"], "nowhere does not exist"),
    (["evaluation.opponents=[utc:100]"], "no agent is called 'utc'"),
    (["budget.positions=0"], "budget.positions 0"),
    (["runtime.device=gpu"], "runtime.device is 'gpu'"),
    (["runtime.precision=int8"], "runtime.precision is 'int8'"),
    (["output=full/run"], "can't be written"),
    (["output=full"], "full is a file"),
])  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(tmp_path, arguments, complaint):
    (tmp_path / "full").write_text("a file in the way")
    done = program("output=run", "budget.positions=80", *arguments)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_a_run_that_is_over_asks_for_a_larger_budget(finished):
    with pytest.raises(ValueError, match="has used up its budget"):
        train(compose(f"resume={finished}"))


def test_what_was_wrong_can_be_put_right_with_the_same_folder(tmp_path):
    for wrong in ("init=nowhere", "network.name=nothing", "evaluation.opponents=[nobody]"):
        with pytest.raises(ValueError, match="no"):
            run(tmp_path / "run", "budget.positions=80", wrong)
    run(tmp_path / "run", "budget.positions=80")
    with pytest.raises(ValueError, match="holds something already"):
        run(tmp_path / "run", "budget.positions=80")


def test_a_run_goes_on_without_what_it_started_from_and_keeps_new_settings(tmp_path):
    run(tmp_path / "first", "budget.positions=80")
    run(tmp_path / "second", f"init={tmp_path / 'first'}", "budget.positions=80",
        "selfplay.horizon=6")  # fmt: skip
    shutil.rmtree(tmp_path / "first")
    resume = f"resume={tmp_path / 'second'}"
    train(compose(resume, "budget.positions=160", "learner.rate=1e-4"))
    train(compose(resume, "budget.positions=240"))
    assert positions_of(tmp_path / "second") == 240
    assert compose(resume).learner.rate == pytest.approx(1e-4)
    assert len((tmp_path / "second" / "final" / "games.jsonl").read_text().splitlines()) == 2


# --- checkpoints that are not what they should be ---


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "run"
    run(folder, "budget.positions=640")
    return folder


def damaged(finished, tmp_path, change):
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(finished), str(copy)], check=True)
    change(Checkpoints(copy).all()[-1], copy)
    return copy


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(("change", "complaint"), [
    (lambda point, run: cut(point / WEIGHTS), "is cut or no safetensors file"),
    (lambda point, run: cut(point / STATE), "is missing or cut"),
    (lambda point, run: (point / STATE).unlink(), "is missing or cut"),
    (lambda point, run: (point / STATE).write_bytes(b""), r"is missing or cut \(EOFError"),
    (lambda point, run: (point / STATE).write_bytes(b"not a checkpoint"), "is missing or cut"),
    (lambda point, run: (run / "config.yaml").write_text("a: [b"), "config.yaml is damaged"),
    (lambda point, run: shutil.rmtree(run / "replay"), "missing or cut"),
    (lambda point, run: (run / "config.yaml").unlink(), "is no run"),
])  # fmt: skip
def test_a_damaged_checkpoint_is_named(finished, tmp_path, change, complaint):
    copy = damaged(finished, tmp_path, change)
    with pytest.raises(ValueError, match=complaint):
        train(compose(f"resume={copy}", "budget.positions=720"))


@pytest.mark.parametrize(("overrides", "complaint"), [
    (["game=depth3"], "start a new one from its weights by init="),
    (["output=elsewhere"], "goes on in its own folder"),
    (["learner.window_max=501"], "can't change that"),
    (["learner=default"], "the run keeps its settings"),
    (["network=resnet"], "can't change that"),
    (["selfplay.games=9"], "has selfplay.games=8, not 9"),
    (["experiment=quick"], "the run keeps its settings"),
])  # fmt: skip
def test_another_game_or_network_can_t_go_on(finished, overrides, complaint):
    register()
    with hydra.initialize_config_module("configs", version_base="1.3"):
        composed = hydra.compose("train", [f"resume={finished}", *overrides])
    with pytest.raises(ValueError, match=complaint):
        saved_config(composed, [f"resume={finished}", *overrides])


def test_a_run_from_before_a_setting_goes_on_once_that_is_named(finished, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy)
    config = OmegaConf.load(copy / "config.yaml")
    del config.learner.per_game
    OmegaConf.save(config, copy / "config.yaml")
    with pytest.raises(
        ValueError, match=r"older than some settings; go on with learner\.per_game=1"
    ):
        compose(f"resume={copy}")
    assert compose(f"resume={copy}", "learner.per_game=1").learner.per_game == 1


def test_other_weights_don_t_fit(finished, tmp_path):
    with pytest.raises(ValueError, match="the weights don't fit"):
        run(tmp_path / "new", "network.hidden=32", f"init={finished}", "budget.positions=80")
    with pytest.raises(ValueError, match="the weights don't fit"):
        run(tmp_path / "other", "network=resnet", f"init={finished}", "budget.positions=80")


def test_a_full_disk_leaves_the_checkpoints_that_were_there(finished, tmp_path, monkeypatch):
    copy = damaged(finished, tmp_path, lambda point, run: None)
    before = sorted(path.name for path in (copy / "checkpoints").iterdir())

    def full(*arguments, **options):
        raise RuntimeError("unexpected pos 181504 vs 181396")  # what torch says then

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(OSError, match=r"can't be written .* MiB are free on that disk"):
        train(compose(f"resume={copy}", "budget.positions=720"))
    assert sorted(path.name for path in (copy / "checkpoints").iterdir()) == before


def test_a_checkpoint_of_another_format_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("agents.alphazero.checkpoint.FORMAT", 1)
    run(tmp_path / "old", "budget.positions=80")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    for wrong in (f"init={tmp_path / 'old'}", f"resume={tmp_path / 'old'}"):
        with pytest.raises(ValueError, match="has another format than"):
            train(compose(wrong, "budget.positions=160"))


def test_a_state_of_another_format_is_refused_and_its_weights_are_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agents.alphazero.checkpoint.STATE_FORMAT", 2)
    run(tmp_path / "old", "budget.positions=80")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"another format than 4: .* by init="):
        train(compose(f"resume={tmp_path / 'old'}", "budget.positions=160"))
    run(tmp_path / "new", f"init={tmp_path / 'old'}", "budget.positions=80")


def test_numbers_survive_a_checkpoint(tmp_path):
    from agents.alphazero.checkpoint import _to_arrays, _to_tensors

    state = {
        "a": np.arange(5, dtype=np.uint16).reshape(5, 1),
        "b": {"c": np.empty((0, 3)), "d": 2**70},
        "e": None,
    }
    torch.save(_to_tensors(state), tmp_path / "state.pt")
    back = _to_arrays(torch.load(tmp_path / "state.pt", weights_only=True))
    np.testing.assert_equal(back, state)
    assert back["a"].dtype == np.uint16
