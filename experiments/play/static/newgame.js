// The dialog that begins a match.

import { $, chosen, make } from "./dom.js";
import { MARKS } from "./match.js";
import { recall, remember } from "./memory.js";

const OTHER = "another agent";
const FIELDS = ["depth", "mode", "level", "side"];
const NO_START = { depth: null, moves: [] };

/** Events: "create" with the message for the server, "join" with a match's code as detail. */
export class NewGameDialog extends EventTarget {
  constructor() {
    super();
    this.dialog = $("new-game");
    this.form = $("new-form");
    this.start = NO_START;
    this.form.addEventListener("change", () => this.update());
    this.form.addEventListener("submit", () => this.submit());
    $("join").addEventListener("click", () => this.join());
    $("join-code").addEventListener("input", () => $("join-code").setCustomValidity(""));
    $("join-code").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // which would begin a new room
      this.join();
    });
  }

  /** Fills in what the server offers, and what was chosen last time. */
  offer({ levels, specs, timers }) {
    this.levels = levels;
    const options = levels.map(({ name, points }) => choice(name, `${points} points`));
    options.push(choice(OTHER, "by its spec"));
    const { firstElementChild: legend } = $("new-levels");
    $("new-levels").replaceChildren(legend, ...options);
    $("new-timer").replaceChildren(
      make("option", { value: "" }, "no limit"),
      ...timers.map((time) => make("option", { value: time }, timeText(time))),
    );
    $("specs").replaceChildren(...specs.map((value) => make("option", { value })));
    this.fill(recall("choices", {}));
  }

  fill(choices) {
    const { elements } = this.form;
    const all = { depth: "2", mode: "agent", level: this.levels[0].name, side: "X", ...choices };
    for (const name of FIELDS) {
      if (elements[name].value !== all[name]) elements[name].value = all[name];
    }
    if (!elements.level.value) elements.level.value = this.levels[0].name;
    $("new-spec").value = choices.spec ?? "";
    $("new-timer").value = choices.timer ?? "";
    this.update();
  }

  /** `start`: the depth and the moves that the match begins with. */
  open(start = NO_START) {
    if (!this.levels || this.dialog.open) return;
    this.start = start;
    $("join-code").value = "";
    $("join-code").setCustomValidity("");
    if (start.depth) this.form.elements.depth.value = start.depth;
    $("new-depths").disabled = start.depth !== null;
    $("new-from").hidden = start.moves.length === 0;
    $("new-from").textContent = startText(start.moves.length);
    this.update();
    this.dialog.showModal();
    this.form.querySelector(":enabled:checked").focus();
  }

  close() {
    this.dialog.close();
  }

  get spec() {
    return chosen(this.form, "level") === OTHER;
  }

  update() {
    const mode = chosen(this.form, "mode");
    const shown = [mode, mode === "agent" && this.spec ? "spec" : null];
    for (const element of this.form.querySelectorAll("[data-for]")) {
      element.hidden = !element.dataset.for.split(" ").some((name) => shown.includes(name));
    }
    $("new-spec").required = shown.includes("spec");
    const level = this.levels?.find(({ name }) => name === chosen(this.form, "level"));
    $("level-about").textContent = level?.about[chosen(this.form, "depth")] ?? "";
    $("level-about").hidden ||= !level;
  }

  /** The code may be typed in any case, or be the end of a link. */
  join() {
    const field = $("join-code");
    const code = /(?:^|#)([a-z0-9]{6})$/i.exec(field.value.trim())?.[1].toUpperCase();
    field.setCustomValidity(code ? "" : "A code has 6 letters and digits");
    if (field.reportValidity()) this.dispatchEvent(new CustomEvent("join", { detail: code }));
  }

  submit() {
    const [depth, mode, level, side] = FIELDS.map((name) => chosen(this.form, name));
    const spec = $("new-spec").value.trim();
    const timer = $("new-timer").value;
    remember("choices", { depth, mode, level, side, spec, timer });
    const detail = {
      type: "create",
      depth: Number(depth),
      mode,
      side,
      opponent: mode !== "agent" ? null : this.spec ? spec : level,
      timer: mode === "room" && timer ? Number(timer) : null,
      moves: this.start.moves,
    };
    this.dispatchEvent(new CustomEvent("create", { detail }));
  }
}

function choice(value, note) {
  const input = make("input", { type: "radio", name: "level", value });
  return make("label", {}, input, make("span", {}, capital(value), make("small", {}, note)));
}

function startText(number) {
  const moves = number === 1 ? "move" : `${number} moves`;
  return `It begins with the ${moves} shown, ${MARKS[number % 2]} to move, and isn’t ranked.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function timeText(time) {
  if (time < 60) return `${time} seconds`;
  return time === 60 ? "1 minute" : `${time / 60} minutes`;
}
