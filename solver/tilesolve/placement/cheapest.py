"""All selections within a limit, exactly, where cells, options and copies cost something.

The cells are decided one by one along a sweep: left open, or taken by an option that begins
there. All ways to the same state (cells taken ahead, copies used) are joined, which is exact,
because what may follow depends on the state alone (dynamic programming over the border of a
sweep). States that cannot stay within the limit are dropped: each copy that is left saves at most
what its best placement further on does, and all together at most what the cells that are left
cost. Going back from the end then tells every state what it can still save, so that the
selections within the limit are read off without a blind alley.

Regions of open cells, contact and clauses are not looked at: ask them of each selection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tilesolve.budget import Meter, Stopped
from tilesolve.placement.objective import Costs
from tilesolve.placement.problem import Problem, bits
from tilesolve.placement.sweep import Counter, Sweep, sweep_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    States: TypeAlias = NDArray[np.uint64]
    Figures: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

_WORD = 63
"""Bits of a state."""

STATES = 16
"""States that cost one unit of work."""

_MOST = 15_000_000
"""Links between states in all; a link takes twelve bytes."""

_LARGEST = 2**40
"""Figures beyond it are left to others."""

_DEAD = -(2**60)
"""What a state can still save that leads nowhere."""


@dataclass(frozen=True, kw_only=True)
class Cheapest:
    """What was found.

    Parameters
    ----------
    bound : int
        A cost that no selection undercuts: that of the cheapest one, or one above the limit; less
        where the walk was cut short.
    complete : bool
        Whether `selections` are all there are within the limit; if not, some or none.
    """

    bound: int
    complete: bool
    _walk: _Walk

    def selections(self, below: Callable[[], int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield costs and selections, those that cost less than what is asked for at the time.

        `below` may fall while they are read off, and counts up to the limit.
        """
        yield from self._walk.read(below)


def cheapest(
    problem: Problem, costs: Costs, *, limit: int, meter: Meter, beam: int | None = None
) -> Cheapest | None:
    """Compile the selections that cost at most `limit`.

    Parameters
    ----------
    problem : Problem
        A cover or a packing.
    costs : Costs
        Those of regions are not looked at.
    limit : int
        Dearer selections are of no interest.
    meter : Meter
        One unit of work for `STATES` states, or a step in reading selections off.
    beam : int or None
        Of each cell, only so many states are kept, the most promising ones: a quick look for
        good selections, which is complete only where there are no more.

    Returns
    -------
    Cheapest or None
        None: the states do not fit into a word, or the meter stopped before the start.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0", "0,1", "0,2"), (Kind("I2", 0, 1),),
    ...               (Option(0, 0b011), Option(0, 0b110)), False, ((1,), (0, 2), (1,)))
    >>> found = cheapest(row, Costs(1, (3, 1, 1), (0, 0), (0,), 0), limit=4,
    ...                  meter=Meter(budget=Budget()))
    >>> found.bound, found.complete, list(found.selections(lambda: 5))
    (1, True, [(1, (0,)), (3, (1,))])
    """
    try:
        sweep = sweep_of(problem, meter=meter)
    except Stopped:
        return None
    table = _Table(problem, sweep, costs)
    if not table.fits:
        return None
    return _Walk(table, limit, meter, beam).end()


class _Table:
    """The figures of a problem along its sweep: what options save, and what is left to save."""

    def __init__(self, problem: Problem, sweep: Sweep, costs: Costs) -> None:
        self.sweep = sweep
        self.open = [costs.open[cell] for cell in sweep.order]
        missing = sum(
            figure * (kind.most or 0)
            for figure, kind in zip(costs.missing, problem.kinds, strict=True)
        )
        self.everything_open = sum(self.open) + missing
        self.width = max((mask.bit_length() - _first(mask) for mask in sweep.masks), default=1)
        self.counters: Sequence[Counter | None] = sweep.counters(self.width)
        extra = [
            costs.missing[kind] - cost for kind, cost in zip(sweep.kinds, costs.option, strict=True)
        ]
        self.saves = [
            more + sum(self.open[place] for place in bits(mask))
            for more, mask in zip(extra, sweep.masks, strict=True)
        ]
        kinds = range(len(sweep.sizes))
        self.extra = [0 for _ in kinds]
        for kind, more in zip(sweep.kinds, extra, strict=True):
            self.extra[kind] = max(self.extra[kind], more)
        self.best = self._best_further_on()
        self.left = [0]
        for cost in reversed(self.open):
            self.left.insert(0, self.left[0] + max(0, cost))

    @property
    def fits(self) -> bool:
        """Whether a state fits into a word, and all figures stay small."""
        width = self.width + sum(counter.width for counter in self.counters if counter)
        figures = sum(map(abs, self.open)) + sum(map(abs, self.saves))
        return width <= _WORD and figures < _LARGEST

    def _best_further_on(self) -> list[list[int]]:
        """Return for each position and kind the most that an option from there on saves."""
        best = [[0] * len(self.sweep.sizes)]
        for starting in reversed(self.sweep.starts):
            here = list(best[0])
            for option in starting:
                kind = self.sweep.kinds[option]
                here[kind] = max(here[kind], self.saves[option])
            best.insert(0, here)
        return best


@dataclass(frozen=True)
class _Links:
    """Between the states before a cell and those after it."""

    came: NDArray[np.int32]
    option: NDArray[np.int32]
    to: NDArray[np.int32]


class _Walk:
    """The states of one cell after the other, and the links between them."""

    def __init__(self, table: _Table, limit: int, meter: Meter, beam: int | None) -> None:
        import numpy as np

        self.np, self.table, self.meter = np, table, meter
        self.limit, self.beam, self.narrowed = limit, beam, False
        begin = sum(counter.begin for counter in table.counters if counter)
        self.states: States = np.array([begin], dtype=np.uint64)
        self.saved: Figures = np.zeros(1, dtype=np.int64)
        self.ahead: Figures = np.zeros(1, dtype=np.int64)
        """What the cells cost that are taken ahead."""
        self.links: list[_Links] = []
        self.further: list[Figures] = []
        """For each cell, what the states before it can still save; `_DEAD` if it leads nowhere."""

    def end(self) -> Cheapest:
        """Walk to the end, or until the meter or memory stops it, and back."""
        np, table = self.np, self.table
        wanted = table.everything_open - self.limit
        total = 0
        layers: list[Figures] = []
        highest = 0
        for place in range(len(table.open)):
            reach = self.reach(place)
            if not self.narrowed:
                highest = int(reach.max(initial=wanted - 1))
            total += len(self.links[-1].to) if self.links else 0
            if not self.meter.spend(1 + len(self.states) // STATES) or total > _MOST:
                bound = table.everything_open - highest
                return Cheapest(bound=bound, complete=False, _walk=self)
            self.keep(self.promising(reach, wanted))
            if not len(self.states):
                break
            layers.append(self.saved)
            self.step(place)
        bound = self.limit + 1 if not self.narrowed else table.everything_open - highest
        self.keep((self.saved >= wanted) & self.complete())
        if not len(self.states):
            return Cheapest(bound=bound, complete=not self.narrowed, _walk=self)
        self.further = [np.zeros(len(self.states), dtype=np.int64)]
        for place in reversed(range(len(layers))):
            self.further.insert(0, self.before(place, layers[place], wanted))
        if not self.narrowed:
            bound = table.everything_open - int(self.further[0][0])
        return Cheapest(bound=bound, complete=not self.narrowed, _walk=self)

    def promising(self, reach: Figures, wanted: int) -> Flags:
        """Return the states to go on with."""
        np = self.np
        those: Flags = reach >= wanted
        if self.beam is not None and int(those.sum()) > self.beam:
            self.narrowed = True
            best = np.argpartition(reach, len(reach) - self.beam)[-self.beam :]
            those = np.zeros(len(reach), dtype=np.bool_)
            those[best] = True
        return those

    def before(self, place: int, saved: Figures, wanted: int) -> Figures:
        """Return what each of the states before a cell can still save; drop links in vain."""
        np, links = self.np, self.links[place]
        saves = np.array([*self.table.saves, 0], dtype=np.int64)  # option -1: nothing
        gains = self.further[0][links.to] + saves[links.option]
        found: Figures = np.full(len(saved), _DEAD, dtype=np.int64)
        np.maximum.at(found, links.came, gains)
        useful = saved[links.came] + gains >= wanted
        self.links[place] = _Links(links.came[useful], links.option[useful], links.to[useful])
        return found

    def read(self, below: Callable[[], int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the selections that cost less than `below`, never more than the limit."""
        if not self.further:
            return
        table = self.table
        ways = [
            self.out(links, further)
            for links, further in zip(self.links, self.further[1:], strict=True)
        ]
        waiting: list[tuple[int, int, int, tuple[int, ...]]] = [(0, 0, 0, ())]
        while waiting:
            place, state, saved, chosen = waiting.pop()
            least = table.everything_open - min(below() - 1, self.limit)
            if place == len(ways):
                if saved >= least:
                    yield table.everything_open - saved, tuple(sorted(chosen))
                continue
            if not self.meter.spend(1):
                return
            for to, option, saves, further in ways[place].get(state, ()):
                if saved + saves + further >= least:
                    more = (*chosen, option) if option >= 0 else chosen
                    waiting.append((place + 1, to, saved + saves, more))

    def out(self, links: _Links, further: Figures) -> dict[int, list[tuple[int, int, int, int]]]:
        """Return for each state where it leads: state, option, saved by it and further on."""
        found: dict[int, list[tuple[int, int, int, int]]] = {}
        came, option, to = links.came.tolist(), links.option.tolist(), links.to.tolist()
        rest = further[links.to].tolist()
        for state, chosen, after, more in zip(came, option, to, rest, strict=True):
            saves = self.table.saves[chosen] if chosen >= 0 else 0
            found.setdefault(state, []).append((after, chosen, saves, more))
        for ways in found.values():
            ways.sort(key=lambda way: way[2] + way[3])  # the last is looked at first
        return found

    def reach(self, place: int) -> Figures:
        """Return what each state can save in all, at most."""
        np, table = self.np, self.table
        room = len(table.open) - place
        by_copies = np.zeros(len(self.states), dtype=np.int64)
        by_cells = table.left[place] - self.ahead
        for kind, (best, extra) in enumerate(zip(table.best[place], table.extra, strict=True)):
            if best <= 0 and extra <= 0:
                continue
            left = self.copies_left(kind, room)
            by_copies += left * best
            by_cells = by_cells + left * extra
        reach: Figures = self.saved + np.minimum(by_copies, by_cells)
        return reach

    def copies_left(self, kind: int, room: int) -> Figures | int:
        """Return how many copies of a kind each state may still use."""
        np, counter = self.np, self.table.counters[kind]
        if counter is None:
            return min(self.table.sweep.most[kind], room // max(1, self.table.sweep.sizes[kind]))
        field = self.states >> np.uint64(counter.offset)
        used = (field & np.uint64((1 << counter.width) - 1)).astype(np.int64) - counter.start
        left: Figures = counter.most - used
        return left

    def complete(self) -> Flags:
        """Return which states use as many copies as they must."""
        np = self.np
        enough: Flags = np.ones(len(self.states), dtype=np.bool_)
        for kind, least in enumerate(self.table.sweep.least):
            counter = self.table.counters[kind]
            if counter is not None and least:
                enough = enough & (self.copies_left(kind, 0) <= counter.most - least)
            elif least:
                enough[:] = False
        return enough

    def step(self, place: int) -> None:
        """Decide one cell: it is taken already, stays open, or an option begins there."""
        np = self.np
        parts = list(self.ways(place))
        states = np.concatenate([part[0] for part in parts])
        saved = np.concatenate([part[1] for part in parts])
        ahead = np.concatenate([part[2] for part in parts])
        came = np.concatenate([part[3] for part in parts])
        option = np.concatenate([np.full(len(part[0]), part[4], dtype=np.int32) for part in parts])
        order = np.lexsort((-saved, states))
        states = states[order]
        first = np.ones(len(states), dtype=bool)
        first[1:] = states[1:] != states[:-1]
        kept = order[first]
        to = np.empty(len(order), dtype=np.int32)
        to[order] = np.cumsum(first) - 1
        self.states, self.saved, self.ahead = states[first], saved[kept], ahead[kept]
        self.links.append(_Links(came, option, to))

    def ways(self, place: int) -> Iterator[tuple[States, Figures, Figures, NDArray[np.int32], int]]:
        """Yield the states that follow, with what they saved and where they come from."""
        np, table = self.np, self.table
        cost = max(0, table.open[place])
        taken = (self.states & np.uint64(1)).astype(bool)
        at = np.nonzero(taken)[0].astype(np.int32)
        yield self.passed(self.states[at]), self.saved[at], self.ahead[at] - cost, at, -1
        at = np.nonzero(~taken)[0].astype(np.int32)
        states, saved, ahead = self.states[at], self.saved[at], self.ahead[at]
        if not table.sweep.cover:
            yield self.passed(states), saved, ahead, at, -1
        for option in table.sweep.starts[place]:
            mask = table.sweep.masks[option]
            counter = table.counters[table.sweep.kinds[option]]
            own = np.uint64(mask >> place)
            free = (states & np.uint64((mask >> place) | (counter.full if counter else 0))) == 0
            if not free.any():
                continue
            more = np.uint64(counter.unit) if counter else np.uint64(0)
            rest = sum(max(0, table.open[p]) for p in bits(mask)) - cost
            follow = self.passed((states[free] | own) + more)
            yield follow, saved[free] + table.saves[option], ahead[free] + rest, at[free], option

    def passed(self, states: States) -> States:
        """Return states as the next cell sees them."""
        np, width = self.np, self.table.width
        window = np.uint64((1 << width) - 1)
        moved: States = (states & ~window) | ((states & window) >> np.uint64(1))
        return moved

    def keep(self, those: Flags) -> None:
        """Drop the other states, with the links to them, and put the links in order."""
        np = self.np
        self.states, self.saved = self.states[those], self.saved[those]
        self.ahead = self.ahead[those]
        if self.links:
            links, number = self.links[-1], np.cumsum(those, dtype=np.int32) - 1
            alive = those[links.to]
            self.links[-1] = _Links(links.came[alive], links.option[alive], number[links.to[alive]])


def _first(mask: int) -> int:
    return (mask & -mask).bit_length() - 1
