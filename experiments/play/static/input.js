// Mouse, touch and wheel on the canvas, as calls of the view.

const WHEEL_STEP = 60; // px of scrolling that make one level
const WHEEL_REST = 250; // ms without another level, and after which little scrolling is forgotten
const LINE = 20; // px, for wheels that count in lines
const PINCH = 12; // a trackpad's pinch comes as a wheel that turns so much less
const SPREAD = 1.3; // how far two fingers part for one level

export function listen(view, surface) {
  listenToClicks(view, surface);
  listenToWheel(view, surface);
  listenToPinch(view, surface);
}

function listenToClicks(view, surface) {
  const { canvas } = surface;
  let pointer = "fine"; // older browsers' clicks don't say
  canvas.addEventListener("pointerdown", (event) => {
    pointer = event.pointerType === "touch" ? "coarse" : "fine";
  });
  let idle = true; // whether the clicks of a double click have neither played nor zoomed
  canvas.addEventListener("click", (event) => {
    const { board, position } = view;
    view.press(surface.pointOf(event), pointer);
    const still = view.board === board && view.position === position;
    idle = still && (idle || event.detail < 2);
  });
  canvas.addEventListener("dblclick", (event) => {
    if (idle) view.zoomIn(surface.pointOf(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") view.pointAt(surface.pointOf(event));
  });
  canvas.addEventListener("pointerleave", () => view.pointAt(null));
}

function listenToWheel(view, surface) {
  let sum = 0;
  let lastTurn = 0;
  let lastLevel = 0;
  const turn = (event) => {
    const outermost = view.board === 0 && event.deltaY > 0;
    const resting = event.timeStamp - lastLevel < WHEEL_REST;
    if (outermost && !resting) return; // the page may scroll
    event.preventDefault();
    if (event.timeStamp - lastTurn > WHEEL_REST) sum = 0;
    lastTurn = event.timeStamp;
    if (resting) return;
    const unit = (event.deltaMode === 0 ? 1 : LINE) * (event.ctrlKey ? PINCH : 1);
    sum += event.deltaY * unit;
    if (Math.abs(sum) < WHEEL_STEP) return;
    lastLevel = event.timeStamp;
    if (sum < 0) view.zoomIn(surface.pointOf(event));
    else view.zoomOut();
    sum = 0;
  };
  surface.canvas.addEventListener("wheel", turn, { passive: false });
}

function listenToPinch(view, surface) {
  const { canvas } = surface;
  let apart = 0; // px between the fingers at the last level; 0 without two fingers
  const twoFingers = (handle) => (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault(); // neither scroll the page nor click
    const [first, second] = event.touches;
    handle(Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY), {
      clientX: (first.clientX + second.clientX) / 2,
      clientY: (first.clientY + second.clientY) / 2,
    });
  };
  const start = twoFingers((distance) => (apart = distance));
  const move = twoFingers((distance, middle) => {
    if (distance > apart * SPREAD) view.zoomIn(surface.pointOf(middle));
    else if (distance < apart / SPREAD) view.zoomOut();
    else return;
    apart = distance;
  });
  canvas.addEventListener("touchstart", start, { passive: false });
  canvas.addEventListener("touchmove", move, { passive: false });
}
