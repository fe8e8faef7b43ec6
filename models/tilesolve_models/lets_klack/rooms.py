"""Where covered cards bar the way: everything that can be the case in a room.

Rooms (`ways.py`) meet only through cards: a card that is covered in one room is closed in the
other class, too. So for a given order of covers every room is a matter of its own: what can be
the case in it is a `Table` of arrangements with the fewest jumps to each, and only a cover in the
room itself changes the table. All that covers elsewhere do is to leave fewer ways open afterwards;
jumps that need such a way are made before.

A table is a dense numpy array with one axis a block and one place a spot of the room: rooms are
small, and whole layers of arrangements move in one instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, memory_allowed
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.possible import count_jumps
from tilesolve_models.lets_klack.ways import (
    MOST_CELLS,
    Arrival,
    Room,
    Ways,
    arrivals,
    departures,
    ends,
    needs_of,
)

Costs: TypeAlias = NDArray[np.uint8]
"""Fewest jumps to each arrangement, `UNREACHED` where there is none."""

UNREACHED = 250

_MOST_ONWARD = 4_000_000
"""Arrangements of the largest table that is looked at from several sides."""

_MOST_SWEPT = 1_000_000
"""Arrangements of the largest table whose jumps are counted cell by cell from its beginning."""

_CELLS = 1024
"""Arrangements looked at for one unit of work."""

_TURNED_FROM = 50_000
"""Cells from which it pays to bring the last axes to the front before moving along them."""


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
    _members: dict[Room, int] = field(default_factory=dict)
    _starts: dict[tuple[tuple[int, ...], tuple[int, ...]], Table] = field(default_factory=dict)
    _after: dict[tuple[Table, int, int, bool], tuple[Table, int] | None] = field(
        default_factory=dict
    )
    _left: dict[tuple[Table, int, int], int] = field(default_factory=dict)
    _cleared: dict[tuple[Table, int], int] = field(default_factory=dict)
    _onwards: dict[tuple[Room, tuple[int, ...], int], Costs] = field(default_factory=dict)
    _soonest: dict[tuple[Table, int], dict[int, int]] = field(default_factory=dict)
    _gaps: dict[tuple[Table, Table], int] = field(default_factory=dict)
    _held: int = 0

    def start(self, room: Room, blocks: tuple[int, ...], places: tuple[int, ...]) -> Table | None:
        """Return the table of a room at the beginning, or None when the meter stops."""
        self._members[room] = sum(1 << block for block in blocks)
        known = self._starts.get((blocks, places))
        if known is not None:
            return known
        if len(room.spots) ** len(blocks) > MOST_CELLS:
            self.meter.stop("memory")
            return None
        costs = np.full((len(room.spots),) * len(blocks), UNREACHED, dtype=np.uint8)
        costs[tuple(room.spots.index(spot) for spot in places)] = 0
        if costs.size > _MOST_SWEPT and not count_jumps(
            self.ways, room, blocks, costs, meter=self.meter
        ):
            return None
        made = self._made(room, blocks, costs, 0)
        if made is not None:
            self._starts[blocks, places] = made[0]
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
            known = keep  # a move each: in a large table the choice of the others takes seconds
            if not cards or table.costs.size <= _MOST_ONWARD:
                known = min(
                    _least_sum(table.costs, needs, kept)
                    for kept in combinations(range(len(needs)), keep)
                )
            self._left[key] = known
        return known

    def cleared(self, table: Table, gone: int, *, apart: bool = False) -> int:
        """Return the fewest moves that clear a room if no other room closes a card any more.

        A bound on what is still needed, exact but for the other rooms; without special cards.
        `NEVER` when it is hopeless; a lower bound of it when the meter stops.

        Parameters
        ----------
        apart : bool
            True leaves out the cards that other rooms have closed: a lower bound that is known
            for many arrangements at once.
        """
        if apart:
            gone &= self._members[table.room]
        key = (table, gone & table.room.edges)
        known = self._cleared.get(key)
        if known is None:
            if table.costs.size > _MOST_ONWARD:
                known = self._cleared_by_first(table, gone)
            else:
                onward = self._onward(table.room, table.blocks, gone & table.room.edges)
                if onward is not None:
                    least = int(np.add(table.costs, onward, dtype=np.uint16).min())
                    known = least if least < UNREACHED else NEVER
            if known is None or self.meter.stopped_by is not None:
                return self.left(table, gone, 0)
            self._cleared[key] = known
        return known

    def _cleared_by_first(self, table: Table, gone: int) -> int:
        """Return what `cleared` does, from what is left after each block that may go first."""
        best = NEVER
        for block in table.blocks:
            made = self.after(table, block, gone, walks=True)
            if made is not None:
                after, extra = made
                best = min(best, extra + self.cleared(after, gone | 1 << block))
        return best

    def _onward(self, room: Room, blocks: tuple[int, ...], gone: int) -> Costs | None:
        """Return the fewest moves that clear a room from each arrangement of these blocks.

        No other room closes a card meanwhile. Worked out backwards: what is left when one of the
        blocks goes, and from there by the jumps that lead there. None when the meter stops.
        """
        key = (room, blocks, gone)
        known = self._onwards.get(key)
        if known is not None:
            return known
        costs = np.full((len(room.spots),) * len(blocks), UNREACHED, dtype=np.uint8)
        if not blocks:
            costs[...] = 0
        for axis, block in enumerate(blocks):
            others = blocks[:axis] + blocks[axis + 1 :]
            rest = self._onward(room, others, (gone | 1 << block) & room.edges)
            if rest is None:
                return None
            slices = np.moveaxis(costs, axis, 0)
            then = rest + np.uint8(1) * (rest < UNREACHED)
            for at, entered in ends(self.ways, room, block, gone):
                coming = then
                if entered is not None:
                    coming = then.copy()
                    _bar(coming, entered)
                np.minimum(slices[at, ...], coming, out=slices[at, ...])
        costs = np.maximum(costs, _clashes(len(room.spots), len(blocks)))
        back = [departures(self.ways, room, block, gone) for block in blocks]
        if not self._settle(costs, back):
            return None
        self._hold(costs)
        self._onwards[key] = costs
        return costs

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
        slices = np.moveaxis(table.costs, table.blocks.index(block), 0)
        left = np.full(slices.shape[1:], UNREACHED, dtype=np.uint8)
        for at, entered in ends(self.ways, table.room, block, gone, walks=walks):
            leaving = slices[at, ...]
            if entered is not None:
                leaving = np.array(leaving)
                _bar(leaving, entered)
            np.minimum(left, leaving, out=left)
        return left + np.uint8(1) * (left < UNREACHED)

    def _made(
        self, room: Room, blocks: tuple[int, ...], costs: Costs, gone: int
    ) -> tuple[Table, int] | None:
        """Return the table of all that is reached from these arrangements, and its least cost."""
        least = int(costs.min())
        costs = np.where(costs < UNREACHED, costs - np.uint8(least), costs)
        jumps = [arrivals(self.ways, room, block, gone) for block in blocks]
        if not self._settle(costs, jumps):
            return None
        key = (blocks, costs.tobytes())
        table = self._interned.get(key)
        if table is None:
            table = self._interned[key] = Table(room, blocks, costs)
            self._hold(costs)
        return table, least

    def _hold(self, costs: Costs) -> None:
        self._held += 2 * costs.nbytes
        if self._held > memory_allowed(self.meter):
            self.meter.stop("memory")

    def _settle(self, costs: Costs, jumps: Sequence[Sequence[Arrival]]) -> bool:
        """Lower the costs to what jumps make of them; return False when the meter stops."""
        clashes = _clashes(costs.shape[0] if costs.ndim else 0, costs.ndim)
        work = costs.size * costs.ndim // _CELLS
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
    for axis, each in enumerate(jumps):
        front = (axis, *(other for other in range(costs.ndim) if other != axis))
        slices, clash = costs.transpose(front), clashes.transpose(front)
        for to, (origin, *others) in each:
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
