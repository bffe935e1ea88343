// Small help with elements.

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; texts become text nodes, never markup. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const chosen = (form, name) => form.elements[name].value;

let closing = null;

/** Tells what went wrong, or that something was done, for some seconds. */
export function toast(text) {
  const element = $("toast");
  element.hidePopover();
  element.showPopover(); // on top of an open dialog
  element.textContent = text;
  clearTimeout(closing);
  closing = setTimeout(() => element.hidePopover(), 3000 + 60 * text.length);
}

/** What was wrong no longer is. */
export function clearToast() {
  $("toast").hidePopover();
}

/** Replaces what is in an element; the focus stays on the button with the same data. */
export function refill(element, children) {
  const keyOf = ({ dataset }) => JSON.stringify({ ...dataset });
  const { activeElement } = document;
  const inside = element !== activeElement && element.contains(activeElement);
  const held = inside ? keyOf(activeElement) : null;
  element.replaceChildren(...children);
  if (held === null) return;
  const buttons = [...element.querySelectorAll("button")];
  const heir = buttons.find((button) => keyOf(button) === held) ?? buttons.at(-1) ?? element;
  heir.focus({ preventScroll: true });
}

/** Whether the user says yes. */
export function ask(question, yes) {
  const dialog = $("ask");
  $("ask-text").textContent = question;
  $("ask-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }),
  );
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyByHand(text); // browsers keep the clipboard from pages without TLS
  }
  toast("Copied");
}

function copyByHand(text) {
  const field = make("textarea", { value: text, className: "unseen" });
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
