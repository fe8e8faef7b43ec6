"""A picture as text: readable without colour, and in consoles that know ASCII only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tilesolve.answers import Cell
from tilesolve.draw.canvas import Canvas, clean, clip, width
from tilesolve.draw.palette import Paint, heat, paints
from tilesolve.draw.picture import Picture, Role, Tile

_SIGNS: Mapping[Role, str] = {
    "open": ".",
    "filled": "#",
    "card": "?",
    "covered": "x",
    "block": "o",
    "spot": ":",
    "wall": "#",
}
_SIDES = {"marked": "[]", "block": "()", "covered": "{}"}
_JOINTS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""Box-drawing characters by the arms they have: 1 up, 2 right, 4 down, 8 left."""
_ASCII_JOINTS = " ||+||++-+-+++++"
_SLANTS = {False: ("╱", "╲", "│"), True: ("/", "\\", "|")}


@dataclass(frozen=True)
class _Shown:
    """A tile as text: its label with the signs beside it, its region and its colour."""

    label: str
    sides: str
    region: str
    colour: str


@dataclass(frozen=True)
class _Board:
    """Tiles by place on the paper, where long empty stretches are cut short."""

    tiles: Mapping[Cell, _Shown]
    rows: Mapping[int, int]
    columns: Mapping[int, int]
    only_ascii: bool

    @property
    def widest(self) -> int:
        return max((width(shown.label) for shown in self.tiles.values()), default=1)

    def region(self, row: int, column: int) -> str:
        shown = self.tiles.get((row, column))
        return shown.region if shown else ""

    def colour(self, cells: Iterable[Cell]) -> str:
        """Return the colour of all these cells if they are of one region, else none."""
        found = {
            (self.region(*cell), self.tiles[cell].colour) for cell in cells if cell in self.tiles
        }
        return next(iter(found))[1] if len(found) == 1 else ""


def render(
    picture: Picture,
    *,
    colour: bool = False,
    ascii: bool = False,  # noqa: A002  the name people look for
    coordinates: bool = True,
) -> str:
    """Draw a picture as lines of text.

    Squares stand in a grid with borders between regions, hexagons and triangles are outlined
    with slanted strokes. Everything that colour says is said by a sign, too: ``[ ]`` around
    what is marked, ``( )`` a block, ``{ }`` what is covered (in triangles ``*``, ``)`` and
    ``}`` behind the label), digits for shades, letters for kinds; a last line explains them.

    Parameters
    ----------
    colour : bool
        With colours behind the pieces, as sequences for terminals with 256 colours.
    ascii : bool
        ASCII characters only, for consoles with Windows code pages.
    coordinates : bool
        With the numbers of rows and columns at the edge.

    Returns
    -------
    str
        Lines without blanks at their ends; the last has no line end.

    Examples
    --------
    >>> from tilesolve.draw.picture import square
    >>> tiles = [Tile(at=(0, c), outline=square((0, c)), group=g, role="filled")
    ...          for c, g in enumerate("AAB")]
    >>> print(render(Picture(tiles=tuple(tiles)), ascii=True, coordinates=False))
    +-------+---+
    | A   A | B |
    +-------+---+
    """
    lines = [clean(picture.title, only_ascii=ascii)] if picture.title else []
    if picture.tiles:
        letters = _letters(picture.tiles)
        corners = Counter(len(tile.outline) for tile in picture.tiles).most_common(1)[0][0]
        period = 2 if corners in (3, 6) else 1  # where a cell points depends on row + column
        board = _board(picture, letters, period=period, only_ascii=ascii)
        draw = {3: _triangles, 6: _hexagons}.get(corners, _squares)
        canvas, down, across = draw(board)
        if coordinates:
            canvas = _numbered(board, canvas, down, across)
        lines += canvas.lines(colour=colour)
        lines += _legend(picture.tiles, letters, triangles=corners == 3)
    lines += [clean(note, only_ascii=ascii) for note in picture.notes]
    return "\n".join(line.rstrip(" ") for line in lines)


def _board(
    picture: Picture, letters: Mapping[str, str], *, period: int, only_ascii: bool
) -> _Board:
    rows = _squeezed([tile.at[0] for tile in picture.tiles], period)
    columns = _squeezed([tile.at[1] for tile in picture.tiles], period)
    colours = paints([picture])
    tiles = {
        (rows[tile.at[0]], columns[tile.at[1]]): _shown(tile, letters, colours, only_ascii)
        for tile in picture.tiles
    }
    return _Board(tiles, rows, columns, only_ascii)


def _squeezed(numbers: Iterable[int], period: int) -> dict[int, int]:
    """Return places for row or column numbers: gaps beyond 4 shrink by a multiple of a period."""
    places: dict[int, int] = {}
    before = place = 0
    for number in sorted(set(numbers)):
        gap = number - before if places else number % period
        place += gap if gap <= 4 else 4 - (4 - gap) % period
        places[number] = place
        before = number
    return places


def _shown(
    tile: Tile, letters: Mapping[str, str], colours: Mapping[str, Paint], only_ascii: bool
) -> _Shown:
    own = clean(tile.label, only_ascii=only_ascii).strip()
    label = own or _sign(tile, letters, only_ascii)
    sides = _SIDES["marked"] if tile.marked else _SIDES.get(tile.role, "  ")
    if tile.shade is not None:
        colour = heat(tile.shade)
    else:
        colour = colours[tile.group].colour if tile.group else ""
    return _Shown(clip(label, 3), sides, tile.region, colour)


def _sign(tile: Tile, letters: Mapping[str, str], only_ascii: bool) -> str:
    if tile.shade is not None:
        return str(min(9, max(0, int(tile.shade * 10))))
    if tile.role == "open":
        return letters.get(tile.kind, _SIGNS["open"])
    return clean(tile.group, only_ascii=only_ascii).strip() or _SIGNS[tile.role]


def _letters(tiles: Iterable[Tile]) -> dict[str, str]:
    """Return a small letter for each kind of open cell that is drawn without a label."""
    kinds = {tile.kind for tile in tiles if tile.role == "open" and not tile.label}
    letters: dict[str, str] = {}
    for kind in sorted(kinds - {"plain"}):
        wanted = [each for each in kind.lower() if each.isascii() and each.isalpha()]
        free = [
            each
            for each in (*wanted, *"abcdefghijklmnopqrstuvwxyz")
            if each not in letters.values()
        ]
        letters[kind] = free[0] if free else "?"
    return letters


def _legend(tiles: Iterable[Tile], letters: Mapping[str, str], *, triangles: bool) -> list[str]:
    tiles = tuple(tiles)
    used = {tile.role for tile in tiles if not tile.marked}
    marked = any(tile.marked for tile in tiles)
    sides = {name: "*" if name == "marked" else pair[1] for name, pair in _SIDES.items()}
    signs = sides if triangles else {name: " ".join(pair) for name, pair in _SIDES.items()}
    parts = [f"{signs['marked']} marked"] if marked else []
    parts += [f"{signs[role]} {role}" for role in ("block", "covered") if role in used]
    parts += [f"{letter} {clean(kind, only_ascii=True)}" for kind, letter in letters.items()]
    if any(tile.shade is not None and not tile.label for tile in tiles):
        parts.append("0-9 low to high")
    return [", ".join(parts)] if parts else []


def _numbered(
    board: _Board, canvas: Canvas, down: Mapping[int, int], across: Mapping[int, int]
) -> Canvas:
    """Return the canvas with numbers above and to the left, as many as there is room for."""
    margin = max(len(str(row)) for row in board.rows) + 1
    numbered = Canvas()
    for line, characters in canvas.characters.items():
        moved = {place + margin: each for place, each in characters.items()}
        numbered.characters[line + 1] = moved
    for line, colours in canvas.colours.items():
        numbered.colours[line + 1] = {place + margin: each for place, each in colours.items()}
    for row, place in board.rows.items():
        numbered.write(down[place] + 1, 0, str(row).rjust(margin - 1))
    free = 0
    for column, place in board.columns.items():
        text = str(column)
        start = margin + across[place] - (len(text) - 1) // 2
        if start >= free:
            numbered.write(0, start, text)
            free = start + len(text) + 1
    return numbered


_Drawn = tuple[Canvas, Mapping[int, int], Mapping[int, int]]
"""The canvas, the line of each row, and the middle place of each column."""


def _squares(board: _Board) -> _Drawn:
    inner = board.widest + 2
    canvas = Canvas()
    corners = {
        (row + down, column + right)
        for row, column in board.tiles
        for down in (0, 1)
        for right in (0, 1)
    }
    step = inner + 1
    joints = _ASCII_JOINTS if board.only_ascii else _JOINTS
    for row, column in sorted(corners):
        around = [(row - 1, column - 1), (row - 1, column), (row, column), (row, column - 1)]
        regions = [board.region(*cell) for cell in around]
        arms = sum(1 << arm for arm in range(4) if regions[arm] != regions[(arm + 1) % 4])
        middle = joints[arms]
        canvas.write(2 * row, step * column, middle, board.colour(around) if arms == 0 else "")
        _square_sides(board, canvas, (row, column), inner)
    for (row, column), shown in board.tiles.items():
        text = _centred(shown.sides[0] + shown.label + shown.sides[1], inner)
        canvas.write(2 * row + 1, step * column + 1, text, shown.colour)
    down = {row: 2 * row + 1 for row in board.rows.values()}
    across = {column: step * column + 1 + (inner - 1) // 2 for column in board.columns.values()}
    return canvas, down, across


def _square_sides(board: _Board, canvas: Canvas, cell: Cell, inner: int) -> None:
    """Draw the upper and the left side of a cell, or what shows there if there is no border."""
    row, column = cell
    strokes = ("-", "|") if board.only_ascii else ("─", "│")
    line, place = 2 * row, (inner + 1) * column
    own = board.region(row, column)
    if own != board.region(row - 1, column):
        canvas.write(line, place + 1, strokes[0] * inner)
    elif own:
        colour = board.colour([cell, (row - 1, column)])
        canvas.write(line, place + 1, " " * inner, colour)
    if own != board.region(row, column - 1):
        canvas.write(line + 1, place, strokes[1])
    elif own:
        canvas.write(line + 1, place, " ", board.colour([cell, (row, column - 1)]))


def _hexagons(board: _Board) -> _Drawn:
    r"""Draw each hexagon as ``/ \`` over ``| A |``; the lower sides belong to those below."""
    half = 2 if board.widest == 1 else 4
    rising, falling, upright = _SLANTS[board.only_ascii]
    canvas = Canvas()
    rim = {(row + 1, column + side) for row, column in board.tiles for side in (-1, 1)}
    rim |= {(row, column + 2) for row, column in board.tiles}
    for row, column in sorted(rim | set(board.tiles)):
        own = board.region(row, column)
        line, place = 2 * row + 1, half * (column + 1)
        if own != board.region(row, column - 2):
            canvas.write(line, place - half, upright)
        if own != board.region(row - 1, column - 1):
            canvas.write(line - 1, place - half // 2, rising)
        if own != board.region(row - 1, column + 1):
            canvas.write(line - 1, place + half // 2, falling)
    for (row, column), shown in board.tiles.items():
        line, place = 2 * row + 1, half * (column + 1)
        text = _centred(shown.sides[0] + shown.label + shown.sides[1], 2 * half - 1)
        canvas.write(line, place - half + 1, text, shown.colour)
        if shown.colour and shown.region == board.region(row, column - 2):
            canvas.write(line, place - half, " ", shown.colour)
    down = {row: 2 * row + 1 for row in board.rows.values()}
    across = {column: half * (column + 1) for column in board.columns.values()}
    return canvas, down, across


def _triangles(board: _Board) -> _Drawn:
    r"""Draw each triangle with slanted strokes, ``/\`` above or below, and a base line.

    A triangle is as many lines high as it is places wide at half its height.
    """
    high = 3 if board.widest == 1 else 5
    rising, falling, _ = _SLANTS[board.only_ascii]
    canvas = Canvas()
    rim = {(row, column + 1) for row, column in board.tiles}
    rim |= {(row + 1, column) for row, column in board.tiles}
    places = sorted(rim | set(board.tiles))
    for row, column in places:
        if (row + column) % 2 and board.region(row, column) != board.region(row - 1, column):
            canvas.write(high * row, high * column, "_" * (2 * high))
    for row, column in places:
        if board.region(row, column) != board.region(row, column - 1):
            up = (row + column) % 2 == 0
            for step in range(high):
                place = high * column + (high - 1 - step if up else step)
                canvas.write(high * row + step + 1, place, rising if up else falling)
    middle = high // 2
    for (row, column), shown in board.tiles.items():
        end = "*" if shown.sides == _SIDES["marked"] else shown.sides[1]
        text = _centred(shown.label, high - 2) + end
        canvas.write(high * row + middle + 1, high * column + middle + 1, text, shown.colour)
    down = {row: high * row + middle + 1 for row in board.rows.values()}
    across = {column: high * column + high - 1 for column in board.columns.values()}
    return canvas, down, across


def _centred(label: str, places: int) -> str:
    left = (places - width(label)) // 2
    return " " * left + label + " " * (places - width(label) - left)
