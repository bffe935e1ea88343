"""The web board as a browser shows it: what tests see of a page, and do with it."""

import base64
import re
import shutil
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import numpy as np

from rstt_env import GameRecord, positions_from_moves, tree
from rstt_env.notation import parse_square
from rstt_env.outcome import NAMES
from tests.vectors import GAMES

CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
UNCOUNTED = "This match no longer counts."
DESKTOP = {"viewport": {"width": 1440, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
_CHILD = (1 - 2 * 0.03) / 3  # of a board's side: as in geometry.js
_PICTURE = """() => new Promise((done) => {
  const { toDataURL } = HTMLCanvasElement.prototype;
  const read = () => done(toDataURL.call(document.querySelector("#board canvas")));
  requestAnimationFrame(() => requestAnimationFrame(read));
})"""
_ARROWS = ("ArrowRight", "ArrowLeft"), ("ArrowDown", "ArrowUp")


def position_fragment(depth, moves):
    """What follows the # in a link to the position after some moves."""
    code = base64.urlsafe_b64encode(b"".join(move.to_bytes(2, "big") for move in moves))
    return f"position={depth}.{code.decode().rstrip('=')}"


class Line:
    """What connects a page with the server, from its next load on.

    Attributes:
        lossy: whether what the page sends is lost.
        garbles: whether it arrives as something else.
    """

    def __init__(self, page):
        self.lossy, self.garbles, self._cut, self._ends = False, False, False, []
        page.route_web_socket(re.compile("/ws$"), self._connect)

    def _connect(self, end):
        if self._cut:
            end.close()
            return
        server = end.connect_to_server()
        end.on_message(lambda text: self.lossy or server.send("?" if self.garbles else text))
        self._ends += [end, server]

    def cut(self):
        self._cut = True
        while self._ends:
            self._ends.pop().close()

    def mend(self):
        self._cut = self.lossy = self.garbles = False


class Board:
    """A page of the board, and the matches of the server as they are stored in `folder`."""

    def __init__(self, page, url, folder):
        self.page, self._url, self._folder = page, url, folder

    def open(self, fragment=""):
        self.page.goto(f"{self._url}#{fragment}" if fragment else self._url)

    def begin(self):
        """Without a match: the dialog that a first visit begins with is closed."""
        self.page.wait_for_selector("#new-game[open]")
        self.press("Escape")

    # --- what it shows ---

    def wait(self, ply=None, state=None):
        """Until it shows this ply, in this state."""
        parts = [("ply", ply), ("state", state)]
        found = "".join(f"[data-{name}='{value}']" for name, value in parts if value is not None)
        self.page.wait_for_selector(f"body{found}")

    def _data(self, name):
        return self.page.evaluate("name => document.body.dataset[name]", name)

    @property
    def state(self):
        return self._data("state")

    @property
    def ply(self):
        return int(self._data("ply"))

    @property
    def code(self):
        return self._data("code")

    def text(self, selector):
        return self.page.inner_text(selector)

    @property
    def status(self):
        return self.text("#status")

    def shows(self, selector, text, timeout=None):
        """Until an element holds this text; for `timeout` ms at most."""
        self.page.locator(selector).filter(has_text=text).first.wait_for(timeout=timeout)

    @property
    def view(self):
        """The board that fills the view."""
        return int(self.page.get_attribute("#breadcrumb [aria-current]", "data-board"))

    @property
    def shown_moves(self):
        """Those in the list: up to 60 before and after the ply shown."""
        texts = self.page.locator("#moves [data-ply]").all_inner_texts()
        return [parse_square(text.count(".") + 1, text) for text in texts]

    @property
    def labels(self):
        """What a screen reader says of the nine children of the view."""
        return self.page.locator(".board-buttons button").evaluate_all(
            "all => all.map((button) => button.ariaLabel)"
        )

    def seat(self, mark, part):
        return self.page.text_content(f".seat[data-mark={mark}] {part}")

    @property
    def picture(self):
        """What is painted on the board, once all is."""
        return self.page.evaluate(_PICTURE)

    @property
    def width(self):
        """Of all that can be scrolled to."""
        return self.page.evaluate("document.documentElement.scrollWidth")

    # --- the match, as it is stored ---

    def _stored(self, query):
        """What the database holds; beside the server, which keeps others from opening its store."""
        with closing(sqlite3.connect(self._folder / "matches.sqlite3")) as database:
            database.row_factory = sqlite3.Row
            return database.execute(query, [self.code]).fetchall()

    @property
    def row(self):
        (row,) = self._stored("SELECT * FROM matches WHERE code = ?")
        return SimpleNamespace(**row)

    @property
    def moves(self):
        found = self._stored(
            "SELECT square FROM moves, matches WHERE match = id AND code = ? ORDER BY ply"
        )
        return [square for (square,) in found]

    @property
    def positions(self):
        return positions_from_moves(self.row.depth, [self.moves])

    @property
    def legal(self):
        return np.flatnonzero(self.positions.legal[0]).tolist()

    @property
    def result(self):
        """What the rules say has come of the moves."""
        return NAMES[int(self.positions.outcome[0])]

    def change(self, assignment):
        """Change the stored match behind the server's back."""
        with closing(sqlite3.connect(self._folder / "matches.sqlite3")) as database, database:
            database.execute(f"UPDATE matches SET {assignment} WHERE code = ?", [self.code])

    # --- dialogs ---

    def new_game(self, timer=None, spec=None, **choices):
        """A match from the dialog: against the agent of `spec`, or as chosen there.

        Choices: depth, mode, level, side.
        """
        page, old = self.page, self.code
        if not page.locator("#new-game[open]").count() and old:
            page.click("#new")
        page.wait_for_selector("#new-game[open]")
        if spec is not None:
            choices |= {"mode": "agent", "level": "another agent"}
        for name, value in choices.items():
            page.check(f"#new-form [name={name}][value='{value}']", force=True)
        if spec is not None:
            page.fill("#new-spec", spec)
        if timer is not None:
            page.select_option("#new-timer", str(timer))
        page.click("#create")
        page.wait_for_selector(f"body:not([data-code='{old}'])")

    def load(self, text, number=1):
        """Show a game of a text of records."""
        self.page.click("#load-game")
        self.page.fill("#import-text", text)
        if number > 1:
            self.page.fill("#import-number", str(number))
        self.page.click("#import-show")
        self.wait(state="replay")

    # --- moves ---

    def _path(self, square):
        """The boards around a square from the root on, and the digits that lead to it."""
        boards, node = [], tree.num_boards(self.row.depth) + square
        digits = tree.digits_of(node)
        while node:
            node = (node - 1) // 9
            boards.insert(0, node)
        return boards, digits

    def _look_at(self, square):
        """Go out until the square is in view; the digits that lead to it from there."""
        boards, digits = self._path(square)
        crumbs = self.page.locator("#breadcrumb button")
        shown = crumbs.evaluate_all("all => all.map((crumb) => Number(crumb.dataset.board))")
        level = max(level for level, board in enumerate(boards) if board in shown)
        if level < len(shown) - 1:
            crumbs.nth(level).click()
        return digits[level:]

    def _place_of(self, square):
        """The middle of a square on the page."""
        first, *rest = self._look_at(square)
        box = self.page.locator(".board-buttons button").nth(first).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        size = box["width"]
        for digit in rest:
            size *= _CHILD
            x, y = x + (digit % 3 - 1) * size, y + (digit // 3 - 1) * size
        return x, y

    def click(self, square):
        self.page.mouse.click(*self._place_of(square))

    def tap(self, square):
        self.page.touchscreen.tap(*self._place_of(square))

    def choose(self, square):
        """Choose a square by the buttons over the board, from board to board."""
        for digit in self._look_at(square):
            self.page.locator(".board-buttons button").nth(digit).evaluate("b => b.click()")

    def play_to(self, other, square):
        """Choose a square; until another page shows the move."""
        ply = self.ply + 1
        self.choose(square)
        other.wait(ply)

    def play(self, square):
        """Choose a square, and wait for one's next turn or the end."""
        ply = self.ply
        self.choose(square)
        self.answered(ply)

    def answered(self, ply):
        """Until it is one's turn again, or over, at another ply than this one."""
        turn = ":is([data-state=yours], [data-state=over])"
        self.page.wait_for_selector(f"body{turn}:not([data-ply='{ply}'])")

    # --- the keyboard ---

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, selector):
        for _ in range(80):
            self.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"no tab leads to {selector}")

    @property
    def focused(self):
        """What a screen reader says of the element in focus."""
        return self.page.evaluate("document.activeElement.ariaLabel")

    def walk(self, digit):
        """From the button of the board that is in focus to another."""
        buttons = self.page.locator(".board-buttons button")
        here = buttons.evaluate_all("all => all.indexOf(document.activeElement)")
        assert here >= 0, "no button of the board is in focus"
        for change, (plus, minus) in zip(
            (digit % 3 - here % 3, digit // 3 - here // 3), _ARROWS, strict=True
        ):
            self.press(*[plus if change > 0 else minus] * abs(change))


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
