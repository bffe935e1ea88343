// Gathers what looks alike into one path, so that thousands of marks take a few calls to paint.

export class Ink {
  constructor() {
    this.paths = new Map();
  }

  fill(color, alpha) {
    return this.path({ color, alpha, width: 0 });
  }

  stroke(color, alpha, width) {
    return this.path({ color, alpha, width });
  }

  path({ color, alpha, width }) {
    const key = `${color} ${alpha.toFixed(3)} ${width.toFixed(2)}`;
    let entry = this.paths.get(key);
    if (!entry) this.paths.set(key, (entry = { color, alpha, width, path: new Path2D() }));
    return entry.path;
  }

  paint(context) {
    context.save();
    context.lineCap = "round";
    for (const { color, alpha, width, path } of this.paths.values()) {
      context.globalAlpha = alpha;
      if (width > 0) {
        context.strokeStyle = color;
        context.lineWidth = width;
        context.stroke(path);
      } else {
        context.fillStyle = color;
        context.fill(path);
      }
    }
    context.restore();
  }
}
