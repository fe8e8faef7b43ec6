"""Quick reasons and colourings: known cases, and no false alarm on sheets that can be filled."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import SQUARE
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import Sheet, plain_sheet, read_sheet, rectangle
from tilesolve.placement.build import Layout, build
from tilesolve.placement.colouring import Colouring, find_colouring, holds
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve.placement.quick import placed_nowhere, room
from tilesolve.wire import Node


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None))


def laid(sheet: Sheet, pieces: object, *, cover: bool = True) -> Layout:
    found = read_pieces(Node(pieces), lattice=sheet.lattice, legend=sheet.legend).pieces
    return build(sheet, found, cover=cover)


def codes(sheet: object, pieces: object, *, cover: bool = True) -> list[str]:
    read = read_sheet(Node(sheet))
    found = read_pieces(Node(pieces), lattice=read.lattice, legend=read.legend).pieces
    reasons = room(read, found, cover=cover) or placed_nowhere(build(read, found, cover=cover))
    return [reason.code for reason in reasons]


CIRCLES = {"rows": ["oo..", "...."], "legend": {"o": {"kind": "circle"}}}


@pytest.mark.parametrize(
    ("sheet", "pieces", "cover", "expected"),
    [
        ("2x2", ["P"], False, ["too-many-piece-cells"]),
        ("2x3", ["P"], True, ["too-few-piece-cells"]),
        ("3x3", ["I2*"], True, ["no-sum-of-sizes"]),
        ("2x2", ["I3"], False, ["no-placement"]),
        (["...#."], ["I3", "I1"], True, []),
        (["...#.."], [["###"], [".#", "##"]], False, ["too-many-piece-cells"]),
        (["..#..#..#.."], ["I3"], False, ["no-placement"]),
        ([".#.", "###", ".#."], ["I1*3"], True, ["too-few-piece-cells"]),
        (["...#..."], ["I2*3"], False, ["pockets-waste"]),
        (["...#..."], ["I2*", "I4*"], True, ["pocket", "pocket"]),
        (CIRCLES, [["ooo"]], False, ["kind-short"]),
    ],
)
def test_reasons(sheet: object, pieces: object, cover: bool, expected: list[str]) -> None:
    assert codes(sheet, pieces, cover=cover) == expected


def test_a_cell_that_nothing_covers() -> None:
    sheet = ["..#", "...", "#.."]
    reasons = placed_nowhere(laid(read_sheet(Node(sheet)), ["O4", "I3*"], cover=True))
    assert [reason.code for reason in reasons] == []
    lonely = ["..#.", "..#.", "###."]
    reasons = placed_nowhere(laid(read_sheet(Node(lonely)), ["O4", "L3"], cover=True))
    assert [reason.code for reason in reasons] == ["cell-uncovered"]
    assert reasons[0].cells == ((0, 3), (1, 3), (2, 3))


def test_both_numbers_are_named() -> None:
    reasons = room(rectangle(9, 9), read_pieces(Node("I5*17")).pieces, cover=False)
    assert "85 cells" in reasons[0].message
    assert "81 cells" in reasons[0].message


def mutilated(size: int) -> Sheet:
    corners = {(0, 0), (size - 1, size - 1)}
    return plain_sheet(SQUARE, {(r, c) for r in range(size) for c in range(size)} - corners)


@pytest.mark.parametrize("size", [4, 8, 14])
def test_a_board_without_two_opposite_corners(size: int) -> None:
    layout = laid(mutilated(size), f"dominoes*{size * size // 2 - 1}")
    colouring = find_colouring(layout.problem, meter=meter())
    assert colouring is not None
    assert holds(layout.problem, colouring)


@pytest.mark.parametrize(
    ("sheet", "pieces", "modulus"),
    [
        ((4, 5), "tetrominoes", 2),
        ((5, 6), "T4*,I2*2", 4),
        ((10, 10), "I4*25", None),
        ((6, 10), "pentominoes", None),
        ((3, 6), "I3*6", None),
    ],
)
def test_known_colourings(sheet: tuple[int, int], pieces: str, modulus: int | None) -> None:
    layout = laid(rectangle(*sheet), pieces)
    colouring = find_colouring(layout.problem, meter=meter())
    if pieces == "I4*25":
        # Ten by ten by straight tetrominoes: the classical four-colour argument.
        assert colouring is not None
        assert holds(layout.problem, colouring)
        return
    assert (colouring.modulus if colouring else None) == modulus


def test_a_packing_without_slack_counts_as_a_cover() -> None:
    layout = laid(rectangle(4, 5), "tetrominoes", cover=False)
    assert find_colouring(layout.problem, meter=meter()) is not None
    slack = laid(rectangle(4, 6), "tetrominoes", cover=False)
    assert find_colouring(slack.problem, meter=meter()) is None


def test_a_wrong_colouring_does_not_hold() -> None:
    layout = laid(rectangle(4, 5), "tetrominoes")
    found = find_colouring(layout.problem, meter=meter())
    assert found is not None
    for cell in range(20):
        cells = list(found.cells)
        cells[cell] = 1 - cells[cell]
        changed = Colouring(2, tuple(cells), found.kinds, found.cell_sum, found.kind_sum)
        assert not holds(layout.problem, changed)


def tiled(chance: random.Random, rows: int, columns: int) -> Problem:
    """Return a cover problem with a planted solution of dominoes and bars, and decoys."""
    problem = laid(rectangle(rows, columns), [["##"], ["###"], ["#"]]).problem
    left, chosen = problem.everything, []
    options = list(problem.options)
    chance.shuffle(options)
    for option in sorted(options, key=lambda option: -option.mask.bit_count()):
        if option.mask & left == option.mask:
            left ^= option.mask
            chosen.append(option)
    counts = [sum(option.kind == kind for option in chosen) for kind in range(3)]
    kinds = tuple(Kind(str(kind), count, count) for kind, count in enumerate(counts))
    kept = [o for o in problem.options if o in chosen or chance.random() < 0.5]
    return Problem(problem.cells, kinds, tuple(kept), True, problem.adjacent)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 5))
def test_no_colouring_refutes_a_planted_solution(seed: int, rows: int, columns: int) -> None:
    assert find_colouring(tiled(random.Random(seed), rows, columns), meter=meter()) is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_colourings_exist_exactly_when_the_system_has_no_solution(data: st.DataObject) -> None:
    """Against trying every multiplicity of every option modulo m, on tiny systems."""
    import itertools

    cells = data.draw(st.integers(1, 3))
    masks = data.draw(st.lists(st.integers(1, 2**cells - 1), min_size=1, max_size=3, unique=True))
    count = data.draw(st.integers(0, 3))
    masks = [mask for mask in masks if mask.bit_count() == masks[0].bit_count()]
    options = tuple(Option(0, mask) for mask in masks)
    problem = Problem(("a", "b", "c")[:cells], (Kind("K", count, count),), options, True)
    solvable = {}
    for modulus in (2, 3, 4, 5, 7, 8):
        solvable[modulus] = any(
            all(
                sum(times[i] for i, mask in enumerate(masks) if mask >> cell & 1) % modulus == 1
                for cell in range(cells)
            )
            and sum(times) % modulus == count % modulus
            for times in itertools.product(range(modulus), repeat=len(masks))
        )
    found = find_colouring(problem, meter=meter())
    assert (found is None) == all(solvable.values())
    if found is not None:
        assert not solvable[found.modulus]
        assert holds(problem, found)
