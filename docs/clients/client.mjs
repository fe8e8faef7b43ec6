// Run the engine, ask whether a sheet can be covered, and print the solution.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...rest] = process.argv.length > 2 ? process.argv.slice(2) : ["tilesolve", "serve", "--stdio"];
const engine = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let last = 0;

createInterface({ input: engine.stdout }).on("line", (line) => {
  const { id, result, error } = JSON.parse(line);
  const question = waiting.get(id);
  if (!question) return;
  waiting.delete(id);
  if (error) question.reject(new Error(error.message));
  else question.resolve(result);
});

const ask = (method, params = {}) => new Promise((resolve, reject) => {
  last += 1;
  waiting.set(last, { resolve, reject });
  engine.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
});

const state = { sheet: "6x10", pieces: "pentominoes" };
const answer = await ask("polyform/fit", { state, cover: true, budget: { seconds: 20 } });
console.log(answer.answer, ...answer.witness.map((placed) => placed.piece));
await ask("shutdown");
