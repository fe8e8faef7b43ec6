"""Can all these pieces still be placed? The ladder of reasons, and the engines below it.

Cheapest first: counting cells, placements that do not exist, a colouring, weights, then search,
CP-SAT and clauses. A no that only one engine gives is not believed: it is `unknown` until a
certificate is checked or another engine agrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tilesolve.answers import Fit, PieceFit, Placed, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Stopped, Watch
from tilesolve.errors import InputError
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.build import (
    Layout,
    TooManyOptions,
    build,
    placement_counts,
    placements,
)
from tilesolve.placement.clausal import installed
from tilesolve.placement.greedy import first_fit
from tilesolve.placement.quick import leaves_no_slack, placed_nowhere, room
from tilesolve.proof.certificate import Certificate, Claim, dump_certificate, puzzle_hash
from tilesolve.proof.verify import verify
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import (
    Refutation,
    by_clauses,
    by_colouring,
    by_search,
    by_weights,
)
from tilesolve_models.polyform.rules import State

Engine: TypeAlias = Literal["auto", "cpsat", "search", "clausal"]

_GLANCE = 2_000
"""Nodes of the first search, a hundredth of a second: most sheets that can be filled are."""

_LARGE = 400
"""Open cells beyond which first fit is tried before placements are built."""

_LOOSE = 0.8
"""Share of the open cells that the pieces fill, below which first fit is tried at any size."""

_SMALL = 30
"""Cells and pieces together up to which a colouring is looked for before any search."""

_COUNTED_AGAIN = 100_000
"""Placements up to which a count is held against the checker's: a second or so."""

_LONG = 200_000
"""Nodes of the search before CP-SAT is asked."""


@dataclass(frozen=True)
class _Asked:
    """One question under way."""

    state: State
    pieces: tuple[Piece, ...]
    cover: bool
    meter: Meter
    read: dict[str, int]

    def yes(self, witness: Sequence[Placed], engine: str) -> Fit:
        self.confirm(witness)
        ordered = tuple(sorted(witness, key=lambda placed: placed.cells))
        return replace(self._fit(), answer="yes", witness=ordered, details={"engine": engine})

    def no(self, refutation: Refutation) -> Fit:
        return Fit(
            answer="no",
            rung=refutation.rung,
            reasons=refutation.reasons,
            read=self.read,
            seconds=self.meter.seconds,
            details=refutation.details,
            certificate=dump_certificate(refutation.certificate),
        )

    def counted(self, reasons: Sequence[Reason], *, placements: int = 0) -> Fit:
        """Answer no by counting alone; the certificate says only that it can be counted.

        The checker counts too, unless deriving so many placements would take it long.

        Raises
        ------
        WrongAnswer
            If it comes to another result.
        """
        sheet, pieces, cover = self.state.sheet, self.pieces, self.cover
        hashed = puzzle_hash(sheet, pieces, cover=cover)
        certificate = Certificate(puzzle=hashed, claim=Claim(), rung="trivial")
        if placements <= _COUNTED_AGAIN:
            checked = verify(sheet, pieces, certificate, cover=cover, meter=self.meter.part())
            if not checked.accepted:
                raise WrongAnswer(f"the checker does not count it out: {checked.message}")
        return self.no(Refutation("trivial", tuple(reasons), certificate))

    def agreed(self) -> Fit:
        """Answer no because two engines found nothing; there is no certificate of that."""
        message = "two different engines, a search and CP-SAT, looked at all ways and found none"
        return Fit(
            answer="no",
            rung="two engines",
            reasons=(Reason(code="two-engines", message=message),),
            read=self.read,
            seconds=self.meter.seconds,
        )

    def unknown(self, reasons: Sequence[Reason] = ()) -> Fit:
        stopped = self.meter.stopped_by or "work"
        return Fit(
            answer="unknown", stopped_by=stopped, reasons=tuple(reasons), read=self.read,
            seconds=self.meter.seconds,
        )  # fmt: skip

    def confirm(self, witness: Sequence[Placed]) -> None:
        """Re-check a witness by the rules; an engine's word is not enough."""
        goal: rules.Goal = "cover" if self.cover else "packing"
        after = replace(self.state, sheet=self.state.sheet.with_placed(witness), goal=goal)
        plain = replace(after, sheet=replace(after.sheet, rules=type(after.sheet.rules)()))
        verdict = rules.check(plain)
        if not verdict.legal or not verdict.complete:
            raise WrongAnswer(f"an engine's witness breaks the rules: {verdict}")

    def _fit(self) -> Fit:
        return Fit(answer="yes", read=self.read, seconds=self.meter.seconds)


def fit(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    each: bool = False,
    engine: Engine = "auto",
) -> Fit:
    """Answer whether all pieces that must be placed still can be, or each of them alone.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or packing.
    each : bool
        Ask for every piece alone instead: how many placements, and one of them.
    engine : {"auto", "cpsat", "search", "clausal"}
        Which engine to ask first; a no needs another's agreement, or a certificate, all the
        same. `clausal` needs the extra ``tilesolve[proof]``.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.
    InputError
        If `clausal` is asked for and not installed.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": "4x5", "pieces": "tetrominoes"}))
    >>> answer = fit(state, budget=Budget())
    >>> answer.answer, answer.rung
    ('no', 'colouring')
    """
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    wanted = state.goal == "cover" if cover is None else cover
    pieces = rules.left(state)
    asked = _Asked(state, pieces, wanted, meter, _read(state.sheet, pieces))
    return _each(asked) if each else _together(asked, engine)


def _read(sheet: Sheet, pieces: Sequence[Piece]) -> dict[str, int]:
    copies = [piece.least if piece.most is None else piece.most for piece in pieces]
    return {
        "cells": len(sheet.open),
        "piece_cells": sum(n * piece.size for n, piece in zip(copies, pieces, strict=True)),
        "pieces": sum(copies),
        "placements": sum(placement_counts(sheet, pieces)),
    }


def _each(asked: _Asked) -> Fit:
    found = []
    for piece in asked.pieces:
        first: tuple[tuple[int, int], ...] = ()
        count = 0
        for cells in placements(asked.state.sheet, piece):
            first = first or cells
            count += 1
            if count % 512 == 0 and not asked.meter.spend(512):
                return asked.unknown()
        found.append(PieceFit(piece=piece.name, placements=count, example=first))
    nowhere = [piece.piece for piece in found if not piece.placements]
    reasons = tuple(
        Reason(code="no-placement", message=f"the piece {name} fits nowhere", pieces=(name,))
        for name in nowhere
    )
    if any(piece.least for piece in asked.pieces if piece.name in nowhere):
        fit = asked.counted(reasons, placements=sum(piece.placements for piece in found))
    elif nowhere:  # what may stay out makes nothing impossible
        fit = replace(asked._fit(), answer="no", rung="trivial", reasons=reasons)
    else:
        fit = asked._fit()
    return replace(fit, pieces=tuple(found))


def _together(asked: _Asked, engine: Engine) -> Fit:
    sheet, pieces, cover = asked.state.sheet, asked.pieces, asked.cover
    reasons = room(sheet, pieces, cover=cover)
    if reasons:
        return asked.counted(reasons)
    loose = engine == "auto" and asked.read["piece_cells"] < _LOOSE * asked.read["cells"]
    if not cover and (loose or len(sheet.open) > _LARGE):
        witness = first_fit(sheet, pieces, meter=asked.meter.part(seconds=asked.meter.share(0.2)))
        if witness is not None:
            return asked.yes(witness, "first fit")
    try:
        layout = tightened(build(sheet, pieces, cover=cover, meter=asked.meter))
    except TooManyOptions as error:
        return _too_large(asked, error)
    except Stopped:
        return asked.unknown()
    reasons = placed_nowhere(layout)
    if reasons:
        return asked.counted(reasons, placements=len(layout.problem.options))
    nothing_due = all(kind.least == 0 for kind in layout.problem.kinds)
    if not layout.problem.cells or (nothing_due and not cover):
        return asked.yes((), "counting")
    return _ENGINES[engine](asked, layout)


def tightened(layout: Layout) -> Layout:
    """Return a packing that leaves no cell open as the cover that it is: engines do better."""
    problem = layout.problem
    exact = all(kind.least == kind.most for kind in problem.kinds)
    if problem.cover or not exact or not leaves_no_slack(problem):
        return layout
    return replace(layout, problem=replace(problem, cover=True))


def _too_large(asked: _Asked, error: TooManyOptions) -> Fit:
    witness = None if asked.cover else first_fit(asked.state.sheet, asked.pieces, meter=asked.meter)
    if witness is not None:
        return asked.yes(witness, "first fit")
    asked.meter.stop("memory")
    return asked.unknown([Reason(code="too-many-placements", message=str(error))])


def _auto(asked: _Asked, layout: Layout) -> Fit:
    rows = len(layout.problem.cells) + len(layout.problem.kinds)
    stages = [
        *([_by_colouring] if rows <= _SMALL else []),
        _glancing,
        *([_by_colouring] if rows > _SMALL else []),
        _searching,
        _by_weights,
        _writing,
        _asking,
        _exhausting,
    ]
    for stage in stages:
        answer = stage(asked, layout)
        if answer is not None:
            return answer
    return asked.unknown()


def _by_colouring(asked: _Asked, layout: Layout) -> Fit | None:
    part = asked.meter.part(seconds=asked.meter.share(0.25))
    found = by_colouring(layout, cover=asked.cover, meter=part)
    return asked.no(found) if asked.meter.spend(part.worked) and found is not None else None


def _by_weights(asked: _Asked, layout: Layout) -> Fit | None:
    found = by_weights(layout, cover=asked.cover, meter=asked.meter)
    return None if found is None else asked.no(found)


def _writing(asked: _Asked, layout: Layout) -> Fit | None:
    """Try the search that writes itself down, which goes another way than the first."""
    return _written(asked, layout, asked.meter.part(seconds=asked.meter.share(0.2), work=_LONG))


def _by_written_search(asked: _Asked, layout: Layout) -> Fit | None:
    part = asked.meter.part(seconds=asked.meter.share(0.5), work=_half(asked.meter))
    return _written(asked, layout, part)


def _written(asked: _Asked, layout: Layout, part: Meter) -> Fit | None:
    found = by_search(layout, cover=asked.cover, meter=part)
    asked.meter.spend(part.worked)
    if isinstance(found, tuple):
        return asked.yes(layout.witness(found), "search")
    return None if found is None else asked.no(found)


def _by_clauses(asked: _Asked, layout: Layout) -> Fit | None:
    found = by_clauses(layout, cover=asked.cover, meter=asked.meter)
    if isinstance(found, tuple):
        return asked.yes(layout.witness(found), "clausal")
    return None if found is None else asked.no(found)


def _clausal(asked: _Asked, layout: Layout) -> Fit:
    if not installed():
        raise InputError(f"the engine 'clausal' is not there; {_INSTALL}", place="engine")
    return _by_clauses(asked, layout) or asked.unknown()


_INSTALL = "for clausal proofs: pip install 'tilesolve[proof]'"


def _alone(engine: str) -> Reason:
    """Say that one engine alone says no, which is not enough."""
    more = "" if installed() else f" ({_INSTALL})"
    message = f"{engine} alone says no; nothing confirmed it in time{more}"
    return Reason(code="one-engine", message=message)


def _glancing(asked: _Asked, layout: Layout) -> Fit | None:
    return _search(asked, layout, asked.meter.part(work=_GLANCE), confirm=False)


def _searching(asked: _Asked, layout: Layout) -> Fit | None:
    part = asked.meter.part(work=_LONG, seconds=asked.meter.share(0.3))
    return _search(asked, layout, part, confirm=True)


def _exhausting(asked: _Asked, layout: Layout) -> Fit | None:
    return _search(asked, layout, asked.meter.part(), confirm=True)


def _search(asked: _Asked, layout: Layout, part: Meter, *, confirm: bool) -> Fit | None:
    from tilesolve.placement.search import first_cover

    found = first_cover(layout.problem, meter=part)
    going_on = asked.meter.spend(part.worked)
    if found.chosen is not None:
        return asked.yes(layout.witness(found.chosen), "search")
    if found.exhausted and confirm:
        return (
            _by_weights(asked, layout)
            or _by_written_search(asked, layout)
            or _by_clauses(asked, layout)
            or _confirmed(asked, layout)
            or asked.unknown([_alone("a search")])
        )
    return None if going_on else asked.unknown()


def _confirmed(asked: _Asked, layout: Layout) -> Fit | None:
    """Ask CP-SAT to agree with a search that found nothing."""
    from tilesolve.placement.cpsat.decision import decide

    found = decide(layout.problem, meter=asked.meter)
    if found.status == "infeasible":
        return asked.agreed()
    if found.status == "feasible":
        raise WrongAnswer("CP-SAT found what the search says does not exist")
    return None


def _asking(asked: _Asked, layout: Layout) -> Fit | None:
    part = asked.meter.part(seconds=asked.meter.share(0.5), work=_half(asked.meter))
    return _cpsat(asked, layout, part)


def _by_cpsat(asked: _Asked, layout: Layout) -> Fit:
    return _cpsat(asked, layout, asked.meter) or asked.unknown()


def _cpsat(asked: _Asked, layout: Layout, meter: Meter) -> Fit | None:
    """Ask CP-SAT within a meter: the question's own, or a part of it."""
    from tilesolve.placement.cpsat.decision import decide

    found = decide(layout.problem, meter=meter)
    going_on = asked.meter.spend(0 if meter is asked.meter else meter.worked)
    if found.status == "feasible":
        return asked.yes(layout.witness(found.chosen), "cpsat")
    if found.status == "infeasible":
        return _second_opinion(asked, layout)
    return None if going_on else asked.unknown()


def _second_opinion(asked: _Asked, layout: Layout) -> Fit:
    """Look for what confirms CP-SAT's no: a certificate, or a search to the end."""
    for rung in (_by_colouring, _by_weights, _by_written_search, _by_clauses):
        certified = rung(asked, layout)
        if certified is not None:
            return certified
    from tilesolve.placement.search import first_cover

    found = first_cover(layout.problem, meter=asked.meter)
    if found.chosen is not None:
        return asked.yes(layout.witness(found.chosen), "search")
    if found.exhausted:
        return asked.agreed()
    return asked.unknown([_alone("CP-SAT")])


def _by_search(asked: _Asked, layout: Layout) -> Fit:
    return _exhausting(asked, layout) or asked.unknown()


def _half(meter: Meter) -> int | None:
    work = meter.remaining_work
    return None if work is None else work // 2


_ENGINES = {"auto": _auto, "cpsat": _by_cpsat, "search": _by_search, "clausal": _clausal}
