"""Which selection is best? Rounds of CP-SAT, with cuts for what does not hang together.

Import it where it is used, it costs most of a second. The bound is CP-SAT's word alone, unless
`Found.bound_by` names something else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter, Progress, Stopped
from tilesolve.placement.bounds import area_bound
from tilesolve.placement.connect import Cut
from tilesolve.placement.cpsat.model import BestModel, hopeless, too_large
from tilesolve.placement.cpsat.run import run
from tilesolve.placement.linear import weighed
from tilesolve.placement.objective import Costs, Found, Objective, costs, evaluate, faults
from tilesolve.placement.problem import Problem

_LARGEST_COST = 2**53  # bounds beyond it are the solver's infinities


def optimise(
    problem: Problem,
    objective: Objective,
    *,
    meter: Meter,
    hint: Sequence[int] = (),
    known: tuple[int, str] | None = None,
    enough: int | None = None,
) -> Found:
    """Which selection has the best score?

    Regions and connectivity are asked for in rounds: solve without them, find what does not hang
    together, add the cuts that say so, solve again. The bound of each round holds for the whole
    question. Bounds that can be checked without a solver come first.

    Parameters
    ----------
    problem : Problem
        A cover or a packing, with adjacency where the objective needs it.
    objective : Objective
        Score and rules.
    meter : Meter
        The running question; hears of each better score and bound.
    hint : sequence of int
        Options of a good selection to start from, if one is known.
    known : tuple of int and str, or None
        A cost that no selection undercuts, and what that rests on; None works one out. CP-SAT
        takes it for granted, so it should rest on no engine's word.
    enough : int or None
        A cost with which the search may end though CP-SAT has not proven it.

    Returns
    -------
    Found
        ``optimal`` or ``feasible`` with options, score and bound, and in `bound_by` what the
        bound rests on; ``infeasible`` by CP-SAT's word unless `bound_by` is ``area``;
        ``unknown`` with what stopped it.

    Raises
    ------
    ValueError
        If the objective does not match the problem, or `touch` is asked of options whose cells
        do not hang together.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> found = optimise(row, Objective(open_penalty=(3, 1, 1)), meter=Meter(budget=Budget()))
    >>> found.status, found.chosen, found.score, found.bound_by
    ('optimal', (0,), 1, 'area')
    """
    cost = costs(problem, objective)
    if hopeless(problem):
        return Found("infeasible", bound_by="area")
    if too_large(problem, meter):
        return Found("unknown", stopped_by=meter.stopped_by)
    search = _Search(problem, objective, cost, meter, enough)
    if known is None:
        search.bound_from_below()
    else:
        search.raise_bound(*known)
    if hint and not faults(problem, hint, objective):
        search.consider(tuple(sorted(hint)))
    return search.run()


@dataclass
class _Search:
    """One question for the best selection: what is found and proven so far, as costs."""

    problem: Problem
    objective: Objective
    costs: Costs
    meter: Meter
    enough: int | None = None
    best: tuple[int, tuple[int, ...]] | None = None
    bound: int | None = None
    bound_by: str = ""

    def bound_from_below(self) -> None:
        """Take the bounds that need no CP-SAT."""
        area = area_bound(self.problem, self.costs)
        if area is not None:
            self.raise_bound(area, "area")
        weights = weighed(self.problem, self.costs)
        if weights is not None:
            self.raise_bound(weights, "weights")

    def raise_bound(self, bound: int, by: str) -> None:
        if self.bound is None or bound > self.bound:
            self.bound, self.bound_by = bound, by

    def consider(self, chosen: tuple[int, ...]) -> None:
        """Keep a selection without faults if it is the best so far."""
        cost = self.costs.sign * evaluate(self.problem, self.objective, chosen)
        if self.best is None or cost < self.best[0]:
            self.best = cost, chosen

    @property
    def proven(self) -> bool:
        return self.best is not None and self.best[0] == self.bound

    @property
    def done(self) -> bool:
        """Whether the best so far is proven, or enough."""
        few = self.best is not None and self.enough is not None and self.best[0] <= self.enough
        return self.proven or few

    def run(self) -> Found:
        """Solve and cut in rounds until the best is proven, or enough, or the meter stops."""
        model: BestModel | None = None
        while not self.done:
            if model is None:
                try:
                    model = BestModel.of(
                        self.problem, self.objective, self.costs, self.bound, self.meter
                    )
                except Stopped:
                    return self.cut_short()
            if self.best is not None:
                model.start_from(self.best[1])
            listener = _Listener(self, model)
            status, solver = run(
                model.model,
                self.meter,
                callback=listener,
                ended=listener.ended,
                glance=self.report,
                bound=listener.bound,
            )
            if listener.error is not None:
                raise listener.error
            if status == "infeasible":
                return Found("infeasible", bound_by="CP-SAT")
            if status == "solved":
                self.raise_bound(round(solver.objective_value), "CP-SAT")
            if self.done:
                break
            if self.meter.stopped_by is not None:
                return self.cut_short()
            if not listener.cuts:
                raise WrongAnswer("CP-SAT's best selection is not what its bound says")
            model.add_cuts(listener.cuts)
        if not self.proven:
            return self.cut_short()
        assert self.best is not None
        score = self.costs.sign * self.best[0]
        return Found("optimal", self.best[1], score, score, bound_by=self.bound_by)

    def cut_short(self) -> Found:
        """Return what is known when the meter has stopped."""
        sign, stopped_by = self.costs.sign, self.meter.stopped_by
        bound = None if self.bound is None else sign * self.bound
        if self.best is None:
            return Found("unknown", (), None, bound, stopped_by, self.bound_by)
        cost, chosen = self.best
        return Found("feasible", chosen, sign * cost, bound, stopped_by, self.bound_by)

    def report(self) -> None:
        """Pass on the best score and bound."""
        sign = self.costs.sign
        score = None if self.best is None else sign * self.best[0]
        bound = None if self.bound is None else sign * self.bound
        self.meter.report(Progress(stage="best", score=score, bound=bound))


class _Listener(cp_model.CpSolverSolutionCallback):
    """Hears each solution of a round: keeps the good ones, and the cuts that others break."""

    def __init__(self, search: _Search, model: BestModel) -> None:
        super().__init__()
        self.search = search
        self.model = model
        self.cuts: dict[tuple[int, Cut], None] = {}
        self._ended = False
        self.error: Exception | None = None

    def on_solution_callback(self) -> None:
        """Look at a solution, in the solver's thread; errors are kept for the asker's."""
        try:
            self.look()
        except Exception as error:
            self.error = error
            self.end()

    def ended(self) -> bool:
        """Whether it ended the round."""
        return self._ended

    def end(self) -> None:
        """End the round."""
        self._ended = True
        self.stop_search()

    def look(self) -> None:
        """Keep the solution if it is good, and the cuts that it breaks."""
        search = self.search
        chosen = tuple(
            index
            for index, variable in enumerate(self.model.chosen)
            if self.boolean_value(variable)
        )
        wrong = faults(search.problem, chosen)
        if wrong:
            raise WrongAnswer(f"CP-SAT's selection breaks the problem: {'; '.join(wrong)}")
        for number, growth in enumerate(self.model.growths):
            for cut in growth.broken(self.boolean_value):
                self.cuts[number, cut] = None
        if not faults(search.problem, chosen, search.objective):
            search.consider(chosen)
        if search.done or (search.best is None and self.cuts):
            self.end()

    def bound(self, bound: float) -> None:
        """Note a better bound of a round; it is the whole question's too."""
        if abs(bound) < _LARGEST_COST:
            self.search.raise_bound(math.ceil(bound - 1e-6), "CP-SAT")
