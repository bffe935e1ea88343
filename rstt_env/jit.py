"""The one way to compile a kernel: `@kernel`.

Numba's own disk cache looks only at the file that holds a function, so an edit in
another file leaves the old code inlined in its callers. Here the cache folder is
named by a hash of all sources of the package, since kernels freeze constants and tables of
any of them: every edit compiles afresh. A file
that is missing, truncated or of another Numba release is a cache miss, never an error.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import shutil
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numba
from numba.core import caching, serialize

_ENGINE = Path(__file__).parent


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A part of a kernel, put in wherever it is called.

    A call that hands a record of arrays on counts references to all of them, which takes longer
    than what a small part does.
    """
    return cast("Callable[..., Any]", numba.njit(inline="always")(function))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with Numba (nopython, GIL released), cached on disk.

    Plain Python under `NUMBA_DISABLE_JIT=1`.
    """
    compiled: Any = numba.njit(nogil=True)(function)
    if hasattr(compiled, "enable_caching"):
        compiled._cache = _KernelCache(function)
    return cast("Callable[..., Any]", compiled)


@functools.cache
def cache_folder(package: Path) -> Path:
    """The folder that holds the compiled kernels of the package in the folder `package`.

    Beside the sources where they are writable, else under the user's cache folder,
    else under a private temporary folder. `NUMBA_CACHE_DIR` goes before all of them.
    """
    name = f"kernels-{_stamp(package)}"
    beside = package / "__pycache__"
    for parent in _candidates(beside):
        folder = parent / name
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True)
                if parent == beside:  # elsewhere other installations may live
                    _prune(beside, keep=name)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="rstt-kernels-"))


def _candidates(beside: Path) -> list[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # without a home folder "~" stays as it is, and names no folder that is ours
    users = [Path(user) / "rstt"] if os.path.isabs(user) else []
    return [*([Path(chosen)] if chosen else []), beside, *users]


def _prune(parent: Path, keep: str) -> None:
    for old in parent.glob("kernels-*"):
        if old.name != keep:
            shutil.rmtree(old, ignore_errors=True)


@functools.cache
def _stamp(package: Path) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in dict.fromkeys((_ENGINE, package)):  # other packages inline ours
        for source in sorted(folder.rglob("*.py")):
            digest.update(str(source.relative_to(folder)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _package_folder(source: Path) -> Path:
    folder = source.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


class _Locator(caching._CacheLocator):
    """Tells Numba where the kernels of a source file are cached."""

    def __init__(self, source: Path) -> None:
        self._source = source

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":
        return cls(Path(py_file).resolve())

    def get_cache_path(self) -> str:
        return str(cache_folder(_package_folder(self._source)))

    def get_source_stamp(self) -> str:
        return _stamp(_package_folder(self._source))

    def get_disambiguator(self) -> str:
        return hashlib.sha256(str(self._source).encode()).hexdigest()[:8]


class _Files:
    """One file for each compiled signature, so that processes can't mix up an index."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._prefix}-{hashlib.sha256(repr(key).encode()).hexdigest()}"

    def load(self, key: Any) -> Any:
        return pickle.loads(self._path(key).read_bytes())

    def save(self, key: Any, data: Any) -> None:
        path = self._path(key)
        unfinished = path.with_name(f"{uuid.uuid4().hex}.tmp")
        try:
            unfinished.write_bytes(serialize.dumps(data))
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]


class _KernelCache(caching.FunctionCache):
    _impl_class = _CacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._cache_file: Any = _Files(Path(self._cache_path), self._impl.filename_base)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything; compiling replaces it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk costs the cache, not the run
            super().save_overload(sig, data)
