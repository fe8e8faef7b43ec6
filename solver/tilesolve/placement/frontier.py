"""The patterns of cells that a sweep can meet, whatever pieces are used.

A pattern is the set of taken cells ahead of the first open one, together with how many pieces
of each size are used. There are few of them, and most of those that can be reached cannot be
finished: walking forward and then back leaves the ones that count. The diagram puts the pieces
themselves on top of what is left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter
from tilesolve.placement.pocket import small_pockets
from tilesolve.placement.sweep import Sweep, in_words

Words: TypeAlias = NDArray[np.uint64]
"""Patterns as rows of 64-bit words: the whole pattern is compared, never a hash of it."""

Index: TypeAlias = NDArray[np.int64]

_CHUNK = 1 << 21
"""Tests of a pattern against an option that are made at once."""

_WORD = 64

_WORTH_A_LOOK = 200
"""Patterns at one position from which on looking for pockets saves more than it costs."""

_TOGETHER = 1 << 16
"""Tests of a pattern against a pocket that are made at once."""

_EDGE_BYTES = 100
"""What an edge costs while it is made, beside its rows."""


@dataclass(frozen=True)
class Edges:
    """The ways on from the patterns of one position, sorted by `layer`, `source`, `option`.

    Parameters
    ----------
    source : array of int
        The pattern, by its number at this position.
    option : array of int
        The option that is chosen.
    layer : array of int
        The position of the first open cell then; the number of positions at the end.
    target : array of int
        The pattern there, by its number at that position.
    """

    source: Index
    option: Index
    layer: Index
    target: Index

    @classmethod
    def none(cls) -> Edges:
        """Return no edges at all."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing, nothing)

    @classmethod
    def joined(cls, parts: Sequence[Edges]) -> Edges:
        """Return the edges of several parts, at least one, in this order."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.option for part in parts]),
            np.concatenate([part.layer for part in parts]),
            np.concatenate([part.target for part in parts]),
        )

    def picked(self, places: Index | slice) -> Edges:
        """Return the edges at these places, in this order."""
        return Edges(
            self.source[places], self.option[places], self.layer[places], self.target[places]
        )

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return 4 * self.source.nbytes


@dataclass(frozen=True)
class Frontier:
    """All patterns that some way leads to and some way leads on from to the end.

    Parameters
    ----------
    patterns : tuple of int
        How many there are at each position, the end included. None at the start: no solution.
    edges : tuple of Edges
        For each position.
    """

    patterns: tuple[int, ...]
    edges: tuple[Edges, ...]

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        return sum(edges.bytes for edges in self.edges)


def frontier_of(
    sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter, memory: int
) -> Frontier | None:
    """Walk all patterns of a cover; None when the meter stopped it.

    Parameters
    ----------
    sweep : Sweep
        A cover: cells that may stay open are options of a kind of their own.
    adjacent : sequence of sequence of int
        For each cell its neighbours, or nothing: with them cells that are shut in are seen
        early. It changes the time taken, never the result.
    meter : Meter
        One unit of work a pattern and edge; stopped for ``memory`` when more is needed.
    memory : int
        Bytes allowed.
    """
    forward = Forward(sweep, _by_size(sweep), adjacent)
    for position in range(len(sweep.order)):
        if not forward.step(position, memory):
            meter.stop("memory")
        if not meter.spend(len(forward.edges[position].source)):
            return None
    return _pruned(forward.finish())


class Forward:
    """Patterns position by position, each with its edges.

    Parameters
    ----------
    sweep : Sweep
        A cover.
    sized : Sweep
        The same sweep, with kinds joined that need not be told apart.
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.
    """

    def __init__(self, sweep: Sweep, sized: Sweep, adjacent: Sequence[Sequence[int]]) -> None:
        self.ends = len(sweep.order)
        self.starts = sweep.starts
        spans = [sweep.masks[o].bit_length() - at for at, os in enumerate(self.starts) for o in os]
        self.ring = max(spans, default=1)
        self.counters, bits = in_words(sized.counters(0), start=self.ring, word=_WORD)
        # By kind: the bit that says it is used up, and what one copy adds.
        self._counts = [(c.full, c.unit) if c else (0, 0) for c in self.counters]
        self.sweep = sized
        self.words = -(-bits // _WORD)
        self.shut_in = _Pockets(sweep, adjacent, self.ring)
        self.sizes: list[int] = []
        self.edges: list[Edges] = []
        begin = sum(counter.begin for counter in self.counters if counter)
        self._pending: dict[int, list[tuple[Words, int, Index]]] = {}
        self._first = self._split([begin])
        self._held = 0
        self._waiting = 0

    def _split(self, numbers: Sequence[int]) -> Words:
        if self.words == 1:
            return np.array(numbers, np.uint64)[:, None]
        low = (1 << _WORD) - 1
        rows = [[number >> _WORD * word & low for word in range(self.words)] for number in numbers]
        return np.array(rows, np.uint64).reshape(len(numbers), self.words)

    def step(self, position: int, memory: int) -> bool:
        """Walk the patterns whose first open cell is at this position, if memory allows."""
        rows = self._gather(position)
        self.sizes.append(len(rows))
        left = memory - self._held - self._waiting
        options = self.starts[position]
        if not len(rows) or not options or left < 0:
            self.edges.append(Edges.none())
            return left >= 0
        test, bias, add = self._bits(position, options)
        fitting = _fitting(rows, test, bias, left // (_EDGE_BYTES + 16 * self.words))
        if fitting is None:
            self.edges.append(Edges.none())
            return False
        source, column = fitting
        grown = rows[source] + add[column]
        layer = np.empty(len(source), np.int64)
        option_numbers = np.array(options, np.int64)[column]
        self.edges.append(Edges(source, option_numbers, layer, np.zeros(len(source), np.int64)))
        self._held += self.edges[position].bytes
        self._advance(position, grown, layer)
        return True

    def _bits(self, position: int, options: Sequence[int]) -> tuple[Words, Words | None, Words]:
        """Return for each option what must be 0, what is added before that, and what it adds."""
        sweep, ring = self.sweep, self.ring
        turn, full = (position + 1) % ring, (1 << ring) - 1
        tests, biases, adds = [], [], []
        for option in options:
            mask, copies = sweep.masks[option] >> position + 1, sweep.copies[option]
            taken = (mask << turn | mask >> ring - turn) & full
            used_up, unit = self._counts[sweep.kinds[option]]
            tests.append(taken | used_up)
            adds.append(taken + copies * unit)
            biases.append((copies - 1) * unit)
        return self._split(tests), self._split(biases) if any(biases) else None, self._split(adds)

    def _advance(self, position: int, grown: Words, layer: Index) -> None:
        """Find the next first open cell of each row, and leave the row there."""
        if self.words == 1:
            layer[:] = self._settled(position, grown[:, 0])
        else:
            self._settle_slowly(position, grown, layer)
        order = np.argsort(layer, kind="stable")
        ordered = layer[order]
        cuts = np.flatnonzero(np.diff(ordered)) + 1
        for start, end in pairwise([0, *cuts.tolist(), len(order)]):
            if end > start:
                places = order[start:end]
                part = (grown[places], position, places)
                self._waiting += part[0].nbytes + places.nbytes
                self._pending.setdefault(int(ordered[start]), []).append(part)

    def _settled(self, position: int, row: NDArray[np.uint64]) -> Index:
        """Clear the taken cells before each row's first open one, and return where that is.

        The ring is turned so that the next cell is its lowest bit; then the ones at its end are
        the cells to pass.
        """
        ring = self.ring
        turn = (position + 1) % ring
        full = np.uint64((1 << ring) - 1)
        low, high = np.uint64(turn), np.uint64(ring - turn)
        cells = row & full
        turned = (cells >> low | cells << high) & full if turn else cells
        after = turned + np.uint64(1)
        first = after & ~turned
        left = turned & after
        back = (left << low | left >> high) & full if turn else left
        row ^= cells ^ back
        # A power of two is exact in floating point, and so is its exponent.
        return position + np.frexp(first.astype(np.float64))[1].astype(np.int64)

    def _settle_slowly(self, position: int, grown: Words, layer: Index) -> None:
        """Do the same cell by cell, for patterns of several words."""
        moving = np.arange(len(grown))
        at = position + 1
        while len(moving):
            layer[moving] = at
            if at == self.ends:
                return
            word, bit = divmod(at % self.ring, _WORD)
            flag = np.uint64(1 << bit)
            moving = moving[(grown[moving, word] & flag) != 0]
            grown[moving, word] ^= flag
            at += 1

    def _gather(self, position: int) -> Words:
        """Merge equal rows, number them, and tell the edges that lead here."""
        if position == 0:
            return self._first
        parts = self._pending.pop(position, [])
        if not parts:
            return np.zeros((0, self.words), np.uint64)
        self._waiting -= sum(rows.nbytes + places.nbytes for rows, _, places in parts)
        rows, numbers = _distinct(np.concatenate([rows for rows, _, _ in parts]))
        dead = self._dead(rows, position)
        if dead.any():
            renumbered = np.cumsum(~dead) - 1
            renumbered[dead] = -1
            rows, numbers = rows[~dead], renumbered[numbers]
        done = 0
        for part, origin, places in parts:
            self.edges[origin].target[places] = numbers[done : done + len(part)]
            done += len(part)
        return rows

    def _dead(self, rows: Words, position: int) -> NDArray[np.bool_]:
        if position < self.ends:
            return self.shut_in.found(rows, position)
        return ~self._complete(rows)

    def _complete(self, rows: Words) -> NDArray[np.bool_]:
        """Tell at the end which rows used every size of piece often enough."""
        enough = np.ones(len(rows), np.bool_)
        for counter, least in zip(self.counters, self.sweep.least, strict=True):
            if counter and least:
                word, bit = divmod(counter.offset, _WORD)
                field = rows[:, word] >> np.uint64(bit) & np.uint64((1 << counter.width) - 1)
                enough &= field >= counter.start + least
        return enough

    def finish(self) -> tuple[list[int], list[Edges]]:
        """Return the patterns at each position and the edges, dead ends included."""
        self.sizes.append(len(self._gather(self.ends)) if self.ends else 1)
        return self.sizes, self.edges


class _Pockets:
    """Tests for one or two open cells shut in by taken ones, too few for any piece."""

    def __init__(self, sweep: Sweep, adjacent: Sequence[Sequence[int]], ring: int) -> None:
        self.sweep, self.adjacent, self.ring = sweep, adjacent, ring

    @cached_property
    def _regions(self) -> tuple[tuple[int, int, int], ...]:
        return small_pockets(self.sweep, self.adjacent)

    def found(self, rows: Words, position: int) -> NDArray[np.bool_]:
        """Tell which rows have such a pocket."""
        if rows.shape[1] > 1 or len(rows) < _WORTH_A_LOOK or not self._regions:
            return np.zeros(len(rows), np.bool_)
        row = rows[:, 0]
        pockets = self._ahead(position)
        if len(row) * len(pockets) <= _TOGETHER:
            wholes, rims = np.array(pockets, np.uint64).reshape(-1, 2).T
            together: NDArray[np.bool_] = ((row[:, None] & wholes) == rims).any(axis=1)
            return together
        dead = np.zeros(len(rows), np.bool_)
        for whole, rim in pockets:
            dead |= (row & np.uint64(whole)) == np.uint64(rim)
        return dead

    def _ahead(self, position: int) -> list[tuple[int, int]]:
        """Return the pockets ahead of a position, with their rims and the rims alone, as rings.

        The position itself is open, the cells before it are taken, and no cell of a pocket or
        its rim lies beyond the ring.
        """
        ring, turn, full = self.ring, position % self.ring, (1 << self.ring) - 1
        first = bisect_left(self._regions, (position,))
        pockets = []
        for cell, region, whole in self._regions[first:]:
            if cell >= position + ring:
                break
            whole >>= position
            rim = whole & ~(region >> position)
            if whole <= full and not rim & 1:
                pockets.append(
                    (
                        (whole << turn | whole >> ring - turn) & full,
                        (rim << turn | rim >> ring - turn) & full,
                    )
                )
        return pockets


def _by_size(sweep: Sweep) -> Sweep:
    """Return the sweep that only counts how many pieces of each size are used.

    Kinds that are not counted are one class: they are used as often as one likes. So are all
    kinds when they have one size, for then the cells taken tell how many are used.
    """
    counted = sweep.counters(0)
    if sweep.exact and len({size for size in sweep.sizes if size}) <= 1:
        return _classed(sweep, [None] * len(sweep.sizes))
    return _classed(
        sweep,
        [size if counter else None for size, counter in zip(sweep.sizes, counted, strict=True)],
    )


def _classed(sweep: Sweep, classes: Sequence[int | None]) -> Sweep:
    names = sorted({size for size in classes if size is not None})
    number = {size: index for index, size in enumerate(names)}
    free = len(names)
    least, most, sizes = [0] * (free + 1), [0] * (free + 1), [*names, 1]
    for kind, size in enumerate(classes):
        if size is not None:
            least[number[size]] += sweep.least[kind]
            most[number[size]] += sweep.most[kind]
    most[free] = sweep.room
    return replace(
        sweep,
        kinds=tuple(
            number.get(size, free) if (size := classes[kind]) is not None else free
            for kind in sweep.kinds
        ),
        sizes=tuple(sizes),
        least=tuple(least),
        most=tuple(most),
    )


def _fitting(
    rows: Words, test: Words, bias: Words | None, at_most: int
) -> tuple[Index, Index] | None:
    """Return the pairs of row and option that fit, by row and then by option.

    None when they are more than `at_most`.
    """
    chunk = max(1, _CHUNK // (len(test) * test.shape[1]))
    sources, columns = [], []
    for start in range(0, len(rows), chunk):
        part = rows[start : start + chunk]
        if test.shape[1] == 1:
            pattern = part if bias is None else part + bias[:, 0]
            free = (pattern & test[:, 0]) == 0
        else:
            wide = part[:, None, :] if bias is None else part[:, None, :] + bias[None, :, :]
            free = ((wide & test[None, :, :]) == 0).all(axis=2)
        source, column = np.nonzero(free)
        sources.append(source + start)
        columns.append(column)
        at_most -= len(source)
        if at_most < 0:
            return None
    return np.concatenate(sources), np.concatenate(columns)


def _distinct(rows: Words) -> tuple[Words, Index]:
    """Return the distinct rows, sorted, and for each row its number among them."""
    if rows.shape[1] == 1:
        found, numbers = np.unique(rows[:, 0], return_inverse=True)
        return found[:, None], numbers
    found, numbers = np.unique(rows, axis=0, return_inverse=True)
    return found, numbers.reshape(-1)


def _pruned(walked: tuple[list[int], list[Edges]]) -> Frontier:
    """Drop every pattern that no way leads on from, and number the others afresh."""
    sizes, edges = walked
    ends = len(edges)
    numbers: list[Index] = [np.zeros(0, np.int64)] * (ends + 1)
    numbers[ends] = np.arange(sizes[ends])
    kept = [0] * (ends + 1)
    kept[ends] = sizes[ends]
    alive_edges = [Edges.none()] * ends
    offsets = np.cumsum([0, *sizes])
    # One table of all patterns: -1 is dead, and so is what the last entry stands for.
    table = np.full(offsets[-1] + 1, -1, np.int64)
    table[offsets[ends] : offsets[ends] + sizes[ends]] = numbers[ends]
    for position in range(ends - 1, -1, -1):
        found = edges[position]
        if not sizes[position] or not len(found.source):
            continue
        place = np.where(found.target < 0, len(table) - 1, offsets[found.layer] + found.target)
        target = table[place]
        places = np.flatnonzero(target >= 0)
        places = places[np.argsort(found.layer[places], kind="stable")]
        alive = np.zeros(sizes[position], np.bool_)
        alive[found.source[places]] = True
        renumbered = np.cumsum(alive) - 1
        renumbered[~alive] = -1
        table[offsets[position] : offsets[position] + sizes[position]] = renumbered
        kept[position] = int(alive.sum())
        chosen = found.picked(places)
        alive_edges[position] = replace(
            chosen, source=renumbered[chosen.source], target=target[places]
        )
    return Frontier(tuple(kept), tuple(alive_edges))
