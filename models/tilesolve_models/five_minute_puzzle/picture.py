"""The sheet as a picture: pieces by their names, empty circles by their colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tilesolve.answers import Best, Cell, Explanation, Fit, Hints, Placed, WayOut
from tilesolve.draw.picture import Picture, Tile
from tilesolve.geometry.lattice import HEX
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.sheets import CIRCLE, LABEL, RED
from tilesolve_models.five_minute_puzzle.state import Draw, State

PREFILLED = "#"


def picture(state: State) -> Picture:
    """Draw the sheet as it lies.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> drawn = picture(State(shipped("synthetic-a"), prefilled=((3, 8),), roll=4))
    >>> len(drawn.tiles), drawn.notes[0]
    (51, 'roll 4: D or G can be drawn')
    """
    return _drawn(state, {})


def illustrate(state: State, answer: object) -> Picture | None:
    """Draw an answer: all pieces that fit, the end of the best line, a conflict, the first hint.

    None where there is nothing to draw.
    """
    if isinstance(answer, Fit) and answer.witness:
        return _with(state, answer.witness)
    if isinstance(answer, WayOut):
        back = {placed.piece for placed in answer.without}
        kept = [entry for entry in state.history if entry.piece not in back]
        return _with(replace(state, history=tuple(kept)), answer.witness)
    if isinstance(answer, Explanation) and "witness" in answer.details:
        return _with(state, answer.details["witness"])
    if isinstance(answer, Best) and answer.line:
        return _drawn(state, dict(_reached(answer)))
    if isinstance(answer, Explanation) and answer.conflict:
        return _drawn(state, {}).marking((row, column) for row, column in answer.conflict["cells"])
    if isinstance(answer, Hints) and answer.hints:
        return _drawn(state, {}).marking(answer.hints[0].cells)
    return None


def _with(state: State, witness: Iterable[Placed]) -> Picture:
    return _drawn(state, {cell: placed.piece for placed in witness for cell in placed.cells})


def _reached(answer: Best) -> Iterator[tuple[Cell, str]]:
    """Yield what a line fills, with the names of the pieces."""
    for move in answer.line:
        for row, column in move.get("prefill") or move.get("cells") or ():
            yield (row, column), move.get("piece", PREFILLED)


def _drawn(state: State, more: dict[tuple[int, int], str]) -> Picture:
    names = dict.fromkeys(state.prefilled, PREFILLED) | more
    for entry in state.history:
        if isinstance(entry, Draw):
            names |= dict.fromkeys(entry.cells, entry.piece)
    grounds = state.edition.sheet.grounds
    tiles = []
    for cell in state.edition.cells:
        ground, name = grounds[cell], names.get(cell, "")
        colour = "" if ground.kind != CIRCLE else "r" if ground.penalty == RED else "b"
        tiles.append(
            Tile(
                at=cell,
                outline=HEX.outline(cell),
                label=name or colour,
                group=name,
                role="filled" if name else "open",
                kind=ground.kind if ground.kind == CIRCLE else "plain",
            )
        )
    title = "5 Minuten Puzzle" + (f", {state.edition.name}" if state.edition.name else "")
    return Picture(tiles=tuple(tiles), title=title, notes=_notes(state))


def _notes(state: State) -> tuple[str, ...]:
    now, edition = rules.position(state), state.edition
    notes = []
    due = state.upcoming[:1]
    if due and not rules.finished(state, now):
        drawable = bits(now.drawable(due[0]))
        names = " or ".join(edition.pieces[piece].name for piece in drawable)
        notes.append(f"roll {due[0]}: {names} can be drawn")
    left = [f"{edition.pieces[p].name} ({edition.dice[p]})" for p in bits(now.available)]
    notes.append("left, with die numbers: " + (", ".join(left) or "nothing"))
    notes.append(f"penalty if it ended now: {now.penalty}")
    if edition.synthetic:
        notes.append(LABEL)
    return tuple(notes)
