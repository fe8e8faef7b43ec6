"""SVG pictures, read back as XML and as geometry."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tilesolve.draw import svg
from tilesolve.draw.palette import COLOURS
from tilesolve.draw.picture import Picture, Tile, square
from tilesolve.draw.signs import signs
from tilesolve.geometry.lattice import HEX, LATTICES, SQUARE, TRIANGLE, Lattice

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def pictured(rows: Sequence[str], lattice: Lattice = SQUARE) -> Picture:
    tiles = tuple(
        Tile(
            at=(row, column),
            outline=lattice.outline((row, column)),
            group=sign if sign.isupper() else "",
            role="filled" if sign.isupper() else "open",
        )
        for row, line in enumerate(rows)
        for column, sign in enumerate(line)
        if sign != " "
    )
    return Picture(tiles=tiles)


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def paths(text: str, **attributes: str) -> list[str]:
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    return [
        path.get("d", "")
        for path in parsed(text).iterfind(".//svg:path", NAMES)
        if all(path.get(name) == value for name, value in wanted.items())
    ]


def borders(text: str) -> list[float]:
    """Lengths of the thick border strokes, in cell sides."""
    [data] = paths(text, stroke_width="3")
    numbers = [float(number) for number in re.findall(r"-?[0-9.]+", data)]
    ends = list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))
    return [math.dist((x1, y1), (x2, y2)) / 44 for x1, y1, x2, y2 in ends]


def labels(text: str) -> list[str | None]:
    found = parsed(text).iterfind(".//svg:text[@text-anchor='middle']", NAMES)
    return [element.text for element in found]


def test_borders_go_round_pieces_and_nowhere_else() -> None:
    # Two rows of three: outside 10 sides, between A and B 3.
    drawn = svg.render(pictured(["AAB", "ABB"]))
    assert len(borders(drawn)) == 13
    assert borders(drawn) == pytest.approx([1.0] * 13, abs=0.01)


@pytest.mark.parametrize(
    ("lattice", "rows", "sides", "length"),
    [(HEX, ["A A", " B "], 14, 1 / math.sqrt(3)), (TRIANGLE, ["AAB"], 6, 1.0)],
)
def test_cells_of_other_lattices_are_drawn_as_such(
    lattice: Lattice, rows: list[str], sides: int, length: float
) -> None:
    drawn = svg.render(pictured(rows, lattice))
    assert len(borders(drawn)) == sides
    assert borders(drawn) == pytest.approx([length] * sides, abs=0.02)
    corners = {HEX: 6, TRIANGLE: 3}[lattice]
    cells = [part for data in paths(drawn, **{"class": "ts-cell"}) for part in data.split("Z")]
    assert {part.count("L") + 1 for part in cells if part} == {corners}


def test_each_piece_has_its_colour_and_one_label() -> None:
    drawn = svg.render(pictured(["AAB", "A.B"]))
    assert sorted(filter(None, labels(drawn))) == ["A", "B"]
    assert len(paths(drawn, fill=COLOURS[0])) == len(paths(drawn, fill=COLOURS[1])) == 1


def test_two_copies_of_a_piece_are_labelled_both() -> None:
    assert labels(svg.render(pictured(["AA.AA"]))) == ["A", "A"]


def test_cells_with_labels_of_their_own_keep_them() -> None:
    tiles = [
        Tile(at=(0, n), outline=square((0, n)), group="g", label=str(n), role="card")
        for n in range(3)
    ]
    assert labels(svg.render(Picture(tiles=tuple(tiles)))) == ["0", "1", "2"]


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
def test_everything_lies_on_the_paper(lattice: Lattice) -> None:
    picture = pictured(["A A .", " B . "] if lattice is HEX else ["AAB", ".BB"], lattice)
    marked = picture.marking([(0, 0)])
    drawn = svg.render(replace(marked, title="A title " * 9, notes=("A note. " * 20,)))
    root = parsed(drawn)
    _, _, width, height = (float(number) for number in root.get("viewBox", "").split())
    for path in root.iterfind(".//svg:g/svg:path", NAMES):
        numbers = [float(number) for number in re.findall(r"-?[0-9.]+", path.get("d", ""))]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])
    for line in root.iterfind(".//svg:g/svg:text", NAMES):
        assert 0 < float(line.get("y", "")) < height


def test_marks_kinds_and_shades_add_shapes() -> None:
    tile = Tile(at=(0, 0), outline=square((0, 0)))
    plain = len(paths(svg.render(Picture(tiles=(tile,)))))
    marked = Picture(tiles=(replace(tile, marked=True),))
    assert len(paths(svg.render(marked))) == plain + 2
    assert len(paths(svg.render(Picture(tiles=(replace(tile, kind="ring"),))))) == plain + 2
    shaded = svg.render(Picture(tiles=(replace(tile, shade=1.0),)))
    assert paths(shaded, fill="#081d58")


def test_kinds_get_different_signs() -> None:
    kinds = ["plain", "circle", "red square", "moon", "circle of stone", "sun"]
    tiles = [Tile(at=(0, n), outline=square((0, n)), kind=kind) for n, kind in enumerate(kinds)]
    found = signs(Picture(tiles=tuple(tiles)))
    assert set(found) == set(kinds) - {"plain"}
    assert found["red square"] == "square"
    assert len(set(found.values())) == len(found)


def test_names_cannot_break_out_of_the_document() -> None:
    nasty = "</svg><script>\"&'\x00\ud800"
    tile = Tile(at=(0, 0), outline=square((0, 0)), label="<&>", group=nasty, kind=nasty)
    drawn = svg.render(Picture(tiles=(tile,), title=nasty, notes=(nasty,)))
    root = parsed(drawn)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert labels(drawn) == ["<&>"]
    drawn.encode()


def test_the_title_and_the_notes_can_be_heard() -> None:
    root = parsed(svg.render(Picture(tiles=(), title="Empty", notes=("Nothing here.",))))
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.findtext("svg:title", namespaces=NAMES) == "Empty"
    assert root.findtext("svg:desc", namespaces=NAMES) == "Nothing here."


def test_a_sheet_places_pictures_side_by_side_without_overlap() -> None:
    pictures = [pictured(["AAB"]), pictured(["A.B", "..B"]), pictured(["C"])]
    root = parsed(svg.sheet(pictures, columns=2))
    moves = [group.get("transform") for group in root.iterfind("svg:g", NAMES)]
    assert len(set(moves)) == 3
    assert moves[0] == "translate(0 0)"
    assert parsed(svg.sheet([])).get("role") == "img"


def test_a_page_of_many_pictures_has_nearly_the_shape_of_a4() -> None:
    root = parsed(svg.sheet([pictured(["A" * 10] * 6)] * 60))
    assert 1 < float(root.get("height", "")) / float(root.get("width", "")) < 2


def test_more_than_twelve_pieces_differ_by_texture() -> None:
    tiles = [
        Tile(at=(0, n), outline=square((0, n)), group=f"P{n}", role="filled") for n in range(14)
    ]
    root = parsed(svg.render(Picture(tiles=tuple(tiles))))
    patterns = {pattern.get("id") for pattern in root.iterfind(".//svg:pattern", NAMES)}
    used = {path.get("fill", "") for path in root.iterfind(".//svg:path", NAMES)}
    assert patterns
    assert {f"url(#{name})" for name in patterns} <= used


def test_the_same_picture_gives_the_same_text_in_every_process() -> None:
    program = (
        "from tilesolve.draw import svg, text\n"
        "from tilesolve.draw.picture import Picture, Tile, square\n"
        "tiles = tuple(Tile(at=(0, n), outline=square((0, n)), group=f'g{n % 15}', kind=f'k{n}')"
        " for n in range(30))\n"
        "picture = Picture(tiles=tiles, title='t').marking([(0, 3)])\n"
        "import hashlib, sys\n"
        "drawn = svg.sheet([picture, picture]) + text.render(picture)\n"
        "print(hashlib.sha256(drawn.encode()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
