"""A picture as SVG: coloured pieces, thick borders between them, signs for kinds.

The drawing brings its own paper, so it can be read on any page; where the reader prefers dark,
paper, ink and open cells change, the colours of the pieces do not.
"""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tilesolve.draw.canvas import clean, clip
from tilesolve.draw.palette import Paint, Texture, heat, ink, paints
from tilesolve.draw.picture import Picture, Role, Tile
from tilesolve.draw.signs import Sign, decimal, sign, signs
from tilesolve.geometry.lattice import Point

_SIDE = 44.0
"""Pixels of a cell's side."""

_MARGIN = 16.0
_LINE = 20.0
_LEAST_WIDTH = 260.0
_LETTER = 7.4
"""Width of a letter of the notes, on the safe side."""

_ROLES: Mapping[Role, str] = {
    "filled": "#c9c2b4",
    "card": "#fff6dc",
    "covered": "#b3aca0",
    "block": "#34495e",
    "wall": "#6b665e",
}
_STYLE = """
.ts-paper{fill:#fff}.ts-open{fill:#f3f1ec;stroke:#bdb7ab}.ts-ink{fill:#1a1a1a}
.ts-line{stroke:#1a1a1a}.ts-spot{fill:none;stroke:#8a857b}.ts-cell{stroke:#000;stroke-opacity:.18}
.ts-sign{fill:none;stroke:#1a1a1a}text{font-family:system-ui,'Segoe UI',Arial,sans-serif}
@media (prefers-color-scheme:dark){.ts-paper{fill:#16181c}.ts-open{fill:#2b2f36;stroke:#5a616c}
.ts-ink{fill:#ececec}.ts-line{stroke:#ececec}.ts-spot{stroke:#9aa0a8}.ts-sign{stroke:#ececec}}
"""
_STROKES: Mapping[Texture, str] = {
    "plain": "",
    "falling": "M-2 -2L14 14M-2 10L2 14M10 -2L14 2",
    "rising": "M-2 14L14 -2M-2 2L2 -2M10 14L14 10",
    "dots": "M6 6h.01",
    "bars": "M6 -1V13",
    "grid": "M6 -1V13M-1 6H13",
}

_Edge = tuple[Point, Point]


@dataclass(frozen=True)
class _Drawing:
    """Elements in a box whose corner is (0, 0), and the paints they need."""

    elements: tuple[str, ...]
    width: float
    height: float
    paints: frozenset[Paint]


def render(picture: Picture) -> str:
    """Draw one picture as an SVG document.

    Parameters
    ----------
    picture : Picture
        Groups are coloured in the order of their names; a piece that has one label in all its
        cells carries it once, in the cell nearest its middle.

    Returns
    -------
    str
        The document; the same picture gives the same text.

    Examples
    --------
    >>> from tilesolve.draw.picture import square
    >>> tile = Tile(at=(0, 0), outline=square((0, 0)), group="F", role="filled")
    >>> render(Picture(tiles=(tile,), title="One cell")).count("#f8d70e")
    1
    """
    drawing = _draw(picture, paints([picture]))
    return _document([(0.0, 0.0, drawing)], picture.title, picture.notes)


def sheet(pictures: Sequence[Picture], *, columns: int | None = None, title: str = "") -> str:
    """Draw many pictures on one page, a group in the same colour on all of them.

    Parameters
    ----------
    columns : int or None
        Pictures side by side, at least 1; None comes near the shape of an A4 page.

    Examples
    --------
    >>> sheet([Picture(tiles=(), title="first"), Picture(tiles=(), title="second")]).count("<g ")
    2
    """
    colours = paints(pictures)
    drawings = [_draw(picture, colours) for picture in pictures]
    wide = max((drawing.width for drawing in drawings), default=0.0)
    high = max((drawing.height for drawing in drawings), default=0.0)
    if columns is None:
        columns = (
            max(1, round(math.sqrt(len(drawings) * high / wide / math.sqrt(2)))) if wide else 1
        )
    placed = [
        (wide * (number % columns), high * (number // columns), drawing)
        for number, drawing in enumerate(drawings)
    ]
    return _document(placed, title or f"{len(drawings)} pictures", ())


def _document(
    placed: Sequence[tuple[float, float, _Drawing]], title: str, notes: Sequence[str]
) -> str:
    width = max((x + drawing.width for x, _, drawing in placed), default=_LEAST_WIDTH)
    height = max((y + drawing.height for _, y, drawing in placed), default=_LINE)
    used = sorted(
        {paint for _, _, drawing in placed for paint in drawing.paints},
        key=lambda paint: (paint.texture, paint.ink),
    )
    size = f'width="{decimal(width)}" height="{decimal(height)}"'
    box = f'viewBox="0 0 {decimal(width)} {decimal(height)}"'
    named = f'"{escape(clean(title) or "picture")}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" aria-label={named}>']
    lines.append(f"<title>{_text(title or 'picture')}</title>")
    if notes:
        lines.append(f"<desc>{_text(' '.join(notes))}</desc>")
    lines.append(f"<style>{_STYLE}</style>")
    patterns = dict.fromkeys(_pattern(paint) for paint in used if paint.texture != "plain")
    if patterns:
        lines.append("<defs>" + "".join(patterns) + "</defs>")
    lines.append(f'<rect class="ts-paper" {size}/>')
    for x, y, drawing in placed:
        lines.append(f'<g transform="translate({decimal(x)} {decimal(y)})">')
        lines.extend(drawing.elements)
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


def _pattern(paint: Paint) -> str:
    width = 3.5 if paint.texture == "dots" else 1.6
    return (
        f'<pattern id="{_pattern_name(paint)}" width="12" height="12"'
        f' patternUnits="userSpaceOnUse"><path d="{_STROKES[paint.texture]}" stroke="{paint.ink}"'
        f' stroke-width="{width}" stroke-linecap="round" stroke-opacity=".45"/></pattern>'
    )


def _pattern_name(paint: Paint) -> str:
    return f"ts-{paint.texture}-{'dark' if paint.ink == '#000000' else 'light'}"


def _draw(picture: Picture, colours: Mapping[str, Paint]) -> _Drawing:
    corners = [point for tile in picture.tiles for point in tile.outline]
    left = min((x for x, _ in corners), default=0.0)
    top = min((y for _, y in corners), default=0.0)
    board_width = (max((x for x, _ in corners), default=0.0) - left) * _SIDE
    board_height = (max((y for _, y in corners), default=0.0) - top) * _SIDE
    width = max(board_width + 2 * _MARGIN, _LEAST_WIDTH)
    letters = int((width - 2 * _MARGIN) / _LETTER)
    title = _wrapped(picture.title, int(letters * 0.85))
    notes = [line for note in _notes(picture) for line in _wrapped(note, letters)]
    aside = (width - board_width) / 2
    above = _MARGIN + len(title) * _LINE * 1.2
    pen = _Pen(picture, colours, aside - left * _SIDE, above - top * _SIDE)
    elements = [
        _caption(_MARGIN, _MARGIN + _LINE * (1.2 * number + 0.8), line, 17, bold=True)
        for number, line in enumerate(title)
    ]
    elements += pen.elements()
    below = above + board_height + (_LINE * 0.4 if picture.tiles else 0)
    elements += [
        _caption(_MARGIN, below + _LINE * (number + 0.9), line, 14)
        for number, line in enumerate(notes)
    ]
    below += len(notes) * _LINE
    kinds = signs(picture)
    elements += _kind_legend(kinds, below)
    below += len(kinds) * _LINE
    used = frozenset(colours[tile.group] for tile in picture.tiles if tile.group)
    return _Drawing(tuple(elements), width, below + _MARGIN, used)


def _notes(picture: Picture) -> tuple[str, ...]:
    shaded = any(tile.shade is not None for tile in picture.tiles)
    return (*picture.notes, *(("the darker, the higher",) if shaded else ()))


def _wrapped(text: str, letters: int) -> list[str]:
    return textwrap.wrap(clean(text), max(letters, 10))


def _caption(x: float, y: float, line: str, size: int, *, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{decimal(x)}" y="{decimal(y)}"'
    return f'<text class="ts-ink" {place} font-size="{size}"{weight}>{_text(line)}</text>'


def _kind_legend(kinds: Mapping[str, Sign], below: float) -> list[str]:
    lines = []
    for number, (kind, shape) in enumerate(kinds.items()):
        y = below + _LINE * (number + 0.6)
        path = sign(shape, (_MARGIN + 8, y), 7)
        lines.append(f'<path class="ts-sign" d="{path}" stroke-width="1.6"/>')
        lines.append(_caption(_MARGIN + 24, y + 5, kind, 14))
    return lines


@dataclass(frozen=True)
class _Pen:
    """Draws the tiles of a picture, moved by (x, y) pixels."""

    picture: Picture
    colours: Mapping[str, Paint]
    x: float
    y: float

    def elements(self) -> list[str]:
        """Return the layers from the bottom up."""
        tiles = self.picture.tiles
        sides = _sides(tiles)
        return [
            *self._cells(),
            *self._textures(),
            *self._borders(sides),
            *self._blocks(),
            *self._kinds(),
            *self._labels(sides),
            *self._marks(),
        ]

    def _outline(self, tile: Tile, scale: float = 1.0) -> str:
        """Return the tile's outline as path data, shrunk towards its middle."""
        middle_x, middle_y = _middle(tile)
        points = (
            self._point((middle_x + (x - middle_x) * scale, middle_y + (y - middle_y) * scale))
            for x, y in tile.outline
        )
        return "M" + "L".join(points) + "Z"

    def _point(self, point: Point) -> str:
        return f"{decimal(point[0] * _SIDE + self.x)} {decimal(point[1] * _SIDE + self.y)}"

    def _cells(self) -> list[str]:
        """One path for all the cells that are filled alike."""
        alike: dict[str, list[str]] = defaultdict(list)
        for tile in self.picture.tiles:
            scale = 0.6 if tile.role == "spot" and not tile.group else 1.0
            alike[self._filling(tile)].append(self._outline(tile, scale))
        return [f'<path {filling} d="{"".join(paths)}"/>' for filling, paths in alike.items()]

    def _filling(self, tile: Tile) -> str:
        colour = self._colour(tile)
        if tile.role == "spot" and not colour:
            return 'class="ts-spot" stroke-dasharray="3 4"'
        if not colour or _raised(tile):
            return 'class="ts-open"'
        return f'class="ts-cell" fill="{colour}"'

    def _colour(self, tile: Tile) -> str:
        if tile.shade is not None:
            return heat(tile.shade)
        if tile.group:
            return self.colours[tile.group].colour
        return _ROLES.get(tile.role, "")

    def _textures(self) -> list[str]:
        alike: dict[str, list[str]] = defaultdict(list)
        for tile in self.picture.tiles:
            if tile.group and tile.shade is None:
                paint = self.colours[tile.group]
                if paint.texture != "plain":
                    alike[_pattern_name(paint)].append(self._outline(tile))
        return [f'<path fill="url(#{name})" d="{"".join(d)}"/>' for name, d in alike.items()]

    def _borders(self, sides: Mapping[_Edge, Sequence[Tile]]) -> list[str]:
        lines = []
        for edge, tiles in sides.items():
            regions = {tile.region for tile in tiles} | ({""} if len(tiles) == 1 else set())
            if len(regions) > 1:
                lines.append(f"M{self._point(edge[0])}L{self._point(edge[1])}")
        if not lines:
            return []
        style = 'stroke-width="3" stroke-linecap="round" fill="none"'
        return [f'<path class="ts-line" {style} d="{"".join(lines)}"/>']

    def _blocks(self) -> list[str]:
        return [
            f'<path fill="{self._colour(tile)}" stroke="#000" stroke-width="2"'
            f' stroke-linejoin="round" d="{self._outline(tile, 0.78)}"/>'
            for tile in self.picture.tiles
            if _raised(tile)
        ]

    def _kinds(self) -> list[str]:
        shapes = signs(self.picture)
        drawn = []
        for tile in self.picture.tiles:
            if tile.kind in shapes:
                x, y = _middle(tile)
                centre = (x * _SIDE + self.x, y * _SIDE + self.y)
                path = sign(shapes[tile.kind], centre, _room(tile) * _SIDE * 0.68)
                stroke = self._stroke(tile)
                drawn.append(f'<path class="ts-sign"{stroke} stroke-width="1.6" d="{path}"/>')
        return drawn

    def _stroke(self, tile: Tile) -> str:
        colour = self._colour(tile)
        return f' style="stroke:{ink(colour)};stroke-opacity:.6"' if colour else ""

    def _labels(self, sides: Mapping[_Edge, Sequence[Tile]]) -> list[str]:
        drawn = []
        for tile in _labelled(self.picture.tiles, sides):
            label = _label(tile)
            x, y = _middle(tile)
            size = _room(tile) * _SIDE * (1.05, 0.9, 0.68)[min(len(label), 3) - 1]
            colour = self._colour(tile)
            fill = f'fill="{ink(colour)}"' if colour else 'class="ts-ink"'
            place = f'x="{decimal(x * _SIDE + self.x)}" y="{decimal(y * _SIDE + self.y)}"'
            drawn.append(
                f'<text {place} dy=".35em" text-anchor="middle" font-size="{decimal(size)}"'
                f' font-weight="600" {fill}>{_text(label)}</text>'
            )
        return drawn

    def _marks(self) -> list[str]:
        rings = "".join(self._outline(tile, 0.82) for tile in self.picture.tiles if tile.marked)
        if not rings:
            return []
        return [
            f'<path fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"'
            f' d="{rings}"/>'
            for colour, width in (("#fff", "6.5"), ("#d6006c", "3.2"))
        ]


def _raised(tile: Tile) -> bool:
    """Whether a tile is drawn as a block of its own that lies on its cell."""
    return tile.role == "block" and not tile.group


def _sides(tiles: Iterable[Tile]) -> dict[_Edge, list[Tile]]:
    """Return the tiles on either side of every edge."""
    sides: dict[_Edge, list[Tile]] = defaultdict(list)
    for tile in tiles:
        points = [(round(x, 4), round(y, 4)) for x, y in tile.outline]
        for first, second in zip(points, [*points[1:], *points[:1]], strict=True):
            sides[min(first, second), max(first, second)].append(tile)
    return sides


def _labelled(tiles: Iterable[Tile], sides: Mapping[_Edge, Sequence[Tile]]) -> list[Tile]:
    """Return the tiles that carry a label: of a piece in one label only the most central."""
    chosen = []
    for part in _parts(tiles, sides):
        labels = {_label(tile) for tile in part}
        if len(labels) == 1 and part[0].group:
            chosen.append(_most_central(part))
        else:
            chosen += part
    return [tile for tile in chosen if _label(tile)]


def _most_central(part: Sequence[Tile]) -> Tile:
    middles = [_middle(tile) for tile in part]
    centre = (sum(x for x, _ in middles) / len(part), sum(y for _, y in middles) / len(part))
    distances = [round(math.dist(middle, centre), 6) for middle in middles]
    return part[distances.index(min(distances))]


def _parts(tiles: Iterable[Tile], sides: Mapping[_Edge, Sequence[Tile]]) -> list[list[Tile]]:
    """Return the tiles that hang together within one group; others stand alone."""
    beside: dict[int, list[Tile]] = defaultdict(list)
    for pair in sides.values():
        for tile in pair:
            beside[id(tile)] += [other for other in pair if other is not tile]
    parts, seen = [], set()
    for start in tiles:
        if id(start) in seen:
            continue
        seen.add(id(start))
        part, stack = [start], [start] if start.group else []
        while stack:
            for tile in beside[id(stack.pop())]:
                if tile.group == start.group and id(tile) not in seen:
                    seen.add(id(tile))
                    part.append(tile)
                    stack.append(tile)
        parts.append(part)
    return parts


def _label(tile: Tile) -> str:
    own = clean(tile.label).strip()
    if not own and tile.role != "open":
        own = clean(tile.group).strip()
    return clip(own, 3)


def _middle(tile: Tile) -> Point:
    count = len(tile.outline)
    return sum(x for x, _ in tile.outline) / count, sum(y for _, y in tile.outline) / count


def _room(tile: Tile) -> float:
    """Return the distance from the middle to the nearest side."""
    x, y = _middle(tile)
    points = tile.outline
    return min(
        math.dist((x, y), ((ax + bx) / 2, (ay + by) / 2))
        for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True)
    )


def _text(text: str) -> str:
    return escape(clean(text), quote=False)
