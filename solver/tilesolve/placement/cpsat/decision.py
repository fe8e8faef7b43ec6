"""Is there a selection? A yes is re-checked without the solver; a no is CP-SAT's word alone.

Import it where it is used, it costs most of a second. Callers confirm a no by something else
before they call it one.
"""

from __future__ import annotations

from tilesolve.budget import Meter, Stopped
from tilesolve.placement.cpsat.model import hopeless, placement_model, selected, too_large
from tilesolve.placement.cpsat.run import run
from tilesolve.placement.objective import Found
from tilesolve.placement.problem import Problem


def decide(problem: Problem, *, meter: Meter) -> Found:
    """Is there a selection of options without overlap that keeps every count range?

    Parameters
    ----------
    problem : Problem
        A cover or a packing; adjacency is not used.
    meter : Meter
        The running question; deterministic time is spent on it.

    Returns
    -------
    Found
        ``feasible`` with the options chosen, ``infeasible`` by CP-SAT's word alone, or
        ``unknown`` with what stopped it (``memory``: refused as too large, nothing was built).

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 1, 1),),
    ...                    (Option(0, 0b011), Option(0, 0b110)), False)
    >>> found = decide(dominoes, meter=Meter(budget=Budget()))
    >>> found.status, len(found.chosen)
    ('feasible', 1)
    """
    if hopeless(problem):
        return Found("infeasible")
    if too_large(problem, meter):
        return Found("unknown", stopped_by=meter.stopped_by)
    try:
        model, chosen, _ = placement_model(problem, meter=meter)
    except Stopped:
        return Found("unknown", stopped_by=meter.stopped_by)
    status, solver = run(model, meter)
    if status == "solved":
        return Found("feasible", selected(problem, chosen, solver))
    if status == "infeasible":
        return Found("infeasible")
    return Found("unknown", stopped_by=meter.stopped_by)
