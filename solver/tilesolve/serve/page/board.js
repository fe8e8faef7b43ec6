// A picture that can be pointed at, with a mouse, a finger, or arrow keys and Enter.

import { draw, el, middle, shadow } from "./draw.js";
import { key } from "./lattice.js";

const UNIT = 44;

/**
 * Calls `pointed(cell, event)` for a click or Enter, `over(cell)` when pointer or cursor moves
 * (undefined when it leaves), `dragged(cell)` while a pressed pointer moves over further cells.
 */
export class Board {
  #tiles = [];
  #cursor = undefined;
  #pressed = undefined;

  constructor(label, { pointed = () => {}, over = () => {}, dragged } = {}) {
    this.svg = el("svg", { class: "board", tabindex: 0, role: "application", "aria-label": label });
    this.handlers = { pointed, over, dragged };
    this.shadow = el("path", { class: "shadow" });
    this.cursor = el("path", { class: "cursor" });
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    this.svg.addEventListener("pointermove", (event) => this.#move(event));
    this.svg.addEventListener("pointerup", () => { this.#pressed = undefined; });
    this.svg.addEventListener("pointercancel", () => { this.#pressed = undefined; });
    this.svg.addEventListener("pointerleave", () => this.handlers.over(undefined));
    this.svg.addEventListener("keydown", (event) => this.#typed(event));
    this.svg.addEventListener("focus", () => this.#showCursor());
    this.svg.addEventListener("blur", () => this.cursor.setAttribute("d", ""));
  }

  /** Show these tiles. */
  show(tiles, paints) {
    this.#tiles = tiles;
    draw(this.svg, tiles, paints);
    this.svg.append(this.shadow, this.cursor);
    if (!this.tileAt(this.#cursor)) this.#cursor = tiles[0]?.at;
    this.svg.setAttribute("data-cells", tiles.length);
    if (document.activeElement === this.svg) this.#showCursor();
  }

  tileAt(cell) {
    return cell && this.#tiles.find((tile) => key(tile.at) === key(cell));
  }

  /** Show where a piece would lie; `good` says whether it may. */
  cast(outlines, good = true) {
    this.shadow.setAttribute("d", shadow(outlines, 0.92));
    this.shadow.classList.toggle("bad", !good);
  }

  #at(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return undefined;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return this.#tiles.find((tile) => inside(tile.outline, x / UNIT, y / UNIT))?.at;
  }

  #down(event) {
    const cell = this.#at(event);
    if (!cell) return;
    this.#cursor = cell;
    this.#pressed = key(cell);
    this.handlers.pointed(cell, event);
    if (this.handlers.dragged) this.svg.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const cell = this.#at(event);
    this.handlers.over(cell);
    if (cell && this.#pressed !== undefined && this.#pressed !== key(cell)) {
      this.#pressed = key(cell);
      this.handlers.dragged?.(cell);
    }
  }

  #typed(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (ways[event.key]) {
      event.preventDefault();
      this.#step(...ways[event.key]);
    } else if ((event.key === "Enter" || event.key === " ") && this.#cursor) {
      event.preventDefault();
      this.handlers.pointed(this.#cursor, event);
    }
  }

  /** Move the cursor to the nearest tile in a direction. */
  #step(right, down) {
    const here = this.tileAt(this.#cursor);
    if (!here) return;
    const [x, y] = middle(here.outline);
    let best;
    for (const tile of this.#tiles) {
      const [tx, ty] = middle(tile.outline);
      const along = (tx - x) * right + (ty - y) * down;
      const across = Math.abs((tx - x) * down) + Math.abs((ty - y) * right);
      if (along < 0.2 || across > 2 * along) continue;
      const cost = along + 2 * across;
      if (!best || cost < best.cost) best = { cost, tile };
    }
    if (best) this.#cursor = best.tile.at;
    this.#showCursor();
    this.handlers.over(this.#cursor);
  }

  #showCursor() {
    const tile = this.tileAt(this.#cursor);
    this.cursor.setAttribute("d", tile ? shadow([tile.outline], 0.9) : "");
    const what = tile && [tile.label || (tile.role ?? "open"), tile.kind !== "plain" && tile.kind];
    const text = tile ? `row ${tile.at[0]}, column ${tile.at[1]}: ${what.filter(Boolean).join(", ")}` : "";
    this.svg.setAttribute("aria-description", text);
  }
}

function inside(outline, x, y) {
  let within = false;
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  });
  return within;
}
