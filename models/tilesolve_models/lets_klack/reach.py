"""How many arrangements can be reached, and in how many of them nothing can move.

Where covered cards may be jumped over, the two parity classes do not meet: each is walked by
itself, layer by layer in numpy, and the numbers are multiplied. Elsewhere the state graph is
walked by the rules, as far as it is small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress
from tilesolve.graph.paths import contains, distinct
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.explicit import state_graph
from tilesolve_models.lets_klack.half import GONE, Half, halves
from tilesolve_models.lets_klack.layout import parity
from tilesolve_models.lets_klack.position import Pass, State

Keys: TypeAlias = NDArray[np.uint64]

_CHUNK = 1 << 15
"""Arrangements that are worked on at once."""


@dataclass(frozen=True)
class Reach:
    """Arrangements that can be reached, and those with blocks left in which none can move."""

    states: int
    dead_ends: int


def reach(state: State, *, meter: Meter) -> Reach | None:
    """Return what can be reached from a state in phase 2 without special cards.

    None when the meter stopped the walk, or the graph was too large to be walked by the rules.

    Parameters
    ----------
    meter : Meter
        One unit of work an arrangement.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> reach(state, meter=Meter(budget=Budget()))
    Reach(states=2, dead_ends=0)
    """
    if not state.rules.jump_covered or state.rules.must_continue or state.rules.cover == "optional":
        return _by_rules(state, meter)
    if state.specials:
        state = replace(state, specials=())
    first, second = (_walk(half, meter) for half in halves(state, {}))
    if first is None or second is None:
        return None
    stuck = first.stuck * second.stuck
    return Reach(first.states * second.states, stuck - (first.finished and second.finished))


@dataclass(frozen=True)
class _Walked:
    """One class: its arrangements, those without a move, and whether all blocks can be gone."""

    states: int
    stuck: int
    finished: bool


def _walk(half: Half, meter: Meter) -> _Walked | None:
    packed = _Packed.of(half)
    if packed is None:
        meter.stop("memory")
        return None
    current = packed.key(half.places)
    seen, stuck = current, 0
    while len(current):
        if not meter.spend(len(current)):
            return None
        parts = []
        for first in range(0, len(current), _CHUNK):
            after, moved = packed.after(current[first : first + _CHUNK])
            stuck += int((~moved).sum())
            parts.append(distinct(after))
        found = distinct(np.concatenate(parts))
        current = found[~contains(seen, found)]
        seen = np.sort(np.concatenate([seen, current]))
        meter.report(Progress(stage="arrangements", done=len(seen)))
    finished = bool(contains(seen, packed.key(bytes([GONE] * len(half.places))))[0])
    return _Walked(len(seen), stuck, finished)


@dataclass(frozen=True)
class _Packed:
    """Arrangements of one class, some bits a block: its spot's number in the class, or none.

    Parameters
    ----------
    width : int
        Bits of a block.
    spots : tuple of int
        The layout's numbers of the class's spots.
    ways : array of int, shape (spots + 1, 4)
        Where jumps lead; -1 where there is none.
    homes : array of bool, shape (blocks, spots)
        Whether a spot lies beside a block's card.
    separate : bool
        Whether covering is a move of its own.
    """

    width: int
    spots: tuple[int, ...]
    ways: NDArray[np.int64]
    homes: NDArray[np.bool_]
    separate: bool

    @classmethod
    def of(cls, half: Half) -> _Packed | None:
        """Return the packing of a class; None where a key of 64 bits cannot hold it."""
        ground = half.ground
        classes = {parity(ground.spots[place]) for place in half.places if place != GONE} or {0}
        inside = [n for n, cell in enumerate(ground.spots) if parity(cell) in classes]
        number = {spot: place for place, spot in enumerate(inside)}
        width = len(inside).bit_length()
        if len(inside) > 62 or width * len(half.places) > 63:
            return None
        ways = np.full((len(inside) + 1, 4), -1, dtype=np.int64)
        for place, spot in enumerate(inside):
            for way, (_, behind) in enumerate(ground.jumps[spot]):
                ways[place, way] = number[behind]
        homes = np.zeros((len(half.cards), len(inside)), dtype=bool)
        for block, card in enumerate(half.cards):
            homes[block, [number[spot] for spot in ground.beside[card] if spot in number]] = True
        return cls(width, tuple(inside), ways, homes, half.separate)

    def key(self, places: bytes) -> Keys:
        """Return the key of an arrangement, as an array of one."""
        gone = len(self.spots)
        key = 0
        for block, place in enumerate(places):
            local = gone if place == GONE else self.spots.index(place)
            key |= local << (self.width * block)
        return np.array([key], dtype=np.uint64)

    def after(self, keys: Keys) -> tuple[Keys, NDArray[np.bool_]]:
        """Return the arrangements after one move, with repeats, and which have a move."""
        gone, low = len(self.spots), np.uint64((1 << self.width) - 1)
        shifts = [np.uint64(self.width * block) for block in range(len(self.homes))]
        at = [(keys >> shift & low).astype(np.int64) for shift in shifts]
        taken = np.zeros(len(keys), dtype=np.uint64)
        for place in at:
            taken |= np.uint64(1) << place.astype(np.uint64)
        found: list[Keys] = []
        moved = np.zeros(len(keys), dtype=bool)

        def move(block: int, which: NDArray[np.bool_], to: NDArray[np.int64]) -> None:
            rest = keys[which] & ~(low << shifts[block])
            found.append(rest | to[which].astype(np.uint64) << shifts[block])
            moved[which] = True

        for block, (place, homes) in enumerate(zip(at, self.homes, strict=True)):
            home = np.append(homes, False)
            off = np.full(len(keys), gone)
            move(block, home[place], off)
            for way in range(4):
                to = self.ways[place, way]
                free = (to >= 0) & (taken >> to.clip(0).astype(np.uint64) & np.uint64(1) == 0)
                arrives = home[to] & (not self.separate)
                move(block, free, np.where(arrives, off, to))
        return np.concatenate([keys[:0], *found]), moved


def _by_rules(state: State, meter: Meter) -> Reach | None:
    graph = state_graph(state, meter=meter)
    if graph is None:
        return None
    stuck = sum(
        bool(each.blocks) and all(isinstance(move, Pass) for move in rules.moves(each))
        for each in graph
    )
    return Reach(len(graph), stuck)
