"""An oracle that shares nothing with the game: sets of cells, axial coordinates, all plays."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import pytest

Hex = tuple[int, int]
Typed = frozenset[tuple[Hex, str]]
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def axial(cell: Hex) -> Hex:
    row, column = cell
    return (column - row) // 2, row


def near(cell: Hex) -> set[Hex]:
    return {(cell[0] + q, cell[1] + r) for q, r in AROUND}


def turns(shape: Typed) -> set[Typed]:
    found = set()
    for mirrored in (False, True):
        turned = {((r, q) if mirrored else (q, r), kind) for (q, r), kind in shape}
        for _ in range(6):
            turned = {((-r, q + r), kind) for (q, r), kind in turned}
            found.add(frozenset(turned))
    return found


@dataclass(frozen=True)
class Small:
    """A small edition: cells with kind and penalty, pieces with their numbers."""

    cells: tuple[tuple[Hex, str, int], ...]
    pieces: tuple[tuple[str, int, Typed], ...]

    def placements(self, shape: Typed) -> list[frozenset[Hex]]:
        kinds = {cell: kind for cell, kind, _ in self.cells}
        found = set()
        for turned in turns(shape):
            anchor = min(cell for cell, _ in turned)
            for q, r in kinds:
                moved = {(a + q - anchor[0], b + r - anchor[1]): kind for (a, b), kind in turned}
                if all(kinds.get(cell) == kind for cell, kind in moved.items()):
                    found.add(frozenset(moved))
        return sorted(found, key=sorted)

    def penalty(self, filled: frozenset[Hex]) -> int:
        empty = {cell: cost for cell, _, cost in self.cells if cell not in filled}
        regions, left = 0, set(empty)
        while left:
            regions += 1
            stack = [left.pop()]
            while stack:
                for cell in near(stack.pop()) & left:
                    left.discard(cell)
                    stack.append(cell)
        return sum(empty.values()) + regions

    def best(self, rolls: tuple[int, ...], *, prefill: int = 0, rolled_too: bool = True) -> int:
        hexagons = [cell for cell, kind, _ in self.cells if kind == "hexagon"]
        where = {name: self.placements(shape) for name, _, shape in self.pieces}
        die = {name: number for name, number, _ in self.pieces}

        @cache
        def least(filled: frozenset[Hex], left: frozenset[str], done: int) -> int:
            score = self.penalty(filled)
            touching = {cell for own in filled for cell in near(own)}
            for roll in rolls[done : done + 1] or range(1, 7):
                own = {name for name in left if die[name] == roll} or left
                for name in own:
                    for cells in where[name]:
                        if not cells & filled and (not filled or cells & touching):
                            score = min(score, least(filled | cells, left - {name}, done + 1))
                others = {name for name in left if die[name] != roll} or left
                for name in left if rolled_too else others:
                    score = min(score, least(filled, left - {name}, done + 1))
            return score

        return min(
            least(frozenset(chosen), frozenset(die), 0)
            for number in range(prefill + 1)
            for chosen in combinations(hexagons, number)
        )

    def expected(self, roll: int, *, rolled_too: bool = True) -> Fraction:
        """The expected final penalty under best play, for the roll that is due."""
        where = {name: self.placements(shape) for name, _, shape in self.pieces}
        die = {name: number for name, number, _ in self.pieces}

        @cache
        def after(filled: frozenset[Hex], left: frozenset[str]) -> Fraction:
            if not any(True for _ in draws(filled, left, left)):
                return Fraction(self.penalty(filled))
            return sum((played(filled, left, roll) for roll in range(1, 7)), Fraction(0)) / 6

        def draws(filled: frozenset[Hex], left: frozenset[str], of: frozenset[str]) -> Any:
            touching = {cell for own in filled for cell in near(own)}
            for name in of:
                for cells in where[name]:
                    if not cells & filled and (not filled or cells & touching):
                        yield filled | cells, left - {name}

        def played(filled: frozenset[Hex], left: frozenset[str], roll: int) -> Fraction:
            own = frozenset(name for name in left if die[name] == roll) or left
            others = frozenset(name for name in left if die[name] != roll) or left
            found = [after(*child) for child in draws(filled, left, own)]
            found += [after(filled, left - {name}) for name in (left if rolled_too else others)]
            return min(found)

        return played(frozenset(), frozenset(die), roll)

    def packs(self) -> bool:
        """Whether all pieces can be drawn in some order."""
        where = [self.placements(shape) for _, _, shape in self.pieces]

        @cache
        def drawn(filled: frozenset[Hex], left: frozenset[int]) -> bool:
            touching = {cell for own in filled for cell in near(own)}
            return not left or any(
                drawn(filled | cells, left - {piece})
                for piece in left
                for cells in where[piece]
                if not cells & filled and (not filled or cells & touching)
            )

        return drawn(frozenset(), frozenset(range(len(where))))

    def state(self, **more: Any) -> dict[str, Any]:
        signs = {("hexagon", 1): "h", ("circle", 2): "b", ("circle", 3): "r"}
        placed = {(r, 2 * q + r): signs[kind, cost] for (q, r), kind, cost in self.cells}
        sheet = {
            "lattice": "hex",
            "standard": False,
            "rows": text(placed),
            "legend": {
                "h": {"kind": "hexagon"},
                "r": {"kind": "circle", "penalty": 3},
                "b": {"kind": "circle", "penalty": 2},
            },
            "pieces": [
                {
                    "name": name,
                    "die": die,
                    "rows": text(
                        {
                            (r, 2 * q + r): "h" if kind == "hexagon" else "b"
                            for (q, r), kind in shape
                        }
                    ),
                }
                for name, die, shape in self.pieces
            ],
        }
        return {"game": "five-minute-puzzle", "sheet": sheet, **more}


def text(signs: dict[Hex, str]) -> list[str]:
    top = min(row for row, _ in signs)
    left = min(column for _, column in signs)
    left -= (top + left) % 2
    height = max(row for row, _ in signs) - top + 1
    width = max(column for _, column in signs) - left + 1
    grid = [[" "] * width for _ in range(height)]
    for (row, column), sign in signs.items():
        grid[row - top][column - left] = sign
    return ["".join(line) for line in grid]


def grown(chance: random.Random, size: int) -> list[Hex]:
    cells: list[Hex] = [(0, 0)]
    while len(cells) < size:
        rim = sorted({beside for cell in cells for beside in near(cell)} - set(cells))
        cells.append(chance.choice(rim))
    return cells


def small(seed: int, *, cells: int = 10, pieces: int = 4, sizes: tuple[int, ...] = (2, 3)) -> Small:
    """Return a random small edition; pieces are cut from anywhere on its pattern."""
    chance = random.Random(seed)
    # Centre the sheet's text in normal form, so that cells read back are where they were.
    found = [(q + 20, r + 20) for q, r in grown(chance, cells)]
    kinds = {(q, r): "circle" if (q - r) % 3 == 0 else "hexagon" for q, r in found}
    costs = {
        cell: 1 if kind == "hexagon" else chance.choice((2, 3)) for cell, kind in kinds.items()
    }
    shapes = []
    for number in range(pieces):
        own = grown(chance, chance.choice(sizes))
        shift = chance.randrange(3)
        shape = frozenset(
            ((q, r), "circle" if (q - r + shift) % 3 == 0 else "hexagon") for q, r in own
        )
        shapes.append((chr(ord("A") + number), chance.randint(1, 4), shape))
    return Small(tuple((c, kinds[c], costs[c]) for c in sorted(kinds)), tuple(shapes))


@pytest.fixture(scope="session")
def small_edition() -> Callable[..., Small]:
    return small
