"""What games of picture cards share: a grid in which every card has one true cell.

A card *is* its cell. Sets of cards are bit masks in reading order, so neighbours, groups and
contacts are a few shifts, and the games speak of cells only where they meet people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tilesolve.answers import Cell
from tilesolve.draw.picture import Tile, square


@dataclass(frozen=True)
class Grid:
    """A picture of `rows` x `columns` cards; card ``row * columns + column`` is bit that.

    Examples
    --------
    >>> grid = Grid(2, 3)
    >>> grid.cells_of(grid.beside(grid.mask([(0, 0)])))
    ((0, 1), (1, 0))
    """

    rows: int
    columns: int

    @property
    def size(self) -> int:
        """Number of cards of the whole picture."""
        return self.rows * self.columns

    @cached_property
    def everything(self) -> int:
        """The mask of all cards."""
        return (1 << self.size) - 1

    @cached_property
    def _not_last(self) -> int:
        row = (1 << (self.columns - 1)) - 1
        return sum(row << (self.columns * number) for number in range(self.rows))

    @cached_property
    def neighbours(self) -> tuple[int, ...]:
        """For each card the mask of the cards that share a side with it."""
        return tuple(self.beside(1 << card) for card in range(self.size))

    @cached_property
    def corners(self) -> int:
        """The mask of the corner cards; fewer than four in a single row or column."""
        return self.mask((row, column) for row in (0, self.rows - 1) for column in self._ends)

    @property
    def _ends(self) -> tuple[int, int]:
        return (0, self.columns - 1)

    def holds(self, cell: Cell) -> bool:
        """Whether the cell lies in the picture."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns

    def card(self, cell: Cell) -> int:
        """Return the number of the card at a cell of the picture."""
        return cell[0] * self.columns + cell[1]

    def cell(self, card: int) -> Cell:
        """Return the cell of a card.

        Examples
        --------
        >>> Grid(2, 3).cell(4)
        (1, 1)
        """
        return divmod(card, self.columns)

    def mask(self, cells: Iterable[Cell]) -> int:
        """Return the mask of cells; those outside the picture are left out."""
        mask = 0
        for cell in cells:
            if self.holds(cell):
                mask |= 1 << self.card(cell)
        return mask

    def cells_of(self, mask: int) -> tuple[Cell, ...]:
        """Return the cells of a mask in reading order."""
        return tuple(self.cell(card) for card in cards_of(mask))

    def beside(self, mask: int) -> int:
        """Return the cards that share a side with a card of the mask and are not in it."""
        right = (mask & self._not_last) << 1
        left = (mask >> 1) & self._not_last
        near = right | left | (mask << self.columns) | (mask >> self.columns)
        return near & self.everything & ~mask

    def contacts(self, mask: int, others: int) -> int:
        """Return how many sides the cards of a mask share with those of another.

        Examples
        --------
        >>> grid = Grid(2, 2)
        >>> grid.contacts(grid.mask([(0, 0)]), grid.mask([(0, 1), (1, 0), (1, 1)]))
        2
        """
        neighbours = self.neighbours
        return sum((neighbours[card] & others).bit_count() for card in cards_of(mask))

    def reach(self, start: int, within: int) -> int:
        """Return the cards of `within` that are joined by sides, through `within`, to `start`.

        The cards of `start` count as part of the answer.
        """
        reached = fringe = start
        while fringe:
            fringe = self.beside(fringe) & within & ~reached
            reached |= fringe
        return reached

    def groups(self, mask: int) -> tuple[int, ...]:
        """Return the groups of cards joined by sides, by their first card.

        Examples
        --------
        >>> grid = Grid(2, 2)
        >>> [grid.cells_of(group) for group in grid.groups(grid.mask([(0, 0), (1, 1)]))]
        [((0, 0),), ((1, 1),)]
        """
        groups = []
        while mask:
            group = self.reach(mask & -mask, mask)
            groups.append(group)
            mask &= ~group
        return tuple(groups)

    def tile(self, card: int, **look: object) -> Tile:
        """Return the picture's tile for a card's cell, with a `Tile`'s other fields in `look`."""
        at = self.cell(card)
        return Tile(at=at, outline=square(at), **look)  # type: ignore[arg-type]  # Tile checks


@lru_cache(maxsize=64)
def grid_of(rows: int, columns: int) -> Grid:
    """Return the grid of a size, always the same one, so that its tables are made once."""
    return Grid(rows, columns)


def cards_of(mask: int) -> Iterator[int]:
    """Yield the card numbers of a mask, ascending.

    Examples
    --------
    >>> list(cards_of(0b1010))
    [1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def connected_subsets(grid: Grid, mask: int) -> Iterator[int]:
    """Yield every non-empty group of cards of a mask that is joined by sides, each once.

    Each group grows from its lowest card; a card once passed over is not taken up again, which
    is what makes every group come once.

    Examples
    --------
    >>> grid = Grid(1, 3)
    >>> sorted(connected_subsets(grid, 0b111))
    [1, 2, 3, 4, 6, 7]
    """
    for first in cards_of(mask):
        start = 1 << first
        allowed = mask & ~((start << 1) - 1)
        yield from _grown(grid, start, grid.neighbours[first] & allowed, allowed)


def _grown(grid: Grid, group: int, fringe: int, allowed: int) -> Iterator[int]:
    yield group
    while fringe:
        low = fringe & -fringe
        fringe ^= low
        allowed &= ~low
        more = grid.neighbours[low.bit_length() - 1] & allowed & ~group
        yield from _grown(grid, group | low, fringe | more, allowed)
