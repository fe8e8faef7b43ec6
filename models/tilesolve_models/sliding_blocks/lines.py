"""All shortest lines of a puzzle, and how far the arrangements near it are from the goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilesolve.budget import Meter
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Neighbours, Walk, contains, distinct, walk
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.rules import Move, State
from tilesolve_models.sliding_blocks.search import told


@dataclass(frozen=True)
class Distances:
    """How many moves arrangements are from the goal.

    `layers` holds, at index d, the sorted keys of those that are d moves away.
    """

    layers: tuple[Keys, ...]

    def of(self, key: Keys) -> int | None:
        """Return the moves to the goal from the one key of an array, or None when not known."""
        for distance, layer in enumerate(self.layers):
            if contains(layer, key)[0]:
                return distance
        return None


def distances(graph: Arrangements, seen: Walk, *, meter: Meter, depth: int | None) -> Distances:
    """Return how far from the goal the arrangements are, up to `depth` moves.

    Parameters
    ----------
    seen : Walk
        From the puzzle's position, with its layers kept; goals that it did not see are not
        known. Positions at distance n of it are judged rightly when it went to n plus their
        own distance from the goal.
    """
    goals = np.concatenate([layer[graph.done(layer)] for layer in seen.layers])
    if not len(goals):
        return Distances(())
    neighbours: Neighbours = graph.neighbours
    if graph.ends is not None:
        neighbours = _among(graph, np.sort(np.concatenate(seen.layers)))
    back = walk(goals, neighbours, meter=meter, depth=depth, chunk=graph.chunk)
    return Distances(back.layers)


def _among(graph: Arrangements, known: Keys) -> Neighbours:
    """Return the neighbours among known states: going back from an end may lead elsewhere."""

    def neighbours(keys: Keys) -> Keys:
        found = graph.neighbours(keys)
        return found[contains(known, found)]

    return neighbours


def shortest_lines(state: State, *, meter: Meter) -> Iterator[tuple[Move, ...]]:
    """Yield every shortest line, in order of keys; none when there is none or the meter stops.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.sliding_blocks.boards import load
    >>> board = {"game": "sliding-blocks", "board": "A.B/...", "goal": "A at 1,0; B at 1,2"}
    >>> lines = shortest_lines(load(Node(board)), meter=Meter(budget=Budget()))
    >>> sorted([move.block for move in line] for line in lines)
    [['A', 'B'], ['B', 'A']]
    """
    graph = arrangements(state, meter=meter)
    if graph is None:
        return
    seen = graph.walk(meter=meter, until=graph.done)
    if not len(seen.found):
        return
    useful = [seen.found]
    for layer in reversed(seen.layers[:-1]):
        before = distinct(graph.neighbours(useful[-1]))
        useful.append(before[contains(layer, before)])
    useful.reverse()
    for keys in _lines(graph, useful, (graph.start[0],)):
        if not meter.spend(1):
            return
        yield told(graph, keys)


def _lines(
    graph: Arrangements, useful: list[Keys], line: tuple[Any, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield the lines through the useful arrangements of each layer, without recursion."""
    waiting = [line]
    while waiting:
        line = waiting.pop()
        if len(line) == len(useful):
            yield line
            continue
        layer = useful[len(line)]
        after = distinct(graph.neighbours(np.array(line[-1:], dtype=layer.dtype)))
        waiting += [(*line, key) for key in reversed(after[contains(layer, after)])]
