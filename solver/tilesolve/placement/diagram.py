"""All solutions at once: in how many each option occurs, the n-th, random ones, one by one.

A decision diagram, breadth first along a sweep: the states and ways of `tilesolve.placement.ways`,
linked backward from the end. Numbers are exact whatever their size.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tilesolve.budget import Meter, Stopped, memory_allowed
from tilesolve.placement.frontier import Edges, Frontier, Index
from tilesolve.placement.layers import EXACT, Counts, Layout, States, found
from tilesolve.placement.problem import Problem
from tilesolve.placement.sweep import Sweep, sweep_of
from tilesolve.placement.ways import PAIR_BYTES, few_pairs, forward, layout_of, runs, total_of


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
    layout = layout_of(sweep, adjacent, meter)
    if layout is None:
        return None
    layers: list[States] = []
    deque(forward(layout, meter, None, layers), maxlen=0)
    if meter.stopped_by:
        return None
    return _backward(layout, layers, len(sweep.masks), meter)


def _backward(layout: Layout, layers: list[States], options: int, meter: Meter) -> Diagram | None:
    """Find the solutions from each state on, and the links between states that have some."""
    total = total_of(layers[-1])
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
        few = few_pairs(frontier, position, len(alive), incoming[position].count)
        for edges, origins in incoming[position].batches(together=few):
            pairs = layout.retract(states, edges, (memory - held) // PAIR_BYTES)
            if pairs is None:
                meter.stop("memory")
                return None
            columns = layout.sources(states, edges, pairs)
            for origin, part in runs(origins[pairs.edge]):
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
        for layer, part in runs(edges.layer):
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
