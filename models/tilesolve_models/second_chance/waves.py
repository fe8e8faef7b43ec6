"""Every position of a known order of cards, round by round: a second opinion on the fewest empties.

The search of lines goes deep first, with bounds from areas and what it remembers. This one holds
all positions of a round at once, as sets of empty squares, with placements that the checker of
certificates derives. It finds no line; it only says whether one could end with fewer empties.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tilesolve.budget import Meter
from tilesolve.geometry.lattice import SQUARE
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import rectangle
from tilesolve.proof.puzzle import lying
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.grid import Grid


def fewer(
    grid: Grid, cards: Sequence[Tile], roots: Sequence[int], empties: int, *, meter: Meter
) -> bool | None:
    """Tell whether any line ends with fewer empties; None when the meter stopped it.

    Parameters
    ----------
    cards : sequence of Tile
        In the order in which they come, two a round.
    roots : sequence of int
        The masks of filled squares to begin with.
    empties : int
        What a line would have to undercut.
    meter : Meter
        Spent on at one unit a position.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> one, two = Tile.of([(0, 0)], "I1"), Tile.of([(0, 0), (0, 1)], "I2")
    >>> for empties in (1, 2):
    ...     fewer(Grid(1, 3), [one, two], [0], empties, meter=Meter(budget=Budget()))
    False
    True
    """
    lays = [_placements(grid, tile) for tile in cards]
    most = _most_squares(cards)
    waves: dict[int, set[int]] = defaultdict(set)
    waves[0] = set(roots)
    squares = grid.rows * grid.columns
    for gone in range(len(cards) + 1):
        for filled in waves.pop(gone, ()):
            open_squares = squares - filled.bit_count()
            if open_squares - most[gone] >= empties:
                continue
            if not meter.spend():
                return None
            used, drawn = gone + 2, set[int]()
            if used <= len(cards):
                drawn = {m for lay in lays[gone:used] for m in lay if not m & filled}
            if used < len(cards) and not drawn:
                drawn = {mask for mask in lays[used] if not mask & filled}
                used += 1
            if not drawn and open_squares < empties:
                return True
            waves[used] |= {filled | mask for mask in drawn}
    return False


def _placements(grid: Grid, tile: Tile) -> tuple[int, ...]:
    sheet = rectangle(grid.rows, grid.columns)
    numbers = {cell: number for number, cell in enumerate(sorted(sheet.grounds))}
    found = lying(sheet, Piece.of(tile.name, tile.shape, SQUARE), numbers)
    return tuple(sum(1 << number for number in placement) for placement in found)


def _most_squares(cards: Sequence[Tile]) -> list[int]:
    """Return how many squares can be filled at most when so many cards are gone."""
    most = [0] * (len(cards) + 4)
    for gone in range(len(cards) - 2, -1, -1):
        most[gone] = max(cards[gone].size, cards[gone + 1].size) + most[gone + 2]
        if gone + 2 < len(cards):
            most[gone] = max(most[gone], cards[gone + 2].size + most[gone + 3])
    return most
