"""The programs around the arena, started as a user starts them."""

import json
import subprocess
import sys

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rstt_env import GameRecord
from tests.conftest import JIT


def run(folder, *arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    done = run(
        folder, "experiments.evaluate", "agent=greedy", "opponents=[random,uct:5]", "game=depth1",
        "games=12", "output=results",
    )  # fmt: skip
    return folder, done.stdout


def test_evaluate_shows_and_saves_what_was_played(evaluated):
    folder, shown = evaluated
    figures = json.loads((folder / "results" / "results.json").read_text())
    assert figures["commit"]
    assert figures["config"]["agent"] == "greedy"
    assert figures["config"]["seed"] == 0
    assert [match["opponent"] for match in figures["matches"]] == ["random", "uct:5"]
    for match in figures["matches"]:
        assert match["wins"] + match["draws"] + match["losses"] == match["games"] == 12
        assert match["score"][1] <= match["score"][0] <= match["score"][2]
        assert f"{match['wins']}–{match['draws']}–{match['losses']}" in shown
    games = [
        GameRecord.from_json(line)
        for line in (folder / "results" / "games.jsonl").read_text().splitlines()
    ]
    assert len(games) == 24
    assert {game.metadata["x"] for game in games} == {"greedy", "random", "uct:5"}
    wins = sum(
        game.result != "draw" and game.metadata[game.result.lower()] == "greedy"
        for game in games[:12]
    )
    assert wins == figures["matches"][0]["wins"]


def test_the_curve_is_there_for_tensorboard(evaluated):
    folder, _ = evaluated
    events = EventAccumulator(str(folder / "results")).Reload()
    assert {"score/random", "score/uct:5"} <= set(events.Tags()["tensors"])


def test_tools_leave_no_folders_of_hydra(evaluated):
    folder, _ = evaluated
    assert [path.name for path in folder.iterdir()] == ["results"]
    run(folder, "experiments.evaluate", "agent=random", "opponents=[random]", "game=depth1",
        "games=2", "output=null")  # fmt: skip
    assert [path.name for path in folder.iterdir()] == ["results"]


def test_replay_prints_the_positions_of_a_game(evaluated):
    folder, _ = evaluated
    path = folder / "results" / "games.jsonl"
    game = GameRecord.from_json(path.read_text().splitlines()[2])
    shown = subprocess.run(
        [sys.executable, "-m", "experiments.replay", str(path), "--game", "3"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip
    assert shown.count("ply ") == len(game.moves) + 1
    assert f"result: {game.result}" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jsonl"], "No such file"),
        ([__file__], "line 1: a game record is one line of JSON"),
    ],
)
def test_replay_refuses_what_holds_no_games(tmp_path, arguments, message):
    assert message in run(tmp_path, "experiments.replay", *arguments, code=1).stderr


@pytest.mark.jit
def test_a_sequential_test_stops_early(tmp_path):
    shown = run(
        tmp_path, "experiments.evaluate", "agent=greedy", "opponents=[random]", "games=4000",
        "sprt=[0,40]", "output=out",
    ).stdout  # fmt: skip
    assert "H1" in shown
    match = json.loads((tmp_path / "out" / "results.json").read_text())["matches"][0]
    assert match["games"] < 1000
    assert match["sprt"] == [0, 40, "H1"]


def test_the_ladder_rates_a_round_robin(tmp_path):
    shown = run(
        tmp_path, "experiments.ladder", "agents=[random,greedy,alphabeta:9]", "game=depth1",
        "games=20", "output=out",
    ).stdout  # fmt: skip
    figures = json.loads((tmp_path / "out" / "results.json").read_text())
    assert len(figures["matches"]) == 3
    ratings = {name: rating[0] for name, rating in figures["ratings"].items()}
    assert ratings["random"] == 0 < ratings["greedy"] < ratings["alphabeta:9"]
    assert "alphabeta:9" in shown
    assert (tmp_path / "out" / "ladder.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agnt=random"], "nothing is called 'agnt' (did you mean 'agent'?)"),
        (["random"], "'random' is no setting; write name=value"),
        (["opponents=[random]"], "agent is missing: give agent=…"),
        (["agent=utc:5", "opponents=[random]"], "did you mean 'uct'?"),
        (["agent=random", "opponents=[greddy]"], "did you mean 'greedy'?"),
        (["agent=random", "opponents=[random]", "games=3"], "games is 3; it must be an even"),
        (["agent=random", "opponents=[]"], "opponents is empty"),
        (["agent=random", "opponents=[random]", "sprt=[5]"], "give two Elo differences"),
        (["agent=random", "opponents=[random]", "game=depth5"], "Could not find 'game/depth5'"),
        (["agent=random", "opponents=[random]", "output=/dev/null/x"], "/dev/null"),
    ],
)
def test_what_is_wrong_ends_with_one_message(tmp_path, arguments, message):
    done = run(tmp_path, "experiments.evaluate", *arguments, code=1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("program", ["evaluate", "ladder", "bot"])
def test_help_is_for_newcomers(tmp_path, program):
    shown = run(tmp_path, f"experiments.{program}", "--help").stdout
    assert f"python -m experiments.{program}" in shown
    assert "--list-agents" in shown
    listed = run(tmp_path, f"experiments.{program}", "--list-agents").stdout
    assert "alphabeta:6" in listed


@pytest.mark.skipif(not JIT, reason="slow without the JIT")
def test_the_same_seed_gives_the_same_match(tmp_path):
    results = []
    for name in ("a", "b"):
        run(tmp_path, "experiments.evaluate", "agent=uct:30", "opponents=[random]", "games=6",
            f"output={name}", "seed=7")  # fmt: skip
        lines = (tmp_path / name / "games.jsonl").read_text().splitlines()
        results.append([json.loads(line)["moves"] for line in lines])
    assert results[0] == results[1]
