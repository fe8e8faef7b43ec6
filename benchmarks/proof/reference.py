"""A slow reference: solutions by brute force, and certificates checked on sets of cells.

It shares no code with the engines or the checker beyond lattices, sheets and pieces, and holds
everything as sets of cells, without bits, orders or tables. It decides what a certificate that
was changed at random is still worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tilesolve.answers import Cell
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.proof.certificate import Certificate

Laid: TypeAlias = tuple[int, frozenset[Cell]]
"""A piece's index and the cells of a placement."""


def placements(sheet: Sheet, pieces: Sequence[Piece]) -> list[Laid]:
    """Return all placements, by piece and then by cells in reading order.

    Every turned piece is moved by every distance that could bring it onto the sheet at all.
    """
    free = set(sheet.grounds) - sheet.filled
    if not free:
        return []
    rows = [row for row, _ in free]
    columns = [column for _, column in free]
    span = max(*rows, *columns) - min(*rows, *columns) + 12
    found: set[Laid] = set()
    for owner, piece in enumerate(pieces):
        for symmetry in sheet.lattice.symmetry(rotate=piece.rotate, mirror=piece.mirror):
            turned = [symmetry.image(cell) for cell in piece.cells]
            for down in range(min(rows) - span, max(rows) + span):
                for right in range(min(columns) - span, max(columns) + span):
                    if (down + right - sheet.offset) % sheet.lattice.step == 0:
                        laid = frozenset((row + down, column + right) for row, column in turned)
                        if laid <= free:
                            found.add((owner, laid))
    return sorted(found, key=lambda laid: (laid[0], sorted(laid[1])))


def solvable(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> bool:
    """Try all choices of placements, copy by copy."""
    by_piece: list[list[frozenset[Cell]]] = [[] for _ in pieces]
    for owner, laid in placements(sheet, pieces):
        by_piece[owner].append(laid)
    copies = [owner for owner, piece in enumerate(pieces) for _ in range(piece.least)]
    free = frozenset(sheet.grounds) - sheet.filled

    def place(number: int, left: frozenset[Cell], first: int) -> bool:
        if number == len(copies):
            return not cover or not left
        own = by_piece[copies[number]]
        again = number > 0 and copies[number - 1] == copies[number]
        for index in range(first if again else 0, len(own)):
            if own[index] <= left and place(number + 1, left - own[index], index + 1):
                return True
        return False

    return place(0, free, 0)


def proves(certificate: Certificate, sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> bool:
    """Tell whether a certificate of 'no solution' for pieces with fixed counts is a proof."""
    free = sorted(set(sheet.grounds) - sheet.filled)
    laid = placements(sheet, pieces)
    needed = sum(piece.least * piece.size for piece in pieces)
    if certificate.claim.kind != "none":
        return False
    match certificate.rung:
        case "trivial":
            return True  # whatever is infeasible by counting is infeasible; see `mutated`
        case "colouring":
            return needed == len(free) and _coloured(certificate, free, pieces, laid)
        case "weights":
            spare = not cover and needed < len(free)
            return _weighed(certificate, free, pieces, laid, spare=spare)
        case "search":
            return _followed(certificate, free, pieces, laid, cover=cover or needed == len(free))
        case _:
            return False


def _coloured(
    found: Certificate, free: Sequence[Cell], pieces: Sequence[Piece], laid: Sequence[Laid]
) -> bool:
    if len(found.cells) != len(free) or len(found.pieces) != len(pieces) or found.modulus < 2:
        return False
    weight = dict(zip(free, found.cells, strict=True))
    fair = all(
        sum(weight[cell] for cell in cells) % found.modulus == found.pieces[owner] % found.modulus
        for owner, cells in laid
    )
    used = sum(w * piece.least for w, piece in zip(found.pieces, pieces, strict=True))
    return fair and sum(weight.values()) % found.modulus != used % found.modulus


def _weighed(
    found: Certificate,
    free: Sequence[Cell],
    pieces: Sequence[Piece],
    laid: Sequence[Laid],
    *,
    spare: bool,
) -> bool:
    if len(found.cells) != len(free) or len(found.pieces) != len(pieces):
        return False
    weight = dict(zip(free, found.cells, strict=True))
    if spare and min(weight.values()) < 0:
        return False
    fair = all(sum(weight[cell] for cell in cells) >= found.pieces[owner] for owner, cells in laid)
    used = sum(w * piece.least for w, piece in zip(found.pieces, pieces, strict=True))
    return fair and sum(weight.values()) < used


def _followed(
    found: Certificate,
    free: Sequence[Cell],
    pieces: Sequence[Piece],
    laid: Sequence[Laid],
    *,
    cover: bool,
) -> bool:
    """Follow a search by recursion over lists of placements that are still possible."""
    items = iter(found.branches)
    spare = len(free) - sum(piece.least * piece.size for piece in pieces)

    class Wrong(Exception):
        pass

    def refuted(possible: list[Laid], taken: frozenset[Cell], used: Counter[int]) -> None:
        item = next(items, None)
        if item is None:
            raise Wrong
        for choice, rest in children(item, possible, taken, used):
            owner, cells = choice
            if owner < 0:
                refuted(rest, taken, used)
                continue
            after = used + Counter([owner])
            left = [
                other
                for other in rest
                if not other[1] & cells
                and not (other[0] == owner and after[owner] >= pieces[owner].least)
            ]
            refuted(left, taken | cells, after)

    def children(
        item: int, possible: list[Laid], taken: frozenset[Cell], used: Counter[int]
    ) -> Iterator[tuple[Laid, list[Laid]]]:
        if item < len(free):
            own = [each for each in possible if free[item] in each[1]]
            if free[item] in taken or (not cover and not own):
                raise Wrong
            yield from one_by_one(own, possible)
            if not cover:
                yield (-1, frozenset()), [each for each in possible if each not in own]
        elif item < len(free) + len(pieces):
            piece = item - len(free)
            own = [each for each in possible if each[0] == piece]
            if pieces[piece].least - used[piece] <= 0:
                raise Wrong
            if len(own) >= pieces[piece].least - used[piece]:
                yield from one_by_one(own, possible)
        elif item == len(free) + len(pieces):
            reached = {cell for _, cells in possible for cell in cells}
            if len(set(free) - taken - reached) <= spare:
                raise Wrong
        else:
            raise Wrong

    def one_by_one(own: list[Laid], possible: list[Laid]) -> Iterator[tuple[Laid, list[Laid]]]:
        gone: list[Laid] = []
        for each in own:
            yield each, [other for other in possible if other not in gone]
            gone.append(each)

    try:
        refuted([each for each in laid if pieces[each[0]].least], frozenset(), Counter())
    except (Wrong, RecursionError):
        return False
    return next(items, None) is None
