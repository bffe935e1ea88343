// What the user does: buttons, keys, dialogs.

import { $, ask, clearToast, copy, download, toast } from "./dom.js";
import { ImportDialog } from "./importing.js";
import { listenToKeys } from "./keys.js";
import { recall } from "./memory.js";
import { NewGameDialog } from "./newgame.js";
import { positionFragment, recordOf } from "./records.js";
import { linkTo, reachText } from "./seats.js";
import { refusalText } from "./words.js";

const DEFAULT_LEVEL = "Hard";

export class Commands {
  constructor(app) {
    this.app = app;
    this.newGame = new NewGameDialog();
    this.importing = new ImportDialog();
    this.newGame.addEventListener("create", ({ detail }) => app.create(detail));
    this.newGame.addEventListener("join", ({ detail }) => this.open(detail));
    this.importing.addEventListener("load", ({ detail }) => app.showRecord(detail));
    this.listenToActions();
    this.listenToPanels();
    this.listenToAnalysis();
    listenToKeys(this.keys());
    document.addEventListener("click", ({ target }) => {
      if ("close" in target.dataset) target.closest("dialog").close();
    });
  }

  keys() {
    const { stage, board } = this.app;
    const back = () => stage.step(-1);
    const on = () => stage.step(1);
    return {
      n: () => press("new"),
      u: () => press("undo"),
      i: () => press("ask-hint"),
      a: () => this.switchAnalysis(!this.app.analysis.on),
      h: () => board.home(),
      Home: () => board.home(),
      ",": back,
      "[": back,
      ".": on,
      "]": on,
      Escape: () => this.back(),
    };
  }

  /** Sends something about the match. */
  send(type, fields = {}) {
    clearToast();
    this.app.connection.send({ type, code: this.app.match.code, ...fields });
  }

  open(code) {
    clearToast();
    this.app.open(code);
  }

  get ply() {
    return this.app.match.moves.length;
  }

  // --- the match -----------------------------------------------------------------------

  listenToActions() {
    this.app.board.addEventListener("play", ({ detail }) => this.play(detail.square));
    this.app.board.addEventListener("refused", ({ detail }) => {
      toast(refusalText(this.app.stage.position, detail.square));
    });
    click("new", () => this.startNew());
    click("undo", () => this.send("undo", { ply: this.ply }));
    click("ask-hint", () => this.askHint());
    click("resign", () => this.resign());
    click("rematch", () => this.send("rematch"));
    click("share", () => this.share());
    click("back", () => this.back());
    click("load-game", () => this.importing.open());
    click("copy-link", () => copy($("share-link").value));
  }

  /** Other matches can be taken up again any time; in a room someone waits. */
  async startNew() {
    const { match } = this.app;
    const leaves = match?.mode === "room" && match.plays && !match.isOver && !match.waits;
    const question = "Leave this match? You find it again under “Your matches”.";
    if (!leaves || (await ask(question, "Leave"))) this.newGame.open();
  }

  play(square) {
    const { app } = this;
    if (!app.display.isYours) return;
    const { ply } = this;
    app.sent = true;
    this.send("move", { ply, square });
    app.stage.sync([...app.match.moves, square]);
  }

  askHint() {
    const { ply } = this;
    this.app.hint = { ply };
    this.app.stage.setPly(ply);
    this.send("hint", { ply });
  }

  async resign() {
    const { you, mover, waits } = this.app.match;
    const question = you === "both" ? `${mover} resigns?` : "Resign this match?";
    if (waits || (await ask(question, "Resign"))) this.send("resign");
  }

  share() {
    const { match, welcome } = this.app;
    $("share-link").value = linkTo(match.code);
    $("share-code").textContent = match.code;
    const who = match.waits ? "takes the free seat" : "watches";
    $("share-about").textContent = `Who opens this link ${who}. ${reachText(welcome)}`;
    $("share-dialog").showModal();
  }

  /** From a variation to the game, from the past to the present, from a record to the match. */
  back() {
    const { stage, record } = this.app;
    this.app.moves.stop();
    if (stage.variation) stage.vary([], 0);
    else if (!record) stage.setPly(stage.moves.length);
    else if (recall("match")) this.open(recall("match"));
  }

  // --- moves, scores, settings ---------------------------------------------------------

  listenToPanels() {
    const { app } = this;
    click("play-on", () => {
      const { depth, shownMoves } = app.stage;
      this.newGame.open({ depth, moves: shownMoves });
    });
    click("copy-position", () => {
      const { depth, shownMoves } = app.stage;
      copy(linkTo(positionFragment(depth, shownMoves)));
    });
    click("export", () => this.export());
    $("follow").addEventListener("change", () => app.show());
    $("name-form").addEventListener("submit", (event) => {
      event.preventDefault();
      clearToast();
      app.connection.send({ type: "rename", name: $("name").value.trim() });
    });
    $("matches-panel").addEventListener("toggle", () => app.askForScores());
    $("matches").addEventListener("click", ({ target }) => {
      const { code } = target.closest("button")?.dataset ?? {};
      if (code) this.open(code);
    });
  }

  export() {
    const { match, record, stage } = this.app;
    const metadata = record ? record.metadata : metadataOf(match);
    const text = JSON.stringify(recordOf({ ...stage, metadata }));
    download(`rstt-depth${stage.depth}${match ? `-${match.code}` : ""}.jsonl`, `${text}\n`);
  }

  // --- the analysis --------------------------------------------------------------------

  listenToAnalysis() {
    const { app } = this;
    $("analysis-on").addEventListener("change", ({ target }) => {
      this.switchAnalysis(target.checked);
    });
    $("overlay-on").addEventListener("change", () => app.display.showOverlay());
    $("analysis-spec").addEventListener("change", () => app.show());
    app.analysisPanel.addEventListener("ghost", ({ detail }) => app.board.ghost(detail.squares));
    click("analyse-game", () => {
      if (app.analysis.progress) app.analysis.stopGraph();
      else app.analysis.analyseGame({ ...this.subject(), moves: app.stage.moves });
    });
  }

  switchAnalysis(on) {
    if ($("analysis-on").disabled) return;
    this.app.analysis.on = on;
    if (on) $("analysis-panel").open = true;
    this.app.show();
  }

  /** Who analyses, and the match it counts as help in. */
  subject() {
    const { match, stage } = this.app;
    const spec = $("analysis-spec").value.trim() || this.defaultSpec();
    const code = match && !match.isOver && match.plays ? match.code : null;
    return { depth: stage.depth, spec, code };
  }

  /** The opponent's, if the server lets browsers ask for it; else the best there is. */
  defaultSpec() {
    const { match, welcome, stage } = this.app;
    if (!welcome) return "";
    const specOf = (name) => welcome.levels.find((level) => level.name === name)?.spec[stage.depth];
    const opponent = match?.opponent ? (specOf(match.opponent) ?? match.opponent) : null;
    const refused = /^(own|process):/.test(opponent) && !welcome.specs.includes(opponent);
    if (opponent && !refused) return opponent;
    return welcome.networks[stage.depth] ?? specOf(DEFAULT_LEVEL);
  }

  // --- what can be done now ------------------------------------------------------------

  show() {
    const { match, record, stage } = this.app;
    const running = match && !match.isOver;
    const elsewhere = record || (match && !(running && stage.isPresent));
    $("play-on").disabled = !elsewhere || stage.position.outcome >= 0;
    $("copy-position").disabled = $("export").disabled = !match && !record;
    $("back").hidden = !this.backText();
    $("back").textContent = this.backText();
    $("analysis-spec").placeholder = this.defaultSpec();
    this.showNote();
  }

  backText() {
    const { match, record, stage } = this.app;
    if (stage.variation) return `Back to ply ${stage.ply}`;
    if (match && !stage.isPresent) return "Back to the game";
    return record && recall("match") ? "Back to your match" : "";
  }

  showNote() {
    const { match, welcome } = this.app;
    $("analysis-on").disabled = Boolean(match?.barsHelp);
    const level = welcome?.levels.some(({ name }) => name === match?.opponent);
    const running = match && match.plays && !match.isOver && level;
    let text = "";
    if (match?.barsHelp) text = "No analysis while you play against people.";
    else if (running && match.ranked) text = "With analysis, this match won’t count.";
    $("analysis-note").textContent = text;
    $("analysis-note").hidden = !text;
  }
}

const click = (id, act) => $(id).addEventListener("click", act);

/** What a key does is what its button does, if that can be clicked. */
function press(id) {
  if (!$(id).hidden) $(id).click();
}

function metadataOf(match) {
  const { code, result, reason } = match;
  const ended = result ? { ended: reason, winner: result } : {};
  return { x: match.nameOf(0), o: match.nameOf(1), match: code, ...ended };
}
