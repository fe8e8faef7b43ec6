"""A slow reference: solutions by brute force, and certificates checked on sets of cells.

It shares no code with the engines or the checker beyond lattices, sheets and pieces, and holds
everything as sets of cells, without bits, orders or tables. It decides what a certificate that
was changed at random is still worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from tilesolve.answers import Cell
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.proof.certificate import Certificate, Claim, Step

Laid: TypeAlias = tuple[int, frozenset[Cell]]
"""A piece's index and the cells of a placement."""


def placements(sheet: Sheet, pieces: Sequence[Piece]) -> list[Laid]:
    """Return all placements, by piece and then by cells in reading order.

    Every turned piece is moved by every distance that keeps it within the sheet's outline.
    """
    free = set(sheet.grounds) - sheet.filled
    if not free:
        return []
    low = [min(cell[axis] for cell in free) for axis in (0, 1)]
    high = [max(cell[axis] for cell in free) for axis in (0, 1)]
    found: set[Laid] = set()
    for owner, piece in enumerate(pieces):
        for symmetry in sheet.lattice.symmetry(rotate=piece.rotate, mirror=piece.mirror):
            turned = [(symmetry.image(cell), kind) for cell, kind in piece.pattern]
            rows = [row for (row, _), _ in turned]
            columns = [column for (_, column), _ in turned]
            for down in range(low[0] - min(rows), high[0] - max(rows) + 1):
                for right in range(low[1] - min(columns), high[1] - max(columns) + 1):
                    if (down + right - sheet.offset) % sheet.lattice.step:
                        continue
                    laid = {(row + down, column + right): kind for (row, column), kind in turned}
                    if laid.keys() <= free and all(
                        kind in ("", sheet.grounds[cell].kind) for cell, kind in laid.items()
                    ):
                        found.add((owner, frozenset(laid)))
    return sorted(found, key=lambda laid: (laid[0], sorted(laid[1])))


def selections(
    sheet: Sheet, pieces: Sequence[Piece], *, cover: bool, least: Sequence[int] | None = None
) -> Iterator[tuple[Laid, ...]]:
    """Yield all choices of placements, copy by copy, those of a piece in a fixed order.

    Parameters
    ----------
    least : sequence of int or None
        How many copies of each piece must be used; None is what the pieces say.
    """
    by_piece: list[list[Laid]] = [[] for _ in pieces]
    for laid in placements(sheet, pieces):
        by_piece[laid[0]].append(laid)
    needed = [piece.least for piece in pieces] if least is None else least

    def place(
        owner: int, copies: int, left: frozenset[Cell], first: int
    ) -> Iterator[tuple[Laid, ...]]:
        if owner == len(pieces):
            if not cover or not left:
                yield ()
            return
        own, most = by_piece[owner], pieces[owner].most
        if copies >= needed[owner]:
            yield from place(owner + 1, 0, left, 0)
        if most is None or copies < most:
            for index in range(first, len(own)):
                if own[index][1] <= left:
                    for rest in place(owner, copies + 1, left - own[index][1], index + 1):
                        yield own[index], *rest

    yield from place(0, 0, frozenset(sheet.grounds) - sheet.filled, 0)


def solvable(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> bool:
    """Tell whether there is any choice of placements at all."""
    return any(True for _ in selections(sheet, pieces, cover=cover))


def claimed(claim: Claim, sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> bool:
    """Tell whether a claim is true, by brute force; for small puzzles without a game's terms."""
    match claim.kind:
        case "none":
            return not solvable(sheet, pieces, cover=cover)
        case "alone":
            return bool(pieces) and not placements(sheet, pieces)
        case "unique":
            owners = {piece.name: owner for owner, piece in enumerate(pieces)}
            said = Counter((owners[p.piece], frozenset(p.cells)) for p in claim.solution)
            all_of_them = [*islice(selections(sheet, pieces, cover=cover), 2)]
            return len(all_of_them) == 1 and Counter(all_of_them[0]) == said
        case "best":
            least = [piece.least if piece.optional is False else 0 for piece in pieces]
            chosen = selections(sheet, pieces, cover=cover, least=least)
            return all(_penalty(sheet, pieces, each) >= claim.score for each in chosen)


def _penalty(sheet: Sheet, pieces: Sequence[Piece], chosen: Sequence[Laid]) -> int:
    """Return what a choice costs: open cells, copies left out, less the copies' values."""
    covered = frozenset().union(*(cells for _, cells in chosen)) | sheet.filled
    used = Counter(owner for owner, _ in chosen)
    cells = sum(ground.penalty for cell, ground in sheet.grounds.items() if cell not in covered)
    out = sum(p.penalty * ((p.most or 0) - used[n]) for n, p in enumerate(pieces))
    return cells + out - sum(p.value * used[n] for n, p in enumerate(pieces))


def proves(certificate: Certificate, sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> bool:
    """Tell whether a certificate of 'no solution' for pieces with fixed counts is a proof."""
    free = sorted(set(sheet.grounds) - sheet.filled)
    laid = placements(sheet, pieces)
    needed = sum(piece.least * piece.size for piece in pieces)
    if certificate.claim.kind != "none":
        return False
    match certificate.rung:
        case "trivial":
            return _counted(sheet, pieces, laid, cover=cover)
        case "colouring":
            return needed == len(free) and _coloured(certificate, free, pieces, laid)
        case "weights":
            spare = not cover and needed < len(free)
            return _weighed(certificate, free, pieces, laid, spare=spare)
        case "search":
            return _followed(certificate, free, pieces, laid, cover=cover or needed == len(free))
        case _:
            return False


def follows(clauses: Sequence[Sequence[int]], steps: Sequence[Step]) -> bool:
    """Tell whether steps follow from clauses down to the empty one, by trying all clauses anew.

    What has no choice stays so, also when the clauses that left it none are forgotten.
    """

    def contradicts(true: set[int]) -> bool:
        """Add to what is true all that has no choice; tell whether a clause is false then."""
        going = True
        while going:
            going = False
            for clause in known:
                if clause & true:
                    continue
                open_ones = {literal for literal in clause if -literal not in true}
                if not open_ones:
                    return True
                if len(open_ones) == 1:
                    true |= open_ones
                    going = True
        return False

    known = [frozenset(clause) for clause in clauses]
    certain: set[int] = set()
    for added, clause in steps:
        if contradicts(certain):
            return True
        if added and not contradicts(certain | {-literal for literal in clause}):
            return False
        if added:
            known.append(frozenset(clause))
        elif frozenset(clause) in known:
            known.remove(frozenset(clause))
    return contradicts(certain)


def _counted(sheet: Sheet, pieces: Sequence[Piece], laid: Sequence[Laid], *, cover: bool) -> bool:
    """Look for a count that rules it out; areas are tried by choosing copies one by one."""
    free = set(sheet.grounds) - sheet.filled
    needed = sum(piece.least * piece.size for piece in pieces)
    if needed > len(free) or (cover and needed < len(free)):
        return True
    if any(piece.least and all(owner != n for owner, _ in laid) for n, piece in enumerate(pieces)):
        return True
    if cover and free - {cell for _, cells in laid for cell in cells}:
        return True
    room = 0
    while free:
        pocket, edge = set[Cell](), {free.pop()}
        while edge:
            pocket |= edge
            edge = {n for cell in edge for n in sheet.lattice.neighbours(cell)} & free
            free -= edge
        inside = {owner for owner, cells in laid if cells <= pocket}
        sums = {0}
        for owner in inside:
            for _ in range(pieces[owner].least):
                sums |= {each + pieces[owner].size for each in sums}
        fitting = {each for each in sums if each <= len(pocket)}
        room += max(fitting)
        if cover and len(pocket) not in fitting:
            return True
    return room < needed


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
    """Follow a search by recursion over sets of placements that are still possible."""
    items = iter(found.branches)
    spare = len(free) - sum(piece.least * piece.size for piece in pieces)
    at: dict[Cell, set[int]] = {cell: set() for cell in free}
    of: dict[int, set[int]] = {piece: set() for piece in range(len(pieces))}
    for number, (owner, cells) in enumerate(laid):
        of[owner].add(number)
        for cell in cells:
            at[cell].add(number)

    class Wrong(Exception):
        pass

    def refuted(possible: set[int], taken: frozenset[Cell], used: Counter[int]) -> None:
        item = next(items, None)
        if item is None:
            raise Wrong
        for choice, rest in children(item, possible, taken, used):
            if choice is None:
                refuted(rest, taken, used)
                continue
            owner, cells = laid[choice]
            after = used + Counter([owner])
            left = rest - set().union(*(at[cell] for cell in cells))
            if after[owner] >= pieces[owner].least:
                left -= of[owner]
            refuted(left, taken | cells, after)

    def children(
        item: int, possible: set[int], taken: frozenset[Cell], used: Counter[int]
    ) -> Iterator[tuple[int | None, set[int]]]:
        if item < len(free):
            own = possible & at[free[item]]
            if free[item] in taken or (not cover and not own):
                raise Wrong
            yield from one_by_one(own, possible)
            if not cover:
                yield None, possible - own
        elif item < len(free) + len(pieces):
            piece = item - len(free)
            own = possible & of[piece]
            if pieces[piece].least - used[piece] <= 0:
                raise Wrong
            if len(own) >= pieces[piece].least - used[piece]:
                yield from one_by_one(own, possible)
        elif item == len(free) + len(pieces):
            reached = {cell for number in possible for cell in laid[number][1]}
            if len(set(free) - taken - reached) <= spare:
                raise Wrong
        else:
            raise Wrong

    def one_by_one(own: set[int], possible: set[int]) -> Iterator[tuple[int, set[int]]]:
        for number in sorted(own):
            yield number, possible
            possible = possible - {number}

    try:
        begun = {number for number, (owner, _) in enumerate(laid) if pieces[owner].least}
        refuted(begun, frozenset(), Counter())
    except (Wrong, RecursionError):
        return False
    return next(items, None) is None
