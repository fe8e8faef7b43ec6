"""The picture of a polyform puzzle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tilesolve.answers import (
    Best,
    Cell,
    Count,
    Explanation,
    Fit,
    Hints,
    Json,
    Placed,
    WayOut,
    Witness,
)
from tilesolve.draw.picture import Picture, Tile
from tilesolve.geometry.sheet import PLAIN
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
    """Return the picture of an answer on its sheet.

    A witness, a best line, the cells of the first hint, the heat map of marginals, a colouring
    with its weights, a pocket or conflict, a way out.
    """
    if isinstance(answer, Hints) and answer.hints and answer.hints[0].cells:
        return picture(state).marking(answer.hints[0].cells)
    if isinstance(answer, Count) and answer.marginals and answer.exact and answer.raw:
        return heat_map(state, answer)
    # A solution may be that nothing is left to place; a fit without witness is none.
    if isinstance(answer, Witness) or (isinstance(answer, Fit) and answer.witness):
        return picture(state, answer.witness)
    if isinstance(answer, WayOut):
        return _changed(state, answer)
    if isinstance(answer, Best) and answer.line:
        return picture(state, [load_move(Node(move), state) for move in answer.line])
    if isinstance(answer, Fit | Explanation):
        for proof in ("colouring", "weights"):
            if proof in answer.details:
                return _weighed(state, answer.details[proof])
    if isinstance(answer, Explanation):
        return _explained(state, answer)
    return None


_SEEN = ("pocket", "pockets-waste", "cell-uncovered")
"""Reasons whose own cells say more than those of a conflict."""


def _explained(state: State, answer: Explanation) -> Picture | None:
    """Return the pocket or the conflict that makes it impossible, or how it is possible."""
    if "witness" in answer.details:
        return picture(state, answer.details["witness"])
    seen = [cell for reason in answer.reasons if reason.code in _SEEN for cell in reason.cells]
    cells = seen or [(row, column) for row, column in answer.conflict.get("cells", ())]
    return picture(state).marking(cells) if cells else None


def _changed(state: State, way: WayOut) -> Picture:
    """Return a way out: the solution, on a sheet without what is taken back for it."""
    sheet = state.sheet
    placed = tuple(piece for piece in sheet.placed if piece not in way.without)
    taken = {cell for piece in way.witness for cell in piece.cells}
    grounds = {**dict.fromkeys(taken, PLAIN), **sheet.grounds}
    lettered = tuple(
        replace(group, cells=tuple(cell for cell in group.cells if cell not in taken))
        for group in sheet.lettered
    )
    changed = replace(sheet, grounds=grounds, placed=placed, lettered=lettered)
    return picture(replace(state, sheet=changed), way.witness)


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


def heat_map(state: State, count: Count) -> Picture:
    """Return the sheet with, on every open cell, the piece that most solutions have there.

    The shade is the share of solutions in which it lies there: 1 is forced.
    """
    covering: dict[Cell, dict[str, int]] = {}
    for found in count.marginals:
        for cell in found.cells:
            pieces = covering.setdefault(cell, {})
            pieces[found.piece] = pieces.get(found.piece, 0) + found.solutions
    tiles = []
    for tile in picture(state).tiles:
        pieces = covering.get(tile.at, {})
        most = max(pieces.values(), default=0)
        if most:
            name = next(name for name, solutions in pieces.items() if solutions == most)
            tile = replace(tile, label=name[:3], shade=most / count.raw, kind="plain")
        tiles.append(tile)
    forced = sum(1 for tile in tiles if tile.shade == 1)
    notes = (
        f"{count.raw} {'solution' if count.raw == 1 else 'solutions'}; "
        "each cell shows the piece that lies there most often",
        f"darker is more certain; the piece is certain on {forced} cells",
    )
    return Picture(tiles=tuple(tiles), notes=notes)
