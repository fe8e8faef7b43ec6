"""How many solutions there are: the ways to reach each state of a sweep, position by position.

A state is (pattern of taken cells ahead, copies used of each kind); equal states are merged, with
the whole state as the key. First the patterns alone are walked forward and back
(`tilesolve.placement.frontier`), so that what cannot be finished whatever pieces are left is gone
before any piece is counted. Numbers are exact whatever their size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tilesolve.budget import Meter, Progress, Stopped, memory_allowed
from tilesolve.placement.few import count_few
from tilesolve.placement.frontier import Edges, Frontier, Index, frontier_of
from tilesolve.placement.layers import Columns, Counts, Layout, States, merged
from tilesolve.placement.problem import Problem
from tilesolve.placement.sweep import Sweep, sweep_of, with_holes

PAIR_BYTES = 64
"""What one pair of an edge and a state costs while it is worked on."""

_TOGETHER = 300_000
"""Pairs of edges and states that are worked on at once."""


def count_covers(
    problem: Problem, *, meter: Meter, weights: Sequence[int] | None = None
) -> int | None:
    """Return the number of solutions, or None when the meter stopped the diagram.

    Parameters
    ----------
    problem : Problem
        Cover or packing, any count ranges. Equal copies of a kind are not told apart.
    meter : Meter
        One unit of work for every edge of the diagram and of its patterns. `Budget.memory`
        limits what is held; when it would be passed the meter is stopped for ``memory``.
    weights : sequence of int, optional
        A factor for each option, at least 1: the sum over all solutions of the product of the
        factors is returned. At most one option with a factor above 1 in each solution.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), dominoes, True)
    >>> count_covers(problem, meter=Meter(budget=Budget()))
    2
    """
    try:
        sweep = sweep_of(problem, meter=meter)
    except Stopped:
        return None
    return count_sweep(sweep, problem.adjacent, meter=meter, weights=weights)


def count_sweep(
    sweep: Sweep,
    adjacent: Sequence[Sequence[int]],
    *,
    meter: Meter,
    weights: Sequence[int] | None = None,
) -> int | None:
    """Return the number of solutions of a sweep; see `count_covers`.

    Parameters
    ----------
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.
    """
    few = count_few(sweep, adjacent, meter=meter, memory=memory_allowed(meter), weights=weights)
    if few is not None or meter.stopped_by:
        return few
    layout = layout_of(sweep, adjacent, meter)
    if layout is None:
        return None
    last = deque(forward(layout, meter, weights), maxlen=1)
    return None if meter.stopped_by else total_of(last[0])


def count_by_sum(problem: Problem, labels: Sequence[int], *, meter: Meter) -> dict[int, int] | None:
    """Return the number of solutions for each sum of the labels of their options, ascending.

    With the sizes of the placements as labels that is how many solutions cover how many cells;
    with the number of a placement among those of its piece, how many solutions have which.

    Parameters
    ----------
    problem : Problem
        Cover or packing.
    labels : sequence of int
        A number for each option, at least 0.
    meter : Meter
        As for `count_covers`.

    Returns
    -------
    dict or None
        None when the meter stopped it.

    Examples
    --------
    A domino on three cells in a row, if it is used at all: one way not to, two ways to.

    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> domino = Kind("I2", 0, 1)
    >>> problem = Problem(("",) * 3, (domino,), (Option(0, 0b011), Option(0, 0b110)), False)
    >>> count_by_sum(problem, (2, 2), meter=Meter(budget=Budget()))
    {0: 1, 2: 2}
    """
    try:
        sweep = sweep_of(problem, meter=meter)
    except Stopped:
        return None
    layout = layout_of(sweep, problem.adjacent, meter)
    if layout is None:
        return None
    layout = replace(layout, labels=tuple(labels))
    states = deque(forward(layout, meter, None), maxlen=1)[0]
    if meter.stopped_by:
        return None
    found: dict[int, int] = {}
    for label, ways in zip(layout.sums(states).tolist(), states.ways.tolist(), strict=True):
        found[label] = found.get(label, 0) + ways
    return dict(sorted(found.items()))


def layout_of(sweep: Sweep, adjacent: Sequence[Sequence[int]], meter: Meter) -> Layout | None:
    """Return the patterns of a sweep and the room for its counters; None: stopped."""
    spare = sweep.spare
    uncounted: tuple[int, ...] = ()
    if spare < 0 or (sweep.cover and sweep.exact and spare > 0):
        return Layout(sweep, Frontier((0,), ()))
    if not sweep.cover:
        sweep, uncounted = with_holes(sweep), (len(sweep.sizes),)
    frontier = frontier_of(sweep, adjacent, meter=meter, memory=memory_allowed(meter))
    return None if frontier is None else Layout(sweep, frontier, uncounted)


def forward(
    layout: Layout, meter: Meter, weights: Sequence[int] | None, layers: list[States] | None = None
) -> Iterator[States]:
    """Yield the states of each position with the ways to reach them, until stopped.

    They are kept in `layers` too, if that is given.
    """
    frontier = layout.frontier
    memory = memory_allowed(meter) - frontier.bytes
    factor = None
    if weights is not None:
        # Leaving a cell open, an option that only the sweep knows, weighs 1.
        factor = np.ones(len(layout.sweep.masks), np.int64)
        factor[: len(weights)] = weights
    ends = len(frontier.edges)
    pending: dict[int, list[tuple[Columns, Counts]]] = {}
    if frontier.patterns[0]:
        start = layout.start()
        pending[0] = [(start.columns, start.ways)]
    held, waiting = 0, 16
    for position in range(ends + 1):
        parts = pending.pop(position, [])
        states = _arrived(layout, parts, position)
        held += states.bytes
        waiting -= sum(2 * ways.nbytes for _, ways in parts)
        if layers is not None:
            layers.append(states)
        else:
            held = states.bytes
        yield states
        if position == ends or not len(states):
            continue
        work = len(states)
        left = (memory - held - waiting) // PAIR_BYTES
        for edges in _batches(frontier, position, len(states)):
            pairs = layout.expand(states, edges, left)
            if pairs is None:
                meter.stop("memory")
                return
            columns = layout.targets(states, edges, pairs)
            ways = states.ways[pairs.state]
            if factor is not None:
                ways = ways * factor[edges.option][pairs.edge]
            left -= (1 + len(columns)) * ways.nbytes // PAIR_BYTES
            work += len(ways)
            for layer, part in _parts(edges, pairs.edge):
                arrived = (tuple(column[part] for column in columns), ways[part])
                waiting += 2 * arrived[1].nbytes
                pending.setdefault(layer, []).append(arrived)
        meter.report(Progress(stage="diagram", done=position, total=ends))
        if not meter.spend(work):
            return


def _batches(frontier: Frontier, position: int, states: int) -> Iterator[Edges]:
    """Yield the edges together if there are few pairs with states, or else layer by layer."""
    edges = frontier.edges[position]
    if few_pairs(frontier, position, states, len(edges.option)):
        yield edges
    else:
        yield from (edges.picked(part) for _, part in runs(edges.layer))


def few_pairs(frontier: Frontier, position: int, states: int, edges: int) -> bool:
    """Tell whether so many states of a position and edges are few enough to pair at once."""
    return states * edges <= _TOGETHER * frontier.patterns[position]


def _parts(edges: Edges, taken: Index) -> Iterator[tuple[int, slice]]:
    """Yield each target position with the part of the pairs that leads there."""
    cuts = np.flatnonzero(np.diff(edges.layer)) + 1
    starts = [0, *cuts.tolist()]
    bounds = [*np.searchsorted(taken, starts).tolist(), len(taken)]
    for first, (start, end) in zip(starts, pairwise(bounds), strict=True):
        if end > start:
            yield int(edges.layer[first]), slice(start, end)


def _arrived(layout: Layout, parts: list[tuple[Columns, Counts]], position: int) -> States:
    if not parts:
        nothing = np.zeros(0, np.int64)
        return States((nothing,) * layout.width, nothing)
    states = merged(parts)
    hopeful = layout.hopeful(states.columns, position)
    if hopeful is None:
        return states
    return States(tuple(column[hopeful] for column in states.columns), states.ways[hopeful])


def runs(numbers: Index) -> Iterator[tuple[int, slice]]:
    """Yield each of some ascending numbers and where it stands."""
    cuts = np.flatnonzero(np.diff(numbers)) + 1
    for start, end in pairwise([0, *cuts.tolist(), len(numbers)]):
        if end > start:
            yield int(numbers[start]), slice(start, end)


def total_of(states: States) -> int:
    """Return the sum of the ways to reach these states."""
    return sum(states.ways.tolist())
