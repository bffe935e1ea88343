// What is asked of the server's analysing agents, and what they have answered.

import { hasOpinion } from "./thoughts.js";
import { forX } from "./words.js";

const PAUSE = 300; // ms that a position must stay before it is analysed
const REST = 1000; // ms to wait for after too many messages

/** Event: "change". A subject is {depth, moves, spec, code}; code: of the match that it helps in. */
export class Analysis extends EventTarget {
  constructor(connection) {
    super();
    this.connection = connection;
    this.on = false;
    this.subject = null;
    this.asked = null; // the subject of the running analysis, as text
    this.latest = null;
    this.error = ""; // why there is none
    this.values = []; // for X, by ply
    this.progress = null; // of the analysis of the game, {done, total}
    this.id = 0;
    connection.on("analysis", (message) => this.receive(message));
    connection.on("point", (message) => this.receivePoint(message));
    connection.addEventListener("up", () => this.again());
    connection.addEventListener("down", () => this.lose());
  }

  /** Analyses a subject, or nothing (null), from soon on; what is known of the same line stays. */
  follow(subject) {
    this.subject = subject;
    const text = this.on && subject ? JSON.stringify(subject) : null;
    if (text === this.asked) return;
    this.asked = text;
    this.latest = null;
    this.error = "";
    clearTimeout(this.timer);
    if (text) this.timer = setTimeout(() => this.ask(), PAUSE);
    else if (!this.progress) this.connection.send({ type: "stop" });
    this.changed();
  }

  ask() {
    this.latestId = ++this.id;
    this.connection.send({ type: "analyse", id: this.latestId, ...this.subject });
  }

  /** Forgets values of moves that have been taken back or belong to another game or agent. */
  keepValues({ depth, moves, spec }) {
    const known = this.known;
    this.known = { depth, moves: [...moves], spec };
    if (!known) return;
    const same = known.depth === depth && known.spec === spec;
    let ply = 0;
    while (same && ply < known.moves.length && known.moves[ply] === moves[ply]) ply++;
    this.values.length = same ? Math.min(this.values.length, ply + 1) : 0;
    if (ply < known.moves.length) this.endGraph();
  }

  receive(message) {
    if (message.id !== this.latestId || !this.asked) return;
    this.latest = message;
    if (hasOpinion(message)) this.values[message.ply] = forX(message.value, message.ply);
    this.changed();
  }

  analyseGame(game) {
    this.graphId = ++this.id;
    this.progress = { done: 0, total: game.moves.length + 1 };
    this.connection.send({ type: "graph", id: this.graphId, ...game });
    this.changed();
  }

  receivePoint({ id, ply, value, done, total }) {
    if (id !== this.graphId) return;
    this.values[ply] = value;
    this.progress = done < total ? { done, total } : null;
    this.changed();
  }

  /** Ends the analysis of the game; "stop" ends that of the position too, so it is asked again. */
  stopGraph() {
    this.endGraph();
    this.connection.send({ type: "stop" });
    this.again();
  }

  endGraph() {
    this.graphId = null;
    this.progress = null;
    this.changed();
  }

  /** The server has refused: it is asked again once the subject is another one. */
  fail(message) {
    this.error = message;
    this.changed();
  }

  /** The server was told too much at once, and has perhaps not heard of the position. */
  askLater() {
    if (!this.asked) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), REST);
  }

  again() {
    this.asked = null;
    this.follow(this.subject);
  }

  lose() {
    this.asked = null;
    this.endGraph();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}
