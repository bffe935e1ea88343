// The moves of the game: a slider, buttons, a film, and the list of addresses.

import { $, make, refill } from "./dom.js";
import { squareAddress } from "./position.js";
import { plies } from "./words.js";

const FILM = 60_000; // ms at most for a whole game …
const FRAME = { least: 30, most: 700 }; // … within these times for a ply
const AROUND = 60; // plies of the list before and after the one shown

export class MovesPanel {
  constructor(stage) {
    this.stage = stage;
    this.film = null;
    const go = (id, act) => $(id).addEventListener("click", () => this.byHand(act));
    go("first", () => stage.setPly(0));
    go("previous", () => stage.step(-1));
    go("next", () => stage.step(1));
    go("last", () => stage.setPly(stage.moves.length));
    $("plies").addEventListener("input", ({ target }) => {
      this.byHand(() => stage.setPly(Number(target.value)));
    });
    $("play").addEventListener("click", () => (this.film ? this.stop() : this.start()));
    $("moves").addEventListener("click", ({ target }) => {
      const { ply } = target.dataset;
      if (ply) this.byHand(() => stage.setPly(Number(ply)));
    });
  }

  byHand(act) {
    this.stop();
    act();
  }

  start() {
    const { stage } = this;
    if (stage.ply === stage.moves.length) stage.setPly(0);
    const even = FILM / Math.max(1, stage.moves.length);
    const time = Math.max(FRAME.least, Math.min(FRAME.most, even));
    this.film = setInterval(() => this.advance(), time);
    this.showPlay();
  }

  advance() {
    this.stage.step(1);
    if (this.stage.ply === this.stage.moves.length) this.stop();
  }

  stop() {
    clearInterval(this.film);
    this.film = null;
    this.showPlay();
  }

  showPlay() {
    $("play").textContent = this.film ? "Pause" : "Play";
  }

  show() {
    const { ply, moves } = this.stage;
    $("plies").max = moves.length;
    $("plies").value = ply;
    $("plies").ariaValueText = `ply ${ply} of ${moves.length}`;
    $("first").disabled = $("previous").disabled = ply === 0;
    $("last").disabled = ply === moves.length;
    $("next").disabled = ply === moves.length;
    $("play").disabled = moves.length === 0;
    this.showList();
  }

  /** The moves around the one shown: a game may have thousands. */
  showList() {
    const { ply, moves } = this.stage;
    const first = Math.max(0, 2 * Math.floor((ply - AROUND) / 2));
    const end = Math.min(moves.length, ply + AROUND);
    const rows = [];
    if (first > 0) rows.push(make("p", { className: "quiet" }, `${plies(first)} before`));
    for (let k = first; k < end; k += 2) rows.push(this.rowOf(k, Math.min(end, k + 2)));
    if (end < moves.length) {
      rows.push(make("p", { className: "quiet" }, `${plies(moves.length - end)} after`));
    }
    if (rows.length === 0) rows.push(make("p", { className: "quiet" }, "No move yet"));
    refill($("moves"), rows);
    this.scroll();
  }

  rowOf(from, end) {
    const number = make("span", { className: "quiet" }, `${from / 2 + 1}.`);
    const row = make("div", { className: "turn" }, number);
    for (let k = from; k < end; k++) row.append(this.buttonOf(k));
    return row;
  }

  buttonOf(k) {
    const { depth, moves, ply } = this.stage;
    const button = make("button", { type: "button", className: k % 2 ? "o" : "x" });
    button.textContent = squareAddress(depth, moves[k]);
    button.dataset.ply = k + 1;
    if (k + 1 === ply) button.ariaCurrent = "step";
    return button;
  }

  /** Brings the ply shown, after the turn before it, into the list's view alone. */
  scroll() {
    const list = $("moves");
    const current = list.querySelector("[aria-current]");
    list.scrollTop = current ? current.offsetTop - current.clientHeight : 0;
  }
}
