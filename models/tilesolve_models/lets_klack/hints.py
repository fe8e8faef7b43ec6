"""Which move now: every legal move with what is still to do after it, exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tilesolve.answers import Cell, Hint, Hints, Json, Reason
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.model import POINTS, UNIT, Engine, opened, outlook
from tilesolve_models.lets_klack.outlook import Plan, points
from tilesolve_models.lets_klack.position import (
    Again,
    Away,
    Cover,
    Fly,
    Jump,
    Move,
    State,
    Swap,
    TurnUp,
)

_Aim = Literal["cover", "leftover"]

_SOON = 3
"""Turns ahead for which a reason tells the least minus points."""


@dataclass(frozen=True)
class _Tried:
    """A move and what follows.

    Parameters
    ----------
    plan : Plan or None
        The best way on.
    needed : int or None
        Turns still needed to cover everything; None when not known, or when it cannot be done.
    by_turns : tuple of int
        Least minus points after 0, 1, 2, ... more turns; empty when not known.
    value : int or None
        What counts of all this.
    total : float
        What moves are ranked by: the value, with the move's own turn where turns count.
    """

    move: Move
    after: State
    plan: Plan | None
    needed: int | None
    by_turns: tuple[int, ...]
    value: int | None
    total: float

    def minus(self, turns: int) -> int:
        """Return the least minus points after so many more turns, where they are known."""
        return self.by_turns[min(turns, len(self.by_turns) - 1)]

    def then(self, within: int | None) -> tuple[int, ...]:
        """Return what ranks moves of one value: the turns needed, or what is saved early on."""
        return self.by_turns if within is None else (self.needed or 0,)


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    moves: int | None = None,
    engine: Engine = "auto",
) -> Hints:
    """Rank all legal moves by their exact value.

    The value is the number of turns still needed after the move to cover everything; or, with
    `moves` or where turns are limited (LK8), the least minus points at the end of them. Where
    not everything can be covered it is the least minus points there can still be. Details of a
    hint are ``needed``, the turns still needed to cover everything, and ``by_moves``, the least
    minus points after 0, 1, 2, ... more turns, where they are known. Among moves of one value
    those come first that save more early on, or, with `moves`, that leave fewer turns to go.

    Parameters
    ----------
    moves : int or None
        How many turns there are, the hinted move's included.

    Raises
    ------
    IllegalState
        When the rules forbid the state.
    """
    opening, turned = opened(state)
    meter = Meter(budget=budget, watch=watch)
    if turned:
        reason = "phase 1 takes no decision: blocks are turned up one after another"
        first = Hint(move=rules.dump_move(turned[0]), value=None, loss=0, reason=reason)
        return Hints(hints=(first,), exact=True, unit=UNIT, seconds=meter.seconds)
    limits = [limit for limit in (moves, state.turns_left) if limit is not None]
    within = min(limits, default=None)
    aim: _Aim = "cover"
    if within is None and _may_fail(state):
        now = outlook(opening, points(state), meter=meter, engine=engine, table=False)
        aim = "leftover" if now.possible is False else "cover"
    tried = []
    choices = list(rules.moves(state))
    for move in choices:
        tried.append(_try(state, move, within, aim, meter, engine))
        meter.report(Progress(stage="moves", done=len(tried), total=len(choices)))
    ranked = sorted(tried, key=lambda each: (each.total, each.then(within)))
    least = ranked[0].total if ranked else 0
    exact = meter.stopped_by is None
    return Hints(
        hints=tuple(_hint(state, each, least, within, aim) for each in ranked[:count]),
        exact=exact,
        unit=UNIT if within is None and aim == "cover" else POINTS,
        reasons=() if ranked else (_over(state),),
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={} if within is None else {"moves": within},
    )


def _may_fail(state: State) -> bool:
    """Return whether there are deals under these rules that cannot be finished."""
    return state.rules.must_continue or not state.rules.jump_covered


def _over(state: State) -> Reason:
    what = "everything is covered" if not state.blocks else "there is no turn left"
    return Reason(code="over", message=f"{what}: there is no move to make")


def turns_taken(state: State, move: Move, after: State) -> int:
    """Return the turns that a move takes; the first of a doubled turn is part of the next.

    Examples
    --------
    >>> state = State(cards=((1,),), blocks=((1, (0, -1)),))
    >>> turns_taken(state, Again(), state), turns_taken(state, Cover(1), state)
    (0, 1)
    """
    if isinstance(move, Swap | Again | TurnUp):
        return 0
    return 0 if state.again_left == 2 and after.blocks else 1


def _try(
    state: State, move: Move, within: int | None, aim: _Aim, meter: Meter, engine: Engine
) -> _Tried:
    after = replace(rules.apply(state, move), turns_left=None)
    if meter.stopped_by is not None:
        return _Tried(move, after, None, None, (), None, float("inf"))
    barred = not state.rules.jump_covered
    table = not barred or within is not None
    taken = turns_taken(state, move, after)
    left = None if within is None else max(0, within - taken)
    found = outlook(after, points(state), meter=meter, engine=engine, table=table, within=left)
    needed = found.cover.turns if found.cover is not None and found.proven else None
    by_turns = found.by_turns if found.exact and table else ()
    plan, value, total = found.cover, needed, float("inf")
    if within is not None:
        plan = found.within(left or 0) if by_turns else None
        value = plan.minus if plan else None
    elif aim == "leftover":
        plan = found.plans[-1]
        value = plan.minus if found.exact or plan.minus == found.least else None
    if value is not None:
        total = float(value + taken if within is None and aim == "cover" else value)
    return _Tried(move, after, plan, needed, by_turns, value, total)


def _hint(state: State, tried: _Tried, least: float, within: int | None, aim: _Aim) -> Hint:
    known = tried.value is not None
    details: dict[str, Json] = {}
    if tried.needed is not None:
        details["needed"] = tried.needed
    if tried.by_turns:
        details["by_moves"] = list(tried.by_turns)
    return Hint(
        move=rules.dump_move(tried.move),
        value=tried.value,
        loss=tried.total - least if known else None,
        reason=f"{_done(state, tried)}; {_left(tried, within, aim)}",
        cells=_cells(state, tried.move),
        details=details,
    )


def _left(tried: _Tried, within: int | None, aim: _Aim) -> str:
    if tried.value is None:
        return "what is left after it was not found in time or cannot be finished"
    if aim == "leftover":
        return f"at best {_counted(tried.value, 'minus point')} will be left"
    if within is not None:
        left = f"{_counted(tried.value, 'minus point')} will be left"
        after = f"{left} after {_counted(within, 'turn')}"
        return after + (f", {_to_go(tried.needed)}" if tried.needed else "")
    return (_to_go(tried.value) + _soon(tried)) if tried.value else "that is all"


def _to_go(needed: int) -> str:
    return f"{_counted(needed, 'move')} to go after it"


def _soon(tried: _Tried) -> str:
    """Return how few minus points there can be in the next turns, in words."""
    if len(tried.by_turns) < 2:
        return ""
    ahead = range(1, min(_SOON + 1, len(tried.by_turns)))
    least = ", ".join(str(tried.minus(turns)) for turns in ahead)
    return f", at best {least} minus points after {', '.join(map(str, ahead))} of them"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _done(state: State, tried: _Tried) -> str:
    """Return what a move does, in words."""
    match tried.move:
        case Jump(block, to):
            return _jumped(state, tried, block, to)
        case Cover(block):
            return f"block {block} is put on its card"
        case Fly(block):
            return f"block {block} flies onto its card" + _clears(state, tried, block)
        case Away(card):
            what = f"the away card covers {card} and takes its block away"
            return what + _clears(state, tried, card)
        case Swap(first, second):
            return f"blocks {first} and {second} exchange their places at no cost"
        case Again():
            return "two moves in this turn"
        case _:
            return "nothing moves"


def _jumped(state: State, tried: _Tried, block: int, to: Cell) -> str:
    if block in tried.after.covered:
        return f"block {block} covers its card" + _clears(state, tried, block)
    return f"block {block} goes to {list(to)}" + _clears(state, tried, block)


def _clears(state: State, tried: _Tried, block: int) -> str:
    """Return for which block a move makes room, if the best way on uses the room."""
    left = state.places[block]
    for move in tried.plan.line() if tried.plan else ():
        if isinstance(move, Jump) and move.to == left and move.block != block:
            return f" and clears {list(left)} for block {move.block}"
    return ""


def _cells(state: State, move: Move) -> tuple[Cell, ...]:
    match move:
        case Jump(block, to):
            return (state.places[block], to)
        case Cover(block) | Fly(block) | Away(block):
            return (state.places[block], state.ground.cards[state.card_of[block]])
        case Swap(first, second):
            return (state.places[first], state.places[second])
        case _:
            return ()
