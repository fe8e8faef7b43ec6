"""From a sheet and pieces to a placement problem, and from options back to placed pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tilesolve.answers import Cell, Placed
from tilesolve.budget import Meter, each
from tilesolve.geometry.lattice import connected
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.raster import Raster, firsts
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.problem import Kind, Option, Problem

MAX_OPTIONS = 400_000
"""The most placements that a problem is built from."""

MAX_BITS = 4_000_000_000
"""The most bits, placements times cells, that the masks of a problem may have: half a gigabyte."""


class TooManyOptions(Exception):
    """More placements than `MAX_OPTIONS`; `total` is their number, counted before any is built."""

    def __init__(self, total: int) -> None:
        super().__init__(
            f"{total} placements are too many to be built; the limit is {MAX_OPTIONS}, "
            "less on very large sheets"
        )
        self.total = total


@dataclass(frozen=True)
class Layout:
    """A problem with the geometry it came from.

    `cells` and `pieces` are in the order of the problem's cells and kinds.
    """

    problem: Problem
    sheet: Sheet
    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...]

    @cached_property
    def numbers(self) -> dict[Cell, int]:
        """The number of each open cell."""
        return {cell: number for number, cell in enumerate(self.cells)}

    def placed(self, option: int) -> Placed:
        """Return an option as a placed piece."""
        chosen = self.problem.options[option]
        cells = tuple([self.cells[number] for number in chosen.cells()])
        return Placed(piece=self.pieces[chosen.kind].name, cells=cells)

    def witness(self, chosen: Iterable[int]) -> tuple[Placed, ...]:
        """Return a selection of options as placed pieces."""
        return tuple(self.placed(option) for option in chosen)


def build(
    sheet: Sheet,
    pieces: Sequence[Piece],
    *,
    cover: bool,
    limit: int = MAX_OPTIONS,
    meter: Meter | None = None,
) -> Layout:
    """Return the placement problem of the sheet's open cells.

    Parameters
    ----------
    pieces : sequence of Piece
        What is still to be placed, congruent pieces merged.
    cover : bool
        Whether every open cell is to be covered.
    limit : int
        The most placements to build.
    meter : Meter or None
        Limits of the question; None takes whatever time it takes.

    Raises
    ------
    TooManyOptions
        Before anything large is built.
    Stopped
        When the meter stops it.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> layout = build(rectangle(2, 2), [Piece.of("I2", ((0, 0), (0, 1)))], cover=False)
    >>> len(layout.problem.options), layout.placed(0).cells
    (4, ((0, 0), (0, 1)))
    """
    cells = sheet.open
    raster = Raster.of(sheet)
    fits = [_fits(raster, piece) for piece in pieces]
    total = sum(map(_how_many, fits))
    if total > limit or total * len(cells) > MAX_BITS:
        raise TooManyOptions(total)
    numbers = {cell: number for number, cell in enumerate(cells)}
    at = {raster.bit(cell): number for cell, number in numbers.items()}
    bits = [1 << number for number in range(len(cells))]
    options: list[Option] = []
    for kind, outlines in enumerate(fits):
        placed = _taken(outlines, at, meter)
        options += [Option(kind, sum([bits[number] for number in taken])) for taken in placed]
    adjacent = tuple(
        tuple([numbers[near] for near in sheet.lattice.neighbours(cell) if near in numbers])
        for cell in cells
    )
    kinds = tuple(Kind(piece.name, piece.least, piece.most) for piece in pieces)
    names = tuple(f"{row},{column}" for row, column in cells)
    whole = all(connected(piece.lattice, [cell for cell, _ in piece.pattern]) for piece in pieces)
    problem = Problem(names, kinds, tuple(options), cover, adjacent, cells, whole)
    return Layout(problem, sheet, cells, tuple(pieces))


def _taken(
    outlines: Sequence[_Outline], numbers: dict[int, int], meter: Meter | None
) -> list[tuple[int, ...]]:
    """Return the cell numbers, by bit of the raster, of every placement of a piece, sorted."""
    found: list[tuple[int, ...]] = []
    for steps, fits in each(meter, outlines, stride=1):
        found += [tuple([numbers[first + step] for step in steps]) for first in firsts(fits)]
    found.sort()
    return found


def placements(sheet: Sheet, piece: Piece) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of every placement of a piece on the open cells, each once, sorted.

    Every orientation is tried on every open cell, so none is lost, wherever the sheet has holes.
    Orientations in normal form lie on the same cells only if they differ in nothing but the kinds
    that they demand: these are one placement.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> list(placements(rectangle(1, 3), Piece.of("I2", ((0, 0), (0, 1)))))
    [((0, 0), (0, 1)), ((0, 1), (0, 2))]
    """
    return laid(Raster.of(sheet), piece)


def placement_counts(sheet: Sheet, pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Return the number of placements of each piece, without making them; 0 where none is left.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> placement_counts(rectangle(3, 4), [Piece.of("I2", ((0, 0), (0, 1)))])
    (17,)
    """
    raster = Raster.of(sheet)
    return tuple(_how_many(_fits(raster, piece)) for piece in pieces)


_Outline: TypeAlias = tuple[list[int], int]
"""An orientation: how far its cells are from its first, and the bits on which that can lie."""


def _fits(raster: Raster, piece: Piece) -> list[_Outline]:
    """Return the orientations of a piece, with the places where each fits; none if none is left."""
    if piece.most == 0:
        return []
    return [(raster.steps(alike[0]), raster.fits(*alike)) for alike in piece.outlines.values()]


def _how_many(outlines: Sequence[_Outline]) -> int:
    return sum(fits.bit_count() for _, fits in outlines)


def laid(raster: Raster, piece: Piece) -> Iterator[tuple[Cell, ...]]:
    """Yield the placements of a piece on a raster, as `placements` does."""
    for alike in piece.outlines.values():
        (first_row, first_column), _ = alike[0][0]
        rest = [(row - first_row, column - first_column) for (row, column), _ in alike[0]]
        for at_row, at_column in raster.places(*alike):
            yield tuple([(at_row + row, at_column + column) for row, column in rest])
