"""What can be the case in a room where jumps are not counted.

As in `rooms.py` all arrangements of a room are looked at together, but each is one bit: an array
has an axis for every block but the last, and of the last block an entry holds the spots where it
can stand while the others stand so. Whole rows of arrangements move in one instruction, twelve
times as many as where each has its number of jumps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, compress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, memory_allowed
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.ways import (
    FAR,
    MOST_CELLS,
    Arrival,
    Room,
    Ways,
    arrivals,
    ends,
    needs_of,
    to_home,
)

Bits: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""An axis of spots for each block but the last, and sets of spots of that."""

_MOST_SPOTS = 64
"""Spots that an entry can hold."""

_ENTRIES = 1024
"""Entries looked at for one unit of work."""

_PART = 12
"""Spots that are looked up together."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Which arrangements can be the case in one room.

    Parameters
    ----------
    room : Room
        Where.
    blocks : tuple of int
        The blocks in it, ascending.
    bits : ndarray of unsigned integers
        See `Bits`; without blocks the one entry is 1.
    """

    room: Room
    blocks: tuple[int, ...]
    bits: Bits


@dataclass(eq=False)
class Possible:
    """Marks made on demand, each distinct one once; the same questions as to `rooms.Rooms`."""

    ways: Ways
    meter: Meter
    _interned: dict[tuple[tuple[int, ...], bytes], Marks] = field(default_factory=dict)
    _after: dict[tuple[Marks, int, int, bool], Marks | None] = field(default_factory=dict)
    _left: dict[tuple[Marks, int, int], int] = field(default_factory=dict)
    _soonest: dict[tuple[Marks, int], dict[int, int]] = field(default_factory=dict)
    _seats: dict[Marks, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    _gaps: dict[tuple[Marks, Marks], int] = field(default_factory=dict)
    _held: int = 0

    def start(self, room: Room, blocks: tuple[int, ...], places: tuple[int, ...]) -> Marks | None:
        """Return the marks of a room at the beginning, or None when the meter stops."""
        spots = len(room.spots)
        if spots > _MOST_SPOTS or spots ** len(blocks) > MOST_CELLS:
            self.meter.stop("memory")
            return None
        bits = np.zeros((spots,) * (len(blocks) - 1), dtype=_kind(spots))
        *others, last = (room.spots.index(spot) for spot in places)
        bits[tuple(others)] = 1 << last
        return self._made(room, blocks, bits, 0)

    def after(
        self, table: Marks, block: int, gone: int, *, walks: bool
    ) -> tuple[Marks, int] | None:
        """Return the marks after a block has gone, and no moves; None when that cannot be.

        None, too, when the meter stops; the rest is as in `rooms.Rooms.after`.
        """
        key = (table, block, gone & table.room.edges, walks)
        if key not in self._after:
            left = self._without(table, block, gone, walks=walks)
            blocks = tuple(other for other in table.blocks if other != block)
            made = None
            if left.any():
                made = self._made(table.room, blocks, left, gone | 1 << block)
                if made is None:
                    return None
            self._after[key] = made
        found = self._after[key]
        return None if found is None else (found, 0)

    def left(self, table: Marks, gone: int, cards: int) -> int:
        """Return the least, over all arrangements, of what the blocks would need alone.

        As many of them as there are special cards need nothing; `NEVER` when it is hopeless.
        """
        key = (table, gone & table.room.edges, cards)
        known = self._left.get(key)
        if known is None:
            needs = [needs_of(self.ways, table.room, block, gone) for block in table.blocks]
            keep = max(0, len(needs) - cards)
            known = min(
                _least_sum(table.bits, needs, kept)
                for kept in combinations(range(len(needs)), keep)
            )
            self._left[key] = known
        return known

    def soonest(self, table: Marks, gone: int, anywhere: bool) -> Mapping[int, int]:
        """Return the blocks that may still go, with what each needs alone; see `rooms.Rooms`."""
        if anywhere:
            return dict.fromkeys(table.blocks, 1)
        key = (table, gone & table.room.edges)
        known = self._soonest.get(key)
        if known is None:
            known = {}
            for block, places in zip(table.blocks, self._places(table), strict=True):
                need = to_home(self.ways, block, gone & table.room.edges)
                moves = min(need[spot] for spot in places)
                if moves < NEVER:
                    known[block] = moves
            self._soonest[key] = known
        return known

    def _places(self, table: Marks) -> tuple[tuple[int, ...], ...]:
        """Return for each block the spots where it can be."""
        known = self._seats.get(table)
        if known is None:
            last = int(np.bitwise_or.reduce(table.bits, axis=None))
            found = [[bool(last >> at & 1) for at in range(len(table.room.spots))]]
            for axis in reversed(range(table.bits.ndim)):
                slices = np.moveaxis(table.bits, axis, 0)
                found.insert(0, [bool(there.any()) for there in slices])
            known = tuple(tuple(compress(table.room.spots, each)) for each in found)
            self._seats[table] = known
        return known

    def gap(self, better: Marks, worse: Marks) -> int:
        """Return 0 where all that is possible in `worse` is in `better`, else `NEVER`."""
        if better is worse:
            return 0
        key = (better, worse)
        known = self._gaps.get(key)
        if known is None:
            known = self._gaps[key] = NEVER if (worse.bits & ~better.bits).any() else 0
        return known

    def _without(self, table: Marks, block: int, gone: int, *, walks: bool) -> Bits:
        """Return the marks without a block, which goes from wherever it can go."""
        axis = table.blocks.index(block)
        if axis == len(table.blocks) - 1:
            return self._without_last(table, gone, walks=walks)
        slices = np.moveaxis(table.bits, axis, 0)
        rooms = np.moveaxis(_free(len(table.room.spots), len(table.blocks)), axis, 0)
        left = np.zeros(slices.shape[1:], dtype=slices.dtype)
        for at, entered in ends(self.ways, table.room, block, gone, walks=walks):
            left |= slices[at] if entered is None else slices[at] & rooms[entered]
        return left

    def _without_last(self, table: Marks, gone: int, *, walks: bool) -> Bits:
        """Return the marks without the last block; the one before is then in the entries."""
        free = _free(len(table.room.spots), len(table.blocks))
        goes = np.zeros(table.bits.shape, dtype=bool)
        one = table.bits.dtype.type(1)
        for at, entered in ends(self.ways, table.room, table.blocks[-1], gone, walks=walks):
            stands = table.bits >> table.bits.dtype.type(at) & one
            if entered is not None:
                stands &= free >> table.bits.dtype.type(entered)
            goes |= stands != 0
        if not goes.ndim:
            return goes.astype(table.bits.dtype)
        weights = one << np.arange(len(table.room.spots), dtype=table.bits.dtype)
        found: Bits = np.asarray(goes @ weights)  # of one axis it would be a number, no array
        return found

    def _made(self, room: Room, blocks: tuple[int, ...], bits: Bits, gone: int) -> Marks | None:
        """Return the marks of all that is reached from these arrangements."""
        if blocks and not self._spread(room, blocks, bits, gone):
            return None
        key = (blocks, bits.tobytes())
        table = self._interned.get(key)
        if table is None:
            table = self._interned[key] = Marks(room, blocks, bits)
            self._held += 2 * bits.nbytes
            if self._held > memory_allowed(self.meter):
                self.meter.stop("memory")
                return None
        return table

    def _spread(self, room: Room, blocks: tuple[int, ...], bits: Bits, gone: int) -> bool:
        """Add every arrangement that jumps lead to; return False when the meter stops."""
        free = _free(len(room.spots), len(blocks))
        *jumps, last = (arrivals(self.ways, room, block, gone) for block in blocks)
        onward = _Onward.of(last, len(room.spots))
        work = bits.size * len(blocks) // _ENTRIES
        total = -1
        while total != (total := int(bits.sum(dtype=np.uint64))):
            for axis, each in enumerate(jumps):
                turned = bits.swapaxes(0, axis)
                _sweep(turned, free.swapaxes(0, axis), each, turned)
            bits |= onward.beside(bits) & free
            jumps = [each[::-1] for each in jumps]
            if not self.meter.spend(1 + work):
                return False
        return True


def count_jumps(
    ways: Ways, room: Room, blocks: tuple[int, ...], costs: NDArray[np.uint8], *, meter: Meter
) -> bool:
    """Note the fewest jumps to all arrangements of a room in a table that knows where to begin.

    Layer by layer from the one arrangement that costs nothing, before any card is closed; others
    stay as they are where no jumps lead to them. Return False when the meter stops.
    """
    spots = len(room.spots)
    free = _free(spots, len(blocks))
    *jumps, last = (arrivals(ways, room, block, 0) for block in blocks)
    onward = _Onward.of(last, spots)
    *others, place = np.unravel_index(int(costs.argmin()), costs.shape)
    reached = np.zeros(free.shape, dtype=free.dtype)
    reached[tuple(others)] = 1 << int(place)
    front, depth = reached.copy(), 0
    rows = costs.reshape(-1, spots)
    while True:
        following = onward.beside(front) & free
        for axis, each in enumerate(jumps):
            origins, to = front.swapaxes(0, axis), following.swapaxes(0, axis)
            _sweep(to, free.swapaxes(0, axis), each, origins)
        following &= ~reached
        at = np.flatnonzero(following)
        if not len(at):
            return True
        reached |= following
        front, depth = following, depth + 1
        seats = following.ravel()[at]
        for spot in range(spots):
            rows[at[seats >> seats.dtype.type(spot) & seats.dtype.type(1) != 0], spot] = depth
        if not meter.spend(1 + free.size * len(blocks) // _ENTRIES):
            return False


@dataclass(frozen=True)
class _Onward:
    """Where the last block's jumps lead from a set of spots, looked up some spots at a time."""

    tables: tuple[Bits, ...]

    @classmethod
    def of(cls, jumps: Sequence[Arrival], spots: int) -> _Onward:
        kind = _kind(spots)
        steps = [sum(1 << to for to, origins in jumps if spot in origins) for spot in range(spots)]
        tables = []
        for first in range(0, spots, _PART):
            part = steps[first : first + _PART]
            table = np.zeros(1 << len(part), dtype=kind)
            for number, step in enumerate(part):
                table[1 << number : 2 << number] = table[: 1 << number] | kind(step)
            tables.append(table)
        return cls(tuple(tables))

    def beside(self, bits: Bits) -> Bits:
        """Return the spots one jump away from these sets of spots."""
        low = bits.dtype.type((1 << _PART) - 1)
        found = np.zeros(bits.shape, dtype=bits.dtype)
        for number, table in enumerate(self.tables):
            found |= table[bits >> bits.dtype.type(number * _PART) & low]
        return found


def _sweep(slices: Bits, free: Bits, jumps: Sequence[Arrival], origins: Bits) -> None:
    """Let the block of the first axis make each jump once, out of `origins` into `slices`."""
    for to, (origin, *others) in jumps:
        coming = origins[origin]
        for other in others:
            coming = coming | origins[other]
        slices[to] |= coming & free[to]


@lru_cache(maxsize=64)
def _free(spots: int, blocks: int) -> Bits:
    """Return for each entry the spots that are left for the last block; none where two clash."""
    kind = _kind(spots)
    free = np.full((spots,) * (blocks - 1), (1 << spots) - 1, dtype=kind)
    places = np.arange(spots, dtype=kind)
    for axis in range(blocks - 1):
        taken = (kind(1) << places).reshape(-1, *(1,) * (blocks - 2 - axis))
        free &= ~taken
        for other in range(axis):
            one = places.reshape(-1, *(1,) * (blocks - 2 - other))
            free *= one != places.reshape(-1, *(1,) * (blocks - 2 - axis))
    return free


def _least_sum(bits: Bits, needs: list[NDArray[np.int16]], kept: tuple[int, ...]) -> int:
    """Return the least sum of the needs of these blocks over all arrangements."""
    spots = len(needs[-1])
    need = needs[-1] if len(needs) - 1 in kept else 0 * needs[-1]
    total = np.full(bits.shape, FAR, dtype=np.int16)
    for first in range(0, spots, _PART):
        part = need[first : first + _PART]
        table = np.full(1 << len(part), FAR, dtype=np.int16)
        for number, moves in enumerate(part):
            table[1 << number : 2 << number] = np.minimum(table[: 1 << number], moves)
        shift, low = bits.dtype.type(first), bits.dtype.type((1 << _PART) - 1)
        np.minimum(total, table[bits >> shift & low], out=total)
    for axis in reversed(range(bits.ndim)):
        if axis in kept:
            total += needs[axis]
        total = total.min(axis=-1)
    least = int(total)
    return NEVER if least >= FAR else least


def _kind(spots: int) -> Any:
    return np.uint16 if spots <= 16 else np.uint32 if spots <= 32 else np.uint64
