"""What the README says is true: its Python runs, its drawing and its error are the engine's."""

import re
from pathlib import Path

import pytest

from rstt_env import IllegalMoveError, positions_from_moves
from tests.conftest import JIT

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


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


def test_the_drawing_is_the_engine_s():
    drawing = str(positions_from_moves(2, [[55, 10, 16, 67, 37, 11, 20, 19, 12, 30, 28, 9, 1]]))
    for line in drawing.splitlines():
        assert line in README


def test_the_error_is_the_engine_s():
    with pytest.raises(IllegalMoveError) as error:
        positions_from_moves(2, [[40, 0]])
    assert str(error.value) in README
