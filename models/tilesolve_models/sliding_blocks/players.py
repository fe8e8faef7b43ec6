"""Simulated people who move blocks without a plan: how often do they come to the goal in time?

Nothing is drawn: the chances of all arrangements are followed move by move, so that a rate is
exact and the same from whichever side the board is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.answers import Json
from tilesolve.budget import Meter
from tilesolve.graph.paths import Walk
from tilesolve_models.sliding_blocks.arrangements import Arrangements

Integers: TypeAlias = NDArray[np.int64]
Chances: TypeAlias = NDArray[np.float64]

PATIENCE = 10
"""A player gives up after so many times the moves that are needed."""

_PER_UNIT = 64
"""Moves whose chance is followed for one unit of work."""

_PER_MOVE = 100
"""Bytes that all arrays take for each move of a graph."""


@dataclass(frozen=True)
class Graph:
    """All arrangements by number, and the moves between them.

    Parameters
    ----------
    start : int
        Where a game begins.
    goal : array of bool
        Which arrangements meet the goal.
    source, target : array of int
        Of each move, sorted by source and then by target.
    """

    start: int
    goal: NDArray[np.bool_]
    source: Integers
    target: Integers

    @cached_property
    def moves(self) -> Integers:
        """How many moves each arrangement has."""
        return np.bincount(self.source, minlength=len(self.goal))

    @cached_property
    def back(self) -> Integers:
        """For each move the one that takes it back."""
        size = len(self.goal)
        back = np.searchsorted(self.source * size + self.target, self.target * size + self.source)
        return back.astype(np.int64)


def room(moves: float) -> float:
    """Return the bytes that following the chances of so many moves takes."""
    return moves * _PER_MOVE


def graph_of(arrangements: Arrangements, seen: Walk, *, meter: Meter) -> Graph | None:
    """Return the graph of all that was seen; None when the meter stops."""
    keys = np.sort(np.concatenate(seen.layers))
    sources, targets = [], []
    for first in range(0, len(keys), arrangements.chunk):
        chunk = keys[first : first + arrangements.chunk]
        if not meter.spend(len(chunk)):
            return None
        after, source = arrangements.expand(chunk)
        sources.append(source + first)
        targets.append(np.searchsorted(keys, after))
    source, target = np.concatenate(sources), np.concatenate(targets)
    order = np.lexsort((target, source))
    start = int(np.searchsorted(keys, seen.layers[0])[0])
    return Graph(start, arrangements.done(keys), source[order], target[order])


def players(graph: Graph, needed: int, *, meter: Meter) -> dict[str, Json]:
    """Return how often players come to the goal; those the meter does not grant are absent.

    ``random`` makes any legal move; ``careful`` too, but takes the last one back only where
    there is no other.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> goal, source, target = [True, False, False], [0, 1, 1, 2], [1, 0, 2, 1]
    >>> line = Graph(1, np.array(goal), np.array(source), np.array(target))
    >>> players(line, 1, meter=Meter(budget=Budget()))["careful"]
    {'moves': 10, 'rate': 1.0}
    """
    moves = PATIENCE * needed
    found = {
        "random": _random(graph, moves, meter),
        "careful": _careful(graph, moves, meter),
    }
    return {
        name: {"moves": moves, "rate": round(min(1.0, max(0.0, rate)), 6)}
        for name, rate in found.items()
        if rate is not None
    }


def _random(graph: Graph, moves: int, meter: Meter) -> float | None:
    chances: Chances = np.zeros(len(graph.goal))
    chances[graph.start] = 1.0
    won = _taken(chances, graph.goal)
    share = 1 / np.maximum(graph.moves, 1)
    for _ in range(moves):
        if not meter.spend(1 + len(graph.source) // _PER_UNIT):
            return None
        weights = (chances * share)[graph.source]
        chances = _at(graph, weights)
        won += _taken(chances, graph.goal)
    return won


def _careful(graph: Graph, moves: int, meter: Meter) -> float | None:
    """Follow the chance of each move to be the last one made."""
    if graph.goal[graph.start]:
        return 1.0
    ends = graph.goal[graph.target]
    others = graph.moves[graph.target] - 1
    dead = others == 0
    share = 1 / np.maximum(others, 1)
    chances: Chances = (graph.source == graph.start) / max(1, graph.moves[graph.start])
    won = _taken(chances, ends)
    for _ in range(moves - 1):
        if not meter.spend(1 + len(graph.source) // _PER_UNIT):
            return None
        each = np.where(dead, 0.0, chances * share)
        after = _at(graph, each)[graph.source] - each[graph.back]
        after[graph.back[dead]] = chances[dead]
        chances = after
        won += _taken(chances, ends)
    return won


def _at(graph: Graph, chances: Chances) -> Chances:
    """Return, for each arrangement, the chances of all moves to it together."""
    together = np.bincount(graph.target, weights=chances, minlength=len(graph.goal))
    return together.astype(np.float64)


def _taken(chances: Chances, ends: NDArray[np.bool_]) -> float:
    """Take the chances that have come to the goal out of the game."""
    won = float(chances[ends].sum())
    chances[ends] = 0.0
    return won
