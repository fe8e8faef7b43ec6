"""How many successes may a turn be expected to bring? Exact where it can be counted."""

from __future__ import annotations

from dataclasses import replace

from tilesolve.budget import Meter, memory_allowed
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, weights_of
from tilesolve_models.new_year_puzzle.exact import counted
from tilesolve_models.new_year_puzzle.layers import enclosed
from tilesolve_models.new_year_puzzle.prizes import Stack

_HELD = 300_000  # joined sets that are held at most
_BYTES = 4000  # what a joined set takes with all that is left of it


def expected_successes(
    knowledge: Knowledge, stack: Stack | None, *, reshuffle: bool, meter: Meter
) -> Expectation:
    """Return the greatest expected number of successes in the turn that begins.

    Counting is granted four fifths of the budget; if it does not finish, layers of open sets
    give bounds.

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
    work = meter.remaining_work
    stage = meter.part(seconds=meter.share(0.8), work=None if work is None else work * 4 // 5)
    most = min(_HELD, memory_allowed(meter) // _BYTES)
    exact = counted(knowledge, weights, meter=stage, most=most)
    meter.spend(stage.worked)
    if exact is not None:
        return Expectation(exact, exact)
    bounds = enclosed(knowledge, weights, meter=meter)
    stopped_by = bounds.stopped_by and (stage.stopped_by or bounds.stopped_by)
    return replace(bounds, stopped_by=stopped_by)
