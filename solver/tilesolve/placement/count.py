"""How many solutions: the dispatcher over diagram, colouring and search.

The diagram is tried first, briefly; then a colouring, which proves that there are none where the
diagram would be large; then the diagram with most of the budget; and what is left of the budget
goes to the search, which finishes, or says at least how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tilesolve.budget import Meter, Stopped, StoppedBy
from tilesolve.placement.colouring import find_colouring, holds
from tilesolve.placement.orbits import Group, confined
from tilesolve.placement.problem import Problem
from tilesolve.placement.search import covers, first_cover
from tilesolve.placement.ways import count_covers, count_sweep

Engine: TypeAlias = Literal["auto", "diagram", "search"]

_BRIEF = 20_000_000
"""Work of the first attempt at a diagram: two or three seconds."""

_WIDE = 120
"""Cells beyond which a colouring is looked for before any diagram."""

_LAST_NODES = 1_000_000
"""Nodes of a search for one solution; and of the search for all, after the memory did not
suffice and nothing else limits it."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """A number of solutions.

    Parameters
    ----------
    raw : int
        At least this many; exactly this many when `stopped_by` is None.
    engine : str
        What counted them: ``diagram``, ``colouring`` or ``search``.
    stopped_by : str or None
        Why there may be more.
    """

    raw: int
    engine: Literal["diagram", "colouring", "search"]
    stopped_by: StoppedBy | None = None


def count_solutions(
    problem: Problem,
    group: Group | None = None,
    *,
    meter: Meter,
    engine: Engine = "auto",
) -> Counted:
    """Return the number of solutions, or at least how many there are.

    Parameters
    ----------
    problem : Problem
        Equal copies of a kind are not told apart.
    group : Group or None
        Its symmetries; they save work and do not change the result.
    meter : Meter
        Limits of time, work and memory.
    engine : {"auto", "diagram", "search"}
        One engine alone, for comparison.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), dominoes, True)
    >>> count_solutions(problem, meter=Meter(budget=Budget()))
    Counted(raw=2, engine='diagram', stopped_by=None)
    """
    if engine == "search":
        return _by_search(problem, meter)
    stopped_by = None
    stages = [meter.part()] if engine == "diagram" else _stages(meter)
    colour_at = 0 if len(problem.cells) > _WIDE else 1
    for number, part in enumerate(stages):
        if engine == "auto" and number == colour_at and _impossible(problem, meter):
            return Counted(raw=0, engine="colouring")
        raw = _by_diagram(problem, group, part)
        going_on = meter.spend(part.worked)
        if raw is not None:
            return Counted(raw=raw, engine="diagram")
        stopped_by = part.stopped_by
        if not going_on:
            break
    if engine == "diagram":
        return Counted(raw=0, engine="diagram", stopped_by=stopped_by or "work")
    return _by_searches(problem, meter, out_of_memory=stopped_by == "memory")


def _stages(meter: Meter) -> Iterator[Meter]:
    """Yield the budgets of the two attempts at a diagram."""
    yield meter.part(work=_BRIEF, seconds=meter.share(0.3))
    work = meter.remaining_work
    yield meter.part(seconds=meter.share(0.8), work=None if work is None else work * 4 // 5)


def _by_diagram(problem: Problem, group: Group | None, part: Meter) -> int | None:
    try:
        smaller = None if group is None else confined(group, meter=part)
    except Stopped:
        return None
    if smaller is None:
        return count_covers(problem, meter=part)
    return count_sweep(smaller.sweep, problem.adjacent, meter=part, weights=smaller.weights)


def _impossible(problem: Problem, meter: Meter) -> bool:
    part = meter.part(seconds=meter.share(0.3))
    colouring = find_colouring(problem, meter=part)
    meter.spend(part.worked)
    return colouring is not None and holds(problem, colouring)


def _by_searches(problem: Problem, meter: Meter, *, out_of_memory: bool) -> Counted:
    """Look for one solution first: the search for all may not see any on a wide sheet."""
    part = meter.part(seconds=meter.share(0.3), work=_LAST_NODES)
    searched = first_cover(problem, meter=part)
    if searched.exhausted and searched.chosen is None:
        return Counted(raw=0, engine="search")
    meter.spend(part.worked)
    counted = _by_search(problem, meter, out_of_memory=out_of_memory)
    if searched.chosen is not None and counted.stopped_by is not None:
        return replace(counted, raw=max(1, counted.raw))
    return counted


def _by_search(problem: Problem, meter: Meter, *, out_of_memory: bool = False) -> Counted:
    part = meter
    if out_of_memory and meter.remaining_work is None and meter.remaining_seconds is None:
        part = meter.part(work=_LAST_NODES)
    raw = sum(1 for _ in covers(problem, meter=part))
    stopped_by = part.stopped_by
    if stopped_by is not None and out_of_memory and part is not meter:
        stopped_by = "memory"
    return Counted(raw=raw, engine="search", stopped_by=stopped_by)
