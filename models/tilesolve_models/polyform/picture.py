"""The picture of a polyform puzzle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tilesolve.answers import Best, Fit, Json, Placed, Witness
from tilesolve.draw.picture import Picture, Tile
from tilesolve.wire import Node
from tilesolve_models.polyform.rules import State, load_move


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


def illustrate(state: State, answer: object) -> Picture | None:
    """Return the picture of an answer: a witness on its sheet, or a colouring with its weights."""
    if isinstance(answer, Fit | Witness) and answer.witness:
        return picture(state, answer.witness)
    if isinstance(answer, Best) and answer.line:
        return picture(state, [load_move(Node(move), state) for move in answer.line])
    if isinstance(answer, Fit) and "colouring" in answer.details:
        return _weighed(state, answer.details["colouring"])
    if isinstance(answer, Fit) and "weights" in answer.details:
        return _weighed(state, answer.details["weights"])
    return None


def _weighed(state: State, found: Mapping[str, Json]) -> Picture:
    """Return the sheet with the weights that prove a no, and their sums below."""
    weights = {(row, column): weight for row, column, weight in found["cells"]}
    least, most = min(weights.values()), max(weights.values())
    modulus = found.get("modulus")
    base = picture(state)
    tiles = tuple(
        replace(
            tile,
            label=str(weights[tile.at]),
            shade=(weights[tile.at] - least) / max(1, most - least),
            kind="plain",
        )
        if tile.at in weights
        else tile
        for tile in base.tiles
    )
    every, takes = ("weights", "takes at least") if modulus is None else (
        f"weights modulo {modulus}", "adds up to")  # fmt: skip
    notes = (
        every,
        *(f"every {name} {takes} {weight}" for name, weight in found["pieces"].items()),
        f"all pieces: {found['piece_sum']}, all open cells: {found['cell_sum']}",
    )
    return replace(base, tiles=tiles, notes=notes)
