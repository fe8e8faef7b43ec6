// The pieces panel: choosing, drawing, counting and holding pieces.

import { ask } from "./api.js";
import { Board } from "./board.js";
import { button, h, numberField, select } from "./dom.js";
import { draw, el } from "./draw.js";
import { LATTICES, cellsOfRows, key, mirrored, normal, turned } from "./lattice.js";

export const SETS = {
  square: ["dominoes", "trominoes", "tetrominoes", "pentominoes", "hexominoes",
    "one-sided-tetrominoes", "one-sided-pentominoes"],
  hex: ["dihexes", "trihexes", "tetrahexes", "pentahexes", "one-sided-tetrahexes"],
  triangle: ["tetriamonds", "pentiamonds", "hexiamonds", "one-sided-hexiamonds"],
};

/** A small picture of a piece. */
export function thumbnail(lattice, cells, paint, label) {
  const svg = el("svg", { class: "thumbnail", role: "img", "aria-label": `piece ${label}` });
  const tiles = cells.map((at) => ({ at, outline: lattice.outline(at), group: label, role: "filled", kind: at[2] }));
  draw(svg, tiles, { of: () => paint });
  return svg;
}

const PAPER = { wide: 180, high: 255, gap: 6 }; // millimetres of A4 within its margins

/** How high drawings of these sizes stand in rows, in millimetres. */
function heightOfRows(sizes, scale) {
  let [height, row, used] = [0, 0, 0];
  for (const [wide, high] of sizes) {
    if (used && used + wide * scale > PAPER.wide) [height, row, used] = [height + row + PAPER.gap, 0, 0];
    row = Math.max(row, high * scale);
    used += wide * scale + PAPER.gap;
  }
  return height + row;
}

/** Print a board on A4 with pieces below it, all in one scale: on one page, if cells stay 8 mm. */
export function printTogether(board, section, shown) {
  const box = (svg) => svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  const [wide, high] = box(board);
  const sizes = shown.map(box);
  let scale = Math.min(PAPER.wide / wide, 150 / high, 0.5); // millimetres for a unit of the drawing
  while (scale > 0.18 && high * scale + heightOfRows(sizes, scale) + 25 > PAPER.high) scale *= 0.95;
  for (const svg of [board, ...shown]) {
    svg.style.setProperty("--print-width", `${box(svg)[0] * scale}mm`);
    svg.style.setProperty("--print-height", `${box(svg)[1] * scale}mm`);
  }
  section.replaceChildren(shown.length ? h("h2", {}, "Pieces") : "", h("div", { class: "print-tray" }, shown));
  window.print();
}

/** A piece in hand, turned and mirrored with keys and buttons. */
export class Hand {
  constructor(changed) {
    this.changed = changed;
    this.piece = undefined;
    this.cells = [];
  }

  take(piece, lattice) {
    this.piece = piece;
    this.lattice = lattice;
    this.cells = piece ? normal(lattice, piece.cells) : [];
    this.changed();
  }

  turn() {
    if (!this.piece || this.piece.rotate === false) return;
    this.cells = turned(this.lattice, this.cells);
    this.changed();
  }

  mirror() {
    if (!this.piece || this.piece.mirror === false) return;
    this.cells = mirrored(this.lattice, this.cells);
    this.changed();
  }

  /** Buttons, and the keys R and M anywhere on the page but in fields. */
  buttons() {
    return h("div", { class: "row" },
      button("Turn (R)", () => this.turn()), button("Mirror (M)", () => this.mirror()),
      button("Put back (Esc)", () => this.take(undefined)));
  }

  typed(event) {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey) return;
    if (event.key === "r" || event.key === "R") this.turn();
    else if (event.key === "m" || event.key === "M") this.mirror();
    else if (event.key === "Escape") this.take(undefined);
  }
}

const copies = (piece) => (Array.isArray(piece.count) ? piece.count[1] : piece.count ?? 1);

export class Pieces {
  constructor({ paints, hand, changed, say }) {
    Object.assign(this, { paints, hand, changed, say });
    this.list = [];
    this.lattice = LATTICES.square;
    this.legend = {};
    this.tray = h("div", { class: "tray" });
    this.drawer = h("details", { class: "drawer" }, h("summary", {}, "Draw a piece"));
    this.sets = h("div", { class: "row" });
    this.root = h("section", { class: "panel", "aria-label": "Pieces" },
      h("h2", {}, "Pieces"), this.sets, this.tray, hand.buttons(), this.drawer);
    this.#setsFor();
    this.#drawerFor();
  }

  /** Work on a sheet's lattice and with its kinds; pieces of another lattice are dropped. */
  use(sheet) {
    const kinds = Object.keys(sheet.legend).join();
    const known = kinds === Object.keys(this.legend).join();
    this.legend = { ...sheet.legend };
    if (sheet.lattice === this.lattice) {
      if (!known) this.#drawerFor();
      return;
    }
    this.lattice = sheet.lattice;
    this.list = [];
    this.#setsFor();
    this.#drawerFor();
  }

  /** The cells of a piece of the list, with the kinds they demand. */
  cellsOf(piece) {
    return cellsOfRows(this.lattice, piece.rows, this.legend);
  }

  /** Show the tray; copies that lie on the sheet are counted off. */
  show(placed) {
    const used = new Map();
    for (const { piece } of placed) used.set(piece, (used.get(piece) ?? 0) + 1);
    this.tray.replaceChildren(...this.list.map((piece) => this.#entry(piece, used.get(piece.name) ?? 0)));
    if (!this.list.length) this.tray.append(h("p", {}, "No pieces yet: choose a set or draw one."));
  }

  #entry(piece, used) {
    const held = this.hand.piece?.name === piece.name;
    const cells = held ? this.hand.cells : this.cellsOf(piece);
    const left = piece.count === "any" ? "any" : copies(piece) - used;
    const choose = h("button", { type: "button", class: "piece", "aria-pressed": String(held),
      "aria-label": `piece ${piece.name}, ${left} left`, disabled: left === 0,
      onclick: () => this.hand.take(held ? undefined : { ...piece, cells: this.cellsOf(piece) }, this.lattice) },
    thumbnail(this.lattice, cells, this.paints.of(piece.name), piece.name),
    h("span", {}, `${piece.name} × ${left}`));
    const change = (fields) => {
      Object.assign(piece, fields);
      this.changed();
    };
    const count = h("input", { type: "number", min: 0, max: 999, value: piece.count === "any" ? "" : copies(piece),
      placeholder: "any", "aria-label": `copies of ${piece.name}`,
      onchange: (event) => change({ count: event.target.value === "" ? "any" : Number(event.target.value) }) });
    const flag = (name, text) => h("label", { class: "flag" }, h("input", { type: "checkbox",
      checked: piece[name] ?? name !== "optional", onchange: (event) => change({ [name]: event.target.checked }) }), text);
    return h("div", { class: "entry" }, choose, h("details", {}, h("summary", {}, "settings"), count,
      flag("rotate", "may be turned"), flag("mirror", "may be mirrored"), flag("optional", "may stay out"),
      button("Remove", () => { this.list = this.list.filter((own) => own !== piece); this.changed(); })));
  }

  #setsFor() {
    const names = SETS[this.lattice.name];
    const chosen = select("Set", names, names.includes("pentominoes") ? "pentominoes" : names[2]);
    this.sets.replaceChildren(chosen.field,
      button("Use this set", () => this.#fetch(chosen.input.value, true)),
      button("Add it", () => this.#fetch(chosen.input.value, false)),
      button("No pieces", () => { this.list = []; this.changed(); }));
  }

  async #fetch(name, alone) {
    const sheet = { lattice: this.lattice.name, rows: ["."] };
    try {
      const { state } = await ask("polyform", "read", { state: { game: "polyform", sheet, pieces: name } });
      const names = new Set(state.pieces.map((piece) => piece.name));
      this.list = [...(alone ? [] : this.list.filter((piece) => !names.has(piece.name))), ...state.pieces];
      this.changed();
    } catch (error) {
      this.say(error.message, true);
    }
  }

  #drawerFor() {
    const cells = new Map();
    const size = 6;
    const places = [];
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < this.lattice.columns(size); column += 1) {
        if (this.lattice.name !== "hex" || this.lattice.has([row, column])) places.push([row, column]);
      }
    }
    const show = () => board.show(places.map((at) => ({ at, outline: this.lattice.outline(at),
      role: cells.has(key(at)) ? "filled" : "hole", kind: cells.get(key(at))?.[2] })), this.paints);
    const signs = Object.entries(this.legend);
    const kind = select("cells for", [["", "any kind"], ...signs.map(([, ground]) => ground.kind)], "");
    const board = new Board("Draw a piece", { pointed: (cell) => {
      const wanted = kind.input.value;
      const before = cells.get(key(cell));
      cells.delete(key(cell));
      if (!before || (before[2] ?? "") !== wanted) cells.set(key(cell), wanted ? [...cell, wanted] : cell);
      show();
    } });
    show();
    const name = h("input", { size: 4, maxlength: 3, value: "", "aria-label": "name of the piece" });
    const count = numberField("copies", 1, 1, 999);
    const add = button("Add this piece", () => {
      if (!cells.size) return;
      const own = normal(this.lattice, [...cells.values()]);
      const high = Math.max(...own.map(([row]) => row)) + 1;
      const wide = Math.max(...own.map(([, column]) => column)) + 1;
      const rows = Array.from({ length: high }, () => Array(wide).fill("."));
      const plain = [..."#*xo@"].find((sign) => !(sign in this.legend));
      const signOf = new Map(signs.map(([sign, ground]) => [ground.kind, sign]));
      for (const [row, column, demanded] of own) rows[row][column] = signOf.get(demanded) ?? plain;
      const free = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("").find((letter) => !this.list.some((p) => p.name === letter));
      this.list = [...this.list, { name: name.value.trim() || free, rows: rows.map((row) => row.join("")),
        count: Number(count.input.value) }];
      cells.clear();
      show();
      this.changed();
    });
    this.drawer.replaceChildren(h("summary", {}, "Draw a piece"), board.svg,
      h("div", { class: "row" }, signs.length ? kind.field : "", h("label", {}, "name ", name), count.field, add));
  }
}
