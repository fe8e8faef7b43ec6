"""Where blocks can go while covered cards bar the way: rooms, and the jumps inside them.

When the first block of a round is moved, covered cards have cut the spots into rooms, connected
parts of a parity class that no block ever leaves. Cards that are closed later leave fewer ways
open inside them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.layout import Layout
from tilesolve_models.lets_klack.position import Covering, State

FAR = 1000
"""In sums of distances: a block that cannot arrive."""

MOST_CELLS = 40_000_000
"""Arrangements of a room that are looked at, possible or not."""

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


def departures(ways: Ways, room: Room, block: int, gone: int) -> tuple[Arrival, ...]:
    """Return the jumps of a block that do not cover, by where they begin: the way back."""
    jumps = arrivals(ways, room, block, gone)
    origins = sorted({origin for _, each in jumps for origin in each})
    return tuple((origin, tuple(to for to, each in jumps if origin in each)) for origin in origins)


def ends(
    ways: Ways, room: Room, block: int, gone: int, *, walks: bool = True
) -> Iterator[tuple[int, int | None]]:
    """Yield the places in a room from which a block goes, and what it must enter for that.

    Parameters
    ----------
    walks : bool
        False where it is taken by a special card, from wherever it stands.
    """
    home = ways.homes[block]
    reach = open_ways(ways, gone & room.edges)
    for at, spot in enumerate(room.spots):
        if not walks or spot in home:
            yield at, None
        elif ways.cover != "separate":
            for behind in reach[spot]:
                if behind in home:
                    yield at, room.spots.index(behind)


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
