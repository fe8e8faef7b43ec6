"""The symmetries of a sheet that map its list of pieces onto itself.

A symmetry of the lattice counts when it maps the sheet (cells, kinds, penalties, what lies on
it) onto itself and takes every piece to another with the same orientations, counts and flags:
to itself, or, as the two mirror images of a one-sided set, to its twin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import Map, Symmetry
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet


@dataclass(frozen=True)
class SheetSymmetry:
    """One symmetry: its name, where cells go, and where pieces go (by index in the list)."""

    name: str
    cells: Mapping[Cell, Cell]
    pieces: tuple[int, ...]


def sheet_symmetries(sheet: Sheet, pieces: Sequence[Piece]) -> tuple[SheetSymmetry, ...]:
    """Return the group, identity first.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> domino = Piece.of("I2", ((0, 0), (0, 1)))
    >>> [found.name for found in sheet_symmetries(rectangle(2, 3), [domino])]
    ['identity', 'rotation by 180°', 'left-right mirror', 'top-bottom mirror']
    """
    found = (_on_sheet(symmetry, sheet, pieces) for symmetry in sheet.lattice.symmetries)
    return tuple(symmetry for symmetry in found if symmetry is not None)


def _on_sheet(symmetry: Symmetry, sheet: Sheet, pieces: Sequence[Piece]) -> SheetSymmetry | None:
    if symmetry.name == "identity":
        same = {cell: cell for cell in sheet.grounds}
        return SheetSymmetry(symmetry.name, same, tuple(range(len(pieces))))
    cells = _cell_map(symmetry.image, sheet)
    if cells is None:
        return None
    images = _piece_map(symmetry.image, pieces)
    if images is None or not _keeps_lying(sheet, cells, pieces, images):
        return None
    return SheetSymmetry(symmetry.name, cells, images)


def _cell_map(image: Map, sheet: Sheet) -> dict[Cell, Cell] | None:
    """Return where each cell goes when the turned sheet is laid back onto itself."""
    if not sheet.grounds:
        return {}
    shift = sheet.offset
    moved = {cell: image((cell[0], cell[1] + shift)) for cell in sheet.grounds}
    top, left = min(cell[0] for cell in sheet.grounds), min(cell[1] for cell in sheet.grounds)
    down = top - min(row for row, _ in moved.values())
    right = left - min(column for _, column in moved.values())
    # The move must be a translation of the lattice, up to the shift taken at the start.
    if (down + right + shift) % sheet.lattice.step:
        return None
    cells = {cell: (row + down, column + right) for cell, (row, column) in moved.items()}
    kept = all(sheet.grounds.get(cells[cell]) == ground for cell, ground in sheet.grounds.items())
    return cells if kept else None


def _piece_map(image: Map, pieces: Sequence[Piece]) -> tuple[int, ...] | None:
    places: dict[object, list[int]] = {}
    for index, piece in enumerate(pieces):
        places.setdefault((frozenset(piece.orientations), _terms(piece)), []).append(index)
    images: list[int] = []
    for index, piece in enumerate(pieces):
        turned = frozenset(_image(piece, image))
        group = places.get((turned, _terms(piece)), [])
        if not group:
            return None
        images.append(index if index in group else group[0])
    return tuple(images) if len(set(images)) == len(pieces) else None


def _terms(piece: Piece) -> tuple[object, ...]:
    return (piece.least, piece.most, piece.optional, piece.penalty, piece.value)


def _image(piece: Piece, image: Map) -> list[object]:
    return [replace(piece, pattern=pattern).turned(image) for pattern in piece.orientations]


def _keeps_lying(
    sheet: Sheet, cells: Mapping[Cell, Cell], pieces: Sequence[Piece], images: Sequence[int]
) -> bool:
    renamed = {
        name: pieces[images[index]].name
        for index, piece in enumerate(pieces)
        for name in piece.names
    }
    own = {name: piece.name for piece in pieces for name in piece.names}
    lying = {(own.get(p.piece, ""), frozenset(p.cells)) for p in sheet.lying}
    if any(cell not in cells for _, taken in lying for cell in taken):
        return False
    moved = {
        (renamed.get(p.piece, ""), frozenset(cells[cell] for cell in p.cells)) for p in sheet.lying
    }
    # Cells that belong to no piece are only filled, whatever group they were drawn in.
    return _by_piece(lying) == _by_piece(moved)


def _by_piece(lying: set[tuple[str, frozenset[Cell]]]) -> object:
    loose = frozenset(cell for name, taken in lying if not name for cell in taken)
    return {(name, taken) for name, taken in lying if name}, loose
