// What you have won and lost, and the ranking.

import { $, make } from "./dom.js";

export function showScores({ you, leaders }) {
  const games = you.map(({ opponent, depth, wins, draws, losses }) =>
    row([opponent === "people" ? "people online" : opponent, depth, wins, draws, losses]),
  );
  fill("scores", games, "No match has ended yet");
  const ranks = leaders.map(({ name, points, best, you: yours }, k) => {
    const element = row([k + 1, yours ? `${name} (you)` : name, points, best]);
    element.classList.toggle("yours", yours);
    return element;
  });
  fill("leaders", ranks, "Win against a level of the computer, without help, to be the first");
}

const row = (cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell))));

function fill(id, rows, otherwise) {
  const columns = $(id).querySelectorAll("th").length;
  const none = make("tr", {}, make("td", { colSpan: columns, className: "quiet" }, otherwise));
  $(id).tBodies[0].replaceChildren(...(rows.length ? rows : [none]));
}
