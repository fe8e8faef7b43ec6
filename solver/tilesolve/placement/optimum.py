"""The best selection, by whichever engine gets there first.

Bounds that can be added up come first, then a search for few gaps at the bound: where it finds a
selection, that is the optimum, and nothing slow was imported. Otherwise scores a little above
the bound are tried, the lower ones are excluded by exhausting the search where that is possible,
and CP-SAT has the last word, with the best selection so far to start from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tilesolve.budget import Meter, Progress
from tilesolve.placement.bounds import area_bound
from tilesolve.placement.connect import beside, neighbour_masks
from tilesolve.placement.gaps import within
from tilesolve.placement.objective import Costs, Found, Objective, costs, evaluate, faults
from tilesolve.placement.problem import Problem

_GLANCE = 2_000
"""Nodes of the search for one limit of cost, at first; a hundredth of a second or so."""

_LOOK = 60_000
"""Nodes for one limit of cost before CP-SAT is asked."""

_STEPS = 12
"""Limits above the bound that are tried before CP-SAT is asked."""


def optimum(
    problem: Problem, objective: Objective, *, meter: Meter, hint: Sequence[int] = ()
) -> Found:
    """Which selection has the best score?

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

    Returns
    -------
    Found
        As of `tilesolve.placement.cpsat.optimise`; `bound_by` may also be ``search``: the
        search of covers with gaps was exhausted below the score.

    Raises
    ------
    ValueError
        If the objective does not match the problem.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> optimum(row, Objective(open_penalty=(3, 1, 1)), meter=Meter(budget=Budget()))
    Found(status='optimal', chosen=(0,), score=1, bound=1, stopped_by=None, bound_by='area')
    """
    ladder = _Ladder(problem, objective, costs(problem, objective), meter)
    for selection in (tuple(sorted(hint)), _greedy(problem, objective, ladder.costs)):
        ladder.consider(selection)
    return ladder.climb()


@dataclass
class _Ladder:
    """One question: what is found and proven so far, as costs."""

    problem: Problem
    objective: Objective
    costs: Costs
    meter: Meter
    best: tuple[int, tuple[int, ...]] | None = None
    bound: int | None = None
    bound_by: str = ""

    def climb(self) -> Found:
        """Go from rung to rung until the best selection is proven or the meter stops."""
        area = area_bound(self.problem, self.costs)
        if area is not None:
            self.bound, self.bound_by = area, "area"
            self.look(area, _GLANCE)
        if self.open:
            self.weigh()
        if self.open and self.bound is not None:
            self.try_limits(self.bound, _GLANCE)
        if self.open and self.bound is not None:
            self.try_limits(self.bound, _LOOK)
        return self.last_word()

    @property
    def open(self) -> bool:
        """Whether there is something left to ask, and leave to ask it."""
        proven = self.best is not None and self.best[0] == self.bound
        return not proven and self.meter.spend()

    def consider(self, chosen: tuple[int, ...]) -> None:
        """Keep a selection if it breaks nothing and is the best so far."""
        if not faults(self.problem, chosen, self.objective):
            cost = self.costs.sign * evaluate(self.problem, self.objective, chosen)
            if self.best is None or cost < self.best[0]:
                self.best = cost, chosen
                self.report()

    def weigh(self) -> None:
        """Raise the bound by weights, if they give a better one."""
        from tilesolve.placement.cpsat import weighed

        bound = weighed(self.problem, self.costs)
        if bound is not None and (self.bound is None or bound > self.bound):
            self.bound, self.bound_by = bound, "weights"

    def try_limits(self, first: int, nodes: int) -> None:
        """Look for selections at growing limits, and exclude limits where there is none."""
        for limit in range(first, first + _STEPS):
            if (self.best is not None and limit >= self.best[0]) or not self.open:
                return
            exhausted = self.look(limit, nodes)
            if exhausted is None or (self.best is not None and self.best[0] <= limit):
                return
            if exhausted and self.bound is not None and limit >= self.bound:
                self.bound, self.bound_by = limit + 1, "search"
                self.report()

    def look(self, limit: int, nodes: int) -> bool | None:
        """Look for a selection within a limit; return whether it was shown that none is.

        None: it is not a question for the search of gaps, nor is a higher limit.
        """
        part = self.meter.part(work=nodes, seconds=self.meter.share(0.2))
        found = within(self.problem, self.objective, self.costs, limit, meter=part)
        self.meter.spend(part.worked)
        if found is None:
            return None
        if found.chosen is not None:
            self.consider(found.chosen)
        return found.exhausted

    def report(self) -> None:
        sign = self.costs.sign
        score = None if self.best is None else sign * self.best[0]
        bound = None if self.bound is None else sign * self.bound
        self.meter.report(Progress(stage="best", score=score, bound=bound))

    def last_word(self) -> Found:
        """Return what is proven, or ask CP-SAT."""
        sign = self.costs.sign
        if self.best is not None and self.best[0] == self.bound:
            score = sign * self.best[0]
            return Found("optimal", self.best[1], score, score, bound_by=self.bound_by)
        if self.meter.spend():
            from tilesolve.placement.cpsat import optimise

            start = self.best[1] if self.best is not None else ()
            known = None if self.bound is None else (self.bound, self.bound_by)
            return optimise(self.problem, self.objective, meter=self.meter, hint=start, known=known)
        bound = None if self.bound is None else sign * self.bound
        stopped_by = self.meter.stopped_by
        if self.best is None:
            return Found("unknown", (), None, bound, stopped_by, self.bound_by)
        return Found(
            "feasible", self.best[1], sign * self.best[0], bound, stopped_by, self.bound_by
        )


def _greedy(problem: Problem, objective: Objective, costs: Costs) -> tuple[int, ...]:
    """Return a selection by first fit, the options that save most cells' cost first."""
    neighbours = neighbour_masks(problem)
    bound = objective.touch or objective.connected
    used: Counter[int] = Counter()
    taken, reached, begun = 0, objective.anchors, objective.begun
    chosen: list[int] = []
    waiting = sorted(_welcome(problem, costs), key=lambda pair: pair[1])
    grown = True
    while grown:
        grown = False
        for index, _ in waiting:
            option = problem.options[index]
            most = problem.kinds[option.kind].most
            if option.mask & taken or used[option.kind] == most:
                continue
            if bound and begun and not option.mask & reached:
                continue
            chosen.append(index)
            used[option.kind] += 1
            taken |= option.mask
            begun = grown = True
            if bound:
                reached |= beside(option.mask, neighbours)
        grown = grown and bound
    return tuple(sorted(chosen))


def _welcome(problem: Problem, costs: Costs) -> list[tuple[int, int]]:
    """Return the options that lower the cost or are of a kind that must be used."""
    welcome = []
    for index, (option, cost) in enumerate(zip(problem.options, costs.option, strict=True)):
        change = cost - costs.missing[option.kind] - sum(costs.open[c] for c in option.cells())
        if change < 0 or problem.kinds[option.kind].least:
            welcome.append((index, change))
    return welcome
