// What lies over a position: the pointer's promise, hints, variations, and what an agent thinks.

import { drawMark, outline } from "./drawing.js";
import { childRect, nodeRect } from "./geometry.js";
import { signed } from "./words.js";

const ROOM_FOR_SHARE = 34; // px
const ROOM_FOR_SCORE = 40;
const ROOM_FOR_BOTH = 72;
const ROOM_FOR_NUMBER = 11;

/** The mover's mark under the pointer, and where it would send the opponent. */
export function drawHover(context, position, { theme, root, hover }) {
  const mark = nodeRect(position.numBoards + hover.square, root);
  drawMark(context, theme, position.toPlay, mark, 0.45);
  if (hover.destination === null) return;
  const destination = nodeRect(hover.destination, root);
  outline(context, destination, theme.players[1 - position.toPlay], { dashed: true });
}

/** A ring around a square. */
export function drawRing(context, position, { theme, root, square }) {
  const rect = nodeRect(position.numBoards + square, root);
  const least = Math.max(rect.size, 12);
  context.save();
  context.strokeStyle = theme.accent;
  context.lineWidth = Math.min(4, Math.max(2, least * 0.07));
  context.beginPath();
  context.arc(...centre(rect), least * 0.44, 0, 2 * Math.PI);
  context.stroke();
  context.restore();
}

/** The squares of a variation, numbered from 1, in the players' colours. */
export function drawGhosts(context, position, { theme, root, squares }) {
  squares.forEach((square, k) => {
    const rect = nodeRect(position.numBoards + square, root);
    const radius = Math.min(15, Math.max(2, rect.size * 0.33));
    disc(context, centre(rect), radius, theme.players[(position.toPlay + k) % 2]);
    if (rect.size < ROOM_FOR_NUMBER) return;
    const size = Math.max(8, radius * (k < 9 ? 1.15 : 0.95));
    write(context, String(k + 1), centre(rect), { theme, size, color: theme.surface });
  });
}

/** Shares of visits, prior and best choice among the nine children of a board. */
export function drawAnalysis(context, position, { theme, root, overlay }) {
  const board = nodeRect(overlay.board, root);
  const visits = shares(overlay.visits);
  const policy = shares(overlay.policy);
  for (let digit = 0; digit < 9; digit++) {
    const rect = childRect(board, digit);
    if (visits[digit] > 0) shade(context, rect, { theme, share: visits[digit] });
    if (policy[digit] > 0) bar(context, rect, { theme, share: policy[digit] });
    if (rect.size >= ROOM_FOR_SHARE) {
      label(context, rect, { theme, share: visits[digit], score: overlay.scores[digit] });
    }
  }
  if (overlay.best !== null) drawRing(context, position, { theme, root, square: overlay.best });
}

function shares(counts) {
  const sum = counts ? counts.reduce((total, count) => total + count, 0) : 0;
  return Array.from({ length: 9 }, (_, digit) => (sum > 0 ? counts[digit] / sum : 0));
}

function shade(context, { x, y, size }, { theme, share }) {
  const inset = size * 0.05;
  context.save();
  context.globalAlpha = 0.06 + 0.44 * share;
  context.fillStyle = theme.accent;
  context.beginPath();
  context.roundRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset, size * 0.06);
  context.fill();
  context.restore();
}

function bar(context, { x, y, size }, { theme, share }) {
  const inset = size * 0.1;
  const whole = size - 2 * inset;
  const height = Math.max(1.5, Math.min(5, size * 0.05));
  context.save();
  context.fillStyle = theme.accent;
  for (const [width, alpha] of [[whole, 0.18], [whole * share, 1]]) {
    context.globalAlpha = alpha;
    context.beginPath();
    context.roundRect(x + inset, y + size - inset - height, width, height, height / 2);
    context.fill();
  }
  context.restore();
}

function label(context, rect, { theme, share, score }) {
  const [x, y] = centre(rect);
  const size = Math.min(20, Math.max(10.5, rect.size * 0.19));
  if (share === 0) {
    const alone = rect.size >= ROOM_FOR_SCORE && score !== null;
    if (alone) write(context, signed(score), [x, y], { theme, size, weight: 650 });
    return;
  }
  const percent = share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`;
  const scored = rect.size >= ROOM_FOR_BOTH && score !== null;
  write(context, percent, [x, y - (scored ? size * 0.42 : 0)], { theme, size, weight: 650 });
  if (scored) write(context, signed(score), [x, y + size * 0.62], { theme, size: size * 0.72 });
}

/** Text about a point; with a halo unless it has a colour of its own. */
export function write(context, text, [x, y], { theme, size, color, weight = 500 }) {
  context.save();
  context.font = `${weight} ${size}px ${theme.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  if (!color) {
    context.lineJoin = "round";
    context.lineWidth = size * 0.3;
    context.strokeStyle = theme.surface; // a halo: marks may lie below
    context.strokeText(text, x, y);
  }
  context.fillStyle = color ?? theme.ink;
  context.fillText(text, x, y + size * 0.04);
  context.restore();
}

function disc(context, [x, y], radius, color) {
  context.fillStyle = color;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

export const centre = ({ x, y, size }) => [x + size / 2, y + size / 2];
