"""fit: the ladder of reasons, honest unknowns, and agreement of engines with brute force."""

import itertools
import random
from typing import Any

import pytest

from tilesolve.answers import Fit
from tilesolve.budget import Budget, Watch
from tilesolve.errors import IllegalState
from tilesolve.geometry.lattice import LATTICES
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.fitting import fit
from tilesolve_models.polyform.rules import State

WORK = Budget(seconds=None, work=3_000_000)


def state(sheet: Any, pieces: Any) -> State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces}))


MUTILATED = ["#.......", *["........"] * 6, ".......#"]


@pytest.mark.parametrize(
    ("sheet", "pieces", "answer", "rung"),
    [
        ("6x10", "pentominoes", "yes", None),
        ("3x20", "pentominoes", "yes", None),
        ("20x3", "pentominoes", "yes", None),
        ("8x8-centre", "pentominoes", "yes", None),
        ("4x5", "tetrominoes", "no", "colouring"),
        (MUTILATED, "dominoes*31", "no", "colouring"),
        ("9x9", "I5*17", "no", "trivial"),
        ("5x6", "F,W,X,T,V,Z", "no", "weights"),
        ("hex:4x7", "tetrahexes", "yes", None),
        ("triangle:6x12", "hexiamonds", "yes", None),
        ("1x1", "I1", "yes", None),
        (["##"], "I1", "no", "trivial"),
        ("calendar:10-06", "calendar", "yes", None),
    ],
)
def test_covers(sheet: Any, pieces: Any, answer: str, rung: str | None) -> None:
    found = fit(state(sheet, pieces), cover=True, budget=WORK)
    assert (found.answer, found.rung) == (answer, rung)


def test_the_area_is_named_with_both_numbers() -> None:
    pieces = [{"name": "P", "count": 10}, {"name": "L4", "count": 10}]
    found = fit(state("8x8", pieces), budget=WORK)
    assert found.rung == "trivial"
    assert "90 cells" in found.reasons[0].message
    assert "64 cells" in found.reasons[0].message
    assert found.read == {"cells": 64, "piece_cells": 90, "pieces": 20, "placements": 672}


def test_the_colouring_can_be_added_up() -> None:
    found = fit(state("4x5", "tetrominoes"), cover=True, budget=WORK)
    colouring = found.details["colouring"]
    modulus = colouring["modulus"]
    weights = {(row, column): weight for row, column, weight in colouring["cells"]}
    assert sum(weights.values()) % modulus == colouring["cell_sum"]
    assert sum(colouring["pieces"].values()) % modulus == colouring["piece_sum"]
    assert colouring["cell_sum"] != colouring["piece_sum"]
    for move in rules.moves(state("4x5", "tetrominoes")):
        total = sum(weights[cell] for cell in move.cells) % modulus
        assert total == colouring["pieces"][move.piece]


def test_nothing_to_place_and_nothing_to_cover() -> None:
    assert fit(state("6x10", []), budget=WORK).answer == "yes"
    assert fit(state([], []), budget=WORK, cover=True).answer == "yes"
    assert fit(state("2x2", []), budget=WORK, cover=True).rung == "trivial"


def test_each_piece_alone() -> None:
    found = fit(state("6x10", "pentominoes"), each=True, budget=WORK)
    assert {piece.piece: piece.placements for piece in found.pieces}["X"] == 32
    assert sum(piece.placements for piece in found.pieces) == 2056
    blocked = fit(state(["...", "..."], ["I3", "X"]), each=True, budget=WORK)
    assert (blocked.answer, blocked.rung) == ("no", "trivial")
    assert [(piece.piece, piece.placements) for piece in blocked.pieces] == [("I3", 2), ("X", 0)]


def test_optional_pieces_may_stay_out() -> None:
    pieces = [{"name": "I3"}, {"name": "I2", "optional": True}]
    assert fit(state("1x3", pieces), cover=True, budget=WORK).answer == "yes"
    assert fit(state("1x5", pieces), cover=True, budget=WORK).answer == "yes"
    assert fit(state("1x4", pieces), cover=True, budget=WORK).answer == "no"


def test_half_filled_sheets() -> None:
    sheet = ["VVV.....", "V.......", "V.......", "...##...", "...##...", "........"]
    found = fit(state([*sheet, "........", "........"], "pentominoes"), cover=True, budget=WORK)
    assert found.answer == "yes"
    assert "V" not in {placed.piece for placed in found.witness}
    assert found.read["pieces"] == 11


def test_an_illegal_sheet_is_no_question() -> None:
    with pytest.raises(IllegalState) as caught:
        fit(state(["FF"], ["F"]), budget=WORK)
    assert [v.code for v in caught.value.verdict.violations] == ["wrong-shape"]


def test_running_out_is_unknown_and_says_why() -> None:
    hard = state("6x10", "pentominoes")
    out_of_work = fit(hard, cover=True, budget=Budget(seconds=None, work=3))
    assert (out_of_work.answer, out_of_work.stopped_by) == ("unknown", "work")
    stopped = Watch(interrupted=lambda: True)
    interrupted = fit(hard, cover=True, budget=Budget(), watch=stopped)
    assert (interrupted.answer, interrupted.stopped_by) == ("unknown", "interrupted")


def test_too_many_placements_end_in_first_fit_or_unknown() -> None:
    found = fit(state("60x60", "hexominoes"), budget=WORK)
    assert found.answer == "yes"
    covered = fit(state("60x60", [{"name": "6-01", "count": "any"}, "hexominoes"]), cover=True,
                  budget=WORK)  # fmt: skip
    assert (covered.answer, covered.stopped_by) == ("unknown", "memory")
    assert covered.reasons[0].code == "too-many-placements"


def test_large_sheets_with_room_are_filled_by_first_fit() -> None:
    pieces = [{"name": name, "count": 25} for name in "FILNPTUVWXYZ"]
    found = fit(state("60x60", pieces), budget=Budget(seconds=None, work=2000))
    assert (found.answer, found.details["engine"]) == ("yes", "first fit")
    assert len(found.witness) == 300
    assert found.read["placements"] == 212_596


def test_cpsat_answers_the_same_question_the_same_way_twice() -> None:
    puzzle = state("5x8", "F,L,N,P,T,U,V,Y")
    answers = [
        fit(puzzle, cover=True, engine="cpsat", budget=Budget(seconds=None, work=2_000_000))
        for _ in range(2)
    ]
    assert answers[0].answer == answers[1].answer == "yes"
    assert answers[0].witness == answers[1].witness
    assert answers[0].details["engine"] == "cpsat"


def brute_force(puzzle: State, *, cover: bool) -> bool:
    """Try all sets of placements, piece by piece; shares nothing with the engines."""
    copies = [piece.name for piece in puzzle.pieces for _ in range(piece.least)]
    by_name: dict[str, list[frozenset[tuple[int, int]]]] = {name: [] for name in copies}
    for move in rules.moves(puzzle):
        by_name[move.piece].append(frozenset(move.cells))
    everything = frozenset(puzzle.sheet.open)
    for choice in itertools.product(*(by_name[name] for name in copies)):
        taken = frozenset[tuple[int, int]]().union(*choice)
        if sum(map(len, choice)) == len(taken) and (not cover or taken == everything):
            return True
    return False


def random_puzzle(seed: int) -> State:
    chance = random.Random(seed)
    lattice = chance.choice(list(LATTICES))
    step = 2 if lattice == "hex" else 1
    cells = [(r, r % step + step * c) for r in range(3) for c in range(4)]
    kept = set(chance.sample(cells, chance.randint(6, 11)))
    rows = ["".join("." if (r, c) in kept else " " for c in range(9)) for r in range(3)]
    names = {
        "square": ["I2", "I3", "L3", "T4", "S4"],
        "hex": ["I2", "I3", "V3", "A3", "P4"],
        "triangle": ["I2", "I3", "I4", "C4", "T4"],
    }
    pieces = [chance.choice(names[lattice]) for _ in range(chance.randint(1, 4))]
    return state({"lattice": lattice, "rows": rows}, pieces)


@pytest.mark.parametrize("seed", range(60))
def test_all_engines_agree_with_brute_force(seed: int) -> None:
    puzzle = random_puzzle(seed)
    for cover in (False, True):
        expected = "yes" if brute_force(puzzle, cover=cover) else "no"
        for engine in ("auto", "search", "cpsat"):
            found: Fit = fit(puzzle, cover=cover, engine=engine, budget=WORK)
            assert found.answer == expected, (engine, cover, rules.dump(puzzle))
