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
    const runs = runsOf(values, plies);
    this.draw("curve", runs.map((run) => lineOf(run, place)).join(""));
    this.draw("area", runs.map((run) => areaOf(run, place)).join(""));
    this.svg.classList.toggle("empty", runs.length === 0);
  }

  draw(name, path) {
    this.svg.querySelector(`.${name}`).setAttribute("d", path);
  }
}

/** Stretches of plies whose values are known. */
function runsOf(values, plies) {
  const runs = [];
  let run = null;
  for (let ply = 0; ply <= plies; ply++) {
    if (!Number.isFinite(values[ply])) run = null;
    else if (run) run.push([ply, values[ply]]);
    else runs.push((run = [[ply, values[ply]]]));
  }
  return runs;
}

function lineOf(run, place) {
  const points = run.map(([ply, value]) => `${place(ply)} ${(-value).toFixed(3)}`);
  return `M${points.join("L")}${run.length === 1 ? "h0.01" : ""}`;
}

function areaOf(run, place) {
  const [first] = run[0];
  const [last] = run.at(-1);
  const points = run.map(([ply, value]) => `${place(ply)} ${(-value).toFixed(3)}`);
  return `M${place(first)} 0L${points.join("L")}L${place(last)} 0Z`;
}
