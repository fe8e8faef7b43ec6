"""Square, hexagonal and triangular lattices behind one small interface.

A cell is ``(row, column)`` of its character in text. The three lattices write cells as follows.

square
    One character a cell. Four neighbours.
hex
    Double-width rows: cells of a row are two characters apart and the next row is shifted by
    one, so ``row + column`` has the same parity for all cells of one text. Six neighbours:
    ``(0, ±2)`` and ``(±1, ±1)``.
triangle
    One character a cell; a triangle points up if ``row + column`` is even. Three neighbours.

A translation of the hex and triangle lattices moves by an even ``rows + columns``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve.answers import Cell

Point: TypeAlias = tuple[float, float]
"""``(x, y)`` in units of a cell's width, y downwards."""

Map: TypeAlias = Callable[[Cell], Cell]


@dataclass(frozen=True)
class Symmetry:
    """A rotation or mirror that maps the lattice onto itself.

    Parameters
    ----------
    name : str
        In words: ``rotation by 90°``, ``left-right mirror``.
    image : callable
        The cell that a cell is taken to; defined on cells of even ``row + column`` where the
        lattice has two parities.
    mirrored : bool
        True for mirrors.
    """

    name: str
    image: Map
    mirrored: bool


@dataclass(frozen=True, eq=False)
class Lattice:
    """A lattice: its neighbours, its symmetries and its drawing.

    Parameters
    ----------
    name : str
        ``square``, ``hex`` or ``triangle``.
    symmetries : tuple of Symmetry
        The whole point group, identity first, rotations before mirrors.
    step : int
        Translations move by a multiple of this in ``rows + columns``: 1 or 2.
    neighbours : callable
        The cells that share a side with a cell, in reading order.
    outline : callable
        The corners of a cell as points, in units of a cell's side.

    Examples
    --------
    >>> SQUARE.neighbours((0, 0))
    ((-1, 0), (0, -1), (0, 1), (1, 0))
    >>> [len(lattice.symmetries) for lattice in (SQUARE, HEX, TRIANGLE)]
    [8, 12, 12]
    """

    name: str
    symmetries: tuple[Symmetry, ...]
    step: int
    neighbours: Callable[[Cell], tuple[Cell, ...]]
    outline: Callable[[Cell], tuple[Point, ...]]

    def symmetry(self, *, rotate: bool, mirror: bool) -> tuple[Symmetry, ...]:
        """Return the symmetries allowed; mirrors alone are the left-right mirror."""
        if rotate:
            return tuple(found for found in self.symmetries if mirror or not found.mirrored)
        wanted = {"identity", "left-right mirror"} if mirror else {"identity"}
        return tuple(found for found in self.symmetries if found.name in wanted)

    def normal(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return the cells moved to the top left and sorted.

        Rows begin at 0; columns begin at 0, or at 1 where parity forbids 0.

        Examples
        --------
        >>> SQUARE.normal([(3, 4), (2, 4)])
        ((0, 0), (1, 0))
        >>> HEX.normal([(0, 2), (1, 1)])
        ((0, 2), (1, 1))
        """
        given = sorted(cells)
        if not given:
            return ()
        top = given[0][0]
        left = min([column for _, column in given])
        left -= (top + left) % self.step
        return tuple([(row - top, column - left) for row, column in given])

    def even(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return hex cells moved by one column, if need be, to an even ``row + column``."""
        given = tuple(cells)
        if self.name == "hex" and given and sum(given[0]) % 2:
            return tuple((row, column + 1) for row, column in given)
        return given


def connected(lattice: Lattice, cells: Iterable[Cell]) -> bool:
    """Return whether the cells hang together by sides; none at all do.

    Examples
    --------
    >>> connected(SQUARE, [(0, 0), (1, 1)]), connected(HEX, [(0, 0), (1, 1)])
    (False, True)
    """
    return len(regions(lattice, cells)) <= 1


def regions(lattice: Lattice, cells: Iterable[Cell]) -> tuple[tuple[Cell, ...], ...]:
    """Return the connected groups of cells, each sorted, in reading order of their first cell."""
    left = set(cells)
    groups: list[tuple[Cell, ...]] = []
    for start in sorted(left):
        if start not in left:
            continue
        left.discard(start)
        group, stack = [start], [start]
        while stack:
            for cell in lattice.neighbours(stack.pop()):
                if cell in left:
                    left.discard(cell)
                    group.append(cell)
                    stack.append(cell)
        groups.append(tuple(sorted(group)))
    return tuple(groups)


def _square_neighbours(cell: Cell) -> tuple[Cell, ...]:
    row, column = cell
    return ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))


def _hex_neighbours(cell: Cell) -> tuple[Cell, ...]:
    row, column = cell
    return (
        (row - 1, column - 1),
        (row - 1, column + 1),
        (row, column - 2),
        (row, column + 2),
        (row + 1, column - 1),
        (row + 1, column + 1),
    )


def _triangle_neighbours(cell: Cell) -> tuple[Cell, ...]:
    row, column = cell
    sides = ((row, column - 1), (row, column + 1))
    return (*sides, (row + 1, column)) if points_up(cell) else ((row - 1, column), *sides)


def points_up(cell: Cell) -> bool:
    """Return whether a cell of the triangular lattice points up."""
    return sum(cell) % 2 == 0


_SQUARE_MAPS: tuple[tuple[str, Map, bool], ...] = (
    ("identity", lambda cell: cell, False),
    ("rotation by 90°", lambda cell: (cell[1], -cell[0]), False),
    ("rotation by 180°", lambda cell: (-cell[0], -cell[1]), False),
    ("rotation by 270°", lambda cell: (-cell[1], cell[0]), False),
    ("left-right mirror", lambda cell: (cell[0], -cell[1]), True),
    ("top-bottom mirror", lambda cell: (-cell[0], cell[1]), True),
    ("mirror in the falling diagonal", lambda cell: (cell[1], cell[0]), True),
    ("mirror in the rising diagonal", lambda cell: (-cell[1], -cell[0]), True),
)

Cube: TypeAlias = tuple[int, int, int]
"""Three coordinates that sum to 0, one along each direction of a six-fold lattice."""


def _hex_cube(cell: Cell) -> Cube:
    row, column = cell
    along = (column - row) // 2
    return row, along, -row - along


def _hex_cell(cube: Cube) -> Cell:
    return cube[0], 2 * cube[1] + cube[0]


def _triangle_cube(cell: Cell) -> Cube:
    # Six times the centre of the triangle, seen from a corner of the lattice.
    row, column = cell
    half = 3 * row + (2 if points_up(cell) else 1)
    return 2 * half, 3 * column - half, -3 * column - half


def _triangle_cell(cube: Cube) -> Cell:
    return cube[0] // 6, (cube[1] + cube[0] // 2) // 3


def _six_fold(to_cube: Callable[[Cell], Cube], to_cell: Callable[[Cube], Cell]) -> list[Symmetry]:
    """Return the twelve symmetries of a six-fold lattice.

    A turn by 60° is a cyclic change of the cube coordinates with all signs changed; the
    left-right mirror exchanges the second and the third.
    """

    def turned(cube: Cube, sixths: int) -> Cube:
        for _ in range(sixths):
            cube = (-cube[2], -cube[0], -cube[1])
        return cube

    def rotation(sixths: int) -> Map:
        return lambda cell: to_cell(turned(to_cube(cell), sixths))

    def mirror(sixths: int) -> Map:
        def image(cell: Cell) -> Cell:
            first, second, third = to_cube(cell)
            return to_cell(turned((first, third, second), sixths))

        return image

    names = ("identity", *(f"rotation by {60 * sixths}°" for sixths in range(1, 6)))
    rotations = [Symmetry(name, rotation(sixths), False) for sixths, name in enumerate(names)]
    mirrors = [Symmetry(_mirror_name(sixths), mirror(sixths), True) for sixths in range(6)]
    return rotations + mirrors


def _mirror_name(sixths: int) -> str:
    # A turn by t after a mirror in the upright axis is a mirror in the axis turned by t/2.
    angle = (90 - 30 * sixths) % 180
    named = {90: "left-right mirror", 0: "top-bottom mirror"}
    return named.get(angle, f"mirror in the axis at {angle}°")


_HALF_WIDTH = 0.5
_HEX_ROW = math.sqrt(3) / 2
_HEX_SIDE = 1 / math.sqrt(3)


def _square_outline(cell: Cell) -> tuple[Point, ...]:
    row, column = float(cell[0]), float(cell[1])
    return ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))


def _hex_outline(cell: Cell) -> tuple[Point, ...]:
    x, y = cell[1] * _HALF_WIDTH, cell[0] * _HEX_ROW
    half = _HEX_SIDE / 2
    return (
        (x, y - _HEX_SIDE),
        (x + _HALF_WIDTH, y - half),
        (x + _HALF_WIDTH, y + half),
        (x, y + _HEX_SIDE),
        (x - _HALF_WIDTH, y + half),
        (x - _HALF_WIDTH, y - half),
    )


def _triangle_outline(cell: Cell) -> tuple[Point, ...]:
    left, top = cell[1] * _HALF_WIDTH, cell[0] * _HEX_ROW
    bottom = top + _HEX_ROW
    if points_up(cell):
        return ((left, bottom), (left + _HALF_WIDTH, top), (left + 1, bottom))
    return ((left, top), (left + 1, top), (left + _HALF_WIDTH, bottom))


SQUARE = Lattice(
    "square",
    tuple(Symmetry(*entry) for entry in _SQUARE_MAPS),
    1,
    _square_neighbours,
    _square_outline,
)
HEX = Lattice("hex", tuple(_six_fold(_hex_cube, _hex_cell)), 2, _hex_neighbours, _hex_outline)
TRIANGLE = Lattice(
    "triangle",
    tuple(_six_fold(_triangle_cube, _triangle_cell)),
    2,
    _triangle_neighbours,
    _triangle_outline,
)
LATTICES = {lattice.name: lattice for lattice in (SQUARE, HEX, TRIANGLE)}
