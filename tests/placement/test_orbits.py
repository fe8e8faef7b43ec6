"""Counting up to symmetry, against enumeration and comparison of whole solutions."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.answers import Cell
from tilesolve.budget import Budget, Meter
from tilesolve.geometry.piece import Piece, read_pieces
from tilesolve.geometry.sheet import Sheet, read_sheet
from tilesolve.geometry.symmetry import sheet_symmetries
from tilesolve.placement.build import Layout, build
from tilesolve.placement.copies import list_copies
from tilesolve.placement.orbits import Group, Symmetry, confined, count_orbits, one_of_each
from tilesolve.placement.search import covers
from tilesolve.placement.symmetries import layout_group
from tilesolve.placement.ways import count_covers, count_sweep
from tilesolve.wire import Node


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None))


def puzzle(sheet: object, pieces: object) -> tuple[Sheet, tuple[Piece, ...]]:
    read = read_sheet(Node(sheet))
    return read, read_pieces(Node(pieces), lattice=read.lattice, legend=read.legend).pieces


def canonical(
    sheet: Sheet, pieces: tuple[Piece, ...], witness: Iterable[tuple[str, frozenset[Cell]]]
) -> object:
    """Return the smallest of a solution's images, from the geometry alone."""
    placed = list(witness)
    number = {piece.name: index for index, piece in enumerate(pieces)}
    return min(
        sorted(
            (pieces[found.pieces[number[name]]].name, sorted(found.cells[cell] for cell in cells))
            for name, cells in placed
        )
        for found in sheet_symmetries(sheet, pieces)
    )


def by_comparison(layout: Layout, sheet: Sheet, pieces: tuple[Piece, ...]) -> tuple[int, int]:
    """Return the raw number of solutions and the number of different canonical forms."""
    solutions = list(covers(layout.problem, meter=meter()))
    forms = {
        repr(
            canonical(
                sheet,
                pieces,
                [(placed.piece, frozenset(placed.cells)) for placed in layout.witness(chosen)],
            )
        )
        for chosen in solutions
    }
    return len(solutions), len(forms)


def agree(sheet: Sheet, pieces: tuple[Piece, ...], *, cover: bool) -> tuple[int, int]:
    layout = build(sheet, pieces, cover=cover)
    group = layout_group(layout, sheet, pieces)
    raw, reduced = by_comparison(layout, sheet, pieces)
    assert count_covers(layout.problem, meter=meter()) == raw
    assert count_orbits(group, raw, meter=meter()) == reduced
    distinct = one_of_each(group)
    chosen = [found for found in covers(layout.problem, meter=meter()) if distinct(found)]
    assert len(chosen) == reduced
    smaller = confined(group)
    if smaller is not None:
        near, weights = layout.problem.adjacent, smaller.weights
        assert count_sweep(smaller.sweep, near, meter=meter(), weights=weights) == raw
    copies = list_copies(group, meter=meter())
    assert copies in (None, list(covers(layout.problem, meter=meter())))
    assert (copies is None) == (smaller is None or not cover)
    return raw, reduced


CASES = {
    "dominoes 4x4": ("4x4", ["I2*"], True),
    "dominoes 3x4": ("3x4", ["I2*6"], True),
    "packed dominoes 3x3": ("3x3", ["I2*3"], False),
    "any packing 2x3": ("2x3", ["I2*", "L3*"], False),
    "monomino and dominoes 3x3": ("3x3", ["I1", "I2*4"], True),
    "L3 and I2 on a plus": ([".#.", "...", ".#."], ["I1*", "I2*"], True),
    "tetrominoes 4x4": ("4x4", "tetrominoes*", True),
    "one-sided L4 pair": ("2x4", [{"name": "L4", "mirror": False, "count": 2}], True),
    "one-sided twins": (
        "3x4",
        [
            {"name": "L", "rows": ["#..", "###"], "mirror": False},
            {"name": "J", "rows": ["..#", "###"], "mirror": False},
        ],
        False,
    ),
    "lone chiral piece forbids mirrors": ("3x4", [{"name": "L4", "mirror": False}], False),
    "hex": ({"lattice": "hex", "rows": [". . .", " . . .", ". . ."]}, ["I2*", "I3*"], True),
    "triangles": ({"lattice": "triangle", "rows": ["......", "......"]}, ["I2*", "I3*"], True),
    "something lies": (["A..", "..."], {"A": ["#"], "B": ["##"]}, False),
}


@pytest.mark.parametrize("case", CASES)
def test_orbits_are_counted_as_by_comparison(case: str) -> None:
    raw, reduced = agree(*puzzle(*CASES[case][:2]), cover=CASES[case][2])
    assert 0 < reduced <= raw


@st.composite
def sheets(draw: st.DrawFn) -> list[str]:
    """Draw small sheets, many of them symmetric."""
    half = draw(st.lists(st.sampled_from(["..", ".#", "#."]), min_size=2, max_size=3))
    fold = draw(st.sampled_from(["mirror", "turn", "none"]))
    if fold == "mirror":
        return [row + row[::-1] for row in half]
    if fold == "turn":
        return half + [row[::-1] for row in reversed(half)]
    return half


@settings(max_examples=40, deadline=None)
@given(
    sheets(),
    st.lists(
        st.sampled_from(["I1", "I1*2", "I2", "I2*2", "L3", "I3", "I2*", "S4", "L4"]),
        min_size=1,
        max_size=3,
        unique_by=lambda name: name[:2],
    ),
    st.booleans(),
)
def test_random_sheets_agree_with_comparison(
    rows: list[str], names: list[str], cover: bool
) -> None:
    if not any("." in row for row in rows):
        return
    agree(*puzzle(rows, names), cover=cover)


def test_a_map_that_is_no_symmetry_is_refused() -> None:
    sheet, pieces = puzzle("1x3", ["I2"])
    layout = build(sheet, pieces, cover=False)
    wrong = Symmetry("wrong", (1, 0, 2), (0,))
    with pytest.raises(ValueError, match="does not map"):
        count_orbits(Group(layout.problem, (wrong,)), 2, meter=meter())
