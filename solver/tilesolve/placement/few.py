"""Counting where there are few states: whole states are walked at once, in one pass.

Patterns first and pieces afterwards, as the diagram does it, pays where there are many states.
A small sheet, as one day of a calendar, has a few thousand, and there what costs is the number
of passes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilesolve.budget import Meter
from tilesolve.placement.frontier import Edges, Forward, Index
from tilesolve.placement.sweep import Sweep, with_holes

_OPTIONS = 1_200
"""Options beyond which there are likely many states."""

_EDGES = 150_000
"""Steps from state to state at which the attempt is given up."""

_EXACT = 2.0**52
"""Whole numbers up to here are exact in floating point, and so are their sums."""


def count_few(
    sweep: Sweep,
    adjacent: Sequence[Sequence[int]],
    *,
    meter: Meter,
    memory: int,
    weights: Sequence[int] | None = None,
) -> int | None:
    """Return the number of solutions, or None where there are many states or the meter stopped.

    Parameters
    ----------
    sweep : Sweep
        What is counted.
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.
    meter : Meter
        One unit of work a step from state to state.
    memory : int
        Bytes allowed.
    weights : sequence of int, optional
        A factor for each option; see `tilesolve.placement.diagram.count_covers`.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> sweep = Sweep((0, 1, 2, 3), (3, 5, 10, 12), (0,) * 4, (1,) * 4, (2,), (2,), (2,), True,
    ...               (1,) * 4)
    >>> count_few(sweep, (), meter=Meter(budget=Budget()), memory=10**6)
    2
    """
    if len(sweep.masks) > _OPTIONS or sweep.spare < 0:
        return None
    if not sweep.cover:
        sweep = with_holes(sweep)
    forward = Forward(sweep, sweep, adjacent)
    if forward.words > 1:
        return None
    steps = 0
    for position in range(len(sweep.order)):
        walked = forward.step(position, memory)
        made = len(forward.edges[position].source)
        steps += made
        if not walked or steps > _EDGES or not meter.spend(made):
            return None
    sizes, edges = forward.finish()
    factors = np.ones(len(sweep.masks), np.int64)
    factors[: len(weights or ())] = weights or ()
    total = _summed(sizes, edges, factors, np.dtype(np.float64))
    return total if total < _EXACT else _summed(sizes, edges, factors, np.dtype(object))


def _summed(
    sizes: Sequence[int], edges: Sequence[Edges], factors: Index, dtype: np.dtype[np.generic]
) -> int:
    """Return the ways from the first state to the last ones, added up state by state."""
    offsets = np.cumsum([0, *sizes])
    # One table for the states of all positions; the last entry takes what leads nowhere.
    ways = np.zeros(offsets[-1] + 1, dtype)
    ways[0] = 1
    for found, start in zip(edges, offsets.tolist(), strict=False):
        if len(found.source):
            arrived = ways[start + found.source] * factors[found.option]
            place = np.where(found.target < 0, len(ways) - 1, offsets[found.layer] + found.target)
            np.add.at(ways, place, arrived)
    return sum(int(number) for number in ways[offsets[-2] : -1].tolist())
