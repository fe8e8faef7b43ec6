"""Fewest empties for a known order of cards: a search that finds, and bounds that prove.

A position is a mask of filled squares and how many cards are gone. `Line` walks positions
exhaustively, with a bound from the areas that the cards to come can add up to; `beam` goes for
good lines on large grids, many positions at a time, led by the learned worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from tilesolve.budget import Meter
from tilesolve_models.second_chance.catalogue import SQUARES, Catalogue, Numbers, Words
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.lockstep import placements
from tilesolve_models.second_chance.policy import shortest
from tilesolve_models.second_chance.worth import CHUNK, Reals, forecast

Step: TypeAlias = tuple[int, int]
"""The squares drawn, and how many cards are gone after it."""


LARGE = 10**6
"""More empties than any grid has."""


class OutOfBudget(Exception):
    """The meter stopped the search."""


@dataclass(eq=False)
class Line:
    """All lines of one grid through a known order of cards.

    Parameters
    ----------
    grid : Grid
        The grid.
    cards : tuple of Tile
        In the order in which they come, two a round.
    meter : Meter
        Spent on at one unit a position.
    """

    grid: Grid
    cards: tuple[Tile, ...]
    meter: Meter
    _known: dict[tuple[int, int], tuple[int, bool]] = field(default_factory=dict)
    _areas: dict[int, int] = field(default_factory=dict)

    def steps(self, filled: int, gone: int) -> Iterator[Step]:
        """Yield what the player may do in the round that begins here, large tiles first."""
        if len(self.cards) - gone < 2:
            return
        pair = dict.fromkeys(self.cards[gone : gone + 2])
        masks = [mask for tile in pair for mask in self._open(filled, tile)]
        after = gone + 2
        if not masks and after < len(self.cards):
            masks = self._open(filled, self.cards[after])
            after += 1
        empty = self._all & ~filled
        masks.sort(key=lambda mask: (-mask.bit_count(), self.grid.edges(empty & ~mask)))
        for mask in masks:
            yield mask, after

    def bound(self, filled: int, gone: int) -> int:
        """Return empties that no line can go below, from the areas of the cards to come."""
        empties = (self._all & ~filled).bit_count()
        sums = self.areas(gone) & ((2 << empties) - 1)
        return empties - (sums.bit_length() - 1)

    def areas(self, gone: int) -> int:
        """Return the areas that may be drawn from here on, as bits, whether it fits or not."""
        if len(self.cards) - gone < 2:
            return 1
        known = self._areas.get(gone)
        if known is None:
            after = self.areas(gone + 2)
            known = 1 | after << self.cards[gone].size | after << self.cards[gone + 1].size
            if gone + 2 < len(self.cards):
                known |= self.areas(gone + 3) << self.cards[gone + 2].size
            self._areas[gone] = known
        return known

    def fewest(self, filled: int, gone: int, below: int) -> int:
        """Return the fewest empties if fewer than `below`, else a bound of at least `below`.

        Raises
        ------
        OutOfBudget
            If the meter stopped before the answer was certain.
        """
        least = self.bound(filled, gone)
        if least >= below:
            return least
        known = self._known.get((filled, gone))
        if known is not None and (known[1] or known[0] >= below):
            return known[0]
        if not self.meter.spend(1):
            raise OutOfBudget
        steps = tuple(self.steps(filled, gone))
        best = (self._all & ~filled).bit_count() if not steps else below + LARGE
        for mask, after in steps:
            best = min(best, self.fewest(filled | mask, after, min(below, best)))
            if best <= least:
                break
        self._known[filled, gone] = (best, best < below or not steps)
        return best

    def path(self, filled: int, gone: int, target: int) -> list[Step]:
        """Return steps that end with `target` empties, which `fewest` has found from here."""
        steps: list[Step] = []
        while (self._all & ~filled).bit_count() > target:
            for mask, after in self.steps(filled, gone):
                if self.fewest(filled | mask, after, target + 1) <= target:
                    steps.append((mask, after))
                    filled, gone = filled | mask, after
                    break
            else:
                break
        return steps

    @property
    def _all(self) -> int:
        return self.grid.everything

    def _open(self, filled: int, tile: Tile) -> list[int]:
        return [mask for mask in self.grid.placements(tile.shape) if not mask & filled]


@dataclass(frozen=True, eq=False)
class _Level:
    """The positions of a beam after a round.

    Parameters
    ----------
    live : array of uint64, shape (positions, words)
        Their live slots.
    gone : array of int
        How many cards each has used.
    parents, slots : array of int
        Where each comes from: the position before, and the slot drawn.
    """

    live: Words
    gone: Numbers
    parents: Numbers
    slots: Numbers


def beam(
    catalogue: Catalogue, roots: Sequence[int], line: Line, *, width: int, below: int
) -> tuple[int, list[int]] | None:
    """Return fewer empties than `below` and the squares drawn on the way, or None.

    Every round keeps the `width` positions that the learned worth likes best; from those with
    few empties left `line` looks for the best end.

    Parameters
    ----------
    roots : sequence of int
        Masks of filled squares to begin with; the first mask returned is one of them.
    """
    order = np.array([catalogue.index(tile) for tile in line.cards], dtype=np.int64)
    left = _left(order, len(catalogue.tiles))
    zeros = np.zeros(len(roots), dtype=np.int64)
    lives = np.array([catalogue.live(filled) for filled in roots], dtype=np.uint64)
    levels = [_Level(lives, zeros, zeros, zeros)]
    bound = min(line.bound(filled, 0) for filled in roots)
    best: tuple[int, list[int]] | None = None
    while below > bound and line.meter.spend(len(levels[-1].live) // 50 + 1):
        ends = _ends(catalogue, levels, roots, below, line)
        level = _grown(catalogue, levels[-1], order, left, width)
        if level is not None:
            levels.append(level)
            empties = catalogue.counts(level.live)[:, SQUARES]
            place = int(empties.argmin())
            if ends is None and empties[place] < below:
                ends = int(empties[place]), _masks(catalogue, levels, roots, place)
        if ends is not None:
            below, best = ends[0], ends
        if level is None:
            break
    return best


ENDS, END_SQUARES, END_WORK = 12, 20, 400
"""Positions of a beam whose ends are searched, their empties at most, and work for each."""


def _ends(
    catalogue: Catalogue, levels: Sequence[_Level], roots: Sequence[int], below: int, line: Line
) -> tuple[int, list[int]] | None:
    """Return an end with fewer empties than `below` from the last level, if one is found."""
    found = None
    level = levels[-1]
    for place in range(min(ENDS, len(level.live))):
        empty = catalogue.empty(level.live[place])
        if empty.bit_count() > END_SQUARES:
            continue
        filled, gone = catalogue.grid.everything & ~empty, int(level.gone[place])
        search = replace(line, meter=line.meter.part(work=END_WORK))
        try:
            fewest = search.fewest(filled, gone, below)
            if fewest < below:
                below = fewest
                steps = search.path(filled, gone, fewest)
                masks = _masks(catalogue, levels, roots, place)
                found = fewest, [*masks, *(mask for mask, _ in steps)]
        except OutOfBudget:
            pass
        line.meter.spend(search.meter.worked)
    return found


def _left(order: Numbers, tiles: int) -> Numbers:
    """Return the copies left of each tile after any number of cards, shape (cards + 1, tiles)."""
    drawn = np.zeros((len(order) + 1, tiles), dtype=np.int64)
    drawn[np.arange(1, len(order) + 1), order] = 1
    total: Numbers = drawn.sum(axis=0) - drawn.cumsum(axis=0)
    return total


def _grown(
    catalogue: Catalogue, level: _Level, order: Numbers, left: Numbers, width: int
) -> _Level | None:
    """Return the next round's positions, or None when nobody draws any more."""
    playing = np.flatnonzero(len(order) - level.gone >= 2)
    if not len(playing):
        return None
    pairs = np.column_stack((order[level.gone[playing]], order[level.gone[playing] + 1]))
    places, kinds, slots = placements(catalogue, level.live[playing], pairs)
    parents, gone = playing[places], level.gone[playing[places]] + 2
    waiting = np.setdiff1d(playing, parents)
    waiting = waiting[len(order) - level.gone[waiting] >= 3]
    if len(waiting):
        cards = order[level.gone[waiting] + 2][:, None]
        others, _, more = placements(catalogue, level.live[waiting], cards)
        parents = np.concatenate((parents, waiting[others]))
        gone = np.concatenate((gone, level.gone[waiting[others]] + 3))
        kinds = np.concatenate((kinds, np.zeros(len(others), dtype=np.int64)))
        slots = np.concatenate((slots, more))
    if not len(slots):
        return None
    narrow = level.live[:, : catalogue.edge_words]
    edges = catalogue.open_edges(narrow[parents], slots)
    close = shortest(parents * 2 + kinds, edges, CLOSE)
    parents, gone, slots = parents[close], gone[close], slots[close]
    worth = _worth(catalogue, level.live, parents, slots, left[gone])
    chosen = _distinct(catalogue, level.live, parents, slots, worth, width)
    parents, slots = parents[chosen], slots[chosen]
    live = catalogue.after(level.live[parents], slots)
    return _Level(live, gone[chosen], parents, slots)


CLOSE = 8
"""Placements of each tile that a beam looks at, those that leave the shortest edges."""


def _worth(
    catalogue: Catalogue, live: Words, parents: Numbers, slots: Numbers, left: Numbers
) -> Reals:
    parts = []
    for start in range(0, len(slots), CHUNK):
        own = slice(start, start + CHUNK)
        counts = catalogue.counts(catalogue.after(live[parents[own]], slots[own]))
        parts.append(forecast(catalogue, counts, left[own]))
    worth: Reals = np.concatenate(parts)
    return worth


def _distinct(
    catalogue: Catalogue,
    live: Words,
    parents: Numbers,
    slots: Numbers,
    worth: Reals,
    width: int,
) -> Numbers:
    """Return the `width` best options that lead to different grids, best first."""
    order = np.argsort(worth, kind="stable")
    seen: set[int] = set()
    chosen: list[int] = []
    empty = [catalogue.empty(row) for row in live]
    for option in order.tolist():
        after = empty[parents[option]] & ~catalogue.masks[slots[option]]
        if after not in seen:
            seen.add(after)
            chosen.append(option)
            if len(chosen) == width:
                break
    return np.array(chosen, dtype=np.int64)


def _masks(
    catalogue: Catalogue, levels: Sequence[_Level], roots: Sequence[int], place: int
) -> list[int]:
    """Return the root of a position of the last level, and what was drawn from there on."""
    masks: list[int] = []
    for level in reversed(levels[1:]):
        masks.append(catalogue.masks[level.slots[place]])
        place = int(level.parents[place])
    return [roots[place], *reversed(masks)]
