// Pictures as SVG: the same look as the files that `tilesolve show --svg` writes.

const NS = "http://www.w3.org/2000/svg";
const UNIT = 44;

export const COLOURS = [
  "#f8d70e", "#435bcf", "#b13c14", "#6dc8eb", "#a27f9e", "#895284",
  "#f39a1f", "#8af5fe", "#db623e", "#b1b497", "#5588ec", "#d8f8b0",
];
const TEXTURES = ["plain", "falling", "rising", "dots", "bars", "grid"];
const STROKES = {
  falling: "M-2 -2L14 14M-2 10L2 14M10 -2L14 2",
  rising: "M-2 14L14 -2M-2 2L2 -2M10 14L14 10",
  dots: "M6 6h.01",
  bars: "M6 -1V13",
  grid: "M6 -1V13M-1 6H13",
};
const HEAT = ["#ffffd9", "#c7e9b4", "#41b6c4", "#225ea8", "#081d58"];
const ROLES = {
  filled: "#c9c2b4", card: "#fff6dc", covered: "#b3aca0", block: "#34495e", wall: "#6b665e",
};
const POLYGONS = { circle: [24, 0], square: [4, 45], triangle: [3, 90], diamond: [4, 90],
  hexagon: [6, 90], pentagon: [5, 90], cross: [4, 0, 0.4], star: [5, 90, 0.45] };

/** An SVG element with attributes and children. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const number = (value) => String(Math.round(value * 10) / 10);

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever stands out more. */
export const ink = (colour) => ((luminance(colour) + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff");

function heat(shade) {
  const place = Math.min(Math.max(shade, 0), 1) * (HEAT.length - 1);
  const low = Math.min(Math.floor(place), HEAT.length - 2);
  const [first, second] = [channels(HEAT[low]), channels(HEAT[low + 1])];
  const mixed = first.map((channel, i) => Math.round(channel + (second[i] - channel) * (place - low)));
  return `rgb(${mixed.join(",")})`;
}

/** Gives each group a colour and texture, and the same again on later pictures. */
export class Paints {
  #numbers = new Map();

  constructor(names = []) {
    names.forEach((name) => this.of(name));
  }

  of(group) {
    if (!this.#numbers.has(group)) this.#numbers.set(group, this.#numbers.size);
    const place = this.#numbers.get(group);
    const texture = TEXTURES[Math.floor(place / COLOURS.length) % TEXTURES.length];
    return { colour: COLOURS[place % COLOURS.length], texture };
  }
}

export function middle(outline) {
  const sum = outline.reduce(([x, y], point) => [x + point[0], y + point[1]], [0, 0]);
  return sum.map((value) => value / outline.length);
}

function room(outline) {
  const [x, y] = middle(outline);
  return Math.min(...outline.map(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    return Math.hypot((ax + bx) / 2 - x, (ay + by) / 2 - y);
  }));
}

function path(outline, scale = 1) {
  const [x, y] = middle(outline);
  const points = outline.map(([px, py]) =>
    `${number((x + (px - x) * scale) * UNIT)} ${number((y + (py - y) * scale) * UNIT)}`);
  return `M${points.join("L")}Z`;
}

function region(tile) {
  if (tile.group) return `group ${tile.group}`;
  if (tile.role === "open" || tile.role === "wall") return tile.role;
  return ["spot", "hole", "block"].includes(tile.role) ? "" : `alone ${tile.at}`;
}

function signShape(kind, kinds) {
  const names = Object.keys(POLYGONS);
  const named = names.find((name) => kind.toLowerCase().includes(name));
  if (named) return named;
  const free = names.filter((name) => !kinds.some((other) => other.toLowerCase().includes(name)));
  const others = kinds.filter((other) => !names.some((name) => other.toLowerCase().includes(name)));
  return free[others.indexOf(kind) % free.length] ?? "circle";
}

function signPath(shape, [x, y], radius) {
  const [corners, start, inner] = POLYGONS[shape];
  const count = inner ? 2 * corners : corners;
  const points = Array.from({ length: count }, (_, i) => {
    const angle = ((start + (360 / count) * i) * Math.PI) / 180;
    const far = inner && i % 2 ? radius * inner : radius;
    return `${number(x + far * Math.cos(angle))} ${number(y - far * Math.sin(angle))}`;
  });
  return `M${points.join("L")}Z`;
}

/** The sides between regions, as one path. */
function borders(tiles) {
  const sides = new Map();
  for (const tile of tiles) {
    tile.outline.forEach((point, i) => {
      const next = tile.outline[(i + 1) % tile.outline.length];
      const ends = [point, next].map(([x, y]) => `${number(x * UNIT)} ${number(y * UNIT)}`).sort();
      const name = ends.join("L");
      if (!sides.has(name)) sides.set(name, []);
      sides.get(name).push(region(tile));
    });
  }
  return [...sides]
    .filter(([, regions]) => new Set(regions.length === 1 ? [...regions, ""] : regions).size > 1)
    .map(([name]) => `M${name}`)
    .join("");
}

/** The tiles that carry a label: of a piece with one label only the most central. */
function labelled(tiles) {
  const groups = new Map();
  const chosen = [];
  for (const tile of tiles) {
    if (!tile.label || tile.label === "#") continue; // what "#" says in text, the colour says here
    const name = tile.group ? `${tile.group}\n${tile.label}` : undefined;
    if (name === undefined) chosen.push(tile);
    else if (groups.has(name)) groups.get(name).push(tile);
    else groups.set(name, [tile]);
  }
  for (const part of groups.values()) {
    const middles = part.map((tile) => middle(tile.outline));
    const [x, y] = middles.reduce((sum, m) => [sum[0] + m[0], sum[1] + m[1]], [0, 0])
      .map((value) => value / part.length);
    const far = middles.map((m) => Math.round(1e6 * Math.hypot(m[0] - x, m[1] - y)));
    chosen.push(part[far.indexOf(Math.min(...far))]);
  }
  return chosen;
}

function patterns(paints) {
  const made = new Map();
  for (const { colour, texture } of paints) {
    if (texture === "plain") continue;
    const id = `t-${texture}-${ink(colour) === "#000000" ? "dark" : "light"}`;
    made.set(id, el("pattern", { id, width: 12, height: 12, patternUnits: "userSpaceOnUse" },
      el("path", { d: STROKES[texture], stroke: ink(colour), "stroke-opacity": 0.45,
        "stroke-width": texture === "dots" ? 3.5 : 1.6, "stroke-linecap": "round" })));
  }
  return el("defs", {}, ...made.values());
}

function colourOf(tile, paints) {
  if (tile.shade !== undefined) return heat(tile.shade);
  if (tile.group) return paints.of(tile.group).colour;
  return ROLES[tile.role] ?? "";
}

const raised = (tile) => tile.role === "block" && !tile.group;

function cellShape(tile, paints) {
  const colour = colourOf(tile, paints);
  if (tile.role === "spot") return el("path", { d: path(tile.outline, 0.6), class: "spot" });
  if (tile.role === "hole") return el("path", { d: path(tile.outline, 0.94), class: "hole" });
  if (!colour || raised(tile)) return el("path", { d: path(tile.outline), class: "open" });
  return el("path", { d: path(tile.outline), class: "cell", fill: colour });
}

function labelShape(tile, paints) {
  const [x, y] = middle(tile.outline);
  const label = [...tile.label].slice(0, 3).join("");
  const size = room(tile.outline) * UNIT * [1.05, 0.9, 0.68][Math.min([...label].length, 3) - 1];
  const colour = colourOf(tile, paints);
  const fill = !colour ? undefined : colour.startsWith("#") ? ink(colour)
    : tile.shade > 0.55 ? "#fff" : "#000";
  return el("text", { x: number(x * UNIT), y: number(y * UNIT), dy: ".35em", "text-anchor": "middle",
    "font-size": number(size), class: "label", fill }, label);
}

/** Draw tiles into an SVG element, replacing what it showed. */
export function draw(svg, tiles, paints) {
  const points = tiles.flatMap((tile) => tile.outline);
  const xs = points.map(([x]) => x * UNIT);
  const ys = points.map(([, y]) => y * UNIT);
  const edge = 4;
  const [left, top] = tiles.length ? [Math.min(...xs) - edge, Math.min(...ys) - edge] : [0, 0];
  const width = tiles.length ? Math.max(...xs) - left + edge : UNIT;
  const height = tiles.length ? Math.max(...ys) - top + edge : UNIT;
  svg.setAttribute("viewBox", [left, top, width, height].map(number).join(" "));
  svg.style.setProperty("--wide", `${number(width)}px`);
  const groups = new Set(tiles.filter((tile) => tile.group).map((tile) => tile.group));
  const textured = tiles.filter((tile) =>
    tile.group && tile.shade === undefined && paints.of(tile.group).texture !== "plain");
  const kinds = [...new Set(tiles.map((tile) => tile.kind ?? "plain"))]
    .filter((kind) => kind !== "plain").sort();
  const rings = tiles.filter((tile) => tile.marked).map((tile) => path(tile.outline, 0.82)).join("");
  svg.replaceChildren(
    patterns([...groups].map((group) => paints.of(group))),
    ...tiles.map((tile) => cellShape(tile, paints)),
    ...textured.map((tile) => {
      const { colour, texture } = paints.of(tile.group);
      const tone = ink(colour) === "#000000" ? "dark" : "light";
      return el("path", { d: path(tile.outline), fill: `url(#t-${texture}-${tone})` });
    }),
    el("path", { d: borders(tiles), class: "border" }),
    ...tiles.filter(raised).map((tile) => el("path", { d: path(tile.outline, 0.78), class: "block",
      fill: colourOf(tile, paints) })),
    ...tiles.filter((tile) => (tile.kind ?? "plain") !== "plain").map((tile) => {
      const at = middle(tile.outline).map((value) => value * UNIT);
      const colour = colourOf(tile, paints);
      return el("path", { class: "sign", d: signPath(signShape(tile.kind, kinds), at,
        room(tile.outline) * UNIT * 0.68), stroke: colour.startsWith("#") ? ink(colour) : undefined });
    }),
    ...labelled(tiles).map((tile) => labelShape(tile, paints)),
    el("path", { d: rings, class: "ring-under" }),
    el("path", { d: rings, class: "ring" }),
  );
}

/** The outline of a set of cells as a path, for shadows and cursors. */
export const shadow = (outlines, scale = 1) => outlines.map((outline) => path(outline, scale)).join("");
