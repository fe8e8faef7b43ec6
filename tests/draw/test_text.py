"""Text pictures: what a person reads off them, in both character sets."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import pytest

from tilesolve.answers import Cell
from tilesolve.draw import text
from tilesolve.draw.picture import Picture, Role, Tile, square
from tilesolve.geometry.lattice import HEX, LATTICES, SQUARE, TRIANGLE, Lattice


def pictured(
    rows: Sequence[str], lattice: Lattice = SQUARE, marked: Collection[Cell] = ()
) -> Picture:
    tiles = tuple(
        Tile(
            at=(row, column),
            outline=lattice.outline((row, column)),
            group=sign if sign.isupper() else "",
            role="filled" if sign.isupper() else "open",
            kind="circle" if sign == "o" else "plain",
            marked=(row, column) in marked,
        )
        for row, line in enumerate(rows)
        for column, sign in enumerate(line)
        if sign not in " #"
    )
    return Picture(tiles=tiles)


def test_squares_with_borders_between_pieces() -> None:
    drawn = text.render(pictured(["AAB", "A.B", "#.o"]))
    assert drawn.splitlines() == [
        "    0   1   2",
        "  ┌───────┬───┐",
        "0 │ A   A │ B │",
        "  │   ┌───┤   │",
        "1 │ A │ . │ B │",
        "  └───┤   └───┤",
        "2     │ .   c │",
        "      └───────┘",
        "c circle",
    ]


def test_squares_in_ascii() -> None:
    drawn = text.render(pictured(["AAB", "A.B"]), ascii=True, coordinates=False)
    assert drawn.splitlines() == [
        "+-------+---+",
        "| A   A | B |",
        "|   +---+   |",
        "| A | . | B |",
        "+---+---+---+",
    ]


def test_hexagons_are_staggered_and_outlined() -> None:
    drawn = text.render(pictured(["A A .", " A B "], HEX), ascii=True)
    assert drawn.splitlines() == [
        "    0 1 2 3 4",
        r"   / \ / \ / \ ".rstrip(),
        "0 | A   A | . |",
        r"   \     / \ /",
        "1   | A | B |",
        r"     \ / \ /",
    ]


def test_triangles_point_up_and_down() -> None:
    drawn = text.render(pictured(["AAB"], TRIANGLE), ascii=True, coordinates=False)
    assert drawn.splitlines() == [
        "   ______",
        r"  /     /\ ".rstrip(),
        r" /A  A /B \ ".rstrip(),
        r"/_____/____\ ".rstrip(),
    ]


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
def test_every_label_is_on_its_own_row_in_order(lattice: Lattice) -> None:
    rows = [". A . B", " C . D ", "E . A ."] if lattice is HEX else [".A.B", "C.D.", "E.A#"]
    lines = text.render(pictured(rows, lattice), coordinates=False).splitlines()
    found = ["".join(re.findall(r"[A-Z.]", line)) for line in lines]
    assert [row for row in found if row] == [re.sub("[ #]", "", row) for row in rows]


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
@pytest.mark.parametrize("labels", [["A", "B"], ["Ab", "B"], ["A12", "木"]])
def test_marked_tiles_show_without_colour(lattice: Lattice, labels: list[str]) -> None:
    cells = [(0, 0), (0, 2) if lattice is HEX else (0, 1)]
    tiles = [
        Tile(at=at, outline=lattice.outline(at), label=label, role="filled", group=label)
        for at, label in zip(cells, labels, strict=True)
    ]
    picture = Picture(tiles=tuple(tiles))
    plain, marked = text.render(picture), text.render(picture.marking([(0, 0)]))
    assert all(label in plain for label in labels)
    assert plain != marked
    assert "marked" in marked
    assert "marked" not in plain


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
def test_ascii_is_ascii_whatever_the_labels(lattice: Lattice) -> None:
    picture = Picture(
        tiles=(
            Tile(at=(0, 0), outline=lattice.outline((0, 0)), label="É木", role="block"),
            Tile(at=(1, 1), outline=lattice.outline((1, 1)), kind="Größe"),
        ),
        title="3×20 – “pentominoes”",
        notes=("turned by 90° … done",),
    )
    drawn = text.render(picture, ascii=True)
    assert drawn.isascii()
    assert drawn.splitlines()[0] == '3x20 - "pentominoes"'
    assert drawn.splitlines()[-1] == "turned by 90 deg ... done"


def test_nothing_moves_the_cursor() -> None:
    tile = Tile(at=(0, 0), outline=square((0, 0)), label="\x1b[2", group="a\nb", role="filled")
    picture = Picture(tiles=(tile,), title="one\ttitle\x07", notes=("two\nlines\u202e",))
    drawn = text.render(picture)
    assert not set(drawn) & set("\x1b\x07\t\u202e")
    assert drawn.splitlines()[0] == "one title?"
    assert drawn.splitlines()[-1] == "two lines?"


def test_colours_come_only_when_asked_and_change_no_character() -> None:
    picture = pictured(["AAB", "A.B"], marked=[(0, 0)])
    coloured = text.render(picture, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.render(picture)


def test_roles_differ_without_colour() -> None:
    roles: list[Role] = ["open", "filled", "card", "covered", "block", "spot"]
    tiles = [Tile(at=(0, 2 * n), outline=square((0, 2 * n)), role=r) for n, r in enumerate(roles)]
    cells = text.render(Picture(tiles=tuple(tiles)), coordinates=False).splitlines()[1]
    signs = [cells[8 * n + 1 : 8 * n + 4] for n in range(len(roles))]
    assert len(set(signs)) == len(roles)
    assert signs[4] == "(o)"


def test_shades_are_digits() -> None:
    shades = [0.0, 0.34, 0.999, 1.0, 7.5, -2.0]
    tiles = [Tile(at=(0, n), outline=square((0, n)), shade=shade) for n, shade in enumerate(shades)]
    lines = text.render(Picture(tiles=tuple(tiles)), coordinates=False).splitlines()
    assert lines[1].split() == ["│", "0", "3", "9", "9", "9", "0", "│"]
    assert lines[-1] == "0-9 low to high"


def test_far_away_cells_cost_no_paper() -> None:
    tiles = [Tile(at=at, outline=square(at)) for at in [(0, 0), (10**6, -(10**6)), (3, 1)]]
    lines = text.render(Picture(tiles=tuple(tiles))).splitlines()
    assert len(lines) < 25
    assert any(line.startswith("1000000 ") for line in lines)


def test_negative_rows_and_columns_are_numbered() -> None:
    tiles = [Tile(at=at, outline=square(at), role="spot") for at in [(-1, 0), (0, -1), (0, 5)]]
    lines = text.render(Picture(tiles=tuple(tiles))).splitlines()
    assert lines[0].split() == ["-1", "0", "5"]
    assert [line.split()[0] for line in lines if line.strip()] == ["-1", "-1", "0"]


def test_an_empty_picture_has_title_and_notes_alone() -> None:
    assert text.render(Picture(tiles=(), title="null", notes=("nothing left",))) == (
        "null\nnothing left"
    )
    assert text.render(Picture(tiles=())) == ""


def test_kinds_with_equal_first_letters_get_different_letters() -> None:
    tiles = [
        Tile(at=(0, n), outline=square((0, n)), kind=kind)
        for n, kind in enumerate(["circle", "cross", "plain"])
    ]
    lines = text.render(Picture(tiles=tuple(tiles)), coordinates=False).splitlines()
    assert lines[1].split() == ["│", "c", "r", ".", "│"]
    assert lines[-1] == "c circle, r cross"
