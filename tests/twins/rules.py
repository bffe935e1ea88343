"""The rulebook, word for word, with nested objects: slow, obvious, independent of the engine."""

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Board:
    """A board of level >= 1 has nine boards below it; a level-0 board is a single square."""

    def __init__(self, level):
        self.level = level
        self.owner = None  # "X", "O", "draw"
        self.children = [Board(level - 1) for _ in range(9)] if level else []

    def at(self, address):
        board = self
        for digit in address:
            board = board.children[digit]
        return board

    def open_squares(self, address=()):
        if self.owner is not None:
            return
        if self.level == 0:
            yield address
        for digit, child in enumerate(self.children):
            yield from child.open_squares((*address, digit))

    def decide(self, player):
        """Claim the board for `player` if three in a row are theirs; else see if it is drawn."""
        owners = [child.owner for child in self.children]
        if any(all(owners[i] == player for i in line) for line in LINES):
            self.owner = player
        elif None not in owners:
            self.owner = "draw"


class Game:
    def __init__(self, depth):
        self.depth = depth
        self.root = Board(depth)
        self.focus = ()
        self.to_play = "X"

    @property
    def result(self):
        return self.root.owner

    def legal(self):
        """The addresses of the legal squares."""
        if self.result is not None:
            return []
        return list(self.root.at(self.focus).open_squares(self.focus))

    def play(self, address):
        assert address in self.legal()
        self.root.at(address).owner = self.to_play
        for length in range(self.depth - 1, -1, -1):
            board = self.root.at(address[:length])
            board.decide(self.to_play)
            if board.owner is None:
                break
        self.to_play = "O" if self.to_play == "X" else "X"
        self.focus = () if self.result is not None else self.sent_to(address[1:])

    def sent_to(self, target):
        """`target`, or the board above the outermost decided one on the way to it."""
        for length in range(1, len(target) + 1):
            if self.root.at(target[:length]).owner is not None:
                return target[: length - 1]
        return target
