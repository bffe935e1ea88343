// Games as text: records (a line of JSON each) and links to a position.

import { Position } from "./position.js";
import { plies } from "./words.js";

const RESULTS = ["X", "O", "draw"];

/** The record of a game; its result is what the moves make, as the Python side demands. */
export function recordOf({ depth, moves, metadata = {} }) {
  const { outcome } = Position.after(depth, moves);
  return { depth, moves, result: RESULTS[outcome] ?? "undecided", metadata };
}

/** The records in a text: one, or one a line; `Error` says in which line something is wrong. */
export function parseRecords(text) {
  const whole = parseJson(text);
  if (whole !== undefined) return [checkedAs("This", whole)];
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line, k) => checkedAs(`Line ${k + 1}`, parseJson(line)));
}

/** What a text says; undefined if it isn't JSON. */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkedAs(name, record) {
  try {
    return checkFields(record);
  } catch (error) {
    throw new Error(`${name} is no game record: ${error.message}`);
  }
}

function checkFields(record) {
  if (record === undefined) throw new Error("it isn’t JSON");
  const { depth, moves, result, metadata = {} } = record ?? {};
  if (![1, 2, 3, 4].includes(depth)) throw new Error("its depth must be 1, 2, 3 or 4");
  if (!Array.isArray(moves)) throw new Error("its moves must be a list of squares");
  if (metadata?.constructor !== Object) throw new Error("its metadata must be an object");
  for (const name of [metadata.x, metadata.o]) {
    if (!["undefined", "string"].includes(typeof name)) throw new Error("its names must be text");
  }
  return { depth, moves, result, metadata };
}

/** Who played, what came of it, and how long it took, in a line. */
export function describeRecord(record) {
  const { depth, moves, metadata } = record;
  const { result } = recordOf(record);
  if (record.result !== undefined && record.result !== result) {
    throw new Error(`its result is ${JSON.stringify(record.result)}, but its moves make ${result}`);
  }
  const ending = result === "draw" ? "a draw" : result === "undecided" ? result : `${result} won`;
  const names = metadata.x && metadata.o ? `${metadata.x} – ${metadata.o}, ` : "";
  return `${names}depth ${depth}, ${plies(moves.length)}, ${ending}`;
}

/** A fragment that names a position: two bytes for each move that leads to it. */
export function positionFragment(depth, moves) {
  const bytes = moves.flatMap((square) => [square >> 8, square & 255]);
  const text = bytes.map((byte) => String.fromCharCode(byte)).join("");
  const code = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `position=${depth}.${code}`;
}

/** The game that such a fragment names, or null. */
export function parsePosition(fragment) {
  const found = /^position=([1-4])\.([\w-]*)$/.exec(fragment);
  if (!found) return null;
  try {
    const text = atob(found[2].replaceAll("-", "+").replaceAll("_", "/"));
    if (text.length % 2 === 1) return null; // cut off
    const moves = [];
    for (let k = 0; k < text.length; k += 2) {
      moves.push(256 * text.charCodeAt(k) + text.charCodeAt(k + 1));
    }
    const depth = Number(found[1]);
    Position.after(depth, moves);
    return { depth, moves, metadata: {} };
  } catch {
    return null;
  }
}
