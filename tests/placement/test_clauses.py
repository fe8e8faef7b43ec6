"""A game's own clauses in a question for the best selection, against all selections."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.placement.cpsat.optimisation import optimise
from tilesolve.placement.objective import Clause, Objective, evaluate, faults
from tilesolve.placement.problem import Kind, Option, Problem

OPTIONS = tuple(Option(0, 0b11 << cell) for cell in range(5))
ROW = Problem(
    tuple(f"0,{cell}" for cell in range(6)),
    (Kind("I2", 0, 3),),
    OPTIONS,
    False,
    tuple(tuple(near for near in (cell - 1, cell + 1) if 0 <= near < 6) for cell in range(6)),
)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_keeps_every_clause(seed: int) -> None:
    chance = random.Random(seed)
    clauses = tuple(
        Clause(
            given=tuple(chance.sample(range(5), chance.randint(0, 2))),
            wanted=tuple(chance.sample(range(5), chance.randint(0, 2))),
        )
        for _ in range(3)
    )
    penalties = tuple(chance.randint(0, 4) for _ in range(6))
    objective = Objective(open_penalty=penalties, region_penalty=1, clauses=clauses)
    scores = [
        evaluate(ROW, objective, chosen)
        for number in range(4)
        for chosen in combinations(range(5), number)
        if not faults(ROW, chosen, objective)
    ]
    found = optimise(ROW, objective, meter=Meter(budget=Budget(seconds=None, work=10**6)))
    if scores:
        assert (found.status, found.score) == ("optimal", min(scores))
        assert all(clause.kept(found.chosen) for clause in clauses)
    else:
        assert found.status == "infeasible"


def test_a_broken_clause_is_a_fault() -> None:
    objective = Objective(clauses=(Clause(given=(0,), wanted=(4,)),))
    assert faults(ROW, (0, 2), objective) == ("a clause is broken",)
    assert faults(ROW, (0, 4), objective) == ()
    assert faults(ROW, (2,), objective) == ()
