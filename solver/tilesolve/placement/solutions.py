"""Solutions one by one: the dispatcher over small sheets, search, symmetry and diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from tilesolve.budget import Meter, Stopped, memory_allowed
from tilesolve.placement.copies import list_copies
from tilesolve.placement.count import Engine
from tilesolve.placement.diagram import compile_diagram
from tilesolve.placement.few import list_few
from tilesolve.placement.orbits import Group
from tilesolve.placement.problem import Problem
from tilesolve.placement.search import metered, nodes_between_looks, walk_of
from tilesolve.placement.sweep import Sweep, sweep_of

_GLANCE = 2_000
"""Nodes of the search before a diagram is compiled to list solutions: some hundredths of a
second."""

_SHORT_GLANCE = 200
"""The same where all solutions are wanted."""


def solutions(
    problem: Problem,
    group: Group | None = None,
    *,
    meter: Meter,
    wanted: int | None = None,
    engine: Engine = "auto",
) -> Iterator[tuple[int, ...]]:
    """Yield every solution once, in the fixed order of `covers`, holding few of them.

    Those of a small sheet are found all together. Otherwise the search gives the first ones at
    once. If it goes on for long, those of a symmetric sheet are found as copies of some, when
    they are not many; else a diagram is compiled, which never walks into a dead end. Either
    takes over at the solution the search has come to; the order is the same. When the iterator
    ends and ``meter.stopped_by`` is None, there are no more.

    Parameters
    ----------
    group : Group or None
        Symmetries of the problem; they save work and change nothing else.
    wanted : int or None
        How many are going to be taken at most. Who wants all, None, soon gains by a diagram.
    engine : {"auto", "diagram", "search"}
        One engine alone, for comparison; a diagram that is stopped yields nothing.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), dominoes, True)
    >>> list(solutions(problem, meter=Meter(budget=Budget())))
    [(0, 3), (1, 2)]
    """
    if engine == "diagram":
        diagram = compile_diagram(problem, meter=meter)
        if diagram is not None:
            yield from _until_stopped(diagram.solutions(), meter)
        return
    try:
        sweep = sweep_of(problem, meter=meter)
        listed = None if engine == "search" else _listed(sweep, problem, meter)
        if listed is not None:
            yield from _until_stopped(listed, meter)
            return
        nodes = walk_of(sweep, problem.adjacent, meter=meter).solutions()
    except Stopped:
        return
    between_looks = nodes_between_looks(problem)
    if engine == "search":
        yield from _found(metered(nodes, meter, between_looks))
        return
    given = 0
    glance = _SHORT_GLANCE if wanted is None else _GLANCE
    for chosen in _found(metered(islice(nodes, glance), meter, between_looks)):
        given += 1
        yield chosen
    if meter.stopped_by is not None:
        return
    # The search has ended if it has no further node.
    for node in islice(nodes, 1):
        if node is not None:
            given += 1
            yield tuple(sorted(node))
        later = _later(problem, group, given, meter)
        if later is None:
            yield from _found(metered(nodes, meter, between_looks))
        else:
            yield from _until_stopped(later, meter)


def _later(
    problem: Problem, group: Group | None, given: int, meter: Meter
) -> Iterable[tuple[int, ...]] | None:
    """Return the solutions after some, by symmetry or by a diagram; None: these were stopped."""
    if group is not None:
        part = meter.part(seconds=meter.share(0.2))
        copies = list_copies(group, meter=part)
        meter.spend(part.worked)
        if copies is not None:
            return copies[given:]
    part = meter.part(seconds=meter.share(0.4))
    diagram = compile_diagram(problem, meter=part)
    meter.spend(part.worked)
    return None if diagram is None else diagram.solutions(given)


def _listed(sweep: Sweep, problem: Problem, meter: Meter) -> list[tuple[int, ...]] | None:
    """Return all solutions of a small sheet, if half of the work left is enough for them."""
    work = meter.remaining_work
    part = meter.part(seconds=meter.share(0.4), work=None if work is None else work // 2)
    listed = list_few(sweep, problem.adjacent, meter=part, memory=memory_allowed(part))
    meter.spend(part.worked)
    return listed


def _found(nodes: Iterator[tuple[int, ...] | None]) -> Iterator[tuple[int, ...]]:
    return (tuple(sorted(node)) for node in nodes if node is not None)


def _until_stopped(found: Iterable[tuple[int, ...]], meter: Meter) -> Iterator[tuple[int, ...]]:
    for chosen in found:
        if not meter.spend(1):
            return
        yield chosen
