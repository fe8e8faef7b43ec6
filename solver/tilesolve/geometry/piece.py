"""Pieces: shapes you own, with counts, what turning is allowed, and kinds they demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from tilesolve.answers import Cell, Json
from tilesolve.geometry.lattice import HEX, SQUARE, Lattice, Map, connected, regions
from tilesolve.geometry.names import known, named_set, nearest_names
from tilesolve.geometry.shape import Forms, Shape
from tilesolve.geometry.sheet import MAX_CELLS, Ground, one_parity
from tilesolve.wire import Node

Pattern: TypeAlias = tuple[tuple[Cell, str], ...]
"""Cells in normal form, sorted, each with the kind it demands or ``""`` for any."""

MAX_COUNT = 100_000


@dataclass(frozen=True)
class Piece:
    """A piece of a list.

    Parameters
    ----------
    name : str
        Unique in its list.
    lattice : Lattice
        The lattice its cells are on.
    pattern : Pattern
        Its cells and the kinds they demand.
    least, most : int, int or None
        How many copies are to be used; `most` None is any number.
    rotate, mirror : bool
        What turning is allowed; mirrors without turns are the left-right mirror.
    optional : bool or None
        As written in the file; None when it was not written.
    penalty, value : int
        For `best`: for each copy left out, and for each copy used.
    also : tuple of str
        Names of congruent pieces that were merged into this one.

    Examples
    --------
    >>> piece = Piece.of("L3", ((0, 0), (0, 1), (1, 1)))
    >>> len(piece.orientations), piece.size
    (4, 3)
    """

    name: str
    lattice: Lattice
    pattern: Pattern
    least: int = 1
    most: int | None = 1
    rotate: bool = True
    mirror: bool = True
    optional: bool | None = None
    penalty: int = 0
    value: int = 0
    also: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, cells: Sequence[Cell], lattice: Lattice = SQUARE) -> Piece:
        """Return one copy of an untyped piece that may be turned and mirrored."""
        return cls(name, lattice, tuple((c, "") for c in Shape.of(cells, lattice).cells))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Its cells in normal form."""
        return tuple(cell for cell, _ in self.pattern)

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.pattern)

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name and those merged into it."""
        return (self.name, *self.also)

    @property
    def orientations(self) -> tuple[Pattern, ...]:
        """The distinct patterns under the allowed symmetries, sorted."""
        return _orientations(self.lattice, self.pattern, self.rotate, self.mirror)

    @property
    def outlines(self) -> Mapping[tuple[Cell, ...], tuple[Pattern, ...]]:
        """The orientations by their cells: those that differ only in kinds are together."""
        return _outlines(self.lattice, self.pattern, self.rotate, self.mirror)

    def turned(self, image: Map) -> Pattern:
        """Return the pattern under a symmetry's map, in normal form."""
        return _turned(self.lattice, self.pattern, image)


# A piece is copied often, with other counts; a server meets the same shapes again and again.
@lru_cache(maxsize=4096)
def _orientations(
    lattice: Lattice, pattern: Pattern, rotate: bool, mirror: bool
) -> tuple[Pattern, ...]:
    allowed = lattice.symmetry(rotate=rotate, mirror=mirror)
    return tuple(sorted({_turned(lattice, pattern, symmetry.image) for symmetry in allowed}))


@lru_cache(maxsize=4096)
def _outlines(
    lattice: Lattice, pattern: Pattern, rotate: bool, mirror: bool
) -> Mapping[tuple[Cell, ...], tuple[Pattern, ...]]:
    found: dict[tuple[Cell, ...], tuple[Pattern, ...]] = {}
    for turned in _orientations(lattice, pattern, rotate, mirror):
        cells = tuple([cell for cell, _ in turned])
        found[cells] = (*found.get(cells, ()), turned)
    return MappingProxyType(found)


def _turned(lattice: Lattice, pattern: Pattern, image: Map) -> Pattern:
    moved = [image(cell) for cell, _ in pattern]
    return _normal(lattice, moved, [kind for _, kind in pattern])


def _normal(lattice: Lattice, cells: Sequence[Cell], kinds: Sequence[str]) -> Pattern:
    top, left = lattice.normal(cells)[0] if cells else (0, 0)
    first = min(cells, default=(0, 0))
    down, right = top - first[0], left - first[1]
    return tuple(
        sorted(
            ((row + down, column + right), kind)
            for (row, column), kind in zip(cells, kinds, strict=True)
        )
    )


@dataclass(frozen=True)
class PieceList:
    """Pieces as read, congruent ones merged, and what was noticed on the way."""

    pieces: tuple[Piece, ...]
    notes: tuple[str, ...] = ()


def read_pieces(
    node: Node,
    *,
    lattice: Lattice = SQUARE,
    legend: Mapping[str, Ground] | None = None,
    forms: Forms = "free",
) -> PieceList:
    """Read a list of pieces in any of the forms of a pieces file.

    A list of row lists, names, set names or objects; an object from names to rows; an object
    with ``"pieces"``; or text as ``pentominoes``, ``F,I,L`` and ``dominoes*31``.

    Parameters
    ----------
    lattice : Lattice
        The sheet's lattice.
    legend : mapping
        The sheet's legend; its characters demand their kind in a piece.
    forms : {"free", "one-sided", "fixed"}
        How named sets are taken.

    Raises
    ------
    InputError
        Naming the piece, what was found and what would be right.

    Examples
    --------
    >>> [piece.name for piece in read_pieces(Node(["I3", ["##"]])).pieces]
    ['I3', 'B']
    >>> read_pieces(Node([["##", "#."], [".#", "##"]])).notes
    ("A and B are the same piece: taken as 2 copies of 'A'",)
    """
    reader = _Reader(lattice, legend or {}, forms)
    if node.is_string:
        found = list(reader.text(node))
    elif node.is_list:
        found = list(reader.listed(node))
    elif "pieces" in node.mapping():
        inner = node.object("pieces")["pieces"]
        return read_pieces(inner, lattice=lattice, legend=legend, forms=forms)
    else:
        found = [
            reader.drawn(rows, name=name) if rows.is_list else reader.entry(rows, name)
            for name, rows in node.mapping().items()
            if name != "comment"
        ]
    return _merged(found, node)


_TIMES = re.compile(r"(.+?)\*(\d{0,6})")


@dataclass(frozen=True)
class _Reader:
    lattice: Lattice
    legend: Mapping[str, Ground]
    forms: Forms

    def text(self, node: Node) -> Iterator[Piece]:
        words = [word.strip() for word in node.string().split(",")]
        for word in words:
            if not word:
                raise node.error("a name is missing between commas")
            yield from self.named(word, node)

    def listed(self, node: Node) -> Iterator[Piece]:
        for index, item in enumerate(node.items(most=MAX_COUNT)):
            if item.is_string:
                yield from self.named(item.string(), item)
            elif item.is_list:
                yield self.drawn(item, name=letters(index))
            elif item.is_object:
                yield self.entry(item, letters(index))
            else:
                raise item.expected("a name, a list of rows or an object")

    def named(self, word: str, node: Node) -> Iterator[Piece]:
        times = _TIMES.fullmatch(word)
        name = times[1] if times else word
        members = self.members(name)
        if members is None:
            shape = known(name, self.lattice)
            if shape is None:
                raise node.error(self.unknown(name))
            members = [self.untyped(name, shape)]
        for piece in members:
            yield _times(piece, times[2]) if times else piece

    def unknown(self, name: str) -> str:
        known_names = nearest_names(self.lattice)
        return (
            f"'{name}' is neither a piece nor a set of the {self.lattice.name} lattice; pieces "
            f"are {known_names}, sets are called pentominoes, tetrahexes, hexiamonds and so on"
        )

    def members(self, name: str) -> list[Piece] | None:
        if name == "calendar" and self.lattice is SQUARE:
            names = ("L", "N", "P", "U", "V", "Y", "Z", "O6")
            return [self.untyped(piece, _shape(piece)) for piece in names]
        plain = re.sub(r"^(free|one-sided|fixed)-", "", name)
        forms = name.removesuffix("-" + plain) if plain != name else self.forms
        found = named_set(f"{forms}-{plain}")
        if found is None or found[0][1].lattice is not self.lattice:
            return None
        return [
            replace(self.untyped(piece, shape), rotate=forms != "fixed", mirror=forms == "free")
            for piece, shape in found
        ]

    def untyped(self, name: str, shape: Shape) -> Piece:
        return Piece(name, self.lattice, tuple((cell, "") for cell in shape.cells))

    def entry(self, node: Node, default: str) -> Piece:
        if node.is_string:
            shape = known(node.string(), self.lattice)
            if shape is None:
                raise node.error(self.unknown(node.string()))
            return self.untyped(default, shape)
        fields = node.object(
            "name", "rows", "count", "mirror", "rotate", "optional", "penalty", "value"
        )
        name = fields["name"].string() if "name" in fields else default
        if not name:
            raise fields["name"].error("a piece's name must not be empty")
        if "rows" in fields:
            piece = self.drawn(fields["rows"], name=name)
        else:
            shape = known(name, self.lattice)
            if shape is None:
                raise node.error(f"'rows' is missing, and {self.unknown(name)}")
            piece = self.untyped(name, shape)
        return _with_flags(piece, fields)

    def drawn(self, node: Node, *, name: str) -> Piece:
        cells: list[Cell] = []
        kinds: list[str] = []
        for row, item in enumerate(node.items(most=MAX_CELLS)):
            for column, character in enumerate(item.string()):
                if character == "\t":
                    raise item.error(f"a tab in column {column}; use spaces")
                if character not in ". ":
                    cells.append((row, column))
                    ground = self.legend.get(character)
                    kinds.append(ground.kind if ground else "")
        if not cells:
            raise node.error(f"piece '{name}' is empty; '.' and space are empty, '#' is a cell")
        if len(cells) > MAX_CELLS:
            raise node.error(f"piece '{name}' has more cells than the limit of {MAX_CELLS}")
        if self.lattice is HEX:
            one_parity(node, cells)
            cells = list(self.lattice.even(cells))
        if not connected(self.lattice, cells):
            parts = [list(part[0]) for part in regions(self.lattice, cells)]
            raise node.error(
                f"piece '{name}' is in {len(parts)} parts, at {parts[0]} and {parts[1]}; "
                "the cells of a piece share sides"
            )
        return Piece(name, self.lattice, _normal(self.lattice, cells, kinds))


def _shape(name: str) -> Shape:
    shape = known(name)
    assert shape is not None
    return shape


def letters(index: int) -> str:
    """Return the name of an unnamed piece: A to Z, then A1 to Z1 and so on.

    Examples
    --------
    >>> letters(0), letters(25), letters(26)
    ('A', 'Z', 'A1')
    """
    turn, letter = divmod(index, 26)
    return chr(ord("A") + letter) + (str(turn) if turn else "")


def _times(piece: Piece, count: str) -> Piece:
    if not count:
        return replace(piece, least=0, most=None)
    return replace(piece, least=int(count), most=int(count))


def _with_flags(piece: Piece, fields: Mapping[str, Node]) -> Piece:
    least, most = _count(fields["count"]) if "count" in fields else (1, 1)
    optional = fields["optional"].boolean() if "optional" in fields else None
    return replace(
        piece,
        least=0 if optional else least,
        most=most,
        optional=optional,
        rotate=fields["rotate"].boolean() if "rotate" in fields else True,
        mirror=fields["mirror"].boolean() if "mirror" in fields else True,
        penalty=fields["penalty"].integer(0, 10**6) if "penalty" in fields else 0,
        value=fields["value"].integer(-(10**6), 10**6) if "value" in fields else 0,
    )


def _count(node: Node) -> tuple[int, int | None]:
    if node.is_string:
        node.string("any")
        return 0, None
    if node.is_list:
        low, high = (item.integer(0, MAX_COUNT) for item in node.items(least=2, most=2))
        if low > high:
            raise node.error(f"the count range [{low}, {high}] is empty; write [min, max]")
        return low, high
    if isinstance(node.value, bool) or not isinstance(node.value, int):
        raise node.expected('a whole number, [min, max] or "any"')
    number = node.integer(0, MAX_COUNT)
    return number, number


def _merged(found: Sequence[Piece], node: Node) -> PieceList:
    merged: dict[object, Piece] = {}
    by_name: dict[str, object] = {}
    notes: list[str] = []
    for piece in found:
        key = (piece.orientations, piece.optional is False, piece.penalty, piece.value)
        if by_name.setdefault(piece.name, key) != key:
            raise node.error(
                f"two different pieces are called '{piece.name}'; give each its own name"
            )
        first = merged.get(key)
        if first is None:
            merged[key] = piece
            continue
        names = tuple(dict.fromkeys((*first.also, piece.name)))
        merged[key] = replace(
            first,
            least=first.least + piece.least,
            most=None if first.most is None or piece.most is None else first.most + piece.most,
            optional=first.optional if first.optional == piece.optional else None,
            also=tuple(name for name in names if name != first.name),
        )
    for piece in merged.values():
        if piece.also:
            listed = " and ".join(piece.names)
            count = "any number" if piece.most is None else str(piece.most)
            notes.append(f"{listed} are the same piece: taken as {count} copies of '{piece.name}'")
        elif sum(other.name == piece.name for other in found) > 1:
            notes.append(f"'{piece.name}' is listed more than once: taken as {piece.most} copies")
    return PieceList(tuple(merged.values()), tuple(notes))


def dump_pieces(pieces: Sequence[Piece], legend: Mapping[str, Ground]) -> Json:
    """Write pieces so that `read_pieces` gives them back, merged names apart."""
    signs = {ground.kind: sign for sign, ground in reversed(list(legend.items()))}
    return [_dump_piece(piece, signs, _free_sign(legend)) for piece in pieces]


def _free_sign(legend: Mapping[str, Ground]) -> str:
    return next(sign for sign in "#*xo@" if sign not in legend)


def _dump_piece(piece: Piece, signs: Mapping[str, str], free: str) -> Json:
    height = 1 + max(row for row, _ in piece.cells)
    width = 1 + max(column for _, column in piece.cells)
    grid = [["."] * width for _ in range(height)]
    for (row, column), kind in piece.pattern:
        grid[row][column] = signs[kind] if kind else free
    dumped: dict[str, Json] = {"name": piece.name, "rows": ["".join(line) for line in grid]}
    if piece.most is None:
        dumped["count"] = "any"
    elif piece.optional is True and piece.least == 0:
        dumped["count"] = piece.most
    elif (piece.least, piece.most) != (1, 1):
        dumped["count"] = piece.most if piece.least == piece.most else [piece.least, piece.most]
    defaults = {"rotate": True, "mirror": True, "optional": None, "penalty": 0, "value": 0}
    for name, default in defaults.items():
        if getattr(piece, name) != default:
            dumped[name] = getattr(piece, name)
    return dumped
