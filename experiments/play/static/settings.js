// What the user has set, and which panels are open.

import { $ } from "./dom.js";
import { recall, remember } from "./memory.js";

const WIDE = "(min-width: 900px)";
const OPEN_AT_FIRST = ["moves-panel", "analysis-panel"];

export const settings = { theme: "auto", follow: true, ...recall("settings", {}) };

function applyTheme() {
  const { dataset } = document.documentElement;
  if (settings.theme === "auto") delete dataset.theme;
  else dataset.theme = settings.theme;
}

function set(name, value) {
  settings[name] = value;
  remember("settings", settings);
  applyTheme();
}

export function setUpSettings() {
  applyTheme();
  $("theme").value = settings.theme;
  $("follow").checked = settings.follow;
  $("theme").addEventListener("change", ({ target }) => set("theme", target.value));
  $("follow").addEventListener("change", ({ target }) => set("follow", target.checked));
  const wide = matchMedia(WIDE).matches;
  for (const panel of document.querySelectorAll("details.panel")) {
    panel.open = wide && OPEN_AT_FIRST.includes(panel.id);
  }
}
