"""Hints of polyform puzzles: forced moves first, three levels, and the move that spoilt it."""

from __future__ import annotations

import json

import pytest

from tilesolve.answers import Hints, Json
from tilesolve.budget import Budget
from tilesolve.placement.cpsat import decision
from tilesolve.placement.objective import Found
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.counting import count
from tilesolve_models.polyform.hints import hint, without
from tilesolve_models.polyform.rules import State

PATIENT = Budget(seconds=None)


def puzzle(sheet: Json, pieces: Json, **more: Json) -> State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces, **more}))


def hints(state: State, most: int = 100, level: int = 3, budget: Budget = PATIENT) -> Hints:
    return hint(state, count=most, budget=budget, level=level)


def played(state: State, move: Json) -> State:
    return rules.apply(state, rules.load_move(Node(move), state))


def test_values_are_the_solutions_that_are_left() -> None:
    state = puzzle("3x4", ["L3*2", "I2*3"])
    found = hints(state)
    assert found.exact
    best = max(int(one.value or 0) for one in found.hints)
    for one in found.hints:
        left = count(played(state, one.move), budget=PATIENT).raw
        assert one.value == left
        assert one.loss == best - left
    values = [one.value for one in found.hints if not one.details["forced"]]
    assert values == sorted(values, key=lambda value: -int(value or 0))


def test_what_leaves_no_solution_is_no_hint() -> None:
    state = puzzle("3x4", ["L3*2", "I2*3"])
    offered = {str(one.move) for one in hints(state).hints}
    for move in rules.moves(state):
        left = count(rules.apply(state, move), budget=PATIENT).raw
        assert (left > 0) == (str(rules.dump_move(move)) in offered)


def test_forced_moves_come_first_with_a_reason_anyone_can_check() -> None:
    # The lower left cell has one neighbour: only a domino standing there covers it.
    found = hints(puzzle(["....", ".###"], ["I2", "I3"]))
    first = found.hints[0]
    assert first.move == {"piece": "I2", "cells": [[0, 0], [1, 0]]}
    assert first.details["forced"] is True
    assert "only the I2 fits here" in first.reason
    assert set(first.cells) == {(0, 0), (1, 0)}


def test_three_levels_say_a_region_a_piece_a_placement() -> None:
    state = puzzle(["....", ".###"], ["I2", "I3"])
    region, piece, whole = (hints(state, most=1, level=level).hints[0] for level in (1, 2, 3))
    assert region.move is None
    assert "left" in str(region.details["region"])
    assert "I2" not in region.reason
    assert set(region.cells) > {(0, 0)}
    assert piece.move is None
    assert piece.details["piece"] == "I2"
    assert not piece.cells
    assert "[" not in piece.reason
    assert whole.move is not None
    # Each region or piece is named once.
    names = [one.details["piece"] for one in hints(puzzle("3x4", ["L3*2", "I2*3"]), level=2).hints]
    assert len(names) == len(set(names)) == 2


def test_following_hints_finishes_the_puzzle() -> None:
    state = puzzle("5x6", ["F", "I", "L", "N", "P", "V"])
    if not count(state, budget=PATIENT).raw:
        state = puzzle("5x6", ["P", "L", "N", "U", "V", "Y"])
    for _ in range(6):
        state = played(state, hints(state, most=1).hints[0].move)
    assert not state.sheet.open
    done = hints(state)
    assert not done.hints
    assert done.reasons[0].code == "finished"


def test_the_last_move_that_still_was_good_is_named() -> None:
    good = {"piece": "I4", "cells": [[0, 0], [0, 1], [0, 2], [0, 3]]}
    bad = {"piece": "L3", "cells": [[1, 1], [1, 2], [2, 2]]}
    after = {"piece": "I2", "cells": [[1, 3], [2, 3]]}
    sheet = {"rows": ["....", "....", "...."], "placed": [good, bad, after]}
    found = hints(puzzle(sheet, ["I4", "L3", "I3", "I2"]))
    assert not found.hints
    assert found.details["last_good"] == good
    assert found.details["spoilt_by"] == bad
    assert found.details["take_back"] == 2
    assert "the last move that still could was the I4" in found.reasons[0].message


def test_a_puzzle_without_solution_is_not_blamed_on_a_move() -> None:
    found = hints(puzzle("4x5", "tetrominoes"))
    assert not found.hints
    assert found.reasons[0].message == "this puzzle has no solution"
    assert "spoilt_by" not in found.details


def test_a_good_position_is_never_called_spoilt() -> None:
    state = puzzle("5x6", ["P", "L", "N", "U", "V", "Y"])
    while True:
        found = hints(state, most=1)
        if not found.hints:
            break
        assert "finishable" not in found.details
        state = played(state, found.hints[0].move)
    assert found.reasons[0].code == "finished"


def test_where_solutions_cannot_be_counted_each_placement_is_looked_at() -> None:
    state = puzzle("5x6", "P,L,N,U,V,Y")
    found = hints(state, most=3, budget=Budget(seconds=None, work=20_000, memory=2000))
    assert not found.exact
    assert found.details["looked_at"] <= found.details["placements"]
    told = found.details["solvable"] + found.details["unknown"] + len(found.details["dead_ends"])
    assert told == found.details["looked_at"]
    for one in found.hints:
        assert one.value is None
        if one.details["solvable"] == "yes":
            assert count(played(state, one.move), budget=PATIENT).raw > 0
    for move in found.details["dead_ends"][:3]:
        assert count(played(state, move), budget=PATIENT).raw == 0


def test_all_placements_are_told_apart_where_the_budget_allows() -> None:
    state = puzzle("4x5", "L,P,Y,W")
    found = hints(state, most=500, budget=Budget(seconds=None, work=10**7, memory=500))
    answer = count(state, budget=PATIENT, marginals=True)
    assert answer.raw > 0
    solvable = {json.dumps(one.move["cells"]) for one in found.hints}
    occurring = {json.dumps(list(map(list, m.cells))) for m in answer.marginals if m.solutions}
    assert solvable == occurring
    assert {one.details["solvable"] for one in found.hints} == {"yes"}
    assert found.details["looked_at"] == found.details["placements"] == len(answer.marginals)


def test_a_placement_that_only_one_engine_rules_out_is_no_dead_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, budget = puzzle("4x5", "L,P,Y,W"), Budget(seconds=None, work=10**7, memory=500)
    agreed = hints(state, budget=budget).details
    assert agreed["dead_ends"]
    assert not agreed["unknown"]
    undecided = Found("unknown", stopped_by="work")
    monkeypatch.setattr(decision, "decide", lambda problem, *, meter: undecided)
    doubted = hints(state, budget=budget).details
    assert not doubted["dead_ends"]
    assert doubted["unknown"] == len(agreed["dead_ends"])


def test_a_dead_end_that_only_one_engine_sees_is_not_called_one() -> None:
    state = puzzle("4x5", "tetrominoes")
    found = hints(state, budget=Budget(seconds=None, work=10**6, memory=2000))
    assert not found.exact
    assert found.reasons[0].code == "not-confirmed"


def test_a_packing_is_hinted_as_a_packing() -> None:
    state = puzzle("3x3", ["I3", "L3"], goal="packing")
    found = hints(state, most=1)
    assert found.hints[0].value == count(played(state, found.hints[0].move), budget=PATIENT).raw


def test_a_chosen_option_leaves_the_rest_of_the_problem() -> None:
    from tilesolve.budget import Meter
    from tilesolve.placement.build import build
    from tilesolve.placement.diagram import compile_diagram
    from tilesolve.placement.ways import count_covers

    state = puzzle("3x4", ["L3*2", "I2*3"])
    problem = build(state.sheet, rules.left(state), cover=True).problem
    diagram = compile_diagram(problem, meter=Meter(budget=PATIENT))
    assert diagram is not None
    for option, solutions in enumerate(diagram.marginals()):
        left = count_covers(without(problem, option), meter=Meter(budget=PATIENT))
        assert left == solutions


def test_the_ladder_of_difficulty_gives_the_reason() -> None:
    state = puzzle(["...", "...", "#.#"], ["T4", "I3"])
    first = hint(state, count=1, budget=Budget(seconds=None)).hints[0]
    assert first.details["technique"] == "pocket sizes"
    assert first.reason == (
        "only the I3 fits here: nothing else covers [0, 0]: "
        "others leave a pocket that no choice of pieces fills"
    )
