"""The turns and mirror images of a picture, as where each of them takes every card."""

from __future__ import annotations

from functools import cache

from tilesolve_models.new_year_puzzle.chances import Knowledge
from tilesolve_models.picture_grid import Grid, cards_of


@cache
def symmetries(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """Return for each symmetry of the picture the images of all cards; the identity is first.

    Examples
    --------
    >>> symmetries(Grid(1, 3))
    ((0, 1, 2), (0, 1, 2), (2, 1, 0), (2, 1, 0))
    """
    return tuple(
        tuple(grid.card(_image(grid, number, card)) for card in range(grid.size))
        for number in range(8 if grid.rows == grid.columns else 4)
    )


def _image(grid: Grid, number: int, card: int) -> tuple[int, int]:
    row, column = grid.cell(card)
    row = grid.rows - 1 - row if number & 1 else row
    column = grid.columns - 1 - column if number & 2 else column
    return (column, row) if number & 4 else (row, column)


def first_image(knowledge: Knowledge) -> Knowledge:
    """Return the image that stands for all of them: the one with the least masks.

    Examples
    --------
    >>> grid = Grid(2, 3)
    >>> first_image(Knowledge(grid, open=0b100000, known=0b000100))
    Knowledge(grid=Grid(rows=2, columns=3), open=1, known=8)
    """
    images = (
        (_mask(knowledge.open, symmetry), _mask(knowledge.known, symmetry))
        for symmetry in symmetries(knowledge.grid)
    )
    return Knowledge(knowledge.grid, *min(images))


def _mask(cards: int, symmetry: tuple[int, ...]) -> int:
    return sum(1 << symmetry[card] for card in cards_of(cards))
