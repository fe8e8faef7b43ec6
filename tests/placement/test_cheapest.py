"""The table of states: all selections within a limit, against all subsets of options."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.placement.cheapest import cheapest
from tilesolve.placement.objective import Costs, Objective, costs, faults, open_mask
from tilesolve.placement.problem import Kind, Option, Problem, bits

SHAPES = (((0, 0),), ((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 0), (0, 1), (1, 1)))


def sample(seed: int) -> tuple[Problem, Costs]:
    """Make a small problem: counts with least and most, costs of either sign."""
    chance = random.Random(seed)
    height, width = chance.choice([(2, 3), (3, 3), (2, 4)])
    cells = [(row, column) for row in range(height) for column in range(width)]
    beside = tuple(
        tuple(n for n, other in enumerate(cells) if abs(other[0] - r) + abs(other[1] - c) == 1)
        for r, c in cells
    )
    kinds, options = [], []
    for number in range(chance.randint(1, 3)):
        least, most = chance.choice([(0, None), (0, 1), (0, 2), (1, 3), (1, 1)])
        kinds.append(Kind(f"K{number}", least, most))
        shape = chance.choice(SHAPES)
        places = [[(r + dr, c + dc) for dr, dc in shape] for r, c in cells]
        masks = [sum(1 << cells.index(at) for at in p) for p in places if set(p) <= set(cells)]
        chance.shuffle(masks)
        options += [Option(number, mask) for mask in masks[: chance.randint(1, 4)]]
    names = tuple(f"{row},{column}" for row, column in cells)
    cover = chance.random() < 0.2
    problem = Problem(names, tuple(kinds), tuple(options), cover, beside, tuple(cells))
    objective = Objective(
        open_penalty=tuple(chance.randint(-1, 4) for _ in cells),
        option_value=tuple(chance.randint(-2, 2) for _ in options),
        missing_penalty=tuple(0 if kind.most is None else chance.randint(-1, 3) for kind in kinds),
    )
    return problem, costs(problem, objective)


def all_subsets(problem: Problem, figures: Costs) -> dict[tuple[int, ...], int]:
    """Return every selection that keeps the counts, with its cost."""
    found = {}
    everything = range(len(problem.options))
    for size in range(len(problem.options) + 1):
        for chosen in combinations(everything, size):
            if not faults(problem, chosen):
                used = Counter(problem.options[index].kind for index in chosen)
                cost = sum(figures.open[cell] for cell in bits(open_mask(problem, chosen)))
                cost += sum(figures.option[index] for index in chosen)
                for number, missing in enumerate(figures.missing):
                    cost += missing * ((problem.kinds[number].most or 0) - used[number])
                found[chosen] = cost
    return found


@pytest.mark.parametrize("seed", range(60))
def test_all_selections_within_the_limit(seed: int) -> None:
    problem, figures = sample(seed)
    wanted = all_subsets(problem, figures)
    limit = min(wanted.values(), default=5) + seed % 6 - 2
    found = cheapest(problem, figures, limit=limit, meter=Meter(budget=Budget(seconds=None)))
    assert found is not None
    assert found.complete
    assert sorted(found.selections(lambda: limit + 1)) == sorted(
        (cost, chosen) for chosen, cost in wanted.items() if cost <= limit
    )
    assert found.bound == min([limit + 1, *wanted.values()])


@pytest.mark.parametrize("work", [0, 3, 10, 40])
def test_a_walk_cut_short_still_bounds(work: int) -> None:
    for seed in range(20):
        problem, figures = sample(seed)
        least = min(all_subsets(problem, figures).values(), default=None)
        meter = Meter(budget=Budget(seconds=None, work=work))
        found = cheapest(problem, figures, limit=50, meter=meter)
        if found is not None and least is not None:
            assert found.bound <= least


def test_a_limit_that_falls_leaves_out_what_is_dearer() -> None:
    row = Problem(("a", "b", "c"), (Kind("I1", 0, 3),), tuple(Option(0, 1 << n) for n in range(3)),
                  False)  # fmt: skip
    figures = Costs(1, (1, 2, 4), (0, 0, 0), (0,), 0)
    found = cheapest(row, figures, limit=7, meter=Meter(budget=Budget()))
    assert found is not None
    seen = [8]
    for cost, chosen in found.selections(lambda: seen[-1]):
        assert cost == sum(figures.open[cell] for cell in range(3) if cell not in chosen)
        seen.append(cost)
    assert seen == sorted(set(seen), reverse=True)
    assert seen[-1] == 0
