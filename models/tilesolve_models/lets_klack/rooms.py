"""Where covered cards bar the way: rooms, and everything that can be the case in one.

When the first block of a round is moved, covered cards have cut the spots into rooms, connected
parts of a parity class that no block ever leaves. Rooms meet only through cards: a card that is
covered in one room is closed in the other class, too. So for a given order of covers every room
is a matter of its own: what can be the case in it is a `Table` of arrangements with the fewest
jumps to each, and only a cover in the room itself changes the table. All that covers elsewhere
do is to leave fewer ways open afterwards; jumps that need such a way are made before.

A table is a dense numpy array with one axis a block and one place a spot of the room: rooms are
small, and whole layers of arrangements move in one instruction.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, memory_allowed
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.layout import Layout
from tilesolve_models.lets_klack.position import Covering, State

Costs: TypeAlias = NDArray[np.uint8]
"""Fewest jumps to each arrangement, `UNREACHED` where there is none."""

UNREACHED = 250

FAR = 1000
"""In sums of distances: a block that cannot arrive."""

_MOST_CELLS = 40_000_000
"""Arrangements of the largest table, possible or not."""

_CELLS = 1024
"""Arrangements looked at for one unit of work."""

_TURNED_FROM = 50_000
"""Cells from which it pays to bring the last axes to the front before moving along them."""


Arrival: TypeAlias = tuple[int, tuple[int, ...]]
"""A spot of a room, and those from which a jump leads there, by their places in it."""


@dataclass(frozen=True, eq=False)
class Ways:
    """All rooms of a state, and the blocks by number.

    Parameters
    ----------
    ground : Layout
        The geometry.
    values : tuple of int
        Values of the blocks; a set of blocks or of their cards is a bit mask of places here.
    homes : tuple of frozenset
        For each block the spots beside its card.
    cover : str
        The reading of LK3.
    jumps : tuple
        For each spot its jumps over cards open at the beginning, ``(bit of the card, spot)``;
        the bit is 0 for a card whose block is not on the table.
    """

    ground: Layout
    values: tuple[int, ...]
    homes: tuple[frozenset[int], ...]
    cover: Covering
    jumps: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True)
class Room:
    """A connected part of a class: its spots, ascending, and the cards crossed in it (mask)."""

    spots: tuple[int, ...]
    edges: int


@dataclass(frozen=True, eq=False)
class Table:
    """What can be the case in one room.

    Parameters
    ----------
    room : Room
        Where.
    blocks : tuple of int
        The blocks in it, ascending; each has an axis of `costs`, along the room's spots.
    costs : ndarray of uint8
        The fewest jumps to each arrangement beyond the least; `UNREACHED` where there are none.
    """

    room: Room
    blocks: tuple[int, ...]
    costs: Costs


def ways_of(state: State) -> Ways:
    """Return the ways of a state in phase 2, covered cards being closed."""
    ground = state.ground
    values = tuple(state.places)
    bit = {state.card_of[value]: 1 << block for block, value in enumerate(values)}
    closed = {state.card_of[value] for value in state.covered}
    return Ways(
        ground=ground,
        values=values,
        homes=tuple(ground.beside[state.card_of[value]] for value in values),
        cover=state.rules.cover,
        jumps=tuple(
            tuple((bit.get(card, 0), behind) for card, behind in each if card not in closed)
            for each in ground.jumps
        ),
    )


@lru_cache(maxsize=4096)
def open_ways(ways: Ways, gone: int) -> tuple[bytes, ...]:
    """Return for each spot the spots behind cards that are still open."""
    return tuple(bytes(behind for bit, behind in each if not bit & gone) for each in ways.jumps)


@lru_cache(maxsize=8192)
def to_home(ways: Ways, block: int, gone: int) -> tuple[int, ...]:
    """Return for each spot the moves of a block alone onto its card, over open cards only."""
    jumps = dict.fromkeys(ways.homes[block], 0)
    waiting = deque(jumps)
    reach = open_ways(ways, gone)
    while waiting:
        spot = waiting.popleft()
        for behind in reach[spot]:
            if behind not in jumps:
                jumps[behind] = jumps[spot] + 1
                waiting.append(behind)
    separate = ways.cover == "separate"
    return tuple(
        NEVER if spot not in jumps else jumps[spot] + 1 if separate else max(1, jumps[spot])
        for spot in range(len(reach))
    )


def needs_of(ways: Ways, room: Room, block: int, gone: int) -> NDArray[np.int16]:
    """Return what a block alone needs from each spot of a room; `FAR` where it cannot arrive."""
    need = to_home(ways, block, gone & room.edges)
    return np.array([min(need[spot], FAR) for spot in room.spots], dtype=np.int16)


def arrivals(ways: Ways, room: Room, block: int, gone: int) -> tuple[Arrival, ...]:
    """Return the jumps of a block that do not cover, by places in the room's spots."""
    barred = ways.homes[block] if ways.cover == "automatic" else frozenset()
    reach = open_ways(ways, gone & room.edges)
    place = {spot: at for at, spot in enumerate(room.spots)}
    return tuple(
        (place[spot], tuple(place[before] for before in reach[spot]))
        for spot in room.spots
        if reach[spot] and spot not in barred
    )


def rooms_of(ways: Ways, state: State) -> list[tuple[Room, tuple[int, ...], tuple[int, ...]]]:
    """Return each room that holds blocks, the blocks, and the spots where they stand."""
    number = state.ground.number
    spots = [number[cell] for cell in state.places.values()]
    rooms = []
    for room in _parts(ways):
        blocks = tuple(block for block, spot in enumerate(spots) if spot in room.spots)
        if blocks:
            rooms.append((room, blocks, tuple(spots[block] for block in blocks)))
    return rooms


def _parts(ways: Ways) -> list[Room]:
    """Return the connected components of the spots, over cards open at the beginning."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(ways.jumps)))
    for spot, each in enumerate(ways.jumps):
        graph.add_edges_from((spot, behind) for _, behind in each)
    rooms = []
    for part in nx.connected_components(graph):
        edges = 0
        for spot in part:
            for bit, _ in ways.jumps[spot]:
                edges |= bit
        rooms.append(Room(tuple(sorted(part)), edges))
    return sorted(rooms, key=lambda room: room.spots)


@lru_cache(maxsize=64)
def _clashes(spots: int, blocks: int) -> Costs:
    """Return `UNREACHED` for each arrangement with two blocks on one spot, else 0."""
    clashes = np.zeros((spots,) * blocks, dtype=np.uint8)
    for one, other in combinations(range(blocks), 2):
        for spot in range(spots):
            at: list[int | slice] = [slice(None)] * blocks
            at[one] = at[other] = spot
            clashes[tuple(at)] = UNREACHED
    return clashes


@dataclass(eq=False)
class Rooms:
    """Tables made on demand, each distinct one once."""

    ways: Ways
    meter: Meter
    _interned: dict[tuple[tuple[int, ...], bytes], Table] = field(default_factory=dict)
    _after: dict[tuple[Table, int, int, bool], tuple[Table, int] | None] = field(
        default_factory=dict
    )
    _left: dict[tuple[Table, int, int], int] = field(default_factory=dict)
    _cleared: dict[tuple[Table, int], int] = field(default_factory=dict)
    _soonest: dict[tuple[Table, int], dict[int, int]] = field(default_factory=dict)
    _gaps: dict[tuple[Table, Table], int] = field(default_factory=dict)
    _held: int = 0

    def start(self, room: Room, blocks: tuple[int, ...], places: tuple[int, ...]) -> Table | None:
        """Return the table of a room at the beginning, or None when the meter stops."""
        if len(room.spots) ** len(blocks) > _MOST_CELLS:
            self.meter.stop("memory")
            return None
        costs = np.full((len(room.spots),) * len(blocks), UNREACHED, dtype=np.uint8)
        costs[tuple(room.spots.index(spot) for spot in places)] = 0
        made = self._made(room, blocks, costs, 0)
        return made and made[0]

    def after(
        self, table: Table, block: int, gone: int, *, walks: bool
    ) -> tuple[Table, int] | None:
        """Return the table after a block has gone, and the moves that took at least.

        Parameters
        ----------
        gone : int
            Blocks that were gone before.
        walks : bool
            False where the block is taken by a special card, from wherever it stands.

        Returns
        -------
        (Table, int) or None
            None when that cannot be, or the meter stopped.
        """
        key = (table, block, gone & table.room.edges, walks)
        if key not in self._after:
            left = self._without(table, block, gone, walks=walks)
            blocks = tuple(other for other in table.blocks if other != block)
            made = None
            if left.min() < UNREACHED:
                made = self._made(table.room, blocks, left, gone | 1 << block)
                if made is None:
                    return None
            self._after[key] = made
        return self._after[key]

    def left(self, table: Table, gone: int, cards: int) -> int:
        """Return a bound on the moves still needed in a room; `NEVER` when it is hopeless.

        The least over all arrangements of what the blocks would need alone, except for as many
        of them as there are special cards to take them.
        """
        key = (table, gone & table.room.edges, cards)
        known = self._left.get(key)
        if known is None:
            needs = [self._need(table, block, gone) for block in table.blocks]
            keep = max(0, len(needs) - cards)
            known = min(
                _least_sum(table.costs, needs, kept)
                for kept in combinations(range(len(needs)), keep)
            )
            self._left[key] = known
        return known

    def cleared(self, table: Table, gone: int) -> int:
        """Return the fewest moves that clear a room if no other room closes a card any more.

        A bound on what is still needed, exact but for the other rooms; without special cards.
        `NEVER` when it is hopeless; a lower bound of it when the meter stops.
        """
        if not table.blocks:
            return 0
        key = (table, gone & table.room.edges)
        known = self._cleared.get(key)
        if known is not None:
            return known
        choices = []
        for block in table.blocks:
            made = self.after(table, block, gone, walks=True)
            if made is not None:
                after, extra = made
                rest = self.left(after, gone | 1 << block, 0) if after.blocks else 0
                if rest < NEVER:
                    choices.append((extra + rest, extra, block, after))
        if self.meter.stopped_by is not None:
            return self.left(table, gone, 0)
        best = NEVER
        for promised, extra, block, after in sorted(choices, key=lambda each: each[:3]):
            if promised < best:
                best = min(best, extra + self.cleared(after, gone | 1 << block))
        if self.meter.stopped_by is None:
            self._cleared[key] = best
        return best

    def soonest(self, table: Table, gone: int, anywhere: bool) -> Mapping[int, int]:
        """Return the blocks of a room that may still go, with the fewest moves until each does.

        Each is looked at alone.

        Parameters
        ----------
        anywhere : bool
            True where a special card may take a block from wherever it stands.
        """
        if anywhere:
            return dict.fromkeys(table.blocks, 1)
        key = (table, gone & table.room.edges)
        known = self._soonest.get(key)
        if known is None:
            known = {}
            for axis, block in enumerate(table.blocks):
                others = tuple(other for other in range(len(table.blocks)) if other != axis)
                costs = table.costs.min(axis=others).astype(np.int16)
                moves = int((costs + self._need(table, block, gone)).min())
                if moves < UNREACHED:
                    known[block] = moves
            self._soonest[key] = known
        return known

    def gap(self, better: Table, worse: Table) -> int:
        """Return by how much `better` may cost more somewhere; `NEVER` where it does not reach.

        Both are tables of the same blocks in the same room.
        """
        if better is worse:
            return 0
        key = (better, worse)
        known = self._gaps.get(key)
        if known is None:
            reached = worse.costs < UNREACHED
            mine, other = better.costs[reached], worse.costs[reached]
            if (mine == UNREACHED).any():
                known = NEVER
            else:
                known = int((mine.astype(np.int16) - other).max(initial=0))
            self._gaps[key] = known
        return known

    def _need(self, table: Table, block: int, gone: int) -> NDArray[np.int16]:
        return needs_of(self.ways, table.room, block, gone)

    def _without(self, table: Table, block: int, gone: int, *, walks: bool) -> Costs:
        """Return the costs without a block, which goes from wherever it can go."""
        axis = table.blocks.index(block)
        spots, home = table.room.spots, self.ways.homes[block]
        slices = np.moveaxis(table.costs, axis, 0)
        left = np.full(slices.shape[1:], UNREACHED, dtype=np.uint8)
        reach = open_ways(self.ways, gone & table.room.edges)
        for at, spot in enumerate(spots):
            if not walks or spot in home:
                np.minimum(left, slices[at], out=left)
            elif self.ways.cover != "separate":
                for behind in reach[spot]:
                    if behind in home:
                        entering = np.array(slices[at])
                        _bar(entering, spots.index(behind))
                        np.minimum(left, entering, out=left)
        return left + np.uint8(1) * (left < UNREACHED)

    def _made(
        self, room: Room, blocks: tuple[int, ...], costs: Costs, gone: int
    ) -> tuple[Table, int] | None:
        """Return the table of all that is reached from these arrangements, and its least cost."""
        least = int(costs.min())
        costs = np.where(costs < UNREACHED, costs - np.uint8(least), costs)
        if not self._spread(room, blocks, costs, gone):
            return None
        key = (blocks, costs.tobytes())
        table = self._interned.get(key)
        if table is None:
            table = self._interned[key] = Table(room, blocks, costs)
            self._held += 2 * costs.nbytes
            if self._held > memory_allowed(self.meter):
                self.meter.stop("memory")
                return None
        return table, least

    def _spread(self, room: Room, blocks: tuple[int, ...], costs: Costs, gone: int) -> bool:
        """Add every arrangement that jumps lead to; return False when the meter stops."""
        clashes = _clashes(len(room.spots), len(blocks))
        jumps = [arrivals(self.ways, room, block, gone) for block in blocks]
        work = costs.size * len(blocks) // _CELLS
        total = -1
        while total != (total := int(costs.sum(dtype=np.int64))):
            if costs.size < _TURNED_FROM:
                _sweep(costs, clashes, jumps)
            else:
                _sweep(costs, clashes, jumps[:-2])
                turned = np.ascontiguousarray(np.moveaxis(costs, (-2, -1), (0, 1)))
                _sweep(turned, clashes, jumps[-2:])
                costs[...] = np.moveaxis(turned, (0, 1), (-2, -1))
            jumps = [each[::-1] for each in jumps]
            if not self.meter.spend(1 + work):
                return False
        return True


def _sweep(costs: Costs, clashes: Costs, jumps: Sequence[Sequence[Arrival]]) -> None:
    """Let the blocks of the first axes make each jump once, in place."""
    room = np.empty(costs.shape[1:], dtype=np.uint8)
    for axis, arrivals in enumerate(jumps):
        front = (axis, *(other for other in range(costs.ndim) if other != axis))
        slices, clash = costs.transpose(front), clashes.transpose(front)
        for to, (origin, *others) in arrivals:
            best = slices[origin, ...]
            for other in others:
                best = np.minimum(best, slices[other], out=room)
            best = np.add(best, np.uint8(1), out=room)
            np.maximum(best, clash[to], out=room)
            target = slices[to, ...]
            np.minimum(target, room, out=target)


def _bar(costs: Costs, spot: int) -> None:
    """Take out the arrangements with a block on this spot."""
    for axis in range(costs.ndim):
        np.moveaxis(costs, axis, 0)[spot] = UNREACHED


def _least_sum(costs: Costs, needs: list[NDArray[np.int16]], kept: tuple[int, ...]) -> int:
    """Return the least of the costs and the needs of these axes together."""
    total = costs.astype(np.int16)
    for axis in reversed(range(costs.ndim)):
        if axis in kept:
            total += needs[axis]
        total = total.min(axis=-1)
    least = int(total)
    return NEVER if least >= UNREACHED else least
