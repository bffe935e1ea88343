// The colours of board.css, for canvases.

const NAMES = [
  "ground", "surface", "ink", "faint", "line", "x", "o", "win", "legal", "accent", "drawn",
];

/** The colours at an element, by name. */
export function readTheme(element) {
  const probe = element.appendChild(document.createElement("span"));
  probe.hidden = true;
  const theme = { font: getComputedStyle(element).fontFamily };
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`; // a used colour, whatever notation the sheet has
    theme[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  theme.players = [theme.x, theme.o];
  return theme;
}

/** Calls `changed` when the system or the page turns light or dark. */
export function watchTheme(changed) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
}
