"""The programs around the arena, started as a user starts them."""

import json
import re
import signal
import subprocess
import sys
import time

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
        folder, "experiments.evaluate", "agent=greedy", "opponents=[random,uct:5,uct:100:solver]",
        "game=depth1", "games=12", "output=results",
    )  # fmt: skip
    return folder, done.stdout


def test_evaluate_shows_and_saves_what_was_played(evaluated):
    folder, shown = evaluated
    figures = json.loads((folder / "results" / "results.json").read_text())
    assert figures["commit"]
    assert figures["config"]["agent"] == "greedy"
    assert figures["config"]["seed"] == 0
    assert str(folder) not in json.dumps(figures)  # results get published
    assert [match["opponent"] for match in figures["matches"]] == [
        "random",
        "uct:5",
        "uct:100:solver",
    ]
    for match in figures["matches"]:
        assert match["wins"] + match["draws"] + match["losses"] == match["games"] == 12
        assert match["score"]["low"] <= match["score"]["value"] <= match["score"]["high"]
        assert f"{match['wins']}–{match['draws']}–{match['losses']}" in shown
        assert shown.count(match["opponent"]) >= 2  # as it is: rich knows ":100:" as an emoji
    games = [
        GameRecord.from_json(line)
        for line in (folder / "results" / "games.jsonl").read_text().splitlines()
    ]
    assert len(games) == 36
    assert {game.metadata["x"] for game in games} == {"greedy", "random", "uct:5", "uct:100:solver"}
    wins = sum(
        game.result != "draw" and game.metadata[game.result.lower()] == "greedy"
        for game in games[:12]
    )
    assert wins == figures["matches"][0]["wins"]


def test_the_curve_is_there_for_tensorboard(evaluated):
    folder, _ = evaluated
    events = EventAccumulator(str(folder / "results")).Reload()
    assert {"score/random", "score_low/uct:5"} <= set(events.Tags()["scalars"])
    curve = events.Scalars("score/random")
    assert [event.step for event in curve] == [2, 4, 6, 8, 10, 12]
    figures = json.loads((folder / "results" / "results.json").read_text())
    assert curve[-1].value == pytest.approx(figures["matches"][0]["score"]["value"], abs=1e-3)


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
        (["nothing.jsonl"], "is no file of games"),
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
    assert "over +0" in shown
    match = json.loads((tmp_path / "out" / "results.json").read_text())["matches"][0]
    assert match["games"] < 1000
    assert match["sprt"] == {"elo0": 0, "elo1": 40, "verdict": "H1"}


def test_the_ladder_rates_a_round_robin(tmp_path):
    shown = run(
        tmp_path, "experiments.ladder", "agents=[random,greedy,alphabeta:9]", "game=depth1",
        "games=20", "output=out",
    ).stdout  # fmt: skip
    figures = json.loads((tmp_path / "out" / "results.json").read_text())
    assert len(figures["matches"]) == 3
    ratings = {name: rating["value"] for name, rating in figures["ratings"].items()}
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
        (["agent=random", "opponents=[]"], "opponents are []; name one or more"),
        (["agent=random", "opponents=[random,random]"], "different ones"),
        (["agent=random", "opponents=random"], "a list is needed; write 'opponents=[…]'"),
        (["agent=random", "opponents=[random]", "games=x"], "games: Value 'x'"),
        (["agent=random", "opponents=[random]", "seed=-1"], "seed is -1; it must be 0 or more"),
        (["agent=random", "opponents=[random]", "game=2"], "game is '2'; choose one of depth1"),
        (["-m", "agent=random", "opponents=[random]"], "one run at a time"),
        (["agent=random", "opponents=[random]", "sprt=[5]"], "give two Elo differences"),
        (["agent=random", "opponents=[random]", "game=depth5"], "choose one of depth1, depth2"),
        (["agent=random", "opponents=[random]", "output=/dev/null/x"], "output: /dev/null/x can't"),
    ],
)
def test_what_is_wrong_ends_with_one_message(tmp_path, arguments, message):
    done = run(tmp_path, "experiments.evaluate", *arguments, code=1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_with_results_is_not_written_over(evaluated):
    folder, _ = evaluated
    done = run(folder, "experiments.evaluate", "agent=random", "opponents=[random]",
               "output=results", code=1)  # fmt: skip
    assert "holds results already" in done.stderr


@pytest.mark.jit
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match_keeps_what_was_played(tmp_path, signal_number):
    command = [sys.executable, "-m", "experiments.evaluate", "agent=uct:200", "opponents=[greedy]",
               "games=4000", "output=out"]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # a shell's background jobs ignore Ctrl-C, and so would what they start
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not (tmp_path / "out" / "games.jsonl").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal_number)
    shown, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    match = json.loads((tmp_path / "out" / "results.json").read_text())["matches"][0]
    assert 0 < match["games"] < 4000
    assert match["games"] % 2 == 0
    assert len((tmp_path / "out" / "games.jsonl").read_text().splitlines()) == match["games"]
    assert f"{match['wins']}–{match['draws']}–{match['losses']}" in shown


def test_a_match_of_nothing_but_forfeits_fails(tmp_path):
    agent = f"agent='process:{sys.executable} nothing.py'"
    done = run(tmp_path, "experiments.evaluate", agent, "opponents=[random]", "games=2",
               "output=null", code=1)  # fmt: skip
    assert "every game of a match was given up" in done.stderr
    assert "nothing.py" in done.stdout


def test_a_network_of_another_depth_is_told(tmp_path, weights):
    done = run(tmp_path, "experiments.evaluate", f"agent=az:{weights}:0", "opponents=[random]",
               "game=depth1", "games=2")  # fmt: skip
    assert "was trained at depth 2, and plays at depth 1 here" in done.stderr


def test_help_explains_every_setting(tmp_path):
    for program in ("train", "evaluate", "ladder"):
        shown = run(tmp_path, f"experiments.{program}", "--help").stdout
        listed = shown.partition("with their defaults:")[2].splitlines()
        settings = [line for line in listed if re.match(r"\w+(\.\w+)?=", line)]
        assert len(settings) >= 5
        assert not [line for line in settings if not re.search(r"  \w", line)]


@pytest.mark.parametrize("program", ["train", "evaluate", "ladder", "bot"])
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
