"""A neutral picture of a position: what is where, before anyone draws it.

A game builds a `Picture` of tiles; `tilesolve.draw.text` and `tilesolve.draw.svg` draw it.
Tiles of one `group` belong together: they share a colour and have no border between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import SQUARE, Point

Role: TypeAlias = Literal["open", "filled", "card", "covered", "block", "spot", "wall"]
"""What a tile is.

`open` a cell nothing lies on, `filled` part of a piece, `card` a card face up, `covered` a card
with its block or face down, `block` a movable block, `spot` a place that is not part of the
board proper, `wall` a cell that nothing may use.
"""


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One cell of a picture.

    Parameters
    ----------
    at : Cell
        Place in the text: row and column of its label.
    outline : tuple of Point
        Corners in order; for the SVG.
    label : str
        One to three characters; empty draws the role's own sign in text (``.`` for open).
    group : str
        Tiles of one group share colour and lose their common border; empty stands alone.
    role : Role
        What it is.
    kind : str
        The cell's kind (``circle``), drawn as a small sign in the SVG; ``plain`` draws none.
    shade : float or None
        0 to 1 for heat maps; overrides the colour.
    marked : bool
        Highlighted: a hint, a broken rule, the cells of a reason.
    """

    at: Cell
    outline: tuple[Point, ...]
    label: str = ""
    group: str = ""
    role: Role = "open"
    kind: str = "plain"
    shade: float | None = None
    marked: bool = False

    @property
    def region(self) -> str:
        """What the tile belongs to: no border is drawn between tiles of equal regions.

        Open cells without a group belong together; spots and single blocks, which bring an
        outline of their own, belong to the outside, which is the empty text.
        """
        if self.group:
            return f"group {self.group}"
        if self.role in ("open", "wall"):
            return self.role
        return "" if self.role in ("spot", "block") else f"alone {self.at}"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Tiles with a title above and notes below, one sentence each."""

    tiles: tuple[Tile, ...]
    title: str = ""
    notes: tuple[str, ...] = ()

    def marking(self, cells: Iterable[Cell]) -> Picture:
        """Return the picture with the tiles at these cells marked."""
        wanted = frozenset(cells)
        tiles = tuple(
            replace(tile, marked=True) if tile.at in wanted else tile for tile in self.tiles
        )
        return replace(self, tiles=tiles)


def square(cell: Cell) -> tuple[Point, ...]:
    """Return the outline of a unit square cell.

    Examples
    --------
    >>> square((0, 1))
    ((1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0))
    """
    return SQUARE.outline(cell)
