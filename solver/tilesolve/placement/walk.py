"""Depth first along a sweep: fill the first open cell, or leave it open, and go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from typing import TypeAlias

from tilesolve.budget import Meter, each
from tilesolve.placement.sweep import Sweep

Step: TypeAlias = tuple[int, int, int]
"""``(test, add, option)``: possible in `state` if ``state & test == 0``, then ``state + add``.
Leaving the first cell open is option -1."""

_FITS_KEPT = 400_000
"""Filtered lists of steps that are kept; about 100 MB at worst."""

_DEAD_KEPT = 1_000_000
"""Dead states that are remembered; about 150 MB at worst."""


@dataclass
class Walk:
    """One walk through all solutions of a sweep, in a fixed order.

    At each first open cell the options come in the order given by `rank`, ascending, and then,
    in a packing with cells to spare, leaving it open. Two solutions never are the same set of
    options, because the first open cell decides which option comes next.

    Parameters
    ----------
    sweep : Sweep
        What to fill.
    rank : callable or None
        Sort key of an option; None is the option's own number.
    dead : set of int or None
        States known to lead nowhere, shared by walks along the same sweep; None remembers
        nothing, which is right when all solutions are wanted.
    hopeless : callable or None
        ``hopeless(open cells, cells just taken, spare) -> bool``: True when what is left cannot
        be filled, as `tilesolve.placement.pocket` makes it.
    meter : Meter or None
        Limits of the preparation; `Stopped` is raised when one is hit.
    """

    sweep: Sweep
    rank: Callable[[int], int | float] | None = None
    dead: set[int] | None = None
    hopeless: Callable[[int, int, int], bool] | None = None
    meter: InitVar[Meter | None] = None
    _steps: list[list[Step]] = field(init=False)
    _near: list[int] = field(init=False)
    _fits: list[dict[int, list[Step]]] = field(init=False)
    _kept: int = field(init=False, default=0)
    _ranged: bool = field(init=False)

    def __post_init__(self, meter: Meter | None) -> None:
        sweep = self.sweep
        counters = sweep.counters(len(sweep.order))
        self._begin = sum(counter.begin for counter in counters if counter)
        self._counters = counters
        self._ranged = not sweep.exact
        self._steps, self._near = [], []
        for position, options in each(meter, enumerate(sweep.starts), stride=8):
            reach = 1 << position
            steps: list[Step] = []
            for option in sorted(options, key=self.rank) if self.rank else options:
                mask, counter = sweep.masks[option], counters[sweep.kinds[option]]
                reach |= mask
                if counter is None:
                    steps.append((mask, mask, option))
                else:
                    steps.append((mask | counter.full, mask + counter.unit, option))
            if not sweep.cover:
                steps.append((1 << position, 1 << position, -1))
            self._steps.append(steps)
            # In a cover no cell is lost, so the pockets depend on the cells alone and are looked
            # for once for all states with these cells.
            self._near.append(sweep.full if sweep.cover and self.hopeless else reach)
        self._fits = [{} for _ in sweep.order]

    def solutions(self) -> Iterator[tuple[int, ...] | None]:
        """Yield each solution as options in the order they were chosen, and None for each node.

        The walk is over, everything searched, when the iterator ends.
        """
        sweep, full = self.sweep, self.sweep.full
        spare = sweep.spare
        if spare < 0 or (sweep.cover and spare > 0 and not self._ranged):
            return
        if self._done(self._begin, spare):
            yield ()
            return
        path: list[int] = []
        trail: list[tuple[Iterator[Step], int, int]] = []
        steps, state = iter(self._fitting(self._begin)), self._begin
        dead, ranged = self.dead, self._ranged
        hopeless = None if sweep.cover else self.hopeless
        while True:
            for test, add, option in steps:
                if state & test:
                    continue
                left = spare
                if option < 0:
                    left -= 1
                elif ranged:
                    left -= self._beyond_need(option, state)
                if left < 0:
                    continue
                grown = state + add
                if grown & full == full or (not ranged and left == _open(grown, full)):
                    yield self._solution(path, option)
                    continue
                if dead is not None and grown in dead:
                    continue
                if hopeless is not None and hopeless(~grown & full, add & full, left):
                    continue
                trail.append((steps, state, spare))
                path.append(option)
                state, spare, steps = grown, left, iter(self._fitting(grown))
                yield None
                break
            else:
                if not trail:
                    return
                if dead is not None and len(dead) < _DEAD_KEPT:
                    dead.add(state)
                steps, state, spare = trail.pop()
                path.pop()

    def _done(self, state: int, spare: int) -> bool:
        full = self.sweep.full
        return state & full == full or (not self._ranged and spare == _open(state, full))

    @staticmethod
    def _solution(path: list[int], last: int) -> tuple[int, ...]:
        return tuple(option for option in (*path, last) if option >= 0)

    def _beyond_need(self, option: int, state: int) -> int:
        """Return the cells an option takes from the spare ones: all, once its need is met."""
        kind = self.sweep.kinds[option]
        counter = self._counters[kind]
        if counter is not None and counter.used(state) < self.sweep.least[kind]:
            return 0
        return self.sweep.sizes[kind]

    def _fitting(self, state: int) -> list[Step]:
        """Return the steps at the first open cell whose cells are open."""
        position = (~state & (state + 1)).bit_length() - 1
        near = state & self._near[position]
        fits = self._fits[position].get(near)
        if fits is None:
            fits = self._filtered(position, near)
            if self._kept >= _FITS_KEPT:
                self._fits = [{} for _ in self._fits]
                self._kept = 0
            self._fits[position][near] = fits
            self._kept += len(fits) + 1
        return fits

    def _filtered(self, position: int, near: int) -> list[Step]:
        full, hopeless = self.sweep.full, self.hopeless
        fits = [step for step in self._steps[position] if not step[0] & full & near]
        if hopeless is not None and self.sweep.cover:
            vacant = full & ~near
            return [step for step in fits if not hopeless(vacant & ~step[0], step[0] & full, 0)]
        return fits


def _open(state: int, full: int) -> int:
    return (~state & full).bit_count()
