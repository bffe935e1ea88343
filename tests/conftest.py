"""What all tests share: under NUMBA_DISABLE_JIT=1 the suite runs at small depths."""

import os

import pytest

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
DEPTHS = (1, 2, 3, 4) if JIT else (1, 2)


def pytest_collection_modifyitems(items):
    for item in items:
        if not JIT and item.get_closest_marker("jit"):
            item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))
