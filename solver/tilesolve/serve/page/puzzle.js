// The page for polyform puzzles: draw a sheet, choose pieces, ask.

import { ask } from "./api.js";
import { Asking, reasons, stopped } from "./asking.js";
import { Board } from "./board.js";
import { button, h, loadButton, news, numberField, save, select } from "./dom.js";
import { Paints } from "./draw.js";
import { LATTICES, heldOver, key } from "./lattice.js";
import { sentences } from "./moves.js";
import { Hand, Pieces, printTogether, thumbnail } from "./pieces.js";
import { Sheet } from "./sheet.js";

const EXAMPLES = ["6x10", "5x12", "8x8-centre", "8x8-corners", "calendar:10-06", "hex:4x10", "triangle:4x10"];

export class PuzzlePage {
  #history = [];

  constructor(game) {
    this.game = game;
    this.paints = new Paints();
    this.sheet = new Sheet();
    this.answer = { witness: [], marked: [] };
    this.news = news();
    this.asking = new Asking(this.news);
    this.hand = new Hand(() => this.#refresh());
    this.pieces = new Pieces({ paints: this.paints, hand: this.hand, say: this.news.say,
      changed: () => this.#edited() });
    this.board = new Board("The sheet", { pointed: (cell) => this.#pointed(cell),
      dragged: (cell) => this.#paint(cell), over: (cell) => this.#over(cell) });
    this.findings = h("div", { class: "findings" });
    this.printed = h("section", { class: "printed" });
    this.root = h("div", { class: "page" }, this.#sheetPanel(),
      h("div", { class: "stage" }, h("div", { class: "view" }, this.board.svg, this.news.line), this.findings, this.printed),
      this.pieces.root, this.#askPanel());
    this.#refresh();
    this.news.say("Point at cells to make holes or to put them back, choose pieces, then ask.");
  }

  typed(event) {
    this.hand.typed(event);
    if (event.key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
  }

  undo() {
    const before = this.#history.pop();
    if (before) this.#take(JSON.parse(before), false);
  }

  get state() {
    return { game: "polyform", sheet: this.sheet.dump(), pieces: this.pieces.list, goal: this.goal.input.value };
  }

  #sheetPanel() {
    const rows = numberField("rows", 6, 1, 60, (value) => this.#change(() => this.sheet.resize(value, this.sheet.columns)));
    const columns = numberField("columns", 10, 1, 60, (value) => this.#change(() => this.sheet.resize(this.sheet.rows, value)));
    this.size = { rows: rows.input, columns: columns.input };
    this.latticeField = select("Cells", Object.keys(LATTICES), "square", (name) => this.#change(() => {
      this.sheet = new Sheet(name, this.sheet.rows, this.sheet.columns);
      this.hand.take(undefined);
      this.pieces.use(this.sheet);
    }));
    const example = select("Start from", [["", "an example…"], ...EXAMPLES], "", (name) => name && this.#load(name));
    this.kind = h("input", { value: "circle", size: 8, "aria-label": "kind of cell" });
    this.penalty = h("input", { type: "number", value: 1, min: 0, max: 99, "aria-label": "penalty of the kind" });
    const ofKind = h("span", { class: "row", hidden: true }, h("label", {}, "kind ", this.kind), h("label", {}, "penalty ", this.penalty));
    this.tool = select("Paint", [["toggle", "cell / hole"], ["cell", "cells"], ["hole", "holes"],
      ["kind", "cells of a kind"], ["lift", "take pieces off"]], "toggle", (tool) => { ofKind.hidden = tool !== "kind"; });
    return h("section", { class: "panel", "aria-label": "Sheet" }, h("h2", {}, "Sheet"),
      h("div", { class: "row" }, example.field, this.latticeField.field, rows.field, columns.field),
      h("div", { class: "row" }, this.tool.field, ofKind),
      h("div", { class: "row" },
        button("Undo", () => this.undo()), button("Clear sheet", () => this.#change(() => {
          this.sheet = new Sheet(this.sheet.lattice.name, this.sheet.rows, this.sheet.columns);
        })),
        loadButton("Load file", (value) => this.#load(value), (text) => this.news.say(text, true)),
        button("Save file", () => save(this.state, "puzzle.json")), button("Print", () => this.print())));
  }

  #askPanel() {
    this.goal = select("Goal", [["cover", "cover every cell"], ["packing", "place all pieces"]], "cover");
    const asked = (operation, settings = () => ({})) => (operation in this.game.operations
      ? button(operation[0].toUpperCase() + operation.slice(1), () => this.#ask(operation, settings()), { class: "ask" })
      : "");
    return h("section", { class: "panel", "aria-label": "Ask" }, h("h2", {}, "Ask"),
      h("div", { class: "row" }, this.goal.field, this.asking.limit),
      h("div", { class: "row" }, asked("fit"), asked("best"), asked("count"),
        asked("hint", () => ({ count: 3 })), asked("explain"), this.asking.cancelButton,
        button("Hide answer", () => this.#edited())));
  }

  #pointed(cell) {
    if (this.hand.piece) this.#place(cell);
    else this.#paint(cell, true);
  }

  #paint(cell, first = false) {
    if (this.hand.piece) return;
    const tool = this.tool.input.value;
    if (tool === "lift") {
      this.#change(() => this.sheet.lift(cell));
      return;
    }
    if (first) {
      const fresh = this.sheet.cells.has(key(cell)) ? undefined : ".";
      const kinds = () => this.sheet.signOf(this.kind.value.trim() || "circle", Number(this.penalty.value) || 0);
      this.brush = { toggle: () => fresh, cell: () => ".", hole: () => undefined, kind: kinds }[tool]();
      this.#remember();
    }
    this.sheet.paint(cell, this.brush);
    this.#edited();
  }

  #over(cell) {
    const cells = cell && this.hand.piece && heldOver(this.sheet.lattice, this.hand.cells, cell);
    if (!cells) {
      this.board.cast([]);
      return;
    }
    const taken = new Set(this.sheet.placed.flatMap((piece) => piece.cells.map(key)));
    const good = cells.every((each) => this.sheet.cells.has(key(each)) && !taken.has(key(each)));
    this.board.cast(cells.map(this.sheet.lattice.outline), good);
  }

  async #place(cell) {
    const cells = heldOver(this.sheet.lattice, this.hand.cells, cell);
    if (!cells) {
      this.news.say("Turn the piece first: none of its cells points this way.", true);
      return;
    }
    const { name } = this.hand.piece;
    try {
      const answer = await ask("polyform", "apply", { state: this.state, move: { piece: name, cells } });
      if (answer.violations) {
        this.#violated(answer.violations);
        return;
      }
      this.#remember();
      this.hand.take(undefined);
      this.sheet.placed = [...this.sheet.placed, { piece: name, cells }];
      this.#edited();
      this.news.say(`${name} is placed.`);
    } catch (error) {
      this.news.say(error.message, true);
    }
  }

  async #load(value) {
    const bare = typeof value === "string" || Array.isArray(value) || !("sheet" in value);
    const state = bare ? { game: "polyform", sheet: value, pieces: [] } : value;
    try {
      const read = await ask("polyform", "read", { state });
      this.#remember();
      const kept = bare && (read.state.sheet.lattice ?? "square") === this.sheet.lattice.name;
      this.#take(kept ? { ...read.state, pieces: this.pieces.list } : read.state);
    } catch (error) {
      this.news.say(error.message, true);
    }
  }

  #take(state) {
    this.sheet = Sheet.of(state.sheet);
    this.size.rows.value = this.sheet.rows;
    this.size.columns.value = this.sheet.columns;
    this.latticeField.input.value = this.sheet.lattice.name;
    if (state.goal) this.goal.input.value = state.goal;
    this.hand.take(undefined);
    this.pieces.use(this.sheet);
    this.pieces.list = state.pieces ?? [];
    this.#edited();
  }

  #remember() {
    this.#history.push(JSON.stringify(this.state));
    if (this.#history.length > 200) this.#history.shift();
  }

  #change(edit) {
    this.#remember();
    edit();
    this.#edited();
  }

  #edited() {
    this.answer = { witness: [], marked: [] };
    this.findings.replaceChildren();
    this.news.say("");
    this.#refresh();
  }

  #refresh() {
    const byName = { of: (group) => this.paints.of(group.replace(/ \d+$/, "")) };
    this.pieces.use(this.sheet);
    this.board.show(this.sheet.tiles({ editing: true, ...this.answer }), byName);
    this.pieces.show(this.sheet.placed);
    this.board.cast([]);
  }

  #mark(cells) {
    this.answer.marked = cells;
    this.#refresh();
  }

  #violated(violations) {
    this.news.say(sentences(...violations.map((violation) => violation.message)), true);
    this.findings.replaceChildren(reasons(violations, (cells) => this.#mark(cells)));
    this.#mark(violations.flatMap((violation) => violation.cells ?? []));
  }

  async #ask(operation, settings) {
    this.#edited();
    const answer = await this.asking.ask("polyform", operation, { state: this.state, ...settings });
    if (!answer) return;
    if (answer.violations) this.#violated(answer.violations);
    else this[`tell_${operation}`](answer);
  }

  tell_fit(answer) {
    const { cells, pieces, placements } = answer.read ?? {};
    const read = cells === undefined ? "" : ` (${cells} open cells, ${pieces} pieces, ${placements} placements)`;
    const said = { yes: "Yes, it fits", no: "No, it cannot fit", unknown: "Not known" }[answer.answer];
    this.news.say(sentences(said + read, stopped(answer)), answer.answer === "no");
    this.#reasoned(answer);
    this.answer.witness = answer.witness ?? [];
    this.#refresh();
  }

  tell_best(answer) {
    const said = { optimal: "proven best", feasible: "the best found so far",
      infeasible: "No, it is impossible.", unknown: "Nothing found yet." }[answer.proof];
    const bound = answer.proof === "feasible" && answer.bound !== undefined ? `, at least ${answer.bound}` : "";
    const score = answer.score === undefined ? said : `${answer.score} ${answer.unit}: ${said}${bound}`;
    this.news.say(sentences(score, stopped(answer)), answer.proof === "infeasible");
    this.#reasoned(answer);
    this.answer.witness = (answer.line ?? []).filter((move) => move.cells);
    this.#refresh();
  }

  tell_count(answer) {
    const least = answer.exact ? "" : "at least ";
    const reduced = answer.reduced === undefined ? "" : `, ${answer.reduced} without turns and mirror images`;
    this.news.say(sentences(`${least}${answer.raw} solutions${reduced}`, stopped(answer)));
    this.#reasoned(answer);
  }

  tell_hint(answer) {
    const hints = answer.hints ?? [];
    const none = answer.reasons?.[0]?.message ?? "no hint was found";
    this.news.say(sentences(stopped(answer), hints.length ? "Ranked, best first:" : none));
    this.#reasoned(answer);
    this.findings.append(h("ol", { class: "hints" }, hints.map((hint) => h("li", {},
      button(`${hint.move.piece ?? "?"}: ${hint.reason}`, () => {
        this.answer = { witness: [], marked: hint.cells ?? hint.move.cells ?? [] };
        this.#refresh();
      }, { class: "reason" }),
      hint.move.cells ? button("Place it", () => this.#change(() => {
        this.sheet.placed = [...this.sheet.placed, hint.move];
      })) : ""))));
  }

  tell_explain(answer) {
    const { conflict = {}, ways_out: ways = [] } = answer;
    const said = { yes: "It fits: there is nothing to explain", no: "It cannot fit, and this is why",
      unknown: "Not known" }[answer.answer];
    const pieces = conflict.pieces?.length ? `${conflict.pieces.join(", ")} and the marked cells are enough for that` : "";
    this.news.say(sentences(said, pieces, stopped(answer)), answer.answer === "no");
    this.#reasoned(answer);
    if (conflict.cells?.length) this.answer.marked = conflict.cells;
    this.answer.witness = answer.answer === "yes" ? answer.witness ?? [] : [];
    if (ways.length) {
      this.findings.append(h("p", {}, "It would fit, if you"), h("ul", {}, ways.map((way) => h("li", {},
        button(way.change, () => {
          this.answer = { witness: way.witness ?? [], marked: [] };
          this.#refresh();
        }, { class: "reason" })))));
    }
    this.#refresh();
  }

  #reasoned(answer) {
    const list = answer.reasons ?? [];
    this.findings.replaceChildren(reasons(list, (cells) => this.#mark(cells)));
    this.answer.marked = list.find((reason) => reason.cells?.length)?.cells ?? [];
  }

  /** Print the sheet on A4 and every piece as often as there is one, all in one scale. */
  print() {
    const { lattice } = this.sheet;
    const shown = this.pieces.list.flatMap((piece) => {
      const copies = piece.count === "any" ? 1 : [piece.count ?? 1].flat().at(-1);
      const cells = this.pieces.cellsOf(piece);
      return Array.from({ length: Math.min(copies, 60) }, () =>
        thumbnail(lattice, cells, this.paints.of(piece.name), piece.name));
    });
    printTogether(this.board.svg, this.printed, shown);
  }
}
