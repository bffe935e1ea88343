// The rules, as far as drawing a game needs them; the server stays the judge.
//
// Boards are heap-numbered: the root is 0, the children of board b are 9b+1 … 9b+9. Squares go on
// where boards end: square s is node numBoards + s, so that one array holds what every node is.

const UNDECIDED = -1;
const DRAWN = 2;

export const LINES = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8],
  [0, 3, 6], [1, 4, 7], [2, 5, 8],
  [0, 4, 8], [2, 4, 6],
];
const ALL_NINE = 9;

export const parentOf = (node) => Math.floor((node - 1) / 9);
export const digitOf = (node) => (node - 1) % 9;
export const childOf = (board, digit) => 9 * board + 1 + digit;
export const boardCount = (depth) => (9 ** depth - 1) / 8;

/** The digits, 0–8, that lead from the root to a node. */
export function digitsOf(node) {
  const digits = [];
  for (; node > 0; node = parentOf(node)) digits.push(digitOf(node));
  return digits.reverse();
}

export const levelOf = (node) => digitsOf(node).length;
export const nodeAddress = (node) => digitsOf(node).map((digit) => digit + 1).join(".");
export const boardAddress = (board) => (board === 0 ? "root" : nodeAddress(board));
export const squareAddress = (depth, square) => nodeAddress(boardCount(depth) + square);

/** The square that an address such as "5.1.9" names, or null. */
export function parseAddress(depth, text) {
  const digits = text.trim().split(".");
  if (digits.length !== depth || !digits.every((digit) => /^[1-9]$/.test(digit))) return null;
  return digits.reduce((square, digit) => 9 * square + Number(digit) - 1, 0);
}

/** Whether `node` is `board` or lies in it. */
export function isInside(node, board) {
  while (node > board) node = parentOf(node);
  return node === board;
}

/** Whether the mover may play `node`, or in it if it is a board. */
export function mayLead(position, node) {
  if (!position.isOpen(node)) return false;
  return isInside(node, position.focus) || isInside(position.focus, node);
}

export class Position {
  constructor(depth) {
    this.depth = depth;
    this.numSquares = 9 ** depth;
    this.numBoards = boardCount(depth);
    this.holdNodes(new Int8Array(this.numBoards + this.numSquares).fill(UNDECIDED));
    this.line = new Int8Array(this.numBoards).fill(-1); // index into LINES, of won boards
    this.numClosed = new Int8Array(this.numBoards); // children that are decided or occupied
    this.numOpen = new Int16Array(this.numBoards); // playable squares under a board
    for (let board = this.numBoards - 1; board >= 0; board--) {
      const child = childOf(board, 0);
      this.numOpen[board] = child < this.numBoards ? 9 * this.numOpen[child] : 9;
    }
    this.focus = 0;
    this.toPlay = 0;
    this.last = -1;
    this.ply = 0;
    this.outcome = UNDECIDED;
  }

  /** -1 undecided or empty, 0 X, 1 O, 2 drawn: `owner` by board, `marks` by square. */
  holdNodes(nodes) {
    this.nodes = nodes;
    this.owner = nodes.subarray(0, this.numBoards);
    this.marks = nodes.subarray(this.numBoards);
  }

  static after(depth, moves) {
    const position = new Position(depth);
    for (const square of moves) position.play(square);
    return position;
  }

  copy() {
    const copy = Object.assign(Object.create(Position.prototype), this);
    copy.holdNodes(this.nodes.slice());
    for (const name of ["line", "numClosed", "numOpen"]) copy[name] = this[name].slice();
    return copy;
  }

  play(square) {
    const reason = this.whyIllegal(square);
    if (reason) throw new Error(`ply ${this.ply}: ${this.nameOf(square)} is illegal: ${reason}`);
    this.outcome = this.settle(this.numBoards + square);
    this.focus = this.outcome === UNDECIDED ? this.destinationNow(square) : 0;
    this.toPlay = 1 - this.toPlay;
    this.last = square;
    this.ply += 1;
  }

  nameOf(square) {
    return this.marks[square] === undefined ? `square ${square}` : squareAddress(this.depth, square);
  }

  whyIllegal(square) {
    if (this.outcome !== UNDECIDED) return "the game is over";
    if (this.marks[square] === undefined) return "there is no such square";
    if (this.marks[square] !== UNDECIDED) return "it is occupied";
    if (!this.isOpen(this.numBoards + square)) return "its board is decided";
    if (!isInside(this.numBoards + square, this.focus)) return "outside the playable board";
    return null;
  }

  /** The mover takes the square `node`; the boards above it follow. Returns the game's outcome. */
  settle(node) {
    let owner = this.toPlay;
    let removed = 1; // squares that this move takes out of play
    while (node > 0) {
      if (owner !== UNDECIDED) this.nodes[node] = owner;
      const board = parentOf(node);
      owner = owner === UNDECIDED ? UNDECIDED : this.verdict(board, digitOf(node));
      if (owner !== UNDECIDED) removed = this.numOpen[board];
      this.numOpen[board] -= removed;
      node = board;
    }
    this.nodes[0] = owner;
    return owner;
  }

  /** Who owns `board` now that its child `digit` has just closed. */
  verdict(board, digit) {
    this.numClosed[board] += 1;
    const first = childOf(board, 0);
    const owner = this.nodes[first + digit];
    if (owner !== DRAWN) {
      this.line[board] = LINES.findIndex(
        (line) => line.includes(digit) && line.every((k) => this.nodes[first + k] === owner),
      );
      if (this.line[board] >= 0) return owner;
    }
    return this.numClosed[board] === ALL_NINE ? DRAWN : UNDECIDED;
  }

  /** Where the mark on `square` sends: its address without the first digit, as far as it is open. */
  destinationNow(square) {
    let board = boardCount(this.depth - 1) + (square % 9 ** (this.depth - 1));
    let focus = board;
    for (; board > 0; board = parentOf(board)) {
      if (this.owner[board] !== UNDECIDED) focus = parentOf(board);
    }
    return focus;
  }

  /** The board that the opponent would be confined to after `square`; null if it ends the game. */
  destination(square) {
    const next = this.copy();
    next.play(square);
    return next.outcome === UNDECIDED ? next.focus : null;
  }

  isLegal(square) {
    return this.whyIllegal(square) === null;
  }

  get numLegal() {
    return this.outcome === UNDECIDED ? this.numOpen[this.focus] : 0;
  }

  legalSquares() {
    const squares = [];
    const walk = (node) => {
      if (this.nodes[node] !== UNDECIDED) return;
      if (node >= this.numBoards) squares.push(node - this.numBoards);
      else for (let digit = 0; digit < 9; digit++) walk(childOf(node, digit));
    };
    walk(this.focus);
    return squares;
  }

  openChildren() {
    if (this.outcome !== UNDECIDED) return [];
    return [...Array(9).keys()].filter(
      (digit) => this.nodes[childOf(this.focus, digit)] === UNDECIDED,
    );
  }

  /** Whether neither the node nor a board around it is decided. */
  isOpen(node) {
    for (; node > 0; node = parentOf(node)) if (this.nodes[node] !== UNDECIDED) return false;
    return this.nodes[0] === UNDECIDED;
  }
}
