"""Weights of cells from a linear program: for bounds of costs, and for a no.

Import it where it is used: ortools, whose linear solver it calls, costs most of a second.
Whatever the solver gives, the sums are checked elsewhere in whole numbers.
"""

from __future__ import annotations

from ortools.linear_solver import pywraplp

from tilesolve.placement.bounds import SCALE, weight_bound
from tilesolve.placement.objective import Costs
from tilesolve.placement.problem import Problem

_LARGEST = 40_000  # option-cells beyond which no linear program is solved


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
    if sum(option.mask.bit_count() for option in problem.options) > _LARGEST:
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
    if sum(option.mask.bit_count() for option in problem.options) > _LARGEST:
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
