"""Make the synthetic editions: ``python -m tilesolve_models.five_minute_puzzle.generate FOLDER``.

Circles are one of the three sublattices ``q - r mod 3``. On that pattern there are 17 different
pieces of four cells: 3 without a circle, 7 with one, 6 with two, 1 with three. The seven and
five of the six carry 17 circles together, as many as either sheet has.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tilesolve.answers import Cell, Json
from tilesolve.geometry.lattice import HEX
from tilesolve.geometry.piece import Pattern, Piece, dump_pieces, letters
from tilesolve.geometry.shape import polyforms
from tilesolve.geometry.sheet import Ground
from tilesolve_models.five_minute_puzzle.sheets import (
    BLUE,
    CIRCLE,
    HEXAGON,
    LABEL,
    RED,
    SYNTHETIC,
    circles,
)

LEGEND = {"h": Ground(HEXAGON, 1), "r": Ground(CIRCLE, RED), "b": Ground(CIRCLE, BLUE)}
PUBLIC = (CIRCLE, HEXAGON, HEXAGON, CIRCLE)
"""The one published piece, in a line."""

SIDES = {
    "synthetic-a": (
        "Synthetic side A: a hexagon",
        (
            "   o o o o o o",
            "  o o o o o o o",
            " o o o o o o o o",
            "o o o o o o o o o",
            " o o o o o o o o",
            "  o o o o o o o",
            "   o o o o o o",
        ),
        1,
    ),
    "synthetic-b": (
        "Synthetic side B: a bear's head",
        (
            "  o           o",
            " o o         o o",
            "o o o o o o o o o",
            " o o o o o o o o",
            "o o o o o o o o o",
            " o o o o o o o o",
            "  o o o o o o o",
            "     o o o o",
        ),
        1,
    ),
}
"""For each name its title, its outline and which sublattice carries the circles."""


def sublattice(cell: Cell) -> int:
    """Return which of the three sublattices a cell belongs to."""
    row, column = cell
    return ((column - row) // 2 - row) % 3


def typed_pieces() -> tuple[Piece, ...]:
    """Return the 17 pieces of four cells that occur on the pattern, fewest circles first.

    Examples
    --------
    >>> [sum(circles(piece) == number for piece in typed_pieces()) for number in range(4)]
    [3, 7, 6, 1]
    """
    found: dict[Pattern, Piece] = {}
    for shape in polyforms(4, HEX):
        for shift in range(3):
            pattern = tuple(
                (cell, CIRCLE if sublattice(cell) == shift else HEXAGON) for cell in shape.cells
            )
            piece = Piece("", HEX, pattern)
            first = piece.orientations[0]
            found.setdefault(first, Piece("", HEX, first))
    return tuple(sorted(found.values(), key=lambda piece: (circles(piece), piece.pattern)))


def chosen_pieces() -> tuple[Piece, ...]:
    """Return the twelve pieces: all with one circle, and all but the last with two."""
    singles = [piece for piece in typed_pieces() if circles(piece) == 1]
    doubles = [piece for piece in typed_pieces() if circles(piece) == 2]
    omitted = [piece for piece in doubles if not is_public(piece)][-1]
    kept = [piece for piece in doubles if piece != omitted]
    return tuple(
        Piece(letters(index), HEX, piece.pattern) for index, piece in enumerate(singles + kept)
    )


def is_public(piece: Piece) -> bool:
    """Return whether it is circle, hexagon, hexagon, circle in a line."""
    cells, kinds = zip(*piece.pattern, strict=True)
    rows = {row for row, _ in cells}
    line = len(rows) == 1 or any(
        len({row for row, _ in (cell for cell, _ in turned)}) == 1 for turned in piece.orientations
    )
    return line and kinds == PUBLIC


def edition(name: str) -> Json:
    """Return the data file of a synthetic edition."""
    title, outline, shift = SIDES[name]
    pieces = chosen_pieces()
    chance = random.Random(5)
    dice = [1 + index // 2 for index in range(len(pieces))]
    chance.shuffle(dice)
    entries = dump_pieces(pieces, LEGEND)
    return {
        "title": title,
        "comment": LABEL,
        "synthetic": True,
        "lattice": HEX.name,
        "rows": _coloured(outline, shift, chance),
        "legend": {
            sign: {"kind": ground.kind, "penalty": ground.penalty}
            for sign, ground in LEGEND.items()
        },
        "pieces": [
            {"name": entry["name"], "die": die, "rows": entry["rows"]}
            for entry, die in zip(entries, dice, strict=True)
        ],
    }


def _coloured(outline: tuple[str, ...], shift: int, chance: random.Random) -> list[str]:
    """Return the rows with hexagons, and circles coloured at random, blue one more than red."""
    cells = [
        (row, column)
        for row, line in enumerate(outline)
        for column, sign in enumerate(line)
        if sign == "o"
    ]
    ringed = [cell for cell in cells if sublattice(cell) == shift]
    red = set(chance.sample(ringed, len(ringed) // 2))
    signs = {cell: "r" if cell in red else "b" for cell in ringed}
    return [
        "".join(
            sign if sign != "o" else signs.get((row, column), "h")
            for column, sign in enumerate(line)
        )
        for row, line in enumerate(outline)
    ]


def main(folder: Path) -> None:
    """Write both data files."""
    for name in SYNTHETIC:
        text = json.dumps(edition(name), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
