"""Who may import whom (the arrows of the design)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("rstt_env", "agents", "configs", "experiments")
SHELLS = {"__init__", "__main__", "env", "vector_env", "aec", "opponent", "interface"}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module


def files(package):
    return sorted((ROOT / package).rglob("*.py"))


def importers(package, *names):
    """The modules of a package that import any of the names."""
    return {
        str(path.relative_to(ROOT / package).with_suffix(""))
        for path in files(package)
        for module in imports(path)
        if module.split(".")[0] in names
    }


def test_the_packages_import_one_way():
    assert not importers("rstt_env", "agents", "configs", "experiments", "tests")
    assert not importers("agents", "configs", "experiments", "tests")
    assert not importers("configs", *PACKAGES, "tests")
    assert not importers("experiments", "tests")


def test_libraries_stay_in_their_layer():
    assert importers("rstt_env", "gymnasium", "pettingzoo") <= SHELLS
    assert not importers("rstt_env", "torch", "hydra", "omegaconf", "tensorboard")
    assert not importers("agents", "gymnasium", "pettingzoo", "hydra", "omegaconf", "tensorboard")


def test_the_engine_knows_nothing_of_the_environments():
    core = {
        "jit",
        "tree",
        "outcome",
        "rng",
        "state",
        "kernels",
        "playouts",
        "observation",
        "positions",
    }
    for name in core:
        modules = {m.split(".")[-1] for m in imports(ROOT / "rstt_env" / f"{name}.py")}
        assert not modules & (SHELLS - {"__init__"})


def test_one_place_alone_changes_a_value_s_side():
    """`view` negates values; nothing else in the engine does."""
    for package in ("rstt_env", "agents"):
        for path in files(package):
            negations = [
                node
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.UnaryOp)
                and isinstance(node.op, ast.USub)
                and not isinstance(node.operand, ast.Constant)
            ]
            assert not negations or path.name == "outcome.py", (path, negations)


@pytest.mark.jit
def test_importing_the_package_is_quick_and_needs_no_torch():
    code = "import sys, rstt_env; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
