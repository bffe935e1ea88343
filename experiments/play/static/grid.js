// The keyboard's and the screen reader's board: nine buttons over the nine children of the view.

import { neighbour } from "./geometry.js";
import { boardAddress, childOf, digitOf, mayLead, nodeAddress, parentOf } from "./position.js";

const PLAYERS = ["X", "O"];
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class ButtonGrid {
  constructor(element, view) {
    this.view = view;
    this.grid = element.appendChild(document.createElement("div"));
    this.grid.className = "board-buttons";
    this.grid.setAttribute("role", "grid");
    this.buttons = [0, 1, 2].flatMap((row) => this.addRow(row));
    this.setCurrent(4);
    this.grid.addEventListener("keydown", (event) => this.onKey(event));
  }

  addRow(row) {
    const element = this.grid.appendChild(document.createElement("div"));
    element.setAttribute("role", "row");
    return [0, 1, 2].map((column) => {
      const button = element.appendChild(document.createElement("button"));
      const digit = 3 * row + column;
      button.type = "button";
      button.setAttribute("role", "gridcell");
      button.addEventListener("click", () => this.view.activate(digit));
      button.addEventListener("focus", () => this.setCurrent(digit));
      return button;
    });
  }

  /** One of the nine takes part in the page's order of tabs. */
  setCurrent(digit) {
    this.current = digit;
    this.buttons.forEach((button, k) => (button.tabIndex = k === digit ? 0 : -1));
  }

  focus(digit) {
    this.setCurrent(digit);
    this.buttons[digit].focus({ preventScroll: true });
  }

  update() {
    const { board } = this.view;
    this.grid.setAttribute("aria-label", board === 0 ? "the board" : `board ${boardAddress(board)}`);
    this.buttons.forEach((button, digit) =>
      button.setAttribute("aria-label", describe(this.view, childOf(board, digit))),
    );
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.actionOf(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  actionOf(key) {
    const { view } = this;
    if (ARROWS[key]) return () => this.step(...ARROWS[key]);
    if (key === "Home" || key === "h") return () => this.home();
    if (key === "+" || key === "=") return () => view.isDeepest || view.activate(this.current);
    if (["-", "Backspace", "Escape"].includes(key)) return () => this.zoomOut();
    return null;
  }

  home() {
    this.view.home();
    this.view.focus();
  }

  zoomOut() {
    const from = this.view.board;
    if (from === 0) return;
    this.view.zoomOut();
    this.focus(digitOf(from));
  }

  step(right, down) {
    const node = neighbour(childOf(this.view.board, this.current), right, down);
    if (node === null) return;
    this.view.zoomTo(parentOf(node));
    this.focus(digitOf(node));
  }
}

/** What a child of the view is, in words. */
function describe({ position, interactive }, node) {
  if (node < position.numBoards) return describeBoard(position, node, interactive);
  const square = node - position.numBoards;
  const words = [nodeAddress(node)];
  const owner = position.marks[square];
  if (owner >= 0) words.push(PLAYERS[owner]);
  else words.push("empty", ...describeMove(position, square));
  if (square === position.last) words.push("last move");
  return words.join(", ");
}

function describeMove(position, square) {
  if (!position.isLegal(square)) return [];
  const destination = position.destination(square);
  if (destination === null) return ["legal", "ends the game"];
  const opponent = PLAYERS[1 - position.toPlay];
  const where = destination === 0 ? "anywhere" : `to board ${boardAddress(destination)}`;
  return ["legal", `sends ${opponent} ${where}`];
}

function describeBoard(position, board, interactive) {
  const name = `board ${boardAddress(board)}`;
  const owner = position.owner[board];
  if (owner === 2) return `${name}, drawn`;
  if (owner >= 0) return `${name}, won by ${PLAYERS[owner]}`;
  if (!position.isOpen(board)) return `${name}, closed`;
  if (!mayLead(position, board)) return `${name}, open`;
  const mover = interactive ? "you may" : `${PLAYERS[position.toPlay]} may`;
  return `${name}, open, ${mover} play here`;
}
