"""Shapes: sets of cells up to translation, their orientations, and all polyforms of a size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import SQUARE, Lattice, connected

Forms: TypeAlias = Literal["free", "one-sided", "fixed"]
"""Which shapes count as one: up to turning and mirroring, up to turning, or not at all."""


@dataclass(frozen=True)
class Shape:
    """Cells in normal form on a lattice; two translates are equal shapes.

    Build it with `Shape.of`.

    Examples
    --------
    >>> Shape.of([(5, 5), (5, 6)]) == Shape.of([(0, 1), (0, 2)])
    True
    >>> Shape.of([(0, 0), (0, 1)]).orientations()
    (((0, 0), (0, 1)), ((0, 0), (1, 0)))
    """

    lattice: Lattice
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, cells: Iterable[Cell], lattice: Lattice = SQUARE) -> Shape:
        """Return the shape of a set of cells; hex cells may be of either parity."""
        return cls(lattice, lattice.normal(lattice.even(sorted(set(cells)))))

    @property
    def connected(self) -> bool:
        """Whether the cells hang together by sides."""
        return connected(self.lattice, self.cells)

    def orientations(
        self, *, rotate: bool = True, mirror: bool = True
    ) -> tuple[tuple[Cell, ...], ...]:
        """Return the distinct normal forms under the allowed symmetries, sorted.

        `rotate` False with `mirror` True allows the left-right mirror alone.
        """
        lattice = self.lattice
        return tuple(
            sorted(
                {
                    lattice.normal(map(symmetry.image, self.cells))
                    for symmetry in lattice.symmetry(rotate=rotate, mirror=mirror)
                }
            )
        )

    @cached_property
    def free(self) -> tuple[Cell, ...]:
        """The first orientation: equal for congruent shapes, mirror images included."""
        return self.orientations()[0]

    @cached_property
    def one_sided(self) -> tuple[Cell, ...]:
        """The first orientation without mirrors: equal for shapes that turn into each other."""
        return self.orientations(mirror=False)[0]

    @property
    def chiral(self) -> bool:
        """Whether its mirror image cannot be turned into it."""
        return len(self.orientations(mirror=False)) < len(self.orientations())


def polyforms(size: int, lattice: Lattice = SQUARE, *, forms: Forms = "free") -> tuple[Shape, ...]:
    """Return all polyforms of a size, sorted by their cells.

    Grown cell by cell from the free polyforms one size smaller; every connected set has a cell
    whose removal leaves it connected, so none is missed.

    Parameters
    ----------
    size : int
        Cells, at least 1. Sizes beyond about 10 take long.
    forms : {"free", "one-sided", "fixed"}
        Which shapes count as one.

    Examples
    --------
    >>> [len(polyforms(5, forms=forms)) for forms in ("free", "one-sided", "fixed")]
    [12, 18, 63]
    """
    if size < 1:
        raise ValueError("size must be at least 1")
    free = {((0, 0),)} if size == 1 else _grown(polyforms(size - 1, lattice), lattice)
    if size == 1:
        free = {Shape(lattice, cells).free for cells in free}
    shapes = [Shape(lattice, cells) for cells in free]
    if forms == "free":
        return tuple(sorted(shapes, key=lambda shape: shape.cells))
    if forms == "one-sided":
        wanted = {Shape(lattice, turned).one_sided for s in shapes for turned in s.orientations()}
    else:
        wanted = {turned for shape in shapes for turned in shape.orientations()}
    return tuple(Shape(lattice, cells) for cells in sorted(wanted))


def _grown(smaller: Iterable[Shape], lattice: Lattice) -> set[tuple[Cell, ...]]:
    found: set[tuple[Cell, ...]] = set()
    seen: set[tuple[Cell, ...]] = set()
    for shape in smaller:
        taken = set(shape.cells)
        rim = {cell for own in shape.cells for cell in lattice.neighbours(own)} - taken
        for cell in rim:
            grown = lattice.normal((*shape.cells, cell))
            if grown not in seen:
                orientations = Shape(lattice, grown).orientations()
                seen.update(orientations)
                found.add(orientations[0])
    return found
