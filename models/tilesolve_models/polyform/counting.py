"""How many solutions a polyform puzzle has, raw and up to symmetry, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilesolve.answers import Count, Json, Marginal, Reason
from tilesolve.budget import SILENT, Budget, Meter, StoppedBy, Watch
from tilesolve.errors import InputError
from tilesolve.placement.build import Layout, TooManyOptions, build
from tilesolve.placement.orbits import Group, count_orbits
from tilesolve.placement.quick import placed_nowhere, room
from tilesolve.placement.symmetries import layout_group
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.rules import State

if TYPE_CHECKING:
    from tilesolve.placement.count import Counted, Engine


@dataclass(frozen=True)
class Asked:
    """A question about all solutions of a puzzle, under way.

    Parameters
    ----------
    state : State
        The puzzle; what lies on it is legal.
    layout : Layout or None
        What is still to do as a placement problem; None when `reasons` say that it is too
        large or has no solution.
    reasons : tuple of Reason
        Why there is no solution, found by counting alone, or why nothing was built.
    too_large : bool
        Whether the problem was not built.
    cover : bool
        Whether no cell may stay open.
    meter : Meter
        The budget.
    """

    state: State
    layout: Layout | None
    reasons: tuple[Reason, ...]
    too_large: bool
    cover: bool
    meter: Meter

    def group(self, layout: Layout) -> Group:
        """Return the symmetries of the sheet that map the list of pieces onto itself."""
        return layout_group(layout, self.state.sheet, self.state.pieces)


def asked(state: State, *, cover: bool | None, budget: Budget, watch: Watch) -> Asked:
    """Build the placement problem of a legal state.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.
    """
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    wanted = state.goal != "packing" if cover is None else cover
    pieces = rules.left(state)
    reasons = room(state.sheet, pieces, cover=wanted)
    if reasons:
        return Asked(state, None, reasons, False, wanted, meter)
    try:
        layout = build(state.sheet, pieces, cover=wanted)
    except TooManyOptions as error:
        reason = Reason(code="too-many-placements", message=str(error))
        return Asked(state, None, (reason,), True, wanted, meter)
    reasons = placed_nowhere(layout)
    return Asked(state, None if reasons else layout, reasons, False, wanted, meter)


def count(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    marginals: bool = False,
    by: str | None = None,
    engine: Engine = "auto",
) -> Count:
    """Count the solutions: each set of placements once (raw), and orbits of them (reduced).

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.
    marginals : bool
        Also count, for every placement, the solutions it occurs in.
    by : str or None
        Also count the solutions of each sort: names of pieces, with commas between, sort them by
        the placements of these, ``covered-cells`` by how many cells they cover.
    engine : {"auto", "diagram", "search"}
        One engine alone, for comparison.

    Returns
    -------
    Count
        ``details``: ``engine``; with `by` also ``sorts``, see
        `tilesolve_models.polyform.splitting`; with `marginals` also ``never`` (placements in no
        solution), ``forced`` (placements in all) and ``forced_cells`` (cells that the same piece
        covers in all solutions).

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.
    InputError
        If `by` names a piece that is not there, or may be used more than once, or is asked for
        together with `marginals` or of the search.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": "4x4", "pieces": "dominoes*"}))
    >>> answer = count(state, budget=Budget())
    >>> answer.raw, answer.reduced, len(answer.symmetries)
    (36, 9, 8)
    """
    from tilesolve.placement.count import Counted, count_solutions
    from tilesolve_models.polyform.splitting import split_solutions

    if by is not None and marginals:
        raise InputError("ask for sorts or for marginals, one at a time", place="by")
    if by is not None and engine == "search":
        raise InputError("the search does not sort; leave the engine out", place="by")
    question = asked(state, cover=cover, budget=budget, watch=watch)
    layout = question.layout
    if layout is None:
        return _counted_out(question)
    if marginals:
        return _with_marginals(question, layout, engine)
    if by is not None:
        sorts = split_solutions(layout, by, meter=question.meter)
        if sorts is not None:
            raw = sum(int(sort["solutions"]) for sort in sorts)
            counted = Counted(raw=raw, engine="diagram")
            answer = _answer(question, counted, question.group(layout))
            return replace(answer, details={**answer.details, "sorts": sorts})
    group = question.group(layout)
    counted = count_solutions(layout.problem, group, meter=question.meter, engine=engine)
    return _answer(question, counted, group)


def _counted_out(question: Asked) -> Count:
    """Answer where nothing had to be searched, or nothing could be."""
    stopped_by: StoppedBy | None = "memory" if question.too_large else None
    return Count(
        raw=0,
        reduced=0,
        exact=stopped_by is None,
        reasons=question.reasons,
        stopped_by=stopped_by,
        seconds=question.meter.seconds,
        details={"engine": "counting"},
    )


def _answer(question: Asked, counted: Counted, group: Group) -> Count:
    stopped_by = counted.stopped_by
    reduced = -(-counted.raw // len(group.symmetries))
    if stopped_by is None and counted.raw:
        exactly = count_orbits(group, counted.raw, meter=question.meter)
        if exactly is None:
            return _reduced_unknown(question, counted, group)
        reduced = exactly
    reasons: tuple[Reason, ...] = ()
    if counted.engine == "colouring":
        message = (
            "a colouring of the cells shows that no solution exists; tilesolve fit --cover shows it"
        )
        reasons = (Reason(code="colouring", message=message),)
    return Count(
        raw=counted.raw,
        reduced=reduced,
        exact=stopped_by is None,
        symmetries=tuple(symmetry.name for symmetry in group.symmetries),
        reasons=reasons,
        stopped_by=stopped_by,
        seconds=question.meter.seconds,
        details={"engine": counted.engine},
    )


def _reduced_unknown(question: Asked, counted: Counted, group: Group) -> Count:
    message = (
        f"there are exactly {counted.raw} solutions; the budget ended before those that a "
        f"symmetry keeps were counted"
    )
    return Count(
        raw=counted.raw,
        exact=True,
        symmetries=tuple(symmetry.name for symmetry in group.symmetries),
        reasons=(Reason(code="reduced-unknown", message=message),),
        seconds=question.meter.seconds,
        details={"engine": counted.engine},
    )


def _with_marginals(question: Asked, layout: Layout, engine: Engine) -> Count:
    tallied = tally(layout, question.meter, engine)
    answer = _answer(question, tallied.counted, question.group(layout))
    listed = tuple(
        Marginal(piece=placed.piece, cells=placed.cells, solutions=solutions)
        for placed, solutions in zip(
            map(layout.placed, range(len(tallied.occurrences))), tallied.occurrences, strict=True
        )
    )
    if not answer.exact:
        return replace(answer, marginals=listed)
    return replace(answer, marginals=listed, details={**answer.details, **_shared(listed, answer)})


@dataclass(frozen=True)
class Tally:
    """The number of solutions and, for each option, of those it occurs in."""

    counted: Counted
    occurrences: tuple[int, ...]


def tally(layout: Layout, meter: Meter, engine: Engine = "auto") -> Tally:
    """Count solutions and occurrences by diagram, or by search where the diagram is too large.

    When it is stopped the numbers are at least these.
    """
    from tilesolve.placement.count import Counted
    from tilesolve.placement.diagram import compile_diagram
    from tilesolve.placement.search import covers

    problem = layout.problem
    stopped_by: StoppedBy | None = None
    if engine != "search":
        part = meter.part(seconds=meter.share(0.8))
        diagram = compile_diagram(problem, meter=part)
        meter.spend(part.worked)
        if diagram is not None:
            return Tally(Counted(raw=diagram.total, engine="diagram"), diagram.marginals())
        stopped_by = part.stopped_by
        if engine == "diagram":
            nothing = (0,) * len(problem.options)
            return Tally(Counted(raw=0, engine="diagram", stopped_by=stopped_by), nothing)
    occurrences = [0] * len(problem.options)
    raw = 0
    for chosen in covers(problem, meter=meter):
        raw += 1
        for option in chosen:
            occurrences[option] += 1
    return Tally(Counted(raw=raw, engine="search", stopped_by=meter.stopped_by), tuple(occurrences))


def _shared(marginals: Sequence[Marginal], answer: Count) -> dict[str, Json]:
    """Return what all solutions share and what none has."""
    raw = answer.raw
    never = [_json(found) for found in marginals if not found.solutions]
    forced = [_json(found) for found in marginals if raw and found.solutions == raw]
    covering: dict[tuple[tuple[int, int], str], int] = {}
    for found in marginals:
        for cell in found.cells:
            covering[cell, found.piece] = covering.get((cell, found.piece), 0) + found.solutions
    forced_cells = [
        {"cell": list(cell), "piece": piece}
        for (cell, piece), solutions in sorted(covering.items())
        if raw and solutions == raw
    ]
    return {"never": never, "forced": forced, "forced_cells": forced_cells}


def _json(found: Marginal) -> Json:
    return {"piece": found.piece, "cells": [list(cell) for cell in found.cells]}
