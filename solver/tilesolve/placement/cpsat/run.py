"""One solve by CP-SAT within a meter.

Work is counted in CP-SAT's deterministic time: `WORK_PER_DETERMINISTIC_SECOND` units are one of
its deterministic seconds, very roughly a second of one core.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from ortools.sat.python import cp_model

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter

WORK_PER_DETERMINISTIC_SECOND = 100_000
"""Work units that one second of CP-SAT's deterministic time counts for."""

_GLANCE = 0.02  # seconds between two looks at the clock and the interruption
_GRACE = 0.3  # seconds that a solve which was told to stop is waited for


def _never() -> bool:
    return False


_STATUS = {
    cp_model.OPTIMAL: "solved",  # also said of any solution when there is no objective
    cp_model.FEASIBLE: "cut short",
    cp_model.INFEASIBLE: "infeasible",
    cp_model.UNKNOWN: "unknown",
}


def run(
    model: cp_model.CpModel,
    meter: Meter,
    *,
    callback: cp_model.CpSolverSolutionCallback | None = None,
    ended: Callable[[], bool] = _never,
    glance: Callable[[], None] | None = None,
    bound: Callable[[float], None] | None = None,
) -> tuple[str, cp_model.CpSolver]:
    """Solve within the meter, watching clock and interruption from the calling thread.

    Returns one of ``solved``, ``cut short`` (a solution, not the proof), ``infeasible``,
    ``unknown``, and the solver. For ``cut short`` and ``unknown`` the meter is stopped, unless
    `ended` says that the callback asked for the end.
    """
    solver = cp_model.CpSolver()
    solver.best_bound_callback = bound
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
    told: float | None = None
    while thread.is_alive():
        thread.join(_GLANCE)
        if glance is not None:
            glance()
        if not meter.spend():
            solver.stop_search()  # again and again: one before the search has begun is lost
            told = meter.seconds if told is None else told
            if meter.seconds - told > _GRACE:
                return "unknown", solver  # it is presolving and does not listen; it ends later
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    status = _STATUS.get(outcome[0])
    if status is None:
        raise WrongAnswer(f"CP-SAT refuses its model: {model.validate()}")
    meter.spend(math.ceil(solver.deterministic_time * WORK_PER_DETERMINISTIC_SECOND))
    if status in ("cut short", "unknown") and not ended():
        meter.stop("time" if meter.budget.work is None else "work")
    return status, solver


def _configure(solver: cp_model.CpSolver, meter: Meter) -> None:
    parameters = solver.parameters
    parameters.num_workers = meter.budget.workers
    parameters.random_seed = meter.budget.seed % 2**31
    parameters.catch_sigint_signal = False
    parameters.cp_model_probing_level = 0  # costs most of a small question, seldom pays
    if meter.remaining_seconds is not None:
        parameters.max_time_in_seconds = meter.remaining_seconds
    if meter.remaining_work is not None:
        work = meter.remaining_work / WORK_PER_DETERMINISTIC_SECOND
        parameters.max_deterministic_time = work
