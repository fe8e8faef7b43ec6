// The page of a game: a position, moves by pointing, hints at three levels.

import { ask } from "./api.js";
import { Asking, reasons, stopped } from "./asking.js";
import { Board } from "./board.js";
import { button, h, loadButton, news, save, select } from "./dom.js";
import { Paints } from "./draw.js";
import { key } from "./lattice.js";
import { aboutWords, cellsOf, inWords, sentences } from "./moves.js";
import { printTogether } from "./pieces.js";
import { wayOf } from "./ways.js";

const READ = { string: String, json: String, integer: Number, number: Number, boolean: (text) => text === "yes" };
const USUAL = { "second-chance": { order: "yes" } }; // so that the cards come by themselves
const QUESTIONS = ["fit", "best", "count", "difficulty", "explain"];

export class PlayPage {
  #history = [];
  #hints = undefined;

  constructor(game) {
    this.game = game;
    this.paints = new Paints();
    this.moves = [];
    this.marked = [];
    this.picture = { tiles: [] };
    this.news = news();
    this.asking = new Asking(this.news);
    this.way = wayOf(this);
    this.board = new Board(game.title, { pointed: (cell) => this.way.pointed(cell), over: (cell) => this.way.over(cell) });
    this.facts = h("div", { class: "facts" });
    this.findings = h("div", { class: "findings" });
    this.printed = h("section", { class: "printed" });
    this.movePanel = h("section", { class: "panel", "aria-label": "Move" });
    this.json = h("textarea", { "aria-label": "position as JSON", spellcheck: "false" });
    this.root = h("div", { class: "page" },
      h("div", { class: "stage" }, this.facts, h("div", { class: "view" }, this.board.svg, this.news.line), this.findings, this.printed),
      this.#positionPanel(), this.#askPanel(), this.movePanel);
    this.deal();
  }

  say(text, bad = false) {
    this.news.say(text, bad);
  }

  typed(event) {
    this.way.typed?.(event);
    if (event.key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
  }

  /** The cells that a move is about, and those of the block it moves. */
  cellsOf(move) {
    const found = cellsOf(move, this.state);
    if (move.block === undefined) return found;
    const own = this.picture.tiles.filter((tile) => tile.label === String(move.block));
    return [...found, ...own.map((tile) => tile.at)];
  }

  kindAt(cell) {
    return this.picture.tiles.find((tile) => key(tile.at) === key(cell))?.kind ?? "plain";
  }

  labelAt(cell) {
    return this.board.tileAt(cell)?.label;
  }

  /** A new game by seed and the game's own settings. */
  async deal() {
    const settings = {};
    for (const [name, { input, kind }] of this.settings) {
      if (input.value !== "") settings[name] = READ[kind](input.value);
    }
    try {
      const { state } = await ask(this.game.game, "new", settings);
      this.#history = [];
      await this.#take(state);
      this.say("seed" in settings ? `New game, seed ${settings.seed}.` : "New game.");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  /** Make a move, or say why the rules forbid it. */
  async play(move) {
    const before = this.state;
    try {
      const answer = await ask(this.game.game, "apply", { state: before, move });
      if (answer.violations) {
        this.#violated(answer.violations);
        return;
      }
      this.#history.push(before);
      await this.#take(answer.state);
      this.say(`Done: ${inWords(move)}.`);
    } catch (error) {
      this.say(error.message, true);
    }
  }

  undo() {
    const before = this.#history.pop();
    if (before) this.#take(before).then(() => this.say("Taken back."));
  }

  /** Draw again: what is marked, and what the Move panel offers. */
  refresh() {
    const marks = new Set([...this.marked, ...(this.way.marks?.() ?? [])].map(key));
    const tiles = this.picture.tiles.map((tile) => (marks.has(key(tile.at)) ? { ...tile, marked: true } : tile));
    this.board.show(tiles, this.paints);
    this.board.cast([]);
    this.movePanel.replaceChildren(h("h2", {}, "Move"), h("p", { class: "help" }, this.way.help),
      ...this.#chance(), ...this.way.panel());
  }

  async #take(state) {
    this.asking.drop();
    const [picture, found, verdict] = await Promise.all([
      ask(this.game.game, "show", { state }),
      ask(this.game.game, "moves", { state, limit: 2000 }),
      ask(this.game.game, "check", { state }),
    ]);
    this.state = state;
    this.picture = picture;
    this.moves = found.moves ?? [];
    this.marked = [];
    this.#hints = undefined;
    this.way.fresh();
    await this.way.prepare?.();
    this.findings.replaceChildren();
    this.json.value = JSON.stringify(state, null, 1);
    const score = verdict.score === undefined ? "" : `score ${verdict.score}`;
    this.facts.replaceChildren(h("div", {}, h("strong", {}, picture.title ?? this.game.title),
      h("span", { class: "score" }, score), verdict.complete ? h("strong", {}, "finished") : ""),
    ...(picture.notes ?? []).map((note) => h("p", { class: "facts" }, note)));
    this.refresh();
    if (verdict.violations.length) this.#violated(verdict.violations);
  }

  #violated(violations) {
    this.say(sentences(...violations.map((violation) => violation.message)), true);
    this.findings.replaceChildren(reasons(violations, (cells) => this.#mark(cells)));
    this.#mark(violations.flatMap((violation) => violation.cells ?? []));
  }

  #mark(cells) {
    this.marked = cells;
    this.refresh();
  }

  #positionPanel() {
    this.settings = new Map();
    const fields = (this.game.operations.new ?? []).map((parameter) => {
      const { input, field } = settingField(parameter, USUAL[this.game.game]?.[parameter.name] ?? "");
      this.settings.set(parameter.name, { input, kind: parameter.kind });
      return field;
    });
    if (!fields.length) fields.push(h("span", {}, "This game has no deal of its own: load a position."));
    return h("section", { class: "panel", "aria-label": "Position" }, h("h2", {}, "Position"),
      h("div", { class: "row" }, ...fields, button("New game", () => this.deal(), { class: "main" })),
      h("div", { class: "row" }, button("Undo", () => this.undo()),
        loadButton("Load file", (value) => this.#set(value), (text) => this.say(text, true)),
        button("Save file", () => save(this.state, `${this.game.game}.json`)), button("Print", () => printTogether(this.board.svg, this.printed, this.way.thumbnails?.() ?? []))),
      h("details", {}, h("summary", {}, "Set up a position"), this.json, button("Use this position", () => {
        try {
          this.#set(JSON.parse(this.json.value));
        } catch (error) {
          this.say(`not JSON: ${error.message}`, true);
        }
      })));
  }

  async #set(state) {
    try {
      const read = await ask(this.game.game, "read", { state });
      if (this.state) this.#history.push(this.state);
      await this.#take(read.state);
    } catch (error) {
      this.say(error.message, true);
    }
  }

  #seed() {
    return Number(this.settings.get("seed")?.input.value) || 0;
  }

  /** A die that is rolled here by the seed, where the game has one and it is not known. */
  #chance() {
    if (this.game.game !== "five-minute-puzzle" || !this.state) return [];
    const roll = async (number) => {
      await this.#set({ ...this.state, roll: number });
      this.say(`Rolled ${number}.`);
    };
    return [h("div", { class: "row" }, h("span", {}, this.state.roll ? `rolled: ${this.state.roll}` : "roll:"),
      button("Roll the die", () => roll(1 + Math.floor(6 * chance(this.#seed(), this.state.history?.length ?? 0)))),
      ...[1, 2, 3, 4, 5, 6].map((number) => button(`${number}`, () => roll(number), { "aria-label": `rolled ${number}` })))];
  }

  #askPanel() {
    const offered = QUESTIONS.filter((operation) => operation in this.game.operations);
    const levels = ["Nudge", "Where?", "The move"].map((text, level) =>
      button(text, () => this.#hint(level + 1), { class: "ask", "data-level": level + 1 }));
    return h("section", { class: "panel", "aria-label": "Ask" }, h("h2", {}, "Ask"),
      "hint" in this.game.operations ? h("div", { class: "row" }, "Hint: ", ...levels) : "",
      h("div", { class: "row" }, offered.map((operation) => button(operation[0].toUpperCase() + operation.slice(1),
        () => this.#ask(operation)))),
      h("div", { class: "row" }, this.asking.limit, this.asking.cancelButton));
  }

  async #hint(level) {
    const state = this.state;
    if (this.#hints === undefined) {
      const answer = await this.asking.ask(this.game.game, "hint", { state, count: 5 });
      if (!answer || state !== this.state) return;
      if (answer.violations) {
        this.#violated(answer.violations);
        return;
      }
      this.#hints = answer;
    }
    const answer = this.#hints;
    const [first] = answer.hints;
    if (!first) {
      this.#hints = undefined; // with more time there may be one
      this.say(sentences(stopped(answer), answer.reasons?.[0]?.message ?? (answer.stopped_by
        ? "Nothing was found yet: grant more seconds" : "There is no move to suggest")));
      return;
    }
    if (level === 1) this.say(sentences(`Think about: ${aboutWords(first.move)}`));
    if (level === 2) this.say(sentences(first.reason));
    if (level === 3) this.say(sentences(inWords(first.move), first.reason, answer.exact ? "" : stopped(answer)));
    this.findings.replaceChildren(level === 3 ? this.#ranked(answer) : "");
    this.#mark(level === 1 ? [] : [...(first.cells ?? []), ...this.cellsOf(first.move)]);
  }

  #ranked({ hints, unit }) {
    return h("ol", { class: "hints" }, hints.map((hint) => {
      const error = hint.standard_error === undefined ? "" : ` ± ${round(hint.standard_error)}`;
      const value = hint.value === undefined ? "" : ` (${round(hint.value)}${error} ${unit})`;
      return h("li", {}, button(inWords(hint.move) + value, () => {
        this.say(sentences(hint.reason));
        this.#mark([...(hint.cells ?? []), ...this.cellsOf(hint.move)]);
      }, { class: "reason" }), " ", button("Play it", () => this.play(hint.move)));
    }));
  }

  async #ask(operation) {
    const { state } = this;
    const answer = await this.asking.ask(this.game.game, operation, { state });
    if (!answer || state !== this.state) return;
    if (answer.violations) {
      this.#violated(answer.violations);
      return;
    }
    const line = answer.line?.length ? `First: ${inWords(answer.line[0])}` : "";
    this.say(sentences(told(operation, answer), line, stopped(answer)));
    const { reasons: why = [], seconds, ...rest } = answer;
    this.findings.replaceChildren(reasons(why, (cells) => this.#mark(cells)),
      h("details", {}, h("summary", {}, "the whole answer"), h("pre", {}, JSON.stringify(rest, null, 1).slice(0, 20000))));
    const next = answer.line?.[0];
    this.#mark(why.find((reason) => reason.cells?.length)?.cells ?? (next ? this.cellsOf(next) : []));
  }
}

const TOLD = {
  fit: { yes: "yes, it is still possible", no: "no, it is not possible any more", unknown: "not known" },
  explain: { yes: "it is possible: there is nothing to explain", no: "it is not possible", unknown: "not known" },
  best: { optimal: "proven best", feasible: "the best found so far", infeasible: "it is impossible", unknown: "nothing found yet" },
};

/** An answer in words, beginning with what was asked. */
function told(operation, answer) {
  const named = { fit: "Fit", best: "Best", count: "Count", difficulty: "Difficulty", explain: "Explain" }[operation];
  const said = TOLD[operation]?.[answer.answer ?? answer.proof];
  const score = answer.score === undefined ? "" : `${answer.score} ${answer.unit}, `;
  const grade = answer.grade === undefined ? "" : `${answer.grade} of 10`;
  const raw = answer.raw === undefined ? "" : `${answer.exact ? "" : "at least "}${answer.raw}`;
  return `${named}: ${said ? score + said : grade || raw}`;
}

/** A number from 0 to 1 that a seed and a place in the game decide. */
function chance(seed, place) {
  let mixed = Math.imul(seed ^ Math.imul(place + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

const round = (value) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);

function settingField({ name, kind, help, choices, least, most }, usual) {
  const label = name.replaceAll("_", " ");
  if (choices) return select(label, [["", "as usual"], ...choices], usual);
  if (kind === "boolean") return select(label, [["", "as usual"], "yes", "no"], usual);
  const type = kind === "integer" || kind === "number" ? "number" : "text";
  const value = name === "seed" ? Math.floor(Math.random() * 1e4) : "";
  const input = h("input", { type, value, min: least, max: most, size: 8, placeholder: "usual" });
  return { input, field: h("label", { title: help }, `${label} `, input) };
}
