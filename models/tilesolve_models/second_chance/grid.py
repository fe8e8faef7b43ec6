"""One player's grid as bit masks: bit ``row * columns + column`` is a square.

A mask holds the filled squares; everything a rule or a policy asks of a grid is a few
operations on such whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tilesolve.answers import Cell
from tilesolve.geometry.shape import Shape
from tilesolve.placement.problem import bits

LARGEST = 20
"""Rows and columns that a grid other than the standard one may have at most."""


@dataclass(frozen=True)
class Grid:
    """The empty grid: `rows` times `columns` squares.

    Examples
    --------
    >>> grid = Grid(2, 3)
    >>> grid.mask([(0, 0), (1, 2)]), grid.cells(0b100001)
    (33, ((0, 0), (1, 2)))
    """

    rows: int
    columns: int

    @property
    def everything(self) -> int:
        """The mask of all squares."""
        return (1 << (self.rows * self.columns)) - 1

    def inside(self, cell: Cell) -> bool:
        """Whether the cell is a square of the grid."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns

    def mask(self, cells: Iterable[Cell]) -> int:
        """Return the mask of cells that lie inside."""
        mask = 0
        for row, column in cells:
            mask |= 1 << (row * self.columns + column)
        return mask

    def cells(self, mask: int) -> tuple[Cell, ...]:
        """Return the squares of a mask in reading order."""
        return tuple(divmod(bit, self.columns) for bit in bits(mask))

    def around(self, mask: int) -> int:
        """Return the squares that share a side with the mask, those of the mask left out.

        Examples
        --------
        >>> bin(Grid(3, 3).around(0b000_010_000))
        '0b10101010'
        """
        sideways = (mask & ~self._last_column) << 1 | (mask & ~self._first_column) >> 1
        spread = sideways | mask << self.columns | mask >> self.columns
        return spread & self.everything & ~mask

    def pockets(self, filled: int) -> tuple[int, ...]:
        """Return the connected groups of empty squares, in reading order of their first.

        Examples
        --------
        >>> [bin(pocket) for pocket in Grid(2, 3).pockets(0b010_010)]
        ['0b1001', '0b100100']
        """
        pockets = []
        empty = self.everything & ~filled
        while empty:
            pocket, front = 0, empty & -empty
            while front:
                pocket |= front
                front = self.around(pocket) & empty
            pockets.append(pocket)
            empty &= ~pocket
        return tuple(pockets)

    def edges(self, squares: int) -> int:
        """Return the length of all edges of some squares, towards others and the border.

        Examples
        --------
        >>> Grid(3, 3).edges(0b000_011_000)
        6
        """
        across = squares & squares >> self.columns
        along = squares & (squares & ~self._first_column) >> 1
        return 4 * squares.bit_count() - 2 * (across.bit_count() + along.bit_count())

    def placements(self, shape: tuple[Cell, ...]) -> tuple[int, ...]:
        """Return the masks of every placement of a shape, turned and mirrored, ascending."""
        return _placements(self, shape)

    @cached_property
    def _first_column(self) -> int:
        return self.mask((row, 0) for row in range(self.rows))

    @cached_property
    def _last_column(self) -> int:
        return self.mask((row, self.columns - 1) for row in range(self.rows))


@lru_cache(maxsize=1024)
def _placements(grid: Grid, shape: tuple[Cell, ...]) -> tuple[int, ...]:
    masks = set()
    for turned in Shape.of(shape).orientations():
        left = min(column for _, column in turned)
        height = 1 + max(row for row, _ in turned)
        width = 1 + max(column for _, column in turned) - left
        for down in range(grid.rows - height + 1):
            for right in range(-left, grid.columns - width + 1 - left):
                masks.add(grid.mask((row + down, column + right) for row, column in turned))
    return tuple(sorted(masks))
