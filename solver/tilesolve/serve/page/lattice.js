// The three lattices, as the engine writes their cells: [row, column] of the character in text.

const HALF = 0.5;
const HIGH = Math.sqrt(3) / 2;
const SIDE = 1 / Math.sqrt(3);
const even = ([row, column]) => (row + column) % 2 === 0;

export const key = ([row, column]) => `${row},${column}`;
export const cellOf = (text) => text.split(",").map(Number);

function sixFold(toCube, toCell) {
  const turn = ([a, b, c]) => [-c, -a, -b];
  const flip = ([a, b, c]) => [a, c, b];
  return {
    turned: (cell) => toCell(turn(toCube(cell))),
    mirrored: (cell) => toCell(flip(toCube(cell))),
  };
}

const hexMaps = sixFold(
  ([row, column]) => [row, (column - row) / 2, -row - (column - row) / 2],
  ([row, along]) => [row, 2 * along + row],
);
const triangleMaps = sixFold(
  // Six times the centre of the triangle, seen from a corner of the lattice.
  ([row, column]) => {
    const half = 3 * row + (even([row, column]) ? 2 : 1);
    return [2 * half, 3 * column - half, -3 * column - half];
  },
  ([up, along]) => [Math.floor(up / 6), Math.floor((along + Math.floor(up / 2)) / 3)],
);

export const LATTICES = {
  square: {
    name: "square",
    step: 1,
    has: () => true,
    turned: ([row, column]) => [column, -row],
    mirrored: ([row, column]) => [row, -column],
    outline: ([row, column]) => [
      [column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1],
    ],
    columns: (count) => count,
  },
  hex: {
    name: "hex",
    step: 2,
    has: even,
    ...hexMaps,
    outline: ([row, column]) => {
      const [x, y] = [column * HALF, row * HIGH];
      return [
        [x, y - SIDE], [x + HALF, y - SIDE / 2], [x + HALF, y + SIDE / 2],
        [x, y + SIDE], [x - HALF, y + SIDE / 2], [x - HALF, y - SIDE / 2],
      ];
    },
    columns: (count) => 2 * count,
  },
  triangle: {
    name: "triangle",
    step: 2,
    has: () => true,
    ...triangleMaps,
    outline: (cell) => {
      const [left, top] = [cell[1] * HALF, cell[0] * HIGH];
      const bottom = top + HIGH;
      return even(cell)
        ? [[left, bottom], [left + HALF, top], [left + 1, bottom]]
        : [[left, top], [left + 1, top], [left + HALF, bottom]];
    },
    columns: (count) => count,
  },
};

/** Cells moved to the top left; where pointing depends on parity, by an even step. */
export function normal(lattice, cells) {
  const top = Math.min(...cells.map(([row]) => row));
  let left = Math.min(...cells.map(([, column]) => column));
  if (lattice.step === 2) left -= Math.abs(top + left) % 2;
  return cells
    .map(([row, column, ...kind]) => [row - top, column - left, ...kind])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** The cells of a piece given as rows of text; those that demand a kind have it as third entry. */
export function cellsOfRows(lattice, rows, legend = {}) {
  const cells = [];
  rows.forEach((line, row) => {
    [...line].forEach((sign, column) => {
      if (sign === "." || sign === " ") return;
      cells.push(sign in legend ? [row, column, legend[sign].kind] : [row, column]);
    });
  });
  if (lattice.name === "hex" && cells.length && !even(cells[0])) {
    return cells.map(([row, column, ...kind]) => [row, column + 1, ...kind]);
  }
  return cells;
}

const mapped = (map, cells) => cells.map(([row, column, ...kind]) => [...map([row, column]), ...kind]);

// A third entry of a cell, its kind, is carried along.
export const turned = (lattice, cells) => normal(lattice, mapped(lattice.turned, cells));
export const mirrored = (lattice, cells) => normal(lattice, mapped(lattice.mirrored, cells));

/**
 * The cells of a piece held over a cell: its most central cell lies there, of those that point
 * the same way. Undefined where none does.
 */
export function heldOver(lattice, cells, [row, column]) {
  const middle = (index) => cells.reduce((sum, cell) => sum + cell[index], 0) / cells.length;
  const [high, wide] = [middle(0), middle(1)];
  const away = (cell) => (cell[0] - high) ** 2 + (cell[1] - wide) ** 2;
  const fitting = cells.filter((cell) => {
    const moved = row - cell[0] + column - cell[1];
    return lattice.step === 1 || moved % 2 === 0;
  });
  if (!fitting.length) return undefined;
  const held = fitting.reduce((best, cell) => (away(cell) < away(best) ? cell : best));
  return cells.map(([r, c]) => [r + row - held[0], c + column - held[1]]);
}
