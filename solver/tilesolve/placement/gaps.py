"""Few cells left open: a packing is a cover by pieces and gaps.

Where only open cells and their regions cost anything, a selection within a limit of cost leaves
open a few gaps: connected sets of cells, or single cells where regions cost nothing. With a kind
for each size and cost of gap, the question becomes a handful of covers, which a search of bit
masks finds, or excludes, in its own way, without CP-SAT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve.placement.bounds import fills
from tilesolve.placement.connect import beside, neighbour_masks
from tilesolve.placement.objective import Costs, Objective, faults
from tilesolve.placement.problem import Kind, Option, Problem, bits
from tilesolve.placement.search import covers, first_cover

_MOST_GAPS = 1_500
_MOST_PATTERNS = 16
_MOST_TRIED = 2_000  # counts of gaps, whatever their area

Key: TypeAlias = tuple[int, int]
"""Size and cost of a gap."""


@dataclass(frozen=True, kw_only=True)
class Within:
    """A selection within a limit of cost, or whether everything was searched in vain."""

    chosen: tuple[int, ...] | None
    exhausted: bool


def within(
    problem: Problem, objective: Objective, costs: Costs, limit: int, *, meter: Meter
) -> Within | None:
    """Look for a selection that costs at most `limit`.

    Parameters
    ----------
    problem : Problem
        A packing, or a cover, where only no gaps will do.
    objective : Objective
        Its rules are kept.
    costs : Costs
        Of the objective.
    limit : int
        The cost allowed.
    meter : Meter
        One unit of work a node.

    Returns
    -------
    Within or None
        None: not a question for this search, here or at a higher limit. Pieces cost something,
        or too many gaps would have to be told apart.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.objective import costs
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> objective = Objective(open_penalty=(3, 1, 1))
    >>> for limit in (0, 1):
    ...     within(row, objective, costs(row, objective), limit, meter=Meter(budget=Budget()))
    Within(chosen=None, exhausted=True)
    Within(chosen=(0,), exhausted=False)
    """
    gapped = _gapped(problem, costs, limit)
    if gapped is None:
        return None
    for cover in gapped:
        found = _first(problem, objective, cover, meter)
        if found is not None:
            return Within(chosen=found, exhausted=False)
        if meter.stopped_by is not None:
            return Within(chosen=None, exhausted=False)
    return Within(chosen=None, exhausted=True)


def _first(
    problem: Problem, objective: Objective, cover: Problem, meter: Meter
) -> tuple[int, ...] | None:
    """Return a selection that makes the cover and keeps the rules."""
    searched = first_cover(cover, meter=meter)
    if searched.chosen is None:
        return None
    found = _pieces(problem, searched.chosen)
    if not faults(problem, found, objective):
        return found
    for chosen in covers(cover, meter=meter):
        found = _pieces(problem, chosen)
        if not faults(problem, found, objective):
            return found
    return None


def _pieces(problem: Problem, chosen: Sequence[int]) -> tuple[int, ...]:
    return tuple(index for index in chosen if index < len(problem.options))


def _gapped(problem: Problem, costs: Costs, limit: int) -> list[Problem] | None:
    """Return the covers by pieces and gaps of at most this cost; None: not for this search."""
    if any(costs.option) or any(costs.missing) or min(costs.open, default=0) < 0:
        return None
    if limit < 0:
        return []
    if problem.cover:
        return [problem]
    gaps = _gaps(problem, costs, limit)
    if gaps is None:
        return None
    keys = sorted({key for key, _ in gaps}, key=lambda key: -key[1])
    listed = Counter(key for key, _ in gaps)
    patterns = _patterns(problem, keys, listed, limit)
    if patterns is None:
        return None
    return [_with_gaps(problem, gaps, pattern) for pattern in patterns]


def _gaps(problem: Problem, costs: Costs, limit: int) -> list[tuple[Key, int]] | None:
    """Return every gap that costs at most `limit`, with its key; None if there are too many."""
    if not costs.region:
        return [((1, cost), 1 << cell) for cell, cost in enumerate(costs.open) if cost <= limit]
    neighbours = neighbour_masks(problem)
    gaps: list[tuple[Key, int]] = []
    for first in range(len(problem.cells)):
        above = problem.everything & ~((1 << first) - 1)
        for mask, cost in _grown(1 << first, above, costs, limit, neighbours):
            gaps.append(((mask.bit_count(), cost), mask))
            if len(gaps) > _MOST_GAPS:
                return None
    return gaps


def _grown(
    start: int, allowed: int, costs: Costs, limit: int, neighbours: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield every connected set from a lowest cell within the allowed ones, with its cost."""
    cost = costs.region + costs.open[start.bit_length() - 1]
    if cost > limit:
        return
    waiting = [(start, allowed & ~start, cost)]
    while waiting:
        mask, allowed, cost = waiting.pop()
        yield mask, cost
        for cell in bits(beside(mask, neighbours) & allowed):
            # A cell passed over here is in none of the sets that come later from this one.
            allowed &= ~(1 << cell)
            if cost + costs.open[cell] <= limit:
                waiting.append((mask | 1 << cell, allowed, cost + costs.open[cell]))


def _patterns(
    problem: Problem, keys: Sequence[Key], listed: Counter[Key], limit: int
) -> list[dict[Key, tuple[int, int | None]]] | None:
    """Return count ranges for the kinds of gaps, dearest first, that the areas allow.

    None: they are too many.
    """
    free: dict[Key, tuple[int, int | None]] = {key: (0, None) for key in keys if key[1] == 0}
    dear = [key for key in keys if key[1] > 0]
    if len(dear) == 1 and dear[0][0] == 1:
        return [{**free, dear[0]: (0, min(listed[dear[0]], limit // dear[0][1]))}]
    everyone = range(len(problem.kinds))
    found: list[dict[Key, tuple[int, int | None]]] = []
    tried = islice(_multisets(dear, listed, limit), _MOST_TRIED + 1)
    for number, counts in enumerate(tried):
        area = sum(size * counts[size, cost] for size, cost in dear)
        left = len(problem.cells) - area
        if left >= 0 and (free or fills(problem, left, everyone)):
            found.append({**free, **{key: (times, times) for key, times in counts.items()}})
        if len(found) > _MOST_PATTERNS or number == _MOST_TRIED:
            return None
    return found


def _multisets(keys: Sequence[Key], listed: Counter[Key], limit: int) -> Iterator[dict[Key, int]]:
    if not keys:
        yield {}
        return
    key, *rest = keys
    for number in range(min(limit // key[1], listed[key]), -1, -1):
        for counts in _multisets(rest, listed, limit - number * key[1]):
            yield {key: number, **counts}


def _with_gaps(
    problem: Problem,
    gaps: Sequence[tuple[Key, int]],
    pattern: dict[Key, tuple[int, int | None]],
) -> Problem:
    kinds, options = list(problem.kinds), list(problem.options)
    for (size, cost), (least, most) in pattern.items():
        if most == 0:
            continue
        number = len(kinds)
        kinds.append(Kind(f"gap of {size} at {cost}", least, most))
        options += [Option(number, mask) for key, mask in gaps if key == (size, cost)]
    return replace(problem, kinds=tuple(kinds), options=tuple(options), cover=True)
