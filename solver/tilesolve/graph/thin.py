"""Breadth-first search in plain integers, for state graphs whose layers are thin.

Numpy pays for every layer anew, however few states are in it; sets of integers do not. The
search of `tilesolve.graph.paths` holds a tenth of the memory, so this one gives up where a
graph turns out wide or large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from tilesolve.budget import Meter, Progress, memory_allowed
from tilesolve.graph.paths import Shortest

Beyond: TypeAlias = Callable[[AbstractSet[int]], set[int]]
"""All neighbours of all these states, as a new set; its moves can be taken back."""

Wanted: TypeAlias = Callable[[AbstractSet[int]], Sequence[int]]
"""Those of these states that are wanted."""

WIDEST = 1 << 13
"""States that one layer may hold."""

MOST = 1 << 17
"""States that all layers may hold together."""

_HELD, _LIVE = 48, 112
"""Bytes of a state in a tuple, and of one in a set as well."""


def thin_line(start: int, beyond: Beyond, wanted: Wanted, *, meter: Meter) -> Shortest | None:
    """Search layer by layer for the nearest wanted state; None where that takes too much room.

    One unit of work a state expanded. As in `tilesolve.graph.paths.walk` a new state can only
    have been seen in the two layers before it.

    Parameters
    ----------
    start : int
        Where to begin.
    beyond : callable
        All neighbours of a set of states; their moves can be taken back.
    wanted : callable
        Which states of a set are wanted.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> steps = lambda states: {state + way for state in states for way in (-1, 1)}
    >>> six = lambda states: [state for state in states if state == 6]
    >>> thin_line(3, steps, six, meter=Meter(budget=Budget())).line
    (3, 4, 5, 6)
    """
    limit = memory_allowed(meter)
    previous, current = set[int](), {start}
    layers: list[tuple[int, ...]] = []
    seen = 1
    while True:
        found = wanted(current)
        if found:
            line = _back(layers, min(found), beyond)
            return Shortest(line=line, exhausted=False, bound=len(layers), states=seen)
        layers.append(tuple(current))
        bound = len(layers)
        if not meter.spend(len(current)):
            return Shortest(line=(), exhausted=False, bound=bound, states=seen)
        following = beyond(current)
        following -= current
        following -= previous
        if not following:
            return Shortest(line=(), exhausted=True, bound=bound, states=seen)
        previous, current = current, following
        seen += len(current)
        live = len(previous) + 2 * len(current)  # a layer and its neighbours, before it is sifted
        if len(current) > WIDEST or seen > MOST or seen * _HELD + live * _LIVE > limit:
            return None
        meter.report(Progress(stage="breadth-first", done=seen, bound=bound))


def _back(layers: Sequence[Sequence[int]], end: int, beyond: Beyond) -> tuple[int, ...]:
    """Return the states of a line from the first layer to a neighbour of the last."""
    states = [end]
    for layer in reversed(layers):
        states.append(min(beyond({states[-1]}).intersection(layer)))
    return tuple(reversed(states))
