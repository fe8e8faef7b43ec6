"""A first puzzle: the pair of files that `tilesolve new polyform` writes."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.wire import Node
from tilesolve_models.polyform.rules import State, load

SHEET: Json = {
    "comment": "A sheet. '.' is an open cell, '#' or a space is no cell, a capital letter is a "
    "cell that is filled already, by the piece of that name if there is one. The first row "
    "counts as row 0.",
    "lattice": "square",
    "rows": [
        "......",
        "......",
        "..##..",
        "......",
        "......",
    ],
}
PIECES: Json = {
    "comment": "The pieces: '.' is empty, any other character is a cell. Leave out what you do "
    "not need: count is 1, and turning and mirroring are allowed, unless you say otherwise.",
    "pieces": [
        {"name": "P", "rows": ["##", "##", "#."]},
        {"name": "V", "rows": ["#..", "#..", "###"]},
        {"name": "Y", "rows": ["####", ".#.."], "mirror": True},
        {"name": "L4", "rows": ["###", "#.."], "count": 2, "comment": "two of these"},
        {"name": "I3", "rows": ["###"], "optional": False, "rotate": True},
        {"name": "I2", "rows": ["##"], "count": [0, 2], "comment": "none, one or two"},
    ],
}


def new(*, seed: int, sheet: str = "6x10", pieces: str = "pentominoes") -> State:
    """Return the puzzle of a named sheet and named pieces; nothing is random in it.

    Examples
    --------
    >>> len(new(seed=0).pieces)
    12
    """
    del seed
    return load(Node({"game": "polyform", "sheet": sheet, "pieces": pieces}))


def starter() -> dict[str, Json]:
    """Return the two files of the starter puzzle, by name.

    Examples
    --------
    >>> sorted(starter())
    ['pieces.json', 'sheet.json']
    """
    return {"sheet.json": SHEET, "pieces.json": PIECES}
