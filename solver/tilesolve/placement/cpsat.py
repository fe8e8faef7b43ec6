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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ortools.linear_solver import pywraplp
from ortools.sat.python import cp_model

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter, Progress, Stopped, each
from tilesolve.placement.bounds import SCALE, area_bound, weight_bound
from tilesolve.placement.connect import Cut, beside, components, cuts, neighbour_masks, with_groups
from tilesolve.placement.objective import (
    Costs,
    Found,
    Objective,
    costs,
    evaluate,
    faults,
)
from tilesolve.placement.problem import Problem, bits

if TYPE_CHECKING:
    from ortools.sat.python.cp_model_helper import Literal  # not there at run time before 9.15

__all__ = [
    "LARGEST_MODEL",
    "WORK_PER_DETERMINISTIC_SECOND",
    "Found",
    "decide",
    "optimise",
    "weighed",
]

WORK_PER_DETERMINISTIC_SECOND = 100_000
"""Work units that one second of CP-SAT's deterministic time counts for."""

LARGEST_MODEL = 2_000_000
"""Cells of all options together beyond which no model is built."""

_LARGEST_PROGRAM = 40_000  # option-cells beyond which no linear program is solved
_LARGEST_CONTACTS = 300_000  # cells beside options beyond which contact is only asked by cuts
_LARGEST_COST = 2**53  # bounds beyond it are the solver's infinities
_GLANCE = 0.02  # seconds between two looks at the clock and the interruption
_GRACE = 0.3  # seconds that a solve which was told to stop is waited for


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
    try:
        model, chosen, _ = _placement_model(problem, meter=meter)
    except Stopped:
        return Found("unknown", stopped_by=meter.stopped_by)
    status, solver = _run(model, meter)
    if status == "solved":
        return Found("feasible", _selection(problem, chosen, solver))
    if status == "infeasible":
        return Found("infeasible")
    return Found("unknown", stopped_by=meter.stopped_by)


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
    if _hopeless(problem):
        return Found("infeasible", bound_by="area")
    if _too_large(problem, meter):
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
        model: _BestModel | None = None
        while not self.done:
            if model is None:
                try:
                    model = _BestModel.of(
                        self.problem, self.objective, self.costs, self.bound, self.meter
                    )
                except Stopped:
                    return self.cut_short()
            if self.best is not None:
                model.start_from(self.best[1])
            listener = _Listener(self, model)
            status, solver = _run(
                model.model, self.meter, callback=listener, glance=self.report, bound=listener.bound
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

    def __init__(self, search: _Search, model: _BestModel) -> None:
        super().__init__()
        self.search = search
        self.model = model
        self.cuts: dict[tuple[int, Cut], None] = {}
        self.ended = False
        self.error: Exception | None = None

    def on_solution_callback(self) -> None:
        """Look at a solution, in the solver's thread; errors are kept for the asker's."""
        try:
            self.look()
        except Exception as error:
            self.error = error
            self.end()

    def end(self) -> None:
        """End the round."""
        self.ended = True
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


@dataclass(frozen=True)
class _Growth:
    """Literals of a set that must grow from its roots; a root None cannot be one."""

    name: str
    model: cp_model.CpModel
    neighbours: tuple[int, ...]
    members: list[Literal]
    roots: list[Literal | None]

    def broken(self, value: Callable[[Literal], bool]) -> tuple[Cut, ...]:
        """Return the cuts that a solution breaks."""
        members = sum(1 << cell for cell, literal in enumerate(self.members) if value(literal))
        roots = sum(
            1 << cell
            for cell, literal in enumerate(self.roots)
            if literal is not None and value(literal)
        )
        return cuts(members, roots, self.neighbours)

    def add(self, cut: Cut) -> None:
        """Add a cut: each member in it needs a root in it or a member beside it."""
        within = list(bits(cut.within))
        label = f"{self.name} of {len(within)}"
        if len(within) == 1:
            self.need([self.members[within[0]].negated()], cut).with_name(label)
            return
        held = self.model.new_bool_var(f"{label} held")
        self.need([held.negated()], cut).with_name(label)
        for cell in within:
            self.model.add_implication(self.members[cell], held)

    def need(self, unless: list[Literal], cut: Cut) -> cp_model.Constraint:
        """Ask for a root within or a member beside, unless a literal holds."""
        roots = [self.roots[cell] for cell in bits(cut.within)]
        some = [root for root in roots if root is not None]
        return self.model.add_bool_or(
            [*unless, *some, *(self.members[cell] for cell in bits(cut.beside))]
        )


@dataclass(frozen=True)
class _BestModel:
    """The model of a question for the best selection."""

    model: cp_model.CpModel
    chosen: list[cp_model.IntVar]
    cost: cp_model.LinearExprT
    growths: list[_Growth]

    @staticmethod
    def of(
        problem: Problem, objective: Objective, costs: Costs, bound: int | None, meter: Meter
    ) -> _BestModel:
        """Build it; `bound` is a cost that no selection undercuts."""
        model, chosen, left_open = _placement_model(problem, meter=meter, with_open=True)
        neighbours = neighbour_masks(problem)
        growths: list[_Growth] = []
        terms = _cost_terms(problem, costs, chosen, left_open)
        if costs.region and not problem.cover:
            regions = _region_growth(model, problem, neighbours, left_open)
            growths.append(regions)
            terms += [(costs.region, root) for root in regions.roots if root is not None]
        if objective.touch or objective.connected:
            filled = [literal.negated() for literal in left_open]
            growths.append(_filled_growth(model, problem, objective, neighbours, filled, chosen))
        for clause in objective.clauses:
            given = [chosen[index].negated() for index in clause.given]
            model.add_bool_or([*given, *(chosen[index] for index in clause.wanted)])
        weights, literals = [weight for weight, _ in terms], [literal for _, literal in terms]
        constant = sum(
            missing * (kind.most or 0)
            for missing, kind in zip(costs.missing, problem.kinds, strict=True)
        )
        cost = cp_model.LinearExpr.weighted_sum(literals, weights) + constant
        if bound is not None and terms:
            model.add(cost >= bound).with_name("known bound")
        model.minimize(cost)
        return _BestModel(model, chosen, cost, growths)

    def start_from(self, selection: Sequence[int]) -> None:
        """Hint at a selection."""
        selected = set(selection)
        self.model.clear_hints()  # type: ignore[no-untyped-call]  # ortools gives no types here
        for index, variable in enumerate(self.chosen):
            self.model.add_hint(variable, index in selected)

    def add_cuts(self, broken: Iterable[tuple[int, Cut]]) -> None:
        """Add cuts, each with the number of its growth."""
        for number, cut in broken:
            self.growths[number].add(cut)


def _cost_terms(
    problem: Problem,
    costs: Costs,
    chosen: Sequence[cp_model.IntVar],
    left_open: Sequence[cp_model.IntVar],
) -> list[tuple[int, Literal]]:
    terms: list[tuple[int, Literal]] = [
        (cost, literal) for cost, literal in zip(costs.open, left_open, strict=True) if cost
    ]
    for option, cost, variable in zip(problem.options, costs.option, chosen, strict=True):
        if cost - costs.missing[option.kind]:
            terms.append((cost - costs.missing[option.kind], variable))
    return terms


def _region_growth(
    model: cp_model.CpModel,
    problem: Problem,
    neighbours: tuple[int, ...],
    left_open: list[cp_model.IntVar],
) -> _Growth:
    """Return regions of open cells, each rooted in its lowest cell."""
    roots = [model.new_bool_var(f"region from {name}") for name in problem.cells]
    growth = _Growth("region", model, neighbours, [*left_open], [*roots])
    for cell, root in enumerate(roots):
        model.add_implication(root, left_open[cell])
        for lower in bits(neighbours[cell] & ((1 << cell) - 1)):
            model.add_implication(root, left_open[lower].negated())
        growth.add(Cut(1 << cell, neighbours[cell]))
    growth.add(Cut(problem.everything, 0))
    return growth


def _filled_growth(
    model: cp_model.CpModel,
    problem: Problem,
    objective: Objective,
    neighbours: tuple[int, ...],
    filled: list[Literal],
    chosen: Sequence[cp_model.IntVar],
) -> _Growth:
    """Return the filled cells, grown from what lies already or from one cell of their own."""
    if objective.touch and any(
        len(components(option.mask, neighbours)) > 1 for option in problem.options
    ):
        raise ValueError("touch is offered for options whose cells hang together")
    groups = objective.joined if objective.connected else objective.laid
    roots: list[Literal | None] = [None] * len(filled)
    if not groups:
        seeds = [model.new_bool_var(f"seed {name}") for name in problem.cells]
        model.add_at_most_one(seeds).with_name("one seed")
        for cell, seed in enumerate(seeds):
            model.add_implication(seed, filled[cell])
            for lower in bits(neighbours[cell] & ((1 << cell) - 1)):
                model.add_implication(seed, filled[lower].negated())
        roots = [*seeds]
    yes = model.new_constant(1)
    lying: list[Literal] = [yes] * len(groups)
    first: list[Literal | None] = [yes if not n else None for n in range(len(groups))]
    graph = with_groups(neighbours, groups)
    growth = _Growth("connected", model, graph, filled + lying, roots + first)
    contacts = {option.mask: beside(option.mask, graph) for option in problem.options}
    if sum(contact.bit_count() for contact in contacts.values()) <= _LARGEST_CONTACTS:
        for option, variable in zip(problem.options, chosen, strict=True):
            if not contacts[option.mask] >> len(neighbours) & 1:
                growth.need([variable.negated()], Cut(option.mask, contacts[option.mask]))
    return growth


def weighed(problem: Problem, costs: Costs) -> int | None:
    """Return the `weight_bound` by the best weights; None where finding them takes too long.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 5),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False)
    >>> weighed(row, Costs(1, (1, 1, 1), (0, 0), (0,), 0))
    1
    """
    weights = cell_weights(problem, costs)
    return None if weights is None else weight_bound(problem, costs, weights)


def cell_weights(problem: Problem, costs: Costs) -> list[int] | None:
    """Return a weight for each cell, in units of ``1 / SCALE``, from a linear program's dual.

    Any weights would be right for `weight_bound`; None where finding them takes too long.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 5),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False)
    >>> cell_weights(row, Costs(1, (1, 1, 1), (0, 0), (0,), 0))
    [5040, -5040, 5040]
    """
    if sum(option.mask.bit_count() for option in problem.options) > _LARGEST_PROGRAM:
        return None
    solver = pywraplp.Solver.CreateSolver("GLOP")
    infinity = solver.infinity()
    rows = [solver.Constraint(1, 1) for _ in problem.cells]
    uses = [
        solver.Constraint(kind.least, infinity if kind.most is None else kind.most)
        for kind in problem.kinds
    ]
    aim = solver.Objective()
    if not problem.cover:
        for row, cost in zip(rows, costs.open, strict=True):
            variable = solver.NumVar(0, infinity, "")
            row.SetCoefficient(variable, 1)
            aim.SetCoefficient(variable, cost)
    for option, cost in zip(problem.options, costs.option, strict=True):
        variable = solver.NumVar(0, infinity, "")
        aim.SetCoefficient(variable, cost - costs.missing[option.kind])
        uses[option.kind].SetCoefficient(variable, 1)
        for cell in option.cells():
            rows[cell].SetCoefficient(variable, 1)
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return [0] * len(rows)
    return [round(row.dual_value() * SCALE) for row in rows]


def heavy_cells(problem: Problem) -> list[float] | None:
    """Return cell weights under which the pieces need more than there is, from a linear program.

    The program is Farkas's alternative to placing fractions of pieces: weights of at most 1 for
    the cells (at least 0 where cells may stay open), a weight for each kind that no placement
    undercuts, and as little as possible left of the cells' weights after the kinds' needs. None
    when something is left, or the program is too large.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> cross = Problem(("a", "b", "c"), (Kind("I2", 2, 2),),
    ...                 (Option(0, 0b011), Option(0, 0b110)), False)
    >>> heavy_cells(cross)
    [0.0, 1.0, 0.0]
    """
    if sum(option.mask.bit_count() for option in problem.options) > _LARGEST_PROGRAM:
        return None
    solver = pywraplp.Solver.CreateSolver("GLOP")
    aim = solver.Objective()
    cells = [solver.NumVar(-1 if problem.cover else 0, 1, "") for _ in problem.cells]
    for cell in cells:
        aim.SetCoefficient(cell, 1)
    needs = []
    for kind in problem.kinds:
        more = solver.NumVar(0, len(cells), "")
        less = solver.NumVar(0, 0 if kind.most is None else len(cells), "")
        aim.SetCoefficient(more, -kind.least)
        aim.SetCoefficient(less, kind.most or 0)
        needs.append((more, less))
    for option in problem.options:
        row = solver.Constraint(0, solver.infinity())
        for number in option.cells():
            row.SetCoefficient(cells[number], 1)
        more, less = needs[option.kind]
        row.SetCoefficient(more, -1)
        row.SetCoefficient(less, 1)
    if solver.Solve() != pywraplp.Solver.OPTIMAL or aim.Value() > -1e-6:
        return None
    return [cell.solution_value() for cell in cells]


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


def _placement_model(
    problem: Problem, *, meter: Meter, with_open: bool = False
) -> tuple[cp_model.CpModel, list[cp_model.IntVar], list[cp_model.IntVar]]:
    """Return the model of a placement problem, its variables for options and for open cells.

    The latter only if asked for; in a cover they are false.

    Raises
    ------
    Stopped
        When the meter stops it.
    """
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(name) for name in each(meter, _option_names(problem))]
    users: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
    copies: defaultdict[int, list[cp_model.IntVar]] = defaultdict(list)
    for option, variable in each(meter, zip(problem.options, chosen, strict=True)):
        copies[option.kind].append(variable)
        for cell in option.cells():
            users[cell].append(variable)
    left_open: list[cp_model.IntVar] = []
    if with_open and problem.cover:
        left_open = [model.new_constant(0)] * len(problem.cells)
    elif with_open:
        left_open = [model.new_bool_var(f"open {name}") for name in problem.cells]
        for cell, literal in enumerate(left_open):
            users[cell].append(literal)
    once = model.add_exactly_one if problem.cover or with_open else model.add_at_most_one
    for cell in sorted(users):
        once(users[cell]).with_name(f"cell {problem.cells[cell]} once")
    for number in sorted(copies):
        kind, variables = problem.kinds[number], copies[number]
        most = len(variables) if kind.most is None else min(kind.most, len(variables))
        if kind.least == most == 1:
            model.add_exactly_one(variables).with_name(f"use {kind.name}")
        elif kind.least or most < len(variables):
            use = model.add_linear_constraint(sum(variables), kind.least, most)
            use.with_name(f"use {kind.name}")
    return model, chosen, left_open


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
    callback: _Listener | None = None,
    glance: Callable[[], None] | None = None,
    bound: Callable[[float], None] | None = None,
) -> tuple[str, cp_model.CpSolver]:
    """Solve within the meter, watching clock and interruption from the calling thread.

    Returns one of ``solved``, ``cut short`` (a solution, not the proof), ``infeasible``,
    ``unknown``, and the solver. For ``cut short`` and ``unknown`` the meter is stopped, unless
    the callback asked for the end.
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
    if status in ("cut short", "unknown") and not (callback is not None and callback.ended):
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
