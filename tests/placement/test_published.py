"""Published numbers of solutions, raw and up to symmetry.

Sources: pentominoes: S. W. Golomb, "Polyominoes" (1994), and the tables of many others since;
8x8 minus the middle: D. S. Scott (1958); minus the corners: 2170. Hexiamonds in parallelograms
(156, 74, none), the three trihexes and seven tetrahexes in a hexagon (12290) and a hexagram
(167): D. Goodger, "Polyform Puzzler" (1998-2016). Dominoes: P. W. Kasteleyn (1961). Two engines
agree on all of those below that are small enough for the search.
"""

from __future__ import annotations

import pytest

from tilesolve.answers import Json
from tilesolve.budget import Budget, Meter
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import read_sheet
from tilesolve.placement.build import Layout, build
from tilesolve.placement.count import count_solutions
from tilesolve.placement.orbits import Group, count_orbits, one_of_each
from tilesolve.placement.solutions import solutions
from tilesolve.placement.symmetries import layout_group
from tilesolve.placement.ways import count_covers
from tilesolve.wire import Node


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None))


def puzzle(sheet: Json, pieces: Json) -> tuple[Layout, Group]:
    read = read_sheet(Node(sheet))
    listed = read_pieces(Node(pieces), lattice=read.lattice, legend=read.legend).pieces
    layout = build(read, listed, cover=True)
    return layout, layout_group(layout, read, listed)


def counted(sheet: Json, pieces: Json) -> tuple[int, int]:
    layout, group = puzzle(sheet, pieces)
    found = count_solutions(layout.problem, group, meter=meter())
    assert found.stopped_by is None
    reduced = count_orbits(group, found.raw, meter=meter())
    assert reduced is not None
    return found.raw, reduced


def triangle_parallelogram(rows: int, rhombs: int) -> Json:
    """Rows of up and down triangles, each row one column further left."""
    indents = [rows - 1 - row + (rows - 1) % 2 for row in range(rows)]
    return {"lattice": "triangle", "rows": [" " * i + "." * (2 * rhombs) for i in indents]}


def hexagon(side: int) -> Json:
    lengths = [2 * side - 1 - abs(side - 1 - row) for row in range(2 * side - 1)]
    rows = [" " * (2 * side - 1 - length) + ". " * length for length in lengths]
    return {"lattice": "hex", "rows": rows}


HEXAGRAM = {
    "lattice": "hex",
    "rows": [
        "            .",
        "           . .",
        "      . . . . . . .",
        "       . . . . . .",
        "        . . . . .",
        "       . . . . . .",
        "      . . . . . . .",
        "           . .",
        "            .",
    ],
}
"""Two triangles of seven cells a side laid over each other: 37 cells."""

POLYHEXES = "trihexes,tetrahexes"


@pytest.mark.parametrize(
    ("sheet", "pieces", "raw", "reduced"),
    [
        ("6x10", "pentominoes", 9356, 2339),
        ("12x5", "pentominoes", 4040, 1010),
        ("4x15", "pentominoes", 1472, 368),
        ("20x3", "pentominoes", 8, 2),
        ("8x8-centre", "pentominoes", 520, 65),
        ("8x8-corners", "pentominoes", 17360, 2170),
        ("3x30", "one-sided-pentominoes", 184, 46),
        ("4x5", "tetrominoes", 0, 0),
        ("8x8", "dominoes*", 12988816, 1629189),
        ("12x12", "dominoes*", 53060477521960000, None),
        ("8x8", "tetrominoes*", 19077209438, None),
        (triangle_parallelogram(6, 6), "hexiamonds", 624, 156),
        (triangle_parallelogram(4, 9), "hexiamonds", 148, 74),
        (triangle_parallelogram(9, 4), "hexiamonds", 148, 74),
        (triangle_parallelogram(3, 12), "hexiamonds", 0, 0),
        (hexagon(4), POLYHEXES, 147480, 12290),
        (HEXAGRAM, POLYHEXES, 2004, 167),
        ("hex:4x10", "monohexes,dihexes,trihexes,tetrahexes", 14809060, 7404530),
    ],
)
def test_published_counts(sheet: Json, pieces: str, raw: int, reduced: int | None) -> None:
    found = counted(sheet, pieces)
    assert found[0] == raw
    assert reduced is None or found[1] == reduced


def clipped(columns: int, rows: int, cut: int, *holes: tuple[int, int]) -> Json:
    """Return a parallelogram of hexagons without two opposite corners, and without holes."""
    cells = [
        (row, 2 * column + row)
        for row in range(rows)
        for column in range(columns)
        if cut <= row + column <= rows + columns - 2 - cut and (column, row) not in holes
    ]
    left = min(column for _, column in cells)
    wide = range(left, max(column for _, column in cells) + 1)
    lines = ["".join("." if (row, at) in cells else " " for at in wide) for row in range(rows)]
    return {"lattice": "hex", "rows": lines}


@pytest.mark.parametrize(
    ("sheet", "reduced"),
    [
        ("hex:4x7", 9),
        (clipped(10, 3, 1), 2),
        (clipped(7, 5, 2, (3, 2)), 4),
        (clipped(6, 7, 3, (2, 4), (3, 2)), 2),
        (clipped(6, 7, 3, (2, 3), (3, 3)), 3),
        (clipped(6, 7, 3, (1, 3), (4, 3)), 4),
        (clipped(6, 7, 3, (0, 3), (5, 3)), 5),
        (clipped(7, 7, 3, *((c, r) for c in (2, 3, 4) for r in (2, 3, 4))), 0),
        (
            clipped(
                7, 7, 3, (0, 3), (0, 6), (3, 0), (3, 6), (6, 0), (6, 3), (2, 2), (2, 5), (5, 2)
            ),
            2,
        ),
        (
            clipped(
                7, 7, 3, (0, 6), (3, 0), (6, 3), (1, 4), (2, 2), (2, 5), (4, 1), (4, 4), (5, 2)
            ),
            1,
        ),
    ],
)
def test_tetrahexes_on_sheets_with_holes_have_their_published_counts(
    sheet: Json, reduced: int
) -> None:
    """D. Goodger, Polyform Puzzler, puzzler.sourceforge.net, tetrahexes; by both engines."""
    layout, group = puzzle(sheet, "tetrahexes")
    assert counted(sheet, "tetrahexes")[1] == reduced
    found = list(solutions(layout.problem, meter=meter(), engine="search"))
    assert len(found) == counted(sheet, "tetrahexes")[0]
    assert sum(map(one_of_each(group), found)) == reduced


@pytest.mark.parametrize("columns", [1, 2, 3, 10, 29, 90])
def test_dominoes_in_two_rows_are_counted_by_fibonacci(columns: int) -> None:
    before, here = 1, 1
    for _ in range(columns - 1):
        before, here = here, before + here
    assert counted(f"2x{columns}", "dominoes*")[0] == here
    assert counted(f"{columns}x2", "dominoes*")[0] == here


def test_a_count_far_beyond_64_bits() -> None:
    # Kasteleyn's number for 16x16, 101 bits.
    assert counted("16x16", "dominoes*")[0] == 2444888770250892795802079170816


@pytest.mark.parametrize(
    ("sheet", "pieces"),
    [
        ("3x20", "pentominoes"),
        (triangle_parallelogram(4, 9), "hexiamonds"),
        ("hex:4x7", "tetrahexes"),
        ("4x6", "dominoes*"),
        ("4x4", "tetrominoes*"),
    ],
)
def test_search_and_diagram_list_the_same(sheet: Json, pieces: str) -> None:
    problem = puzzle(sheet, pieces)[0].problem
    by_search = list(solutions(problem, meter=meter(), engine="search"))
    assert list(solutions(problem, meter=meter(), engine="diagram")) == by_search
    assert list(solutions(problem, meter=meter())) == by_search


def test_all_9356_come_one_by_one_from_both_engines_in_turn() -> None:
    problem = puzzle("10x6", "pentominoes")[0].problem
    found = set(solutions(problem, meter=meter()))
    assert len(found) == 9356
    for chosen in found:
        masks = [problem.options[option].mask for option in chosen]
        assert len(masks) == 12
        assert sum(masks) == problem.everything
        assert sum(mask.bit_count() for mask in masks) == 60


DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def test_every_date_of_the_calendar_can_be_shown() -> None:
    counts = {
        (month, day): count_covers(
            puzzle(f"calendar:{month:02}-{day:02}", "calendar")[0].problem, meter=meter()
        )
        or 0
        for month, days in enumerate(DAYS, start=1)
        for day in range(1, days + 1)
    }
    assert len(counts) == 366
    assert sum(counts.values()) == 24405
    assert min(counts.values()) == counts[10, 6] == 7
    assert max(counts.values()) == counts[1, 25] == 216


def test_35_hexominoes_in_14x15_fall_to_a_colouring() -> None:
    layout, group = puzzle("14x15", "hexominoes")
    found = count_solutions(layout.problem, group, meter=meter())
    assert (found.raw, found.engine, found.stopped_by) == (0, "colouring", None)


def test_the_orientation_of_the_sheet_does_not_matter_for_the_work() -> None:
    worked = []
    for sheet in ("3x20", "20x3"):
        used = meter()
        assert count_covers(puzzle(sheet, "pentominoes")[0].problem, meter=used) == 8
        worked.append(used.worked)
    assert worked[0] == worked[1]
