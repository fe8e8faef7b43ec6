"""Sheets: the cells you may use, what they are worth, and what lies on them already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from tilesolve.answers import Cell, Json, Placed
from tilesolve.errors import InputError
from tilesolve.geometry.lattice import HEX, LATTICES, SQUARE, TRIANGLE, Lattice, regions
from tilesolve.wire import Node

MAX_CELLS = 40_000
"""The largest sheet that is read."""


@dataclass(frozen=True)
class Ground:
    """What a cell is: its kind, and the penalty for leaving it open."""

    kind: str = "plain"
    penalty: int = 1


PLAIN = Ground()


@dataclass(frozen=True)
class SheetRules:
    """A sheet's own rules for `best`.

    Parameters
    ----------
    touch : bool
        Every piece touches what lies already; the first on an empty sheet lies anywhere.
    connected : bool
        What is filled stays in one connected group.
    region_penalty : int
        Penalty for each connected region of open cells.
    """

    touch: bool = False
    connected: bool = False
    region_penalty: int = 0


@dataclass(frozen=True)
class Sheet:
    """A sheet with what lies on it.

    Parameters
    ----------
    lattice : Lattice
        Where the cells are.
    grounds : mapping
        Every cell that belongs to the sheet, filled ones included, in reading order.
    lettered : tuple of Placed
        Connected groups of one capital letter in the rows.
    placed : tuple of Placed
        Pieces given with their cells, in the order they came.
    rules : SheetRules
        For `best`.
    legend : mapping
        Character to ground; pieces use it to demand a kind.

    Examples
    --------
    >>> sheet = rectangle(2, 3)
    >>> len(sheet.grounds), len(sheet.open)
    (6, 6)
    """

    lattice: Lattice
    grounds: Mapping[Cell, Ground]
    lettered: tuple[Placed, ...] = ()
    placed: tuple[Placed, ...] = ()
    rules: SheetRules = SheetRules()
    legend: Mapping[str, Ground] = field(default_factory=dict)

    @cached_property
    def filled(self) -> frozenset[Cell]:
        """The cells that something lies on; some may be off the sheet in an illegal state."""
        return frozenset(cell for piece in self.lying for cell in piece.cells)

    @property
    def lying(self) -> tuple[Placed, ...]:
        """All that lies on the sheet, lettered groups first."""
        return self.lettered + self.placed

    @cached_property
    def open(self) -> tuple[Cell, ...]:
        """The cells that nothing lies on, in reading order."""
        return tuple(cell for cell in sorted(self.grounds) if cell not in self.filled)

    @property
    def offset(self) -> int:
        """Parity of ``row + column`` of a hex sheet's cells; 0 on other lattices."""
        first = next(iter(self.grounds), (0, 0))
        return sum(first) % 2 if self.lattice is HEX else 0

    def with_placed(self, pieces: Iterable[Placed]) -> Sheet:
        """Return the sheet with more pieces on it."""
        return replace(self, placed=(*self.placed, *pieces))


def rectangle(rows: int, columns: int) -> Sheet:
    """Return an empty square sheet."""
    return plain_sheet(SQUARE, ((r, c) for r in range(rows) for c in range(columns)))


def plain_sheet(lattice: Lattice, cells: Iterable[Cell]) -> Sheet:
    """Return an empty sheet of plain cells."""
    return Sheet(lattice, dict.fromkeys(sorted(cells), PLAIN))


_NAME = re.compile(r"(?:(hex|triangle|square):)?(\d{1,7})x(\d{1,7})(?:-(centre|center|corners))?")
_DATE = re.compile(r"calendar:(\d{1,2})-(\d{1,2})")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def named_sheet(name: str) -> Sheet | None:
    """Return the sheet that a short name stands for, or None if it is no such name.

    Names are ``6x10``, ``8x8-centre`` (without the middle 2x2), ``8x8-corners`` (without the
    four corners), ``hex:4x10`` (a parallelogram, each row one column further right),
    ``triangle:4x10`` and ``calendar:10-06``.

    Raises
    ------
    InputError
        If the name means a sheet that cannot be: too large, no middle, no such date.

    Examples
    --------
    >>> len(named_sheet("8x8-centre").grounds), len(named_sheet("calendar:10-06").grounds)
    (60, 41)
    """
    date = _DATE.fullmatch(name)
    if date is not None:
        return calendar(int(date[1]), int(date[2]))
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    rows, columns = int(match[2]), int(match[3])
    _refuse_large(rows * columns, name)
    if match[1] == "hex":
        cells = {(r, r + 2 * c) for r in range(rows) for c in range(columns)}
    else:
        cells = {(r, c) for r in range(rows) for c in range(columns)}
    lattice = {"hex": HEX, "triangle": TRIANGLE}.get(match[1] or "", SQUARE)
    return plain_sheet(lattice, cells - _cut_out(match[4], rows, columns, lattice, name))


def _cut_out(cut: str | None, rows: int, columns: int, lattice: Lattice, name: str) -> set[Cell]:
    if cut is None:
        return set()
    if lattice is not SQUARE:
        raise InputError(f"'{name}': only square sheets can be cut by name")
    if cut == "corners":
        return {(r, c) for r in (0, rows - 1) for c in (0, columns - 1)}
    if rows % 2 or columns % 2 or not rows or not columns:
        raise InputError(f"'{name}': a middle 2x2 needs even numbers of rows and columns")
    row, column = rows // 2, columns // 2
    return {(r, c) for r in (row - 1, row) for c in (column - 1, column)}


def calendar(month: int, day: int) -> Sheet:
    """Return the calendar sheet of a date: 7x7 less six cells, month and day left out.

    Two rows of six months, then the days in rows of seven, three in the last.
    """
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1]:
        raise InputError(f"'calendar:{month:02}-{day:02}': there is no such date")
    months = [(index // 6, index % 6) for index in range(12)]
    days = [(2 + index // 7, index % 7) for index in range(31)]
    return plain_sheet(SQUARE, set(months + days) - {months[month - 1], days[day - 1]})


def _refuse_large(cells: int, name: str = "") -> None:
    if cells > MAX_CELLS:
        prefix = f"'{name}': " if name else ""
        raise InputError(f"{prefix}{cells} cells are more than the limit of {MAX_CELLS}")


def read_sheet(node: Node) -> Sheet:
    """Read a sheet: a short name, a list of rows, or an object.

    Raises
    ------
    InputError
        Naming the place and what would be right.

    Examples
    --------
    >>> sheet = read_sheet(Node(["A..", "A.#"]))
    >>> sheet.open, sheet.lettered[0].cells
    (((0, 1), (0, 2), (1, 1)), ((0, 0), (1, 0)))
    """
    if node.is_string:
        return _read_name(node)
    if node.is_list:
        return _read_rows(node, SQUARE, {})
    fields = node.object("lattice", "legend", "placed", "rules", required=("rows",))
    lattice = SQUARE
    if "lattice" in fields:
        lattice = LATTICES[fields["lattice"].string(*LATTICES)]
    legend = read_legend(fields["legend"]) if "legend" in fields else {}
    if fields["rows"].is_string:
        sheet = replace(_read_name(fields["rows"]), legend=legend)
    else:
        sheet = _read_rows(fields["rows"], lattice, legend)
    placed = read_placed(fields["placed"]) if "placed" in fields else ()
    rules = _read_rules(fields["rules"]) if "rules" in fields else SheetRules()
    return replace(sheet, placed=placed, rules=rules)


def _read_name(node: Node) -> Sheet:
    try:
        sheet = named_sheet(node.string())
    except InputError as error:
        raise node.error(error.message) from None
    if sheet is None:
        known = "6x10, 8x8-centre, 8x8-corners, hex:4x10, triangle:4x10, calendar:10-06"
        raise node.error(f"'{node.value}' is no sheet's name; names look like {known}")
    return sheet


def read_legend(node: Node) -> dict[str, Ground]:
    """Read a legend: one character to ``{"kind": ..., "penalty": ...}``."""
    legend: dict[str, Ground] = {}
    for character, entry in node.mapping().items():
        if character == "comment":
            entry.string()
            continue
        if len(character) != 1 or character in ".# \t" or _is_letter(character):
            raise entry.error(
                f"the legend's key '{character}' must be one character, "
                "not '.', '#', a space or a capital letter"
            )
        fields = entry.object("kind", "penalty")
        kind = fields["kind"].string() if "kind" in fields else PLAIN.kind
        penalty = fields["penalty"].integer(0, 10**6) if "penalty" in fields else 1
        legend[character] = Ground(kind, penalty)
    return legend


def read_placed(node: Node) -> tuple[Placed, ...]:
    """Read a list of ``{"piece": name, "cells": [[row, column], ...]}``."""
    placed = []
    for entry in node.items(most=MAX_CELLS):
        fields = entry.object(required=("piece", "cells"))
        cells = tuple(sorted(fields["cells"].cells(least=1)))
        if len(set(cells)) < len(cells):
            raise fields["cells"].error("a cell stands here twice")
        placed.append(Placed(piece=fields["piece"].string(), cells=cells))
    return tuple(placed)


def _read_rules(node: Node) -> SheetRules:
    fields = node.object("touch", "connected", "region_penalty")
    return SheetRules(
        touch=fields["touch"].boolean() if "touch" in fields else False,
        connected=fields["connected"].boolean() if "connected" in fields else False,
        region_penalty=(
            fields["region_penalty"].integer(0, 10**6) if "region_penalty" in fields else 0
        ),
    )


def _is_letter(character: str) -> bool:
    return "A" <= character <= "Z"


def _read_rows(node: Node, lattice: Lattice, legend: Mapping[str, Ground]) -> Sheet:
    grounds: dict[Cell, Ground] = {}
    letters: dict[str, list[Cell]] = {}
    for row, item in enumerate(node.items(most=MAX_CELLS)):
        for column, character in enumerate(item.string()):
            ground = _ground(character, legend, item, column)
            if ground is None:
                continue
            grounds[row, column] = ground
            if _is_letter(character):
                letters.setdefault(character, []).append((row, column))
            if len(grounds) > MAX_CELLS:
                raise node.error(f"more cells than the limit of {MAX_CELLS}")
    if lattice is HEX:
        one_parity(node, grounds)
    lettered = tuple(
        Placed(piece=letter, cells=group)
        for letter in sorted(letters)
        for group in regions(lattice, letters[letter])
    )
    return Sheet(lattice, grounds, lettered=lettered, legend=dict(legend))


def one_parity(node: Node, cells: Iterable[Cell]) -> None:
    """Raise `InputError` unless all hex cells have ``row + column`` of one parity."""
    found = sorted(cells)
    odd = next((cell for cell in found if sum(cell) % 2 != sum(found[0]) % 2), None)
    if odd is not None:
        raise node.error(
            f"cells {list(found[0])} and {list(odd)} cannot both be hex cells: cells of a row "
            "stand two characters apart and the next row is shifted by one"
        )


def _ground(character: str, legend: Mapping[str, Ground], node: Node, column: int) -> Ground | None:
    if character in "# ":
        return None
    if character == "." or _is_letter(character):
        return PLAIN
    if character in legend:
        return legend[character]
    if character == "\t":
        raise node.error(f"a tab in column {column}; use spaces")
    known = "".join(legend) or "no legend is given"
    raise node.error(
        f"unknown character '{character}' in column {column}; known are '.' open, '#' and space "
        f"for no cell, capital letters for filled cells, and the legend's ({known})"
    )


def dump_sheet(sheet: Sheet) -> Json:
    """Write a sheet so that `read_sheet` gives it back."""
    signs = {ground: sign for sign, ground in reversed(list(sheet.legend.items()))}
    letters = {cell: group.piece for group in sheet.lettered for cell in group.cells}
    height = 1 + max((row for row, _ in sheet.grounds), default=-1)
    width = 1 + max((column for _, column in sheet.grounds), default=-1)
    grid = [[" "] * width for _ in range(height)]
    for (row, column), ground in sheet.grounds.items():
        sign = "." if ground == PLAIN else signs[ground]
        grid[row][column] = letters.get((row, column), sign)
    dumped: dict[str, Json] = {"lattice": sheet.lattice.name}
    dumped["rows"] = ["".join(line).rstrip() for line in grid]
    if sheet.legend:
        dumped["legend"] = {
            sign: {"kind": ground.kind, "penalty": ground.penalty}
            for sign, ground in sheet.legend.items()
        }
    if sheet.placed:
        dumped["placed"] = [
            {"piece": piece.piece, "cells": [list(cell) for cell in piece.cells]}
            for piece in sheet.placed
        ]
    if sheet.rules != SheetRules():
        dumped["rules"] = dict(vars(sheet.rules))
    return dumped
