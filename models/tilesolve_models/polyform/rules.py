"""The rules of polyform puzzles: what lies where, and whether it may. No solver in here.

A state is a sheet with what lies on it, the list of pieces, and the goal: `cover` leaves no cell
open, `packing` places all pieces that must be placed. The same file format is read from one file
or from a sheet and a pieces file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Json, Placed, Verdict, Violation
from tilesolve.errors import IllegalState
from tilesolve.geometry.lattice import HEX, regions
from tilesolve.geometry.piece import (
    Pattern,
    Piece,
    PieceList,
    dump_pieces,
    read_pieces,
)
from tilesolve.geometry.shape import Forms
from tilesolve.geometry.sheet import Sheet, dump_sheet, read_sheet
from tilesolve.placement.build import placements
from tilesolve.wire import Node

ID = "polyform"

Goal: TypeAlias = Literal["cover", "packing"]
GOALS: tuple[Goal, Goal] = ("cover", "packing")


@dataclass(frozen=True)
class State:
    """A polyform puzzle.

    Parameters
    ----------
    sheet : Sheet
        With what lies on it; pieces that are on the list are in `Sheet.placed`, in order.
    pieces : tuple of Piece
        The whole list, those on the sheet included, congruent ones merged.
    goal : {"cover", "packing"} or None
        None leaves it to the question.
    notes : tuple of str
        What was noticed on reading; not part of the state.
    """

    sheet: Sheet
    pieces: tuple[Piece, ...]
    goal: Goal | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)


def puzzle(sheet: Sheet, pieces: PieceList | Sequence[Piece], goal: Goal | None = None) -> State:
    """Return the state of a sheet and pieces; placed pieces get their names in the list.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> puzzle(rectangle(1, 2), read_pieces(Node("dominoes"))).pieces[0].name
    'I2'
    """
    listed = pieces if isinstance(pieces, PieceList) else PieceList(tuple(pieces))
    names = {name: piece.name for piece in listed.pieces for name in piece.names}
    known, loose = [], []
    for group in sheet.lettered:
        exact = names.get(group.piece) or names.get(f"{group.piece}{len(group.cells)}")
        name = exact or _sized(group.piece, names)
        if name is None:
            loose.append(group)
        else:
            known.append(Placed(piece=name, cells=group.cells))
    placed = [replace(piece, piece=names.get(piece.piece, piece.piece)) for piece in sheet.placed]
    settled = replace(sheet, lettered=tuple(loose), placed=(*known, *placed))
    notes = listed.notes
    if loose and listed.pieces:
        letters = ", ".join(sorted({group.piece for group in loose}))
        notes = (*notes, f"the letters {letters} name no piece: their cells count as filled")
    return State(settled, tuple(replace(p, also=()) for p in listed.pieces), goal, notes)


def _sized(letter: str, names: Iterable[str]) -> str | None:
    """Return the one piece that is called by the letter and a size, as T4."""
    found = {name for name in names if re.fullmatch(re.escape(letter) + r"\d+", name)}
    return found.pop() if len(found) == 1 else None


def load(node: Node) -> State:
    """Read a puzzle: ``{"game": "polyform", "sheet": ..., "pieces": ..., "goal": ...}``.

    Examples
    --------
    >>> load(Node({"sheet": "2x2", "pieces": ["I2*2"]})).pieces[0].most
    2
    """
    fields = node.object("game", "pieces", "goal", "forms", required=("sheet",))
    if "game" in fields:
        fields["game"].string(ID)
    goal = _goal(fields["goal"]) if "goal" in fields else None
    forms = read_forms(fields["forms"]) if "forms" in fields else "free"
    return load_parts(fields["sheet"], fields.get("pieces"), goal, forms=forms)


def load_parts(
    sheet: Node, pieces: Node | None, goal: Goal | None = None, *, forms: Forms = "free"
) -> State:
    """Read a puzzle from its two files."""
    read = read_sheet(sheet)
    if pieces is None:
        return puzzle(read, PieceList(()), goal)
    return puzzle(
        read, read_pieces(pieces, lattice=read.lattice, legend=read.legend, forms=forms), goal
    )


def read_forms(node: Node) -> Forms:
    """Read how named sets are taken."""
    forms: dict[str, Forms] = {"free": "free", "one-sided": "one-sided", "fixed": "fixed"}
    return forms[node.string(*forms)]


def _goal(node: Node) -> Goal:
    return "cover" if node.string(*GOALS) == "cover" else "packing"


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    dumped: dict[str, Json] = {"game": ID, "sheet": dump_sheet(state.sheet)}
    dumped["pieces"] = dump_pieces(state.pieces, state.sheet.legend)
    if state.goal is not None:
        dumped["goal"] = state.goal
    return dumped


def load_move(node: Node, state: State) -> Placed:
    """Read a move: ``{"piece": "F", "cells": [[row, column], ...]}``."""
    fields = node.object(required=("piece", "cells"))
    cells = tuple(sorted(set(fields["cells"].cells(least=1))))
    name = fields["piece"].string()
    known = {piece.name for piece in state.pieces}
    return Placed(piece=name if name in known else _sized(name, known) or name, cells=cells)


def dump_move(move: Placed) -> Json:
    """Write a move."""
    return {"piece": move.piece, "cells": [list(cell) for cell in move.cells]}


def left(state: State) -> tuple[Piece, ...]:
    """Return the pieces still to place, with the counts that are left; used-up ones are gone.

    Examples
    --------
    >>> state = load(Node({"sheet": ["AA.."], "pieces": {"A": ["##"], "B": ["#"]}}))
    >>> [piece.name for piece in left(state)]
    ['B']
    """
    used = Counter(piece.piece for piece in state.sheet.placed)
    rest = [
        replace(
            piece,
            least=max(0, piece.least - used[piece.name]),
            most=None if piece.most is None else max(0, piece.most - used[piece.name]),
        )
        for piece in state.pieces
    ]
    return tuple(piece for piece in rest if piece.most != 0)


def free_to_stay_out(piece: Piece) -> Piece:
    """Return a piece as `best` sees it: it may be left out unless that is ruled out expressly.

    Examples
    --------
    >>> free_to_stay_out(Piece.of("I1", ((0, 0),))).least
    0
    """
    return piece if piece.optional is False else replace(piece, least=0)


def check(state: State, move: Placed | None = None) -> Verdict:
    """Say which rules what lies on the sheet breaks, and which a move would.

    Examples
    --------
    >>> state = load(Node({"sheet": ["AA.."], "pieces": {"A": ["##"]}}))
    >>> check(state).complete
    True
    >>> [v.code for v in check(state, Placed(piece="A", cells=((0, 1), (0, 2)))).violations]
    ['no-copy-left', 'overlap']
    """
    after = state if move is None else apply(state, move)
    found = [] if move is None else list(_move_faults(state, move))
    found += [v for v in _faults(after) if not (move and v.code == "too-many-copies")]
    return Verdict(
        violations=tuple(dict.fromkeys(found)),
        complete=not found and _complete(after),
        score=None if found else score(after),
    )


def require_legal(state: State) -> None:
    """Raise `IllegalState` if anything that lies on the sheet breaks a rule."""
    verdict = check(state)
    if not verdict.legal:
        raise IllegalState(verdict)


def score(state: State) -> int:
    """Return the penalty of a position: what is left open and out, less what is used.

    The sum of the penalties of open cells, the region penalty for each connected region of
    open cells, each left-out copy's penalty, minus each used copy's value.
    """
    sheet = state.sheet
    open_cells = sheet.open
    penalty = sum(sheet.grounds[cell].penalty for cell in open_cells)
    if sheet.rules.region_penalty:
        penalty += sheet.rules.region_penalty * len(regions(sheet.lattice, open_cells))
    used = Counter(piece.piece for piece in sheet.placed)
    for piece in state.pieces:
        penalty -= piece.value * used[piece.name]
        if piece.most is not None:
            penalty += piece.penalty * max(0, piece.most - used[piece.name])
    return penalty


def _complete(state: State) -> bool:
    if state.goal == "cover" and state.sheet.open:
        return False
    return all(piece.least == 0 for piece in left(state))


def _move_faults(state: State, move: Placed) -> Iterator[Violation]:
    piece = next((piece for piece in state.pieces if piece.name == move.piece), None)
    if piece is not None and all(other.name != move.piece for other in left(state)):
        yield Violation(
            code="no-copy-left",
            message=f"all {piece.most} of {move.piece} lie already"
            if piece.most != 1
            else f"{move.piece} lies already",
            pieces=(move.piece,),
        )


def _faults(state: State) -> Iterator[Violation]:
    sheet = state.sheet
    owners: dict[Cell, str] = {}
    for lying in sheet.lying:
        off = tuple(cell for cell in lying.cells if cell not in sheet.grounds)
        if off:
            yield Violation(
                code="outside",
                message=f"{lying.piece} lies on {_listed(off)}, outside the sheet",
                cells=off,
                pieces=(lying.piece,),
            )
        shared = tuple(cell for cell in lying.cells if cell in owners)
        for other in sorted({owners[cell] for cell in shared}):
            cells = tuple(cell for cell in shared if owners[cell] == other)
            yield Violation(
                code="overlap",
                message=f"{other} and {lying.piece} both lie on {_listed(cells)}",
                cells=cells,
                pieces=(other, lying.piece),
            )
        owners.update((cell, lying.piece) for cell in lying.cells if cell not in owners)
    for placed in sheet.placed:
        yield from _shape_faults(state, placed)
    yield from _count_faults(state)
    yield from _contact_faults(sheet)


def _shape_faults(state: State, placed: Placed) -> Iterator[Violation]:
    piece = next((piece for piece in state.pieces if piece.name == placed.piece), None)
    if piece is None:
        yield Violation(
            code="unknown-piece",
            message=f"'{placed.piece}' is not on the list of pieces",
            cells=placed.cells,
            pieces=(placed.piece,),
        )
        return
    normal = _normal(state.sheet, placed.cells)
    alike = piece.outlines.get(normal, ())
    if not alike:
        yield Violation(
            code="wrong-shape",
            message=_shape_message(piece, placed, normal),
            cells=placed.cells,
            pieces=(placed.piece,),
        )
    elif not any(_kinds_fit(state.sheet, placed.cells, pattern) for pattern in alike):
        yield Violation(
            code="wrong-kind",
            message=f"{placed.piece} at {list(placed.cells[0])} lies on cells of the wrong kind",
            cells=placed.cells,
            pieces=(placed.piece,),
        )


def lies_well(sheet: Sheet, piece: Piece, cells: Sequence[Cell]) -> bool:
    """Tell whether a piece can lie on these cells of a sheet: open ones, in its shape and kinds.

    It is what `check` asks of a move, beside counts and contact, for one of many placements.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> piece = Piece.of("I2", ((0, 0), (0, 1)))
    >>> [lies_well(rectangle(1, 3), piece, ((0, 1), (0, at))) for at in (0, 1, 2, 3)]
    [True, False, True, False]
    """
    if not sheet.filled.isdisjoint(cells) or not all(map(sheet.grounds.__contains__, cells)):
        return False
    alike = piece.outlines.get(_normal(sheet, cells), ())
    return any(_kinds_fit(sheet, cells, pattern) for pattern in alike)


def _shape_message(piece: Piece, placed: Placed, normal: tuple[Cell, ...]) -> str:
    cells = tuple(sorted(placed.cells))
    if len(cells) != piece.size:
        given = f"{len(cells)} {_are(len(cells))} given"
        return f"{piece.name} has {piece.size} cells, {given} at {list(cells[0])}"
    free = replace(piece, rotate=True, mirror=True).orientations
    if any(tuple(cell for cell, _ in pattern) == normal for pattern in free):
        return f"{piece.name} at {list(cells[0])} is turned or mirrored as it may not be"
    return f"the cells at {list(cells[0])} do not have the shape of {piece.name}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _normal(sheet: Sheet, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    if sheet.lattice is not HEX:
        return sheet.lattice.normal(cells)
    if len({sum(cell) % 2 for cell in cells}) > 1:
        return ()
    return sheet.lattice.normal(sheet.lattice.even(cells))


def _kinds_fit(sheet: Sheet, cells: Sequence[Cell], pattern: Pattern) -> bool:
    for cell, (_, want) in zip(sorted(cells), pattern, strict=True):
        if want and (cell not in sheet.grounds or sheet.grounds[cell].kind != want):
            return False
    return True


def _count_faults(state: State) -> Iterator[Violation]:
    used = Counter(placed.piece for placed in state.sheet.placed)
    for piece in state.pieces:
        if piece.most is not None and used[piece.name] > piece.most:
            copies = [placed for placed in state.sheet.placed if placed.piece == piece.name]
            yield Violation(
                code="too-many-copies",
                message=f"{piece.name} lies {used[piece.name]} times, the list has {piece.most}",
                cells=tuple(cell for placed in copies for cell in placed.cells),
                pieces=(piece.name,),
            )


def _contact_faults(sheet: Sheet) -> Iterator[Violation]:
    rules = sheet.rules
    if not (rules.touch or rules.connected):
        return
    groups = regions(sheet.lattice, sheet.filled)
    loose = {cell for group in sheet.lettered for cell in group.cells}
    if rules.connected and len(groups) > 1:
        yield Violation(
            code="not-connected",
            message=f"what is filled lies in {len(groups)} groups, it must be one",
            cells=tuple(cell for group in groups[1:] for cell in group),
        )
    elif rules.touch and len(groups) > 1:
        for group in groups if loose else groups[1:]:
            if not loose.intersection(group):
                yield Violation(
                    code="not-touching",
                    message=f"what lies at {list(group[0])} touches nothing that lay before",
                    cells=group,
                )


def moves(state: State) -> Iterator[Placed]:
    """Yield the legal placements, piece by piece in the list's order."""
    for piece in left(state):
        for cells in placements(state.sheet, piece):
            move = Placed(piece=piece.name, cells=cells)
            rules = state.sheet.rules
            if not (rules.touch or rules.connected) or check(state, move).legal:
                yield move


def apply(state: State, move: Placed) -> State:
    """Return the state with one more piece on the sheet."""
    return replace(state, sheet=state.sheet.with_placed([move]))


def _listed(cells: Iterable[Cell]) -> str:
    listed = [str(list(cell)) for cell in cells]
    return ", ".join(listed[:6]) + (" …" if len(listed) > 6 else "")
