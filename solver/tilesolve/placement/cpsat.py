"""CP-SAT for placement problems: is there a selection, and which one is best?

The only module that imports ortools; import it where it is used, it costs most of a second.

A yes is re-checked here without the solver. A no is CP-SAT's word alone, and so is the bound of
`optimise`: callers confirm a no by something else before they call it one.

Work is counted in CP-SAT's deterministic time: `WORK_PER_DETERMINISTIC_SECOND` units are one of
its deterministic seconds, very roughly a second of one core.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from ortools.sat.python import cp_model

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter
from tilesolve.placement.objective import Found, faults
from tilesolve.placement.problem import Problem

__all__ = ["LARGEST_MODEL", "WORK_PER_DETERMINISTIC_SECOND", "Found", "decide"]

WORK_PER_DETERMINISTIC_SECOND = 100_000
"""Work units that one second of CP-SAT's deterministic time counts for."""

LARGEST_MODEL = 2_000_000
"""Cells of all options together beyond which no model is built."""

_GLANCE = 0.02  # seconds between two looks at the clock and the interruption


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
    if _hopeless(problem):
        return Found("infeasible")
    if _too_large(problem, meter):
        return Found("unknown", stopped_by=meter.stopped_by)
    model, chosen = _placement_model(problem)
    status, solver = _run(model, meter)
    if status == "solved":
        return Found("feasible", _selection(problem, chosen, solver))
    if status == "infeasible":
        return Found("infeasible")
    return Found("unknown", stopped_by=meter.stopped_by)


def _hopeless(problem: Problem) -> bool:
    """Return whether a required kind has no option or a cell to cover is in none."""
    offered = Counter(option.kind for option in problem.options)
    covered = 0
    for option in problem.options:
        covered |= option.mask
    uncovered = problem.cover and covered != problem.everything
    return uncovered or any(kind.least and not offered[i] for i, kind in enumerate(problem.kinds))


def _too_large(problem: Problem, meter: Meter) -> bool:
    if sum(option.mask.bit_count() for option in problem.options) <= LARGEST_MODEL:
        return False
    meter.stop("memory")
    return True


def _placement_model(problem: Problem) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Return the model of a placement problem and its variable for each option."""
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(name) for name in _option_names(problem)]
    users: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
    copies: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
    for option, variable in zip(problem.options, chosen, strict=True):
        copies[option.kind].append(variable)
        for cell in option.cells():
            users[cell].append(variable)
    for cell in sorted(users):
        once = model.add_exactly_one if problem.cover else model.add_at_most_one
        once(users[cell]).with_name(f"cell {problem.cells[cell]} once")
    for number in sorted(copies):
        kind, variables = problem.kinds[number], copies[number]
        most = len(variables) if kind.most is None else min(kind.most, len(variables))
        if kind.least == most == 1:
            model.add_exactly_one(variables).with_name(f"use {kind.name}")
        elif kind.least or most < len(variables):
            use = model.add_linear_constraint(sum(variables), kind.least, most)
            use.with_name(f"use {kind.name}")
    return model, chosen


def _option_names(problem: Problem) -> Iterator[str]:
    """Yield ``F@3,5`` for each option; further ones from the same lowest cell get ``/2``..."""
    seen: Counter[tuple[int, int]] = Counter()
    for option in problem.options:
        first = (option.mask & -option.mask).bit_length() - 1
        seen[option.kind, first] += 1
        name = f"{problem.kinds[option.kind].name}@{problem.cells[first]}"
        again = seen[option.kind, first]
        yield name if again == 1 else f"{name}/{again}"


def _selection(
    problem: Problem, chosen: Sequence[cp_model.IntVar], solver: cp_model.CpSolver
) -> tuple[int, ...]:
    selection = tuple(
        index for index, variable in enumerate(chosen) if solver.boolean_value(variable)
    )
    wrong = faults(problem, selection)
    if wrong:
        raise WrongAnswer(f"CP-SAT's selection breaks the problem: {'; '.join(wrong)}")
    return selection


_STATUS = {
    cp_model.OPTIMAL: "solved",  # also said of any solution when there is no objective
    cp_model.FEASIBLE: "cut short",
    cp_model.INFEASIBLE: "infeasible",
    cp_model.UNKNOWN: "unknown",
}


def _run(
    model: cp_model.CpModel,
    meter: Meter,
    *,
    callback: cp_model.CpSolverSolutionCallback | None = None,
    glance: Callable[[cp_model.CpSolver], None] | None = None,
) -> tuple[str, cp_model.CpSolver]:
    """Solve within the meter, watching clock and interruption from the calling thread.

    Returns one of ``solved``, ``cut short`` (a solution, not the proof), ``infeasible``,
    ``unknown``, and the solver. For ``cut short`` and ``unknown`` the meter is stopped.
    """
    solver = cp_model.CpSolver()
    _configure(solver, meter)
    outcome: list[cp_model.CpSolverStatus | Exception] = []

    def solve() -> None:
        try:
            outcome.append(solver.solve(model, callback))
        except Exception as error:
            outcome.append(error)

    if not meter.spend():
        return "unknown", solver
    thread = threading.Thread(target=solve, name="CP-SAT", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_GLANCE)
        if glance is not None:
            glance(solver)
        if not meter.spend():
            solver.stop_search()  # again and again: one before the search has begun is lost
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    status = _STATUS.get(outcome[0])
    if status is None:
        raise WrongAnswer(f"CP-SAT refuses its model: {model.validate()}")
    meter.spend(math.ceil(solver.deterministic_time * WORK_PER_DETERMINISTIC_SECOND))
    if status in ("cut short", "unknown"):
        meter.stop("time" if meter.budget.work is None else "work")
    return status, solver


def _configure(solver: cp_model.CpSolver, meter: Meter) -> None:
    parameters = solver.parameters
    parameters.num_workers = meter.budget.workers
    parameters.random_seed = meter.budget.seed % 2**31
    parameters.catch_sigint_signal = False
    if meter.remaining_seconds is not None:
        parameters.max_time_in_seconds = meter.remaining_seconds
    if meter.remaining_work is not None:
        work = meter.remaining_work / WORK_PER_DETERMINISTIC_SECOND
        parameters.max_deterministic_time = work
