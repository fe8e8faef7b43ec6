"""Does the grade put known families into a sensible order, by the measures that it is made of?

``python benchmarks/difficulty/families.py`` writes `families.md`: pentomino rectangles by search
work for each solution; unique sheets against the same with a piece made optional; and the rank
correlation between measures over random sheets.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import tilesolve
from tilesolve.answers import Difficulty, Json
from tilesolve.bench.random_sheets import read_family
from tilesolve.bench.ranks import correlations, measures_of
from tilesolve.bench.rating import Settings
from tilesolve.bench.table import flat
from tilesolve.generate import Made, generated

HERE = Path(__file__).parent
RECTANGLES = ("3x20", "4x15", "5x12", "6x10")
FEWEST_FIRST = {"3x20": 4071.9, "4x15": 574.5, "5x12": 557.5, "6x10": 386.4}
"""Nodes for each solution of a search for all that branches on what has the fewest options, counted
once; it takes minutes."""

UNIQUE = "5x6,pieces=3..5,holes=4..12"
SHEETS = 40
BUDGET = Settings().budget


def difficulty(sheet: Json, pieces: Json = None, **settings: Any) -> Difficulty:
    return tilesolve.difficulty(sheet, pieces, budget=BUDGET, **settings)


def rectangles() -> str:
    """Return the table of rectangles, hardest first; the order must be that of the effort."""
    rated = [(name, difficulty(name, "pentominoes")) for name in RECTANGLES]
    rated.sort(key=lambda pair: -pair[1].measures["nodes_per_solution"])
    assert all(first.grade >= second.grade for (_, first), (_, second) in pairwise(rated))
    lines = [
        "| rectangle | solutions | nodes_per_solution | the same, fewest options first | grade |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, answer in rated:
        measures = answer.measures
        lines.append(
            f"| {name} | {measures['solutions']} | {measures['nodes_per_solution']} | "
            f"{FEWEST_FIRST[name]} | {answer.grade} |"
        )
    return "\n".join(lines)


def with_optional(made: Made) -> Iterator[tuple[float, float]]:
    """Yield the grades of a unique sheet and of the same with one piece made optional.

    The goal is a packing: all pieces that are not optional must be placed. As long as all must, no
    cell is left over, so the packing is the cover that the sheet was made for.
    """
    pieces = made.puzzle["pieces"]
    packing = {**made.puzzle, "goal": "packing"}
    unique = difficulty(packing)
    assert unique.measures["solutions"] == 1
    assert unique.grade == made.difficulty.grade
    for number in range(len(pieces)):
        loose = [
            {**piece, "optional": True} if place == number else piece
            for place, piece in enumerate(pieces)
        ]
        yield unique.grade, difficulty({**packing, "pieces": loose}).grade


def optional() -> str:
    """Return how many unique sheets are harder than with a piece made optional: all of them."""
    family, _ = read_family(UNIQUE, "pentominoes,tetrominoes")
    sheets = generated(family, unique=True)
    pairs = [
        pair for _, made in zip(range(SHEETS), sheets, strict=False) for pair in with_optional(made)
    ]
    harder = sum(unique > loose for unique, loose in pairs)
    assert harder == len(pairs)
    mean = sum(unique - loose for unique, loose in pairs) / len(pairs)
    least = min(unique - loose for unique, loose in pairs)
    return (
        f"{SHEETS} random unique sheets (`{UNIQUE}` of pentominoes and tetrominoes), each of their "
        f"{len(pairs)} pieces made optional once: the unique sheet is harder **{harder} of "
        f"{len(pairs)}** times, by {mean:.1f} on average and {least:.2f} at least."
    )


def random_rows(count: int) -> list[dict[str, Json]]:
    family, _ = read_family("5x6,holes=4..10,pieces=3..5,seed=10")
    rows = []
    for number, puzzle in family.puzzles(count):
        answer = difficulty(puzzle, games=50)
        rows.append(flat({"name": str(number), "grade": answer.grade, "measures": answer.measures}))
    return rows


def matrix(rows: Sequence[dict[str, Json]]) -> str:
    names = [
        name
        for name in measures_of(rows)
        if not name.startswith(("techniques", "marginals", "pieces_decided", "owned"))
    ]
    found = correlations(rows, names)
    found |= {(second, first): value for (first, second), value in found.items()}
    head = f"| | {' | '.join(str(number) for number in range(1, len(names) + 1))} |"
    lines = [head, f"|{' --- |' * (len(names) + 1)}"]
    for number, first in enumerate(names, start=1):
        cells = [f"{found.get((first, second), 1.0):+.2f}" for second in names]
        lines.append(f"| {number} {first} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, check and write."""
    count = 400
    parts = [
        "# Does the grade order known families sensibly?",
        f"Python {platform.python_version()}; work is limited, time is not, so these figures come "
        "out the same on any machine. Made by `python benchmarks/difficulty/families.py`.",
        "## Pentomino rectangles, by search work for each solution",
        rectangles(),
        "The grade keeps the order of `nodes_per_solution`, of which it is made; the other search "
        "is no part of it and puts 4x15 higher.",
        "## A unique sheet and the same with a piece made optional",
        optional(),
        "## Rank correlation between measures",
        f"Spearman's, over {count} random sheets (`5x6,holes=4..10,pieces=3..5,seed=10`):",
        matrix(random_rows(count)),
    ]
    (HERE / "families.md").write_text("\n\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
