"""What there would be if covered cards could be jumped over: a floor, and sometimes the answer.

Every line that keeps to ``jump_covered: false`` is legal without that rule, too, so no plan is
better than the best of the freer game, which is found in milliseconds (`apart.py`). And a plan
of the freer game whose classes can be interleaved so that no covered card is crossed is one of
this game as well: then nothing beats it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesolve.budget import Meter
from tilesolve_models.lets_klack import apart, rules
from tilesolve_models.lets_klack.layout import parity
from tilesolve_models.lets_klack.outlook import Outlook, Plan, Target
from tilesolve_models.lets_klack.position import Again, Away, Cover, Fly, Jump, Move, State, Swap


def unbarred(state: State, target: Target, *, meter: Meter, table: bool) -> Outlook:
    """Return what could be reached if covered cards could be jumped over."""
    freer = replace(state, rules=replace(state.rules, jump_covered=True))
    return apart.outlook(freer, target, meter=meter, table=table)


def kept(state: State, plan: Plan) -> Plan | None:
    """Return a plan of the freer game in an order that crosses no covered card, if there is one.

    Examples
    --------
    >>> cards, rules = ((1, 2), (3,), (4, 5)), replace(State(cards=()).rules, jump_covered=False)
    >>> blocks = ((1, (2, -1)), (3, (0, -1)))
    >>> state = State(cards=cards, blocks=blocks, covered=(2, 4, 5), rules=rules)
    >>> kept(state, Plan(1, 1, lambda: (Jump(3, (0, 1)),))).line()
    (Jump(block=3, to=(0, 1), cover=None),)
    """
    line = plan.line()
    opening = [move for move in line if isinstance(move, Swap | Again)]
    for free in opening:
        state = rules.apply(state, free)
    classes: tuple[list[Move], list[Move]] = ([], [])
    for move in line[len(opening) :]:
        classes[parity(state.places[_moved(move)])].append(move)
    found = _interleaved(replace(state, turns_left=None), *classes)
    return None if found is None else Plan(plan.turns, plan.minus, lambda: (*opening, *found))


def _moved(move: Move) -> int:
    match move:
        case Jump(block) | Cover(block) | Fly(block):
            return block
        case Away(card):
            return card
    raise ValueError(f"{move} belongs to no class")


def _interleaved(
    state: State, one: Sequence[Move], other: Sequence[Move]
) -> tuple[Move, ...] | None:
    """Return two lines as one that the rules allow, each in its own order; None if none is."""
    waiting: list[tuple[int, int, State, tuple[Move, ...]]] = [(0, 0, state, ())]
    seen = {(0, 0)}
    while waiting:
        first, second, here, line = waiting.pop()
        if (first, second) == (len(one), len(other)):
            return line
        for step, move in (((1, 0), one[first : first + 1]), ((0, 1), other[second : second + 1])):
            ends = first + step[0], second + step[1]
            if move and ends not in seen and not rules.broken(here, move[0]):
                seen.add(ends)
                waiting.append((*ends, rules.apply(here, move[0]), (*line, move[0])))
    return None
