"""The rules, FM1 to FM8: what breaks them, what is legal, what it costs. No solver in it."""

from __future__ import annotations

from collections.abc import Iterator

from tilesolve.answers import Cell, Json, Verdict, Violation
from tilesolve.geometry.lattice import HEX
from tilesolve.geometry.piece import Pattern, Piece
from tilesolve.geometry.shape import Shape
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.sheets import DIE, HEXAGON, Edition
from tilesolve_models.five_minute_puzzle.state import CrossOut, Draw, Move, Prefill, Round, State

MOST_PREFILLED = 3


def position(state: State) -> Position:
    """Return the position that a history leads to; what breaks a rule counts as done.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> position(State(shipped("synthetic-a"), prefilled=((3, 8),))).filled.bit_count()
    1
    """
    now = Position.start(state.edition, state.edition.mask(state.prefilled))
    for entry in state.history:
        now = _after(now, entry)
    return now


def _after(now: Position, entry: Round) -> Position:
    edition = now.edition
    used = 1 << edition.places[entry.piece] if entry.piece in edition.places else 0
    laid = edition.mask(entry.cells) if isinstance(entry, Draw) else 0
    return Position(edition, now.filled | laid, now.available & ~used)


def check(state: State, move: Move | None = None) -> Verdict:
    """Say all rules that the history, and a move after it, break.

    Every round is judged by what really lies before it, so that a piece taken away or moved
    earlier is felt by the later ones.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> found = check(State(shipped("synthetic-a"), history=(CrossOut("A", 3),) * 2))
    >>> [(violation.code, violation.rule) for violation in found.violations]
    [('used-twice', 'FM4')]
    """
    found = list(_prefilled(state.edition, state.prefilled))
    now = Position.start(state.edition, state.edition.mask(state.prefilled))
    for number, entry in enumerate(state.history, start=1):
        found += _broken(state, now, entry, f"round {number}")
        now = _after(now, entry)
    found += _wrong_penalty(state, now)
    if move is not None:
        found += _broken_by_move(state, now, move)
    return Verdict(
        violations=tuple(found),
        complete=finished(state, now),
        score=now.penalty,
        details=_details(now),
    )


def finished(state: State, now: Position) -> bool:
    """Return whether the game is over for this player (FM6)."""
    return not now.available if state.rules.end_on_stuck == "never" else now.over


def _details(now: Position) -> dict[str, Json]:
    edition = now.edition
    return {
        "empty": now.empty.bit_count(),
        "regions": len(now.regions),
        "available": [edition.pieces[piece].name for piece in bits(now.available)],
    }


def _wrong_penalty(state: State, now: Position) -> Iterator[Violation]:
    if state.penalty is not None and state.penalty != now.penalty:
        message = (
            f"the penalty is {now.penalty} (empty cells {now.penalty - len(now.regions)}, "
            f"regions {len(now.regions)}), not {state.penalty}"
        )
        yield Violation(code="wrong-penalty", rule="FM7", message=message)


def _prefilled(edition: Edition, cells: tuple[Cell, ...]) -> Iterator[Violation]:
    if len(cells) > MOST_PREFILLED:
        message = f"{len(cells)} hexagons are pre-filled; at most {MOST_PREFILLED} may be"
        yield Violation(code="too-many-prefilled", rule="FM8", message=message, cells=cells)
    off = tuple(cell for cell in cells if cell not in edition.numbers)
    if off:
        message = f"pre-filled {_named(off)} is not on the sheet"
        yield Violation(code="prefilled-off-sheet", rule="FM8", message=message, cells=off)
    ringed = tuple(
        cell
        for cell in cells
        if cell in edition.numbers and edition.sheet.grounds[cell].kind != HEXAGON
    )
    if ringed:
        message = f"pre-filled {_named(ringed)} is a circle; only hexagons may be pre-filled"
        yield Violation(code="prefilled-circle", rule="FM8", message=message, cells=ringed)


def _broken_by_move(state: State, now: Position, move: Move) -> Iterator[Violation]:
    if isinstance(move, Prefill):
        if state.history:
            message = "hexagons are pre-filled before the start, not after a round"
            yield Violation(code="prefill-too-late", rule="FM8", message=message, cells=move.cells)
        yield from _prefilled(state.edition, move.cells)
        return
    due = next(iter(state.upcoming), None)
    if move.roll is not None and due is not None and move.roll != due:
        message = f"the roll is {due}, the move says {move.roll}"
        yield Violation(code="wrong-roll", rule="FM1", message=message, pieces=(move.piece,))
    roll = due if move.roll is None else move.roll
    yield from _broken(state, now, with_roll(move, roll), "the move")


def with_roll(move: Round, roll: int | None) -> Round:
    """Return a round with this roll."""
    if isinstance(move, CrossOut):
        return CrossOut(move.piece, roll)
    return Draw(move.piece, move.cells, roll)


def _broken(state: State, now: Position, entry: Round, where: str) -> Iterator[Violation]:
    edition, name = state.edition, entry.piece
    if finished(state, now):
        message = f"{where}: the game is over, no piece that is left can be laid any more"
        yield Violation(code="after-the-end", rule="FM6", message=message, pieces=(name,))
    if entry.roll is None:
        message = f"{where}: no roll is given for '{name}'"
        yield Violation(code="no-roll", rule="FM1", message=message, pieces=(name,))
    piece = edition.places.get(name)
    if piece is None:
        listed = ", ".join(edition.places)
        message = f"{where}: there is no piece '{name}'; the pieces are {listed}"
        yield Violation(code="no-such-piece", rule="FM4", message=message, pieces=(name,))
    elif not now.available >> piece & 1:
        message = f"{where}: '{name}' was drawn or crossed out before"
        yield Violation(code="used-twice", rule="FM4", message=message, pieces=(name,))
    elif entry.roll is not None:
        yield from _against_roll(state, now, entry, entry.roll, where)
    if isinstance(entry, Draw):
        expert = bool(edition.mask(state.prefilled))
        yield from _misplaced(now, entry, where, expert=expert)


def _against_roll(
    state: State, now: Position, entry: Round, roll: int, where: str
) -> Iterator[Violation]:
    edition, name = state.edition, entry.piece
    bit = 1 << edition.places[name]
    if isinstance(entry, Draw) and not bit & now.drawable(roll):
        left = " and ".join(edition.pieces[p].name for p in bits(now.drawable(roll)))
        message = (
            f"{where}: '{name}' belongs to {edition.dice[edition.places[name]]}, "
            f"but {roll} was rolled and {left} can be drawn for it"
        )
        yield Violation(code="wrong-number", rule="FM1", message=message, pieces=(name,))
    rolled_too = state.rules.forgo_may_cross_rolled
    if isinstance(entry, CrossOut) and not bit & now.crossable(roll, rolled_too=rolled_too):
        message = f"{where}: '{name}' belongs to the roll {roll} and may not be crossed out for it"
        yield Violation(code="crossed-rolled", rule="FM5", message=message, pieces=(name,))


def _misplaced(now: Position, entry: Draw, where: str, *, expert: bool) -> Iterator[Violation]:
    edition, name = now.edition, entry.piece
    off = tuple(cell for cell in entry.cells if cell not in edition.numbers)
    if off:
        message = f"{where}: '{name}' does not lie on the sheet at {_named(off)}"
        yield Violation(code="off-sheet", rule="FM2", message=message, cells=off, pieces=(name,))
    mask = edition.mask(entry.cells)
    taken = edition.cells_of(mask & now.filled)
    if taken:
        message = f"{where}: '{name}' lies on {_named(taken)}, which is filled already"
        yield Violation(code="overlap", rule="FM2", message=message, cells=taken, pieces=(name,))
    if name in edition.places:
        yield from _misshapen(edition, edition.pieces[edition.places[name]], entry, where)
    if now.filled and mask and not mask & now.frontier:
        yield _apart(entry, where, expert=expert)


def _apart(entry: Draw, where: str, *, expert: bool) -> Violation:
    """Return that a piece touches nothing: FM8 where hexagons are pre-filled, FM3 where not."""
    if expert:
        code, rule, of_what = "not-adjacent-expert", "FM8", "a pre-filled hexagon or a drawn piece"
    else:
        code, rule, of_what = "not-adjacent", "FM3", "a filled cell"
    return Violation(
        code=code,
        rule=rule,
        message=f"{where}: '{entry.piece}' shares no edge with {of_what}",
        cells=entry.cells,
        pieces=(entry.piece,),
    )


def _misshapen(edition: Edition, piece: Piece, entry: Draw, where: str) -> Iterator[Violation]:
    shape = Shape(HEX, HEX.normal(HEX.even(sorted(entry.cells))))
    if len({sum(cell) % 2 for cell in entry.cells}) > 1 or shape.free != _untyped(piece).free:
        message = f"{where}: these cells are not the shape of '{piece.name}'"
        yield Violation(
            code="wrong-shape",
            rule="FM2",
            message=message,
            cells=entry.cells,
            pieces=(piece.name,),
        )
        return
    wrong = min(
        (_unlike(edition, pattern, entry.cells) for pattern in _turned_to(piece, shape)), key=len
    )
    if wrong:
        message = (
            f"{where}: '{piece.name}' does not match the sheet at {_named(wrong)}; hexagons go on "
            "hexagons and circles on circles"
        )
        yield Violation(
            code="wrong-kind", rule="FM2", message=message, cells=wrong, pieces=(piece.name,)
        )


def _untyped(piece: Piece) -> Shape:
    return Shape(HEX, piece.cells)


def _turned_to(piece: Piece, shape: Shape) -> Iterator[Pattern]:
    for pattern in piece.orientations:
        if tuple(cell for cell, _ in pattern) == shape.cells:
            yield pattern


def _unlike(edition: Edition, pattern: Pattern, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return the cells on the sheet whose kind is not the pattern's; both are sorted alike."""
    grounds = edition.sheet.grounds
    return tuple(
        cell
        for cell, (_, kind) in zip(sorted(cells), pattern, strict=True)
        if cell in grounds and grounds[cell].kind != kind
    )


def _named(cells: tuple[Cell, ...]) -> str:
    return ", ".join(str(list(cell)) for cell in cells)


def moves(state: State) -> Iterator[Round]:
    """Yield the legal rounds: for the roll that is due, or for every roll if none is known.

    For each roll the placements by piece and cells, then the pieces to cross out. Pre-filling
    (FM8) is a choice before the start and not listed here.
    """
    now = position(state)
    if finished(state, now):
        return
    rolled_too = state.rules.forgo_may_cross_rolled
    for roll in state.upcoming[:1] or DIE:
        yield from (draw(now.edition, roll, *lay) for lay in now.lays(now.drawable(roll)))
        for piece in bits(now.crossable(roll, rolled_too=rolled_too)):
            yield CrossOut(now.edition.pieces[piece].name, roll)


def draw(edition: Edition, roll: int, piece: int, mask: int) -> Draw:
    """Return the round that draws a piece (its index) on a mask of cells."""
    return Draw(edition.pieces[piece].name, edition.cells_of(mask), roll)


def apply(state: State, move: Move) -> State:
    """Return the state after a legal move; the next known roll becomes due."""
    if isinstance(move, Prefill):
        return State(state.edition, move.cells, (), state.roll, state.rolls, state.rules, None)
    due = state.upcoming
    roll = move.roll if move.roll is not None else next(iter(due), None)
    rest = due[1:]
    return State(
        edition=state.edition,
        prefilled=state.prefilled,
        history=(*state.history, with_roll(move, roll)),
        roll=rest[0] if rest else None,
        rolls=rest[1:],
        rules=state.rules,
    )
