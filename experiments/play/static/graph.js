// The value for X over the plies of a game, from -1 to 1.

const WIDTH = 100; // of the drawing, in its own units

export class ValueGraph {
  constructor(svg, pick) {
    this.svg = svg;
    this.plies = 0;
    svg.addEventListener("click", ({ clientX }) => {
      const { left, width } = svg.getBoundingClientRect();
      pick(Math.round(((clientX - left) / width) * this.plies));
    });
  }

  /** `values` by ply, with gaps. */
  show(values, { plies, ply }) {
    this.plies = plies;
    const place = (k) => (plies > 0 ? (WIDTH * k) / plies : 0).toFixed(3);
    this.draw("present", `M${place(ply)} -1V1`);
    const known = [...values.keys()].filter((k) => k <= plies && Number.isFinite(values[k]));
    const points = known.map((k) => `${place(k)} ${(-values[k]).toFixed(3)}`);
    this.draw("curve", lineOf(points));
    const ends = [known[0], known.at(-1)].map((k) => `${place(k)} 0`);
    this.draw("area", lineOf(points.length ? [ends[0], ...points, ends[1]] : []));
  }

  draw(name, path) {
    this.svg.querySelector(`.${name}`).setAttribute("d", path);
  }
}

/** A path through the values that are known: of a long game they are some of all. */
function lineOf(points) {
  return points.length ? `M${points.join("L")}${points.length === 1 ? "h0.01" : ""}` : "";
}
