"""A packing by first fit: for sheets so large that their placements are not all built.

It can only ever say yes, or how good a packing is at least. Pieces are laid largest first, each
on the first place that is free; nothing is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from tilesolve.answers import Cell, Placed
from tilesolve.budget import Meter
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.raster import Raster
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.build import laid


def first_fit(sheet: Sheet, pieces: Sequence[Piece], *, meter: Meter) -> tuple[Placed, ...] | None:
    """Return placements of the required copies, or None when first fit got stuck.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.geometry.sheet import rectangle
    >>> domino = Piece.of("I2", ((0, 0), (0, 1)))
    >>> len(first_fit(rectangle(3, 3), [replace(domino, least=4, most=4)],
    ...     meter=Meter(budget=Budget())))
    4
    """
    placed: list[Placed] = []
    raster = Raster.of(sheet)
    for piece in sorted(pieces, key=lambda piece: -piece.size):
        for _ in range(piece.least):
            if not meter.spend(1):
                return None
            cells = next(laid(raster, piece), None)
            if cells is None:
                return None
            placed.append(Placed(piece=piece.name, cells=cells))
            raster = raster.without(cells)
    return tuple(placed)


def filled_up(sheet: Sheet, pieces: Sequence[Piece], *, meter: Meter) -> tuple[Placed, ...]:
    """Lay the required copies by first fit, then as many others as go and save something.

    Where the sheet's rules ask for contact, each copy touches what lies already. What the meter
    leaves no time for stays out.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.geometry.sheet import rectangle
    >>> domino = replace(Piece.of("I2", ((0, 0), (0, 1))), least=0, most=None)
    >>> len(filled_up(rectangle(3, 3), [domino], meter=Meter(budget=Budget())))
    4
    """
    placed: list[Placed] = []
    raster = Raster.of(sheet)
    contact = sheet.rules.touch or sheet.rules.connected
    begun, around = bool(sheet.filled), set(_around(sheet, sheet.filled))
    largest = sorted(pieces, key=lambda piece: -piece.size)
    required = [(piece, piece.least) for piece in largest]
    others = [(p, None if p.most is None else p.most - p.least) for p in largest if _saves(p)]
    for piece, copies in (*required, *others):
        for _ in count() if copies is None else range(copies):
            places = laid(raster, piece)
            if contact and begun:
                places = (cells for cells in places if not around.isdisjoint(cells))
            cells = next(places, None) if meter.spend(1) else None
            if cells is None:
                break
            placed.append(Placed(piece=piece.name, cells=cells))
            raster, begun = raster.without(cells), True
            around.update(_around(sheet, cells))
    return tuple(placed)


def _saves(piece: Piece) -> bool:
    """Whether a copy is worth more than nothing, wherever it lies."""
    return piece.value + piece.penalty >= 0


def _around(sheet: Sheet, cells: Iterable[Cell]) -> Iterator[Cell]:
    for cell in cells:
        yield from sheet.lattice.neighbours(cell)
