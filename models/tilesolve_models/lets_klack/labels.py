"""Orders of covers where covered cards bar the way, as labels to go on from.

Every cover closes a card to both classes, so the order matters, and given the order all rooms
are independent (`rooms.py`). A label is an order so far with what can be the case in every room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Generic, Protocol, TypeVar

from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.orders import Event
from tilesolve_models.lets_klack.outlook import Target
from tilesolve_models.lets_klack.position import Move, State, Swap
from tilesolve_models.lets_klack.rooms import Rooms, Table
from tilesolve_models.lets_klack.ways import Room, Ways, rooms_of, to_home, ways_of


class Case(Protocol):
    """What can be the case in a room."""

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks in it, ascending."""


C = TypeVar("C", bound=Case)


class Cases(Protocol[C]):
    """How cases follow each other: `rooms.Rooms` counts jumps, `possible.Possible` does not."""

    def start(self, room: Room, blocks: tuple[int, ...], places: tuple[int, ...]) -> C | None:
        """Return the case at the beginning, or None when the meter stops."""

    def after(self, table: C, block: int, gone: int, *, walks: bool) -> tuple[C, int] | None:
        """Return the case after a block has gone, and the moves that took at least."""

    def left(self, table: C, gone: int, cards: int) -> int:
        """Return a bound on the moves still needed; `NEVER` when it is hopeless."""

    def soonest(self, table: C, gone: int, anywhere: bool) -> Mapping[int, int]:
        """Return the blocks that may still go, with the fewest moves until each does."""

    def gap(self, better: C, worse: C) -> int:
        """Return by how much `better` may cost more somewhere."""


@dataclass(frozen=True)
class Label(Generic[C]):
    """An order of covers so far.

    Parameters
    ----------
    gone : int
        Mask of the blocks that are gone.
    cards : tuple of str
        Special cards in hand, of fly and away.
    tables : tuple of Case
        One for each room that still holds blocks.
    moves : int
        The fewest moves of this order.
    events : tuple of Event
        The order.
    """

    gone: int
    cards: tuple[str, ...]
    tables: tuple[C, ...]
    moves: int
    events: tuple[Event, ...]


@dataclass
class Kept(Generic[C]):
    """Labels worth going on from: none is as good as another in every arrangement."""

    rooms: Cases[C]
    labels: dict[tuple[int, tuple[str, ...]], list[Label[C]]] = field(default_factory=dict)
    number: int = 0

    def adds(self, label: Label[C]) -> bool:
        """Keep a label unless one that was kept before is as good everywhere."""
        rivals = self.labels.setdefault((label.gone, label.cards), [])
        if any(self._beats(rival, label) for rival in rivals):
            return False
        rivals.append(label)
        self.number += 1
        return True

    def _beats(self, rival: Label[C], label: Label[C]) -> bool:
        spare = label.moves - rival.moves
        for better, worse in zip(rival.tables, label.tables, strict=True):
            if spare < 0:
                return False
            spare -= self.rooms.gap(better, worse)
        return spare >= 0


@dataclass(frozen=True)
class Start:
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

    def label(self, rooms: Cases[C]) -> Label[C] | None:
        """Return the label before any cover, or None when the meter stops."""
        tables = []
        for room, blocks, places in rooms_of(self.ways, self.state):
            table = rooms.start(room, blocks, places)
            if table is None:
                return None
            tables.append(table)
        cards = tuple(card for card in self.state.specials if card in ("fly", "away"))
        return Label(0, cards, tuple(tables), 0, ())


def starts_of(state: State) -> Iterator[Start]:
    """Yield the beginnings: the state as it is, and after each swap where that card is held."""
    without = replace(state, specials=tuple(card for card in state.specials if card != "swap"))
    yield Start(without, (), ways_of(without))
    if "swap" in state.specials and state.must_move is None and not state.again_left:
        for pair in combinations(state.places, 2):
            after = rules.apply(state, Swap(*pair))
            yield Start(after, (Swap(*pair),), ways_of(after))


def followers(rooms: Cases[C], label: Label[C]) -> Iterator[Label[C]]:
    """Yield every way to let one more block go."""
    for seat, table in enumerate(label.tables):
        for block in table.blocks:
            for how in ("walk", *label.cards):
                following = _following(rooms, label, seat, Event(block, how))
                if following is not None:
                    yield following


def ordered(rooms: Cases[C], start: Start, events: Iterable[Event]) -> Label[C] | None:
    """Return the label of an order; None when the meter stops or it cannot be kept."""
    label = start.label(rooms)
    for event in events:
        if label is not None:
            seat = next(at for at, table in enumerate(label.tables) if event.block in table.blocks)
            label = _following(rooms, label, seat, event)
    return label


def _following(rooms: Cases[C], label: Label[C], seat: int, event: Event) -> Label[C] | None:
    table = label.tables[seat]
    made = rooms.after(table, event.block, label.gone, walks=event.how == "walk")
    if made is None:
        return None
    after, extra = made
    kept = (after,) if after.blocks else ()
    return Label(
        label.gone | 1 << event.block,
        tuple(card for card in label.cards if card != event.how),
        (*label.tables[:seat], *kept, *label.tables[seat + 1 :]),
        label.moves + extra,
        (*label.events, event),
    )


def needed(rooms: Cases[C], label: Label[C]) -> int:
    """Return a bound on the moves until every block is gone; `NEVER` when it is hopeless."""
    cards = len(label.cards)
    total = sum(rooms.left(table, label.gone, cards) for table in label.tables)
    return min(total, NEVER)


def cleared(rooms: Rooms, label: Label[Table], *, apart: bool) -> int:
    """Return a better bound than `needed`, room by room; the same with special cards."""
    if label.cards:
        return needed(rooms, label)
    total = sum(rooms.cleared(table, label.gone, apart=apart) for table in label.tables)
    return min(total, NEVER)


def worth_of(target: Target, start: Start, label: Label[Any]) -> int:
    """Return the minus points that a label's covers save."""
    values = start.ways.values
    worth = sum(
        target.worths.get(value, 0) for at, value in enumerate(values) if label.gone >> at & 1
    )
    return worth - target.price * any(event.how == "away" for event in label.events)


def hope_of(target: Target, start: Start, rooms: Cases[C], label: Label[C]) -> int:
    """Return the most that a label can still be worth."""
    hope = worth_of(target, start, label)
    for table in label.tables:
        for block in rooms.soonest(table, label.gone, bool(label.cards)):
            hope += target.worths.get(start.ways.values[block], 0)
    return hope
