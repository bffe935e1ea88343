// A match as this viewer sees it, kept up to date by the server's messages.

export const MARKS = ["X", "O"];

export class Match {
  constructor(message) {
    Object.assign(this, message);
    this.setClock(message.left);
  }

  /** Follows a "moved" message; false if moves are missing. */
  moved({ ply, square, left, ...rest }) {
    if (ply !== this.moves.length) return false;
    this.moves.push(square);
    const { thinking, result, reason, ranked, points } = rest;
    Object.assign(this, { thinking, result, reason, ranked, points });
    this.setClock(left);
    return true;
  }

  setClock(left) {
    this.deadline = left === null ? null : performance.now() + 1000 * left;
  }

  /** Seconds that the mover has left, or null. */
  get secondsLeft() {
    if (this.deadline === null || this.isOver || this.waits) return null;
    return Math.max(0, (this.deadline - performance.now()) / 1000);
  }

  get toPlay() {
    return this.moves.length % 2;
  }

  get mover() {
    return MARKS[this.toPlay];
  }

  get isOver() {
    return this.result !== null;
  }

  /** Whether a seat is free. */
  get waits() {
    return !this.isOver && this.seats.some(({ kind }) => kind === "free");
  }

  get plays() {
    return this.you !== null;
  }

  get isYourMove() {
    if (this.isOver || this.waits || this.thinking) return false;
    return this.you === "both" || this.you === this.mover;
  }

  get canUndo() {
    if (!this.plays || this.isOver || this.mode === "room") return false;
    const plies = this.you === this.mover ? 2 : 1; // the computer's answer goes with one's move
    return this.moves.length - plies >= this.start;
  }

  get canResign() {
    return this.plays && !this.isOver;
  }

  /** What the player of a seat is called. */
  nameOf(k) {
    const { name, kind } = this.seats[k];
    if (kind === "free") return "free seat";
    return this.mode === "shared" ? `Player ${MARKS[k]}` : name;
  }

  /** While people play each other, no agent helps. */
  get barsHelp() {
    return this.mode === "room" && this.plays && !this.isOver;
  }

  get offered() {
    return this.offer !== null && this.offer === this.you;
  }
}
