// The rulebook's pictures: short games, played and drawn as on the board.

import { SquareCanvas } from "./canvas.js";
import { drawPosition } from "./drawing.js";
import { WORLD, childRect, nodeRect } from "./geometry.js";
import { recall } from "./memory.js";
import { centre, write } from "./overlay.js";
import { Position, parseAddress } from "./position.js";
import { readTheme, watchTheme } from "./theme.js";

// `arrow`: from the last move to the board that it sends to. `digits`: how children are numbered.
const PICTURES = {
  classic: { depth: 1, moves: "5 1 3 7 4 2 6" },
  numbers: { depth: 2, moves: "", digits: true },
  sends: { depth: 2, moves: "7.3", arrow: true },
  answer: { depth: 2, moves: "7.3 3.4", arrow: true },
  claim: { depth: 2, moves: "6.5 5.6 6.4 4.6" },
  free: { depth: 2, moves: "6.5 5.6 6.4 4.6 6.6" },
  drawn: {
    depth: 2,
    moves:
      "9.9 9.6 6.2 2.9 9.8 8.7 7.9 9.1 1.9 9.7 7.6 6.7 7.8 8.1 1.2 2.8 8.9 9.2 2.6 6.8 8.6 6.9 " +
      "9.4 4.9 9.5 5.9 9.3",
  },
  won: {
    depth: 2,
    moves: "7.4 4.8 8.4 4.7 7.1 1.7 7.7 4.9 9.8 8.8 8.1 1.8 8.7 1.9 9.7 9.1 9.9",
  },
  deeper: { depth: 3, moves: "1.5.9", arrow: true },
  relaxed: { depth: 3, moves: "3.9.9 9.9.3 9.3.3 3.3.9 3.9.3 9.3.9 3.9.6 9.6.3 6.3.9", arrow: true },
  inner: {
    depth: 3,
    moves:
      "5.5.1 5.1.9 1.9.1 9.1.1 1.1.9 1.9.9 9.9.9 9.9.5 9.5.5 5.5.5 5.5.9 5.9.1 9.1.9 1.9.5 9.5.9 " +
      "5.9.9 9.9.1 9.1.5 1.5.1 5.1.1 1.1.1 1.1.5 1.5.9 5.9.5 9.5.1 5.1.5 1.5.5 5.5.2 5.2.3 2.3.5 " +
      "3.5.5 5.5.8",
  },
  deepest: { depth: 4, moves: "2.4.6.8", arrow: true },
};

const { theme: chosen = "auto" } = recall("settings", {});
if (chosen !== "auto") document.documentElement.dataset.theme = chosen;

for (const element of document.querySelectorAll(".picture")) setUp(element);

function setUp(element) {
  const picture = PICTURES[element.dataset.picture];
  const moves = picture.moves.split(" ").filter(Boolean);
  const squares = moves.map((address) => parseAddress(picture.depth, address));
  const position = Position.after(picture.depth, squares);
  const surface = new SquareCanvas(element, draw);
  watchTheme(draw);
  draw();

  function draw() {
    const { size } = surface;
    const theme = readTheme(element);
    const context = surface.clear();
    drawPosition(context, position, { theme, size, highlight: !picture.digits });
    const root = { ...WORLD, size };
    if (picture.digits) drawDigits(context, { theme, root });
    if (picture.arrow) drawArrow(context, position, { theme, root });
  }
}

/** The digits of the nine boards, and of the squares in the middle one. */
function drawDigits(context, { theme, root }) {
  for (let digit = 0; digit < 9; digit++) {
    const board = childRect(root, digit);
    const text = String(digit + 1);
    const square = childRect(childRect(root, 4), digit);
    write(context, text, centre(square), { theme, size: square.size * 0.5, color: theme.x });
    if (digit === 4) continue;
    write(context, text, centre(board), { theme, size: board.size * 0.5, color: theme.line });
  }
}

/** A bow from the last move to the board that the opponent has to play in. */
function drawArrow(context, position, { theme, root }) {
  const square = nodeRect(position.numBoards + position.last, root);
  const board = nodeRect(position.focus, root);
  const from = centre(square);
  const to = edgeTowards(board, from);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const bend = [from[0] + dx / 2 + dy / 5, from[1] + dy / 2 - dx / 5];
  const heading = Math.atan2(to[1] - bend[1], to[0] - bend[0]);
  const head = Math.max(7, root.size * 0.025);
  context.save();
  context.strokeStyle = theme.ink;
  context.lineWidth = Math.max(1.5, root.size * 0.006);
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  context.moveTo(...from);
  context.quadraticCurveTo(...bend, ...to);
  for (const side of [-0.5, 0.5]) {
    context.moveTo(...to);
    context.lineTo(to[0] - head * Math.cos(heading + side), to[1] - head * Math.sin(heading + side));
  }
  context.stroke();
  context.restore();
}

/** Just inside a square, on the way from a point to its centre. */
function edgeTowards(rect, [x, y]) {
  const [cx, cy] = centre(rect);
  const share = Math.min(1, (0.42 * rect.size) / Math.max(Math.abs(x - cx), Math.abs(y - cy)));
  return [cx + (x - cx) * share, cy + (y - cy) * share];
}
