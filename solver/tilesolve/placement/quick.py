"""Quick reasons for a no, in words that a player can check by counting.

They need no search and import nothing slow. `room` looks at numbers of cells alone, before any
placement is built; `placed_nowhere` looks at the placements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tilesolve.answers import Cell, Reason
from tilesolve.geometry.lattice import regions
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.build import Layout
from tilesolve.placement.problem import Problem

_ANYTHING = 10**9


def room(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> tuple[Reason, ...]:
    """Return why the numbers of cells forbid it: area and cells of a kind.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> domino = Piece.of("I2", ((0, 0), (0, 1)))
    >>> [reason.message for reason in room(rectangle(1, 1), [domino], cover=False)]
    ['the pieces to place have 2 cells, only 1 cell is open']
    """
    return tuple(_area(sheet, pieces, cover=cover)) + tuple(_kinds(sheet, pieces, cover=cover))


def _area(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> Iterator[Reason]:
    least = sum(piece.size * piece.least for piece in pieces)
    most = sum(piece.size * _most(piece) for piece in pieces)
    cells = len(sheet.open)
    if least > cells:
        is_open = _count(cells, "cell is open", "cells are open")
        yield Reason(
            code="too-many-piece-cells",
            message=f"the pieces to place have {_count(least, 'cell')}, only {is_open}",
        )
    elif cover and most < cells:
        yield Reason(
            code="too-few-piece-cells",
            message=f"all pieces together have {_count(most, 'cell')}, "
            f"{_count(cells, 'cell is', 'cells are')} to be covered",
        )
    elif cover and not _reachable(cells, [(p.size, p.least, p.most) for p in pieces]):
        sizes = sorted({piece.size for piece in pieces})
        yield Reason(
            code="no-sum-of-sizes",
            message=f"no choice of these pieces (sizes {_listed(sizes)}) has exactly "
            f"{_count(cells, 'cell')}",
        )


def _kinds(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> Iterator[Reason]:
    there = Counter(sheet.grounds[cell].kind for cell in sheet.open)
    demands = [Counter(kind for _, kind in piece.pattern) for piece in pieces]
    for kind in sorted({kind for demand in demands for kind in demand if kind} | set(there)):
        needed = sum(
            demand[kind] * piece.least for demand, piece in zip(demands, pieces, strict=True)
        )
        if needed > there[kind]:
            yield Reason(
                code="kind-short",
                message=f"the pieces to place need {_count(needed, 'cell')} of kind '{kind}', "
                f"only {_count(there[kind], 'is', 'are')} open",
            )
        supplied = sum(
            (demand[kind] + demand[""]) * _most(piece)
            for demand, piece in zip(demands, pieces, strict=True)
        )
        if cover and len(there) > 1 and supplied < there[kind]:
            yield Reason(
                code="kind-left-over",
                message=f"{_count(there[kind], 'cell')} of kind '{kind}' to cover, the pieces "
                f"have only {supplied} that may lie there",
            )


def placed_nowhere(layout: Layout) -> tuple[Reason, ...]:
    """Return why the placements forbid it: a piece, a cell or a pocket without any.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> from tilesolve.placement.build import build
    >>> bar = Piece.of("I3", ((0, 0), (0, 1), (0, 2)))
    >>> [reason.code for reason in placed_nowhere(build(rectangle(2, 2), [bar], cover=False))]
    ['no-placement']
    """
    reasons = [*_pieces(layout)]
    if not reasons and layout.problem.cover:
        reasons = [*_cells(layout)]
    return tuple(reasons or _pockets(layout))


def leaves_no_slack(problem: Problem) -> bool:
    """Return whether the pieces that must be placed have as many cells as are open.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> leaves_no_slack(Problem(("a",), (Kind("I1", 1, 1),), (Option(0, 1),), False))
    True
    """
    counts = zip(problem.kinds, problem.sizes, strict=True)
    return sum(kind.least * (size or 0) for kind, size in counts) == len(problem.cells)


def _pieces(layout: Layout) -> Iterator[Reason]:
    placed = {option.kind for option in layout.problem.options}
    for number, kind in enumerate(layout.problem.kinds):
        if kind.least > 0 and number not in placed:
            yield Reason(
                code="no-placement",
                message=f"the piece {kind.name} fits nowhere",
                pieces=(kind.name,),
            )


def _cells(layout: Layout) -> Iterator[Reason]:
    covered = 0
    for option in layout.problem.options:
        covered |= option.mask
    bare = tuple(cell for number, cell in enumerate(layout.cells) if not covered >> number & 1)
    if bare:
        shown = ", ".join(str(list(cell)) for cell in bare[:8]) + (" …" if len(bare) > 8 else "")
        yield Reason(
            code="cell-uncovered",
            message=f"no piece can cover {'the cell' if len(bare) == 1 else 'the cells'} {shown}",
            cells=bare,
        )


def _pockets(layout: Layout) -> Iterator[Reason]:
    """Yield the pockets that cannot be filled, or the room that pockets waste."""
    problem, lattice = layout.problem, layout.sheet.lattice
    pockets = regions(lattice, layout.cells)
    if len(pockets) < 2:
        return
    usable = 0
    wasteful: list[tuple[Cell, ...]] = []
    for pocket in pockets:
        filling = _fillings(layout, pocket)
        best = max(filling)
        usable += best
        if best < len(pocket):
            wasteful.append(pocket)
        if problem.cover and best < len(pocket):
            yield Reason(
                code="pocket",
                message=f"the pocket of {_count(len(pocket), 'cell')} at {list(pocket[0])} "
                "cannot be filled exactly: no choice of the pieces that fit into it has "
                f"{_count(len(pocket), 'cell')}",
                cells=pocket,
            )
    sizes = problem.sizes
    needed = sum(kind.least * (size or 0) for kind, size in zip(problem.kinds, sizes, strict=True))
    if not problem.cover and needed > usable:
        yield Reason(
            code="pockets-waste",
            message=f"the open cells lie in {len(pockets)} pockets that can take at most "
            f"{_count(usable, 'cell')} of pieces, {needed} are needed",
            cells=tuple(cell for pocket in wasteful for cell in pocket),
        )


def _fillings(layout: Layout, pocket: tuple[Cell, ...]) -> set[int]:
    """Return the numbers of cells that pieces with a placement in the pocket can add up to."""
    problem = layout.problem
    mask = sum(1 << layout.numbers[cell] for cell in pocket)
    inside = {option.kind for option in problem.options if option.mask & mask == option.mask}
    ranges = [(problem.sizes[k] or 1, 0, problem.kinds[k].most) for k in sorted(inside)]
    return {total for total in range(len(pocket) + 1) if _sums(len(pocket), ranges) >> total & 1}


def _reachable(total: int, ranges: Sequence[tuple[int, int, int | None]]) -> bool:
    return bool(_sums(total, ranges) >> total & 1)


def _sums(limit: int, ranges: Sequence[tuple[int, int, int | None]]) -> int:
    """Return a bit mask of the sums up to `limit` of (size, least, most) pieces."""
    allowed = (1 << limit + 1) - 1
    sums = 1
    for size, least, most in ranges:
        sums = sums << size * least & allowed if size * least <= limit else 0
        left = limit // size if most is None else min(most - least, limit // size)
        step = 1
        while left > 0:
            taken = min(step, left)
            sums |= sums << size * taken & allowed
            left -= taken
            step *= 2
    return sums


def _most(piece: Piece) -> int:
    return _ANYTHING if piece.most is None else piece.most


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
