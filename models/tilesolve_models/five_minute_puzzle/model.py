"""A position as a placement problem, and the question whether all pieces still fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tilesolve.answers import Fit, PieceFit, Placed, Reason, Verdict, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState
from tilesolve.placement.build import Layout, build
from tilesolve.placement.objective import Clause, Found, Objective
from tilesolve.placement.problem import Problem, bits
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.state import State

UNIT = "penalty"


def require_legal(state: State) -> None:
    """Raise `IllegalState` if the history breaks a rule."""
    verdict: Verdict = rules.check(state)
    if not verdict.legal:
        raise IllegalState(verdict)


@dataclass(frozen=True)
class Puzzle:
    """A position as a placement problem of its empty cells, every piece optional.

    `lays` says for each option which piece it lays on which cells of the sheet.
    """

    now: Position
    layout: Layout
    lays: tuple[Lay, ...]

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.layout.problem

    def narrowed(self, mask: int) -> int:
        """Return a mask of the sheet's cells as one of the problem's."""
        numbers, cells = self.layout.numbers, self.now.edition.cells
        return sum(1 << numbers[cells[cell]] for cell in bits(mask & self.now.empty))

    def objective(self, clauses: tuple[Clause, ...] = ()) -> Objective:
        """Return FM7 with FM3 and FM8."""
        grounds = self.now.edition.sheet.grounds
        begun = bool(self.now.filled)
        return Objective(
            open_penalty=tuple(grounds[cell].penalty for cell in self.layout.cells),
            region_penalty=1,
            touch=True,
            anchors=self.narrowed(self.now.frontier) if begun else 0,
            begun=begun,
            clauses=clauses,
        )


def puzzle(now: Position, *, required: bool = False) -> Puzzle:
    """Return a position's placement problem; `required` asks for all pieces."""
    edition = now.edition
    left = list(bits(now.available))
    pieces = [replace(edition.pieces[piece], least=int(required)) for piece in left]
    filled = Placed(piece="", cells=edition.cells_of(now.filled))
    sheet = replace(edition.sheet, placed=(filled,) if now.filled else ())
    layout = build(sheet, pieces, cover=False)
    lays = tuple(
        (left[option.kind], edition.mask(tuple(layout.cells[cell] for cell in option.cells())))
        for option in layout.problem.options
    )
    return Puzzle(now, layout, lays)


def fit(state: State, *, budget: Budget, watch: Watch = SILENT) -> Fit:
    """Can all pieces that are left still be drawn, in some order, and where does each go now?

    The rolls are left aside: this asks whether the sheet still allows it. ``pieces`` counts the
    placements that are legal now, piece by piece.

    Raises
    ------
    IllegalState
        If the history breaks a rule.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> answer = fit(State(shipped("synthetic-a")), budget=Budget())
    >>> answer.answer, len(answer.witness), answer.pieces[0].placements
    ('yes', 12, 126)
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    now = rules.position(state)
    each = tuple(_piece_fit(now, piece) for piece in bits(now.available))
    whole = puzzle(now, required=True)
    read = {
        "cells": now.empty.bit_count(),
        "piece_cells": sum(piece.size for piece in whole.layout.pieces),
        "pieces": len(whole.layout.pieces),
        "placements": len(whole.lays),
    }
    answer = _together(state, whole, meter)
    return replace(answer, read=read, pieces=each, seconds=meter.seconds)


def _piece_fit(now: Position, piece: int) -> PieceFit:
    masks = [mask for _, mask in now.lays(1 << piece)]
    example = now.edition.cells_of(masks[0]) if masks else ()
    return PieceFit(piece=now.edition.pieces[piece].name, placements=len(masks), example=example)


def _together(state: State, whole: Puzzle, meter: Meter) -> Fit:
    """Ask the ladder of polyform puzzles whether they fit, and then for an order that keeps FM3."""
    from tilesolve_models.five_minute_puzzle.proving import puzzle_of
    from tilesolve_models.polyform import fitting

    part = meter.part()
    answer = fitting.fit(puzzle_of(state), budget=part.budget, watch=meter.watch)
    meter.spend(part.worked)
    if answer.answer != "yes":
        return answer
    options = {
        (whole.now.edition.pieces[piece].name, mask): option
        for option, (piece, mask) in enumerate(whole.lays)
    }
    mask = whole.now.edition.mask
    chosen = [options[placed.piece, mask(placed.cells)] for placed in answer.witness]
    order = _touching(whole, chosen)
    return _yes(whole, order) if order is not None else _ordered(whole, meter)


def _ordered(whole: Puzzle, meter: Meter) -> Fit:
    """Ask for a packing that keeps FM3; the first one found did not."""
    from tilesolve.placement.cpsat.optimisation import optimise
    from tilesolve.placement.search import covers

    found = optimise(whole.problem, replace(whole.objective(), region_penalty=0), meter=meter)
    if found.chosen:
        order = _touching(whole, found.chosen)
        if order is None:
            raise WrongAnswer("a selection that does not touch came back as one that does")
        return _yes(whole, order)
    for packing in covers(whole.problem, meter=meter):
        order = _touching(whole, packing)
        if order is not None:
            return _yes(whole, order)
    if meter.stopped_by is not None:
        return Fit(answer="unknown", stopped_by=meter.stopped_by)
    return _no_order(found)


def _no_order(found: Found) -> Fit:
    """Return a no that a search of all packings has proven and CP-SAT is to confirm."""
    if found.status == "unknown":
        alone = Reason(code="one-engine", message="a search finds no way; nothing confirmed it yet")
        return Fit(answer="unknown", reasons=(alone,), stopped_by=found.stopped_by)
    if found.status != "infeasible":
        raise WrongAnswer("two engines disagree about what fits")
    message = "they fit together, but in no order does each share an edge with a filled cell"
    reason = Reason(code="no-order", message=message)
    return Fit(answer="no", reasons=(reason,), rung="two engines")


def _touching(whole: Puzzle, chosen: Iterable[int]) -> list[Lay] | None:
    """Return placements in an order that keeps FM3, or None."""
    waiting = [whole.lays[option] for option in chosen]
    now, order = whole.now, []
    while waiting:
        frontier = now.frontier
        for lay in waiting:
            if lay[1] & frontier:
                break
        else:
            return None
        waiting.remove(lay)
        order.append(lay)
        now = now.laid(lay)
    return order


def _yes(whole: Puzzle, order: Iterable[Lay]) -> Fit:
    edition = whole.now.edition
    witness = tuple(
        Placed(piece=edition.pieces[piece].name, cells=edition.cells_of(mask))
        for piece, mask in order
    )
    return Fit(answer="yes", witness=witness)
