// The board on the page: what is in view, and how it changes.

import { SquareCanvas } from "./canvas.js";
import { drawPosition } from "./drawing.js";
import { WORLD, between, nodeAt, nodeRect, rootRect, squareSize } from "./geometry.js";
import { ButtonGrid } from "./grid.js";
import { listen } from "./input.js";
import { Minimap } from "./minimap.js";
import { drawAnalysis, drawGhosts, drawHover, drawRing } from "./overlay.js";
import { Position, childOf, isInside, levelOf, mayLead, parentOf } from "./position.js";
import { readTheme, watchTheme } from "./theme.js";

export { drawPosition, readTheme, watchTheme };

const FLIGHT = 220; // ms
const PLAYABLE = { fine: 20, coarse: 28 }; // px: the smallest square to be played with a pointer

const ease = (time) => 1 - (1 - time) ** 3;
const matches = (query) => matchMedia(query).matches;

/**
 * Events: "play" {square}, or "refused" {square} if the mover may not have it; "view" {board};
 * "hover" {square or null, destination}.
 */
export class BoardView extends EventTarget {
  constructor(element, { minimap = null } = {}) {
    super();
    element.classList.add("board");
    this.element = element;
    this.position = new Position(1);
    this.interactive = false;
    this.highlight = false;
    this.board = 0; // what fills the view, once a flight is over
    this.region = WORLD; // what fills it now
    this.overlay = null;
    this.hover = null;
    this.point = null; // where the pointer is
    this.ringed = null;
    this.ghosts = [];
    this.theme = readTheme(element);
    this.surface = new SquareCanvas(element, () => this.resized());
    this.laidOut = this.surface.size > 0;
    this.buttons = new ButtonGrid(element, this);
    this.minimap = minimap && new Minimap(minimap, this);
    listen(this, this.surface);
    watchTheme(() => this.refresh());
  }

  // --- what is shown -------------------------------------------------------------------

  /** `highlight`: whether to show where the mover may play. */
  show(position, { interactive, highlight = true, follow = true }) {
    const other = position.depth !== this.position.depth;
    const moved =
      other || position.ply !== this.position.ply || position.last !== this.position.last;
    const ended = position.outcome >= 0 && this.position.outcome < 0;
    this.position = position;
    this.interactive = interactive;
    this.highlight = highlight;
    if (moved) {
      this.ringed = null;
      this.ghosts = [];
    }
    if (other) this.jumpTo(0);
    if (follow && (ended || (moved && !this.isComfortable()))) this.home();
    this.pointAt(this.point);
    this.update();
  }

  setOverlay(overlay) {
    this.overlay = overlay;
    this.schedule();
  }

  preview(square) {
    this.ringed = square;
    this.schedule();
  }

  ghost(squares) {
    this.ghosts = squares ?? [];
    this.schedule();
  }

  refresh() {
    this.theme = readTheme(this.element);
    this.minimap?.draw();
    this.schedule();
  }

  resized() {
    if (!this.laidOut && this.surface.size > 0) this.home(); // nothing was large enough until now
    this.laidOut ||= this.surface.size > 0;
    this.paint();
  }

  update() {
    this.buttons.update();
    this.minimap?.draw();
    this.schedule();
  }

  // --- where the view is ---------------------------------------------------------------

  zoomTo(board) {
    if (board === this.board || board < 0 || board >= this.position.numBoards) return;
    const still = matches("(prefers-reduced-motion: reduce)");
    this.flight = still ? null : { from: this.region, start: performance.now() };
    if (still) this.region = nodeRect(board);
    this.setBoard(board);
  }

  jumpTo(board) {
    this.flight = null;
    this.region = nodeRect(board);
    this.setBoard(board);
  }

  setBoard(board) {
    this.board = board;
    this.pointAt(this.point);
    this.update();
    this.emit("view", { board });
  }

  zoomOut() {
    if (this.board > 0) this.zoomTo(parentOf(this.board));
  }

  /** One level into the child of the view at a point. */
  zoomIn(point) {
    if (!this.isDeepest) this.zoomTo(this.nodeAt(point, 1));
  }

  /** To the outermost view of the playable board in which its squares are large enough. */
  home() {
    if (this.position.outcome >= 0) return this.zoomTo(0);
    let best = this.position.focus;
    for (let board = best; ; board = parentOf(board)) {
      if (this.isPlayableIn(board)) best = board;
      if (board === 0) break;
    }
    this.zoomTo(best);
  }

  isComfortable() {
    return isInside(this.position.focus, this.board) && this.isPlayableIn(this.board);
  }

  isPlayableIn(board, pointer = matches("(pointer: coarse)") ? "coarse" : "fine") {
    const size = squareSize(this.position.depth, board, this.surface.size);
    return board >= this.firstDeepest || size >= PLAYABLE[pointer];
  }

  get firstDeepest() {
    return (this.position.numBoards - 1) / 9;
  }

  get isDeepest() {
    return this.board >= this.firstDeepest;
  }

  /** Gives the keyboard to the nine buttons: to one that may be played, if any. */
  focus() {
    const playable = (digit) => mayLead(this.position, childOf(this.board, digit));
    const first = [4, 0, 1, 2, 3, 5, 6, 7, 8].find(playable);
    this.buttons.focus(first ?? this.buttons.current);
  }

  // --- the pointer ---------------------------------------------------------------------

  nodeAt(point, levels) {
    const frame = { x: 0, y: 0, size: this.surface.size };
    return nodeAt(this.board, frame, point, levels);
  }

  squareAt(point) {
    const node = this.nodeAt(point, this.position.depth - levelOf(this.board));
    return node - this.position.numBoards;
  }

  press(point, pointer) {
    if (this.isPlayableIn(this.board, pointer) && !this.isFarFromPlay(point)) {
      this.choose(this.squareAt(point));
    } else this.zoomIn(point);
  }

  /** Whether a click is rather meant to look into a board than to play in it. */
  isFarFromPlay(point) {
    if (this.position.depth < 3 || this.isDeepest) return false;
    return !this.interactive || !mayLead(this.position, this.nodeAt(point, 1));
  }

  choose(square) {
    if (this.mayPlay(square)) this.emit("play", { square });
    else if (this.interactive) this.emit("refused", { square });
  }

  mayPlay(square) {
    return this.interactive && this.position.isLegal(square);
  }

  /** Choosing a child of the view by the keyboard: play the square or zoom into the board. */
  activate(digit) {
    const node = childOf(this.board, digit);
    const square = node - this.position.numBoards;
    if (square < 0) this.zoomTo(node);
    else this.choose(square);
  }

  pointAt(point) {
    this.point = point;
    const square = point && !this.flight ? this.squareAt(point) : -1;
    const usable = square >= 0 && this.isPlayableIn(this.board, "fine") && this.mayPlay(square);
    this.surface.canvas.classList.toggle("playable", usable);
    this.setHover(usable ? square : null);
  }

  /** Called for every movement of the pointer and after every move: tells what is new alone. */
  setHover(square) {
    const { position } = this;
    const destination = square === null ? null : position.destination(square);
    const old = this.hover;
    this.hover = square === null ? null : { square, destination };
    if (old?.square === this.hover?.square && old?.destination === this.hover?.destination) return;
    this.minimap?.drawHover();
    this.schedule();
    this.emit("hover", { square, destination });
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  // --- painting ------------------------------------------------------------------------

  schedule() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = null;
      this.fly(now);
      this.paint();
      if (this.flight) this.schedule();
    });
  }

  fly(now) {
    if (!this.flight) return;
    const { from, start } = this.flight;
    const time = Math.max(0, (now - start) / FLIGHT);
    this.region = between(from, nodeRect(this.board), ease(Math.min(1, time)));
    if (time < 1) return;
    this.flight = null;
    this.pointAt(this.point);
  }

  paint() {
    const { position, theme, region, highlight, overlay, hover, ringed, ghosts } = this;
    const { size } = this.surface;
    const context = this.surface.clear();
    drawPosition(context, position, { theme, region, size, highlight });
    const root = rootRect(region, { x: 0, y: 0, size });
    if (ghosts.length) drawGhosts(context, position, { theme, root, squares: ghosts });
    else if (overlay) drawAnalysis(context, position, { theme, root, overlay });
    if (ringed !== null) drawRing(context, position, { theme, root, square: ringed });
    if (hover) drawHover(context, position, { theme, root, hover });
  }
}
