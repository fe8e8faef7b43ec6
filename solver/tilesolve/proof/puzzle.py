"""A puzzle as the checker sees it: placements and costs, derived from sheet and pieces alone.

Nothing here comes from an engine, or from what builds placements for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tilesolve.answers import Cell
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.proof.certificate import Claim
from tilesolve.proof.counting import most_copies


@dataclass(frozen=True)
class Puzzle:
    """What is to be refuted.

    Parameters
    ----------
    cells : tuple of Cell
        Open cells in reading order; bit ``i`` of a mask is cell ``i``.
    masks, owners : tuple of int
        The cells of each placement, and its piece, by piece and then by cells.
    least, most : tuple of int
        How often each piece is used; in a packing a copy beyond the least changes nothing.
    open_cost, missing_cost : tuple of int
        What each cell costs that stays open, and each copy of a piece below `most`.
    may_stay_open : bool
        Whether cells may stay open at all.
    allowed : int
        The claim is that the cost is always above this.
    region_cost : int
        What each connected region of open cells costs.
    near : tuple of int
        For each cell the mask of its neighbours; empty where regions cost nothing.
    room : tuple of (int, tuple of int)
        For each kind of cell the mask of its cells, and how many of them a copy of each piece
        can take; empty where nothing is to be made better.
    uses : tuple of (int, int, int)
        Further conditions: of the pieces of a mask, so many are used at least and at most.
    """

    cells: tuple[Cell, ...]
    masks: tuple[int, ...]
    owners: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    open_cost: tuple[int, ...]
    missing_cost: tuple[int, ...]
    may_stay_open: bool
    allowed: int
    region_cost: int = 0
    near: tuple[int, ...] = ()
    room: tuple[tuple[int, tuple[int, ...]], ...] = ()
    uses: tuple[tuple[int, int, int], ...] = ()


def derive(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool, claim: Claim) -> Puzzle:
    """Derive the placements and the costs from the puzzle alone.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> bar = Piece.of("I2", ((0, 0), (0, 1)))
    >>> derive(rectangle(1, 3), [bar], cover=False, claim=Claim()).masks
    (3, 6)
    """
    cells = tuple(sorted(cell for cell in sheet.grounds if cell not in sheet.filled))
    numbers = {cell: number for number, cell in enumerate(cells)}
    masks: list[int] = []
    owners: list[int] = []
    for owner, piece in enumerate(pieces):
        found = sorted(lying(sheet, piece, numbers))
        masks += [sum(1 << number for number in placement) for placement in found]
        owners += [owner] * len(found)
    placed = (cells, tuple(masks), tuple(owners))
    if claim.kind == "best":
        return _for_best(placed, sheet, pieces, claim, cover=cover)
    least = tuple(piece.least for piece in pieces)
    most = tuple(most_copies(piece, len(cells)) for piece in pieces)
    spare = 0 if cover else len(cells) - sum(piece.least * piece.size for piece in pieces)
    return Puzzle(
        *placed,
        least=least,
        # In a packing copies beyond the least can be taken away again.
        most=most if cover else least,
        open_cost=(1,) * len(cells),
        missing_cost=(0,) * len(pieces),
        may_stay_open=not cover and spare != 0,
        allowed=spare,
    )


def _for_best(
    placed: tuple[tuple[Cell, ...], tuple[int, ...], tuple[int, ...]],
    sheet: Sheet,
    pieces: Sequence[Piece],
    claim: Claim,
    *,
    cover: bool,
) -> Puzzle:
    """Return the puzzle whose claim is that no selection has a lower penalty than its score.

    Each copy below the most costs what it would have saved: its value, and the penalty for
    leaving it out. What is saved when all copies are used is taken off in advance.
    """
    cells = placed[0]
    most = tuple(most_copies(piece, len(cells)) for piece in pieces)
    saved = tuple(p.value + (0 if p.most is None else p.penalty) for p in pieces)
    advance = sum(piece.penalty * (piece.most or 0) for piece in pieces)
    advance -= sum(save * copies for save, copies in zip(saved, most, strict=True))
    region_cost = sheet.rules.region_penalty
    return Puzzle(
        *placed,
        least=tuple(piece.least if piece.optional is False else 0 for piece in pieces),
        most=most,
        open_cost=tuple(sheet.grounds[cell].penalty for cell in cells),
        missing_cost=saved,
        may_stay_open=not cover,
        allowed=claim.score - 1 - advance,
        region_cost=region_cost,
        near=tuple(_near(sheet, cells)) if region_cost else (),
        room=tuple(_room(sheet, cells, pieces)),
        uses=tuple(
            (sum(1 << n for n, p in enumerate(pieces) if p.name in use.pieces), use.least, use.most)
            for use in claim.uses
        ),
    )


def _near(sheet: Sheet, cells: Sequence[Cell]) -> Iterator[int]:
    numbers = {cell: number for number, cell in enumerate(cells)}
    for cell in cells:
        beside = sheet.lattice.neighbours(cell)
        yield sum(1 << numbers[other] for other in beside if other in numbers)


def _room(
    sheet: Sheet, cells: Sequence[Cell], pieces: Sequence[Piece]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    for kind in sorted({sheet.grounds[cell].kind for cell in cells}):
        mask = sum(1 << n for n, cell in enumerate(cells) if sheet.grounds[cell].kind == kind)
        yield (
            mask,
            tuple(sum(want in ("", kind) for _, want in piece.pattern) for piece in pieces),
        )


def lying(sheet: Sheet, piece: Piece, numbers: Mapping[Cell, int]) -> set[tuple[int, ...]]:
    """Return the placements of a piece, each as the sorted numbers of its cells.

    The first cell of every turned piece is laid on every open cell: it lies somewhere in every
    placement, so none is lost.
    """
    kinds = {cell: sheet.grounds[cell].kind for cell in numbers}
    found: set[tuple[int, ...]] = set()
    for symmetry in sheet.lattice.symmetry(rotate=piece.rotate, mirror=piece.mirror):
        turned = [(symmetry.image(cell), kind) for cell, kind in piece.pattern]
        (row, column), _ = turned[0]
        shifts = [(r - row, c - column, kind) for (r, c), kind in turned]
        for at_row, at_column in numbers:
            if (at_row - row + at_column - column - sheet.offset) % sheet.lattice.step:
                continue
            laid = []
            for down, right, kind in shifts:
                cell = (at_row + down, at_column + right)
                if cell not in kinds or kind not in ("", kinds[cell]):
                    break
                laid.append(numbers[cell])
            else:
                found.add(tuple(sorted(laid)))
    return found


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, ascending.

    Examples
    --------
    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
