// The panel that shows what an agent thinks of the position, and of the whole game.

import { $, make, refill } from "./dom.js";
import { ValueGraph } from "./graph.js";
import { squareAddress } from "./position.js";
import { chancesForX, chancesText, factsOf, hasOpinion } from "./thoughts.js";

export class AnalysisPanel extends EventTarget {
  constructor(analysis, stage) {
    super();
    this.analysis = analysis;
    this.stage = stage;
    this.graph = new ValueGraph($("graph"), (ply) => stage.setPly(ply));
    analysis.addEventListener("change", () => this.show());
    this.listenToVariation();
  }

  /** Event "ghost" {squares}: what to sketch on the board while the pointer is on the variation. */
  listenToVariation() {
    const list = $("variation");
    const indexOf = ({ target }) => Number(target.closest("button")?.dataset.step ?? 0);
    list.addEventListener("click", (event) => {
      const step = indexOf(event);
      if (step) this.stage.vary(this.variation, step);
    });
    list.addEventListener("pointerover", (event) => this.sketch(indexOf(event)));
    list.addEventListener("pointerleave", () => this.sketch(0));
  }

  sketch(step) {
    if (this.stage.variation) return;
    const squares = (this.variation ?? []).slice(0, step);
    this.dispatchEvent(new CustomEvent("ghost", { detail: { squares } }));
  }

  show() {
    const { analysis, stage } = this;
    const { latest } = analysis;
    $("analysis-on").checked = analysis.on && !$("analysis-on").disabled;
    if (latest) this.showThoughts(latest);
    else this.showWaiting(analysis.error);
    $("thoughts").hidden = !analysis.asked;
    $("value-bar").classList.toggle("stale", !latest || !hasOpinion(latest));
    this.graph.show(analysis.values, { plies: stage.moves.length, ply: stage.ply });
    this.showProgress();
  }

  /** Between two positions the bar stays, dimmed, so that nothing jumps. */
  showWaiting(error) {
    $("value-text").textContent = error || "thinking…";
    $("value-text").classList.toggle("wrong", Boolean(error));
    $("analysis-facts").textContent = "";
    if (!this.stage.variation) this.showVariation([]);
  }

  showThoughts(latest) {
    const opinion = hasOpinion(latest);
    const shares = chancesForX(latest);
    const bar = $("value-bar");
    shares.forEach((share, k) => (bar.children[k].style.flexGrow = share));
    const text = opinion ? chancesText(latest) : `${latest.spec} has no opinion on positions`;
    const apart = !opinion || latest.chances || latest.proven;
    bar.ariaLabel = text;
    bar.title = apart ? text : `${text} (this agent doesn’t tell draws apart)`;
    $("value-text").textContent = text;
    $("value-text").classList.remove("wrong");
    $("analysis-facts").textContent = opinion ? factsOf(latest) : "";
    if (!this.stage.variation) this.showVariation(latest.variation);
    else this.markStep();
  }

  showVariation(squares) {
    this.variation = squares;
    const { depth } = this.stage;
    const first = this.stage.ply;
    const items = squares.map((square, k) => {
      const button = make("button", { type: "button", className: (first + k) % 2 ? "o" : "x" });
      button.textContent = squareAddress(depth, square);
      button.dataset.step = k + 1;
      return make("li", {}, button);
    });
    refill($("variation"), items);
  }

  markStep() {
    const steps = this.stage.variation?.steps ?? 0;
    [...$("variation").children].forEach(({ firstChild }, k) => {
      firstChild.ariaCurrent = k + 1 === steps ? "step" : null;
    });
  }

  showProgress() {
    const { progress } = this.analysis;
    $("graph-progress").hidden = !progress;
    $("analyse-game").textContent = progress ? "Stop" : "Analyse the whole game";
    $("analyse-game").disabled = this.stage.moves.length === 0 || $("analysis-on").disabled;
    if (!progress) return;
    $("graph-progress").max = progress.total;
    $("graph-progress").value = progress.done;
  }
}
