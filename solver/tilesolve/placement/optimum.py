"""The best selection, by whichever engine gets there first.

Bounds that can be added up come first, then a search for few gaps at the bound: where it finds a
selection, that is the optimum, and nothing slow was imported. Otherwise scores a little above
the bound are tried, the lower ones are excluded by exhausting the search where that is possible,
and a table of states is read off where it stays small. CP-SAT comes last, with the best selection
so far to start from. What a single engine says is then held against the others, see `confirmed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter, Progress
from tilesolve.placement.agreement import ONE_ENGINE, rests_on
from tilesolve.placement.bounds import area_bound, forced_regions
from tilesolve.placement.connect import beside, components, neighbour_masks
from tilesolve.placement.gaps import within
from tilesolve.placement.objective import (
    Costs,
    Found,
    Objective,
    costs,
    evaluate,
    faults,
    open_mask,
)
from tilesolve.placement.problem import Problem

_GLANCE = 2_000
"""Nodes of the search for one limit of cost, at first; a hundredth of a second or so."""

_LOOK = 60_000
"""Nodes for one limit of cost before CP-SAT is asked."""

_SMALL, _TABLE = 20_000, 1_500_000
"""Work that goes into tables before anything slow is imported, and before CP-SAT is asked."""

_FAR = 64
"""Steps of a growing limit beyond which any cost will do."""

_BEAM, _LOOKED_AT = 4_000, 500
"""States kept in a quick look for good selections, and selections looked at."""

_READABLE = 100_000
"""Selections that are read off the table."""

_ANYTHING = 2**40
"""A cost beyond all that occur."""

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
        As of `tilesolve.placement.cpsat.optimisation.optimise`; `bound_by` may also be
        ``search``, ``table``, or two engines that agree, as ``search and CP-SAT``. What is in
        `ONE_ENGINE` is that engine's word alone.

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


def confirmed(problem: Problem, objective: Objective, found: Found, *, meter: Meter) -> Found:
    """Ask the other engines whether one engine is right that nothing, or nothing better, is there.

    Parameters
    ----------
    problem, objective
        As of `optimum`.
    found : Found
        Its answer, ``optimal`` or ``infeasible``.
    meter : Meter
        The running question.

    Returns
    -------
    Found
        The same, with both engines in `bound_by` if another agrees; unchanged if none did in
        time.

    Raises
    ------
    WrongAnswer
        If another engine finds what is said not to be there.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> claim = Found("optimal", (0,), 1, 1, bound_by="CP-SAT")
    >>> confirmed(row, Objective(open_penalty=(3, 1, 1)), claim, meter=Meter(budget=Budget()))
    Found(status='optimal', chosen=(0,), score=1, bound=1, stopped_by=None, \
bound_by='table and CP-SAT')
    """
    if found.bound_by not in ONE_ENGINE or found.status not in ("optimal", "infeasible"):
        return found
    ladder = _Ladder(problem, objective, costs(problem, objective), meter)
    if found.status == "optimal":
        ladder.consider(found.chosen)
    others = [engine for engine in ("table", "CP-SAT", "search") if engine != found.bound_by]
    for engine, share in zip(others, (0.5, 1.0), strict=True):
        if ladder.agrees(engine, share):
            return replace(found, bound_by=rests_on({engine: 0, found.bound_by: 0}, 0))
    return found


@dataclass
class _Ladder:
    """One question: what is found and proven so far, as costs."""

    problem: Problem
    objective: Objective
    costs: Costs
    meter: Meter
    best: tuple[int, tuple[int, ...]] | None = None
    bounds: dict[str, int] = field(default_factory=dict)
    """What each way of proving has shown, by itself, that nothing undercuts."""
    excluded: bool = False
    """Whether all selections were looked at and none keeps the rules."""

    def climb(self) -> Found:
        """Go from rung to rung until the best selection is proven or the meter stops."""
        area = area_bound(self.problem, self.costs)
        if area is not None:
            self.bounds["area"] = area
            self.look(area, _GLANCE)
        if self.open:
            self.read_off(_SMALL, 0.1)
        if self.open:
            self.weigh()
        if self.open and self.bound is not None:
            self.try_limits(self.bound, _GLANCE)
        if self.open:
            self.read_off(_TABLE, 0.3)
        if self.open and self.bound is not None:
            self.try_limits(self.bound, _LOOK)
        return self.last_word()

    @property
    def bound(self) -> int | None:
        """What no selection undercuts."""
        return max(self.bounds.values(), default=None)

    @property
    def bound_by(self) -> str:
        """What the bound rests on: adding up, or engines, two of which are enough."""
        return "" if self.bound is None else rests_on(self.bounds, self.bound)

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
        from tilesolve.placement.linear import weighed

        bound = weighed(self.problem, self.costs)
        if bound is not None:
            self.bounds["weights"] = bound

    def try_limits(self, first: int, nodes: int) -> None:
        """Look for selections at growing limits, and exclude limits where there is none."""
        for limit in range(first, first + _STEPS):
            if (self.best is not None and limit >= self.best[0]) or not self.open:
                return
            exhausted = self.look(limit, nodes)
            if exhausted is None or (self.best is not None and self.best[0] <= limit):
                return

    def look(self, limit: int, nodes: int | None, portion: float = 0.2) -> bool | None:
        """Look for a selection within a limit; return whether it was shown that none is.

        None: it is not a question for the search of gaps, nor is a higher limit.
        """
        part = self.meter.part(work=nodes, seconds=self.meter.share(portion))
        found = within(self.problem, self.objective, self.costs, limit, meter=part)
        self.meter.spend(part.worked)
        if found is None:
            return None
        if found.chosen is not None:
            self.consider(found.chosen)
        if found.exhausted:
            self.raise_bound(limit + 1, "search")
        return found.exhausted

    def read_off(self, work: int | None, portion: float) -> None:
        """Look at better selections in tables of states.

        A narrow table gives good selections first. Then the limit grows from the bound upwards:
        the table of a low limit is small, and whatever it does not hold costs more.
        """
        part = self.meter.part(work=work, seconds=self.meter.share(portion))
        self.looked_up(self.ceiling - self.unavoidable - 1, _BEAM, _LOOKED_AT, part)
        step = 1
        limit = _ANYTHING if self.bound is None else self.bound - self.unavoidable
        while self.open and (self.bound is None or self.bound < self.ceiling):
            dearest = self.ceiling - self.unavoidable - 1
            limit = min(limit, dearest)
            if not self.looked_up(limit, None, _READABLE, part):
                break
            self.raise_bound(limit + 1 + self.unavoidable, "table")
            self.excluded = self.best is None and limit == dearest
            if self.excluded:
                break
            step *= 2
            limit = limit + step if step < _FAR else _ANYTHING
        self.meter.spend(part.worked)

    def of_regions(self, chosen: tuple[int, ...]) -> int:
        """Return what the regions that a selection leaves open cost."""
        if not self.costs.region:
            return 0
        return self.costs.region * len(components(open_mask(self.problem, chosen), self.near))

    @cached_property
    def near(self) -> tuple[int, ...]:
        """The neighbours of each cell."""
        return neighbour_masks(self.problem)

    @cached_property
    def unavoidable(self) -> int:
        """What regions must cost at least, where they cost anything."""
        region = self.costs.region
        return region * forced_regions(self.problem) if region and not self.problem.cover else 0

    def looked_up(self, limit: int, beam: int | None, most: int, meter: Meter) -> bool:
        """Look at selections within a limit in a table; return whether these were all."""
        from tilesolve.placement.cheapest import cheapest

        found = cheapest(self.problem, self.costs, limit=limit, meter=meter, beam=beam)
        if found is None:
            return False
        self.raise_bound(found.bound + self.unavoidable, "table")
        better = found.selections(lambda: self.ceiling - self.unavoidable)
        for number, (cost, chosen) in enumerate(better):
            if cost + self.of_regions(chosen) < self.ceiling:
                self.consider(chosen)
            if number == most or not self.open:
                return False
        return found.complete and meter.stopped_by is None

    @property
    def ceiling(self) -> int:
        """What a selection must undercut to be of interest."""
        return _ANYTHING + 1 if self.best is None else self.best[0]

    def raise_bound(self, bound: int, engine: str) -> None:
        """Note a bound that an engine has given."""
        bound = min(bound, self.ceiling)
        if bound <= _ANYTHING and bound > self.bounds.get(engine, -_ANYTHING):
            self.bounds[engine] = bound
            self.report()

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
        none = self.ask_cpsat() if self.meter.spend() else None
        if none is not None:
            return none
        bound = None if self.bound is None else sign * self.bound
        if self.best is None:
            return Found("unknown", (), None, bound, self.meter.stopped_by, self.bound_by)
        score, chosen = sign * self.best[0], self.best[1]
        if self.best[0] == self.bound:
            return Found("optimal", chosen, score, score, bound_by=self.bound_by)
        return Found("feasible", chosen, score, bound, self.meter.stopped_by, self.bound_by)

    def ask_cpsat(self) -> Found | None:
        """Ask CP-SAT for what is better; it returns where there is nothing at all."""
        from tilesolve.placement.cpsat.optimisation import optimise

        start = self.best[1] if self.best is not None else ()
        added = {name: bound for name, bound in self.bounds.items() if name not in ONE_ENGINE}
        name = max(added, key=added.__getitem__, default="")
        found = optimise(
            self.problem,
            self.objective,
            meter=self.meter,
            hint=start,
            known=(added[name], name) if name else None,
            enough=self.bound,
        )
        if found.status == "infeasible":
            agreed = self.excluded and found.bound_by == "CP-SAT"
            return replace(found, bound_by="table and CP-SAT") if agreed else found
        if found.score is not None:
            self.consider(found.chosen)
        if found.bound is not None and found.bound_by:
            self.raise_bound(self.costs.sign * found.bound, found.bound_by)
        return None

    def agrees(self, engine: str, portion: float) -> bool:
        """Return whether an engine that is asked anew finds nothing better than the best.

        Raises
        ------
        WrongAnswer
            If it finds something better.
        """
        claimed = self.ceiling
        match engine:
            case "table":
                self.read_off(None, portion)
            case "search" if self.best is not None:
                self.look(claimed - 1, None, portion)
            case "CP-SAT" if self.meter.spend():
                self.excluded = self.ask_cpsat() is not None
        if self.ceiling < claimed:
            raise WrongAnswer("an engine says that there is no better selection, and there is one")
        return self.excluded or (self.best is not None and self.bound == claimed)


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
