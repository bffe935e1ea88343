// What the page says about a match.

import { MARKS } from "./match.js";
import { boardAddress, parentOf, squareAddress } from "./position.js";

/** A value for the mover after `ply` moves, as a value for X; and back. */
export const forX = (value, ply) => (ply % 2 === 0 ? value : -value);

export const percent = (share) => `${Math.round(100 * share)} %`;

export function signed(value) {
  const digits = Math.abs(value).toFixed(2);
  if (digits === "0.00") return digits;
  return `${value < 0 ? "−" : "+"}${digits}`;
}

export function count(number) {
  if (number < 1e6) return Math.round(number).toLocaleString("en");
  return `${(number / 1e6).toFixed(1)} million`;
}

export const plies = (number) => (number === 1 ? "1 ply" : `${count(number)} plies`);

export function seconds(time) {
  return time < 10 ? `${time.toFixed(1)} s` : `${Math.round(time)} s`;
}

/** What the line above the board says. */
export function statusOf(match, stage, record) {
  if (stage.variation) return variationText(stage);
  if (record || (match && !stage.isPresent)) return plyText(stage);
  if (!match) return "Start a new game";
  if (match.isOver) return endText(match);
  const text = turnText(match, stage.position);
  return match.plays ? text : `You watch: ${text}`;
}

function variationText({ variation, ply }) {
  return `Variation: ${variation.steps} of ${variation.squares.length} moves after ply ${ply}`;
}

function plyText(stage) {
  const { outcome } = stage.position;
  const ending = outcome === 2 ? ": draw" : outcome >= 0 ? `: ${MARKS[outcome]} won` : "";
  return `Ply ${stage.ply} of ${stage.moves.length}${ending}`;
}

function turnText(match, position) {
  const { mover } = match;
  if (match.waits) return "Waiting for the other player";
  if (match.thinking) return `${mover} thinks…`;
  const where = position.focus === 0 ? "anywhere" : `in board ${boardAddress(position.focus)}`;
  if (match.you === mover) return `${lastText(match, position)}Your move: play ${where}`;
  if (match.mode === "shared") return `${mover} to move: play ${where}`;
  return `${match.nameOf(match.toPlay)}’s move${position.focus === 0 ? ":" : ""} ${where}`;
}

function lastText({ toPlay }, { last, depth }) {
  return last < 0 ? "" : `${MARKS[1 - toPlay]} played ${squareAddress(depth, last)}. `;
}

/** Why the mover may not have a square. */
export function refusalText(position, square) {
  const board = parentOf(position.numBoards + square);
  if (position.marks[square] >= 0) return `${squareAddress(position.depth, square)} is taken`;
  if (!position.isOpen(board)) return `Board ${boardAddress(board)} is decided`;
  return `Play in board ${boardAddress(position.focus)}`;
}

function endText(match) {
  const { result, reason, you } = match;
  if (result === "draw") return "Draw";
  const loser = MARKS[1 - MARKS.indexOf(result)];
  if (reason === "time") return `${nameOf(match, loser)} ran out of time: ${result} wins`;
  if (reason === "resigned") return `${nameOf(match, loser)} resigned: ${result} wins`;
  if (reason === "gave up") return `${loser} gave up: ${result} wins`;
  if (you === result) return "You won: three in a row";
  if (you === loser) return `You lost: ${result} has three in a row`;
  return `${result} won: three in a row`;
}

const nameOf = (match, mark) => (match.you === mark ? "You" : mark);

/** What else there is to say: points, why an agent gave up, and who watches. */
export function remarksOn(match, levels) {
  const watching = match.watchers > 0 ? [`${match.watchers} watching`] : [];
  return [rankingText(match, levels), ...watching].filter(Boolean).join(" · ");
}

function rankingText(match, levels) {
  if (match.points) return `+${match.points} points`;
  if (match.why) return match.why;
  const level = levels.find(({ name }) => name === match.opponent);
  if (!level || !match.plays || match.isOver || match.start > 0) return "";
  if (!match.ranked) return "This match no longer counts.";
  return `A win is worth ${level.points} points, if you play it without help.`;
}

export function hintText({ depth }, { square, share, value, simulations }) {
  const words = [];
  if (share && simulations) words.push(`${percent(share)} of ${count(simulations)} simulations`);
  if (value !== null) words.push(`value ${signed(value)}`);
  return `${squareAddress(depth, square)}: ${words.join(", ") || "the agent’s choice"}`;
}
