"""What can be ruled out by counting: the checker's own arithmetic.

It repeats on purpose what `tilesolve.placement.quick` says in words: a checker that called the
code it checks would check nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tilesolve.geometry.lattice import regions
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet


def counted_out(
    sheet: Sheet,
    pieces: Sequence[Piece],
    masks: Sequence[int],
    owners: Sequence[int],
    *,
    cover: bool,
) -> str | None:
    """Return the count that rules a puzzle out, or None.

    A packing whose pieces have as many cells as are open leaves none of them open.

    Parameters
    ----------
    masks, owners : sequence of int
        All placements as bits over the open cells in reading order, and their pieces.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> bar = Piece.of("I3", ((0, 0), (0, 1), (0, 2)))
    >>> counted_out(rectangle(2, 2), [bar], [], [], cover=False)
    'I3 has no placement'
    """
    cells = sorted(cell for cell in sheet.grounds if cell not in sheet.filled)
    needed = sum(piece.least * piece.size for piece in pieces)
    short = short_of_cells(sheet, pieces, cover=cover)
    if short is not None:
        return short
    for number, piece in enumerate(pieces):
        if piece.least and number not in owners:
            return f"{piece.name} has no placement"
    reached = 0
    for mask in masks:
        reached |= mask
    cover = cover or needed == len(cells)
    if cover and reached.bit_count() < len(cells):
        return "a cell that no placement covers"
    return _pockets(sheet, pieces, masks, owners, needed, cover=cover)


def short_of_cells(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> str | None:
    """Return why the numbers of cells alone rule a puzzle out, or None.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> short_of_cells(rectangle(1, 2), [Piece.of("I1", ((0, 0),))], cover=True)
    'no choice of pieces has 2 cells'
    """
    cells = [cell for cell in sheet.grounds if cell not in sheet.filled]
    needed = sum(piece.least * piece.size for piece in pieces)
    if needed > len(cells):
        return f"{needed} piece cells, {len(cells)} open cells"
    if cover and len(cells) not in _totals(pieces, len(cells), exactly=True):
        return f"no choice of pieces has {len(cells)} cells"
    cover = cover or needed == len(cells)
    kinds = Counter(sheet.grounds[cell].kind for cell in cells)
    for kind in {kind for piece in pieces for _, kind in piece.pattern if kind} | set(kinds):
        own = [sum(want == kind for _, want in piece.pattern) for piece in pieces]
        if sum(n * p.least for n, p in zip(own, pieces, strict=True)) > kinds[kind]:
            return f"too few cells of kind '{kind}'"
        fits = [sum(want in ("", kind) for _, want in piece.pattern) for piece in pieces]
        supply = sum(n * most_copies(p, len(cells)) for n, p in zip(fits, pieces, strict=True))
        if cover and supply < kinds[kind]:
            return f"too few piece cells for kind '{kind}'"
    return None


def _pockets(
    sheet: Sheet,
    pieces: Sequence[Piece],
    masks: Sequence[int],
    owners: Sequence[int],
    needed: int,
    *,
    cover: bool,
) -> str | None:
    cells = sorted(cell for cell in sheet.grounds if cell not in sheet.filled)
    numbers = {cell: number for number, cell in enumerate(cells)}
    room = 0
    for pocket in regions(sheet.lattice, cells):
        inside = sum(1 << numbers[cell] for cell in pocket)
        fitting = {owner for mask, owner in zip(masks, owners, strict=True) if not mask & ~inside}
        chosen = [pieces[owner] for owner in sorted(fitting)]
        totals = _totals(chosen, len(pocket), exactly=False)
        room += max(totals)
        if cover and len(pocket) not in totals:
            return f"the pocket at {list(pocket[0])} cannot be filled exactly"
    if not cover and room < needed:
        return f"the pockets take {room} piece cells, {needed} are needed"
    return None


def _totals(pieces: Iterable[Piece], limit: int, *, exactly: bool) -> set[int]:
    """Return the numbers of cells that choices of pieces can have, up to a limit."""
    totals = {0}
    for piece in pieces:
        least = piece.least if exactly else 0
        most = most_copies(piece, limit)
        steps = range(least * piece.size, min(most * piece.size, limit) + 1, piece.size)
        totals = {total + step for total in totals for step in steps if total + step <= limit}
    return totals


def most_copies(piece: Piece, room: int) -> int:
    """Return how often a piece can be used at most where so many cells are open.

    Examples
    --------
    >>> most_copies(Piece.of("I2", ((0, 0), (0, 1))), 9)
    1
    """
    return room // piece.size if piece.most is None else piece.most
