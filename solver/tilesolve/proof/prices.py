"""Prices of cells: what every solution costs at least, and what each choice adds to that.

Each cell has a price of at most what it costs open, and each piece a weight that no placement of
it exceeds in prices, all in parts of `scale`. Add up all prices and take off what the copies of
each piece can save at most. Nothing costs less than that; and a cell that stays open adds what
its price lacks to its cost, a placement what it lacks to its piece's weight.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tilesolve.proof.puzzle import Puzzle, bits


class Refused(Exception):
    """A proof misses something, or says too much."""


@dataclass(frozen=True)
class Prices:
    """Prices of one puzzle.

    Parameters
    ----------
    scale : int
        Parts of 1 that everything is counted in.
    total : int
        What any solution costs at least, regions aside.
    opened, placed : tuple of int
        What each cell adds that stays open, and each placement that is chosen.
    """

    scale: int
    total: int
    opened: tuple[int, ...]
    placed: tuple[int, ...]

    @cached_property
    def _dearest(self) -> tuple[list[int], list[int]]:
        """What placements add, ascending, and masks of those from each place on."""
        order = sorted(range(len(self.placed)), key=self.placed.__getitem__)
        masks = [0]
        for place in reversed(order):
            masks.append(masks[-1] | 1 << place)
        return [self.placed[place] for place in order], masks[::-1]

    def dearer(self, room: int) -> int:
        """Return the placements that add more than there is room for.

        Examples
        --------
        >>> bin(Prices(1, 0, (), (3, 0, 5)).dearer(3))
        '0b100'
        """
        added, masks = self._dearest
        return masks[bisect_right(added, room)]


def prices_of(puzzle: Puzzle, scale: int, cells: Sequence[int], pieces: Sequence[int]) -> Prices:
    """Return the prices that a certificate names, held against the puzzle.

    Raises
    ------
    Refused
        Where they are not fair.

    Examples
    --------
    >>> row = ((0, 0), (0, 1), (0, 2))
    >>> bar = Puzzle(row, (3, 6), (0, 0), (0,), (1,), (3, 1, 1), (0,), True, 0)
    >>> prices_of(bar, 1, (3, 1, 1), (4,)).total
    1
    """
    if len(cells) != len(puzzle.cells) or len(pieces) != len(puzzle.least) or scale < 1:
        raise Refused("the weights do not belong to this puzzle")
    opened = [cost * scale - price for price, cost in zip(cells, puzzle.open_cost, strict=True)]
    if puzzle.may_stay_open and min(opened, default=0) < 0:
        raise Refused("a cell is dearer than it is when it stays open")
    placed = [
        pieces[owner] - sum(cells[cell] for cell in bits(mask))
        for mask, owner in zip(puzzle.masks, puzzle.owners, strict=True)
    ]
    if min(placed, default=0) < 0:
        raise Refused("a placement takes more than the weight of its piece")
    total = sum(cells)
    kinds = zip(pieces, puzzle.missing_cost, puzzle.least, puzzle.most, strict=True)
    for weight, missing, least, most in kinds:
        saved = weight + missing * scale
        total += missing * scale * most - saved * (most if saved > 0 else least)
    return Prices(scale, total, tuple(opened), tuple(placed))
