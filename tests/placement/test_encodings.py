"""The CP-SAT encodings, one constraint at a time, in fixed situations that can and cannot be.

Each situation has its score worked out by hand, and all subsets of placements are tried besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.placement.cpsat.optimisation import optimise
from tilesolve.placement.objective import Clause, Objective
from tilesolve.placement.problem import Kind, Option, Problem

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True)
class Situation:
    """A sheet (`.` open, `A` filled), bars of two cells, and one rule; None: there is no way."""

    rows: tuple[str, ...]
    bars: tuple[int, int | None]
    wanted: int | None
    rule: dict[str, Any] = field(default_factory=dict)
    cover: bool = False


SITUATIONS = {
    "count at least": Situation(("...",), (1, 1), 1),
    "count at least, too many": Situation(("...",), (2, 2), None),
    "count at most": Situation(("....",), (0, 1), 2),
    "cover": Situation(("....",), (0, None), 0, cover=True),
    "cover, odd": Situation(("...",), (0, None), None, cover=True),
    "regions: one is cheaper than two": Situation(("....",), (0, 1), 2 + 5, {"region_penalty": 5}),
    "regions: two are forced": Situation(
        ("...", "#.#", "#.#"), (1, 1), 3 + 5, {"region_penalty": 5}
    ),
    "regions: none without open cells": Situation(("....",), (0, 2), 0, {"region_penalty": 5}),
    "regions: apart from the beginning": Situation(
        (".#.",), (0, None), 2 + 10, {"region_penalty": 5}
    ),
    "touch: the first lies anywhere": Situation(("..#..",), (1, 1), 2, {"touch": True}),
    "touch: the second cannot": Situation(("..#..",), (2, 2), None, {"touch": True}),
    "touch: one is left out for it": Situation(("..#..",), (0, 2), 2, {"touch": True}),
    "touch: beside what lies": Situation(("A..#..",), (1, 1), 2, {"touch": True}),
    "touch: not beside what lies": Situation(("A#..",), (1, 1), None, {"touch": True}),
    "touch: in an order, through another": Situation(("A....",), (2, 2), 0, {"touch": True}),
    "touch: a ring of two that hangs on nothing": Situation(
        ("A#..", "##.."), (1, 2), None, {"touch": True}
    ),
    "connected: joined by a bar": Situation(("A..A",), (1, 1), 0, {"connected": True}),
    "connected: too short a bar": Situation(("A...A",), (1, 1), None, {"connected": True}),
    "connected: nothing lies, nothing must": Situation(("..#..",), (0, 2), 2, {"connected": True}),
    "connected: two groups of their own": Situation(("..#..",), (2, 2), None, {"connected": True}),
    "connected: an empty sheet stays empty": Situation((".#.",), (0, 2), 2, {"connected": True}),
    "clause: kept": Situation(("...",), (0, 1), 1, {"clauses": (Clause(given=(0,), wanted=(1,)),)}),
    "clause: all forbidden": Situation(
        ("...",),
        (1, 1),
        None,
        {"clauses": (Clause(given=(0,), wanted=()), Clause(given=(1,), wanted=()))},
    ),
}


def cells_of(rows: tuple[str, ...], signs: str) -> list[tuple[int, int]]:
    return [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign in signs]


def near(cell: tuple[int, int]) -> set[tuple[int, int]]:
    return {(cell[0] + dr, cell[1] + dc) for dr, dc in SIDES}


def groups(cells: set[tuple[int, int]]) -> list[set[tuple[int, int]]]:
    found, left = [], set(cells)
    while left:
        group, fringe = set(), {left.pop()}
        while fringe:
            group |= fringe
            fringe = {n for cell in fringe for n in near(cell)} & left
            left -= fringe
        found.append(group)
    return found


def asked(given: Situation) -> tuple[Problem, Objective]:
    cells, lying = cells_of(given.rows, "."), groups(set(cells_of(given.rows, "A")))
    numbers = {cell: number for number, cell in enumerate(cells)}
    bars = [
        1 << numbers[cell] | 1 << numbers[other]
        for cell in cells
        for other in ((cell[0], cell[1] + 1), (cell[0] + 1, cell[1]))
        if other in numbers
    ]
    beside = tuple(tuple(numbers[n] for n in near(cell) if n in numbers) for cell in cells)
    joined = tuple(
        sum(1 << numbers[n] for n in {n for cell in group for n in near(cell)} & set(cells))
        for group in lying
    )
    kind = Kind("I2", *given.bars)
    options = tuple(Option(0, mask) for mask in bars)
    problem = Problem(("",) * len(cells), (kind,), options, given.cover, beside)
    anchors = sum(1 << n for n in range(len(cells)) if any(group >> n & 1 for group in joined))
    objective = Objective(
        open_penalty=(1,) * len(cells),
        anchors=anchors,
        begun=bool(lying),
        groups=joined if given.rule.get("connected") else (),
        **given.rule,
    )
    return problem, objective


def scores(given: Situation) -> Iterator[int]:
    """Yield the score of every way, by sets of cells alone."""
    problem, _ = asked(given)
    cells, lying = cells_of(given.rows, "."), set(cells_of(given.rows, "A"))
    least, most = given.bars
    for size in range(least, len(problem.options) + 1 if most is None else most + 1):
        for chosen in combinations(range(len(problem.options)), size):
            laid = [[cells[n] for n in problem.options[index].cells()] for index in chosen]
            filled = {cell for bar in laid for cell in bar}
            left = set(cells) - filled
            parts = groups(filled | lying)
            free = [part for part in parts if not part & lying]
            if len(filled) < 2 * size or (given.cover and left):
                continue
            if given.rule.get("touch") and len(free) > (0 if lying else 1):
                continue
            if given.rule.get("connected") and len(parts) > 1:
                continue
            if not all(clause.kept(chosen) for clause in given.rule.get("clauses", ())):
                continue
            yield len(left) + given.rule.get("region_penalty", 0) * len(groups(left))


@pytest.mark.parametrize("name", SITUATIONS)
def test_one_constraint_at_a_time(name: str) -> None:
    given = SITUATIONS[name]
    problem, objective = asked(given)
    found = optimise(problem, objective, meter=Meter(budget=Budget(seconds=None, work=10**7)))
    assert min(scores(given), default=None) == given.wanted
    assert found.score == given.wanted
    assert found.status == ("infeasible" if given.wanted is None else "optimal")
