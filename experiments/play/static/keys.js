// Keys that work anywhere on the page. The board has its own, while it has the focus.

const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), select, textarea";

export function listenToKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(TYPING) || document.querySelector("dialog[open]")) return;
    if (event.key === "Home" && event.target.type === "range") return; // a slider's own
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
