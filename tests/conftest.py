"""What all tests share: under NUMBA_DISABLE_JIT=1 the suite runs at small depths."""

import os

import pytest

from agents.alphazero.checkpoint import Card, save_weights
from agents.alphazero.networks import make_network

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
DEPTHS = (1, 2, 3, 4) if JIT else (1, 2)


def pytest_collection_modifyitems(items):
    for item in items:
        if not JIT and item.get_closest_marker("jit"):
            item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """A file with the weights of a small network that has learnt nothing."""
    sizes = {"embedding": 8, "hidden": 16, "content_hidden": 8, "head_blocks": 1}
    path = tmp_path_factory.mktemp("weights") / "small.safetensors"
    card = Card(depth=2, network="recursive", sizes=sizes, positions=0, commit="none", config={})
    save_weights(path, make_network("recursive", 2, sizes), card)
    return path
