// Moves of any game: structures with cells in them, told in words and pointed at.

import { key } from "./lattice.js";

const isCell = (value) => Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);

/** All cells that a move names, and where its block stands. */
export function cellsOf(move, state) {
  const found = [];
  const visit = (value) => {
    if (isCell(value)) found.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (value && typeof value === "object") Object.values(value).forEach(visit);
  };
  visit(move);
  const block = move.block ?? move.fly;
  const stands = block !== undefined && state.blocks?.[block];
  if (isCell(stands)) found.push(stands);
  return found;
}

const told = (value) => {
  if (isCell(value)) return `(${value.join(", ")})`;
  if (Array.isArray(value)) return value.map(told).join(typeof value[0] === "string" ? "/" : " ");
  if (value && typeof value === "object") return inWords(value);
  return String(value);
};

/** A move in words: "block 5 to (2, 1)". */
export function inWords(move) {
  return Object.entries(move)
    .filter(([name, value]) => name !== "comment" && value !== null && value !== "")
    .map(([name, value]) => {
      const text = name.replaceAll("_", " ");
      if (value === true) return text;
      if (name === "path") return told(value);
      if (name === "cells" && Array.isArray(value) && value.length > 2) return `at ${told(value[0])}`;
      return `${text} ${told(value)}`;
    })
    .join(", ");
}

/** Parts of a sentence put together: a capital at the start, a full stop at the end of each. */
export const sentences = (...parts) => parts
  .map((part) => (part ?? "").trim())
  .filter(Boolean)
  .map((part) => part[0].toUpperCase() + part.slice(1) + (/[.!?:]$/.test(part) ? "" : "."))
  .join(" ");

/** What a move is about, without saying where: the first, small help of a hint. */
export function aboutWords(move) {
  for (const name of ["piece", "tile", "block", "fly", "away", "cross_out"]) {
    if (move[name] !== undefined) return `${name.replaceAll("_", " ")} ${told(move[name])}`;
  }
  return Object.keys(move).map((name) => name.replaceAll("_", " ")).join(", ");
}

export const same = (one, other) => key(one) === key(other);
