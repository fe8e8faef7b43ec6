// A sheet being drawn: its cells by kind, and what lies on it.

import { LATTICES, cellOf, key } from "./lattice.js";

const SIGNS = "oxabcdefghijklmnpqrstuvwyz";

export class Sheet {
  constructor(lattice = "square", rows = 6, columns = 10) {
    this.lattice = LATTICES[lattice];
    this.rows = rows;
    this.columns = columns;
    this.cells = new Map(); // place -> sign, "." for a plain cell
    this.legend = {};
    this.placed = [];
    this.rules = undefined;
    for (const cell of this.places()) this.cells.set(key(cell), ".");
  }

  /** Read a sheet as the engine writes it: an object with rows. */
  static of(value) {
    const sheet = new Sheet(value.lattice ?? "square", 0, 0);
    sheet.legend = value.legend ?? {};
    sheet.rules = value.rules;
    sheet.placed = value.placed ?? [];
    sheet.rows = value.rows.length;
    value.rows.forEach((line, row) => {
      [...line].forEach((sign, column) => {
        const place = key([row, column]);
        if (sign !== "#" && sign !== " ") sheet.cells.set(place, sign);
      });
    });
    const wide = Math.max(1, ...value.rows.map((line) => [...line].length));
    const step = sheet.lattice.name === "hex" ? 2 : 1;
    sheet.columns = Math.ceil(wide / step);
    sheet.odd = step === 2 && [...sheet.cells.keys()].some((place) => !sheet.lattice.has(cellOf(place)));
    return sheet;
  }

  dump() {
    const wide = this.lattice.columns(this.columns) + (this.lattice.name === "hex" ? 1 : 0);
    const rows = Array.from({ length: this.rows }, (_, row) =>
      Array.from({ length: wide }, (__, column) => this.cells.get(key([row, column])) ?? "#").join(""));
    const sheet = { lattice: this.lattice.name, rows };
    if (this.lattice.name === "hex") sheet.rows = rows.map((row) => row.replaceAll("#", " ").trimEnd() || " ");
    if (Object.keys(this.legend).length) sheet.legend = this.legend;
    if (this.placed.length) sheet.placed = this.placed;
    if (this.rules) sheet.rules = this.rules;
    return sheet;
  }

  /** Every place where a cell may be painted. */
  places() {
    const found = [];
    const wide = this.lattice.columns(this.columns) + (this.lattice.name === "hex" ? 1 : 0);
    for (let row = 0; row < this.rows; row += 1) {
      for (let column = 0; column < wide; column += 1) {
        const fits = this.lattice.has([row, column]) !== Boolean(this.odd);
        if (this.lattice.name !== "hex" || fits) found.push([row, column]);
      }
    }
    return found;
  }

  resize(rows, columns) {
    const before = new Set(this.places().map(key));
    this.rows = rows;
    this.columns = columns;
    const places = new Set(this.places().map(key));
    for (const place of [...this.cells.keys()]) if (!places.has(place)) this.cells.delete(place);
    for (const place of places) if (!before.has(place)) this.cells.set(place, ".");
    this.placed = this.placed.filter((piece) => piece.cells.every((cell) => places.has(key(cell))));
  }

  /** Paint a place as a cell of a kind, or as no cell (undefined). */
  paint(cell, sign) {
    if (sign === undefined) this.cells.delete(key(cell));
    else this.cells.set(key(cell), sign);
    this.lift(cell);
  }

  /** Take the piece that covers a cell off the sheet. */
  lift(cell) {
    const name = key(cell);
    const before = this.placed.length;
    this.placed = this.placed.filter((piece) => !piece.cells.some((own) => key(own) === name));
    return this.placed.length < before;
  }

  /** The sign of a kind, new in the legend if need be. */
  signOf(kind, penalty) {
    const known = Object.entries(this.legend).find(([, ground]) =>
      ground.kind === kind && (ground.penalty ?? 1) === penalty);
    if (known) return known[0];
    const wanted = [...kind.toLowerCase(), ...SIGNS];
    const sign = wanted.find((each) => /[a-z]/.test(each) && !(each in this.legend));
    if (sign) this.legend[sign] = { kind, penalty };
    return sign;
  }

  kindOf(cell) {
    return this.legend[this.cells.get(key(cell))]?.kind ?? "plain";
  }

  /** Tiles to draw: places without a cell as holes while editing, pieces in their groups. */
  tiles({ editing, witness = [], marked = [] }) {
    const owners = new Map();
    [...this.placed, ...witness].forEach((piece, index) => {
      for (const cell of piece.cells) owners.set(key(cell), [piece.piece, `${piece.piece} ${index}`]);
    });
    const marks = new Set(marked.map(key));
    const places = new Map(this.places().map((cell) => [key(cell), cell]));
    for (const cell of marked) places.set(key(cell), cell);
    const tiles = [];
    for (const [place, at] of places) {
      const sign = this.cells.get(place);
      if (sign === undefined && !editing && !marks.has(place)) continue;
      const outline = this.lattice.outline(at);
      const [label, group] = owners.get(place) ?? ["", ""];
      const lettered = sign !== undefined && /[A-Z]/.test(sign);
      const role = sign === undefined ? "hole" : group || lettered ? "filled" : "open";
      tiles.push({ at, outline, label: label || (lettered ? sign : ""), group, role,
        kind: this.kindOf(at), marked: marks.has(place) });
    }
    return tiles;
  }
}
