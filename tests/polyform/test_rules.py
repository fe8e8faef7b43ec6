"""The rule checker: every violation alone, all at once, and legal positions left alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.answers import Placed
from tilesolve.wire import Node
from tilesolve_models.polyform import rules


def state(sheet: Any, pieces: Any, **more: Any) -> rules.State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces, **more}))


def placed(piece: str, *cells: list[int]) -> dict[str, Any]:
    return {"piece": piece, "cells": list(cells)}


AB = {"A": ["#"], "B": ["##"]}

CASES: list[tuple[Any, Any, list[str]]] = [
    (["AA."], {"A": ["##"]}, []),
    (["A.A"], {"A": ["#"]}, ["too-many-copies"]),
    (["AAA"], {"A": ["##"]}, ["wrong-shape"]),
    ({"rows": [".."], "placed": [placed("A", [0, 1], [0, 2])]}, {"A": ["##"]}, ["outside"]),
    ({"rows": ["..."], "placed": [placed("Q", [0, 1])]}, {"A": ["##"]}, ["unknown-piece"]),
    (
        {"rows": ["..."], "placed": [placed("A", [0, 0], [0, 1]), placed("B", [0, 1], [0, 2])]},
        {"A": {"rows": ["##"], "mirror": True}, "B": {"rows": ["##"], "penalty": 1}},
        ["overlap"],
    ),
    (
        {
            "rows": [".o"],
            "legend": {"o": {"kind": "circle"}},
            "placed": [placed("A", [0, 0], [0, 1])],
        },
        {"A": ["oo"]},
        ["wrong-kind"],
    ),
    (["SS.", ".SS"], {"S": {"rows": [".##", "##."], "mirror": False}}, ["wrong-shape"]),
    ({"rows": ["A.BB"], "rules": {"connected": True}}, AB, ["not-connected"]),
    ({"rows": ["A.BB"], "rules": {"touch": True}}, AB, ["not-touching"]),
    ({"rows": ["ABB."], "rules": {"touch": True, "connected": True}}, AB, []),
]


@pytest.mark.parametrize(("sheet", "pieces", "codes"), CASES)
def test_each_violation_alone(sheet: Any, pieces: Any, codes: list[str]) -> None:
    verdict = rules.check(state(sheet, pieces))
    assert [violation.code for violation in verdict.violations] == codes
    assert verdict.legal == (not codes)
    for violation in verdict.violations:
        assert violation.message
        assert violation.pieces or violation.cells


def test_all_violations_at_once() -> None:
    sheet = {
        "rows": ["...", "..."],
        "placed": [
            placed("F", [0, 0]),
            placed("Q", [5, 5]),
            placed("I3", [1, 1], [1, 2], [1, 3]),
            placed("L3", [0, 1], [1, 1], [1, 2]),
        ],
    }
    verdict = rules.check(state(sheet, ["F", "I3", "L3"]))
    assert {violation.code for violation in verdict.violations} == {
        "wrong-shape",
        "unknown-piece",
        "outside",
        "overlap",
    }


def test_moves_are_checked_against_what_lies() -> None:
    puzzle = state(["AA.."], {"A": ["##"], "B": ["#"]})
    free = Placed(piece="B", cells=((0, 2),))
    assert rules.check(puzzle, free).legal
    assert rules.check(rules.apply(puzzle, free)).complete
    taken = Placed(piece="B", cells=((0, 1),))
    assert [v.code for v in rules.check(puzzle, taken).violations] == ["overlap"]
    again = Placed(piece="A", cells=((0, 2), (0, 3)))
    assert [v.code for v in rules.check(puzzle, again).violations] == ["no-copy-left"]


def test_letters_that_name_no_piece_only_fill() -> None:
    puzzle = state(["QQ.", "..."], ["I3"])
    assert rules.check(puzzle).legal
    assert len(puzzle.sheet.open) == 4
    assert any("Q" in note for note in puzzle.notes)


def test_placed_pieces_leave_the_list() -> None:
    puzzle = state(["III."], ["I3", "I1"])
    assert [piece.name for piece in rules.left(puzzle)] == ["I1"]


def test_complete_means_the_goal() -> None:
    assert rules.check(state(["AA."], {"A": ["##"]}, goal="packing")).complete
    assert not rules.check(state(["AA."], {"A": ["##"]}, goal="cover")).complete


def test_score_adds_up() -> None:
    sheet = {
        "rows": [".o#..", "A####"],
        "legend": {"o": {"kind": "circle", "penalty": 5}},
        "rules": {"region_penalty": 10},
    }
    pieces = [
        {"name": "A", "rows": ["#"], "value": 3},
        {"name": "B", "rows": ["##"], "penalty": 100, "optional": True},
    ]
    # Open: 1 + 5 and 1 + 1, two regions, B left out, A used.
    assert rules.check(state(sheet, pieces)).score == 8 + 20 + 100 - 3


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(2, 5), st.data())
def test_random_legal_play_stays_legal_and_ends(rows: int, columns: int, data: Any) -> None:
    puzzle = state(f"{rows}x{columns}", [{"name": "I2", "count": 9}, {"name": "L3", "count": 2}])
    before = len(puzzle.sheet.open)
    while moves := list(rules.moves(puzzle)):
        puzzle = rules.apply(puzzle, data.draw(st.sampled_from(moves)))
        assert rules.check(puzzle).legal
        assert len(puzzle.sheet.open) < before
        before = len(puzzle.sheet.open)
    assert rules.load(Node(rules.dump(puzzle))) == puzzle
