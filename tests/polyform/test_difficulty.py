"""Difficulty: invariant under symmetry, sensible order, weights of one's own."""

from typing import Any

import pytest

from tilesolve.budget import Budget
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.difficulty import canonical, difficulty

WORK = Budget(seconds=None, work=3_000_000)


def load(sheet: Any, pieces: Any) -> rules.State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces}))


VIEWS = [
    ["....#", ".....", "....."],
    ["#....", ".....", "....."],
    [".....", ".....", "....#"],
    ["...", "...", "...", "...", "#.."],
]


@pytest.mark.parametrize("view", VIEWS[1:])
def test_measures_do_not_depend_on_the_view(view: list[str]) -> None:
    pieces = ["P", "I2", "L4", "I3"]
    first = difficulty(load(VIEWS[0], pieces), budget=WORK)
    second = difficulty(load(view, pieces), budget=WORK)
    assert first.measures == second.measures
    assert first.grade == second.grade


def test_one_sided_pieces_are_turned_with_their_sheet() -> None:
    piece = {"name": "S", "rows": [".##", "##."], "mirror": False}
    twin = {"name": "S", "rows": ["##.", ".##"], "mirror": False}
    assert canonical(load(["..#", "..."], [piece])) == canonical(load(["#..", "..."], [twin]))
    assert canonical(load(["..#", "..."], [piece])) != canonical(load(["..#", "..."], [twin]))


def test_counts_are_exact_and_shares_are_shares() -> None:
    answer = difficulty(load("3x5", "P,U,V"), budget=WORK)
    measures = answer.measures
    # The 3x5 rectangle has one tiling by P, U and V up to its four symmetries.
    assert (measures["solutions"], measures["solutions_exact"]) == (4, True)
    assert measures["cells"] == 15
    assert 0 <= measures["good_first_moves"] <= 1
    for player in measures["players"].values():
        low, high = player["interval"]
        assert 0 <= low <= player["rate"] <= high <= 1


def test_a_unique_sheet_is_harder_than_with_a_piece_made_optional() -> None:
    unique = load(["...", "...", "#.#"], ["T4", "I3"])
    loose = load(["...", "...", "#.#"], [{"name": "T4", "optional": True}, "I3", "I2*"])
    assert difficulty(unique, budget=WORK).details["grade_parts"]["rarity"] == 1
    assert difficulty(loose, budget=WORK).details["grade_parts"]["rarity"] < 1


def test_weights_of_ones_own() -> None:
    state = load("3x5", "P,U,V")
    only = {"technique": 0, "unforced": 0, "effort": 0, "rarity": 1, "choice": 0}
    answer = difficulty(state, budget=WORK, weights=Node(only))
    assert answer.grade == round(1 + 9 * answer.details["grade_parts"]["rarity"], 1)
    with pytest.raises(InputError, match="unknown field 'luck'"):
        difficulty(state, budget=WORK, weights=Node({"luck": 1}))
