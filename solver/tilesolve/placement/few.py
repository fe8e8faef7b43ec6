"""Small sheets: whole states are walked cell by cell, in one pass, to count or list solutions.

Patterns first and pieces afterwards, as the diagram does it, pays where there are many states.
A small sheet, as one day of a calendar, has a few thousand, and there what costs is the number
of passes. A state is one 64-bit number, its copies used below and its cells above, and stays as
it is where the next cell is taken already.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter
from tilesolve.placement.pocket import small_pockets
from tilesolve.placement.sweep import Counter, Sweep, with_holes

Index: TypeAlias = NDArray[np.int64]

States: TypeAlias = NDArray[np.uint64]

_Ends: TypeAlias = dict[int, list[tuple[int, ...]]]
"""For each state that a solution goes through, the ways from there to the end."""

_OPTIONS = 1_200
"""Options beyond which there are likely many states."""

_STEPS = 150_000
"""Steps from state to state at which the attempt is given up."""

_STEP_BYTES = 64
"""What a step costs while it is kept."""

_TRIED = 1 << 21
"""States times options at one position at which the attempt is given up."""

_TRIED_BYTES = 24
"""What a state with an option costs while it is tried."""

_LISTED = 2_000
"""Solutions beyond which they are better streamed from a diagram than listed at once."""

_WORD = 64

_WORTH_A_LOOK = 100
"""New states from which on looking for pockets saves more than it costs."""

_TOGETHER = 1 << 16
"""Tests of a state against a pocket that are made at once."""

_EXACT = 2.0**52
"""Whole numbers up to here are exact in floating point, and so are their sums."""


def count_few(
    sweep: Sweep,
    adjacent: Sequence[Sequence[int]],
    *,
    meter: Meter,
    memory: int,
    weights: Sequence[int] | None = None,
) -> int | None:
    """Return the number of solutions, or None where there are many states or the meter stopped.

    Parameters
    ----------
    sweep : Sweep
        What is counted.
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.
    meter : Meter
        One unit of work a step from state to state.
    memory : int
        Bytes allowed.
    weights : sequence of int, optional
        A factor for each option; see `tilesolve.placement.ways.count_covers`.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> sweep = Sweep((0, 1, 2, 3), (3, 5, 10, 12), (0,) * 4, (1,) * 4, (2,), (2,), (2,), True,
    ...               (1,) * 4)
    >>> count_few(sweep, (), meter=Meter(budget=Budget()), memory=10**6)
    2
    """
    board = _board(sweep, adjacent)
    if board is None:
        return None
    factors = np.ones(len(board.sweep.masks), np.int64)
    factors[: len(weights or ())] = weights or ()
    total = _summed(board, factors, np.dtype(np.float64), meter, memory)
    if total is None or total < _EXACT:
        return total
    return _summed(board, factors, np.dtype(object), meter, memory)


def list_few(
    sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter, memory: int
) -> list[tuple[int, ...]] | None:
    """Return all solutions as ascending options, in the order of `covers`.

    None where there are many states or solutions, or the meter stopped it. See `count_few`.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> sweep = Sweep((0, 1, 2, 3), (3, 5, 10, 12), (0,) * 4, (1,) * 4, (2,), (2,), (2,), True,
    ...               (1,) * 4)
    >>> list_few(sweep, (), meter=Meter(budget=Budget()), memory=10**6)
    [(0, 3), (1, 2)]
    """
    board = _board(sweep, adjacent)
    if board is None:
        return None
    walked = list(_walk(board, meter, memory))
    if len(walked) < len(board.sweep.order):
        return None
    complete = np.flatnonzero(board.complete(walked[-1].states)).tolist() if walked else [0]
    ends: _Ends = {state: [()] for state in complete}
    for steps in reversed(walked):
        ends = _earlier(steps, ends)
        if sum(map(len, ends.values())) > _LISTED:
            return None
    real = len(sweep.masks)
    return [
        tuple(sorted([option for option in chosen if option < real])) for chosen in ends.get(0, ())
    ]


def _board(sweep: Sweep, adjacent: Sequence[Sequence[int]]) -> _Board | None:
    """Return the states' layout, if they are few and fit a word."""
    if len(sweep.masks) > _OPTIONS or sweep.spare < 0:
        return None
    board = _Board(sweep if sweep.cover else with_holes(sweep), adjacent)
    return board if board.counted + len(sweep.order) <= _WORD else None


@dataclass(frozen=True)
class _Board:
    """A cover as states of one word: counters in the lowest bits, then a bit for each position."""

    sweep: Sweep
    adjacent: Sequence[Sequence[int]]

    @cached_property
    def counters(self) -> tuple[Counter | None, ...]:
        """The counter of each kind."""
        return self.sweep.counters(0)

    @cached_property
    def counted(self) -> int:
        """The bits of the counters."""
        return max((c.offset + c.width for c in self.counters if c), default=0)

    @property
    def begin(self) -> int:
        """The state in which nothing is taken."""
        return sum(counter.begin for counter in self.counters if counter)

    @cached_property
    def masks(self) -> States:
        """The cells of each option, a bit for each position."""
        return np.array(self.sweep.masks, np.uint64)

    @cached_property
    def tables(self) -> tuple[States, States | None, States]:
        """For each option what must be 0, what is added before that, and what it adds."""
        by_kind = [(c.full, c.unit) if c else (0, 0) for c in self.counters]
        full, unit = np.array(by_kind, np.uint64).reshape(-1, 2)[list(self.sweep.kinds)].T
        cells = self.masks << np.uint64(self.counted)
        copies = np.array(self.sweep.copies, np.uint64)
        biases = (copies - np.uint64(1)) * unit if (copies > 1).any() else None
        return cells | full, biases, cells + copies * unit

    @cached_property
    def starts(self) -> tuple[Index, ...]:
        """For each position the usable options whose first cell lies there, ascending."""
        sweep = self.sweep
        first = _bits(self.masks & -self.masks) - 1
        usable = np.array(sweep.copies) <= np.array(sweep.most, np.int64)[list(sweep.kinds)]
        options = np.flatnonzero(usable)
        options = options[np.argsort(first[options], kind="stable")]
        cuts = np.searchsorted(first[options], np.arange(1, len(sweep.order)))
        return tuple(np.split(options, cuts)) if sweep.order else ()

    @cached_property
    def reach(self) -> int:
        """Positions from an option's first cell to its last, at most, or one more."""
        spans = _bits(self.masks) - _bits(self.masks & -self.masks)
        return 1 + int(spans.max(initial=0))

    @cached_property
    def pockets(self) -> tuple[list[int], States, States, Index]:
        """Pockets by their first cells: these, cells with rim, rims, and last positions."""
        found, shift = small_pockets(self.sweep, self.adjacent), self.counted
        return (
            [first for first, _, _ in found],
            np.array([whole << shift for _, _, whole in found], np.uint64),
            np.array([(whole & ~cells) << shift for _, cells, whole in found], np.uint64),
            np.array([whole.bit_length() for _, _, whole in found], np.int64),
        )

    def hopeful(self, grown: States, position: int) -> Index:
        """Return which of the states made at a position shut no pocket in."""
        firsts, wholes, rims, lasts = self.pockets
        first = bisect_left(firsts, position + 1)
        near = (lasts[first:] <= position + self.reach).nonzero()[0] + first
        if len(grown) * len(near) <= _TOGETHER:
            shut = ((grown[:, None] & wholes[near]) == rims[near]).any(axis=1)
        else:
            shut = np.zeros(len(grown), np.bool_)
            for pocket in near.tolist():
                shut |= (grown & wholes[pocket]) == rims[pocket]
        return np.flatnonzero(~shut)

    def complete(self, states: States) -> NDArray[np.bool_]:
        """Tell at the end which states used every kind often enough."""
        enough = np.ones(len(states), np.bool_)
        for counter, least in zip(self.counters, self.sweep.least, strict=True):
            if counter and least:
                used = states >> np.uint64(counter.offset) & np.uint64((1 << counter.width) - 1)
                enough &= used >= counter.start + least
        return enough


@dataclass(frozen=True)
class _Steps:
    """The steps across one position, sorted by `target`.

    A step finds the position taken and changes nothing, or uses an option.
    """

    source: Index
    option: Index
    """The option used; -1 where the position was taken."""
    target: Index
    fresh: Index
    """Where a new target begins."""
    states: States
    """The states that the steps lead to, ascending."""


def _bits(numbers: States) -> Index:
    """Return the bit length of each number; one more where floating point rounds it up."""
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


def _walk(board: _Board, meter: Meter, memory: int) -> Iterator[_Steps]:
    """Yield the steps across each position, until they are too many or the meter stops it."""
    tests, biases, adds = board.tables
    states = np.array([board.begin], np.uint64)
    left = min(_STEPS, memory // _STEP_BYTES)
    most = min(_TRIED, memory // _TRIED_BYTES)
    for position, options in enumerate(board.starts):
        taken = (states & np.uint64(1 << board.counted + position)) != 0
        passing, open_ = taken.nonzero()[0], (~taken).nonzero()[0]
        if len(open_) * len(options) > most:
            return
        tried = states[open_][:, None]
        if biases is not None:
            tried = tried + biases[options]
        row, column = ((tried & tests[options]) == 0).nonzero()
        source, option = open_[row], options[column]
        grown = states[source] + adds[option]
        left -= len(grown)
        if left < 0 or not meter.spend(len(grown)):
            return
        if len(grown) >= _WORTH_A_LOOK and board.pockets[0]:
            kept = board.hopeful(grown, position)
            source, option, grown = source[kept], option[kept], grown[kept]
        after = np.concatenate([states[passing], grown])
        order = after.argsort()
        after = after[order]
        new = np.ones(len(after), np.bool_)
        np.not_equal(after[1:], after[:-1], out=new[1:])
        fresh = new.nonzero()[0]
        states = after[fresh]
        unused = np.full(len(passing), -1, np.int64)
        yield _Steps(
            np.concatenate([passing, source])[order],
            np.concatenate([unused, option])[order],
            new.cumsum() - 1,
            fresh,
            states,
        )


def _summed(
    board: _Board, factors: Index, dtype: np.dtype[np.generic], meter: Meter, memory: int
) -> int | None:
    """Return the ways from the first state to the last ones, added up position by position."""
    ways = np.ones(1, dtype)
    # Entry -1, for the steps that use no option.
    factors = np.append(factors, 1)
    positions, states = 0, np.array([board.begin], np.uint64)
    for steps in _walk(board, meter, memory):
        positions, states = positions + 1, steps.states
        if not len(states):
            return 0
        ways = np.add.reduceat(ways[steps.source] * factors[steps.option], steps.fresh)
    if positions < len(board.sweep.order):
        return None
    return sum(int(number) for number in ways[board.complete(states)].tolist())


def _earlier(steps: _Steps, ends: _Ends) -> _Ends:
    """Return the ways to the end from the states before a position, from those after it."""
    alive = np.zeros(len(steps.states), np.bool_)
    alive[list(ends)] = True
    live = alive[steps.target].nonzero()[0]
    columns = (steps.source, steps.option, steps.target)
    before: _Ends = {}
    # By state and then by option: that is the order of the solutions.
    for source, option, target in sorted(zip(*[c[live].tolist() for c in columns], strict=True)):
        ways = ends[target]
        if option >= 0:
            ways = [(option, *way) for way in ways]
        before[source] = before[source] + ways if source in before else ways
    return before
