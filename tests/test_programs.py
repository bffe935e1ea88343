"""The programs that a user starts."""

import json
import subprocess
import sys

import pytest

from tests.conftest import JIT


def run(*arguments, code=0):
    output = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True)
    assert output.returncode == code, output.stderr
    return output


@pytest.mark.parametrize("depth", ["1", "2", "4"] if JIT else ["1"])
def test_the_demo_plays_a_game(depth):
    output = run("rstt_env", "--depth", depth).stdout
    assert "ply 1: X plays" in output
    assert "plies" in output.splitlines()[-1]


def test_the_demo_refuses_an_unknown_depth():
    assert "invalid choice" in run("rstt_env", "--depth", "5", code=2).stderr


@pytest.mark.jit
def test_the_engine_benchmark_prints_its_rows():
    result = json.loads(run("experiments.bench", "engine", "seconds=0.01", "json=true").stdout)
    rates = {row["name"]: row["rate"] for row in result["rows"]}
    assert len(rates) >= 6
    assert all(rate > 0 for rate in rates.values())
    assert result["machine"]


@pytest.mark.parametrize(
    "arguments", [["engines"], ["engine", "second=1"], ["engine", "seconds=x"]]
)
def test_the_benchmark_refuses_what_it_does_not_know(arguments):
    error = run("experiments.bench", *arguments, code=2 if arguments == ["engines"] else 1).stderr
    assert "usage: python -m experiments.bench" in error


@pytest.mark.jit
def test_the_selfplay_benchmark_prints_its_rows():
    result = json.loads(run("experiments.bench", "selfplay", "seconds=0.01", "json=true").stdout)
    rates = {row["name"]: row["rate"] for row in result["rows"]}
    assert all(rate > 0 for rate in rates.values())
    for depth in (1, 2, 3, 4):
        parts = [row["ratio"] for row in result["rows"]
                 if row["name"].startswith(f"depth {depth}: …")]  # fmt: skip
        assert len(parts) >= 5
        assert sum(parts) == pytest.approx(1, abs=0.05)
        for part in ("gather", "combine", "path", "heads", "select")[: 5 if depth > 1 else 0]:
            assert sum(rates[name] for name in rates if name.startswith(f"depth {depth}: … {part}"))
    assert 100 < rates["memory at depth 4, 256 games, 32 simulations"] < 2048


@pytest.mark.jit
def test_the_search_benchmark_prints_its_rows():
    result = json.loads(run("experiments.bench", "search", "seconds=0.01", "json=true").stdout)
    rates = {row["name"]: row["rate"] for row in result["rows"]}
    assert len(rates) >= 12
    assert all(rate > 0 for rate in rates.values())
