"""Covers and packings one by one: fill the first open cell, step back, go on.

`covers` streams all solutions in a fixed order; `first_cover` looks for one as quickly as it
can, by two searches that take turns, and proves that there is none when either is exhausted.

References
----------
D. E. Knuth, "Dancing links" (2000), for the exact cover view and for branching on what has the
fewest options; filling the first open cell goes back to J. G. Fletcher, "A program to solve
the pentomino problem by the recursive use of macros" (1965).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from tilesolve.budget import Meter, Stopped, StoppedBy
from tilesolve.placement.fewest import fewest
from tilesolve.placement.pocket import pockets
from tilesolve.placement.problem import Kind, Problem
from tilesolve.placement.sweep import Sweep, sweep_of
from tilesolve.placement.walk import Walk

_SLICE = 256
"""Nodes between two looks at the meter."""

_TURN = 8
"""Nodes of the careful search between two turns of the walk."""

_MOST_TABULATED = 30_000
"""Options beyond which the careful search's table of clashes, a square, is not built."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search for one solution found.

    Parameters
    ----------
    chosen : tuple of int or None
        Indices of the chosen options, ascending; None when none was found.
    exhausted : bool
        True when everything was searched: with `chosen` None a proof that there is none.
    stopped_by : str or None
        Why the search stopped early; None exactly when it found one or was exhausted.
    """

    chosen: tuple[int, ...] | None
    exhausted: bool
    stopped_by: StoppedBy | None


def covers(problem: Problem, *, meter: Meter) -> Iterator[tuple[int, ...]]:
    """Yield every solution of a problem once, in a fixed order, holding none of them.

    A solution is a set of options, given as ascending indices: every cell exactly once for a
    cover, at most once for a packing, and every kind within its count range.

    Parameters
    ----------
    problem : Problem
        Equal copies of a kind are not told apart.
    meter : Meter
        One unit of work a node. When the iterator ends and ``meter.stopped_by`` is None,
        everything was searched.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Option
    >>> domino = (Option(0, 0b0011), Option(0, 0b0101), Option(0, 0b1010), Option(0, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), domino, True)
    >>> list(covers(problem, meter=Meter(budget=Budget())))
    [(0, 3), (1, 2)]
    """
    try:
        nodes = walk_of(sweep_of(problem, meter=meter), problem.adjacent, meter=meter).solutions()
    except Stopped:
        return
    for found in metered(nodes, meter, nodes_between_looks(problem)):
        if found is not None:
            yield tuple(sorted(found))


def walk_of(sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter) -> Walk:
    """Return the walk through all solutions of a sweep in their fixed order.

    Parameters
    ----------
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.

    Raises
    ------
    Stopped
        When the meter stops the preparation.
    """
    return Walk(sweep, hopeless=pockets(sweep, adjacent, meter=meter), meter=meter)


def first_cover(problem: Problem, *, meter: Meter) -> Searched:
    """Look for one solution: a cover or, if the problem is a packing, a packing.

    Two searches take turns: along the sweep, large pieces first, with the dead states remembered
    and hopeless pockets seen early; and branching on what has the fewest options. The first to
    find a solution or to run out of places to look ends the question.

    Parameters
    ----------
    problem : Problem
        In a packing copies beyond the least number of a kind are not used.
    meter : Meter
        One unit of work a node.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Option
    >>> problem = Problem(("0,0", "0,1", "1,0"), (Kind("I2", 1, 1),), (Option(0, 3),), False)
    >>> first_cover(problem, meter=Meter(budget=Budget()))
    Searched(chosen=(0,), exhausted=False, stopped_by=None)
    """
    try:
        sweep = sweep_of(problem if problem.cover else _needed(problem), meter=meter)
        hopeless = pockets(sweep, problem.adjacent, meter=meter)
        walk = Walk(sweep, rank=_large_first(sweep), dead=set(), hopeless=hopeless, meter=meter)
    except Stopped:
        return Searched(chosen=None, exhausted=False, stopped_by=meter.stopped_by)
    nodes = walk.solutions()
    if len(problem.options) <= _MOST_TABULATED:
        nodes = _in_turns(nodes, fewest(sweep))
    for found in metered(nodes, meter, nodes_between_looks(problem)):
        if found is not None:
            return Searched(chosen=tuple(sorted(found)), exhausted=False, stopped_by=None)
    stopped_by = meter.stopped_by
    return Searched(chosen=None, exhausted=stopped_by is None, stopped_by=stopped_by)


def _needed(problem: Problem) -> Problem:
    """Return the packing of the copies that must be used, and no others."""
    kinds = tuple(Kind(kind.name, kind.least, kind.least) for kind in problem.kinds)
    return replace(problem, kinds=kinds)


def _large_first(sweep: Sweep) -> Callable[[int], int]:
    return lambda option: -sweep.sizes[sweep.kinds[option]]


def _in_turns(
    walk: Iterator[tuple[int, ...] | None], careful: Iterator[tuple[int, ...] | None]
) -> Iterator[tuple[int, ...] | None]:
    """Yield from two searches in turn, the first many nodes at a time; either may end both."""
    while True:
        for search, nodes in ((walk, 16 * _TURN), (careful, _TURN)):
            for _ in range(nodes):
                try:
                    yield next(search)
                except StopIteration:
                    return


def nodes_between_looks(problem: Problem) -> int:
    """Return how many nodes may pass between two looks at the meter; large ones are slow."""
    return max(1, min(_SLICE, 2_000_000 // (1 + len(problem.options) * len(problem.cells) // 64)))


def metered(
    nodes: Iterator[tuple[int, ...] | None], meter: Meter, between_looks: int
) -> Iterator[tuple[int, ...] | None]:
    """Pass nodes on until the meter stops; solutions and nodes cost one unit each."""
    while meter.spend(0):
        allowed = meter.remaining_work
        size = between_looks if allowed is None else min(between_looks, allowed + 1)
        worked = counted = 0
        for found in islice(nodes, size):
            worked += 1
            if found is not None:
                # Counted before it is handed out: whoever has seen enough does not come back.
                meter.worked += worked - counted
                counted = worked
                yield found
        if worked < size:
            # Everything was searched: no limit that is hit at this moment may say otherwise.
            meter.worked += worked - counted
            return
        meter.spend(worked - counted)
