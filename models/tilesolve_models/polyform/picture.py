"""The picture of a polyform puzzle."""

from __future__ import annotations

from collections.abc import Iterable

from tilesolve.answers import Placed
from tilesolve.draw.picture import Picture, Tile
from tilesolve_models.polyform.rules import State


def picture(state: State, witness: Iterable[Placed] = ()) -> Picture:
    """Return the sheet with what lies on it, and a witness if one is given.

    Examples
    --------
    >>> from tilesolve_models.polyform.rules import load
    >>> from tilesolve.wire import Node
    >>> [tile.label for tile in picture(load(Node({"sheet": ["A."]}))).tiles]
    ['A', '']
    """
    sheet = state.sheet
    owners = {
        cell: (placed.piece, f"{placed.piece} {number}")
        for number, placed in enumerate((*sheet.lying, *witness))
        for cell in placed.cells
    }
    tiles = []
    for cell, ground in sorted(sheet.grounds.items()):
        label, group = owners.get(cell, ("", ""))
        tiles.append(
            Tile(
                at=cell,
                outline=sheet.lattice.outline(cell),
                label=label,
                group=group,
                role="filled" if group else "open",
                kind=ground.kind,
            )
        )
    return Picture(tiles=tuple(tiles))
