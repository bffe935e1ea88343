// The panel that shows what an agent thinks of the position, and of the whole game.

import { $, make } from "./dom.js";
import { ValueGraph } from "./graph.js";
import { squareAddress } from "./position.js";
import { count, forX, percent, seconds, signed } from "./words.js";

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
    else this.showWaiting();
    $("thoughts").hidden = !analysis.asked;
    $("value-bar").classList.toggle("stale", !latest);
    this.graph.show(analysis.values, { plies: stage.moves.length, ply: stage.ply });
    this.showProgress();
  }

  /** Between two positions the bar stays, dimmed, so that nothing jumps. */
  showWaiting() {
    $("value-text").textContent = "thinking…";
    $("analysis-facts").textContent = "";
    if (!this.stage.variation) this.showVariation([]);
  }

  showThoughts(latest) {
    const [x, draw, o] = chancesForX(latest);
    const bar = $("value-bar");
    [x, draw, o].forEach((share, k) => (bar.children[k].style.flexGrow = share));
    const parts = latest.chances
      ? `X ${percent(x)} · draw ${percent(draw)} · O ${percent(o)}`
      : `expected score: X ${percent(x)}, O ${percent(o)}`;
    bar.ariaLabel = parts;
    bar.title = latest.chances ? parts : `${parts} (this agent doesn’t tell draws apart)`;
    $("value-text").textContent = parts;
    $("analysis-facts").textContent = factsOf(latest);
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
    $("variation").replaceChildren(...items);
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

/** X's wins, draws and O's wins; without them the expected score in two parts. */
function chancesForX({ chances, value, ply }) {
  if (!chances) {
    const score = (forX(value, ply) + 1) / 2;
    return [score, 0, 1 - score];
  }
  return ply % 2 === 0 ? chances : [...chances].reverse();
}

function factsOf({ value, ply, proven, simulations, seconds: time, final }) {
  const facts = [`value ${signed(forX(value, ply))} for X`];
  if (proven) facts.push("proven");
  if (simulations) facts.push(`${count(simulations)} simulations`);
  facts.push(seconds(time));
  if (!final) facts.push("thinking…");
  return facts.join(" · ");
}
