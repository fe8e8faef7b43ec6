"""Difficulty: invariant under symmetry, sensible order, weights of one's own."""

from typing import Any

import pytest

from tilesolve.answers import Difficulty
from tilesolve.budget import Budget
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.polyform import good_moves, rules
from tilesolve_models.polyform.canonical import canonical, turned
from tilesolve_models.polyform.counting import count
from tilesolve_models.polyform.difficulty import difficulty as measured

WORK = Budget(seconds=None, work=3_000_000)


def difficulty(state: rules.State, **settings: Any) -> Difficulty:
    return measured(state, games=30, **settings)


def load(sheet: Any, pieces: Any) -> rules.State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces}))


def views(state: rules.State) -> list[rules.State]:
    """The puzzle seen from every side; what it is turned into is one of the views itself."""
    seen = [turned(state, symmetry) for symmetry in state.sheet.lattice.symmetries]
    return [view for view in seen if view is not None]


PUZZLES = [
    (["....#", ".....", "....."], ["P", "I2", "L4", "I3"]),
    (
        ["AA..#", "AA.BB", "....."],
        {"A": ["##", "##"], "B": ["##"], "C": ["###"], "D": ["##", "#."]},
    ),
    ({"lattice": "hex", "rows": [". . .", " . . .", ". . #"]}, "I2,I3*2"),
    ({"lattice": "triangle", "rows": [".....", ".....", "..#.."]}, "I2,I3,I3,I4,I2"),
    (
        {"rows": ["o.o", "...", "..o"], "legend": {"o": {"kind": "ring"}}},
        {"A": ["o.", "x#"], "B": ["##"], "C": ["o#", "#."], "D": ["#"]},
    ),
]


@pytest.mark.parametrize(("sheet", "pieces"), PUZZLES)
@pytest.mark.parametrize("cover", [True, False])
def test_measures_do_not_depend_on_the_view(sheet: Any, pieces: Any, cover: bool) -> None:
    state = load(sheet, pieces)
    first = difficulty(state, budget=WORK, cover=cover)
    for view in views(state)[1:]:
        second = difficulty(view, budget=WORK, cover=cover)
        assert (second.measures, second.grade) == (first.measures, first.grade)


def test_one_sided_pieces_are_turned_with_their_sheet() -> None:
    piece = {"name": "S", "rows": [".##", "##."], "mirror": False}
    twin = {"name": "S", "rows": ["##.", ".##"], "mirror": False}
    assert canonical(load(["..#", "..."], [piece])) == canonical(load(["#..", "..."], [twin]))
    assert canonical(load(["..#", "..."], [piece])) != canonical(load(["..#", "..."], [twin]))


def test_a_piece_that_may_only_be_mirrored_left_to_right_stays_such_a_piece() -> None:
    pieces = [
        {"name": "L", "rows": ["#.", "#.", "##"], "rotate": False, "mirror": True},
        {"name": "P", "rows": ["##", "##", "#."], "rotate": False, "mirror": False},
        {"name": "I", "rows": ["#", "#"], "rotate": True, "mirror": False, "count": "any"},
    ]
    state = load(["....", "....", "....", "...#"], pieces)
    assert len(views(state)) == 4  # quarter turns would make it another puzzle
    solutions = count(state, budget=WORK, cover=True).raw
    assert solutions > 0
    for view in views(state):
        assert difficulty(view, budget=WORK).measures["solutions"] == solutions


def test_counts_are_exact_and_shares_are_shares() -> None:
    answer = difficulty(load("3x5", "P,U,V"), budget=WORK)
    measures = answer.measures
    # The 3x5 rectangle has one tiling by P, U and V up to its four symmetries.
    assert (measures["solutions"], measures["solutions_exact"]) == (4, True)
    assert measures["cells"] == 15
    assert measures["good_moves"]["3"] == 1
    assert all(0 < share <= 1 for share in measures["good_moves"].values())
    for player in measures["players"].values():
        low, high = player["interval"]
        assert 0 <= low <= player["rate"] <= high <= 1


UNIQUE = [
    (["...", "...", "#.#"], ["T4", "I3"]),
    (["....", ".#..", "....", "###."], ["V", "L4", "I3"]),
    (["#....", "##...", ".....", "...##", ".#.##"], ["T", "F", "L4", "I3"]),
]


@pytest.mark.parametrize(("sheet", "names"), UNIQUE)
def test_a_unique_sheet_is_harder_than_with_a_piece_made_optional(
    sheet: list[str], names: list[str]
) -> None:
    whole = load(sheet, names)
    unique = difficulty(whole, budget=WORK, cover=False)
    covered = difficulty(whole, budget=WORK, cover=True)
    # All cells are needed for the pieces, so a packing of all of them is a cover.
    assert unique.measures == covered.measures
    for optional in names:
        loose = load(sheet, [{"name": name, "optional": name == optional} for name in names])
        easier = difficulty(loose, budget=WORK, cover=False)
        assert easier.measures["solutions"] > unique.measures["solutions"]
        assert easier.grade < unique.grade
        # Covered, the sheet still needs every piece, and is the same puzzle.
        assert difficulty(loose, budget=WORK, cover=True).grade == covered.grade


def brute_good_moves(state: rules.State) -> dict[int, list[float]]:
    """For every order of every solution: the share of legal moves that leave a solution."""
    shares: dict[int, list[float]] = {}

    def solvable(position: rules.State) -> bool:
        if not position.sheet.open:
            return not any(piece.least for piece in rules.left(position))
        return any(solvable(rules.apply(position, move)) for move in rules.moves(position))

    def along(position: rules.State, step: int) -> None:
        moves = list(rules.moves(position))
        good = [move for move in moves if solvable(rules.apply(position, move))]
        if moves and good:
            shares.setdefault(step, []).append(len(good) / len(moves))
        for move in good:
            along(rules.apply(position, move), step + 1)

    along(state, 1)
    return shares


@pytest.mark.parametrize(("sheet", "names"), UNIQUE)
def test_good_moves_are_those_of_brute_force(sheet: list[str], names: list[str]) -> None:
    state = load(sheet, names)
    measures = difficulty(state, budget=WORK).measures
    assert measures["solutions"] == 1
    brute = brute_good_moves(state)
    assert measures["good_moves"]["1"] == round(brute[1][0], 4)
    for step, share in measures["good_moves"].items():
        assert min(brute[int(step)]) - 1e-4 <= share <= max(brute[int(step)]) + 1e-4


def test_good_moves_step_by_step_agree_with_all_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    state = load("3x5", "P,U,V")
    held = difficulty(state, budget=WORK).measures["good_moves"]
    monkeypatch.setattr(good_moves, "LISTED", 0)
    monkeypatch.setattr(good_moves, "LONG_LINES", good_moves.LINES)
    assert difficulty(state, budget=WORK).measures["good_moves"] == held


def test_a_sheet_without_solution_says_so() -> None:
    answer = difficulty(load("4x5", "tetrominoes"), budget=WORK)
    assert (answer.grade, answer.details["answer"]) == (10, "no")
    assert (answer.measures["solutions"], answer.measures["solutions_exact"]) == (0, True)


def test_what_is_cut_short_says_so() -> None:
    answer = difficulty(load("6x10", "pentominoes"), budget=Budget(seconds=None, work=20_000))
    assert answer.stopped_by == "work"
    assert not answer.measures["solutions_exact"]


def test_weights_of_ones_own() -> None:
    state = load("3x5", "P,U,V")
    only = {"technique": 0, "unforced": 0, "effort": 0, "rarity": 1, "choice": 0}
    answer = difficulty(state, budget=WORK, weights=Node(only))
    assert answer.grade == round(1 + 9 * answer.details["grade_parts"]["rarity"], 2)
    with pytest.raises(InputError, match="unknown field 'luck'"):
        difficulty(state, budget=WORK, weights=Node({"luck": 1}))
