"""All solutions at once: how many, in how many each option occurs, the n-th, random ones.

A decision diagram, breadth first along a sweep. A state is (pattern of taken cells ahead, copies
used of each kind); equal states are merged, with the whole state as the key. First the patterns
alone are walked forward and back (`tilesolve.placement.frontier`), so that what cannot be
finished whatever pieces are left is gone before any piece is counted; then the ways to reach
each state are summed position by position. Numbers are exact whatever their size.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from tilesolve.budget import Meter, Progress, Stopped, memory_allowed
from tilesolve.placement.few import count_few
from tilesolve.placement.frontier import Edges, Frontier, Index, frontier_of
from tilesolve.placement.layers import EXACT, Columns, Counts, Layout, States, found, merged
from tilesolve.placement.problem import Problem
from tilesolve.placement.sweep import Sweep, sweep_of, with_holes

_PAIR_BYTES = 64
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
    layout = _layout(sweep, adjacent, meter)
    if layout is None:
        return None
    last = deque(_forward(layout, meter, weights), maxlen=1)
    return None if meter.stopped_by else _sum(last[0])


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
    layout = _layout(sweep, problem.adjacent, meter)
    if layout is None:
        return None
    layout = replace(layout, labels=tuple(labels))
    states = deque(_forward(layout, meter, None), maxlen=1)[0]
    if meter.stopped_by:
        return None
    found: dict[int, int] = {}
    for label, ways in zip(layout.sums(states).tolist(), states.ways.tolist(), strict=True):
        found[label] = found.get(label, 0) + ways
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Links:
    """The ways on from the states of one position, by state and then by option.

    `first` has one entry more than there are states: those of state ``i`` are
    ``first[i]:first[i + 1]`` of `option`, `layer` (position) and `target` (state there).
    """

    first: Index
    option: Index
    layer: Index
    target: Index


@dataclass(frozen=True)
class Diagram:
    """All solutions of a problem, ready for questions.

    Build it with `compile_diagram`.

    Parameters
    ----------
    total : int
        The number of solutions.
    options : int
        The number of options of the problem; larger numbers in `links` leave a cell open.
    before, after : tuple of array
        For each position and state: the ways to get there, and the solutions from there on.
    links : tuple of Links
        For each position.
    """

    total: int
    options: int
    before: tuple[Counts, ...]
    after: tuple[Counts, ...]
    links: tuple[Links, ...]

    def marginals(self) -> tuple[int, ...]:
        """Return for each option in how many solutions it occurs."""
        occurrences = [0] * (self.options + len(self.links))
        for position, links in enumerate(self.links):
            state = np.repeat(np.arange(len(links.first) - 1), np.diff(links.first))
            for layer in np.unique(links.layer).tolist():
                here = np.flatnonzero(links.layer == layer)
                ways = self.before[position][state[here]] * self.after[layer][links.target[here]]
                options, number = np.unique(links.option[here], return_inverse=True)
                sums = np.zeros(len(options), ways.dtype)
                np.add.at(sums, number, ways)
                for option, solutions in zip(options.tolist(), sums.tolist(), strict=True):
                    occurrences[option] += solutions
        return tuple(occurrences[: self.options])

    def solution(self, number: int) -> tuple[int, ...]:
        """Return a solution by its number, from 0, in the order of `covers`, as sorted options.

        Raises
        ------
        IndexError
            If there are not that many.
        """
        if not 0 <= number < self.total:
            raise IndexError(f"there are {self.total} solutions, numbered from 0")
        position, state, chosen = 0, 0, []
        while position < len(self.links):
            option, position, state, number = next(self._late(position, state, number))
            chosen.append(option)
        return self._sorted(chosen)

    def solutions(self, start: int = 0) -> Iterator[tuple[int, ...]]:
        """Yield the solutions in the order of `covers`, from a number on."""
        if not 0 <= start < self.total:
            return
        if not self.links:
            yield ()
            return
        # Step by step, each step an iterator over the ways on; the first ones begin late.
        trail = [self._late(0, 0, start)]
        chosen: list[int] = []
        while trail:
            way = next(trail[-1], None)
            if way is None:
                trail.pop()
                if chosen:
                    chosen.pop()
                continue
            option, layer, target, start = way
            chosen.append(option)
            if layer == len(self.links):
                yield self._sorted(chosen)
                chosen.pop()
            else:
                trail.append(self._late(layer, target, start))

    def sample(self, count: int, *, seed: int) -> list[tuple[int, ...]]:
        """Return solutions drawn uniformly and independently; none if there are none.

        Parameters
        ----------
        count : int
            How many draws; one solution may come several times.
        seed : int
            The same seed gives the same solutions.
        """
        draw = random.Random(seed)
        if not self.total:
            return []
        return [self.solution(draw.randrange(self.total)) for _ in range(count)]

    def _ways(self, position: int, state: int) -> Iterable[tuple[int, int, int]]:
        links = self.links[position]
        listed = self._listed.get(position)
        if listed is None:
            columns = (links.first, links.option, links.layer, links.target)
            listed = self._listed[position] = [column.tolist() for column in columns]
        first, option, layer, target = listed
        start, end = first[state], first[state + 1]
        return zip(option[start:end], layer[start:end], target[start:end], strict=True)

    @cached_property
    def _listed(self) -> dict[int, list[list[int]]]:
        """The links of the positions visited so far, as lists, which are quicker to walk."""
        return {}

    def _late(self, position: int, state: int, skip: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the ways on after `skip` solutions, each with what it has to skip itself."""
        for option, layer, target in self._ways(position, state):
            if skip:
                solutions = int(self.after[layer][target])
                if skip >= solutions:
                    skip -= solutions
                    continue
            yield option, layer, target, skip
            skip = 0

    def _sorted(self, chosen: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(option for option in chosen if option < self.options))


def compile_diagram(problem: Problem, *, meter: Meter) -> Diagram | None:
    """Return the diagram of a problem, or None when the meter stopped it.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), dominoes, True)
    >>> diagram = compile_diagram(problem, meter=Meter(budget=Budget()))
    >>> diagram.total, diagram.marginals(), diagram.solution(1)
    (2, (1, 1, 1, 1), (1, 2))
    """
    try:
        sweep = sweep_of(problem, meter=meter)
    except Stopped:
        return None
    return compile_sweep(sweep, problem.adjacent, meter=meter)


def compile_sweep(
    sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter
) -> Diagram | None:
    """Return the diagram of a sweep; see `compile_diagram`.

    Parameters
    ----------
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.
    """
    layout = _layout(sweep, adjacent, meter)
    if layout is None:
        return None
    layers: list[States] = []
    deque(_forward(layout, meter, None, layers), maxlen=0)
    if meter.stopped_by:
        return None
    return _backward(layout, layers, len(sweep.masks), meter)


def _layout(sweep: Sweep, adjacent: Sequence[Sequence[int]], meter: Meter) -> Layout | None:
    """Return the patterns of a sweep and the room for its counters; None: stopped."""
    spare = sweep.spare
    uncounted: tuple[int, ...] = ()
    if spare < 0 or (sweep.cover and sweep.exact and spare > 0):
        return Layout(sweep, Frontier((0,), ()))
    if not sweep.cover:
        sweep, uncounted = with_holes(sweep), (len(sweep.sizes),)
    frontier = frontier_of(sweep, adjacent, meter=meter, memory=memory_allowed(meter))
    return None if frontier is None else Layout(sweep, frontier, uncounted)


def _forward(
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
        left = (memory - held - waiting) // _PAIR_BYTES
        for edges in _batches(frontier, position, len(states)):
            pairs = layout.expand(states, edges, left)
            if pairs is None:
                meter.stop("memory")
                return
            columns = layout.targets(states, edges, pairs)
            ways = states.ways[pairs.state]
            if factor is not None:
                ways = ways * factor[edges.option][pairs.edge]
            left -= (1 + len(columns)) * ways.nbytes // _PAIR_BYTES
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
    if states * len(edges.option) <= _TOGETHER * frontier.patterns[position]:
        yield edges
    else:
        yield from (edges.picked(part) for _, part in _runs(edges.layer))


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


def _runs(numbers: Index) -> Iterator[tuple[int, slice]]:
    """Yield each of some ascending numbers and where it stands."""
    cuts = np.flatnonzero(np.diff(numbers)) + 1
    for start, end in pairwise([0, *cuts.tolist(), len(numbers)]):
        if end > start:
            yield int(numbers[start]), slice(start, end)


def _sum(states: States) -> int:
    return sum(states.ways.tolist())


def _backward(layout: Layout, layers: list[States], options: int, meter: Meter) -> Diagram | None:
    """Find the solutions from each state on, and the links between states that have some."""
    total = _sum(layers[-1])
    dtype = np.int64 if total < EXACT else object
    after: list[Counts] = [np.zeros(len(states), dtype) for states in layers]
    after[-1][:] = 1
    links: list[list[tuple[Index, Index, Index, Index]]] = [[] for _ in layers]
    frontier = layout.frontier
    incoming = _incoming(frontier)
    held = sum(states.bytes for states in layers) * 2 + frontier.bytes
    memory = memory_allowed(meter)
    for position in range(len(layers) - 1, -1, -1):
        alive = np.flatnonzero(after[position])
        if not len(alive):
            continue
        states = States(
            tuple(column[alive] for column in layers[position].columns), after[position][alive]
        )
        few = len(alive) * incoming[position].count <= _TOGETHER * frontier.patterns[position]
        for edges, origins in incoming[position].batches(together=few):
            pairs = layout.retract(states, edges, (memory - held) // _PAIR_BYTES)
            if pairs is None:
                meter.stop("memory")
                return None
            columns = layout.sources(states, edges, pairs)
            for origin, part in _runs(origins[pairs.edge]):
                source = found(layers[origin], tuple(column[part] for column in columns))
                there = np.flatnonzero(source >= 0)
                source, target = source[there], pairs.state[part][there]
                np.add.at(after[origin], source, states.ways[target])
                option = edges.option[pairs.edge[part][there]]
                layer = np.full(len(source), position, np.int64)
                links[origin].append((source, option, layer, alive[target]))
                held += 4 * source.nbytes
        if not meter.spend(len(alive)):
            return None
    before = tuple(states.ways.astype(dtype, copy=False) for states in layers)
    linked = tuple(
        _linked(parts, len(states)) for parts, states in zip(links[:-1], layers[:-1], strict=True)
    )
    return Diagram(total, options, before, tuple(after), linked)


@dataclass(frozen=True)
class _Incoming:
    """The edges that lead to one position, by the position they come from."""

    parts: tuple[tuple[int, Edges], ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(edges.option) for _, edges in self.parts)

    def batches(self, *, together: bool) -> Iterator[tuple[Edges, Index]]:
        """Yield the edges, all together or one origin at a time, each with its origin."""
        batches = [self.parts] if together and self.parts else [(part,) for part in self.parts]
        for parts in batches:
            origins = [np.full(len(edges.option), origin, np.int64) for origin, edges in parts]
            yield Edges.joined([edges for _, edges in parts]), np.concatenate(origins)


def _incoming(frontier: Frontier) -> list[_Incoming]:
    parts: list[list[tuple[int, Edges]]] = [[] for _ in range(len(frontier.edges) + 1)]
    for origin, edges in enumerate(frontier.edges):
        for layer, part in _runs(edges.layer):
            parts[layer].append((origin, edges.picked(part)))
    return [_Incoming(tuple(leading)) for leading in parts]


def _linked(parts: list[tuple[Index, Index, Index, Index]], states: int) -> Links:
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Links(np.zeros(states + 1, np.int64), nothing, nothing, nothing)
    source, option, layer, target = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((option, source))
    first = np.concatenate(([0], np.cumsum(np.bincount(source, minlength=states))))
    return Links(first, option[order], layer[order], target[order])
