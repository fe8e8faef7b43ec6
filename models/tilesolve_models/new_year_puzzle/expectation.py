"""How many successes may a turn be expected to bring? Exact where it can be counted."""

from __future__ import annotations

from tilesolve.budget import Meter, least, memory_allowed
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, weights_of
from tilesolve_models.new_year_puzzle.exact import counted
from tilesolve_models.new_year_puzzle.layers import enclosed
from tilesolve_models.new_year_puzzle.prizes import Stack

_FIRST = 20_000  # open sets, for first bounds
_BYTES = 1100  # what a joined set takes with all that is left of it


def expected_successes(
    knowledge: Knowledge, stack: Stack | None, *, reshuffle: bool, meter: Meter
) -> Expectation:
    """Return the greatest expected number of successes in the turn that begins.

    Layers of open sets are enough for small pictures and give first bounds; then the orders are
    counted, and if there are too many sets to hold, more layers follow.

    Parameters
    ----------
    knowledge : Knowledge
        What lies and what is remembered.
    stack : Stack or None
        The prizes, as a multiset; None plays without.
    reshuffle : bool
        NY6's option.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve_models.picture_grid import Grid
    >>> grid = Grid(1, 4)
    >>> start = Knowledge(grid, grid.corners, 0)
    >>> expected_successes(start, None, reshuffle=False, meter=Meter(budget=Budget())).least
    Fraction(2, 1)
    """
    weights = weights_of(knowledge.grid, stack, reshuffle=reshuffle)
    first = meter.part(seconds=meter.share(0.1), work=least(_FIRST, _part(meter.remaining_work)))
    bounds = enclosed(knowledge, weights, meter=first)
    meter.spend(first.worked)
    if not bounds.exact:
        stage = meter.part(work=_part(meter.remaining_work))
        most = memory_allowed(meter) // _BYTES
        found = counted(knowledge, weights, meter=stage, most=most)
        meter.spend(stage.worked)
        if found is not None:
            return found
        further = enclosed(knowledge, weights, meter=meter)
        if further.exact:
            return further
        stopped_by = stage.stopped_by or further.stopped_by
        bounds = Expectation(
            max(bounds.least, further.least), min(bounds.most, further.most), stopped_by
        )
    return bounds


def _part(work: int | None) -> int | None:
    return None if work is None else work * 4 // 5
