"""The outlook under `must_continue`: one block after another, each moved until it covers.

A block that has begun goes on until it lies on its card, so those that have not begun stand
where they stood: what matters is only which blocks are gone. The search is over these sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import combinations, count

from tilesolve.budget import Meter, Progress
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.outlook import (
    Outlook,
    Plan,
    Target,
    in_turns,
    turns_for,
    worthwhile,
)
from tilesolve_models.lets_klack.position import Away, Cover, Fly, Jump, Move, State, Swap

_STRIDE = 64


@dataclass(frozen=True)
class _Node:
    """Blocks gone, as a bit mask of their places, and special cards still in hand."""

    gone: int
    cards: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    """A state's blocks by number, for walks of one block among the others."""

    state: State

    @cached_property
    def values(self) -> tuple[int, ...]:
        return tuple(self.state.places)

    @cached_property
    def spots(self) -> tuple[int, ...]:
        return tuple(self.state.ground.number[cell] for cell in self.state.places.values())

    @cached_property
    def cards(self) -> tuple[int, ...]:
        return tuple(self.state.card_of[value] for value in self.values)

    @cached_property
    def closed(self) -> frozenset[int]:
        """Cards that may not be jumped over from the beginning."""
        if self.state.rules.jump_covered:
            return frozenset()
        return frozenset(self.state.card_of[value] for value in self.state.covered)

    def walk(self, block: int, gone: int) -> tuple[int, ...] | None:
        """Return the fewest spots that a block visits on its way to cover, or None.

        Empty for a block that stands beside its card.
        """
        others = range(len(self.spots))
        taken = {self.spots[at] for at in others if not gone >> at & 1}
        closed = self.closed
        if not self.state.rules.jump_covered:
            closed = closed.union(self.cards[at] for at in others if gone >> at & 1)
        ground, start = self.state.ground, self.spots[block]
        home = ground.beside[self.cards[block]]
        if start in home:
            return ()
        before = {start: start}
        waiting = [start]
        for spot in waiting:
            for card, behind in ground.jumps[spot]:
                if behind in before or behind in taken or card in closed:
                    continue
                before[behind] = spot
                if behind in home:
                    return _way(before, behind)
                waiting.append(behind)
        return None


def _way(before: dict[int, int], end: int) -> tuple[int, ...]:
    way = [end]
    while before[way[-1]] != way[-1]:
        way.append(before[way[-1]])
    return tuple(reversed(way[:-1]))


def outlook(state: State, target: Target, *, meter: Meter) -> Outlook:
    """Return what can be reached from a legal state in phase 2 with `must_continue`."""
    found: list[Plan] = []
    covers: list[Plan] = []
    bounds = []
    choices = list(_swaps(state))
    for done, (first, after) in enumerate(choices):
        if meter.stopped_by is not None:
            bounds.append(0)
            break
        bounds.append(_from(state, target, first, _Table(after), found, covers, meter))
        if len(choices) > 1:
            meter.report(Progress(stage="swaps", done=done + 1, total=len(choices)))
    exact = meter.stopped_by is None
    cover = min(covers, key=lambda plan: (plan.turns, plan.minus), default=None)
    return Outlook(
        plans=worthwhile([*found, Plan(0, target.minus(state), tuple)]),
        cover=cover,
        possible=True if cover is not None else False if exact else None,
        bound=min(bounds),
        exact=exact,
        stopped_by=meter.stopped_by,
    )


def _swaps(state: State) -> Iterator[tuple[tuple[Move, ...], State]]:
    yield (), replace(state, specials=tuple(each for each in state.specials if each != "swap"))
    if "swap" in state.specials and state.must_move is None and not state.again_left:
        for pair in combinations(state.places, 2):
            yield (Swap(*pair),), rules.apply(state, Swap(*pair))


def _from(
    state: State,
    target: Target,
    first: tuple[Move, ...],
    table: _Table,
    found: list[Plan],
    covers: list[Plan],
    meter: Meter,
) -> int:
    """Add the plans that begin with these moves; return a bound on the moves to cover all."""
    everything = (1 << len(table.values)) - 1
    held = tuple(card for card in table.state.specials if card in ("fly", "away"))
    start = _Node(0, held)
    worths = [target.worths.get(value, 0) for value in table.values]
    reached = {start: 0}
    before: dict[_Node, tuple[_Node, int, str]] = {}
    tick = count(1)
    heap = [(0, 0, start)]
    least, number = target.minus(state) + 1, 0
    while heap:
        moves, _, node = heappop(heap)
        if reached[node] < moves:
            continue
        minus = sum(worth for at, worth in enumerate(worths) if not node.gone >> at & 1)
        minus += target.price * ("away" in held and "away" not in node.cards)
        minus += target.price * (state.away is not None)
        plan = Plan(turns_for(state, moves), minus, _Line(state, first, table, before, node))
        if minus < least:
            least = minus
            found.append(plan)
        if node.gone == everything:
            covers.append(plan)
            if not minus:
                break
        number += 1
        if number % _STRIDE == 0 and not meter.spend(_STRIDE):
            return turns_for(state, moves)
        for following, extra, block, how in _followers(table, node):
            if moves + extra < reached.get(following, NEVER):
                reached[following] = moves + extra
                before[following] = (node, block, how)
                heappush(heap, (moves + extra, next(tick), following))
    meter.spend(number % _STRIDE)
    return min((cover.turns for cover in covers), default=NEVER)


def _followers(table: _Table, node: _Node) -> Iterator[tuple[_Node, int, int, str]]:
    separate = table.state.rules.cover == "separate"
    for block, value in enumerate(table.values):
        if node.gone >> block & 1 or (not node.gone and table.state.must_move not in (None, value)):
            continue
        gone = node.gone | 1 << block
        way = table.walk(block, node.gone)
        if way is not None:
            yield _Node(gone, node.cards), len(way) + (separate or not way), block, "walk"
        for card in node.cards:
            left = tuple(other for other in node.cards if other != card)
            yield _Node(gone, left), 1, block, card


@dataclass(frozen=True)
class _Line:
    """The moves that led to a node."""

    state: State
    first: tuple[Move, ...]
    table: _Table
    before: dict[_Node, tuple[_Node, int, str]]
    node: _Node

    def __call__(self) -> tuple[Move, ...]:
        parts = []
        node = self.node
        while node in self.before:
            node, block, how = self.before[node]
            parts.append(self._part(block, how, node.gone))
        moves = [move for part in reversed(parts) for move in part]
        return in_turns(self.state, (*self.first, *moves))

    def _part(self, block: int, how: str, gone: int) -> tuple[Move, ...]:
        value = self.table.values[block]
        if how != "walk":
            return (Fly(value) if how == "fly" else Away(value),)
        way = self.table.walk(block, gone) or ()
        jumps = tuple(Jump(value, self.state.ground.spots[spot]) for spot in way)
        separate = self.state.rules.cover == "separate"
        return (*jumps, Cover(value)) if separate or not way else jumps
