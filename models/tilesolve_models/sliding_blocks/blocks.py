"""Blocks and boards: cells that slide, and cells to slide over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import SQUARE, connected

DIRECTIONS: Mapping[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""Unit steps, in the order in which moves are listed."""

Axis: TypeAlias = Literal["free", "horizontal", "vertical"]
"""How a block may slide."""

_ALONG: Mapping[Axis, tuple[str, ...]] = {
    "free": tuple(DIRECTIONS),
    "horizontal": ("left", "right"),
    "vertical": ("up", "down"),
}


@dataclass(frozen=True)
class Block:
    """A block: its name, its cells (sorted, at least one) and how it may slide.

    Examples
    --------
    >>> block = Block("A", ((0, 1), (1, 0), (1, 1)))
    >>> block.place, block.along(("down", "right")).cells
    ((0, 0), ((1, 2), (2, 1), (2, 2)))
    """

    name: str
    cells: tuple[Cell, ...]
    axis: Axis = "free"

    @cached_property
    def place(self) -> Cell:
        """The top left corner of the rectangle around the block."""
        return self.cells[0][0], min([column for _, column in self.cells])

    @cached_property
    def shape(self) -> tuple[Cell, ...]:
        """The cells as they are when the block's place is (0, 0)."""
        top, left = self.place
        return tuple((row - top, column - left) for row, column in self.cells)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the rectangle around the block."""
        return 1 + max(row for row, _ in self.shape), 1 + max(column for _, column in self.shape)

    @property
    def connected(self) -> bool:
        """Whether the cells hang together by sides."""
        return connected(SQUARE, self.cells)

    def may(self, step: str) -> bool:
        """Return whether the axis allows a direction."""
        return step in _ALONG[self.axis]

    def along(self, path: Iterable[str]) -> Block:
        """Return the block at the end of a path."""
        down = right = 0
        for step in path:
            down += DIRECTIONS[step][0]
            right += DIRECTIONS[step][1]
        return Block(self.name, moved(self.cells, down, right), self.axis)

    def at(self, place: Cell) -> Block:
        """Return the block with its top left corner elsewhere."""
        return Block(self.name, moved(self.shape, *place), self.axis)


@dataclass(frozen=True)
class Board:
    """A rectangle of cells, some of them walls.

    Examples
    --------
    >>> board = Board(2, 2, frozenset({(0, 1)}))
    >>> board.open((0, 0)), board.open((0, 1)), board.open((2, 0))
    (True, False, False)
    """

    rows: int
    columns: int
    walls: frozenset[Cell] = frozenset()

    def within(self, cell: Cell) -> bool:
        """Return whether a cell is on the board, wall or not."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns

    @cached_property
    def cells(self) -> frozenset[Cell]:
        """The cells that are no walls."""
        inside = {(row, column) for row in range(self.rows) for column in range(self.columns)}
        return frozenset(inside - self.walls)

    def open(self, cell: Cell) -> bool:
        """Return whether a cell is on the board and no wall."""
        return cell in self.cells


def moved(cells: Iterable[Cell], down: int, right: int) -> tuple[Cell, ...]:
    """Return cells moved by rows and columns, in their order."""
    return tuple([(row + down, column + right) for row, column in cells])
