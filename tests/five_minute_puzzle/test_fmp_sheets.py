"""Data files: the conditions, each named, and the two that are shipped."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from importlib import resources
from typing import Any

import pytest

from tilesolve.budget import Budget
from tilesolve.errors import InputError
from tilesolve.geometry.lattice import HEX, connected
from tilesolve.geometry.sheet import Ground, Sheet
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle import generate, state
from tilesolve_models.five_minute_puzzle.model import fit
from tilesolve_models.five_minute_puzzle.packing import Packer
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.sheets import (
    CIRCLE,
    HEXAGON,
    LABEL,
    SYNTHETIC,
    Edition,
    circles,
    dump_edition,
    read_edition,
    shipped,
)
from tilesolve_models.five_minute_puzzle.state import State


def data(name: str = "synthetic-a") -> Any:
    file = resources.files("tilesolve_models.five_minute_puzzle") / "data" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SYNTHETIC)
def test_shipped_files_are_labelled_and_what_the_generator_makes(name: str) -> None:
    found = data(name)
    assert found == generate.edition(name)
    assert found["synthetic"] is True
    assert found["comment"] == LABEL
    assert "not the published" in LABEL


@pytest.mark.parametrize("name", SYNTHETIC)
def test_shipped_editions_meet_the_conditions(name: str) -> None:
    edition = shipped(name)
    assert len(edition.cells) == 51
    assert connected(HEX, edition.cells)
    assert edition.hexagons.bit_count() == 34
    assert sum(circles(piece) for piece in edition.pieces) == 17
    assert len({piece.orientations for piece in edition.pieces}) == 12
    assert sorted(edition.dice) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert any(generate.is_public(piece) for piece in edition.pieces)
    assert sorted(set(edition.penalties)) == [1, 2, 3]
    answer = fit(State(edition), budget=Budget())
    assert answer.answer == "yes"
    assert len({cell for placed in answer.witness for cell in placed.cells}) == 48


def test_side_a_is_the_hexagon() -> None:
    rows = [sum(cell[0] == row for cell in shipped("synthetic-a").cells) for row in range(7)]
    assert rows == [6, 7, 8, 9, 8, 7, 6]


def test_every_sublattice_and_every_omitted_piece_packs_the_hexagon() -> None:
    singles = [piece for piece in generate.typed_pieces() if circles(piece) == 1]
    doubles = [piece for piece in generate.typed_pieces() if circles(piece) == 2]
    assert (len(singles), len(doubles)) == (7, 6)
    cells = shipped("synthetic-a").cells
    for shift in range(3):
        grounds = {
            cell: Ground(CIRCLE if generate.sublattice(cell) == shift else HEXAGON)
            for cell in cells
        }
        for omitted in doubles:
            pieces = [*singles, *(piece for piece in doubles if piece != omitted)]
            edition = Edition(Sheet(HEX, grounds), tuple(pieces), (1,) * 12)
            assert packs(edition)


def packs(edition: Edition) -> bool:
    """Whether short dives find all twelve pieces a place; three hexagons stay empty."""
    packer = Packer(Position.start(edition), ceiling=7, chance=random.Random(1), limit=200)
    for _ in range(100):
        packer.nodes = 0
        found = next(packer.packings(), None)
        if found is not None:
            return len(found.lays) == 12 and found.empty.bit_count() == 3
    return False


def without_a_cell(found: Any) -> None:
    found["rows"][0] = found["rows"][0].replace("h", " ", 1)


def duplicate(found: Any) -> None:
    # Turned, so that the rows differ and the piece does not.
    found["pieces"][2]["rows"] = found["pieces"][0]["rows"][::-1]


def one_circle_more(found: Any) -> None:
    found["rows"][0] = found["rows"][0].replace("h", "b", 1)


def lonely_number(found: Any) -> None:
    found["pieces"][0]["die"] = found["pieces"][1]["die"]


def five_cells(found: Any) -> None:
    found["pieces"][6]["rows"] = ["h b h h h"]


def eleven_pieces(found: Any) -> None:
    del found["pieces"][11]


def unknown_kind(found: Any) -> None:
    found["legend"]["h"]["kind"] = "square"


def wrong_worth(found: Any) -> None:
    found["legend"]["r"]["penalty"] = 5


def die_of_seven(found: Any) -> None:
    found["pieces"][0]["die"] = 7


def same_name(found: Any) -> None:
    found["pieces"][1]["name"] = "A"


def square_lattice(found: Any) -> None:
    found["lattice"] = "square"


def plain_cell(found: Any) -> None:
    found["rows"][0] = found["rows"][0].replace("h", ".", 1)


def plain_piece(found: Any) -> None:
    found["pieces"][0]["rows"] = ["# # # #"]


def two_parts(found: Any) -> None:
    found["pieces"][0]["rows"] = ["h h   h b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_a_cell, "the sheet must have 51 cells, found 50"),
        (duplicate, "are the same piece; all must differ"),
        (one_circle_more, "the sheet has 18 circles and the pieces have 17; both must agree"),
        (lonely_number, "die number 6 must own two pieces, found 1"),
        (five_cells, "must have 4 cells, found 5"),
        (eleven_pieces, "there must be 12 pieces, found 11"),
        (unknown_kind, "'h' is of the kind 'square'; kinds here are 'hexagon' and 'circle'"),
        (wrong_worth, "'r', a circle, costs 5; it must cost 3 or 2"),
        (die_of_seven, "$.sheet.pieces[0].die: expected a whole number from 1 to 6, found 7"),
        (same_name, "the piece 'A' is listed twice"),
        (square_lattice, "$.sheet.lattice: expected 'hex'"),
        (plain_cell, "is neither a hexagon nor a circle of the legend"),
        (plain_piece, "piece 'A' has a cell that is neither a hexagon nor a circle"),
        (two_parts, "piece 'A' is in 2 parts"),
    ],
)
def test_each_condition_is_named(change: Any, message: str) -> None:
    found = deepcopy(data())
    change(found)
    with pytest.raises(InputError) as caught:
        state.load(Node({"game": "five-minute-puzzle", "sheet": found}))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_small_sheets_skip_sizes_and_counts_alone() -> None:
    found = deepcopy(data())
    for change in (without_a_cell, duplicate, lonely_number, five_cells):
        change(found)
    assert not read_edition(Node({**found, "standard": False})).standard
    assert not read_edition(Node(found), standard=False).standard
    unknown_kind(found)
    with pytest.raises(InputError):
        read_edition(Node({**found, "standard": False}))


def test_a_users_own_file_reads_back_as_written() -> None:
    found = deepcopy(data())
    edition = read_edition(Node(found))
    assert edition.name == ""
    assert read_edition(Node(dump_edition(edition))) == edition
