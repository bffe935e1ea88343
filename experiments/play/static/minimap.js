// The whole game in small: where the view is, and where the mover may play.

import { SquareCanvas } from "./canvas.js";
import { drawPosition } from "./drawing.js";
import { WORLD, nodeAt, nodeRect } from "./geometry.js";
import { isInside, levelOf } from "./position.js";

export class Minimap {
  constructor(element, view) {
    element.classList.add("minimap");
    this.view = view;
    this.surface = new SquareCanvas(element, () => this.draw());
    // Frames are elements: the sheet moves and pulses them, and nothing is painted again.
    [this.glow, this.target, this.window] = ["glow", "target", "window"].map((name) => {
      const frame = element.appendChild(document.createElement("div"));
      frame.className = `minimap-${name}`;
      return frame;
    });
    this.surface.canvas.addEventListener("click", (event) => this.press(event));
  }

  draw() {
    const { position, theme, board, highlight } = this.view;
    const { size } = this.surface;
    drawPosition(this.surface.clear(), position, { theme, size, highlight });
    place(this.window, board > 0 ? board : null);
    place(this.glow, highlight && position.outcome < 0 ? position.focus : null);
    this.glow.style.color = theme.players[position.toPlay];
    this.drawHover();
  }

  /** Where the square under the pointer would send, if the view doesn't show it. */
  drawHover() {
    const { position, theme, board, hover } = this.view;
    const destination = hover?.destination ?? null;
    const outside = destination !== null && !isInside(destination, board);
    place(this.target, outside ? destination : null);
    this.target.style.color = theme.players[1 - position.toPlay];
  }

  press(event) {
    const { view, surface } = this;
    const { depth } = view.position;
    const level = Math.min(depth - 1, Math.max(1, levelOf(view.board)));
    const frame = { x: 0, y: 0, size: surface.size };
    view.zoomTo(nodeAt(0, frame, surface.pointOf(event), level));
  }
}

function place(frame, board) {
  frame.hidden = board === null;
  if (board === null) return;
  const { x, y, size } = nodeRect(board, WORLD);
  frame.style.left = `${100 * x}%`;
  frame.style.top = `${100 * y}%`;
  frame.style.width = `${100 * size}%`;
  frame.style.height = `${100 * size}%`;
}
