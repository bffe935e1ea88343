// Your matches that go on, what you have won and lost, and the ranking.

import { $, make, refill } from "./dom.js";
import { plies } from "./words.js";

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

/** The unfinished matches, but for the one on the board. */
export function showMatches(matches, shown) {
  const others = matches.filter(({ code }) => code !== shown);
  $("matches-panel").hidden = others.length === 0;
  $("matches-count").textContent = others.length;
  refill($("matches"), others.map((match) => make("li", {}, buttonOf(match))));
}

function buttonOf({ code, depth, mode, opponent, turn, waiting, ply }) {
  const who = { agent: opponent, shared: "two here", room: opponent ?? "online" }[mode];
  const state = waiting ? "waiting" : turn ? "your turn" : "their turn";
  const button = make("button", { type: "button" });
  button.dataset.code = code;
  button.append(
    make("span", { className: "name", title: who }, who),
    make("span", { className: "quiet" }, `depth ${depth}, ${plies(ply)}`),
    make("span", { className: turn && !waiting ? "yours" : "quiet" }, state),
  );
  return button;
}

const row = (cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell))));

function fill(id, rows, otherwise) {
  const columns = $(id).querySelectorAll("th").length;
  const none = make("tr", {}, make("td", { colSpan: columns, className: "quiet" }, otherwise));
  $(id).tBodies[0].replaceChildren(...(rows.length ? rows : [none]));
}
