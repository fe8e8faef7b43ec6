"""The outlook where covered cards may be jumped over: the two classes apart, then together.

Each class has its profile (`profile.py`); the best of both for a number of moves is the best
way to share the moves between them. A swap changes the classes before anything else happens,
so every pair is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from tilesolve.budget import Meter, Progress
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.half import NEVER, Half, halves
from tilesolve_models.lets_klack.outlook import (
    Outlook,
    Plan,
    Target,
    in_turns,
    turns_for,
    worthwhile,
)
from tilesolve_models.lets_klack.position import Move, State, Swap
from tilesolve_models.lets_klack.profile import Profile, Step, profile


@dataclass
class _Profiles:
    """Profiles by class and cards; many pairs of a swap leave the same class behind."""

    worths: Mapping[int, int]
    price: int
    table: bool
    meter: Meter
    found: dict[tuple[Half, tuple[str, ...]], Profile] = field(default_factory=dict)

    def of(self, half: Half, cards: tuple[str, ...]) -> Profile:
        known = self.found.get((half, cards))
        if known is None:
            known = self.found[half, cards] = profile(
                half, cards, meter=self.meter, table=self.table, price=self.price
            )
        return known


def outlook(state: State, target: Target, *, meter: Meter, table: bool = True) -> Outlook:
    """Return what can be reached from a state in phase 2; when the meter stops, so far.

    Parameters
    ----------
    table : bool
        False finds the fewest turns alone and no plans that stop earlier.
    """
    profiles = _Profiles(target.worths, target.price, table, meter)
    plans: list[Plan] = []
    covers: list[Plan] = []
    bound, exact = NEVER, True
    choices = list(_swaps(state))
    for done, (first, after) in enumerate(choices):
        for found in _shared(state, target, after, first, profiles):
            plans.append(found.plan)
            if found.whole:
                covers.append(found.plan)
        both, certain = _bound(state, after, profiles)
        bound, exact = min(bound, both), exact and certain
        if not exact:
            bound = 0 if done + 1 < len(choices) else bound
            break
        if len(choices) > 1:
            meter.report(Progress(stage="swaps", done=done + 1, total=len(choices)))
    cover = min(covers, key=lambda plan: (plan.turns, plan.minus), default=None)
    return Outlook(
        plans=worthwhile([*plans, Plan(0, target.minus(state), tuple)]),
        cover=cover,
        possible=True if cover is not None else False if exact else None,
        bound=cover.turns if cover is not None and exact else bound,
        exact=exact,
        stopped_by=meter.stopped_by,
    )


def _swaps(state: State) -> Iterator[tuple[tuple[Move, ...], State]]:
    """Yield the states to go on from, each with the swap that leads there, if any."""
    without = replace(state, specials=tuple(card for card in state.specials if card != "swap"))
    yield (), without
    if without != state and state.must_move is None and not state.again_left:
        for pair in combinations(state.places, 2):
            yield (Swap(*pair),), rules.apply(state, Swap(*pair))


def _splits(state: State) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield every way to play fly and away in one class, the other, or not at all."""
    held = [card for card in ("fly", "away") if card in state.specials]
    for choice in range(3 ** len(held)):
        seats = [(choice // 3**place) % 3 for place in range(len(held))]
        zero, one = (
            tuple(card for card, seat in zip(held, seats, strict=True) if seat == of)
            for of in (1, 2)
        )
        yield zero, one


@dataclass(frozen=True)
class _Found:
    plan: Plan
    whole: bool


def _shared(
    state: State, target: Target, after: State, first: tuple[Move, ...], profiles: _Profiles
) -> Iterator[_Found]:
    """Yield every sharing of moves between the classes of a state."""
    zero, one = halves(after, profiles.worths)
    for cards_zero, cards_one in _splits(after):
        for left in profiles.of(zero, cards_zero).steps:
            for right in profiles.of(one, cards_one).steps:
                plan = Plan(
                    turns_for(state, left.moves + right.moves),
                    target.minus(state) - left.worth - right.worth,
                    _Line(state, first, (zero, left), (one, right)),
                )
                yield _Found(plan, left.whole and right.whole)


@dataclass(frozen=True)
class _Line:
    """The moves of both classes, one class after the other, special cards first."""

    state: State
    first: tuple[Move, ...]
    zero: tuple[Half, Step]
    one: tuple[Half, Step]

    def __call__(self) -> tuple[Move, ...]:
        moves = list(self.first)
        for half, step in (self.zero, self.one):
            moves += step.played(half)
        return in_turns(self.state, moves)


def _bound(state: State, after: State, profiles: _Profiles) -> tuple[int, bool]:
    """Return a bound on the turns to cover everything, and whether all profiles are exact."""
    zero, one = halves(after, profiles.worths)
    bound, exact = NEVER, True
    for cards_zero, cards_one in _splits(after):
        left, right = profiles.of(zero, cards_zero), profiles.of(one, cards_one)
        bound = min(bound, turns_for(state, left.bound + right.bound))
        exact = exact and left.exact and right.exact
    return bound, exact
