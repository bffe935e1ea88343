// What the browser keeps: between visits, or while its tab is open. Without storage, everything is
// as on the first visit.

const PREFIX = "rstt.";

export function recall(name, otherwise = null, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(PREFIX + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value, storage = "localStorage") {
  try {
    window[storage].setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // a private window, or no room: this visit goes on without
  }
}

/** The game that this tab shows without a match: there again when the page is loaded again. */
export const recallRecord = () => recall("record", null, "sessionStorage");
export const rememberRecord = (record) => remember("record", record, "sessionStorage");
