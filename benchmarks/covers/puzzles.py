"""The instances of the covers benchmark, by name, with their known numbers of solutions.

Run it to write an instance as plain exact cover: a list of problems, each with the number of
items and the options as lists of item numbers. Pieces that are used exactly once are items too;
pieces that may be used any number of times are not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import read_sheet
from tilesolve.placement.build import build
from tilesolve.placement.problem import Problem
from tilesolve.wire import Node

DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

DATES = tuple(
    f"calendar:{month:02}-{day:02}"
    for month, days in enumerate(DAYS, start=1)
    for day in range(1, days + 1)
)

YEAR = str(Path(__file__).parents[2] / "docs" / "examples" / "calendar.json")
"""All dates in one puzzle: the month and the day that stay open are pieces too."""

INSTANCES: dict[str, tuple[tuple[str, ...], str | None, int]] = {
    "6x10": (("6x10",), "pentominoes", 9356),
    "5x12": (("5x12",), "pentominoes", 4040),
    "8x8-centre": (("8x8-centre",), "pentominoes", 520),
    "366 dates": (DATES, "calendar", 24405),
    "calendar year": ((YEAR,), None, 25061),
    "6x8 dominoes": (("6x8",), "dominoes*", 167089),
    "8x8 dominoes": (("8x8",), "dominoes*", 12988816),
    "5x8 tetrominoes": (("5x8",), "tetrominoes*", 800290),
    "8x8 tetrominoes": (("8x8",), "tetrominoes*", 19077209438),
}
"""Sheets, pieces (None: they are in the sheet's file) and the solutions of all sheets together."""


def problems(name: str) -> list[Problem]:
    """Return the placement problems of an instance."""
    sheets, pieces, _ = INSTANCES[name]
    return [_problem(sheet, pieces) for sheet in sheets]


def _problem(sheet: str, pieces: str | None) -> Problem:
    if pieces is None:
        puzzle = json.loads(Path(sheet).read_text(encoding="utf-8"))
        read = read_sheet(Node(puzzle["sheet"]))
        listed = read_pieces(Node(puzzle["pieces"]), lattice=read.lattice, legend=read.legend)
    else:
        read, listed = read_sheet(Node(sheet)), read_pieces(Node(pieces))
    return build(read, listed.pieces, cover=True).problem


def exact_cover(problem: Problem) -> dict[str, object]:
    """Return a problem as plain exact cover."""
    once = [
        number for number, kind in enumerate(problem.kinds) if (kind.least, kind.most) == (1, 1)
    ]
    item = {kind: len(problem.cells) + place for place, kind in enumerate(once)}
    options: list[Sequence[int]] = [
        [*option.cells(), *([item[option.kind]] if option.kind in item else [])]
        for option in problem.options
    ]
    return {"items": len(problem.cells) + len(once), "options": options}


if __name__ == "__main__":
    print(json.dumps([exact_cover(problem) for problem in problems(sys.argv[1])]))
