"""The kernel cache: edits are noticed, damage is survived, a read-only install works."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.jit

INNER = """
from rstt_env.jit import kernel

@kernel
def inner(x):
    return x + {number}
"""
OUTER = """
from rstt_env.jit import kernel
from toy.constants import FACTOR
from toy.inner import inner

@kernel
def outer(x):
    return FACTOR * inner(x)
"""
RUN = """
import toy.outer
print(toy.outer.outer(1), sum(toy.outer.outer.stats.cache_hits.values()))
"""


class Toy:
    """A package with a kernel that inlines a kernel of another file, run in fresh processes."""

    def __init__(self, folder, **environment):
        self.package = folder / "toy"
        self.package.mkdir()
        (self.package / "__init__.py").touch()
        (self.package / "outer.py").write_text(OUTER)
        self.environment = {**os.environ, "HOME": str(folder), **environment}
        self.environment.pop("XDG_CACHE_HOME", None)

    def write(self, number, factor=10):
        (self.package / "constants.py").write_text(f"FACTOR = {factor}")
        (self.package / "inner.py").write_text(INNER.format(number=number))

    def run(self):
        """The kernel's result, and whether it came from the cache."""
        output = subprocess.run(
            [sys.executable, "-W", "error", "-c", RUN],
            cwd=self.package.parent,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert output.returncode == 0, output.stderr
        value, hits = output.stdout.split()
        return int(value), bool(int(hits))


def test_an_edit_in_another_file_is_noticed(tmp_path):
    toy = Toy(tmp_path)
    toy.write(1)
    assert toy.run() == (20, False)
    assert toy.run() == (20, True)
    toy.write(2)
    assert toy.run() == (30, False)
    assert toy.run() == (30, True)
    toy.write(2, factor=7)  # a constant in a file without kernels
    assert toy.run() == (21, False)
    folders = list((toy.package / "__pycache__").glob("kernels-*"))
    assert len(folders) == 1  # the kernels of older sources are gone


@pytest.mark.parametrize("damage", [b"", b"\x80\x04nonsense", None])
def test_damaged_cache_files_are_compiled_afresh(tmp_path, damage):
    toy = Toy(tmp_path)
    toy.write(1)
    toy.run()
    cached = list((toy.package / "__pycache__").glob("kernels-*/*"))
    assert cached
    for path in cached:
        path.write_bytes(path.read_bytes()[:200] if damage is None else damage)
    assert toy.run() == (20, False)
    assert toy.run() == (20, True)


def test_a_read_only_install_caches_under_the_users_folder(tmp_path):
    toy = Toy(tmp_path)
    toy.write(1)
    # A file where the cache folder would be keeps root out too, as a read-only mount would.
    (toy.package / "__pycache__").write_text("")
    assert toy.run() == (20, False)
    assert toy.run() == (20, True)
    assert list((tmp_path / ".cache" / "rstt").glob("kernels-*/*"))


def test_where_nothing_is_writable_kernels_still_run(tmp_path):
    toy = Toy(tmp_path)
    toy.write(1)
    (toy.package / "__pycache__").write_text("")
    (tmp_path / ".cache").write_text("")
    assert toy.run() == (20, False)
