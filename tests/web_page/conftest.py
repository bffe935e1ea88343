"""A browser, a server, and pages that tests open; nothing without the packages for them."""

from importlib.util import find_spec

import pytest

from tests.pages import ARGUMENTS, CHROMIUM, DESKTOP, Board

collect_ignore_glob = (
    [] if all(map(find_spec, ("playwright", "starlette", "websockets"))) else ["test_*.py"]
)
FORGET = """
if (!sessionStorage.forgot) localStorage.clear(); // what visits before this one have kept
sessionStorage.forgot = true;
"""


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no browser is installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory):
    from experiments.bench.crowd import Server

    folder = tmp_path_factory.mktemp("matches")
    server = Server(folder)
    server.folder = folder
    yield server
    server.kill()


@pytest.fixture(scope="module")
def used():
    """Browsers that earlier tests have left: they know the files of the page."""
    return []


@pytest.fixture
def visit(chromium, server, used):
    """Opens the page: in a browser without a past, or in one that is given.

    What pages log as errors fails the test.
    """
    errors, usual, others = [], [], []

    def note(line):
        if line.type == "error":
            errors.append(line.text)

    def browser(**options):
        context = used.pop() if used and not options else chromium.new_context(**DESKTOP | options)
        context.set_default_timeout(90_000)  # kernels may have to be compiled
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.on("console", note)
        (others if options else usual).append(context)
        return context

    def visit(fragment="", context=None, **options):
        page = (context or browser(**options)).new_page()
        if context is None:
            page.add_init_script(FORGET)
        board = Board(page, server.url, server.folder)
        board.open(fragment)
        return board

    yield visit
    for context in usual:
        for page in context.pages:
            page.close()
        used.append(context)
    for context in others:
        context.close()
    assert not errors


@pytest.fixture
def room(visit):
    """A room with both seats taken: the host's page, X, and the guest's."""

    def room(**choices):
        host = visit()
        host.new_game(mode="room", **{"side": "X", "depth": 2} | choices)
        assert host.status == "Waiting for the other player"
        link = host.page.input_value("#invitation-link")
        assert host.text("#invitation-code") == host.code
        guest = visit(link.partition("#")[2])
        host.wait(state="yours")
        assert not host.page.is_visible("#invitation")
        return host, guest

    return room
