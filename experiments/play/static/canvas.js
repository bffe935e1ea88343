// A canvas that fills a square element, in device pixels.

export class SquareCanvas {
  constructor(element, resized) {
    this.canvas = element.appendChild(document.createElement("canvas"));
    this.canvas.setAttribute("aria-hidden", "true");
    this.context = this.canvas.getContext("2d");
    this.size = 0; // CSS px
    new ResizeObserver(() => {
      this.measure();
      resized();
    }).observe(element);
    this.measure();
  }

  measure() {
    const { width } = this.canvas.parentElement.getBoundingClientRect();
    this.ratio = devicePixelRatio || 1;
    this.size = width;
    const pixels = Math.max(1, Math.round(width * this.ratio));
    if (this.canvas.width === pixels) return;
    this.canvas.width = pixels;
    this.canvas.height = pixels;
  }

  /** An empty context whose unit is a CSS pixel. */
  clear() {
    const scale = this.canvas.width / Math.max(1, this.size);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.size, this.size);
    return this.context;
  }

  /** A mouse or touch event's place in the canvas. */
  pointOf({ clientX, clientY }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}
