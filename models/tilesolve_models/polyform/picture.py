"""The picture of a polyform puzzle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tilesolve.answers import Best, Fit, Placed, Witness
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
    colouring = answer.details.get("colouring") if isinstance(answer, Fit) else None
    if colouring is None:
        return None
    weights = {(row, column): weight for row, column, weight in colouring["cells"]}
    modulus = colouring["modulus"]
    base = picture(state)
    tiles = tuple(
        replace(
            tile, label=str(weights[tile.at]), shade=weights[tile.at] / (modulus - 1), kind="plain"
        )
        if tile.at in weights
        else tile
        for tile in base.tiles
    )
    notes = (
        f"weights modulo {modulus}",
        *(f"every {name} adds up to {weight}" for name, weight in colouring["pieces"].items()),
        f"all pieces: {colouring['piece_sum']}, all open cells: {colouring['cell_sum']}",
    )
    return replace(base, tiles=tiles, notes=notes)
