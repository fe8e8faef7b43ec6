"""Breadth-first search over packed states, from one side or from both.

The graph is implicit and its moves can be taken back: a function gives all neighbours of many
states at once, and if one state is another's neighbour, so is the other the one's. Then a state
of a new layer can only have been seen in the two layers before it, so nothing but sorted arrays
of keys is held: no table of visited states, no parents. A line is found backwards, layer by
layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress, memory_allowed
from tilesolve.graph.packed import Keys

Neighbours: TypeAlias = Callable[[Keys], Keys]
"""All neighbours of all these states, in any order and with repeats."""

Test: TypeAlias = Callable[[Keys], NDArray[np.bool_]]
"""Which of these states are wanted."""

CHUNK = 1 << 14
"""States that are expanded at once, unless the caller says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What a breadth-first search saw.

    Parameters
    ----------
    sizes : tuple of int
        States at each distance, complete layers only.
    layers : tuple of Keys
        Their keys, sorted; the last two alone when layers are not kept.
    found : Keys
        The wanted states of the last layer, sorted; empty when none was met.
    exhausted : bool
        True when every reachable state was seen.
    """

    sizes: tuple[int, ...]
    layers: tuple[Keys, ...]
    found: Keys
    exhausted: bool

    @property
    def states(self) -> int:
        """How many states were seen."""
        return sum(self.sizes)

    @property
    def depth(self) -> int:
        """The distance of the last complete layer."""
        return len(self.sizes) - 1


def walk(
    starts: Keys,
    neighbours: Neighbours,
    *,
    meter: Meter,
    until: Test | None = None,
    ends: Test | None = None,
    depth: int | None = None,
    keep: bool = True,
    chunk: int = CHUNK,
) -> Walk:
    """Search layer by layer from `starts`.

    Ends at the first layer with a wanted state, at `depth`, when nothing is left, or when the
    meter stops it: one unit of work a state expanded, and the memory of the keys held is
    measured against the budget's.

    Parameters
    ----------
    starts : Keys
        Where to begin; distance 0.
    neighbours : callable
        All neighbours; its moves can be taken back.
    until : callable or None
        Which states are wanted; None wants none and walks on.
    ends : callable or None
        At which states every line ends: they are seen and not expanded. Their moves cannot be
        taken back, so all of them are remembered.
    depth : int or None
        The greatest distance to look at.
    keep : bool
        False keeps the last two layers alone, which is enough for counting.
    chunk : int
        States expanded at once; bounds the working memory.

    Notes
    -----
    Frontier search, after Korf et al., "Frontier search" (Journal of the ACM, 2005): in an
    undirected graph the frontier and the layer before it shut the search in.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> ring = lambda keys: np.concatenate([(keys + np.uint64(1)) % 6, (keys + np.uint64(5)) % 6])
    >>> seen = walk(np.array([0], dtype=np.uint64), ring, meter=Meter(budget=Budget()))
    >>> seen.sizes, seen.exhausted
    ((1, 2, 2, 1), True)
    """
    current = distinct(starts)
    previous = current[:0]
    sizes, layers = [len(current)], [current]
    limit = memory_allowed(meter)
    held, ended = current.nbytes, current[:0]
    while True:
        found = current[until(current)] if until is not None else current[:0]
        if len(found) or (depth is not None and len(sizes) > depth):
            return _walked(sizes, layers, found, exhausted=not len(current))
        open_ = current
        if ends is not None:
            closed = ends(current)
            ended, open_ = distinct(np.concatenate([ended, current[closed]])), current[~closed]
        seen = (current, previous, ended)
        room = limit - held - ended.nbytes
        following = _layer(open_, seen, neighbours, meter, chunk, room)
        if following is None:
            return _walked(sizes, layers, found, exhausted=False)
        if not len(following):
            return _walked(sizes, layers, found, exhausted=True)
        previous, current = current, following
        sizes.append(len(current))
        held += current.nbytes
        layers.append(current)
        if not keep and len(layers) > 2:
            held -= layers.pop(0).nbytes
        meter.report(Progress(stage="breadth-first", done=sum(sizes), bound=len(sizes)))


def line_back(walked: Walk, end: Any, neighbours: Neighbours) -> tuple[Any, ...]:
    """Return the states of a shortest line from a start of a walk to one of its last layer.

    Parameters
    ----------
    walked : Walk
        With its layers kept.
    end : scalar of the keys' type
        A state of the last layer.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> steps = lambda keys: np.concatenate([keys[keys > 0] - np.uint64(1), keys + np.uint64(1)])
    >>> seen = walk(np.array([3], dtype=np.uint64), steps, meter=Meter(budget=Budget()), depth=2)
    >>> [int(state) for state in line_back(seen, np.uint64(1), steps)]
    [3, 2, 1]
    """
    states = [end]
    for layer in reversed(walked.layers[:-1]):
        before = distinct(neighbours(np.array(states[-1:], dtype=layer.dtype)))
        states.append(before[contains(layer, before)][0])
    return tuple(reversed(states))


@dataclass(frozen=True, kw_only=True)
class Shortest:
    """What a search for a shortest line found.

    Parameters
    ----------
    line : tuple
        The states of a shortest line from start to end; empty when there is none or none yet.
    exhausted : bool
        True when all that can be reached, from one end at least, was seen in vain.
    bound : int
        No line is shorter than this.
    states : int
        States seen.
    """

    line: tuple[Any, ...]
    exhausted: bool
    bound: int
    states: int


def meet(
    start: Keys, end: Keys, neighbours: Neighbours, *, meter: Meter, chunk: int = CHUNK
) -> Shortest:
    """Search from both ends, the smaller frontier first, until the two meet.

    Whenever a layer is added on one side it is compared with the last layer of the other, so the
    first meeting is a shortest one.

    Parameters
    ----------
    start, end : Keys
        One state each.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> steps = lambda keys: np.concatenate([keys[keys > 0] - np.uint64(1), keys + np.uint64(1)])
    >>> ends = np.array([3], dtype=np.uint64), np.array([6], dtype=np.uint64)
    >>> [int(state) for state in meet(*ends, steps, meter=Meter(budget=Budget())).line]
    [3, 4, 5, 6]
    """
    sides = [[distinct(start)], [distinct(end)]]
    limit = memory_allowed(meter)
    while True:
        bound = len(sides[0]) + len(sides[1]) - 2
        seen = sum(len(layer) for side in sides for layer in side)
        common = sides[0][-1][contains(sides[1][-1], sides[0][-1])]
        if len(common):
            there = line_back(_side(sides[0]), common[0], neighbours)
            back = line_back(_side(sides[1]), common[0], neighbours)
            line = there + tuple(reversed(back))[1:]
            return Shortest(line=line, exhausted=False, bound=bound, states=seen)
        side = min(sides, key=lambda layers: len(layers[-1]))
        previous = side[-2] if len(side) > 1 else side[-1][:0]
        held = sum(layer.nbytes for layers in sides for layer in layers)
        following = _layer(side[-1], (side[-1], previous), neighbours, meter, chunk, limit - held)
        if following is None or not len(following):
            exhausted = following is not None
            return Shortest(line=(), exhausted=exhausted, bound=bound + 1, states=seen)
        side.append(following)
        meter.report(Progress(stage="from both ends", done=seen, bound=bound + 1))


def distinct(keys: Keys) -> Keys:
    """Return the keys sorted, each once.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3], dtype=np.uint64)).tolist()
    [1, 3]
    """
    ordered = np.sort(keys)
    if len(ordered) < 2:
        return ordered
    fresh = np.empty(len(ordered), dtype=bool)
    fresh[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return ordered[fresh]


def contains(layer: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Return which keys a sorted layer contains.

    Examples
    --------
    >>> contains(np.array([2, 4]), np.array([1, 2, 9])).tolist()
    [False, True, False]
    """
    if not len(layer):
        return np.zeros(len(keys), dtype=bool)
    places = np.searchsorted(layer, keys)
    places[places == len(layer)] = 0
    return np.asarray(layer[places] == keys)


def _walked(sizes: list[int], layers: list[Keys], found: Keys, *, exhausted: bool) -> Walk:
    return Walk(sizes=tuple(sizes), layers=tuple(layers), found=found, exhausted=exhausted)


def _side(layers: list[Keys]) -> Walk:
    sizes = [len(layer) for layer in layers]
    return _walked(sizes, layers, layers[-1][:0], exhausted=False)


def _layer(
    current: Keys,
    seen: tuple[Keys, ...],
    neighbours: Neighbours,
    meter: Meter,
    chunk: int,
    room: int,
) -> Keys | None:
    """Return the unseen neighbours, or None when the meter stops before they are complete."""
    parts: list[Keys] = []
    held = 0
    for piece in _pieces(current, chunk):
        if not meter.spend(len(piece)):
            return None
        fresh = distinct(neighbours(piece))
        for layer in seen:
            fresh = fresh[~contains(layer, fresh)]
        parts.append(fresh)
        held += 2 * fresh.nbytes  # joining the parts takes as much again
        if held > room:
            parts = [distinct(np.concatenate(parts))]
            held = 2 * parts[0].nbytes
        if held > room:
            meter.stop("memory")
            return None
    return parts[0] if len(parts) == 1 else distinct(np.concatenate([current[:0], *parts]))


def _pieces(keys: Keys, size: int) -> Iterator[Keys]:
    for first in range(0, len(keys), size):
        yield keys[first : first + size]
