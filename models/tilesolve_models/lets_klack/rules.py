"""The rules of LET'S KLACK, LK1 to LK10: what is legal, and what a move does. No solver here.

Rule numbers in violations are those of the game's documentation. Several special cards in one
hand are legal, so that every combination can be studied; LK10 gives a player one at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from tilesolve.answers import Cell, Verdict, Violation
from tilesolve_models.lets_klack.files import ID, dump, dump_move, load, load_move
from tilesolve_models.lets_klack.position import (
    Again,
    Away,
    Cover,
    Fly,
    Jump,
    Move,
    Pass,
    State,
    Swap,
    TurnUp,
)

__all__ = [
    "ID",
    "apply",
    "broken",
    "check",
    "dump",
    "dump_move",
    "load",
    "load_move",
    "moves",
    "turned_up",
]


def check(state: State, move: Move | None = None) -> Verdict:
    """Say which rules a state breaks, or which a move breaks in a legal state.

    The score is the minus points if the round ended now.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> [violation.code for violation in check(state, Jump(3, (0, 3))).violations]
    ['wrong-distance']
    """
    violations = tuple(_state_violations(state))
    if not violations and move is not None:
        violations = broken(state, move)
    return Verdict(
        violations=violations,
        complete=not violations and not state.blocks,
        score=state.minus_points,
    )


def broken(state: State, move: Move) -> tuple[Violation, ...]:
    """Return the rules that a move breaks in a state that is known to be legal.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> broken(state, Jump(3, (0, 1)))
    ()
    """
    return tuple(_move_violations(state, move))


def _broken(
    code: str,
    rule: str,
    message: str,
    *,
    cells: tuple[Cell, ...] = (),
    values: tuple[int, ...] = (),
) -> Violation:
    pieces = tuple(str(value) for value in values)
    return Violation(code=code, rule=rule, message=message, cells=cells, pieces=pieces)


def _state_violations(state: State) -> Iterator[Violation]:
    yield from _deal_violations(state)
    yield from _phase_violations(state)
    yield from _hand_violations(state)
    if state.must_move is not None:
        if not state.rules.must_continue:
            message = "'must_move' is set, but the option 'must_continue' is not"
            yield _broken("must-move-unused", "LK2", message, values=(state.must_move,))
        elif state.must_move not in state.places:
            message = f"block {state.must_move} must move but is not on the table"
            yield _broken("must-move-gone", "LK2", message, values=(state.must_move,))
    if state.match is not None and state.match.over and state.blocks:
        message = f"the match is over: totals {', '.join(map(str, state.match.totals))}"
        yield _broken("match-over", "LK9", message)


def _deal_violations(state: State) -> Iterator[Violation]:
    spots = state.ground.number
    for value, count in sorted(Counter(state.values).items()):
        if count > 1:
            yield _broken(
                "card-twice", "", f"{count} cards have the value {value}", values=(value,)
            )
    for value, count in sorted(Counter(state.covered).items()):
        if count > 1:
            message = f"card {value} is named {count} times in 'covered'"
            yield _broken("covered-twice", "", message, values=(value,))
    known = set(state.values)
    for value in sorted(set(state.places) | set(state.covered)):
        if value not in known:
            yield _broken("no-such-card", "", f"there is no card {value}", values=(value,))
    for value in sorted(set(state.places) & set(state.covered)):
        message = f"block {value} lies on its card and stands elsewhere, too"
        yield _broken("block-twice", "LK5", message, values=(value,))
    for value in sorted(known - set(state.places) - set(state.covered)):
        yield _broken("missing-block", "", f"block {value} is nowhere", values=(value,))
    for value, cell in state.blocks:
        if cell not in spots:
            message = f"block {value} stands on {list(cell)}, which is neither gap nor outside spot"
            yield _broken("not-a-spot", "LK2", message, cells=(cell,), values=(value,))
    for cell, count in sorted(Counter(state.places.values()).items()):
        if count > 1:
            there = tuple(value for value, at in state.blocks if at == cell)
            message = f"{count} blocks stand on {list(cell)}"
            yield _broken("spot-twice", "LK2", message, cells=(cell,), values=there)


def _phase_violations(state: State) -> Iterator[Violation]:
    standing = set(state.places.values())
    for cell, count in sorted(Counter(state.face_down).items()):
        if cell not in standing or count > 1:
            message = f"{list(cell)} is named as face down, but no block of its own stands there"
            yield _broken("face-down-nowhere", "LK1", message, cells=(cell,))
    if state.phase == 2 and state.face_down:
        message = f"{len(state.face_down)} blocks lie face down, but phase 1 is over"
        yield _broken("face-down-late", "LK1", message, cells=state.face_down)
    if state.phase == 1:
        for value, cell in state.blocks:
            up = cell not in state.face_down and value in state.card_of
            if up and state.beside_own_card(value, cell):
                message = f"block {value} is turned up beside its card and must lie on it"
                yield _broken("not-covered", "LK1", message, cells=(cell,), values=(value,))


def _hand_violations(state: State) -> Iterator[Violation]:
    for name, count in sorted(Counter(state.specials).items()):
        if count > 1:
            yield _broken("special-twice", "LK10", f"the card '{name}' is held {count} times")
    if state.away is not None:
        if state.away not in state.covered:
            message = f"the away card lies on {state.away}, which does not count as covered"
            yield _broken("away-uncovered", "LK10", message, values=(state.away,))
        if "away" in state.specials:
            message = f"the away card lies on {state.away} and is in hand, too"
            yield _broken("away-twice", "LK10", message, values=(state.away,))
    if state.again_left and "again" in state.specials:
        yield _broken("again-twice", "LK10", "the again card is played and in hand, too")


def _move_violations(state: State, move: Move) -> Iterator[Violation]:
    over = tuple(_over(state, move))
    if over:
        yield from over
        return
    match move:
        case TurnUp(cell):
            if cell not in state.face_down:
                message = f"no block lies face down on {list(cell)}"
                yield _broken("not-face-down", "LK1", message, cells=(cell,))
        case Jump():
            yield from _jump_violations(state, move)
        case Cover(block):
            yield from _cover_violations(state, block)
        case Fly(block):
            yield from _held(state, "fly")
            yield from _uncovered(state, block, "LK10")
            yield from _may_move(state, block)
        case Away(card):
            yield from _held(state, "away")
            yield from _uncovered(state, card, "LK10")
            yield from _may_move(state, card)
        case Swap(first, second):
            yield from _swap_violations(state, first, second)
        case Again():
            yield from _held(state, "again")
        case Pass():
            pass


def _over(state: State, move: Move) -> Iterator[Violation]:
    """Yield why no move of this sort is made any more, or yet."""
    if not state.blocks:
        if isinstance(move, Pass):
            yield _broken("nothing-to-pass", "LK7", "everything is covered, there is no turn left")
        else:
            yield _broken("all-covered", "LK8", "everything is covered, the round is over")
    elif state.turns_left == 0:
        yield _broken("round-over", "LK8", "the last turn is over")
    elif state.phase == 1 and not isinstance(move, TurnUp):
        message = "phase 1 is not over: blocks are turned up before any other move"
        yield _broken("phase-one", "LK1", message, cells=state.face_down)


def _held(state: State, name: str) -> Iterator[Violation]:
    if name not in state.specials:
        yield _broken("not-in-hand", "LK10", f"the card '{name}' is not in hand")


def _uncovered(state: State, value: int, rule: str) -> Iterator[Violation]:
    if value in state.places:
        return
    if value in state.covered:
        code = "on-its-card" if rule == "LK5" else "already-covered"
        yield _broken(code, rule, f"card {value} is covered", values=(value,))
    else:
        yield _broken("no-such-block", "LK2", f"there is no block {value}", values=(value,))


def _may_move(state: State, value: int) -> Iterator[Violation]:
    if state.must_move not in (None, value):
        message = f"block {state.must_move} must be moved on until it covers its card"
        values = (value, state.must_move or 0)
        yield _broken("must-move", "LK2", message, values=values)


def _jump_violations(state: State, move: Jump) -> Iterator[Violation]:
    yield from _uncovered(state, move.block, "LK5")
    yield from _may_move(state, move.block)
    if move.block not in state.places:
        return
    start, to = state.places[move.block], move.to
    crossing = tuple(_crossing_violations(state, start, to))
    yield from crossing
    if to in state.places.values():
        there = tuple(value for value, cell in state.blocks if cell == to)
        message = f"{list(to)} is taken by block {there[0]}"
        yield _broken("taken", "LK2", message, cells=(to,), values=there)
    if not crossing:
        yield from _covering_violations(state, move)


def _crossing_violations(state: State, start: Cell, to: Cell) -> Iterator[Violation]:
    """Yield what is wrong with the way from one cell to another."""
    ground = state.ground
    cells = (start, to)
    if to not in ground.number:
        message = f"{list(to)} is neither a gap nor an outside spot"
        yield _broken("not-a-spot", "LK2", message, cells=(to,))
        return
    if start[0] != to[0] and start[1] != to[1]:
        yield _broken("not-straight", "LK2", "a jump goes along a row or column", cells=cells)
        return
    if abs(start[0] - to[0]) + abs(start[1] - to[1]) != 2:
        yield _broken("wrong-distance", "LK2", "a jump crosses exactly one card", cells=cells)
        return
    middle = ((start[0] + to[0]) // 2, (start[1] + to[1]) // 2)
    if middle not in ground.cards:
        message = f"there is no card on {list(middle)} to jump over"
        yield _broken("no-card", "LK2", message, cells=(middle,))
    elif not state.rules.jump_covered and state.values[ground.cards.index(middle)] in state.covered:
        value = state.values[ground.cards.index(middle)]
        message = f"card {value} is covered and may not be jumped over"
        yield _broken("covered-card", "LK4", message, cells=(middle,), values=(value,))


def _covering_violations(state: State, move: Jump) -> Iterator[Violation]:
    """Yield what is wrong with a jump's own 'cover'."""
    beside = state.beside_own_card(move.block, move.to)
    if move.cover is False and beside and state.rules.cover == "automatic":
        message = f"block {move.block} lands beside its card and covers it at once"
        yield _broken("covers-at-once", "LK3", message, cells=(move.to,), values=(move.block,))
    if move.cover and not beside:
        message = f"{list(move.to)} is not beside card {move.block}"
        yield _broken("cannot-cover", "LK3", message, cells=(move.to,), values=(move.block,))
    if move.cover and beside and state.rules.cover == "separate":
        message = f"block {move.block} covers its card by a later move of its own"
        yield _broken("covers-later", "LK3", message, cells=(move.to,), values=(move.block,))


def _cover_violations(state: State, block: int) -> Iterator[Violation]:
    yield from _uncovered(state, block, "LK5")
    yield from _may_move(state, block)
    cell = state.places.get(block)
    if cell is not None and not state.beside_own_card(block, cell):
        message = f"block {block} does not stand beside its card"
        yield _broken("not-beside", "LK6", message, cells=(cell,), values=(block,))


def _swap_violations(state: State, first: int, second: int) -> Iterator[Violation]:
    yield from _held(state, "swap")
    for value in sorted({first, second}):
        yield from _uncovered(state, value, "LK10")
    if first == second:
        yield _broken("swap-same", "LK10", "two different blocks are swapped", values=(first,))
    if state.must_move is not None or state.again_left:
        yield _broken("swap-late", "LK10", "blocks are swapped before the first move of phase 2")


def moves(state: State) -> Iterator[Move]:
    """Yield the legal moves of a legal state; the pass is last.

    Jumps by value of the block, then covers, then special cards.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> list(moves(state))
    [Jump(block=3, to=(0, 1), cover=None), Pass()]
    """
    if not state.blocks or state.turns_left == 0:
        return
    if state.phase == 1:
        yield from (TurnUp(cell) for cell in state.face_down)
        return
    free = [value for value, _ in state.blocks if state.must_move in (None, value)]
    for value in free:
        yield from _jumps(state, value)
    for value in free:
        if state.beside_own_card(value, state.places[value]):
            yield Cover(value)
    if "fly" in state.specials:
        yield from (Fly(value) for value in free)
    if "away" in state.specials:
        yield from (Away(value) for value in free)
    if "swap" in state.specials and state.must_move is None and not state.again_left:
        yield from (Swap(*pair) for pair in combinations(state.places, 2))
    if "again" in state.specials:
        yield Again()
    yield Pass()


def _jumps(state: State, value: int) -> Iterator[Jump]:
    ground = state.ground
    taken = set(state.places.values())
    for card, behind in ground.jumps[ground.number[state.places[value]]]:
        to = ground.spots[behind]
        crossable = state.rules.jump_covered or state.values[card] not in state.covered
        if crossable and to not in taken:
            yield Jump(value, to)
            if state.rules.cover == "optional" and state.beside_own_card(value, to):
                yield Jump(value, to, cover=False)


def apply(state: State, move: Move) -> State:
    """Return the state after a legal move.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> apply(state, Jump(3, (0, 1))).covered
    (1, 2, 3, 4, 5)
    """
    match move:
        case TurnUp(cell):
            return _turn_up(state, cell)
        case Swap(first, second):
            exchanged = {first: state.places[second], second: state.places[first]}
            blocks = tuple((value, exchanged.get(value, cell)) for value, cell in state.blocks)
            return replace(_without(state, "swap"), blocks=blocks)
        case Again():
            return replace(_without(state, "again"), again_left=2)
        case Jump(block, to, cover):
            return _end_move(_jumped(state, block, to, cover))
        case Cover(block):
            return _end_move(_covered(state, block))
        case Fly(block):
            return _end_move(_covered(_without(state, "fly"), block))
        case Away(card):
            return _end_move(replace(_covered(_without(state, "away"), card), away=card))
        case Pass():
            return _end_move(state)


def _turn_up(state: State, cell: Cell) -> State:
    face_down = tuple(other for other in state.face_down if other != cell)
    turned = replace(state, face_down=face_down, phase=1 if face_down else 2)
    value = next(value for value, at in state.blocks if at == cell)
    return _covered(turned, value) if state.beside_own_card(value, cell) else turned


def _jumped(state: State, block: int, to: Cell, cover: bool | None) -> State:
    covers = state.rules.cover != "separate" and cover is not False
    if covers and state.beside_own_card(block, to):
        return _covered(state, block)
    blocks = tuple((value, to if value == block else cell) for value, cell in state.blocks)
    must_move = block if state.rules.must_continue else None
    return replace(state, blocks=blocks, must_move=must_move)


def _covered(state: State, value: int) -> State:
    return replace(
        state,
        blocks=tuple((other, cell) for other, cell in state.blocks if other != value),
        covered=tuple(sorted((*state.covered, value))),
        must_move=None,
    )


def _without(state: State, special: str) -> State:
    return replace(state, specials=tuple(name for name in state.specials if name != special))


def _end_move(state: State) -> State:
    """Count the move: the turn ends with it, unless the again card allows another."""
    after = _without(state, "swap")
    if after.again_left == 2:
        return replace(after, again_left=1)
    turns = after.turns_left
    return replace(after, again_left=0, turns_left=None if turns is None else max(0, turns - 1))


def turned_up(state: State) -> State:
    """Return the state with phase 1 played out, which takes no decision (LK1)."""
    for cell in state.face_down:
        state = _turn_up(state, cell)
    return replace(state, phase=2)
