"""A placement problem, and a question for its best selection, as models of CP-SAT."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ortools.sat.python import cp_model

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Meter, each
from tilesolve.placement.connect import Cut, neighbour_masks
from tilesolve.placement.cpsat.growth import Growth, filled_growth, region_growth
from tilesolve.placement.objective import Costs, Objective, faults
from tilesolve.placement.problem import Problem

if TYPE_CHECKING:
    from ortools.sat.python.cp_model_helper import Literal  # not there at run time before 9.15

LARGEST = 2_000_000
"""Cells of all options together beyond which no model is built."""


def hopeless(problem: Problem) -> bool:
    """Return whether a required kind has no option or a cell to cover is in none."""
    offered = Counter(option.kind for option in problem.options)
    covered = 0
    for option in problem.options:
        covered |= option.mask
    uncovered = problem.cover and covered != problem.everything
    return uncovered or any(kind.least and not offered[i] for i, kind in enumerate(problem.kinds))


def too_large(problem: Problem, meter: Meter) -> bool:
    """Tell whether no model is built, and stop the meter for memory if so."""
    if sum(option.mask.bit_count() for option in problem.options) <= LARGEST:
        return False
    meter.stop("memory")
    return True


def placement_model(
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


def selected(
    problem: Problem, chosen: Sequence[cp_model.IntVar], solver: cp_model.CpSolver
) -> tuple[int, ...]:
    """Return the options that a solver chose.

    Raises
    ------
    WrongAnswer
        If they break the problem.
    """
    selection = tuple(
        index for index, variable in enumerate(chosen) if solver.boolean_value(variable)
    )
    wrong = faults(problem, selection)
    if wrong:
        raise WrongAnswer(f"CP-SAT's selection breaks the problem: {'; '.join(wrong)}")
    return selection


@dataclass(frozen=True)
class BestModel:
    """The model of a question for the best selection."""

    model: cp_model.CpModel
    chosen: list[cp_model.IntVar]
    cost: cp_model.LinearExprT
    growths: list[Growth]

    @staticmethod
    def of(
        problem: Problem, objective: Objective, costs: Costs, bound: int | None, meter: Meter
    ) -> BestModel:
        """Build it; `bound` is a cost that no selection undercuts."""
        model, chosen, left_open = placement_model(problem, meter=meter, with_open=True)
        neighbours = neighbour_masks(problem)
        growths: list[Growth] = []
        terms = _cost_terms(problem, costs, chosen, left_open)
        if costs.region and not problem.cover:
            regions = region_growth(model, problem, neighbours, left_open)
            growths.append(regions)
            terms += [(costs.region, root) for root in regions.roots if root is not None]
        if objective.touch or objective.connected:
            filled = [literal.negated() for literal in left_open]
            growths.append(filled_growth(model, problem, objective, neighbours, filled, chosen))
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
        return BestModel(model, chosen, cost, growths)

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
