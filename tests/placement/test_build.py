"""Placements are complete: published counts, and a naive generator that shares no code."""

import itertools
import random
from collections.abc import Iterable

import pytest

from tilesolve.answers import Cell
from tilesolve.budget import Budget, Meter, Stopped, Watch
from tilesolve.geometry.lattice import HEX, LATTICES, SQUARE, TRIANGLE, Lattice
from tilesolve.geometry.piece import Piece, read_pieces
from tilesolve.geometry.sheet import Sheet, named_sheet, plain_sheet, read_sheet
from tilesolve.placement.build import TooManyOptions, build, placement_counts, placements
from tilesolve.placement.search import first_cover
from tilesolve.wire import Node


def sheet_named(name: str) -> Sheet:
    sheet = named_sheet(name)
    assert sheet is not None
    return sheet


# 6x10: 2056 and 8x8 without its middle: 1568, without its corners: 2160 (twelve pentominoes).
@pytest.mark.parametrize(
    ("sheet", "pieces", "count"),
    [
        ("6x10", "pentominoes", 2056),
        ("10x6", "pentominoes", 2056),
        ("8x8-centre", "pentominoes", 1568),
        ("8x8-corners", "pentominoes", 2160),
        ("3x4", "dominoes", 17),
        ("hex:2x2", [["#.#"]], 5),
        ("triangle:1x5", [["##"]], 4),
    ],
)
def test_published_placement_counts(sheet: str, pieces: object, count: int) -> None:
    read = sheet_named(sheet)
    found = read_pieces(Node(pieces), lattice=read.lattice).pieces
    assert len(build(read, found, cover=True).problem.options) == count


# Positions of cell centres in the plane, scaled to whole numbers times 1/6 and sqrt(3)/6.
def centre(lattice: Lattice, cell: Cell) -> tuple[int, int]:
    row, column = cell
    if lattice is SQUARE:
        return 6 * column, 6 * row
    if lattice is HEX:
        return 3 * column, 9 * row
    return 3 * column, 9 * row + (6 if (row + column) % 2 == 0 else 3)


def squared(lattice: Lattice, one: Cell, other: Cell) -> int:
    (x1, y1), (x2, y2) = centre(lattice, one), centre(lattice, other)
    stretch = 1 if lattice is SQUARE else 3
    return stretch * (x1 - x2) ** 2 + (y1 - y2) ** 2


NEAREST = {"square": 36, "hex": 108, "triangle": 36}


def distances(lattice: Lattice, cells: Iterable[Cell]) -> list[int]:
    """Squared distances between all pairs of centres."""
    return sorted(squared(lattice, *pair) for pair in itertools.combinations(cells, 2))


def hangs_together(lattice: Lattice, cells: tuple[Cell, ...]) -> bool:
    reached = [cells[0]]
    for cell in reached:
        reached += [
            other
            for other in cells
            if other not in reached and squared(lattice, cell, other) == NEAREST[lattice.name]
        ]
    return len(reached) == len(cells)


def naive_count(sheet: Sheet, piece: Piece) -> int:
    """Count the connected sets of cells with the same distances between centres as a piece.

    For connected sets of up to four cells that is congruence: the test below makes sure of it.
    """
    wanted = distances(sheet.lattice, piece.cells)
    return sum(
        distances(sheet.lattice, cells) == wanted and hangs_together(sheet.lattice, cells)
        for cells in itertools.combinations(sheet.open, piece.size)
    )


NAMES = {
    "square": ["I1", "I2", "I3", "L3", "I4", "O4", "T4", "S4", "L4"],
    "hex": ["I2", "I3", "V3", "A3", "I4", "P4", "S4", "U4", "Y4", "O4", "J4"],
    "triangle": ["I1", "I2", "I3", "I4", "C4", "T4"],
}


@pytest.mark.parametrize("name", LATTICES)
def test_distances_tell_the_test_pieces_apart(name: str) -> None:
    lattice = LATTICES[name]
    pieces = read_pieces(Node(NAMES[name]), lattice=lattice).pieces
    signatures = [tuple(distances(lattice, piece.cells)) for piece in pieces]
    assert len(set(signatures)) == len(signatures)
    for piece, signature in zip(pieces, signatures, strict=True):
        for pattern in piece.orientations:
            assert tuple(distances(lattice, [cell for cell, _ in pattern])) == signature


@pytest.mark.parametrize("name", LATTICES)
@pytest.mark.parametrize("seed", range(4))
def test_placements_equal_a_naive_count_on_sheets_with_holes(name: str, seed: int) -> None:
    lattice = LATTICES[name]
    chance = random.Random(seed)
    if lattice is HEX:
        box = [(row, row % 2 + 2 * column) for row in range(4) for column in range(5)]
    else:
        box = [(row, column) for row in range(4) for column in range(5)]
    sheet = plain_sheet(lattice, chance.sample(box, 14))
    for piece in read_pieces(Node(NAMES[name]), lattice=lattice).pieces:
        found = len(build(sheet, [piece], cover=False).problem.options)
        assert found == naive_count(sheet, piece), piece.name


def test_triangles_keep_their_parity() -> None:
    sheet = plain_sheet(TRIANGLE, [(0, 1), (0, 2), (0, 3), (1, 2)])
    (large,) = read_pieces(Node(["T4"]), lattice=TRIANGLE).pieces
    assert len(build(sheet, [large], cover=True).problem.options) == 1
    moved = plain_sheet(TRIANGLE, [(0, 0), (0, 1), (0, 2), (1, 1)])
    assert len(build(moved, [large], cover=True).problem.options) == 0


def test_kinds_limit_placements() -> None:
    from tilesolve.geometry.sheet import read_sheet

    sheet = read_sheet(Node({"rows": ["o..", "..o"], "legend": {"o": {"kind": "circle"}}}))
    typed = read_pieces(Node([["o#"]]), lattice=SQUARE, legend=sheet.legend).pieces
    assert len(build(sheet, typed, cover=False).problem.options) == 4
    plain = read_pieces(Node([["##"]]), lattice=SQUARE, legend=sheet.legend).pieces
    assert len(build(sheet, plain, cover=False).problem.options) == 7


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ({}, 8),
        ({"mirror": False}, 4),
        ({"rotate": False}, 2),
        ({"rotate": False, "mirror": False}, 1),
    ],
)
def test_flags_limit_orientations(flags: dict[str, bool], count: int) -> None:
    (piece,) = read_pieces(Node([{"name": "F", **flags}])).pieces
    assert len(piece.orientations) == count


def test_too_many_placements_are_refused_before_they_are_built() -> None:
    pieces = read_pieces(Node("hexominoes")).pieces
    with pytest.raises(TooManyOptions):
        build(sheet_named("60x60"), pieces, cover=False)


@pytest.mark.parametrize("name", LATTICES)
@pytest.mark.parametrize("seed", range(4))
def test_counts_without_making_them_are_the_counts_made(name: str, seed: int) -> None:
    chance = random.Random(seed)
    lattice = LATTICES[name]
    step = 2 if lattice is HEX else 1
    # Away from the corner, and with an odd first column: hexagons of the other parity too.
    box = [(3 + row, 5 + (row % 2 + step * column)) for row in range(4) for column in range(5)]
    sheet = plain_sheet(lattice, chance.sample(box, 15))
    pieces = read_pieces(Node(NAMES[name]), lattice=lattice).pieces
    problem = build(sheet, pieces, cover=False).problem
    made = [sum(option.kind == kind for option in problem.options) for kind in range(len(pieces))]
    assert list(placement_counts(sheet, pieces)) == made
    assert made == [naive_count(sheet, piece) for piece in pieces]


def test_building_stops_with_the_meter() -> None:
    pieces = read_pieces(Node("pentominoes")).pieces
    stopped = Meter(budget=Budget(), watch=Watch(interrupted=lambda: True))
    with pytest.raises(Stopped):
        build(sheet_named("6x10"), pieces, cover=True, meter=stopped)
    assert stopped.stopped_by == "interrupted"
    problem = build(sheet_named("6x10"), pieces, cover=True).problem
    found = first_cover(problem, meter=stopped)
    assert (found.chosen, found.exhausted, found.stopped_by) == (None, False, "interrupted")


def test_turning_the_sheet_keeps_the_count() -> None:
    pieces = read_pieces(Node("pentominoes")).pieces
    lying, standing = (
        len(build(sheet_named(name), pieces, cover=True).problem.options)
        for name in ("3x20", "20x3")
    )
    assert lying == standing == 1236


def test_a_piece_that_demands_one_kind_lies_once_where_both_cells_have_it() -> None:
    sheet = read_sheet(Node({"rows": ["oo."], "legend": {"o": {"kind": "circle"}}}))
    pieces = read_pieces(Node({"A": ["o#"]}), legend=sheet.legend).pieces
    layout = build(sheet, pieces, cover=False)
    assert [option.mask for option in layout.problem.options] == [0b011, 0b110]
    assert placement_counts(sheet, pieces) == (2,)
    assert len(list(placements(sheet, pieces[0]))) == 2
