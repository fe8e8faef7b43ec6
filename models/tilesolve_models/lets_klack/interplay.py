"""The outlook where covered cards bar the way: an order of covers, and what it costs.

Every cover closes a card to both classes, so the order matters, and given the order all rooms
are independent (`rooms.py`). First it is decided what can be covered at all, without counting
jumps; then the orders are searched by their cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations, count

from tilesolve.answers import Reason
from tilesolve.budget import Meter, Progress
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.ladder import Ladder, rungs
from tilesolve_models.lets_klack.orders import Event, play
from tilesolve_models.lets_klack.outlook import (
    Outlook,
    Plan,
    Target,
    in_turns,
    moves_for,
    turns_for,
    worthwhile,
)
from tilesolve_models.lets_klack.position import Move, State, Swap
from tilesolve_models.lets_klack.rooms import Rooms, Table, Ways, rooms_of, to_home, ways_of
from tilesolve_models.lets_klack.unbarred import kept, unbarred

TABLE_WORK = 200_000
"""Work spent on the table when nothing but the table is wanting: some seconds."""


@dataclass(frozen=True)
class _Label:
    """An order of covers so far.

    Parameters
    ----------
    gone : int
        Mask of the blocks that are gone.
    cards : tuple of str
        Special cards in hand, of fly and away.
    tables : tuple of Table
        One for each room that still holds blocks.
    moves : int
        The fewest moves of this order.
    events : tuple of Event
        The order.
    """

    gone: int
    cards: tuple[str, ...]
    tables: tuple[Table, ...]
    moves: int
    events: tuple[Event, ...]


@dataclass
class _Kept:
    """Labels worth going on from: none is as good as another in every arrangement."""

    rooms: Rooms
    labels: dict[tuple[int, tuple[str, ...]], list[_Label]] = field(default_factory=dict)
    number: int = 0

    def adds(self, label: _Label) -> bool:
        """Keep a label unless one that was kept before is as good everywhere."""
        rivals = self.labels.setdefault((label.gone, label.cards), [])
        if any(self._beats(rival, label) for rival in rivals):
            return False
        rivals.append(label)
        self.number += 1
        return True

    def _beats(self, rival: _Label, label: _Label) -> bool:
        spare = label.moves - rival.moves if self.rooms.priced else 0
        for better, worse in zip(rival.tables, label.tables, strict=True):
            spare -= self.rooms.gap(better, worse)
            if spare < 0 and self.rooms.priced is False:
                return False
        return spare >= 0


@dataclass(frozen=True)
class _Start:
    """One beginning: a state after a swap, or without one."""

    state: State
    first: tuple[Move, ...]
    ways: Ways

    @property
    def everything(self) -> int:
        """The mask of all blocks."""
        return (1 << len(self.ways.values)) - 1

    @property
    def cards(self) -> int:
        """How many special cards in hand take a block from wherever it stands."""
        return len({"fly", "away"} & set(self.state.specials))

    @cached_property
    def cut_off(self) -> tuple[int, ...]:
        """The values whose blocks have no way to their cards over open cards."""
        number = self.state.ground.number
        return tuple(
            value
            for block, (value, cell) in enumerate(self.state.blocks)
            if to_home(self.ways, block, 0)[number[cell]] >= NEVER
        )

    def label(self, rooms: Rooms) -> _Label | None:
        tables = []
        for room, blocks, places in rooms_of(self.ways, self.state):
            table = rooms.start(room, blocks, places)
            if table is None:
                return None
            tables.append(table)
        cards = tuple(card for card in self.state.specials if card in ("fly", "away"))
        return _Label(0, cards, tuple(tables), 0, ())


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
    starts = list(_starts(state))
    stay = Plan(0, target.minus(state), tuple)
    if not state.blocks:
        return Outlook(plans=(stay,), cover=stay, possible=True, bound=0)
    freer = unbarred(state, target, meter=meter, table=table or within is not None)
    plans = [stay, *filter(None, (kept(state, plan) for plan in freer.plans))]
    orders = _Orders(state, target, starts, meter)
    if within is not None:
        cap = _cap(target, starts)
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
    whole, most = _most(state, target, starts, meter)
    cover = _plan(state, target, whole) if whole.label is not None else None
    if most.label is not None and most is not whole:
        plans.append(_plan(state, target, most))
    bound = freer.bound
    if cover is not None:
        cover, bound = orders.fewest(cover, bound)
        plans.append(cover)
    if table:
        plans += [rung for plan in plans for rung in rungs(state, target, plan)]
    left = 0
    if most.exhausted:
        worth = _worth(target, most.start, most.label) if most.start and most.label else 0
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
        reasons=_why(starts),
        stopped_by=meter.stopped_by,
    )


def _floor(freer: Outlook, least: int) -> Callable[[int], int]:
    """Return how few minus points there can be after so many turns at the very least."""
    return lambda turns: max(least, freer.within(turns).minus if freer.exact else 0)


def _starts(state: State) -> Iterator[_Start]:
    without = replace(state, specials=tuple(card for card in state.specials if card != "swap"))
    yield _Start(without, (), ways_of(without))
    if "swap" in state.specials and state.must_move is None and not state.again_left:
        for pair in combinations(state.places, 2):
            after = rules.apply(state, Swap(*pair))
            yield _Start(after, (Swap(*pair),), ways_of(after))


def _followers(rooms: Rooms, label: _Label) -> Iterator[_Label]:
    """Yield every way to let one more block go."""
    for seat, table in enumerate(label.tables):
        for block in table.blocks:
            for how in ("walk", *label.cards):
                made = rooms.after(table, block, label.gone, walks=how == "walk")
                if made is None:
                    continue
                after, extra = made
                kept = (after,) if after.blocks else ()
                yield _Label(
                    label.gone | 1 << block,
                    tuple(card for card in label.cards if card != how),
                    (*label.tables[:seat], *kept, *label.tables[seat + 1 :]),
                    label.moves + extra,
                    (*label.events, Event(block, how)),
                )


def _needed(rooms: Rooms, label: _Label) -> int:
    """Return a bound on the moves until every block is gone; `NEVER` when it is hopeless."""
    cards = len(label.cards)
    total = sum(rooms.left(table, label.gone, cards) for table in label.tables)
    return min(total, NEVER)


def _cleared(rooms: Rooms, label: _Label) -> int:
    """Return a better bound than `_needed`, room by room; the same with special cards."""
    if label.cards:
        return _needed(rooms, label)
    total = sum(rooms.cleared(table, label.gone) for table in label.tables)
    return min(total, NEVER)


def _most(
    state: State, target: Target, starts: list[_Start], meter: Meter
) -> tuple[_Decided, _Decided]:
    """Decide whether everything can be covered, and else what can be covered at most."""
    searches = [Rooms(start.ways, meter, priced=False) for start in starts]
    whole = _Decided(None, None, True)
    if not _hopeless(starts) and any(_uncut(start) for start in starts):
        whole = _decide(target, starts, searches, meter, whole=True)
    if whole.label is not None and whole.start is not None:
        cap = sum(target.worths.get(value, 0) for value in whole.start.ways.values)
        if _worth(target, whole.start, whole.label) == cap:
            return whole, whole
    return whole, _decide(target, starts, searches, meter, whole=False)


def _hopeless(starts: list[_Start]) -> bool:
    """Return whether the last block cannot arrive: it would have to leave its own card first.

    It arrives by a jump over an open card, and all but its own are closed by then; that jump
    starts on the other side of its own card, where automatic covering never lets it stand.
    """
    return all(
        start.state.rules.cover == "automatic"
        and not {"fly", "away"} & set(start.state.specials)
        and len(start.state.blocks) + len(start.state.covered) == len(start.state.values)
        and not any(start.state.beside_own_card(*each) for each in start.state.blocks)
        for start in starts
    )


@dataclass(frozen=True)
class _Decided:
    """The best label found, the start it belongs to, and whether there is no better."""

    label: _Label | None
    start: _Start | None
    exhausted: bool


def _decide(
    target: Target,
    starts: list[_Start],
    searches: list[Rooms],
    meter: Meter,
    *,
    whole: bool,
) -> _Decided:
    """Search depth first, without counting jumps, for the label worth most."""
    best, at, worth = None, None, -NEVER
    cap = NEVER if whole else _cap(target, starts)
    for start, rooms in zip(starts, searches, strict=True):
        if meter.stopped_by is not None:
            break
        kept = _Kept(rooms)
        first = start.label(rooms)
        waiting = [] if first is None else [first]
        while waiting and worth < cap and meter.stopped_by is None:
            label = waiting.pop()
            meter.report(Progress(stage="what can be covered", done=kept.number))
            if label.gone == start.everything and whole:
                return _Decided(label, start, True)
            if not whole and _worth(target, start, label) > worth:
                best, at, worth = label, start, _worth(target, start, label)
            if not whole and _hope(target, start, rooms, label) <= worth:
                continue
            following = [
                each
                for each in _followers(rooms, label)
                if (not whole or _needed(rooms, each) < NEVER) and kept.adds(each)
            ]
            waiting += sorted(following, key=lambda each: -_needed(rooms, each))
    return _Decided(best, at, meter.stopped_by is None)


def _worth(target: Target, start: _Start, label: _Label) -> int:
    values = start.ways.values
    worth = sum(
        target.worths.get(value, 0) for at, value in enumerate(values) if label.gone >> at & 1
    )
    return worth - target.price * any(event.how == "away" for event in label.events)


def _hope(target: Target, start: _Start, rooms: Rooms, label: _Label) -> int:
    """Return the most that a label can still be worth."""
    hope = _worth(target, start, label)
    for table in label.tables:
        for block in rooms.soonest(table, label.gone, bool(label.cards)):
            hope += target.worths.get(start.ways.values[block], 0)
    return hope


def _cap(target: Target, starts: list[_Start]) -> int:
    """Return a worth that cannot be exceeded."""
    total = sum(target.worths.get(value, 0) for value in starts[0].ways.values)
    spared = []
    for start in starts:
        cut = sorted(target.worths.get(value, 0) for value in start.cut_off)
        spared.append(sum(cut[: max(0, len(cut) - start.cards)]))
    least = min(target.worths.get(value, 0) for value in starts[0].ways.values)
    return total - max(min(spared), least if _hopeless(starts) else 0)


def _uncut(start: _Start) -> bool:
    """Return whether the special cards are enough for the blocks that are cut off."""
    return len(start.cut_off) <= start.cards


def _why(starts: list[_Start]) -> tuple[Reason, ...]:
    """Return why not everything can be covered, where that is plain to see."""
    if _hopeless(starts):
        return (_LAST,)
    if len(starts) > 1 or _uncut(starts[0]):
        return ()
    return tuple(
        Reason(
            code="cut-off",
            message=f"block {value} cannot reach its card: covered cards cut it off",
            cells=(starts[0].state.places[value],),
            pieces=(str(value),),
        )
        for value in starts[0].cut_off
    )


def _plan(state: State, target: Target, found: _Decided) -> Plan:
    """Return the plan of a label: a shortest line with its order of covers."""
    start, label = found.start, found.label
    assert start is not None
    assert label is not None
    moves = (*start.first, *play(start.ways, start.state, label.events))
    minus = target.minus(state) - _worth(target, start, label)
    taken = turns_for(state, len(moves) - len(start.first))
    return Plan(taken, minus, lambda: in_turns(state, moves))


@dataclass
class _Orders:
    """The search of orders by their cost."""

    state: State
    target: Target
    starts: list[_Start]
    meter: Meter
    rooms: list[Rooms] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rooms = [Rooms(start.ways, self.meter, priced=True) for start in self.starts]

    def fewest(self, known: Plan, floor: int) -> tuple[Plan, int]:
        """Return a plan that covers everything in the fewest turns, and a bound on them.

        Parameters
        ----------
        floor : int
            A bound that is known already.

        A* over orders: what an order has cost, and what every room would still need if the
        others closed no more cards. That takes time, so what the blocks would need alone is
        the promise until an order comes to the front.
        """
        heap, tick, kept = self._begin()
        best, bound = known, max(floor, turns_for(self.state, heap[0][0])) if heap else floor
        weighed: set[int] = set()
        while heap:
            promised, left, mark, number, label = heappop(heap)
            start, rooms = self.starts[number], self.rooms[number]
            bound = max(floor, turns_for(self.state, promised))
            if bound >= best.turns or self.meter.stopped_by is not None:
                break
            self.meter.report(Progress(stage="orders", score=best.turns, bound=bound))
            if label.gone == start.everything:
                best = self._better(best, number, label)
                break
            if mark not in weighed:
                weighed.add(mark)
                total = label.moves + _cleared(rooms, label)
                if total > promised:
                    heappush(heap, (total, left, mark, number, label))
                    continue
            for each in _followers(rooms, label):
                total = max(promised, each.moves + _needed(rooms, each))
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
            minus = self.target.minus(self.state) - _worth(self.target, start, label)
            if ladder.takes(turns, minus):
                plans.append(_plan(self.state, self.target, _Decided(label, start, True)))
            self.meter.report(Progress(stage="table", done=turns, total=len(ladder.floor)))
            for each in _followers(rooms, label):
                if self._may_gain(ladder, start, rooms, each) and kept[number].adds(each):
                    heappush(heap, (each.moves, -each.gone.bit_count(), next(tick), number, each))
        return self.meter.stopped_by is None

    def _may_gain(self, ladder: Ladder, start: _Start, rooms: Rooms, label: _Label) -> bool:
        """Return whether going on from a label may save more than is known in as many turns."""
        minus = self.target.minus(self.state) - _worth(self.target, start, label)
        values, worths = start.ways.values, self.target.worths
        soonest = [
            (1 if label.cards else moves, worths.get(values[block], 0))
            for table in label.tables
            for block, moves in rooms.soonest(table, label.gone, bool(label.cards)).items()
        ]
        soonest.sort(key=lambda pair: -pair[1])
        for turns in ladder.open_from(turns_for(self.state, label.moves)):
            moves = moves_for(self.state, turns) - label.moves
            gains = [worth for needed, worth in soonest if needed <= moves][:moves]
            if minus - sum(gains) < ladder.least[turns]:
                return True
        return False

    def _begin(
        self, *, informed: bool = True
    ) -> tuple[list[tuple[int, int, int, int, _Label]], Iterator[int], list[_Kept]]:
        tick = count()
        heap = []
        for number, (start, rooms) in enumerate(zip(self.starts, self.rooms, strict=True)):
            label = start.label(rooms) if self.meter.stopped_by is None else None
            if label is not None:
                promised = _needed(rooms, label) if informed else 0
                heap.append((promised, 0, next(tick), number, label))
        heapify(heap)
        return heap, tick, [_Kept(rooms) for rooms in self.rooms]

    def _better(self, known: Plan, number: int, label: _Label) -> Plan:
        found = _plan(self.state, self.target, _Decided(label, self.starts[number], True))
        return min(known, found, key=lambda plan: plan.turns)


_LAST = Reason(
    code="last-block",
    message=(
        "the last block cannot arrive: all cards but its own are closed by then, and where it "
        "would have to jump from, it would have covered its card at once"
    ),
)
