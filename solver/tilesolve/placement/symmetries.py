"""The symmetries of a sheet as symmetries of the placement problem built from it."""

from __future__ import annotations

from collections.abc import Sequence

from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.geometry.symmetry import sheet_symmetries
from tilesolve.placement.build import Layout
from tilesolve.placement.orbits import Group, Symmetry


def layout_group(layout: Layout, sheet: Sheet, pieces: Sequence[Piece]) -> Group:
    """Return the group of a sheet and its list of pieces, acting on what is still to do.

    Parameters
    ----------
    layout : Layout
        The open cells and the pieces that are left.
    sheet : Sheet
        With what lies on it: only symmetries that keep it count.
    pieces : sequence of Piece
        The whole list, pieces that lie on the sheet included.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> from tilesolve.placement.build import build
    >>> domino = Piece.of("I2", ((0, 0), (0, 1)))
    >>> layout = build(rectangle(1, 2), [domino], cover=True)
    >>> group = layout_group(layout, layout.sheet, [domino])
    >>> [found.cells for found in group.symmetries]
    [(0, 1), (1, 0), (1, 0), (0, 1)]
    """
    number = {piece.name: index for index, piece in enumerate(layout.pieces)}
    whole = {piece.name: index for index, piece in enumerate(pieces)}
    symmetries = tuple(
        Symmetry(
            found.name,
            tuple(layout.numbers[found.cells[cell]] for cell in layout.cells),
            tuple(number[pieces[found.pieces[whole[piece.name]]].name] for piece in layout.pieces),
        )
        for found in sheet_symmetries(sheet, pieces)
    )
    return Group(layout.problem, symmetries)
