// What the browser keeps between visits. Without storage, everything is as on the first visit.

const PREFIX = "rstt.";

export function recall(name, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // a private window, or no room: this visit goes on without
  }
}
