"""A server that the tests of a file share; without the extra `play` there is nothing to test."""

from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("starlette") else ["test_*.py"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    from tests.playing import serving

    with serving(tmp_path_factory.mktemp("matches")) as client:
        yield client
