"""Rooms between browsers: invitations, clocks, lost connections, names."""

import random
import re

import pytest

from tests.pages import Line, record_of

pytestmark = pytest.mark.jit

MARKUP = "<b>x</b>"


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
