// Where things are: every board is a square that holds its nine children within a small margin.

import { childOf, digitsOf, levelOf } from "./position.js";

export const MARGIN = 0.03; // of a board's side, on each side
const CHILD = (1 - 2 * MARGIN) / 3;

export const WORLD = Object.freeze({ x: 0, y: 0, size: 1 });

export function childRect({ x, y, size }, digit) {
  const child = size * CHILD;
  const margin = size * MARGIN;
  return {
    x: x + margin + (digit % 3) * child,
    y: y + margin + Math.floor(digit / 3) * child,
    size: child,
  };
}

/** The rectangle of a node, given the root's. */
export function nodeRect(node, root = WORLD) {
  return digitsOf(node).reduce(childRect, root);
}

/** The root's rectangle when `region` (of the world) fills `frame`. */
export function rootRect(region, frame) {
  const size = frame.size / region.size;
  return { x: frame.x - region.x * size, y: frame.y - region.y * size, size };
}

/** The digit of the child of a board's rectangle that is nearest to a point. */
export function digitAt({ x, y, size }, point) {
  const place = (offset) =>
    Math.min(2, Math.max(0, Math.floor((offset / size - MARGIN) / CHILD)));
  return 3 * place(point.y - y) + place(point.x - x);
}

/** The node that lies `levels` below `board`, whose rectangle is given, at a point. */
export function nodeAt(board, rect, point, levels) {
  let node = board;
  for (; levels > 0; levels--) {
    const digit = digitAt(rect, point);
    node = childOf(node, digit);
    rect = childRect(rect, digit);
  }
  return node;
}

/** How large a square is where `board` fills `size`. */
export function squareSize(depth, board, size) {
  return size * CHILD ** (depth - levelOf(board));
}

/** The node of the same level that lies `right` and `down` of a node, or null beyond the edge. */
export function neighbour(node, right, down) {
  let column = right;
  let row = down;
  const digits = digitsOf(node);
  for (let k = digits.length - 1; k >= 0; k--) {
    column += digits[k] % 3;
    row += Math.floor(digits[k] / 3);
    digits[k] = 3 * (((row % 3) + 3) % 3) + (((column % 3) + 3) % 3);
    column = Math.floor(column / 3);
    row = Math.floor(row / 3);
  }
  return column || row ? null : digits.reduce(childOf, 0);
}

/** Between two regions of the world: at a constant rate of zoom, about a fixed point. */
export function between(from, to, share) {
  const size = from.size * (to.size / from.size) ** share;
  const change = to.size - from.size;
  const way = Math.abs(change) < 1e-9 ? share : (size - from.size) / change;
  return { x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way, size };
}

