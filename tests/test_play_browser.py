"""The web board in a browser: whole games by mouse and keyboard, rooms, replay, analysis."""

import random
import re
import zlib

import pytest

pytest.importorskip("playwright")
pytest.importorskip("websockets")
from playwright.sync_api import sync_playwright

from agents import make_agent
from experiments.bench.crowd import Server
from rstt_env import DRAW, GameRecord, positions_from_moves
from rstt_env.notation import parse_square, square_address
from rstt_env.outcome import NAMES
from tests.pages import ARGUMENTS, CHROMIUM, DESKTOP, PHONE, Board, Line, position_fragment
from tests.vectors import GAMES

pytestmark = pytest.mark.jit

MARKUP = "<b>x</b>"
UNCOUNTED = "This match no longer counts."
TORCH = 60_000  # ms, for its first import
FORGET = """
if (!sessionStorage.forgot) localStorage.clear(); // what visits before this one have kept
sessionStorage.forgot = true;
"""


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no browser is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(chromium, tmp_path_factory):
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
        context.set_default_timeout(15_000)
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


def games_of(depth, result=None):
    return [game for game in GAMES if game["depth"] == depth and result in (None, game["result"])]


def record_of(moves, depth=2, **metadata):
    return GameRecord.of_moves(depth, moves, metadata).to_json()


def ending(result, you=None):
    """What the page says of a game that was played to its end."""
    if result == "draw":
        return "Draw"
    if you is None:
        return f"{result} won: three in a row"
    if you == result:
        return "You won: three in a row"
    return f"You lost: {result} has three in a row"


# --- whole games -------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "side"), [(1, "X"), (1, "O"), (2, "X")])
def test_a_whole_game_against_easy_by_mouse(visit, depth, side):
    board = visit()
    board.new_game(depth=depth, mode="agent", level="Easy", side=side)
    greedy, draw = make_agent("greedy", depth, seed=1), random.Random(depth)
    board.wait(state="yours")
    while board.state != "over":
        ply = board.ply
        assert board.page.title() == "● Your move – RSTT"
        assert board.moves[-20:] == board.shown_moves[-20:]
        if depth == 1:
            square = draw.choice(board.legal)
        else:
            square = int(greedy.act(board.positions).square[0])
        board.click(square)
        board.answered(ply)
        assert board.moves[ply] == square
    result = board.result
    assert board.status == ending(result, side)
    assert board.row.result == result
    for mark in "XO":
        note = "won" if mark == result else "you" if mark == side else ""
        assert board.seat(mark, ".note") == note
    assert (board.text("#ranking") == "+10 points") == (result == side)


@pytest.mark.parametrize(("depth", "result"), [(3, "O"), (4, "draw")])
def test_a_large_game_is_played_on_from_a_record_to_its_end(visit, depth, result):
    game = games_of(depth, result)[0]
    moves, ends = game["moves"], len(game["moves"])
    before = ends - 20
    board = visit(**{"reduced_motion": "reduce"} if depth == 4 else {})
    board.begin()
    text = f"{record_of([40, 36])}\n{record_of(moves[:before], depth)}\n"
    board.load(text, number=2)
    assert board.ply == 0
    board.page.click("#last")
    board.wait(ply=before)
    assert board.status == f"Ply {before} of {before}"
    board.page.click("#play-on")
    assert str(before) in board.text("#new-from")
    board.new_game(mode="shared")
    board.wait(before, "yours")
    for square in moves[before:]:
        assert board.state == "yours"
        board.play(square)
    assert board.moves == moves
    assert board.state == "over"
    assert board.status == ending(result)
    assert board.row.result == result


def test_what_is_no_game_is_refused_with_its_reason(visit):
    board = visit()
    board.begin()
    board.page.click("#load-game")
    for text, reason in [
        (f"{record_of([40])}\nnonsense", "Line 2 is no game record"),
        ('{"depth":5,"moves":[]}', "depth must be 1, 2, 3 or 4"),
        (record_of([40]).replace("40", "40,40"), "ply 1: 5.5 is illegal"),
        ('{"depth":2,"moves":[40],"result":"X"}', 'result is "X", but its moves make undecided'),
        ('{"depth":2,"moves":[40],"metadata":null}', "its metadata must be an object"),
        ('{"depth":2,"moves":[40],"metadata":{"x":1}}', "its names must be text"),
        ("{", "it isn’t JSON"),
    ]:
        board.page.fill("#import-text", text)
        assert reason in board.text("#import-about")
        assert board.page.is_disabled("#import-show")


def test_a_record_over_several_lines_is_there_again_after_a_reload(visit):
    board = visit()
    board.begin()
    board.page.click("#load-game")
    board.page.fill("#import-text", '{\n "depth": 2,\n "moves": [40]\n}')
    assert board.text("#import-about") == "depth 2, 1 ply, undecided"
    board.page.click("#import-show")
    board.wait(0, "replay")
    board.page.reload()
    board.wait(0, "replay")
    assert board.status == "Ply 0 of 1"


@pytest.mark.parametrize("fragment", ["abc", "position=2.K", "position=2.AAE9"])
def test_a_link_that_was_cut_off_is_said_to_be(visit, fragment):
    board = visit(fragment)
    board.shows("#toast", "This link is not complete")
    board.begin()
    assert board.page.url.endswith("/")


def test_a_square_that_may_not_be_played_is_refused_with_its_reason(visit):
    board = visit()
    board.new_game(depth=2, mode="shared")
    board.wait(0, "yours")
    board.click(40)
    board.wait(1, "yours")
    for square, reason in ((40, "5.5 is taken"), (0, "Play in board 5")):
        board.click(square)
        board.shows("#toast", reason)
        assert (board.ply, board.view) == (1, 0)
    board.click(36)
    board.page.wait_for_selector("#toast", state="hidden")


@pytest.mark.parametrize(("depth", "device"), [(3, PHONE), (4, DESKTOP)])
def test_at_its_end_the_whole_game_is_shown(visit, depth, device):
    board, moves = visit(**device), games_of(depth)[0]["moves"]
    board.begin()
    board.load(record_of(moves[:-1], depth))
    board.page.click("#last")
    board.wait(len(moves) - 1, "replay")
    board.page.click("#play-on")
    board.new_game(mode="shared")
    board.wait(len(moves) - 1, "yours")
    board.play(moves[-1])  # from board to board, until the square is large
    assert (board.state, board.view) == ("over", 0)


def test_on_a_phone_taps_lead_to_where_squares_are_large_enough(visit):
    board = visit(**PHONE)
    board.new_game(depth=3, mode="shared")
    board.wait(0, "yours")
    square = parse_square(3, "5.3.7")
    board.tap(square)  # too small yet
    board.page.wait_for_selector("#breadcrumb [data-board='5'][aria-current]")
    assert board.ply == 0
    board.tap(square)
    board.wait(1, "yours")
    assert board.moves == [square]
    assert board.view == 3


# --- rooms -------------------------------------------------------------------------------


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


def test_two_browsers_play_a_room_and_a_third_can_only_watch(visit, room):
    host, guest = room()
    watcher = visit(host.code)
    host.shows("#ranking", "1 watching")
    assert host.page.is_disabled("#analysis-on")
    players, draw = [host, guest], random.Random(1)
    for ply in range(8):
        mover, other = players[ply % 2], players[1 - ply % 2]
        mover.wait(ply, "yours")
        other.wait(ply, "theirs")
        square = draw.choice(host.legal)
        watcher.wait(ply, "theirs")
        for board in (watcher, other, mover):
            board.click(square)  # by those who may not first
        other.wait(ply + 1, "yours")
        assert len(host.moves) == ply + 1
    watcher.wait(8)
    assert watcher.status.startswith("You watch: ")
    assert not watcher.page.is_visible("#resign")
    for board in (watcher, host, guest):
        assert board.shown_moves == host.moves
        assert not board.page.is_visible("#toast")  # nothing was asked for in vain


@pytest.mark.parametrize("form", [str.lower, "http://localhost/#{}".format])
def test_a_room_is_joined_by_its_code(visit, form):
    host, guest = visit(), visit()
    host.new_game(mode="room", side="X", depth=1)
    page = guest.page
    page.wait_for_selector("#new-game[open]")
    page.check("#new-form [name=mode][value=room]", force=True)
    page.fill("#join-code", "12 34")
    page.click("#join")
    assert page.evaluate("document.activeElement.validationMessage").startswith("A code has 6")
    page.fill("#join-code", "ZZZZZZ")
    page.press("#join-code", "Enter")
    guest.shows("#toast", "there is no match")
    page.fill("#join-code", form(host.code))
    page.click("#join")
    host.wait(0, "yours")
    guest.wait(0, "theirs")
    assert guest.code == host.code


def test_matches_that_go_on_are_listed_and_opened_from_there(visit, room):
    host, guest = room()
    code = host.code
    host.play_to(guest, 40)
    guest.page.click("#new")
    guest.shows("#ask-text", "Leave this match?")
    guest.page.click("#ask-yes")
    guest.page.wait_for_selector("#new-game[open]")
    guest.new_game(depth=1, mode="shared")
    guest.page.click("#matches-panel summary")
    entry = f"#matches [data-code='{code}']"
    guest.shows(entry, "your turn")
    assert guest.page.locator("#matches button").count() == 1
    guest.page.click(entry)
    guest.wait(1, "yours")
    assert guest.code == code


def test_a_waiting_room_can_be_closed(visit):
    board = visit()
    board.new_game(mode="room", side="X")
    board.page.click("#resign")
    board.shows("#toast", "the room was closed")
    board.page.wait_for_selector("#new-game[open]")
    assert board.code == ""


def test_a_player_whose_page_was_closed_comes_back_to_the_seat(visit, room):
    host, guest = room()
    code = host.code
    guest.page.wait_for_selector(".seat[data-mark=X] .dot.online")
    host.play_to(guest, 40)
    guest.page.close()
    host.page.wait_for_selector(".seat[data-mark=O] .dot:not(.online)")
    again = visit(context=guest.page.context)
    again.wait(1, "yours")
    assert again.code == code
    host.page.wait_for_selector(".seat[data-mark=O] .dot.online")
    again.play_to(host, 36)
    assert host.moves == [40, 36]


def test_a_player_who_is_cut_off_is_told_so_and_comes_back(room):
    host, guest = room()
    line = Line(guest.page)
    guest.page.reload()
    guest.wait(0, "theirs")
    line.cut()
    guest.page.wait_for_selector("#banner:visible")
    host.page.wait_for_selector(".seat[data-mark=O] .dot:not(.online)")
    host.choose(40)
    host.wait(1, "theirs")
    line.mend()
    guest.wait(1, "yours")
    assert not guest.page.is_visible("#banner")
    line.cut()
    guest.page.wait_for_selector("#banner:visible")
    assert guest.page.is_disabled("#resign")
    assert guest.status == "The connection is lost"
    guest.choose(36)
    assert guest.ply == 1
    line.mend()
    guest.page.wait_for_selector("#banner", state="hidden")
    guest.play_to(host, 36)
    assert host.moves == [40, 36]


def test_a_move_that_was_lost_on_the_way_can_be_made_again(room):
    host, guest = room()
    line = Line(guest.page)
    guest.page.reload()
    guest.wait(0, "theirs")
    host.play_to(guest, 40)
    line.lossy = True
    guest.choose(36)
    guest.wait(2, "theirs")
    line.cut()
    line.mend()
    guest.wait(1, "yours")
    guest.play_to(host, 37)
    assert host.moves == [40, 37]


def test_a_move_that_the_server_refuses_is_taken_back(room):
    host, guest = room()
    host.play_to(guest, 40)
    line = Line(guest.page)
    guest.page.reload()
    guest.wait(1, "yours")
    line.garbles = True
    guest.choose(36)
    guest.page.wait_for_selector("#toast:popover-open")
    line.mend()
    guest.wait(1, "yours")
    guest.play_to(host, 36)
    assert host.moves == [40, 36]


def test_resigning_and_a_rematch_with_seats_swapped(room):
    host, guest = room(depth=1)
    code = host.code
    guest.page.click("#resign")
    guest.page.click("#ask [data-close]")
    host.play_to(guest, 4)
    guest.page.click("#resign")
    guest.page.click("#ask-yes")
    for board, text in ((host, "O resigned: X wins"), (guest, "You resigned: X wins")):
        board.wait(state="over")
        assert board.status == text
    host.page.click("#rematch")
    host.shows("#rematch", "Rematch offered")
    guest.shows("#rematch", "Accept rematch")
    guest.page.click("#rematch")
    host.wait(0, "theirs")
    guest.wait(0, "yours")
    assert host.code == guest.code != code
    assert (host.seat("O", ".note"), guest.seat("X", ".note")) == ("you", "you")
    guest.play_to(host, 4)


def test_who_runs_out_of_time_loses(visit):
    host = visit()
    host.new_game(mode="room", side="X", timer=15)
    code = host.code
    host.change("timer = 2")
    host.new_game(mode="shared", depth=1)  # so that the server forgets the room's row …
    host.play(0)  # … and has done so before it is asked again
    host.open(code)
    host.shows("#status", "Waiting")
    guest = visit(code)
    guest.shows(".seat[data-mark=X] .clock", re.compile("^0:0[0-2]$"))
    for board, who in ((host, "You"), (guest, "X")):
        board.wait(0, "over")
        assert board.status == f"{who} ran out of time: O wins"
        assert board.seat("X", ".clock") == ""
    assert host.row.reason == "time"


def test_a_name_is_kept_once_the_server_has_it(visit):
    board = visit()
    board.begin()
    page = board.page
    page.click("#scores-panel summary")
    old = page.input_value("#name")
    page.fill("#name", "   ")
    page.click("#rename")
    assert not page.evaluate("document.querySelector('#name').checkValidity()")
    page.fill("#name", "Ada")
    page.click("#rename")
    board.shows("#toast", "Saved")
    page.reload()
    page.wait_for_selector("#new-game[open]")
    assert page.input_value("#name") == "Ada" != old


def test_a_name_is_text(visit, room):
    host, guest = room()
    host.page.click("#scores-panel summary")
    host.page.fill("#name", MARKUP)
    host.page.click("#rename")
    for board in (host, guest):
        board.shows(".seat[data-mark=X] .name", MARKUP)
    replay = visit()
    replay.begin()
    replay.load(record_of([40], x=MARKUP, o="Bob", event=MARKUP))
    assert replay.seat("X", ".name") == MARKUP
    for board in (host, guest, replay):
        assert board.page.locator(".app b").count() == 0


# --- undo, hint, replay ------------------------------------------------------------------


def test_undo_takes_back_a_move_with_its_answer(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    assert board.page.is_disabled("#undo")
    board.play(4)
    board.wait(2, "yours")
    board.page.click("#undo")
    board.wait(0, "yours")
    assert board.moves == []
    board.play(0)
    board.wait(2, "yours")
    assert board.moves[0] == 0


def test_undo_while_the_agent_thinks_gives_the_turn_back(visit):
    board = visit()
    board.new_game(spec="uct:2s", depth=1, side="X")
    board.wait(0, "yours")
    board.choose(4)
    board.shows("#status", "O thinks…")
    board.page.click("#undo")
    board.wait(0, "yours")
    board.play(0)
    board.wait(2, "yours")
    assert board.moves[0] == 0
    assert re.match(r"O played \d\. Your move", board.status)


def test_a_ranked_match_begins_without_analysis(visit):
    board = visit()
    board.begin()
    board.press("a")
    board.press("n")
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.shows("#toast", "Analysis is off")
    assert not board.page.is_checked("#analysis-on")
    assert "10 points" in board.text("#ranking")


def test_a_hint_names_a_legal_square_and_costs_the_points(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    board.play(4)
    board.wait(2, "yours")
    assert "10 points" in board.text("#ranking")
    board.page.click("#ask-hint")
    board.shows(
        "#hint", re.compile(r"^Hint: [1-9]: \d+ % of [\d,.]+( million)? simulations, value ")
    )
    assert parse_square(1, board.text("#hint").split(":")[1].strip()) in board.legal
    assert board.text("#ranking") == UNCOUNTED
    board.play(board.legal[0])
    assert not board.page.is_visible("#hint")


def test_the_past_is_looked_at_by_slider_buttons_keys_and_list(visit):
    moves = games_of(2)[0]["moves"]
    board = visit()
    board.begin()
    board.load(record_of(moves))
    ends = len(moves)
    page = board.page
    steps = [
        (lambda: page.click("#last"), ends),
        (lambda: page.fill("#plies", "7"), 7),
        (lambda: board.press(","), 6),
        (lambda: board.press("["), 5),
        (lambda: board.press("."), 6),
        (lambda: board.press("]"), 7),
        (lambda: page.click("#next"), 8),
        (lambda: page.click("#previous"), 7),
        (lambda: page.click("#moves [data-ply='12']"), 12),
        (lambda: page.click("#first"), 0),
        (lambda: board.press(","), 0),
        (lambda: page.fill("#plies", f"{ends - 1}"), ends - 1),
        (lambda: page.click("#play"), ends),
    ]
    for act, ply in steps:
        act()
        board.wait(ply, "replay")
        assert page.input_value("#plies") == str(ply)
        assert board.status.startswith(f"Ply {ply} of {ends}")
        if ply:
            current = page.locator("#moves [aria-current=step]")
            assert current.inner_text() == square_address(2, moves[ply - 1])
    board.shows("#play", "Play")


def test_a_move_does_not_pull_one_out_of_the_past(room):
    host, guest = room()
    host.play_to(guest, 40)
    guest.play_to(host, 36)
    host.play_to(guest, 0)
    host.press(",", ",")
    host.wait(1, "replay")
    guest.choose(8)
    host.shows("#status", "Ply 1 of 4")
    host.click(36)
    host.wait(1, "replay")
    host.page.click("#back")
    host.wait(4, "yours")
    host.play_to(guest, 72)
    assert host.moves == [40, 36, 0, 8, 72]


def test_export_and_link_hold_the_game_shown(visit):
    board, draw = visit(permissions=["clipboard-read", "clipboard-write"]), random.Random(2)
    board.new_game(depth=3, mode="shared")
    for _ in range(4):
        board.play(draw.choice(board.legal))
    with board.page.expect_download() as download:
        board.page.click("#export")
    assert board.code in download.value.suggested_filename
    record = GameRecord.from_json(download.value.path().read_text())
    assert (record.depth, record.moves) == (3, board.moves)
    assert record.metadata["match"] == board.code

    board.press(",")
    board.wait(3, "replay")
    board.page.click("#copy-position")
    board.shows("#toast", "Copied")
    link = board.page.evaluate("navigator.clipboard.readText()")
    other = visit(link.partition("#")[2])
    other.wait(3, "replay")
    assert other.shown_moves == board.moves[:3]
    board.page.click("#breadcrumb [data-board='0']")
    other.page.click("#breadcrumb [data-board='0']")
    assert other.labels == board.labels


# --- keyboard ----------------------------------------------------------------------------


def test_a_whole_game_by_keyboard(visit):
    board = visit()
    board.page.wait_for_selector("#new-game[open]")
    board.press("ArrowLeft", "Tab", "ArrowRight", "Enter")
    board.wait(0, "yours")
    assert (board.row.depth, board.row.mode) == (1, "shared")
    draw = random.Random(3)
    while board.state != "over":
        ply, square = board.ply, draw.choice(board.legal)
        board.walk(square)
        assert board.focused.startswith(f"{square + 1}, empty, legal")
        board.press("Enter")
        board.answered(ply)
        assert board.focused.startswith(f"{square + 1}, {'XO'[ply % 2]}")
    assert board.status == ending(board.result)
    old = board.code
    board.tab_to("#rematch")
    board.press("Enter")
    board.page.wait_for_selector(f"body:not([data-code='{old}'])")
    board.wait(0, "yours")


def test_a_larger_board_by_keyboard(visit):
    board = visit()
    board.page.wait_for_selector("#new-game[open]")
    board.press("Tab", "ArrowRight", "Enter")
    board.wait(0, "yours")
    assert (board.row.depth, board.row.mode) == (2, "shared")
    draw = random.Random(4)
    for ply in range(12):
        square = draw.choice(board.legal)
        outer, inner = divmod(square, 9)
        if board.view == 0:
            board.walk(outer)
            assert re.match(f"board {outer + 1}, .*you may play here", board.focused)
            board.press("Enter")
        elif board.view != outer + 1:
            board.press("Escape")
            board.walk(outer)
            board.press("+")
        assert board.view == outer + 1
        board.walk(inner)
        assert board.focused.startswith(f"{square_address(2, square)}, empty, legal, sends ")
        board.press(" ")
        board.answered(ply)
        assert board.moves[ply:] == [square]
    board.press("h")
    assert board.view in (0, int(board.positions.focus[0]))
    assert re.search("you may play here|legal", board.focused)


# --- analysis ----------------------------------------------------------------------------


def test_analysis_shows_value_variation_and_graph(visit, weights):
    moves = games_of(2, "X")[0]["moves"]
    board, plies = visit(), 30
    page = board.page
    board.begin()
    board.load(record_of(moves))
    page.fill("#plies", str(plies))
    page.fill("#analysis-spec", f"az:{weights}:16")
    page.locator("#analysis-spec").blur()
    board.press("a")
    assert page.is_checked("#analysis-on")
    facts = re.compile(r"^value [+−]?\d\.\d\d for X \(to move\) · 16 simulations · [\d.]+ s$")
    board.shows("#analysis-facts", facts, timeout=TORCH)
    chances = re.fullmatch(r"X (\d+) % · draw (\d+) % · O (\d+) %", board.text("#value-text"))
    assert sum(map(int, chances.groups())) == 100
    assert page.get_attribute("#value-bar", "aria-label") == chances[0]
    parts = page.locator("#value-bar span").evaluate_all(
        "all => all.map((part) => Number(part.style.flexGrow))"
    )
    assert [100 * part for part in parts] == pytest.approx(list(map(int, chances.groups())), abs=1)

    line = [parse_square(2, text) for text in page.locator("#variation button").all_inner_texts()]
    assert line
    positions_from_moves(2, [moves[:plies] + line])
    page.click("#variation [data-step='1']")
    board.wait(plies + 1, "replay")
    assert board.status == f"Variation: 1 of {len(line)} moves after ply {plies}"
    for key, step in ((".", min(2, len(line))), (",", min(2, len(line)) - 1)):
        board.press(key)
        board.wait(plies + step)
    board.press("Escape")
    board.wait(plies, "replay")

    page.click("#analyse-game")
    ends = len(moves)
    page.wait_for_selector("#graph-progress", state="hidden")
    curve = page.get_attribute("#graph .curve", "d")
    assert len(re.findall(r"[ML]", curve)) == ends + 1
    assert curve.endswith("100.000 -1.000")
    box = page.locator("#graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 10 / ends, box["y"] + box["height"] / 2)
    board.wait(10, "replay")


@pytest.mark.parametrize(("spec", "unit"), [("uct:2000:solver", ""), ("alphabeta:9", " nodes")])
def test_what_is_proven_is_certain(visit, spec, unit):
    board = visit(position_fragment(1, [0, 3, 1, 4]))
    board.wait(4, "replay")
    board.page.fill("#analysis-spec", spec)
    board.page.check("#analysis-on")
    board.shows("#value-text", "X 100 % · draw 0 % · O 0 %")
    board.shows(
        "#analysis-facts", re.compile(rf"^value \+1\.00 for X \(to move\) · proven.*{unit}")
    )
    board.page.click("#previous")
    board.shows("#analysis-facts", re.compile("^value .* for O \\(to move\\)"))


def test_analysis_says_what_it_cannot_tell(visit):
    board = visit(position_fragment(1, [4]))
    board.wait(1, "replay")
    board.page.check("#analysis-on")
    for spec, text in [("nobody:3", "no agent"), ("random", "random has no opinion on positions")]:
        board.page.fill("#analysis-spec", spec)
        board.page.locator("#analysis-spec").blur()
        board.shows("#value-text", text)
        assert board.page.is_checked("#analysis-on")


def test_analysis_is_drawn_on_the_board_and_costs_the_points(visit):
    board = visit()
    board.new_game(depth=1, mode="agent", level="Easy", side="X")
    board.wait(0, "yours")
    assert "10 points" in board.text("#ranking")
    assert board.text("#analysis-note") == "With analysis, this match won’t count."
    board.page.mouse.move(0, 0)
    plain = board.picture
    board.page.fill("#analysis-spec", "uct:500")
    board.page.check("#analysis-on")
    board.shows("#analysis-facts", re.compile(r"500 simulations · [\d.]+ s$"))
    drawn = board.picture
    assert drawn != plain
    board.page.uncheck("#overlay-on")
    assert board.picture == plain
    board.page.check("#overlay-on")
    assert board.picture == drawn
    board.shows("#ranking", UNCOUNTED)
    assert not board.page.is_visible("#analysis-note")
    board.press("a")
    assert board.picture == plain


# --- rules and layout --------------------------------------------------------------------

REPLAY = """async ({ games, every }) => {
  const { Position, digitsOf } = await import("/static/position.js");
  const nameOf = (board) => digitsOf(board).join(".") || "root";
  return games.map(({ depth, moves }) => {
    const position = new Position(depth);
    const counts = [], forced = [], legal = {};
    moves.forEach((square, ply) => {
      counts.push(position.numLegal);
      forced.push(digitsOf(position.focus));
      if (ply % every === 0) legal[ply] = position.legalSquares().join();
      position.play(square);
    });
    const boards = {};
    position.owner.forEach((owner, k) => {
      if (owner >= 0) boards[nameOf(k)] = ["X", "O", "draw"][owner];
    });
    return { counts, forced, legal, boards, outcome: position.outcome };
  });
}"""


def replayed(visit, games, every):
    """What the page makes of games; of the legal squares only those of each `every`th ply."""
    asked = [{"depth": game["depth"], "moves": game["moves"]} for game in games]
    found = visit().page.evaluate(REPLAY, {"games": asked, "every": every})
    assert len(found) == len(games) > 0
    return zip(games, found, strict=True)


@pytest.mark.parametrize(("depth", "every"), [(1, 1), (2, 1), (3, 10), (4, 100)])
def test_the_page_reproduces_the_reference_games(visit, depth, every):
    for game, found in replayed(visit, games_of(depth), every):
        assert found["counts"] == game["legal_count"]
        assert found["forced"] == game["forced"]
        for ply, squares in found["legal"].items():
            assert zlib.crc32(squares.encode()) == game["legal_crc32"][int(ply)]
        assert NAMES[found["outcome"]] == game["result"]
        if game["boards"]:
            assert found["boards"] == game["boards"]


def test_for_the_page_three_drawn_boards_in_a_row_are_no_line(visit):
    moves = [
        77, 53, 74, 24, 60, 61, 70, 65, 21, 35, 80, 45, 2, 18, 1, 14, 47, 25, 67, 44, 15, 54, 5, 51,
        59, 48, 30, 33, 57, 29, 20, 19, 17, 11, 22, 42, 55, 16, 69, 56, 26, 28, 12, 32, 36, 4, 38,
        23, 43, 64, 13, 39, 0, 71, 68, 37, 9, 66, 62, 58, 40, 41, 63,
    ]  # fmt: skip
    before = positions_from_moves(2, [moves[:-1]])
    assert [before.owner(name)[0] for name in "357"] == [DRAW, DRAW, DRAW]
    ((_, found),) = replayed(visit, [{"depth": 2, "moves": moves}], 1)
    assert found["legal"][str(len(moves) - 1)] == "63"
    assert found["outcome"] == positions_from_moves(2, [moves]).outcome[0]


@pytest.mark.parametrize(("device", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_nothing_is_wider_than_the_screen(visit, device, scheme):
    board = visit(**device, color_scheme=scheme)
    width = device["viewport"]["width"]
    page = board.page
    page.wait_for_selector("#new-game[open]")
    for depth in (1, 2, 3, 4):
        assert board.width <= width
        moves = games_of(depth)[-1]["moves"][: 4 * 9**depth // 10]
        board.open(position_fragment(depth, moves))
        board.wait(len(moves), "replay")
        page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    assert board.width <= width
    page.goto(f"{page.url.partition('#')[0]}rules")
    assert board.width <= width
