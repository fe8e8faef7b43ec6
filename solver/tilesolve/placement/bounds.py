"""How good can a selection be at best? Bounds that anyone can check by adding up.

`area_bound` weighs how many cells each piece takes against how many there are. `weight_bound`
takes a weight for each cell, from wherever, and is right for all weights; good weights come
from a linear program. Both work in whole numbers, and with costs: lower is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tilesolve.placement.connect import components, neighbour_masks
from tilesolve.placement.objective import Costs
from tilesolve.placement.problem import Kind, Problem, bits

SCALE = 5040
"""Weights are whole multiples of ``1 / SCALE``: thirds, quarters, sevenths are exact."""

_MAX_STEPS = 100_000_000  # cells times bundles of copies; a larger knapsack is not worth its time


def area_bound(problem: Problem, costs: Costs) -> int | None:
    """Return a cost that no selection can undercut, by the areas of the pieces.

    Each copy takes its number of cells and saves at most what its best placement saves; the
    copies must fit into the number of cells. Where they cannot fill it exactly, at least one
    region stays open. None: no numbers of copies fit, so there is no selection; or the knapsack
    would be too large.

    Examples
    --------
    >>> from tilesolve.placement.problem import Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 5),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False)
    >>> area_bound(row, Costs(1, (1, 1, 1), (0, 0), (0,), 4))
    5
    """
    savings = _best_savings(problem, costs)
    room = len(problem.cells)
    bundles: list[tuple[int, int]] = []
    taken = saved = 0
    for number, kind in enumerate(problem.kinds):
        size, saving = problem.sizes[number], savings[number]
        if size is None:
            continue
        taken += kind.least * size
        saved += kind.least * saving
        bundles += _bundles(_copies(kind, size, room) - kind.least, size, saving)
    if room < taken or room * len(bundles) > _MAX_STEPS:
        return None
    best = _knapsack(room - taken, bundles)
    constant = sum(costs.open) + _all_missing(problem, costs) - saved
    ends = {area: constant - saving for area, saving in enumerate(best) if saving is not None}
    if problem.cover:
        return ends.get(room - taken)
    return min(cost + (costs.region if area < room - taken else 0) for area, cost in ends.items())


def _copies(kind: Kind, size: int, room: int) -> int:
    return room // size if kind.most is None else min(kind.most, max(kind.least, room // size))


def _best_savings(problem: Problem, costs: Costs) -> list[int]:
    savings: dict[int, int] = {}
    for option, cost in zip(problem.options, costs.option, strict=True):
        saving = sum(costs.open[cell] for cell in option.cells()) - cost
        savings[option.kind] = max(saving, savings.get(option.kind, saving))
    return [savings.get(number, 0) + costs.missing[number] for number in range(len(problem.kinds))]


def _bundles(copies: int, size: int, saving: int) -> list[tuple[int, int]]:
    """Return bundles of 1, 2, 4... copies that add up to every number up to `copies`."""
    bundles = []
    bundle = 1
    while copies > 0:
        bundle = min(bundle, copies)
        bundles.append((bundle * size, bundle * saving))
        copies -= bundle
        bundle *= 2
    return bundles


def _knapsack(room: int, bundles: Sequence[tuple[int, int]]) -> list[int | None]:
    """Return the largest saving for each exact area; None where no bundles make it."""
    import numpy as np

    nothing = -(2**62)
    best = np.full(room + 1, nothing, dtype=np.int64)
    best[0] = 0
    for size, saving in bundles:
        if 0 < size <= room:
            with_it = np.where(best[:-size] > nothing, best[:-size] + saving, nothing)
            best[size:] = np.maximum(best[size:], with_it)
    return [None if saving == nothing else saving for saving in best.tolist()]


def _all_missing(problem: Problem, costs: Costs) -> int:
    return sum(
        missing * (kind.most or 0)
        for missing, kind in zip(costs.missing, problem.kinds, strict=True)
    )


def weight_bound(problem: Problem, costs: Costs, weights: Sequence[int]) -> int:
    """Return a cost that no selection can undercut, by a weight for each cell.

    A cell's weight, in units of ``1 / SCALE``, is what it pays towards what covers it. A weight
    above the cost of leaving the cell open is lowered to that, unless all cells must be
    covered. Then no option costs less than its cells pay plus the least surplus of its kind, and
    summing up gives the bound. Each pocket that no numbers of pieces fill exactly adds a region.

    Examples
    --------
    >>> from tilesolve.placement.problem import Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 5),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> weight_bound(row, Costs(1, (1, 1, 1), (0, 0), (0,), 4), [SCALE, -SCALE, SCALE])
    5
    """
    pays = [
        weight if problem.cover else min(weight, cost * SCALE)
        for weight, cost in zip(weights, costs.open, strict=True)
    ]
    surplus: dict[int, int] = {}
    for option, cost in zip(problem.options, costs.option, strict=True):
        spare = (cost - costs.missing[option.kind]) * SCALE - sum(
            pays[cell] for cell in option.cells()
        )
        surplus[option.kind] = min(spare, surplus.get(option.kind, spare))
    total = sum(pays) + _all_missing(problem, costs) * SCALE
    for number, spare in surplus.items():
        kind, size = problem.kinds[number], problem.sizes[number]
        assert size is not None
        total += spare * (_copies(kind, size, len(pays)) if spare < 0 else kind.least)
    bound = -(-total // SCALE)
    return bound + costs.region * forced_regions(problem) if costs.region else bound


def forced_regions(problem: Problem) -> int:
    """Return how many pockets of open cells no numbers of pieces can fill exactly.

    Examples
    --------
    >>> from tilesolve.placement.problem import Option
    >>> gap = Problem(("0,0", "0,1", "0,3"), (Kind("I2", 0, 5),), (Option(0, 0b011),), False,
    ...               ((1,), (0,), ()))
    >>> forced_regions(gap)
    1
    """
    pockets = components(problem.everything, neighbour_masks(problem))
    owner = {cell: number for number, pocket in enumerate(pockets) for cell in bits(pocket)}
    usable: list[set[int]] = [set() for _ in pockets]
    shared: set[int] = set()  # by options in several pockets, which say nothing of any
    for option in problem.options:
        touched = {owner[cell] for cell in option.cells()}
        if len(touched) > 1:
            shared |= touched
        else:
            usable[touched.pop()].add(option.kind)

    @cache
    def filled(size: int, kinds: frozenset[int]) -> bool:
        return fills(problem, size, sorted(kinds))

    return sum(
        number not in shared and not filled(pocket.bit_count(), frozenset(usable[number]))
        for number, pocket in enumerate(pockets)
    )


def fills(problem: Problem, area: int, kinds: Sequence[int]) -> bool:
    """Return whether some numbers of copies of these kinds have exactly this many cells.

    Examples
    --------
    >>> from tilesolve.placement.problem import Option
    >>> bars = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1), Kind("I3", 0, 1)),
    ...                (Option(0, 0b011), Option(1, 0b111)), False)
    >>> [area for area in range(7) if fills(bars, area, [0, 1])]
    [0, 2, 3, 5]
    """
    reachable = 1
    for number in kinds:
        size = problem.sizes[number]
        if size is None:
            continue
        for bundle, _ in _bundles(_copies(problem.kinds[number], size, area), size, 0):
            reachable |= reachable << bundle
            reachable &= (1 << area + 1) - 1
    return bool(reachable >> area & 1)
