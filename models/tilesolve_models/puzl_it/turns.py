"""The most connections over several own turns, if nobody else played: a bound on what is in it.

Without draws the turns split the hand into groups. Every side between two groups counts once,
whichever comes first, and every card laid counts, so no card of a group of neighbours that is
begun is left over: what remains is to cut each group of the hand into parts that lose as few
sides inside as they can, and to share the turns among the groups. With draws that are known the
turns are searched in order. Both are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from tilesolve.budget import Meter
from tilesolve_models.picture_grid import Grid, connected_subsets
from tilesolve_models.puzl_it.policies import largest_plays
from tilesolve_models.puzl_it.rules import plays
from tilesolve_models.puzl_it.table import Table


@dataclass(frozen=True)
class Ahead:
    """What is known of the turns to come.

    Parameters
    ----------
    grid : Grid
        The picture.
    rule : str
        PI3's reading.
    hand_size : int
        Draw up to this many.
    draws : tuple of int
        Cards to be drawn, in order, as far as they are known.
    """

    grid: Grid
    rule: str
    hand_size: int
    draws: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plan:
    """The plays of the turns in order, their connections, and a bound on any plays."""

    plays: tuple[int, ...]
    score: int
    bound: int


def connections_ahead(ahead: Ahead, in_play: int, hand: int, turns: int, *, meter: Meter) -> Plan:
    """Return the plays with most connections over a number of turns.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> ahead = Ahead(Grid(2, 2), "connected", 5)
    >>> plan = connections_ahead(ahead, 0, 0b1111, 2, meter=Meter(budget=Budget()))
    >>> plan.score
    6
    """
    if ahead.draws or ahead.rule != "connected":
        return _in_order(ahead, in_play, hand, turns, meter)
    return _split(ahead.grid, in_play, hand, turns, meter)


def _split(grid: Grid, in_play: int, hand: int, turns: int, meter: Meter) -> Plan:
    """Share the turns among the groups of the hand, each cut into parts as well as can be."""
    best: dict[int, Plan] = {0: Plan((), 0, 0)}
    for group in grid.groups(hand):
        worth = group.bit_count() + grid.contacts(group, in_play)
        cutter = _Cutter(grid, meter)
        cut = [cutter.cut(group, parts) for parts in range(1, min(turns, group.bit_count()) + 1)]
        following = dict(best)
        for used, plan in best.items():
            for more in cut:
                total = used + len(more.plays)
                if total <= turns:
                    joined = Plan(
                        plan.plays + more.plays,
                        plan.score + worth + more.score,
                        plan.bound + worth + more.bound,
                    )
                    following[total] = _better(following.get(total), joined)
        best = following
    chosen = max(best.values(), key=lambda plan: plan.score)
    return Plan(chosen.plays, chosen.score, max(plan.bound for plan in best.values()))


def _better(first: Plan | None, second: Plan) -> Plan:
    if first is None:
        return second
    best = first if first.score >= second.score else second
    return Plan(best.plays, best.score, max(first.bound, second.bound))


@dataclass
class _Cutter:
    """Cuts a group of cards into connected parts so that most sides lie between parts."""

    grid: Grid
    meter: Meter
    known: dict[tuple[int, int], Plan | None] = field(default_factory=dict)

    def cut(self, group: int, parts: int) -> Plan:
        """Return the best cut into exactly this many parts; a connected group has one."""
        plan = self._cut(group, parts)
        if plan is None:
            plan = self._peeled(group, parts)
        return plan

    def _most(self, cards: int, parts: int) -> int:
        """Sides between parts at most: a part of n cards keeps n - 1 sides inside."""
        return self.grid.contacts(cards, cards) // 2 - cards.bit_count() + parts

    def _cut(self, cards: int, parts: int) -> Plan | None:
        if parts == 0 or not cards:
            return Plan((), 0, 0) if parts == 0 and not cards else None
        if len(self.grid.groups(cards)) > parts or cards.bit_count() < parts:
            return None
        if parts == 1:
            return Plan((cards,), 0, 0)
        key = (cards, parts)
        if key not in self.known:
            self.known[key] = self._tried(cards, parts)
        return self.known[key]

    def _tried(self, cards: int, parts: int) -> Plan | None:
        best, most = None, self._most(cards, parts)
        for part in _from_first(self.grid, cards):
            if not self.meter.spend(1):
                return None if best is None else Plan(best.plays, best.score, most)
            rest = cards & ~part
            between = self.grid.contacts(part, rest)
            if best is not None and between + self._most(rest, parts - 1) <= best.score:
                continue
            further = self._cut(rest, parts - 1)
            if further is None:
                continue
            score = between + further.score
            if best is None or score > best.score:
                best = Plan((part, *further.plays), score, max(score, between + further.bound))
                if score == most:
                    break
        if best is not None and self.meter.stopped_by is not None:
            return Plan(best.plays, best.score, most)
        return best

    def _peeled(self, group: int, parts: int) -> Plan:
        """Return some cut, when there was no time to look for one: single cards off the rim."""
        plays: list[int] = []
        rest, score = group, 0
        while len(plays) < parts - 1:
            for part in (1 << card for card in range(self.grid.size) if rest >> card & 1):
                if len(self.grid.groups(rest & ~part)) == 1:
                    break
            rest &= ~part
            score += self.grid.contacts(part, rest)
            plays.append(part)
        return Plan((*plays, rest), score, self._most(group, parts))


def _from_first(grid: Grid, cards: int) -> Iterator[int]:
    """Yield the connected parts of a set of cards that hold its first card."""
    first = cards & -cards
    for part in connected_subsets(grid, cards):
        if not part & first:
            return
        yield part


def _in_order(ahead: Ahead, in_play: int, hand: int, turns: int, meter: Meter) -> Plan:
    known: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
    everything = in_play | hand | reduce(or_, (1 << card for card in ahead.draws), 0)

    def search(hand: int, drawn: int, left: int) -> tuple[int, tuple[int, ...]]:
        if left == 0 or not hand:
            return 0, ()
        key = (hand, drawn, left)
        if key in known:
            return known[key]
        waiting = reduce(or_, (1 << card for card in ahead.draws[drawn:]), 0)
        lying = everything & ~hand & ~waiting
        best: tuple[int, tuple[int, ...]] = (0, ())
        for play in _tempting(ahead, hand, lying, meter):
            if best[1] and not meter.spend(1):
                break
            score = play.bit_count() + ahead.grid.contacts(play, lying)
            rest, more = hand & ~play, drawn
            while more < len(ahead.draws) and rest.bit_count() < ahead.hand_size:
                rest |= 1 << ahead.draws[more]
                more += 1
            further, line = search(rest, more, left - 1)
            if score + further > best[0]:
                best = (score + further, (play, *line))
        if meter.stopped_by is None:
            known[key] = best
        return best

    score, line = search(hand, 0, turns)
    if meter.stopped_by is None:
        return Plan(line, score, score)
    cards = hand.bit_count() + len(ahead.draws)
    widest = max(hand.bit_count(), ahead.hand_size)
    return Plan(line, score, _rough(ahead.grid, in_play, cards, widest, turns, ahead.rule))


def _tempting(ahead: Ahead, hand: int, lying: int, meter: Meter) -> list[int]:
    """Return the plays from a hand, those of most connections first."""
    found = list(largest_plays(ahead.grid, hand, ahead.rule))
    seen = set(found)
    for play in plays(ahead.grid, hand, ahead.rule):
        if not meter.spend(1):
            break
        if play not in seen:
            found.append(play)
    return sorted(found, key=lambda play: -play.bit_count() - ahead.grid.contacts(play, lying))


def _rough(grid: Grid, in_play: int, cards: int, widest: int, turns: int, rule: str) -> int:
    """Return what no plays can exceed.

    A connected group of n cards keeps n - 1 sides inside, so it counts at most 3n + 2; and in
    all every side that is not between cards in play counts once, and every card.
    """
    per_turn = 3 * widest + 2 if rule == "connected" else 4 * widest
    field = grid.everything
    sides = (grid.contacts(field, field) - grid.contacts(in_play, in_play)) // 2
    return min(turns * per_turn, sides + cards)


def most_with_draws(table: Table, turns: int, rule: str = "connected") -> int:
    """Return what no plays over so many turns can exceed, whatever is drawn or stolen.

    Examples
    --------
    >>> table = Table(Grid(8, 9), 0, [[1, 3, 5, 7, 9], []], [[], []], 0, None, False, 0)
    >>> most_with_draws(table, 2)
    34
    """
    hand = table.hand_mask.bit_count()
    unlaid = (table.grid.everything & ~table.in_play).bit_count()
    return _rough(table.grid, table.in_play, unlaid, max(hand, table.hand_size), turns, rule)
