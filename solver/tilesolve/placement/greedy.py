"""A packing by first fit: for sheets so large that their placements are not all built.

It can only ever say yes. Pieces are laid largest first, each on the first place that is free;
nothing is taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilesolve.answers import Placed
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
