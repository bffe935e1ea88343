// The line between status and board: where the view is, and the way back to the playable board.

import { $, make, refill } from "./dom.js";
import { boardAddress, childOf, digitsOf, isInside } from "./position.js";

export function showView(board) {
  const { board: shown, position } = board;
  const { focus, outcome } = position;
  const crumbs = [0];
  for (const digit of digitsOf(shown)) crumbs.push(childOf(crumbs.at(-1), digit));
  const parts = crumbs.map((crumb) => {
    const button = make("button", { type: "button" });
    button.textContent = crumb === 0 ? "Whole game" : String(((crumb - 1) % 9) + 1);
    button.ariaLabel = crumb === 0 ? "Whole game" : `Board ${boardAddress(crumb)}`;
    button.dataset.board = crumb;
    if (crumb === shown) button.ariaCurrent = "location";
    return button;
  });
  refill($("breadcrumb"), parts);
  $("hover").textContent = "";
  $("home").hidden = outcome >= 0 || isInside(focus, shown) || isInside(shown, focus);
}

/** The focus of what has just been hidden, or of an action that can't be done, goes to the board. */
export function keepFocus(board) {
  if (document.activeElement?.matches("[hidden], .actions :disabled")) board.focus();
}

/** In words, where the square under the pointer sends. */
export function showHover(board, { square, destination }) {
  if (square === null) return void ($("hover").textContent = "");
  const { position } = board;
  const opponent = "XO"[1 - position.toPlay];
  const where = destination === 0 ? "anywhere" : `to board ${boardAddress(destination ?? 0)}`;
  const what = destination === null ? "ends the game" : `sends ${opponent} ${where}`;
  $("hover").textContent = `${position.nameOf(square)} ${what}`;
}

export function listenToView(board) {
  $("breadcrumb").addEventListener("click", ({ target }) => {
    if (target.dataset.board) board.zoomTo(Number(target.dataset.board));
  });
  $("home").addEventListener("click", () => board.home());
  board.addEventListener("view", () => {
    showView(board);
    keepFocus(board);
  });
  board.addEventListener("hover", ({ detail }) => showHover(board, detail));
}
