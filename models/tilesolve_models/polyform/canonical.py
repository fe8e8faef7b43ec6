"""A puzzle in a fixed position, so that no measure depends on how it was drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tilesolve.answers import Cell, Placed
from tilesolve.geometry.lattice import Symmetry
from tilesolve.geometry.piece import Piece, dump_pieces
from tilesolve.geometry.sheet import dump_sheet
from tilesolve_models.polyform.rules import State


def canonical(state: State) -> State:
    """Return the same puzzle turned or mirrored into a fixed position.

    Sheet and pieces are turned together, so that pieces which may not be mirrored stay the same.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.polyform import rules
    >>> lying = rules.load(Node({"sheet": "2x3", "pieces": "I3*2"}))
    >>> standing = rules.load(Node({"sheet": "3x2", "pieces": "I3*2"}))
    >>> canonical(lying) == canonical(standing)
    True
    """
    views = (turned(state, symmetry) for symmetry in state.sheet.lattice.symmetries)
    return min((view for view in views if view is not None), key=_text)


def _text(state: State) -> str:
    return json.dumps([dump_sheet(state.sheet), dump_pieces(state.pieces, state.sheet.legend)])


def turned(state: State, symmetry: Symmetry) -> State | None:
    """Return a puzzle under a symmetry of its lattice, moved back to the origin.

    None if the flags of its pieces cannot be written down for it any more.
    """
    sheet, lattice = state.sheet, state.sheet.lattice
    offset = sheet.offset
    moved = {cell: symmetry.image((cell[0], cell[1] + offset)) for cell in sheet.grounds}
    top = min((row for row, _ in moved.values()), default=0)
    left = min((column for _, column in moved.values()), default=0)
    left -= (top + left) % lattice.step
    place = {cell: (row - top, column - left) for cell, (row, column) in moved.items()}
    grounds = {place[cell]: ground for cell, ground in sheet.grounds.items()}
    turned = replace(
        sheet,
        grounds=dict(sorted(grounds.items())),
        lettered=_moved(sheet.lettered, place),
        placed=_moved(sheet.placed, place),
    )
    pieces = [_piece(piece, symmetry) for piece in state.pieces]
    if None in pieces:
        return None
    return replace(state, sheet=turned, pieces=tuple(piece for piece in pieces if piece))


def _piece(piece: Piece, symmetry: Symmetry) -> Piece | None:
    """Return a turned piece, written down by the least of its orientations.

    None if its flags cannot say what may be done to it now: mirrored left to right, and not
    turned, becomes mirrored upside down by a quarter turn.
    """
    if piece.rotate and piece.mirror:
        return replace(piece, pattern=piece.orientations[0])
    images = {
        replace(piece, pattern=pattern).turned(symmetry.image) for pattern in piece.orientations
    }
    turned = replace(piece, pattern=min(images))
    return turned if set(turned.orientations) == images else None


def _moved(lying: Iterable[Placed], place: Mapping[Cell, Cell]) -> tuple[Placed, ...]:
    """Return pieces in their new places, in an order that does not tell how they lay before."""
    moved = (
        replace(piece, cells=tuple(sorted(place[cell] for cell in piece.cells))) for piece in lying
    )
    return tuple(sorted(moved, key=lambda piece: (piece.cells, piece.piece)))
