// One question at a time: its progress, its cancel button, and its answer in words.

import { start } from "./api.js";
import { button, h } from "./dom.js";
import { sentences } from "./moves.js";

/** Buttons that ask, a time limit, and one cancel button for what is under way. */
export class Asking {
  #job = undefined;
  #run = 0;
  #enough = 0; // the run that was cancelled, maybe before the server had named its job

  constructor(news) {
    this.news = news;
    this.cancelButton = button("Cancel", () => this.cancel(), { class: "cancel", disabled: true });
    this.seconds = h("input", { type: "number", min: 0.1, max: 300, step: "any", value: 30, "aria-label": "seconds at most" });
    this.limit = h("label", {}, "at most ", this.seconds, " s");
  }

  get budget() {
    return { seconds: Math.min(Math.max(Number(this.seconds.value) || 30, 0.1), 300) };
  }

  /** Ask; returns the answer, or undefined when it was refused or another question came. */
  async ask(game, operation, body) {
    this.cancel();
    const run = ++this.#run;
    this.news.say(`${operation} …`);
    this.cancelButton.disabled = false;
    try {
      const job = await start(game, operation, { ...body, budget: this.budget },
        (progress) => run === this.#run && this.news.say(inWords(operation, progress)));
      this.#job = job;
      if (run !== this.#run || run === this.#enough) job.cancel();
      const answer = await job.answer;
      return run === this.#run ? answer : undefined;
    } catch (error) {
      if (run === this.#run) this.news.say(error.message, true);
      return undefined;
    } finally {
      if (run === this.#run) {
        this.#job = undefined;
        this.cancelButton.disabled = true;
      }
    }
  }

  /** Stop the question under way and forget its answer: it was about another position. */
  drop() {
    this.cancel();
    this.#run += 1;
    this.#job = undefined;
    this.cancelButton.disabled = true;
  }

  /** Make the question under way answer with what is known. */
  cancel() {
    this.#enough = this.#run;
    this.#job?.cancel();
  }
}

function inWords(operation, { stage, done, total, score, bound }) {
  const parts = [`${operation}: ${stage}`];
  if (done !== undefined) parts.push(total === undefined ? `${done}` : `${done} of ${total}`);
  if (score !== undefined) parts.push(`score ${score} so far`);
  if (bound !== undefined) parts.push(`bound ${bound}`);
  return parts.join(", ");
}

const STOPPED = { time: "the time ran out", work: "the work limit was reached",
  interrupted: "it was cancelled", memory: "the memory limit was reached" };

export const stopped = (answer) =>
  answer.stopped_by ? `It is not settled: ${STOPPED[answer.stopped_by]}.` : "";

/** A list of reasons or violations; pointing at one shows its cells. */
export function reasons(list, shown) {
  return h("ul", { class: "reasons" }, list.map((reason) =>
    h("li", {}, button(sentences(reason.message), () => shown(reason.cells ?? []), { class: "reason" }),
      reason.rule ? h("small", {}, ` rule ${reason.rule}`) : "")));
}
