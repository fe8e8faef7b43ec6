"""Why an option is good or bad, in words: what still fits after it, which holes it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tilesolve_models.second_chance.policy import Choice

SMALL_POCKET = 7
"""Squares of a pocket up to which it is compared with the tiles left of its size."""


def reason_of(choice: Choice, option: int) -> str:
    """Return the reason for or against an option."""
    counts = choice.catalogue.counts(choice.after(np.array([option])))[0]
    total = int(choice.remaining.sum())
    fitting = int(((counts > 0) * choice.remaining).sum())
    ways = int((counts * choice.remaining).sum())
    cards = f"{fitting} of the {total} cards left still fit" if total else "no cards are left"
    mean = f", in {ways / fitting:.0f} ways on average" if fitting else ""
    pockets = "".join(f"; {said}" for said in _pockets(choice, option))
    return f"{cards}{mean}; it touches {_touching(choice, option)} sides{pockets}"


def _touching(choice: Choice, option: int) -> int:
    """Return how many sides of the tile touch the border or filled squares."""
    grid = choice.catalogue.grid
    empty = choice.catalogue.empty(choice.live)
    mask = choice.masks[option]
    return (grid.edges(empty) + grid.edges(mask) - grid.edges(empty & ~mask)) // 2


def _pockets(choice: Choice, option: int) -> Iterator[str]:
    """Say which small pockets are made and which filled, and what is left to fill them."""
    grid = choice.catalogue.grid
    filled = grid.everything & ~choice.catalogue.empty(choice.live)
    mask = choice.masks[option]
    before = set(grid.pockets(filled))
    made = Counter(
        pocket.bit_count()
        for pocket in grid.pockets(filled | mask)
        if pocket not in before and pocket.bit_count() <= SMALL_POCKET
    )
    sizes = choice.catalogue.sizes
    for size, times in sorted(made.items()):
        fillers = int(choice.remaining[sizes == size].sum())
        pockets = f"a pocket of {size}" if times == 1 else f"{times} pockets of {size}"
        cards = "1 card" if fillers == 1 else f"{fillers} cards"
        yield f"it leaves {pockets}, {cards} of that size left"
    for pocket in before:
        if pocket & mask == pocket:
            yield f"it fills a pocket of {pocket.bit_count()}"
