"""The instances of the covers benchmark, by name, with their known numbers of solutions.

Run it to write an instance as plain exact cover: a list of problems, each with the number of
items and the options as lists of item numbers. Pieces that are used exactly once are items too;
pieces that may be used any number of times are not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

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

INSTANCES: dict[str, tuple[tuple[str, ...], str, int]] = {
    "6x10": (("6x10",), "pentominoes", 9356),
    "5x12": (("5x12",), "pentominoes", 4040),
    "8x8-centre": (("8x8-centre",), "pentominoes", 520),
    "366 dates": (DATES, "calendar", 24405),
    "8x8 dominoes": (("8x8",), "dominoes*", 12988816),
    "8x8 tetrominoes": (("8x8",), "tetrominoes*", 19077209438),
}
"""Sheets, pieces and the solutions of all sheets together."""


def problems(name: str) -> list[Problem]:
    """Return the placement problems of an instance."""
    sheets, pieces, _ = INSTANCES[name]
    return [
        build(read_sheet(Node(sheet)), read_pieces(Node(pieces)).pieces, cover=True).problem
        for sheet in sheets
    ]


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
