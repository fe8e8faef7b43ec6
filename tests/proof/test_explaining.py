"""What an explanation says, held against brute force on three lattices."""

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from tilesolve.answers import Placed
from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import LATTICES
from tilesolve.placement.build import build
from tilesolve.placement.refute import refute
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.conflict import _only, smallest_conflict
from tilesolve_models.polyform.explaining import explain
from tilesolve_models.polyform.refutation import best_refutation
from tilesolve_models.polyform.rules import State, left, load
from tilesolve_models.polyform.verifying import verify

BUDGET = Budget(seconds=None, work=300_000)

NAMES = {
    "square": ["I2", "I3", "L3", "O4", "T4", "L4"],
    "hex": ["I2", "I3", "V3", "A3", "P4"],
    "triangle": ["I2", "I3", "I4", "C4", "T4"],
}


def random_state(seed: int) -> State:
    """A small puzzle: typed cells, optional pieces, count ranges, what may not be turned."""
    chance = random.Random(seed)
    lattice = chance.choice(list(LATTICES))
    step = 2 if lattice == "hex" else 1
    cells = [(r, r % step + step * c) for r in range(3) for c in range(4)]
    kept = set(chance.sample(cells, chance.randint(6, 11)))
    width = max(column for _, column in cells) + 1
    signs = {cell: chance.choice("..o") for cell in kept}
    rows = ["".join(signs.get((r, c), " ") for c in range(width)) for r in range(3)]
    pieces: list[Any] = []
    for name in chance.sample(NAMES[lattice], chance.randint(1, 3)):
        piece: dict[str, Any] = {"name": name}
        piece["count"] = chance.choice([1, 1, 2, [1, 2], [0, 2]])
        piece["mirror"], piece["rotate"] = chance.choice(
            [(True, True), (False, True), (True, False)]
        )
        pieces.append(piece)
    sheet = {"lattice": lattice, "rows": rows, "legend": {"o": {"kind": "circle", "penalty": 2}}}
    goal = chance.choice(["cover", "packing"])
    return load(Node({"sheet": sheet, "pieces": pieces, "goal": goal}))


def possible(state: State) -> bool:
    """Try all sets of placements."""
    problem = build(state.sheet, left(state), cover=state.goal == "cover").problem
    kinds = problem.kinds

    def place(options: tuple[int, ...], taken: int, used: tuple[int, ...]) -> bool:
        enough = all(u >= kind.least for u, kind in zip(used, kinds, strict=True))
        if enough and (not problem.cover or taken == problem.everything):
            return True
        for at, number in enumerate(options):
            option = problem.options[number]
            most = kinds[option.kind].most
            if option.mask & taken or (most is not None and used[option.kind] >= most):
                continue
            more = tuple(u + (k == option.kind) for k, u in enumerate(used))
            if place(options[at + 1 :], taken | option.mask, more):
                return True
        return False

    return place(tuple(range(len(problem.options))), 0, (0,) * len(kinds))


@pytest.mark.parametrize("seed", range(120))
def test_explanations_are_true(seed: int) -> None:
    state = random_state(seed)
    found = explain(state, budget=BUDGET)
    assert found.answer == ("yes" if possible(state) else "no")
    if found.answer == "yes":
        return
    if found.certificate is not None:
        assert verify(state, budget=BUDGET, proof=Node(found.certificate)).accepted == "yes"
    for way in found.ways_out:
        masks = [set(placed.cells) for placed in way.witness]
        assert all(not a & b for a, b in combinations(masks, 2)), way
    conflict = smallest_conflict(
        build(state.sheet, left(state), cover=state.goal == "cover"), meter=Meter(budget=BUDGET)
    )
    if conflict is not None and conflict.minimal:
        assert_minimal(state, conflict.pieces, conflict.cells)


def assert_minimal(state: State, pieces: Any, cells: Any) -> None:
    """What a conflict names contradicts itself, and nothing of it can be left out."""
    layout = build(state.sheet, left(state), cover=state.goal == "cover")
    names = [kind.name for kind in layout.problem.kinds]
    demands = [layout.cells.index(cell) for cell in cells]
    demands += [len(layout.cells) + names.index(name) for name in pieces]

    def contradicts(kept: list[int]) -> bool:
        problem, terms = _only(layout.problem, frozenset(kept))
        return refute(problem, terms, meter=Meter(budget=BUDGET)).branches is not None

    assert contradicts(demands)
    for out in demands:
        assert not contradicts([demand for demand in demands if demand != out])


POCKETED = {
    "rows": ["........."] * 9,
    "placed": [
        {"piece": "L", "cells": [[0, 3], [1, 0], [1, 1], [1, 2], [1, 3]]},
        {"piece": "I5", "cells": [[4, 2], [4, 3], [4, 4], [4, 5], [4, 6]]},
        {"piece": "O4", "cells": [[7, 7], [7, 8], [8, 7], [8, 8]]},
    ],
}


@pytest.mark.parametrize("goal", ["cover", "packing"])
def test_a_pocket_two_moves_ago_is_the_reason(goal: str) -> None:
    """As a packing it has no cell to spare, which is said."""
    pieces = ["L", "I5", "O4", "P*5", "U*3", "Y*2", "T4*3", "L3", "I2"]
    found = explain(load(Node({"sheet": POCKETED, "pieces": pieces, "goal": goal})), budget=BUDGET)
    assert {tuple(cell) for cell in found.conflict["cells"]} <= {(0, 0), (0, 1), (0, 2)}
    assert ("fill every open cell" in found.conflict["message"]) == (goal == "packing")
    assert (found.answer, found.rung) == ("no", "trivial")
    assert found.reasons[0].code == "pocket"
    assert found.reasons[0].cells == ((0, 0), (0, 1), (0, 2))
    spoilt = found.reasons[-1]
    assert (spoilt.code, spoilt.pieces) == ("spoilt-by", ("L",))
    back = found.ways_out[-1]
    assert [placed.piece for placed in back.without] == ["L", "I5", "O4"]


def test_one_piece_is_not_enough_to_leave_out() -> None:
    state = load(Node({"sheet": ["...."], "pieces": ["I4", "I3*2"]}))
    changes = [way.change for way in explain(state, budget=BUDGET).ways_out]
    assert changes == ["leave out 2 I3"] or changes == ["leave out I4, I3"]


def test_a_colouring_is_explained_with_its_sums() -> None:
    found = explain(load(Node({"sheet": "4x5", "pieces": "tetrominoes"})), budget=BUDGET)
    assert found.rung == "colouring"
    sums = found.details["colouring"]
    assert sum(weight for _, _, weight in sums["cells"]) % 2 == sums["cell_sum"]
    assert sums["cell_sum"] != sums["piece_sum"]


@pytest.mark.parametrize("seed", range(60))
def test_nothing_better_is_never_proven_of_a_score_that_can_be_beaten(seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(seed)
    plain = replace(
        state.sheet,
        rules=replace(state.sheet.rules, region_penalty=chance.choice((0, 1, 3))),
    )
    pieces = tuple(
        replace(piece, value=chance.choice((0, 1)), penalty=chance.choice((0, 0, 2)))
        for piece in state.pieces
    )
    state = replace(state, sheet=plain, pieces=pieces, goal="packing")
    least = min(rules.score(after) for after in everything(state))
    meter = Meter(budget=BUDGET)
    proven = best_refutation(plain, left(state), cover=False, score=least, meter=meter)
    assert proven is not None
    assert best_refutation(plain, left(state), cover=False, score=least + 1, meter=meter) is None


def everything(state: State) -> list[State]:
    """Return all positions that can be reached, whatever is left out."""
    found = [state]
    layout = build(state.sheet, [replace(p, least=0) for p in left(state)], cover=False)

    def go_on(first: int, now: State) -> None:
        for number in range(first, len(layout.problem.options)):
            move: Placed = layout.placed(number)
            if rules.check(now, move).legal:
                after = rules.apply(now, move)
                found.append(after)
                go_on(number + 1, after)

    go_on(0, state)
    return found
