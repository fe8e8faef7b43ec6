"""Random puzzles for the bars of proofs: infeasible ones, planted ones, small packings.

A puzzle is a function of its seed, so every line of a result can be made again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tilesolve.geometry.lattice import LATTICES, SQUARE, Lattice
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.shape import Shape, polyforms
from tilesolve.geometry.sheet import PLAIN, Ground, Sheet, plain_sheet
from tilesolve_models.polyform.rules import Goal, State, puzzle

SIZES = (3, 4, 4, 5, 5, 5, 5, 6, 6, 7)
"""Sizes of tiles, as often as they are drawn."""

MOST_TILES = 12
MOST_HOLES = 6


@cache
def shapes(lattice: str, size: int) -> tuple[Shape, ...]:
    """Return the free shapes of a size."""
    return polyforms(size, LATTICES[lattice])


def holed(chance: random.Random, lattice: Lattice, rows: int, columns: int, holes: int) -> Sheet:
    """Return a sheet with so many cells left out at random."""
    step = 2 if lattice.name == "hex" else 1
    cells = [(row, row % step + step * column) for row in range(rows) for column in range(columns)]
    return plain_sheet(lattice, chance.sample(cells, len(cells) - holes))


def merged(drawn: Sequence[Shape], lattice: Lattice) -> tuple[Piece, ...]:
    """Return tiles as pieces, equal ones with a count."""
    counts: dict[Shape, int] = {}
    for shape in drawn:
        counts[shape] = counts.get(shape, 0) + 1
    return tuple(
        Piece(
            name=f"T{number}",
            lattice=lattice,
            pattern=tuple((cell, "") for cell in shape.cells),
            least=copies,
            most=copies,
        )
        for number, (shape, copies) in enumerate(counts.items(), start=1)
    )


def crowded(seed: int) -> State:
    """Return a sheet of up to 9x9 with up to 12 tiles that may or may not fit together.

    The tiles take all cells or nearly all, so that a good part of the puzzles has no solution
    and few of those are shown by their area. A sheet without a cell to spare is a cover.
    """
    chance = random.Random(f"crowded {seed}")
    while True:
        drawn = [
            chance.choice(shapes("square", chance.choice(SIZES)))
            for _ in range(chance.randint(2, MOST_TILES))
        ]
        slack = chance.choice((0, 0, 1, 2, 3))
        rows, columns = chance.randint(3, 9), chance.randint(3, 9)
        holes = rows * columns - slack - sum(len(shape.cells) for shape in drawn)
        if 0 <= holes <= MOST_HOLES:
            sheet = holed(chance, SQUARE, rows, columns, holes)
            return puzzle(sheet, merged(drawn, SQUARE), "packing" if slack else "cover")


def planted(seed: int) -> State:
    """Return a sheet of up to 9x9 with tiles that were laid on it and taken off again."""
    chance = random.Random(f"planted {seed}")
    sheet = holed(chance, SQUARE, chance.randint(3, 9), chance.randint(3, 9), chance.randint(0, 4))
    cells = set(sheet.grounds)
    drawn: list[Shape] = []
    for _ in range(60):
        shape = chance.choice(shapes("square", chance.choice(SIZES)))
        turned = chance.choice(shape.orientations())
        row, column = chance.choice(sorted(sheet.grounds))
        laid = {(row + down, column + right) for down, right in turned}
        if laid <= cells and len(drawn) < MOST_TILES:
            cells -= laid
            drawn.append(shape)
    if chance.random() < 0.5:  # without a cell to spare
        sheet = plain_sheet(SQUARE, set(sheet.grounds) - cells)
    return puzzle(sheet, merged(drawn, SQUARE), "packing")


def small(seed: int) -> State:
    """Return a small packing or cover on one of the three lattices, for brute force.

    Some pieces may not be mirrored or not be turned, some come several times, some are optional,
    and on some sheets cells and pieces have kinds.
    """
    chance = random.Random(f"small {seed}")
    lattice = chance.choice([*LATTICES.values()])
    sheet = holed(chance, lattice, chance.randint(2, 4), chance.randint(3, 5), chance.randint(0, 4))
    drawn = [
        chance.choice(shapes(lattice.name, chance.choice((2, 3, 3, 4, 4, 5))))
        for _ in range(chance.randint(1, 4))
    ]
    if chance.random() < 0.3:
        drawn += drawn[:1]
    taken = sum(len(shape.cells) for shape in drawn)
    if taken <= len(sheet.grounds) and chance.random() < 0.5:
        sheet = plain_sheet(lattice, chance.sample(sorted(sheet.grounds), taken))
    pieces = tuple(_handled(piece, chance) for piece in merged(drawn, lattice))
    if chance.random() < 0.2:
        sheet, pieces = _typed(sheet, pieces, chance)
    exact = taken == len(sheet.grounds)
    goal: Goal = "cover" if chance.random() < (0.5 if exact else 0.2) else "packing"
    return puzzle(sheet, pieces, goal)


def _handled(piece: Piece, chance: random.Random) -> Piece:
    """Return a piece with what turning is allowed, and how often it must be used, at random."""
    least = chance.randint(0, piece.least) if chance.random() < 0.25 else piece.least
    mirror, rotate = chance.random() < 0.7, chance.random() < 0.85
    return replace(piece, mirror=mirror, rotate=rotate, least=least)


def _typed(
    sheet: Sheet, pieces: Sequence[Piece], chance: random.Random
) -> tuple[Sheet, tuple[Piece, ...]]:
    """Return a sheet with some cells of kind `round`, and pieces of which some demand them."""
    ground = Ground("round")
    grounds = {
        cell: ground if chance.random() < 0.3 else plain for cell, plain in sheet.grounds.items()
    }
    kinds = ("", "", "", "", "round", "plain")
    typed = tuple(
        replace(piece, pattern=tuple((cell, chance.choice(kinds)) for cell, _ in piece.pattern))
        for piece in pieces
    )
    return replace(sheet, grounds=grounds, legend={"o": ground, "p": PLAIN}), typed
