"""A sheet with its twelve pieces and die table: data files, and the conditions they must meet.

The published game's cell positions, colours, pieces and numbers are not public, so two
synthetic editions are shipped, labelled as such; everybody's own comes in the same format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

from tilesolve.answers import Cell, Json
from tilesolve.geometry.lattice import HEX
from tilesolve.geometry.piece import Piece, dump_pieces, letters, read_pieces
from tilesolve.geometry.sheet import Sheet, dump_sheet, read_sheet
from tilesolve.placement.build import placements
from tilesolve.wire import Node, parse

SYNTHETIC = ("synthetic-a", "synthetic-b")
"""The names of the editions shipped."""

LABEL = (
    "Synthetic: made by tilesolve for trying out and testing. This is not the published "
    "component list; cells, colours, pieces and numbers of the printed game are not public."
)
"""What every synthetic data file says of itself."""

DIE = range(1, 7)
HEXAGON, CIRCLE = "hexagon", "circle"
RED, BLUE = 3, 2
"""Penalties of an empty red and an empty blue circle (FM7); an empty hexagon costs 1."""

STANDARD_CELLS, STANDARD_PIECES, STANDARD_SIZE = 51, 12, 4
MOST_CELLS, MOST_PIECES = 200, 24


@dataclass(frozen=True)
class Edition:
    """A sheet, its pieces and the die number of each.

    Parameters
    ----------
    sheet : Sheet
        Hexagonal, of hexagons (penalty 1) and circles (penalty 3 for red, 2 for blue).
    pieces : tuple of Piece
        In the order of the file, names unique; every cell demands a kind.
    dice : tuple of int
        For each piece its number, 1 to 6.
    name : str
        The name it is shipped under, or empty.
    standard : bool
        False skips the conditions on sizes and counts.
    synthetic : bool
        True for made-up data; never the printed game's.
    """

    sheet: Sheet
    pieces: tuple[Piece, ...]
    dice: tuple[int, ...]
    name: str = ""
    standard: bool = True
    synthetic: bool = False

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells in reading order; cell ``i`` is bit ``i`` of every mask."""
        return tuple(sorted(self.sheet.grounds))

    @cached_property
    def numbers(self) -> dict[Cell, int]:
        """The bit of each cell."""
        return {cell: number for number, cell in enumerate(self.cells)}

    @cached_property
    def near(self) -> tuple[int, ...]:
        """For each cell the mask of its neighbours on the sheet."""
        numbers = self.numbers
        return tuple(
            sum(1 << numbers[beside] for beside in HEX.neighbours(cell) if beside in numbers)
            for cell in self.cells
        )

    @cached_property
    def penalties(self) -> tuple[int, ...]:
        """For each cell what it costs when it stays empty."""
        return tuple(self.sheet.grounds[cell].penalty for cell in self.cells)

    @cached_property
    def hexagons(self) -> int:
        """The mask of the hexagons."""
        return sum(
            1 << number
            for number, cell in enumerate(self.cells)
            if self.sheet.grounds[cell].kind == HEXAGON
        )

    @property
    def everything(self) -> int:
        """The mask of all cells."""
        return (1 << len(self.cells)) - 1

    @cached_property
    def placements(self) -> tuple[tuple[int, ...], ...]:
        """For each piece the masks of all its placements on the empty sheet, in cell order."""
        empty = replace(self.sheet, placed=(), lettered=())
        return tuple(
            tuple(self.mask(cells) for cells in sorted(set(placements(empty, piece))))
            for piece in self.pieces
        )

    @cached_property
    def places(self) -> dict[str, int]:
        """The index of each piece's name."""
        return {piece.name: index for index, piece in enumerate(self.pieces)}

    @cached_property
    def rolled(self) -> tuple[int, ...]:
        """For each die number, from index 1, the mask of its pieces (bit ``i`` is piece ``i``)."""
        return tuple(
            sum(1 << index for index, die in enumerate(self.dice) if die == number)
            for number in range(7)
        )

    def mask(self, cells: tuple[Cell, ...]) -> int:
        """Return the mask of those cells that are on the sheet."""
        numbers = self.numbers
        return sum(1 << numbers[cell] for cell in set(cells) if cell in numbers)

    def cells_of(self, mask: int) -> tuple[Cell, ...]:
        """Return the cells of a mask in reading order."""
        return tuple(cell for number, cell in enumerate(self.cells) if mask >> number & 1)


def read_edition(node: Node, *, standard: bool = True) -> Edition:
    """Read a sheet's name or a data file.

    Parameters
    ----------
    standard : bool
        False skips the conditions on sizes and counts, as the file's own ``"standard": false``.

    Raises
    ------
    InputError
        Naming every condition of the data file that does not hold.

    Examples
    --------
    >>> len(read_edition(Node("synthetic-a")).cells)
    51
    >>> read_edition(Node("side-a"))
    Traceback (most recent call last):
    tilesolve.errors.InputError: $: expected one of 'synthetic-a', 'synthetic-b', found "side-a"
    """
    if node.is_string:
        return shipped(node.string(*SYNTHETIC))
    known = ("lattice", "legend", "standard", "synthetic", "title")
    fields = node.object(*known, required=("rows", "pieces"))
    fields["standard"].boolean() if "standard" in fields else None
    if "title" in fields:
        fields["title"].string()
    skip = not standard or ("standard" in fields and not fields["standard"].boolean())
    sheet = _read_cells(node, fields)
    pieces, dice = _read_pieces(fields["pieces"], sheet)
    edition = Edition(
        sheet=sheet,
        pieces=pieces,
        dice=dice,
        standard=not skip,
        synthetic="synthetic" in fields and fields["synthetic"].boolean(),
    )
    wrong = () if skip else tuple(_unmet(edition))
    if wrong:
        raise node.error("; ".join(wrong))
    return edition


@cache
def shipped(name: str) -> Edition:
    """Return an edition that comes with the package."""
    file = resources.files("tilesolve_models.five_minute_puzzle") / "data" / f"{name}.json"
    edition = read_edition(parse(file.read_text(encoding="utf-8"), source=f"{name}.json"))
    return replace(edition, name=name)


def dump_edition(edition: Edition) -> Json:
    """Write an edition, by its name if it has one; `read_edition` reads it back."""
    if edition.name:
        return edition.name
    dumped: dict[str, Json] = dump_sheet(edition.sheet)
    entries = dump_pieces(edition.pieces, edition.sheet.legend)
    dumped["pieces"] = [
        {"name": entry["name"], "die": die, "rows": entry["rows"]}
        for entry, die in zip(entries, edition.dice, strict=True)
    ]
    if not edition.standard:
        dumped["standard"] = False
    if edition.synthetic:
        dumped["synthetic"] = True
    return dumped


def _read_cells(node: Node, fields: dict[str, Node]) -> Sheet:
    drawn = {name: fields[name].value for name in ("rows", "legend") if name in fields}
    if "lattice" in fields:
        fields["lattice"].string(HEX.name)
    fields["rows"].items(least=1)
    sheet = read_sheet(Node({"lattice": HEX.name, **drawn}, node.path, node.source))
    if not 0 < len(sheet.grounds) <= MOST_CELLS:
        message = f"a sheet has 1 to {MOST_CELLS} cells, found {len(sheet.grounds)}"
        raise fields["rows"].error(message)
    for sign, ground in sheet.legend.items():
        allowed = {HEXAGON: (1,), CIRCLE: (RED, BLUE)}.get(ground.kind)
        if allowed is None:
            raise fields["legend"].error(
                f"'{sign}' is of the kind '{ground.kind}'; kinds here are '{HEXAGON}' and "
                f"'{CIRCLE}'"
            )
        if ground.penalty not in allowed:
            worth = " or ".join(f"{penalty}" for penalty in allowed)
            raise fields["legend"].error(
                f"'{sign}', a {ground.kind}, costs {ground.penalty}; it must cost {worth} "
                "(hexagon 1, blue circle 2, red circle 3)"
            )
    for cell, ground in sheet.grounds.items():
        if ground.kind not in (HEXAGON, CIRCLE):
            raise fields["rows"].error(
                f"cell {list(cell)} is neither a hexagon nor a circle of the legend"
            )
    return sheet


def _read_pieces(node: Node, sheet: Sheet) -> tuple[tuple[Piece, ...], tuple[int, ...]]:
    entries = node.items(least=1, most=MOST_PIECES)
    dice: dict[str, int] = {}
    plain: list[Json] = []
    for index, entry in enumerate(entries):
        fields = entry.object("name", required=("die", "rows"))
        name = fields["name"].string() if "name" in fields else letters(index)
        if name in dice:
            raise entry.error(f"the piece '{name}' is listed twice")
        dice[name] = fields["die"].integer(DIE.start, DIE.stop - 1)
        fields["rows"].items(least=1)
        plain.append({"name": name, "rows": fields["rows"].value})
    found = read_pieces(
        Node(plain, node.path, node.source), lattice=HEX, legend=sheet.legend
    ).pieces
    # Congruent pieces come merged; here every name is a piece of its own.
    by_name = {
        name: replace(piece, name=name, least=1, most=1, also=())
        for piece in found
        for name in piece.names
    }
    pieces = tuple(by_name[name] for name in dice)
    for piece in pieces:
        if not all(kind for _, kind in piece.pattern):
            raise node.error(
                f"piece '{piece.name}' has a cell that is neither a hexagon nor a circle of "
                "the legend"
            )
    return pieces, tuple(dice.values())


def _unmet(edition: Edition) -> Iterator[str]:
    """Yield each condition of a standard data file that does not hold, in words."""
    cells, pieces = edition.cells, edition.pieces
    if len(cells) != STANDARD_CELLS:
        yield f"the sheet must have {STANDARD_CELLS} cells, found {len(cells)}"
    if len(pieces) != STANDARD_PIECES:
        yield f"there must be {STANDARD_PIECES} pieces, found {len(pieces)}"
    for piece in pieces:
        if piece.size != STANDARD_SIZE:
            yield f"piece '{piece.name}' must have {STANDARD_SIZE} cells, found {piece.size}"
    first: dict[object, str] = {}
    for piece in pieces:
        twin = first.setdefault(frozenset(piece.orientations), piece.name)
        if twin != piece.name:
            yield f"pieces '{twin}' and '{piece.name}' are the same piece; all must differ"
    owned = Counter(edition.dice)
    for number in DIE:
        if owned[number] != 2:
            yield f"die number {number} must own two pieces, found {owned[number]}"
    on_sheet = len(cells) - edition.hexagons.bit_count()
    on_pieces = sum(kind == CIRCLE for piece in pieces for _, kind in piece.pattern)
    if on_sheet != on_pieces:
        yield f"the sheet has {on_sheet} circles and the pieces have {on_pieces}; both must agree"


def circles(piece: Piece) -> int:
    """Return how many circles a piece has."""
    return sum(kind == CIRCLE for _, kind in piece.pattern)
