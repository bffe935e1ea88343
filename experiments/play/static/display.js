// Shows the state of the application: the board, the line above it, and all panels.

import { $ } from "./dom.js";
import { MARKS } from "./match.js";
import { settings } from "./settings.js";
import { keepFocus, showView } from "./viewbar.js";
import { hintText, statusOf } from "./words.js";

export class Display {
  constructor(app) {
    this.app = app;
  }

  get isYours() {
    const { match, stage, connection, sent } = this.app;
    return connection.isUp && !sent && Boolean(match?.isYourMove) && stage.isPresent;
  }

  get state() {
    const { match, stage, record, sent } = this.app;
    if (record) return "replay";
    if (!match) return "none";
    if (!stage.isPresent) return "replay";
    if (match.isOver) return "over";
    return match.isYourMove && !sent ? "yours" : "theirs";
  }

  /** After a resignation or a flag nothing is playable, though the rules would go on. */
  get drawn() {
    const { match, stage } = this.app;
    const { position } = stage;
    const stopped = match?.isOver && stage.isPresent && position.outcome < 0;
    if (!stopped) return position;
    return Object.assign(position.copy(), { outcome: MARKS.indexOf(match.result) });
  }

  show() {
    const { app } = this;
    const { board, match, stage, record, welcome, connection } = app;
    const highlight = Boolean(record || (match && !match.waits));
    board.show(this.drawn, { interactive: this.isYours, highlight, follow: settings.follow });
    $("minimap").hidden = stage.depth < 3;
    // a move on its way is on the board, but whose turn it is the server has yet to say
    const cut = connection.isLost && match && !match.isOver && stage.isPresent;
    if (cut) $("status").textContent = "The connection is lost";
    else if (!app.sent) $("status").textContent = statusOf(match, stage, record);
    $("banner").hidden = !connection.isLost;
    const searching = app.isSearching;
    app.seats.show(match, { record, welcome, connected: connection.isUp, searching });
    app.moves.show();
    this.showHint();
    showView(board);
    app.commands.show();
    this.analyse();
    this.mark();
    keepFocus(board);
  }

  showHint() {
    const { hint, match, stage, board } = this.app;
    const shown = hint !== null && hint.ply === match?.moves.length && stage.isPresent;
    const { isSearching } = this.app;
    $("hint").hidden = !shown;
    if (shown) {
      const text = isSearching ? "Looking for a hint…" : `Hint: ${hintText(stage, hint)}`;
      $("hint").textContent = text;
    }
    board.preview(shown && !isSearching ? hint.square : null);
  }

  /** Lets the analysis follow what is shown. */
  analyse() {
    const { match, record, stage, analysis, analysisPanel, commands } = this.app;
    const subject = commands.subject();
    analysis.keepValues({ ...subject, moves: stage.moves });
    const game = record ?? match;
    const open = stage.base.outcome < 0 && game && !game.barsHelp;
    analysis.follow(open ? { ...subject, moves: stage.moves.slice(0, stage.ply) } : null);
    analysisPanel.show();
    this.showOverlay();
  }

  showOverlay() {
    const { stage, analysis, board } = this.app;
    const { latest } = analysis;
    const shown = latest && $("overlay-on").checked && !stage.variation && latest.ply === stage.ply;
    const overlay = shown ? { ...latest, best: latest.square } : null;
    board.setOverlay(overlay);
  }

  /** For the window's title, and for tests. */
  mark() {
    const { state } = this;
    const { match, stage } = this.app;
    const yours = state === "yours" && MARKS.includes(match.you);
    document.title = yours ? "● Your move – RSTT" : "RSTT";
    const { ply } = stage.position;
    Object.assign(document.body.dataset, { state, ply, code: match?.code ?? "" });
  }
}
