"""What the README says is true: its Python runs, its drawing and its error are the engine's."""

import re
from pathlib import Path

import pytest

from agents import make_agent
from rstt_env import IllegalMoveError, Positions, positions_from_moves
from tests.conftest import JIT
from tests.runs import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
OWN = (ROOT / "agents" / "README.md").read_text("utf-8")


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


BLOCKS = blocks(README) + blocks(OWN)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
@pytest.mark.filterwarnings("ignore")
def test_the_python_runs(number):
    source = BLOCKS[number]
    for module in ("sb3_contrib", "pettingzoo"):
        if module in source or (module == "pettingzoo" and "aec" in source):
            pytest.importorskip(module)
    if not JIT:
        source = source.replace("num_envs=1024", "num_envs=4")
    exec(compile(source, f"README block {number}", "exec"), {})


def test_a_network_and_an_agent_of_one_s_own_train_and_play(tmp_path, monkeypatch):
    """What `agents/README.md` shows, saved as `mine.py`."""
    (tmp_path / "mine.py").write_text("\n".join(blocks(OWN)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    run(tmp_path / "run", "network=own", "network.name=mine:Shortsighted", "+network.width=8",
        "budget.positions=80")  # fmt: skip
    for spec in (
        f"az:{tmp_path / 'run'}:4", "own:mine:first_square", "own:mine:considered:4:depth2:4",
    ):  # fmt: skip
        assert 0 <= make_agent(spec, 2).act(Positions(2)).square[0] < 81
    with pytest.raises(ValueError, match="there is no mine:nothing"):
        make_agent("own:mine:nothing", 2)


def test_the_drawing_is_the_engine_s():
    drawing = str(positions_from_moves(2, [[55, 10, 16, 67, 37, 11, 20, 19, 12, 30, 28, 9, 1]]))
    for line in drawing.splitlines():
        assert line in README


def test_the_error_is_the_engine_s():
    with pytest.raises(IllegalMoveError) as error:
        positions_from_moves(2, [[40, 0]])
    assert str(error.value) in README
