"""One player's position as bit masks: what is filled, and which pieces are left.

Cells and pieces are bits of an `Edition`'s masks. Nothing here looks ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve.placement.connect import beside, components
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.sheets import Edition

Lay: TypeAlias = tuple[int, int]
"""A piece's index and the mask of the cells it is laid on."""


@dataclass(frozen=True)
class Position:
    """What a player sees before a round.

    Parameters
    ----------
    edition : Edition
        The sheet and the pieces.
    filled : int
        Mask of the filled cells, pre-filled ones included.
    available : int
        Mask of the pieces neither drawn nor crossed out.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> start = Position.start(shipped("synthetic-a"))
    >>> start.penalty, start.over
    (77, False)
    """

    edition: Edition
    filled: int
    available: int

    @classmethod
    def start(cls, edition: Edition, prefilled: int = 0) -> Position:
        """Return the position before the first roll."""
        return cls(edition, prefilled, (1 << len(edition.pieces)) - 1)

    @property
    def empty(self) -> int:
        """Mask of the empty cells."""
        return self.edition.everything & ~self.filled

    @property
    def frontier(self) -> int:
        """Mask of the empty cells of which the next piece must use one (FM3, FM8)."""
        if not self.filled:
            return self.edition.everything
        return beside(self.filled, self.edition.near)

    @property
    def regions(self) -> tuple[int, ...]:
        """The connected regions of empty cells, as masks."""
        return components(self.empty, self.edition.near)

    @property
    def penalty(self) -> int:
        """The penalty if the game ended now (FM7)."""
        penalties = self.edition.penalties
        return sum(penalties[cell] for cell in bits(self.empty)) + len(self.regions)

    def lays(self, pieces: int) -> Iterator[Lay]:
        """Yield the legal placements of the pieces of a mask, by piece, then by cells."""
        frontier, filled = self.frontier, self.filled
        for piece in bits(pieces & self.available):
            for mask in self.edition.placements[piece]:
                if not mask & filled and mask & frontier:
                    yield piece, mask

    @property
    def over(self) -> bool:
        """Whether nothing that is left can be laid any more, or nothing is left (FM6)."""
        return next(self.lays(self.available), None) is None

    def drawable(self, roll: int) -> int:
        """Return the mask of the pieces that a roll lets the player draw (FM1)."""
        own = self.edition.rolled[roll] & self.available
        return own or self.available

    def crossable(self, roll: int, *, rolled_too: bool) -> int:
        """Return the mask of the pieces that may be crossed out (FM5).

        Where the rolled pieces may not be, they still may when nothing else is left.
        """
        others = self.available & ~self.edition.rolled[roll]
        return self.available if rolled_too else others or self.available

    def contact(self, mask: int) -> int:
        """Return how many edges of a placement lie at filled cells or at the border."""
        near = self.edition.near
        return sum(
            6 - near[cell].bit_count() + (near[cell] & self.filled).bit_count()
            for cell in bits(mask)
        )

    def laid(self, lay: Lay) -> Position:
        """Return the position after drawing a piece."""
        piece, mask = lay
        return Position(self.edition, self.filled | mask, self.available & ~(1 << piece))

    def without(self, piece: int) -> Position:
        """Return the position after crossing a piece out."""
        return Position(self.edition, self.filled, self.available & ~(1 << piece))
