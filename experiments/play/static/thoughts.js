// What an agent's answer says, in numbers and words.

import { MARKS } from "./match.js";
import { count, seconds, signed } from "./words.js";

/** Whether the agent has told anything but its choice. */
export function hasOpinion({ value, proven, visits, scores, chances }) {
  return Boolean(value || proven || visits || chances) || scores.some((score) => score !== null);
}

/**
 * X's wins, draws and O's wins, which add up to 1. Agents that don't tell draws apart have none:
 * then these are the expected scores.
 */
export function chancesForX(answer) {
  const [win, draw, loss] = chancesOf(answer);
  return answer.ply % 2 === 0 ? [win, draw, loss] : [loss, draw, win];
}

/** For the player to move. A network's share of draws is kept, the rest as the search values it. */
function chancesOf({ value, proven, chances }) {
  if (proven) return [1, 0, -1].map((result) => Number(Math.round(value) === result));
  const draw = chances?.[1] ?? 0;
  const rest = 1 - draw;
  const lead = Math.max(-rest, Math.min(rest, value));
  return [(rest + lead) / 2, draw, (rest - lead) / 2];
}

/** Whole percentages of shares that add up to 1: they add up to 100. */
function percentages(shares) {
  const whole = shares.map((share) => Math.floor(100 * share));
  const rests = shares.map((share, k) => [100 * share - whole[k], k]);
  rests.sort(([one], [other]) => other - one);
  const missing = 100 - whole.reduce((sum, part) => sum + part, 0);
  for (const [, k] of rests.slice(0, missing)) whole[k] += 1;
  return whole;
}

export function chancesText(answer) {
  const [x, draw, o] = percentages(chancesForX(answer));
  if (answer.chances || answer.proven) return `X ${x} % · draw ${draw} % · O ${o} %`;
  return `expected score: X ${x} %, O ${o} %`;
}

export function factsOf({ spec, value, ply, proven, simulations, seconds: time, final }) {
  const facts = [`value ${signed(value)} for ${MARKS[ply % 2]} (to move)`];
  if (proven) facts.push("proven");
  const unit = spec.startsWith("alphabeta") ? "nodes" : "simulations";
  if (simulations) facts.push(`${count(simulations)} ${unit}`);
  facts.push(seconds(time));
  if (!final) facts.push("thinking…");
  return facts.join(" · ");
}
