// Draws a position. One code for the board, the small map and the rulebook's pictures.

import { MARGIN, childRect, rootRect, nodeRect } from "./geometry.js";
import { Ink } from "./ink.js";
import { LINES, childOf, isInside } from "./position.js";

const DRAWN = 2;
const SMALLEST_GRID = 8; // px: a smaller board shows no lines
const SMALLEST_MARK = 4; // px: a smaller mark is a dot
const SMALLEST_LAST = 4; // px: the last move is never smaller

const clamp = (value) => Math.min(1, Math.max(0, value));
const blend = (from, to, share) => from + (to - from) * share;

/**
 * Draws `position` into a context. Options: `theme` (of `readTheme`); `x`, `y`, `size` of the
 * square (CSS px) that `region` fills, a rectangle of the world, by default that of `board`
 * (the root); `highlight`: whether to show where the mover may play.
 */
export function drawPosition(context, position, options) {
  const { board = 0, x = 0, y = 0, size, theme, highlight = true } = options;
  const frame = { x, y, size };
  const root = rootRect(options.region ?? nodeRect(board), frame);
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  new Drawing(context, position, { frame, theme, highlight }).draw(root);
  context.restore();
}

class Drawing {
  constructor(context, position, { frame, theme, highlight }) {
    Object.assign(this, { context, position, frame, theme });
    this.pixel = 1 / context.getTransform().a;
    this.highlight = highlight && position.outcome < 0;
    this.players = theme.players;
    // Painted one after the other; what belongs to an outer board lies on what it holds.
    this.grounds = new Ink();
    this.tints = new Ink();
    this.layers = Array.from({ length: position.depth + 1 }, () => ({
      lines: new Ink(),
      marks: new Ink(),
      wins: new Ink(),
    }));
  }

  draw(root) {
    const reach = this.highlight && this.position.focus !== 0 ? "above" : "in";
    this.drawBoard(0, root, { level: 0, alpha: 1, reach });
    this.drawLast(root);
    const layers = this.layers.reverse().flatMap(({ lines, marks, wins }) => [lines, marks, wins]);
    for (const ink of [this.grounds, this.tints, ...layers]) ink.paint(this.context);
    if (this.highlight) this.outlineFocus(root);
  }

  isVisible({ x, y, size }) {
    const { frame } = this;
    const meets = (from, start) => from < start + frame.size && from + size > start;
    return meets(x, frame.x) && meets(y, frame.y);
  }

  /** `reach` says how the board lies to the focus: "above", "in" or "out" of it. */
  drawBoard(board, rect, { level, alpha, reach }) {
    const { position } = this;
    const owner = position.owner[board];
    const scale = rect.size / this.frame.size;
    const nearness = clamp((scale - 0.45) / 0.5); // 1: it fills the view
    const whole = 1 - clamp((scale - 1.05) / 0.5); // 0: the view is well inside
    let inner = alpha;
    if (owner >= 0) inner *= blend(0.32, 0.75, nearness);
    this.drawCard(rect, { level, alpha, reach, owner });
    this.drawLines(rect, level, whole * (reach === "out" ? 0.7 * inner : inner));
    for (let digit = 0; digit < 9; digit++) {
      const child = childRect(rect, digit);
      if (!this.isVisible(child)) continue;
      this.drawChild(childOf(board, digit), child, { level: level + 1, alpha: inner, reach });
    }
    if (owner === DRAWN || owner < 0) return;
    this.drawClaim(board, rect, { level, alpha: alpha * whole, nearness });
  }

  drawChild(node, rect, { level, alpha, reach }) {
    if (level < this.position.depth) {
      this.drawBoard(node, rect, { level, alpha, reach: this.reachOf(node, reach) });
      return;
    }
    const owner = this.position.nodes[node];
    if (owner < 0) return;
    const color = this.players[owner];
    markPath(this.layers[level].marks, color, owner, rect, reach === "out" ? 0.8 * alpha : alpha);
  }

  reachOf(node, reach) {
    const { position } = this;
    if (!this.highlight) return "in";
    if (reach === "above") {
      if (node === position.focus) return "in";
      return isInside(position.focus, node) ? "above" : "out";
    }
    return reach === "in" && position.owner[node] < 0 ? "in" : "out";
  }

  /** The ground of a deepest board, and the tint of one that is decided or playable. */
  drawCard(rect, { level, alpha, reach, owner }) {
    const deepest = level === this.position.depth - 1;
    const { theme, players } = this;
    const inset = rect.size * (deepest ? MARGIN * 0.6 : MARGIN * 0.3);
    const card = [
      rect.x + inset,
      rect.y + inset,
      rect.size - 2 * inset,
      rect.size - 2 * inset,
      rect.size * (deepest ? 0.05 : 0.03),
    ];
    const tint = (color, opacity) => this.tints.fill(color, opacity).roundRect(...card);
    const playable = this.highlight && reach === "in" && owner < 0;
    if (deepest) this.grounds.fill(playable ? theme.legal : theme.surface, 1).roundRect(...card);
    if (deepest && playable) tint(players[this.position.toPlay], 0.1);
    if (owner === DRAWN) tint(theme.drawn, 0.45 * alpha);
    else if (owner >= 0) tint(players[owner], 0.1 * alpha);
  }

  drawLines(rect, level, alpha) {
    if (rect.size < SMALLEST_GRID || alpha < 0.01) return;
    const { x, y, size } = rect;
    const { theme, pixel } = this;
    const snap = (value) => Math.round(value / pixel) * pixel; // crisp on the device's pixels
    const deepest = level === this.position.depth - 1;
    const width = Math.max(pixel, snap(0.033 * size ** 0.74));
    const inset = size * (deepest ? 2 * MARGIN : MARGIN);
    const color = deepest && level > 0 ? theme.faint : theme.line;
    const path = this.layers[level].lines.fill(color, alpha);
    for (const digit of [1, 2]) {
      const at = childRect(rect, 4 * digit);
      path.roundRect(snap(at.x - width / 2), y + inset, width, size - 2 * inset, width / 2);
      path.roundRect(x + inset, snap(at.y - width / 2), size - 2 * inset, width, width / 2);
    }
  }

  /** The big mark of a won board, fainter the closer one looks at what it covers. */
  drawClaim(board, rect, { level, alpha, nearness }) {
    if (alpha < 0.01) return;
    const { marks, wins } = this.layers[level];
    const owner = this.position.owner[board];
    markPath(marks, this.players[owner], owner, rect, alpha * blend(1, 0.3, nearness));
    const detail = clamp((rect.size - 12) / 60); // small boards' lines would be mere clutter
    const [first, , last] = LINES[this.position.line[board]];
    const width = Math.max(1.2 * this.pixel, rect.size * 0.02);
    const path = wins.stroke(this.theme.win, alpha * detail, width);
    lineThrough(path, childRect(rect, first), childRect(rect, last));
  }

  drawLast(root) {
    const { position } = this;
    if (position.last < 0) return;
    const rect = nodeRect(position.numBoards + position.last, root);
    const grow = Math.max(0, SMALLEST_LAST - rect.size) / 2;
    const inset = rect.size * 0.06 - grow;
    const side = rect.size - 2 * inset;
    this.tints
      .fill(this.players[position.marks[position.last]], 0.34)
      .roundRect(rect.x + inset, rect.y + inset, side, side, side * 0.12);
  }

  outlineFocus(root) {
    const { position, context } = this;
    outline(context, nodeRect(position.focus, root), this.players[position.toPlay]);
  }
}

function markPath(ink, color, owner, { x, y, size }, alpha) {
  if (size < SMALLEST_MARK) {
    ink.fill(color, alpha).rect(x + size * 0.12, y + size * 0.12, size * 0.76, size * 0.76);
    return;
  }
  const path = ink.stroke(color, alpha, size * 0.1);
  if (owner === 0) {
    const near = size * 0.25;
    const far = size - near;
    path.moveTo(x + near, y + near);
    path.lineTo(x + far, y + far);
    path.moveTo(x + far, y + near);
    path.lineTo(x + near, y + far);
  } else {
    const radius = size * 0.27;
    path.moveTo(x + size / 2 + radius, y + size / 2);
    path.arc(x + size / 2, y + size / 2, radius, 0, 2 * Math.PI);
  }
}

/** Through the centres of two squares and a little beyond. */
function lineThrough(path, from, to) {
  const half = from.size / 2;
  const dx = (to.x - from.x) * 0.16;
  const dy = (to.y - from.y) * 0.16;
  path.moveTo(from.x + half - dx, from.y + half - dy);
  path.lineTo(to.x + half + dx, to.y + half + dy);
}

/** Marks a rectangle's edge: `dashed` for what is only shown in advance. */
export function outline(context, { x, y, size }, color, { dashed = false } = {}) {
  const width = Math.min(3, Math.max(1.5, size * 0.012));
  const inset = size * MARGIN * 0.3 + width / 2;
  context.save();
  context.strokeStyle = color;
  context.lineWidth = width;
  if (dashed) context.setLineDash([3 * width, 2.2 * width]);
  context.beginPath();
  context.roundRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset, size * 0.04);
  context.stroke();
  context.restore();
}

/** A single mark, such as the one under the pointer. */
export function drawMark(context, theme, owner, rect, alpha) {
  const ink = new Ink();
  markPath(ink, theme.players[owner], owner, rect, alpha);
  ink.paint(context);
}

