"""Which move now: every legal move with what is still to do after it, exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tilesolve.answers import Cell, Hint, Hints, Reason
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.model import POINTS, UNIT, Engine, opened, outlook
from tilesolve_models.lets_klack.outlook import Outlook, Plan, points
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


@dataclass(frozen=True)
class _Tried:
    """A move and what follows: `plan` the best way on, `value` what counts of it."""

    move: Move
    after: State
    plan: Plan | None
    value: int | None
    total: float


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
    not everything can be covered it is the least minus points there can still be.

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
    if within is None and not state.rules.jump_covered | state.rules.must_continue:
        now = outlook(opening, points(state), meter=meter, engine=engine, table=False)
        aim = "leftover" if now.possible is False else "cover"
    tried = []
    choices = list(rules.moves(state))
    for move in choices:
        tried.append(_try(state, move, within, aim, meter, engine))
        meter.report(Progress(stage="moves", done=len(tried), total=len(choices)))
    ranked = sorted(tried, key=lambda each: each.total)
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
        return _Tried(move, after, None, None, float("inf"))
    table = within is not None or aim == "leftover"
    taken = turns_taken(state, move, after)
    left = None if within is None else max(0, within - taken)
    found = outlook(after, points(state), meter=meter, engine=engine, table=table, within=left)
    if within is not None:
        plan = found.within(left or 0) if found.exact else None
        total = float(plan.minus) if plan else float("inf")
        return _Tried(move, after, plan, plan.minus if plan else None, total)
    if aim == "leftover":
        return _leftover(move, after, found)
    if found.proven and found.cover is not None:
        turns = found.cover.turns
        return _Tried(move, after, found.cover, turns, float(taken + turns))
    return _Tried(move, after, found.cover, None, float("inf"))


def _leftover(move: Move, after: State, found: Outlook) -> _Tried:
    last = found.plans[-1]
    known = found.exact or last.minus == found.least
    return _Tried(
        move, after, last, last.minus if known else None, last.minus if known else float("inf")
    )


def _hint(state: State, tried: _Tried, least: float, within: int | None, aim: _Aim) -> Hint:
    known = tried.value is not None
    return Hint(
        move=rules.dump_move(tried.move),
        value=tried.value,
        loss=tried.total - least if known else None,
        reason=f"{_done(state, tried)}; {_left(tried, within, aim)}",
        cells=_cells(state, tried.move),
    )


def _left(tried: _Tried, within: int | None, aim: _Aim) -> str:
    if tried.value is None:
        return "what is left after it was not found in time or cannot be finished"
    if aim == "leftover":
        return f"at best {_counted(tried.value, 'minus point')} will be left"
    if within is not None:
        return (
            f"{_counted(tried.value, 'minus point')} will be left after {_counted(within, 'turn')}"
        )
    return f"{_counted(tried.value, 'move')} to go after it" if tried.value else "that is all"


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
