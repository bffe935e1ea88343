// The line to the server: opened again whenever it breaks.

import { recall, remember } from "./memory.js";

const FIRST_WAIT = 400; // ms
const LONGEST_WAIT = 10_000;

/** Events: "up", "down", and for each message one of its type, with the message as detail. */
export class Connection extends EventTarget {
  constructor() {
    super();
    this.wait = FIRST_WAIT;
    this.isUp = false; // the server has welcomed us
    this.isLost = false; // it has gone, or never was there
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
  }

  open() {
    this.timer = null;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.addEventListener("open", () => this.hello());
    this.socket.addEventListener("message", ({ data }) => this.receive(JSON.parse(data)));
    this.socket.addEventListener("close", () => this.lost());
  }

  hello() {
    this.write({ type: "hello", token: recall("token"), name: null });
  }

  receive(message) {
    this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    if (message.type === "welcome") this.welcomed(message);
  }

  welcomed({ token }) {
    remember("token", token); // it is the seat and the points
    this.wait = FIRST_WAIT;
    this.isLost = false;
    this.isUp = true;
    this.dispatchEvent(new Event("up"));
  }

  lost() {
    this.isUp = false;
    this.isLost = true;
    this.dispatchEvent(new Event("down"));
    this.timer = setTimeout(() => this.open(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(LONGEST_WAIT, 1.7 * this.wait);
  }

  /** Tries again at once if it was waiting to. */
  hurry() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.open();
  }

  /** Sends now or never: nothing is kept for a later connection. */
  send(message) {
    if (this.isUp) this.write(message);
    return this.isUp;
  }

  write(message) {
    this.socket.send(JSON.stringify(message));
  }

  on(type, handle) {
    this.addEventListener(type, ({ detail }) => handle(detail));
  }
}
