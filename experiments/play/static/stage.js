// Which position is shown: the present of a game, its past, or a variation from there.

import { Position } from "./position.js";

/** Event: "change". */
export class Stage extends EventTarget {
  constructor() {
    super();
    this.load(2, []);
  }

  /** Another game, shown at its end or from `ply`. */
  load(depth, moves, ply = moves.length) {
    this.depth = depth;
    this.moves = [...moves];
    this.base = null; // the position after `ply` moves
    this.setPly(ply);
  }

  /** The same game with other moves: who looks at its present goes on doing so. */
  sync(moves) {
    const atEnd = this.ply === this.moves.length;
    const same = this.moves.findIndex((square, ply) => square !== moves[ply]);
    if (same >= 0 && this.base.ply > same) this.base = null;
    this.moves = [...moves];
    if (atEnd || this.ply > moves.length) this.setPly(moves.length);
    else this.changed();
  }

  get isPresent() {
    return this.ply === this.moves.length && !this.variation;
  }

  setPly(ply) {
    this.ply = Math.max(0, Math.min(this.moves.length, ply));
    this.variation = null;
    if (!this.base || this.base.ply > this.ply) this.base = new Position(this.depth);
    else this.base = this.base.copy(); // the old one is on the board
    while (this.base.ply < this.ply) this.base.play(this.moves[this.base.ply]);
    this.changed();
  }

  /** `steps` moves of a variation are played from the position of the game that is shown. */
  vary(squares, steps) {
    this.variation = steps > 0 ? { squares, steps: Math.min(steps, squares.length) } : null;
    this.changed();
  }

  step(change) {
    if (this.variation) this.vary(this.variation.squares, this.variation.steps + change);
    else this.setPly(this.ply + change);
  }

  changed() {
    this.position = this.base;
    if (this.variation) {
      this.position = this.base.copy();
      for (const square of this.line) this.position.play(square);
    }
    this.dispatchEvent(new Event("change"));
  }

  /** The moves of the variation that are shown. */
  get line() {
    return this.variation ? this.variation.squares.slice(0, this.variation.steps) : [];
  }

  get shownMoves() {
    return [...this.moves.slice(0, this.ply), ...this.line];
  }
}
