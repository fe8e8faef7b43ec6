"""The outlook where covered cards bar the way: an order of covers, and what it costs.

First it is decided what can be covered at all (`coverable.py`), without counting jumps; then the
orders (`labels.py`) are searched by their cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import count

from tilesolve.budget import Budget, Meter, Progress
from tilesolve_models.lets_klack.coverable import Decided, cap_of, most_of, why_not
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.labels import (
    Kept,
    Label,
    Start,
    cleared,
    followers,
    needed,
    ordered,
    starts_of,
    worth_of,
)
from tilesolve_models.lets_klack.ladder import Ladder, rungs
from tilesolve_models.lets_klack.orders import play
from tilesolve_models.lets_klack.outlook import (
    Outlook,
    Plan,
    Target,
    in_turns,
    moves_for,
    turns_for,
    worthwhile,
)
from tilesolve_models.lets_klack.position import Move, State
from tilesolve_models.lets_klack.rooms import Rooms, Table
from tilesolve_models.lets_klack.unbarred import kept, unbarred

TABLE_WORK = 200_000
"""Work spent on the table when nothing but the table is wanting: some seconds."""


def outlook(
    state: State,
    target: Target,
    *,
    meter: Meter,
    table: bool = True,
    within: int | None = None,
) -> Outlook:
    """Return what can be reached from a state in phase 2 with ``jump_covered: false``.

    Parameters
    ----------
    table : bool
        False finds the fewest turns alone.
    within : int or None
        Look at plans of at most so many turns and at nothing else.
    """
    starts = list(starts_of(state))
    stay = Plan(0, target.minus(state), tuple)
    if not state.blocks:
        return Outlook(plans=(stay,), cover=stay, possible=True, bound=0)
    freer = unbarred(state, target, meter=meter, table=table or within is not None)
    plans = [stay, *filter(None, (kept(state, plan) for plan in freer.plans))]
    orders = _Orders(state, target, starts, meter)
    if within is not None:
        cap = cap_of(target, starts)
        ladder = Ladder.over(within, plans, _floor(freer, target.minus(state) - cap))
        finished = orders.all_steps(plans, ladder)
        return Outlook(
            plans=worthwhile(plans),
            cover=None,
            possible=None,
            bound=0,
            least=ladder.floor[-1],
            exact=finished,
            stopped_by=meter.stopped_by,
        )
    whole, most = most_of(state, target, starts, meter)
    cover = orders.plan(whole)
    if most is not whole:
        plans += filter(None, [orders.plan(most)])
    bound = freer.bound
    if cover is not None:
        cover, bound = orders.fewest(cover, bound)
        plans.append(cover)
    if table:
        plans += [rung for plan in plans for rung in rungs(state, target, plan)]
    left = target.minus(state) - cap_of(target, starts)
    if most.exhausted:
        worth = worth_of(target, most.start, most.label) if most.start and most.label else 0
        left = target.minus(state) - worth
    enough = min((plan.turns for plan in plans if plan.minus == left), default=NEVER)
    exact = False
    if table and most.exhausted:
        part = meter.part(work=TABLE_WORK)
        ladder = Ladder.over(enough, plans, _floor(freer, left))
        exact = _Orders(state, target, starts, part).all_steps(plans, ladder)
        meter.spend(part.worked)
    steps = worthwhile(plans)
    return Outlook(
        plans=steps,
        cover=cover,
        possible=True if cover is not None else False if whole.exhausted else None,
        bound=bound,
        least=left,
        floor=tuple(map(_floor(freer, left), range(steps[-1].turns + 1))),
        exact=exact,
        reasons=why_not(starts),
        stopped_by=meter.stopped_by,
    )


def _floor(freer: Outlook, least: int) -> Callable[[int], int]:
    """Return how few minus points there can be after so many turns at the very least."""
    return lambda turns: max(least, freer.within(turns).minus if freer.exact else 0)


@dataclass
class _Orders:
    """The search of orders by their cost."""

    state: State
    target: Target
    starts: list[Start]
    meter: Meter
    rooms: list[Rooms] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rooms = [Rooms(start.ways, self.meter) for start in self.starts]

    def plan(self, found: Decided) -> Plan | None:
        """Return the plan of what was decided without counting moves, if anything was."""
        start, label = found.start, found.label
        if start is None or label is None:
            return None
        number = self.starts.index(start)
        rooms = self.rooms[number]
        counted = ordered(rooms, start, label.events)
        if counted is None:  # the time is up, but what is known to be possible must be shown
            rooms = Rooms(start.ways, Meter(budget=Budget(seconds=None)))
            counted = ordered(rooms, start, label.events)
        return None if counted is None else self._plan(start, rooms, counted)

    def _plan(self, start: Start, rooms: Rooms, label: Label[Table]) -> Plan:
        """Return the plan of a label; its line is a shortest one of its order."""

        def line() -> tuple[Move, ...]:
            played = play(rooms, start.state, label.events)
            assert played is not None  # the rooms know the order
            return in_turns(self.state, (*start.first, *played))

        minus = self.target.minus(self.state) - worth_of(self.target, start, label)
        return Plan(turns_for(self.state, label.moves), minus, cache(line))

    def fewest(self, known: Plan, floor: int) -> tuple[Plan, int]:
        """Return a plan that covers everything in the fewest turns, and a bound on them.

        Parameters
        ----------
        floor : int
            A bound that is known already.

        A* over orders: what an order has cost, and what every room would still need if the
        others closed no more cards. That takes time, so what the blocks would need alone is
        the promise until an order comes to the front, and then what every room would need if
        the others had closed none at all.
        """
        heap, tick, kept = self._begin()
        best, bound = known, max(floor, turns_for(self.state, heap[0][0])) if heap else floor
        weighed: Counter[int] = Counter()
        while heap:
            promised, left, mark, number, label = heappop(heap)
            start, rooms, total = self.starts[number], self.rooms[number], promised
            bound = max(floor, turns_for(self.state, promised))
            if bound >= best.turns or self.meter.stopped_by is not None:
                break
            self.meter.report(Progress(stage="orders", score=best.turns, bound=bound))
            if label.gone == start.everything:
                best = self._better(best, number, label)
                break
            while weighed[mark] < 2 and total <= promised:
                weighed[mark] += 1
                total = label.moves + cleared(rooms, label, apart=weighed[mark] == 1)
            if total > promised:
                heappush(heap, (total, left, mark, number, label))
                continue
            for each in followers(rooms, label):
                total = max(promised, each.moves + needed(rooms, each))
                if turns_for(self.state, total) < best.turns and kept[number].adds(each):
                    left = len(start.ways.values) - each.gone.bit_count()
                    heappush(heap, (total, left, next(tick), number, each))
        finished = self.meter.stopped_by is None
        return best, best.turns if finished else min(bound, best.turns)

    def all_steps(self, plans: list[Plan], ladder: Ladder) -> bool:
        """Add the fewest turns for every saving that can be had; return whether that is done.

        Dijkstra's algorithm over orders; those that can save no more than is known are left.

        Parameters
        ----------
        ladder : Ladder
            What is known already; it is climbed.
        """
        if ladder.closed_from(0):
            return True
        heap, tick, kept = self._begin(informed=False)
        while heap and self.meter.stopped_by is None:
            moves, _, _, number, label = heappop(heap)
            turns = turns_for(self.state, moves)
            if ladder.closed_from(turns):
                return True
            start, rooms = self.starts[number], self.rooms[number]
            minus = self.target.minus(self.state) - worth_of(self.target, start, label)
            if ladder.takes(turns, minus):
                plans.append(self._plan(start, rooms, label))
            self.meter.report(Progress(stage="table", done=turns, total=len(ladder.floor)))
            for each in followers(rooms, label):
                if self._may_gain(ladder, start, rooms, each) and kept[number].adds(each):
                    heappush(heap, (each.moves, -each.gone.bit_count(), next(tick), number, each))
        return self.meter.stopped_by is None

    def _may_gain(self, ladder: Ladder, start: Start, rooms: Rooms, label: Label[Table]) -> bool:
        """Return whether going on from a label may save more than is known in as many turns."""
        minus = self.target.minus(self.state) - worth_of(self.target, start, label)
        values, worths = start.ways.values, self.target.worths
        soonest = [
            (1 if label.cards else moves, worths.get(values[block], 0))
            for table in label.tables
            for block, moves in rooms.soonest(table, label.gone, bool(label.cards)).items()
        ]
        soonest.sort(key=lambda pair: -pair[1])
        for turns in ladder.open_from(turns_for(self.state, label.moves)):
            moves = moves_for(self.state, turns) - label.moves
            gains = [worth for soon, worth in soonest if soon <= moves][:moves]
            if minus - sum(gains) < ladder.least[turns]:
                return True
        return False

    def _begin(
        self, *, informed: bool = True
    ) -> tuple[list[tuple[int, int, int, int, Label[Table]]], Iterator[int], list[Kept[Table]]]:
        tick = count()
        heap = []
        for number, (start, rooms) in enumerate(zip(self.starts, self.rooms, strict=True)):
            label = start.label(rooms) if self.meter.stopped_by is None else None
            if label is not None:
                promised = needed(rooms, label) if informed else 0
                heap.append((promised, 0, next(tick), number, label))
        heapify(heap)
        return heap, tick, [Kept(rooms) for rooms in self.rooms]

    def _better(self, known: Plan, number: int, label: Label[Table]) -> Plan:
        found = self._plan(self.starts[number], self.rooms[number], label)
        return min(known, found, key=lambda plan: plan.turns)
