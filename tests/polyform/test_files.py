"""Sheets and pieces in all their forms, and one clear sentence for each mistake."""

from typing import Any

import pytest

from tilesolve.errors import InputError
from tilesolve.geometry.lattice import HEX, SQUARE, TRIANGLE
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import named_sheet, read_sheet
from tilesolve.wire import Node, decode, parse
from tilesolve_models.polyform import rules

LEGEND = {"o": {"kind": "circle", "penalty": 2}}


def test_rows_and_objects_mean_the_same_sheet() -> None:
    rows = ["..#.", "A. ."]
    assert read_sheet(Node(rows)) == read_sheet(Node({"lattice": "square", "rows": rows}))
    sheet = read_sheet(Node(rows))
    assert (0, 2) not in sheet.grounds
    assert (1, 2) not in sheet.grounds
    assert sheet.filled == {(1, 0)}


def test_legend_gives_kind_and_penalty() -> None:
    sheet = read_sheet(Node({"rows": ["o."], "legend": LEGEND}))
    assert (sheet.grounds[0, 0].kind, sheet.grounds[0, 0].penalty) == ("circle", 2)
    assert (sheet.grounds[0, 1].kind, sheet.grounds[0, 1].penalty) == ("plain", 1)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("6x10", 60),
        ("1x1", 1),
        ("8x8-centre", 60),
        ("8x8-corners", 60),
        ("hex:4x10", 40),
        ("triangle:4x10", 40),
        ("calendar:10-06", 41),
        ("calendar:02-29", 41),
    ],
)
def test_short_names(name: str, cells: int) -> None:
    sheet = named_sheet(name)
    assert sheet is not None
    assert len(sheet.grounds) == cells


def test_the_hex_parallelogram_shifts_each_row_right() -> None:
    sheet = read_sheet(Node("hex:2x3"))
    assert sheet.open == ((0, 0), (0, 2), (0, 4), (1, 1), (1, 3), (1, 5))


def test_the_calendar_leaves_month_and_day_open() -> None:
    october_sixth = read_sheet(Node("calendar:10-06"))
    assert (1, 3) not in october_sixth.grounds
    assert (2, 5) not in october_sixth.grounds
    assert (0, 6) not in october_sixth.grounds
    assert (6, 3) not in october_sixth.grounds


FORMS: list[Any] = [
    [["##"], ["#.", "##"]],
    {"A": ["##"], "B": ["#.", "##"]},
    [{"rows": ["##"]}, {"rows": ["#.", "##"], "count": 1, "mirror": True, "optional": False}],
    {"pieces": [["xy"], [" #", "##"]], "comment": "any character is a cell"},
    {"comment": "names", "A": "I2", "B": "L3"},
]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_pieces(form: Any) -> None:
    pieces = read_pieces(Node(form)).pieces
    assert [(piece.name, piece.size) for piece in pieces] == [("A", 2), ("B", 3)]
    shapes = [piece.orientations for piece in pieces]
    assert shapes == [piece.orientations for piece in read_pieces(Node(FORMS[0])).pieces]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("dominoes*", [(0, None)]),
        ("dominoes*31", [(31, 31)]),
        ("F,I*2", [(1, 1), (2, 2)]),
        ("P5, I3", [(1, 1), (1, 1)]),
        ("tetrominoes", [(1, 1)] * 5),
    ],
)
def test_pieces_as_text(text: str, counts: list[tuple[int, int | None]]) -> None:
    pieces = read_pieces(Node(text)).pieces
    assert [(piece.least, piece.most) for piece in pieces] == counts


@pytest.mark.parametrize(
    ("count", "expected"),
    [(2, (2, 2)), ([0, 3], (0, 3)), ("any", (0, None)), (0, (0, 0))],
)
def test_counts(count: Any, expected: tuple[int, int | None]) -> None:
    (piece,) = read_pieces(Node([{"name": "F", "count": count}])).pieces
    assert (piece.least, piece.most) == expected


def test_optional_is_none_or_more() -> None:
    (piece,) = read_pieces(Node([{"name": "F", "count": 2, "optional": True}])).pieces
    assert (piece.least, piece.most) == (0, 2)


def test_congruent_pieces_are_merged_and_that_is_said() -> None:
    read = read_pieces(Node({"A": ["##", "#."], "B": [".#", "##"], "C": ["##"]}))
    assert [(piece.name, piece.most) for piece in read.pieces] == [("A", 2), ("C", 1)]
    assert any("A and B" in note for note in read.notes)


def test_mirror_images_are_not_merged_when_mirrors_are_forbidden() -> None:
    pieces = [
        {"name": "S", "rows": [".##", "##."], "mirror": False},
        {"name": "Z", "rows": ["##.", ".##"], "mirror": False},
    ]
    assert len(read_pieces(Node(pieces)).pieces) == 2


def test_a_typed_piece_demands_its_kind() -> None:
    sheet = read_sheet(Node({"rows": ["o."], "legend": {**LEGEND, "q": {"kind": "circle"}}}))
    red, blue = (read_pieces(Node([[sign + "#"]]), legend=sheet.legend).pieces[0] for sign in "oq")
    assert red.pattern == blue.pattern
    assert [kind for _, kind in red.pattern] == ["circle", ""]


@pytest.mark.parametrize("lattice", [SQUARE, HEX, TRIANGLE])
def test_puzzles_survive_writing(lattice: Any) -> None:
    rows = {"square": ["oA..", ".A#o"], "hex": ["o A .", " . o"], "triangle": ["oA..", ".A.o"]}
    pieces = {"square": [["o#"], "I3"], "hex": [["o #"], "I3"], "triangle": [["#o"], "I3"]}
    state = rules.load(
        Node(
            {
                "game": "polyform",
                "goal": "cover",
                "sheet": {
                    "lattice": lattice.name,
                    "rows": rows[lattice.name],
                    "legend": LEGEND,
                    "rules": {"touch": True, "region_penalty": 2},
                },
                "pieces": pieces[lattice.name],
            }
        )
    )
    assert rules.load(Node(rules.dump(state))) == state


BAD_SHEETS: list[tuple[Any, str, str]] = [
    ("7by9", "$", "7by9"),
    ("99999x99999", "$", "limit"),
    ("1000x1000", "$", "1000000"),
    ("7x7-centre", "$", "even"),
    ("calendar:02-30", "$", "no such date"),
    ("hex:4x4-corners", "$", "square"),
    (3, "$", "expected"),
    ([".", 3], "$[1]", "expected a string, found 3"),
    ([".x"], "$[0]", "'x' in column 1"),
    (["..", "\t."], "$[1]", "tab"),
    ({"rows": ["."], "lattice": "cube"}, "$.lattice", "'square'"),
    ({"rows": ["."], "colour": 1}, "$", "'colour'"),
    ({"lattice": "square"}, "$", "'rows' is missing"),
    ({"rows": ["."], "legend": {"oo": {}}}, "$.legend.oo", "one character"),
    ({"rows": ["."], "legend": {"Q": {}}}, "$.legend.Q", "capital"),
    ({"rows": ["."], "legend": {"o": {"penalty": -1}}}, "$.legend.o.penalty", "whole number"),
    ({"rows": ["."], "placed": [{"piece": "F"}]}, "$.placed[0]", "'cells' is missing"),
    ({"rows": ["."], "placed": [{"piece": "F", "cells": [[0]]}]}, "$.placed[0].cells[0]", "cell"),
    (
        {"rows": ["."], "placed": [{"piece": "F", "cells": [[0, 0], [0, 0]]}]},
        "$.placed[0].cells",
        "twice",
    ),
    ({"rows": [".."], "lattice": "hex"}, "$.rows", "two characters apart"),
    ({"rows": ["."], "rules": {"touch": 1}}, "$.rules.touch", "true or false"),
]


@pytest.mark.parametrize(("sheet", "place", "words"), BAD_SHEETS)
def test_bad_sheets(sheet: Any, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_sheet(Node(sheet))
    assert caught.value.place == place
    assert words in caught.value.message


BAD_PIECES: list[tuple[Any, str, str]] = [
    ("pentominos5", "$", "neither a piece nor a set"),
    ("F,,I", "$", "missing between commas"),
    ("tetrahexes", "$", "square lattice"),
    ([["##", "...", "##"]], "$[0]", "2 parts"),
    ([["..."]], "$[0]", "empty"),
    ([[]], "$[0]", "empty"),
    ([{"name": "F", "rows": ["#"]}, {"name": "F", "rows": ["##"]}], "$", "called 'F'"),
    ([{"rows": ["#"], "count": -1}], "$[0].count", "whole number"),
    ([{"rows": ["#"], "count": [3, 1]}], "$[0].count", "[3, 1] is empty"),
    ([{"rows": ["#"], "count": "many"}], "$[0].count", "'any'"),
    ([{"rows": ["#"], "count": 1.5}], "$[0].count", "whole number"),
    ([{"rows": ["#"], "colour": "red"}], "$[0]", "unknown field 'colour'"),
    ([{"rows": ["#"], "mirror": "no"}], "$[0].mirror", "true or false"),
    ([{"name": "Q9"}], "$[0]", "'rows' is missing"),
    ([["#\t#"]], "$[0][0]", "tab"),
    ([7], "$[0]", "a name, a list of rows or an object"),
    ({"pieces": ["F"], "extra": 1}, "$", "unknown field 'extra'"),
    ([{"name": "", "rows": ["#"]}], "$[0].name", "empty"),
]


@pytest.mark.parametrize(("pieces", "place", "words"), BAD_PIECES)
def test_bad_pieces(pieces: Any, place: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_pieces(Node(pieces))
    assert caught.value.place == place
    assert words in caught.value.message


BAD_JSON = [
    ('{"rows": [".",]}', "not JSON"),
    ('{"a": NaN}', "NaN"),
    ('{"a": 1, "a": 2}', "twice"),
    ("[1e999]", "too large"),
    ("[" + "9" * 5000 + "]", "digits"),
    ("[" * 3000 + "]" * 3000, "deep"),
    ('["\\ud800"]', "surrogate"),
    ("", "not JSON"),
]


@pytest.mark.parametrize(("text", "words"), BAD_JSON)
def test_bad_json(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, source="sheet.json")
    assert words in caught.value.message
    assert str(caught.value).startswith("sheet.json: ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": [0, NaN]}', "$.a[1]"),
        ('{"pieces": [{"count": 1e400}]}', "$.pieces[0].count"),
        ('{"b": {"a": 1, "a": 2}}', "$.b"),
        ('{"n": [' + "9" * 500 + "]}", "$.n[0]"),
        ('{"s": ["\\ud800"]}', "$.s[0]"),
    ],
)
def test_flaws_of_json_are_named_by_their_path(text: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, source="sheet.json")
    assert caught.value.place == place


def test_encodings_and_line_ends() -> None:
    assert decode("\ufeff..\r\n.#\r\n".encode()) == "..\n.#\n"
    with pytest.raises(InputError, match="line 2: not UTF-8"):
        decode(b"..\n\xff\xfe\n")
