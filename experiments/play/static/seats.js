// The panel of the match: who plays, whose turn it is, the clock, and what can be done.

import { $, copy } from "./dom.js";
import { MARKS } from "./match.js";
import { remarksOn } from "./words.js";

const URGENT = 10; // seconds
const TICK = 200; // ms

export class SeatsPanel {
  constructor() {
    this.match = null;
    this.seats = [...$("seats").children];
    setInterval(() => this.showClocks(), TICK);
    $("copy-invitation").addEventListener("click", () => copy($("invitation-link").value));
  }

  show(match, { record, welcome, connected, searching }) {
    this.match = match;
    this.connected = connected;
    const names = record && [record.metadata.x ?? "Player X", record.metadata.o ?? "Player O"];
    this.seats.forEach((seat, k) => {
      seat.hidden = !match && !record;
      if (match) this.showSeat(seat, k);
      else if (record) showRecorded(seat, names[k]);
    });
    this.showActions({ connected, searching });
    this.showInvitation(welcome);
    const ranking = match ? remarksOn(match, welcome?.levels ?? []) : "";
    $("ranking").textContent = ranking;
    $("ranking").hidden = !ranking;
    this.showClocks();
  }

  showSeat(element, k) {
    const { match } = this;
    const { kind } = match.seats[k];
    const online = match.seats[k].online && this.connected;
    const part = (name) => element.querySelector(`.${name}`);
    const turn = !match.isOver && !match.waits && match.toPlay === k;
    element.classList.toggle("turn", turn);
    element.classList.toggle("winner", match.result === MARKS[k]);
    showName(element, match.nameOf(k));
    part("dot").hidden = match.mode !== "room" || kind !== "person";
    part("dot").classList.toggle("online", online);
    part("dot").ariaLabel = online ? "online" : "offline";
    part("dot").title = online ? "online" : "offline";
    part("note").textContent = this.noteOf(k, turn);
  }

  noteOf(k, turn) {
    const { match } = this;
    if (match.result === MARKS[k]) return "won";
    if (turn && match.thinking) return "thinking…";
    if (match.you === MARKS[k]) return "you";
    return "";
  }

  /** Without a connection they stand still: what the server's do can't be known. */
  showClocks() {
    if (this.match && !this.connected) return;
    const left = this.match?.secondsLeft ?? null;
    this.seats.forEach((seat, k) => {
      const clock = seat.querySelector(".clock");
      const runs = left !== null && this.match.toPlay === k;
      clock.textContent = runs ? clockText(left) : "";
      clock.classList.toggle("urgent", runs && left < URGENT);
    });
  }

  showActions({ connected, searching }) {
    const { match } = this;
    const over = match?.isOver ?? false;
    const alone = match?.plays && !over && match.mode !== "room";
    $("new").classList.toggle("primary", !match || (over && !match.plays));
    $("undo").hidden = !alone;
    $("undo").disabled = !connected || !match?.canUndo;
    $("ask-hint").hidden = !alone;
    $("ask-hint").disabled = !connected || !match?.isYourMove || searching;
    $("resign").hidden = !match?.plays || over;
    $("resign").textContent = match?.waits ? "Close room" : "Resign";
    $("resign").disabled = !connected || !match?.canResign;
    $("rematch").hidden = !over || !match.plays;
    $("rematch").disabled = !connected || Boolean(match?.offered);
    $("rematch").textContent = rematchText(match);
    $("share").disabled = !match;
  }

  showInvitation(welcome) {
    const { match } = this;
    const shown = Boolean(match?.waits && match.plays);
    $("invitation").hidden = !shown;
    if (!shown) return;
    $("invitation-link").value = linkTo(match.code);
    $("invitation-code").textContent = match.code;
    $("invitation-note").textContent = reachText(welcome);
  }
}

/** The seat of a game that is only looked at. */
function showRecorded(element, name) {
  element.classList.remove("turn", "winner");
  showName(element, name);
  element.querySelector(".note").textContent = "";
  element.querySelector(".dot").hidden = true;
}

/** A long one is cut, and shown in full by the pointer. */
function showName(element, name) {
  const part = element.querySelector(".name");
  part.textContent = part.title = name;
}

export const linkTo = (code) => `${location.origin}/#${code}`;

function rematchText(match) {
  if (!match?.offer) return "Rematch";
  return match.offered ? "Rematch offered" : "Accept rematch";
}

/** Why a link might not do on another machine. */
export function reachText(welcome) {
  const here = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  if (!here) return "";
  return welcome?.lan
    ? "The link is for this computer only: open the page by its address in your network first."
    : "The link is for this computer only, unless the server is started with host=0.0.0.0.";
}

function clockText(left) {
  const whole = Math.ceil(left);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
