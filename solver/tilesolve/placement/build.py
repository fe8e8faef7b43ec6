"""From a sheet and pieces to a placement problem, and from options back to placed pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tilesolve.answers import Cell, Placed
from tilesolve.geometry.piece import Pattern, Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.problem import Kind, Option, Problem

MAX_OPTIONS = 400_000
"""The most placements that a problem is built from."""

MAX_BITS = 4_000_000_000
"""The most bits, placements times cells, that the masks of a problem may have: half a gigabyte."""


class TooManyOptions(Exception):
    """More placements than `MAX_OPTIONS`; `at_most` is the number counted before building."""

    def __init__(self, at_most: int) -> None:
        super().__init__(
            f"up to {at_most} placements are too many to be built; the limit is {MAX_OPTIONS}, "
            "less on very large sheets"
        )
        self.at_most = at_most


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
        cells = tuple(self.cells[number] for number in chosen.cells())
        return Placed(piece=self.pieces[chosen.kind].name, cells=cells)

    def witness(self, chosen: Iterable[int]) -> tuple[Placed, ...]:
        """Return a selection of options as placed pieces."""
        return tuple(self.placed(option) for option in chosen)


def build(
    sheet: Sheet, pieces: Sequence[Piece], *, cover: bool, limit: int = MAX_OPTIONS
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

    Raises
    ------
    TooManyOptions
        Before anything large is built.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> layout = build(rectangle(2, 2), [Piece.of("I2", ((0, 0), (0, 1)))], cover=False)
    >>> len(layout.problem.options), layout.placed(0).cells
    (4, ((0, 0), (0, 1)))
    """
    cells = sheet.open
    at_most = sum(len(piece.orientations) for piece in pieces if piece.most != 0) * len(cells)
    heavy = at_most * len(cells) > MAX_BITS
    if heavy or at_most > limit * 1.25:  # holes and borders take away about a fifth
        raise TooManyOptions(at_most)
    numbers = {cell: number for number, cell in enumerate(cells)}
    options = tuple(
        Option(kind, mask)
        for kind, piece in enumerate(pieces)
        for mask in _masks(sheet, piece, numbers)
    )
    if len(options) > limit:
        raise TooManyOptions(len(options))
    adjacent = tuple(
        tuple(numbers[near] for near in sheet.lattice.neighbours(cell) if near in numbers)
        for cell in cells
    )
    kinds = tuple(Kind(piece.name, piece.least, piece.most) for piece in pieces)
    names = tuple(f"{row},{column}" for row, column in cells)
    problem = Problem(names, kinds, options, cover, adjacent, cells)
    return Layout(problem, sheet, cells, tuple(pieces))


def _masks(sheet: Sheet, piece: Piece, numbers: dict[Cell, int]) -> list[int]:
    """Return the placements of a piece, by their cells, none twice."""
    if piece.most == 0:
        return []
    found = {tuple(numbers[cell] for cell in cells): None for cells in placements(sheet, piece)}
    return [sum(1 << number for number in cells) for cells in sorted(found)]


def placements(sheet: Sheet, piece: Piece) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of every placement of a piece on the open cells, each once, sorted.

    The first cell of an orientation must lie on some open cell, so trying them all loses
    nothing, wherever the sheet has holes.
    """
    open_cells = frozenset(sheet.open)
    grounds = sheet.grounds
    step, offset = sheet.lattice.step, sheet.offset
    for pattern in piece.orientations:
        first = pattern[0][0]
        demands = _demands(pattern)
        rest = [(row - first[0], column - first[1]) for (row, column), _ in pattern]
        for anchor in sheet.open:
            if (anchor[0] - first[0] + anchor[1] - first[1] - offset) % step:
                continue
            cells = tuple([(anchor[0] + row, anchor[1] + column) for row, column in rest])
            if open_cells.issuperset(cells) and all(
                grounds[cells[place]].kind == kind for place, kind in demands
            ):
                yield cells


def _demands(pattern: Pattern) -> list[tuple[int, str]]:
    return [(place, kind) for place, (_, kind) in enumerate(pattern) if kind]
