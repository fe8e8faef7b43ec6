// Ways of making a move by pointing, one for each family of games.
//
// A way has `panel(position)`, which returns elements for the Move panel, and may have
// `pointed(cell)`, `over(cell)` and `marks()`. `table` is the play page: its state, its legal
// moves, and `play(move)`, which refuses with the reason what the rules forbid.

import { ask } from "./api.js";
import { button, h, select } from "./dom.js";
import { LATTICES, cellsOfRows, heldOver, key, normal } from "./lattice.js";
import { inWords, same } from "./moves.js";
import { Hand, thumbnail } from "./pieces.js";

/** A list of legal moves, shortened by what was pointed at. */
export class Listing {
  help = "Point at what a move is about until one move is left, or choose it here.";

  constructor(table) {
    this.table = table;
    this.chosen = [];
  }

  /** The moves that the list offers; other ways take some away. */
  offered() {
    return this.table.moves;
  }

  #fitting() {
    return this.offered().filter((move) => {
      const cells = new Set(this.table.cellsOf(move).map(key));
      return this.chosen.every((cell) => cells.has(key(cell)));
    });
  }

  panel() {
    const fitting = this.#fitting();
    const shown = fitting.slice(0, 300);
    if (!shown.length) return [];
    if (shown.length <= 8) {
      return [h("div", { class: "row" }, shown.map((move) => button(inWords(move), () => this.table.play(move))))];
    }
    const list = select("Moves", shown.map((move, index) => [index, inWords(move)]), 0);
    return [h("div", { class: "row" }, list.field, button("Make this move", () => this.table.play(shown[list.input.value])))];
  }

  pointed(cell) {
    this.chosen = this.chosen.some((own) => same(own, cell)) ? [] : [...this.chosen, cell];
    const fitting = this.#fitting();
    if (fitting.length === 1) {
      this.table.play(fitting[0]);
      return;
    }
    if (!fitting.length) {
      this.chosen = [];
      this.table.say("No legal move goes there.", true);
    }
    this.table.refresh();
  }

  over() {}

  marks() {
    return this.chosen;
  }

  fresh() {
    this.chosen = [];
  }
}

/** Pieces that are turned, mirrored and laid on the sheet. */
export class Placing extends Listing {
  help = "Choose a piece, turn or mirror it, then point at where its middle goes.";

  constructor(table, lattice) {
    super(table);
    this.lattice = LATTICES[lattice];
    this.hand = new Hand(() => this.table.refresh());
    this.shapes = new Map();
  }

  async prepare() {
    const names = this.#names().filter((name) => !this.shapes.has(name));
    for (const move of this.table.moves) {
      const name = nameOf(move);
      if (name !== undefined && !this.shapes.has(name)) this.shapes.set(name, normal(this.lattice, this.#withKinds(move.cells)));
    }
    for (const name of names.filter((each) => !this.shapes.has(each))) {
      const cells = await this.#shapeOf(JSON.parse(name));
      if (cells) this.shapes.set(name, normal(this.lattice, cells));
    }
  }

  /** The cells of a placement with the kinds of ground they lie on. */
  #withKinds(cells) {
    return cells.map((cell) => [...cell, this.table.kindAt(cell)]);
  }

  /** Where no placement shows a piece's shape, its rows or its name do. */
  async #shapeOf(tile) {
    if (Array.isArray(tile)) return cellsOfRows(this.lattice, tile);
    const { pieces, legend } = this.table.state.sheet ?? {};
    const drawn = pieces?.find((piece) => piece.name === tile);
    if (drawn) return cellsOfRows(this.lattice, drawn.rows, legend);
    const sheet = { lattice: this.lattice.name, rows: ["."] };
    const read = await ask("polyform", "read", { state: { sheet, pieces: [tile] } }).catch(() => undefined);
    return read && cellsOfRows(this.lattice, read.state.pieces[0].rows);
  }

  #names() {
    const { state, moves } = this.table;
    const named = moves.map(nameOf).filter((name) => name !== undefined);
    const lying = [...(state.turned_up ?? []), ...(state.start_tile ? [state.start_tile] : [])].map((tile) => JSON.stringify(tile));
    return [...new Set([...lying, ...named])];
  }

  offered() {
    return this.table.moves.filter((move) => nameOf(move) === undefined);
  }

  panel() {
    const placeable = new Set(this.table.moves.map(nameOf));
    const entries = this.#names().filter((name) => this.shapes.has(name)).map((name) => {
      const held = this.hand.piece?.name === name;
      const label = labelOf(name);
      const cells = held ? this.hand.cells : this.shapes.get(name);
      const note = placeable.has(name) ? label : `${label}: no room`;
      return h("button", { type: "button", class: "piece", "aria-pressed": String(held), "aria-label": `tile ${note}`,
        onclick: () => this.hand.take(held ? undefined : { name, cells: this.shapes.get(name) }, this.lattice) },
      thumbnail(this.lattice, cells, this.table.paints.of(label), label), h("span", {}, note));
    });
    return [h("div", { class: "tray" }, entries.map((entry) => h("div", { class: "entry" }, entry))), this.hand.buttons(), ...super.panel()];
  }

  pointed(cell) {
    if (!this.hand.piece) {
      super.pointed(cell);
      return;
    }
    const cells = heldOver(this.lattice, this.hand.cells, cell);
    if (cells) this.table.play(this.#move(cells));
    else this.table.say("Turn the piece first: none of its cells points this way.", true);
  }

  #move(cells) {
    const { name } = this.hand.piece;
    const like = this.table.moves.find((move) => nameOf(move) === name);
    const word = this.table.game.game === "second-chance" ? "tile" : "piece";
    return { ...(like ?? { [word]: JSON.parse(name) }), cells };
  }

  over(cell) {
    const cells = cell && this.hand.piece && heldOver(this.lattice, this.hand.cells, cell);
    if (!cells) {
      this.table.board.cast([]);
      return;
    }
    const wanted = new Set(cells.map(key));
    const good = this.table.moves.some((move) => nameOf(move) === this.hand.piece.name
      && move.cells.every((own) => wanted.has(key(own))));
    this.table.board.cast(cells.map(this.lattice.outline), good);
  }

  /** Pictures of the pieces that can be chosen, for printing. */
  thumbnails() {
    return this.#names().filter((name) => this.shapes.has(name)).map((name) =>
      thumbnail(this.lattice, this.shapes.get(name), this.table.paints.of(labelOf(name)), labelOf(name)));
  }

  fresh() {
    super.fresh();
    this.hand.piece = undefined;
  }

  typed(event) {
    this.hand.typed(event);
  }
}

const nameOf = (move) => {
  const tile = move.tile ?? (move.cells ? move.piece : undefined);
  return tile === undefined ? undefined : JSON.stringify(tile);
};

const labelOf = (name) => {
  const tile = JSON.parse(name);
  return Array.isArray(tile) ? tile.join("/") : tile;
};

/** Blocks that jump: point at a block, then at where it goes. */
export class Jumping extends Listing {
  help = "Point at a block, then at where it jumps.";

  offered() {
    return this.table.moves.filter((move) => !(move.to && move.cover === undefined));
  }

  #blockAt(cell) {
    return Object.entries(this.table.state.blocks ?? {}).find(([, at]) => same(at, cell))?.[0];
  }

  pointed(cell) {
    const block = this.#blockAt(cell);
    if (block !== undefined) {
      this.block = this.block === block ? undefined : block;
      this.table.refresh();
    } else if (this.block === undefined) {
      super.pointed(cell);
    } else {
      const value = Number(this.block);
      const onto = this.table.moves.find((move) => move.block === value && move.to && same(move.to, cell));
      const cover = this.table.moves.find((move) => move.block === value && move.cover === true && !move.to);
      const card = this.table.labelAt(cell) === this.block;
      this.table.play(onto ?? (card && cover ? cover : { block: value, to: cell }));
    }
  }

  marks() {
    if (this.block === undefined) return super.marks();
    const value = Number(this.block);
    return [this.table.state.blocks[this.block],
      ...this.table.moves.filter((move) => move.block === value && move.to).map((move) => move.to)];
  }

  fresh() {
    super.fresh();
    this.block = undefined;
  }
}

/** Cards of a hand that are played together, and a player to steal from. */
export class Group extends Listing {
  help = "Choose cards of the hand, here or in the picture (h; * is a Blocker card), then play them.";

  offered() {
    return [];
  }

  get hand() {
    const { state } = this.table;
    const mover = state.players.find((player) => player.name === state.to_move);
    return state.hand ?? (Array.isArray(mover?.hand) ? mover.hand.filter(Boolean) : []);
  }

  panel() {
    const { state } = this.table;
    const others = state.players.filter((player) => player.name !== state.to_move).map((player) => player.name);
    const victim = select("steal from", [["", "nobody"], ...others], this.victim ?? others[0] ?? "", (name) => { this.victim = name; });
    const cards = this.hand.map((cell) => button(`card ${cell.join(", ")}`, () => this.pointed(cell),
      { "aria-pressed": String(this.chosen.some((own) => same(own, cell))) }));
    return [h("p", {}, `${state.to_move} to move:`),
      h("div", { class: "row" }, cards), h("div", { class: "row" }, victim.field,
        button("Play these cards", () => this.table.play({ play: this.chosen,
          ...(victim.input.value ? { steal_from: victim.input.value } : {}) }), { class: "main" }))];
  }

  pointed(cell) {
    const without = this.chosen.filter((own) => !same(own, cell));
    this.chosen = without.length < this.chosen.length ? without : [...this.chosen, cell];
    this.table.refresh();
  }

}

/** Cards that are turned up by pointing at them. */
export class Flipping extends Listing {
  help = "Point at a card to turn it up.";

  pointed(cell) {
    const known = this.table.moves.some((move) => move.flip && same(move.flip, cell));
    if (known) super.pointed(cell);
    else this.table.play({ flip: cell }); // the rules say why not
  }
}

/** The way in which a game is played by pointing. */
export function wayOf(table) {
  switch (table.game.game) {
    case "second-chance": return new Placing(table, "square");
    case "five-minute-puzzle": return new Placing(table, "hex");
    case "lets-klack": return new Jumping(table);
    case "puzl-it": return new Group(table);
    case "new-year-puzzle": return new Flipping(table);
    default: return new Listing(table);
  }
}
