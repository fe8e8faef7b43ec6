"""States of a diagram: a pattern of the frontier and the copies used of each kind.

States are kept in columns of whole numbers: the first holds the pattern's number in its top
bits, and every counted kind has a field in some column. Two states are merged when all columns
are equal, never by a hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.placement.frontier import Edges, Frontier, Index
from tilesolve.placement.sweep import Counter, Sweep, in_words

Columns: TypeAlias = tuple[Index, ...]

Counts: TypeAlias = NDArray[Any]
"""Numbers of ways: 64-bit while they are sure to fit, Python's own numbers beyond."""

_WORD = 62
"""Bits used of a column; the others keep sums and signs out of trouble."""

EXACT = 2.0**58
"""Sums below this, found with floating point, fit a 64-bit number without doubt, also when
multiplied by the few symmetries that a sheet has."""


@dataclass(frozen=True)
class States:
    """The states at one position, sorted, each with a number of ways."""

    columns: Columns
    ways: Counts

    def __len__(self) -> int:
        return len(self.ways)

    @property
    def bytes(self) -> int:
        """The memory they take; numbers beyond 64 bits are reckoned with 64 bytes."""
        each = 64 if self.ways.dtype == object else 8
        return sum(column.nbytes for column in self.columns) + each * len(self.ways)


@dataclass(frozen=True)
class Expansion:
    """Pairs of an edge and a state it can be taken from, by edge and then by state."""

    edge: Index
    state: Index

    def picked(self, places: Index) -> Expansion:
        """Return the pairs at these places."""
        return Expansion(self.edge[places], self.state[places])


@dataclass(frozen=True)
class _Table:
    """What each option does to one column.

    `full` must be 0 once `bias` is added; `add` is added; then the field `mask` holds `least`.
    """

    full: Index
    bias: Index
    add: Index
    mask: Index
    least: Index


@dataclass(frozen=True)
class Layout:
    """Where the copies of each kind are counted, and what options do to the counts.

    Parameters
    ----------
    sweep : Sweep
        A cover.
    frontier : Frontier
        Its patterns.
    uncounted : tuple of int
        Kinds that need no counter because the others decide how often they are used.
    labels : tuple of int or None
        For each of the first options a number, at least 0; their sum is kept beside the copies.
    """

    sweep: Sweep
    frontier: Frontier
    uncounted: tuple[int, ...] = ()
    labels: tuple[int, ...] | None = None

    @cached_property
    def pattern_bits(self) -> int:
        """Bits of a pattern's number."""
        return max(1, (max(self.frontier.patterns, default=0)).bit_length())

    @cached_property
    def _laid(self) -> tuple[tuple[Counter | None, ...], int]:
        counters = [
            None if kind in self.uncounted else counter
            for kind, counter in enumerate(self.sweep.counters(0))
        ]
        if self.labels is not None:
            counters.append(self._sums(self.labels))
        return in_words(counters, start=self.pattern_bits, word=_WORD)

    def _sums(self, labels: Sequence[int]) -> Counter:
        """Return the field of the labels' sum: no kind takes more than its largest each time."""
        largest = [0] * len(self.sweep.sizes)
        for kind, label in zip(self.sweep.kinds, labels, strict=False):
            largest[kind] = max(largest[kind], label)
        most = sum(map(mul, largest, self.sweep.most))
        return Counter(0, max(1, most.bit_length()), 0, most)

    @property
    def counters(self) -> tuple[Counter | None, ...]:
        """The counter of each kind; see `place` for the column it lies in."""
        return self._laid[0][: len(self.sweep.sizes)]

    def sums(self, states: States) -> Index:
        """Return the sum of the labels in each state."""
        field = self._laid[0][-1]
        assert field is not None
        column, bit = self.place(field)
        return states.columns[column] >> bit & ((1 << field.width) - 1)

    @cached_property
    def width(self) -> int:
        """The number of columns."""
        return max(1, -(-self._laid[1] // _WORD))

    def place(self, counter: Counter) -> tuple[int, int]:
        """Return the column of a counter and its lowest bit there."""
        column, bit = divmod(counter.offset, _WORD)
        return column, bit - (self.pattern_bits if column == 0 else 0)

    @property
    def pattern_shift(self) -> int:
        """The lowest bit of the pattern's number in the first column."""
        return _WORD - self.pattern_bits

    def start(self) -> States:
        """Return the one state at the beginning."""
        columns = [0] * self.width
        for counter in self.counters:
            if counter:
                column, bit = self.place(counter)
                columns[column] += counter.start << bit
        return States(tuple(np.array([number]) for number in columns), np.array([1]))

    @cached_property
    def _by_option(self) -> list[_Table]:
        """For each column what each option does to it."""
        kinds, copies = np.array(self.sweep.kinds, np.int64), np.array(self.sweep.copies, np.int64)
        tables = []
        for column in range(self.width):
            # By kind: the top bit, one copy, the field, and what it holds when it is not used.
            full, unit, mask, start = (np.zeros(len(self.counters), np.int64) for _ in range(4))
            for kind, counter in enumerate(self.counters):
                if counter and self.place(counter)[0] == column:
                    bit = self.place(counter)[1]
                    full[kind] = 1 << (bit + counter.width - 1)
                    unit[kind] = 1 << bit
                    mask[kind] = ((1 << counter.width) - 1) << bit
                    start[kind] = counter.start << bit
            add = unit[kinds] * copies
            bias = add - unit[kinds]
            field = None if self.labels is None else self._laid[0][-1]
            if field is not None and self.labels is not None and self.place(field)[0] == column:
                label = np.zeros(len(kinds), np.int64)
                label[: len(self.labels)] = self.labels
                add = add + (label << self.place(field)[1])
            tables.append(_Table(full[kinds], bias, add, mask[kinds], start[kinds] + add))
        return tables

    @cached_property
    def _joined(self) -> bool:
        """Whether some option uses several copies at once."""
        return max(self.sweep.copies, default=1) > 1

    def expand(self, states: States, edges: Edges, at_most: int) -> Expansion | None:
        """Return which edges can be taken from which states; None: more than `at_most` to try."""
        pairs = _paired(self._pattern(states), edges.source, at_most)
        if pairs is None:
            return None
        free = np.ones(len(pairs.edge), np.bool_)
        for column, table in zip(states.columns, self._by_option, strict=True):
            used = column[pairs.state]
            if self._joined:
                used = used + table.bias[edges.option][pairs.edge]
            free &= (used & table.full[edges.option][pairs.edge]) == 0
        return pairs.picked(np.flatnonzero(free))

    def targets(self, states: States, edges: Edges, pairs: Expansion) -> Columns:
        """Return the columns of the states that the edges lead to."""
        low = (1 << self.pattern_shift) - 1
        columns = []
        for number, (column, table) in enumerate(zip(states.columns, self._by_option, strict=True)):
            gain = table.add[edges.option]
            if number == 0:
                gain = gain + (edges.target << self.pattern_shift)
                column = column & low
            columns.append(column[pairs.state] + gain[pairs.edge])
        return tuple(columns)

    def retract(self, states: States, edges: Edges, at_most: int) -> Expansion | None:
        """Return which edges may have led to which states; None: more than `at_most` to try."""
        pairs = _paired(self._pattern(states), edges.target, at_most)
        if pairs is None:
            return None
        used = np.ones(len(pairs.edge), np.bool_)
        for column, table in zip(states.columns, self._by_option, strict=True):
            option = edges.option[pairs.edge]
            used &= (column[pairs.state] & table.mask[option]) >= table.least[option]
        return pairs.picked(np.flatnonzero(used))

    def sources(self, states: States, edges: Edges, pairs: Expansion) -> Columns:
        """Return the columns of the states that the edges led from, if they exist."""
        low = (1 << self.pattern_shift) - 1
        columns = []
        for number, (column, table) in enumerate(zip(states.columns, self._by_option, strict=True)):
            loss = table.add[edges.option]
            if number == 0:
                loss = loss - (edges.source << self.pattern_shift)
                column = column & low
            columns.append(column[pairs.state] - loss[pairs.edge])
        return tuple(columns)

    def _pattern(self, states: States) -> Index:
        return states.columns[0] >> self.pattern_shift

    @cached_property
    def _last_start(self) -> list[int]:
        last = [-1] * len(self.sweep.sizes)
        for position, options in enumerate(self.sweep.starts):
            for option in options:
                last[self.sweep.kinds[option]] = position
        return last

    def hopeful(self, columns: Columns, position: int) -> NDArray[np.bool_] | None:
        """Tell which states have used often enough what cannot be used any more; None: all."""
        hopeful = None
        for counter, least, last in zip(
            self.counters, self.sweep.least, self._last_start, strict=True
        ):
            if counter and least and last < position:
                number, bit = self.place(counter)
                field = columns[number] >> bit & ((1 << counter.width) - 1)
                enough = field >= counter.start + least
                hopeful = enough if hopeful is None else hopeful & enough
        return hopeful


def _paired(pattern: Index, wanted: Index, at_most: int) -> Expansion | None:
    """Pair each edge with all states that have its pattern; `pattern` is sorted."""
    first = np.searchsorted(pattern, wanted, "left")
    lengths = np.searchsorted(pattern, wanted, "right") - first
    if lengths.sum() > at_most:
        return None
    edge = np.repeat(np.arange(len(lengths)), lengths)
    state = np.arange(len(edge)) + (first - (np.cumsum(lengths) - lengths))[edge]
    return Expansion(edge, state)


def merged(parts: Sequence[tuple[Columns, Counts]]) -> States:
    """Merge equal states and add their ways up, exactly."""
    columns = tuple(
        np.concatenate(column) for column in zip(*(part[0] for part in parts), strict=True)
    )
    ways = _joined([part[1] for part in parts])
    if len(columns) == 1:
        order = np.argsort(columns[0], kind="stable")
    else:
        order = np.lexsort(columns[::-1])
    columns = tuple(column[order] for column in columns)
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    places = np.flatnonzero(fresh)
    return States(tuple(column[places] for column in columns), np.add.reduceat(ways[order], places))


def _joined(ways: Sequence[Counts]) -> Counts:
    """Concatenate, going over to Python's numbers before a sum could pass 64 bits."""
    if (
        any(part.dtype == object for part in ways)
        or sum(part.sum(dtype=np.float64) for part in ways) >= EXACT
    ):
        return np.concatenate([part.astype(object) for part in ways])
    return np.concatenate(ways)


def found(states: States, columns: Columns) -> Index:
    """Return the number of each wanted state, or -1 where it is not there."""
    if not len(states):
        return np.full(len(columns[0]), -1, np.int64)
    if len(columns) == 1:
        keys = states.columns[0]
        place = np.minimum(np.searchsorted(keys, columns[0]), len(keys) - 1)
        return np.where(keys[place] == columns[0], place, -1)
    size = len(states)
    both = [np.concatenate(pair) for pair in zip(states.columns, columns, strict=True)]
    order = np.lexsort((np.arange(size + len(columns[0])), *both[::-1]))
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in both:
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    head = order[np.flatnonzero(fresh)][np.cumsum(fresh) - 1]
    number = np.empty(len(order), np.int64)
    number[order] = np.where(head < size, head, -1)
    return number[size:]
