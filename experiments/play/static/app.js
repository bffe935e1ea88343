// The application: what it knows, and what the server's messages change. What the user does is in
// commands.js, what is shown in display.js.

import { Analysis } from "./analysis.js";
import { AnalysisPanel } from "./analysispanel.js";
import { BoardView } from "./board.js";
import { Commands } from "./commands.js";
import { Connection } from "./connection.js";
import { Display } from "./display.js";
import { $, toast } from "./dom.js";
import { Match } from "./match.js";
import { recall, recallRecord, remember, rememberRecord } from "./memory.js";
import { MovesPanel } from "./replay.js";
import { parsePosition } from "./records.js";
import { showMatches, showScores } from "./scores.js";
import { SeatsPanel } from "./seats.js";
import { setUpSettings } from "./settings.js";
import { Stage } from "./stage.js";
import { listenToView } from "./viewbar.js";

const CODE = /^[A-Za-z0-9]{6}$/;
const NEW = "new"; // a match that has no code yet

class App {
  constructor() {
    this.welcome = null; // what the server offers
    this.match = null;
    this.record = null; // a game that is shown without a match
    this.fragment = ""; // of the address, for what is shown
    this.opening = null; // the code of the match that the server is asked for
    this.sent = false; // a move that the server hasn't confirmed is on the board
    this.hint = null; // the server's, or {ply} while it is searched
    this.connection = new Connection();
    this.stage = new Stage();
    this.board = new BoardView($("board"), { minimap: $("minimap") });
    this.seats = new SeatsPanel();
    this.moves = new MovesPanel(this.stage);
    this.analysis = new Analysis(this.connection);
    this.analysisPanel = new AnalysisPanel(this.analysis, this.stage);
    this.commands = new Commands(this);
    this.display = new Display(this);
    listenToView(this.board);
    this.stage.addEventListener("change", () => this.show());
    this.analysis.addEventListener("change", () => this.display.showOverlay());
    addEventListener("hashchange", () => this.route());
    this.listenToServer();
    this.show();
    this.connection.open();
  }

  // --- messages ------------------------------------------------------------------------

  listenToServer() {
    const { connection } = this;
    connection.on("welcome", (message) => this.welcomed(message));
    connection.on("match", (message) => this.received(message));
    connection.on("moved", (message) => this.moved(message));
    connection.on("hint", (message) => this.hinted(message));
    connection.on("rematch", (message) => this.again(message));
    connection.on("scores", (message) => this.scored(message));
    connection.on("renamed", (message) => this.renamed(message));
    connection.on("closed", (message) => this.closed(message));
    connection.on("error", (message) => this.failed(message));
    connection.addEventListener("up", () => this.resume());
    connection.addEventListener("down", () => this.cut());
  }

  welcomed(message) {
    const first = !this.welcome;
    this.welcome = message;
    $("name").value = message.name;
    if (first) this.commands.newGame.offer(message);
  }

  renamed({ name }) {
    $("name").value = name;
    this.askForScores();
    toast("Saved");
  }

  /** On each new connection; on the first one the address or the last visit says where to begin. */
  resume() {
    this.askForScores();
    if (this.match) this.open(this.match.code, this.watches);
    else if (!this.record && !this.route()) this.begin();
    this.show();
  }

  begin() {
    const last = recall("match");
    const record = recallRecord();
    if (record) this.showRecord(record);
    else if (last) this.open(last);
    else this.commands.newGame.open();
  }

  /** Goes where the address's fragment says; false if it says nothing. */
  route() {
    const fragment = location.hash.slice(1);
    const record = parsePosition(fragment);
    if (record) this.showRecord(record, fragment);
    else if (CODE.test(fragment)) this.open(fragment.toUpperCase());
    else {
      if (fragment) toast("This link is not complete.");
      this.setFragment(this.fragment);
      return false;
    }
    return true;
  }

  /** What was on its way may be lost. */
  cut() {
    if (this.isSearching) this.hint = null;
    this.show();
  }

  open(code, watch = false) {
    this.opening = code;
    this.connection.send({ type: "open", code, watch });
  }

  create(message) {
    this.opening = NEW;
    if (!this.connection.send(message)) toast("There is no connection; try again in a moment.");
  }

  received(message) {
    const known = message.code === this.match?.code;
    if (!known && this.opening !== message.code && this.opening !== NEW) return; // we have left it
    const chosen = this.opening === NEW || $("new-game").open;
    if (!known) this.leave();
    if (!known || this.opening === message.code) this.opening = null;
    this.match = new Match(message);
    this.sent = false;
    if (this.match.isOver || this.hint?.ply !== message.moves.length) this.hint = null;
    if (known) this.stage.sync(message.moves);
    else this.enter();
    if (chosen && !known) this.board.focus();
    this.keep();
  }

  enter() {
    const { match } = this;
    this.commands.newGame.close();
    this.record = null;
    rememberRecord(null);
    this.hint = null;
    if (this.analysis.on && match.plays && match.ranked) {
      this.analysis.on = false;
      toast("Analysis is off, so that this match counts.");
    }
    this.setFragment(match.code);
    this.stage.load(match.depth, match.moves);
    this.askForScores();
    scrollTo(0, 0);
  }

  leave() {
    this.moves.stop();
    if (this.match) this.connection.send({ type: "leave", code: this.match.code });
    this.match = null;
    this.sent = false;
    this.hint = null;
  }

  moved(message) {
    const { match, stage } = this;
    if (message.code !== match?.code) return;
    if (!match.moved(message)) return this.open(match.code, this.watches);
    this.sent = false;
    this.hint = null;
    stage.sync(match.moves);
    this.keep();
  }

  /** The next visit goes on with a match that isn't over; scores change when one ends. */
  keep() {
    const { match } = this;
    if (!match.isOver && match.plays) remember("match", match.code);
    else if (recall("match") === match.code) remember("match", null);
    if (match.isOver) this.askForScores();
  }

  askForScores() {
    this.connection.send({ type: "scores" });
  }

  scored(message) {
    showScores(message);
    showMatches(message.open, this.match?.code);
  }

  again({ code, next }) {
    if (code === this.match?.code) this.open(next, this.watches);
  }

  hinted(message) {
    if (message.code !== this.match?.code || message.ply !== this.match.moves.length) return;
    this.hint = message;
    this.show();
  }

  failed({ about, message, code }) {
    if (about === "analyse") return this.analysis.fail(message); // its panel says why
    toast(message);
    if (this.sent && (about === "move" || about === null)) this.takeBack();
    if (this.isSearching && (about === "hint" || about === null)) this.hint = null;
    if (about === null) this.analysis.askLater();
    if (about === "create") this.commands.newGame.open(this.commands.newGame.start);
    if (about === "open") this.lost(code ?? this.opening);
    if (about === "graph") this.analysis.endGraph();
    this.show();
  }

  /** The move that the server hasn't confirmed; it says how the match stands. */
  takeBack() {
    const { match } = this;
    this.sent = false;
    this.stage.sync(match.moves);
    this.open(match.code, this.watches);
  }

  closed({ code, message }) {
    toast(message);
    this.lost(code);
  }

  /** There is no match of this code: to the start. */
  lost(code) {
    this.opening = null;
    if (recall("match") === code) remember("match", null);
    this.askForScores();
    if (this.record || (this.match && this.match.code !== code)) {
      return this.setFragment(this.fragment);
    }
    this.match = null;
    this.setFragment("");
    this.stage.load(2, []);
    this.begin();
  }

  // --- what is shown -------------------------------------------------------------------

  showRecord(record, fragment = "") {
    this.leave();
    this.record = record;
    rememberRecord(fragment ? null : record);
    this.askForScores();
    this.setFragment(fragment);
    $("moves-panel").open = true;
    this.stage.load(record.depth, record.moves, fragment ? record.moves.length : 0);
    scrollTo(0, 0);
  }

  setFragment(fragment) {
    this.fragment = fragment;
    history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname);
  }

  get isSearching() {
    return this.hint !== null && this.hint.square === undefined;
  }

  get watches() {
    return this.match?.you === null;
  }

  show() {
    this.display.show();
  }
}

setUpSettings();
new App();
