"""Tiles and decks: a deck is a multiset of tiles to draw and a set of start tiles.

The published deck's list of shapes is not public. ``synthetic`` keeps its numbers of tiles by
size and makes up the shapes; a user's own deck is written in the same format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import resources

from tilesolve.answers import Cell, Json, Violation
from tilesolve.geometry.lattice import SQUARE, connected
from tilesolve.geometry.names import known, lettered
from tilesolve.geometry.shape import Shape
from tilesolve.wire import Node, parse

DECKS = ("synthetic",)
"""The decks that come with the game, as files in ``data``."""

CARDS = 40
START_TILES = 13
SIZES = range(1, 8)
START_SIZE = 8
MOST_TILES = 400
LARGEST_TILE = 20
"""Rows and columns a tile may be drawn with."""


@dataclass(frozen=True)
class Tile:
    """A tile: its shape up to turning and mirroring, and the name it goes by.

    Tiles of one shape are equal whatever they are called.

    Examples
    --------
    >>> Tile.of([(0, 0), (0, 1)], "I2") == Tile.of([(4, 3), (5, 3)], "upright")
    True
    """

    shape: tuple[Cell, ...]
    name: str = field(compare=False)

    @classmethod
    def of(cls, cells: Iterable[Cell], name: str) -> Tile:
        """Return the tile with this shape."""
        return cls(Shape.of(cells).free, name)

    @property
    def size(self) -> int:
        """Number of squares."""
        return len(self.shape)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The tile drawn with ``#`` and ``.``."""
        height = 1 + max(row for row, _ in self.shape)
        left = min(column for _, column in self.shape)
        width = 1 + max(column for _, column in self.shape) - left
        return tuple(
            "".join("#" if (row, column + left) in self.shape else "." for column in range(width))
            for row in range(height)
        )


@dataclass(frozen=True)
class Deck:
    """The tiles that are drawn, one entry for each card, and the start tiles.

    Parameters
    ----------
    tiles : tuple of Tile
        In the order of the file; equal copies stand side by side, each under its own name.
    start_tiles : tuple of Tile
        May be empty in a deck of one's own for grids without a start tile.
    name : str
        Of the data file, or empty for a deck given in full.
    label : str
        What it is, for people.
    """

    tiles: tuple[Tile, ...]
    start_tiles: tuple[Tile, ...] = ()
    name: str = ""
    label: str = ""

    @cached_property
    def counts(self) -> Counter[Tile]:
        """How often each tile occurs."""
        return Counter(self.tiles)

    def tile(self, name: str) -> Tile | None:
        """Return the tile or start tile of this name."""
        return next((t for t in (*self.tiles, *self.start_tiles) if t.name == name), None)

    def own(self, tile: Tile) -> Tile:
        """Return the tile under the name that this deck has for it, if it has one."""
        return next((t for t in (*self.tiles, *self.start_tiles) if t == tile), tile)


@lru_cache(maxsize=len(DECKS))
def named_deck(name: str) -> Deck:
    """Return one of `DECKS`.

    Examples
    --------
    >>> deck = named_deck("synthetic")
    >>> len(deck.tiles), len(deck.start_tiles), violations(deck, standard=True)
    (40, 13, ())
    """
    text = (resources.files(__package__) / "data" / f"{name}.json").read_text("utf-8")
    return replace(read_deck(parse(text, source=f"{name}.json")), name=name)


def read_deck(node: Node) -> Deck:
    """Read a deck: the name of a data file, a list of tiles, or an object.

    Raises
    ------
    InputError
        For an unknown name, a tile in several parts, or one name for two different tiles.

    Examples
    --------
    >>> deck = read_deck(Node({"tiles": ["I3", {"name": "L3", "count": 2}, ["##"]]}))
    >>> [(tile.name, copies) for tile, copies in deck.counts.items()]
    [('I3', 1), ('L3', 2), ('I2', 1)]
    """
    if node.is_string:
        name = node.string()
        if name not in DECKS:
            listed = ", ".join(f"'{known_deck}'" for known_deck in DECKS)
            raise node.expected(f"a deck that comes with the game ({listed}), a deck or null")
        return named_deck(name)
    if node.is_list:
        return Deck(_read_tiles(node))
    fields = node.object("label", "start_tiles", required=("tiles",))
    tiles = _read_tiles(fields["tiles"])
    start_tiles = _read_tiles(fields["start_tiles"]) if "start_tiles" in fields else ()
    _demand_names(node, (*tiles, *start_tiles))
    label = fields["label"].string() if "label" in fields else ""
    return Deck(tiles, start_tiles, label=label)


def dump_deck(deck: Deck) -> Json:
    """Write a deck; `read_deck` reads it back."""
    if deck.name:
        return deck.name
    dumped: dict[str, Json] = {"label": deck.label} if deck.label else {}
    named = {tile.name: tile for tile in deck.tiles}
    copies = Counter(tile.name for tile in deck.tiles)
    dumped["tiles"] = [
        {"name": name, "rows": list(tile.rows), "count": copies[name]}
        for name, tile in named.items()
    ]
    dumped["start_tiles"] = [
        {"name": tile.name, "rows": list(tile.rows)} for tile in deck.start_tiles
    ]
    return dumped


def read_tile(node: Node, deck: Deck | None) -> Tile:
    """Read a tile by its name in the deck, its name in the field, or its rows.

    Rows are a list, or one text with ``/`` between them.

    Examples
    --------
    >>> read_tile(Node("P5"), None) == read_tile(Node(["##", "##", ".#"]), None)
    True
    """
    if node.is_list:
        tile = _drawn(node, "")
    else:
        name = node.string()
        listed = deck.tile(name) if deck else None
        if listed is not None:
            return listed
        tile = _written(node) if set(name) <= set("#./") else _known(node)
    if deck is None:
        return tile
    tile = deck.own(tile)
    taken = deck.tile(tile.name) not in (None, tile)
    return replace(tile, name="/".join(tile.rows)) if taken else tile


def dump_tile(tile: Tile, deck: Deck | None) -> Json:
    """Write a tile by name where that says which it is, else by rows."""
    listed = deck.tile(tile.name) if deck else None
    if listed is None:
        shape = known(tile.name)
        listed = Tile.of(shape.cells, tile.name) if shape else None
    return tile.name if listed == tile else list(tile.rows)


def violations(deck: Deck, *, standard: bool) -> tuple[Violation, ...]:
    """Return what is wrong with a deck: numbers and sizes of the published game, equal tiles.

    Examples
    --------
    >>> twice = Deck((), (Tile.of([(0, 0)], "a"), Tile.of([(0, 0)], "b")))
    >>> [found.code for found in violations(twice, standard=False)]
    ['start-tiles-equal']
    """
    return tuple(_violations(deck, standard))


def _violations(deck: Deck, standard: bool) -> Iterator[Violation]:
    if standard:
        yield from _counted(deck)
        yield from _sized(deck)
    for tile, copies in Counter(deck.start_tiles).items():
        if copies > 1:
            names = tuple(each.name for each in deck.start_tiles if each == tile)
            message = f"start tiles are all different, but {' and '.join(names)} are equal"
            yield Violation(code="start-tiles-equal", rule="SC1", message=message, pieces=names)


def _counted(deck: Deck) -> Iterator[Violation]:
    if len(deck.tiles) != CARDS:
        message = f"a deck has {CARDS} tiles, this one has {len(deck.tiles)}"
        yield Violation(code="deck-count", message=message)
    if deck.start_tiles and len(deck.start_tiles) != START_TILES:
        message = f"there are {START_TILES} start tiles, here are {len(deck.start_tiles)}"
        yield Violation(code="start-count", message=message)


def _sized(deck: Deck) -> Iterator[Violation]:
    for tile in deck.counts:
        if tile.size not in SIZES:
            message = f"tiles have 1 to 7 squares, {tile.name} has {tile.size}"
            yield Violation(code="tile-size", message=message, pieces=(tile.name,))
    for tile in deck.start_tiles:
        if tile.size != START_SIZE:
            message = f"start tiles have {START_SIZE} squares, {tile.name} has {tile.size}"
            yield Violation(
                code="start-tile-size", rule="SC1", message=message, pieces=(tile.name,)
            )


def _read_tiles(node: Node) -> tuple[Tile, ...]:
    tiles: list[Tile] = []
    for item in node.items(most=MOST_TILES):
        tile, copies = _entry(item)
        tiles += [tile] * copies
        if len(tiles) > MOST_TILES:
            raise node.error(f"a deck of more than {MOST_TILES} tiles is too large")
    _demand_names(node, tiles)
    return tuple(sorted(tiles, key=tiles.index))


def _entry(node: Node) -> tuple[Tile, int]:
    if not node.is_object:
        return read_tile(node, None), 1
    fields = node.object("name", "rows", "count")
    copies = fields["count"].integer(1, MOST_TILES) if "count" in fields else 1
    if "rows" in fields:
        name = fields["name"].string() if "name" in fields else ""
        return _drawn(fields["rows"], name), copies
    if "name" not in fields:
        raise node.error("a tile needs a 'name' or 'rows'")
    return _known(fields["name"]), copies


def _demand_names(node: Node, tiles: Iterable[Tile]) -> None:
    named: dict[str, Tile] = {}
    for tile in tiles:
        if named.setdefault(tile.name, tile) != tile:
            raise node.error(f"two different tiles are called '{tile.name}'")


def _known(node: Node) -> Tile:
    name = node.string()
    shape = known(name)
    if shape is None:
        raise node.error(
            f"no tile is called '{name}'; write a name of the deck, a polyomino's letter and size "
            'as P5, or its rows as ["##.", ".##"]'
        )
    return Tile.of(shape.cells, name)


def _written(node: Node) -> Tile:
    return _drawn(Node(node.string().split("/"), node.path, node.source), "")


def _drawn(node: Node, name: str) -> Tile:
    cells: list[Cell] = []
    for row, item in enumerate(node.items(least=1, most=LARGEST_TILE)):
        text = item.string()
        if len(text) > LARGEST_TILE:
            raise item.error(f"a tile has at most {LARGEST_TILE} columns, this row {len(text)}")
        cells += [(row, column) for column, sign in enumerate(text) if sign not in ". "]
    if not cells:
        raise node.error("the tile has no squares; '#' is a square, '.' is none")
    if not connected(SQUARE, cells):
        raise node.error("the tile is in several parts; its squares share sides")
    tile = Tile.of(cells, name)
    return tile if name else replace(tile, name=_plain_name(tile))


def _plain_name(tile: Tile) -> str:
    """Return the letter and size of a small tile, or its rows for one without a letter."""
    for name, shape in lettered(SQUARE).items():
        if shape.free == tile.shape:
            return name if name[-1].isdigit() else f"{name}5"
    return "/".join(tile.rows)
