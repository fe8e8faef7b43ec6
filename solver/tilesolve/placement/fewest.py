"""Branch on what has the fewest options left: a cell that must be covered, or a piece.

Slower per node than filling the first open cell and far fewer nodes where pieces are hard to
place: the search that proves that there is no solution on wide sheets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve.placement.problem import bits
from tilesolve.placement.sweep import Sweep

Node: TypeAlias = tuple[int, int, int, tuple[int, ...]]
"""``(alive options, open cells, spare cells, copies used by kind)``, the first two as bits."""


@dataclass(frozen=True)
class _Table:
    sweep: Sweep
    at: tuple[int, ...]
    of: tuple[int, ...]
    clash: tuple[int, ...]


def fewest(sweep: Sweep) -> Iterator[tuple[int, ...] | None]:
    """Yield each solution as options in the order they were chosen, and None for each node.

    The search is over, everything searched, when the iterator ends. In a packing the open cells
    of a solution stay open, so kinds that need not be used are not used.
    """
    spare = sweep.spare
    if spare < 0:
        return
    start: Node = (_usable(sweep), sweep.full, spare, (0,) * len(sweep.sizes))
    if _complete(sweep, start):
        yield ()
        return
    table = _tabulate(sweep)
    trail: list[tuple[Iterator[tuple[int, Node]], int]] = []
    path: list[int] = []
    branches = _branches(table, start)
    while True:
        for option, node in branches:
            if option >= 0:
                path.append(option)
            if _complete(sweep, node):
                yield tuple(path)
                if option >= 0:
                    path.pop()
                continue
            trail.append((branches, option))
            branches = _branches(table, node)
            yield None
            break
        else:
            if not trail:
                return
            branches, option = trail.pop()
            if option >= 0:
                path.pop()


def _usable(sweep: Sweep) -> int:
    return sum(1 << option for options in sweep.starts for option in options)


def _tabulate(sweep: Sweep) -> _Table:
    at = [0] * len(sweep.order)
    of = [0] * len(sweep.sizes)
    for option, (mask, kind) in enumerate(zip(sweep.masks, sweep.kinds, strict=True)):
        of[kind] |= 1 << option
        for position in bits(mask):
            at[position] |= 1 << option
    clash = []
    for mask in sweep.masks:
        against = 0
        for position in bits(mask):
            against |= at[position]
        clash.append(against)
    return _Table(sweep, tuple(at), tuple(of), tuple(clash))


def _complete(sweep: Sweep, node: Node) -> bool:
    _, vacant, _, used = node
    if sweep.cover and vacant:
        return False
    return all(have >= least for have, least in zip(used, sweep.least, strict=True))


def _branches(table: _Table, node: Node) -> Iterator[tuple[int, Node]]:
    """Yield the ways to go on at the item with the fewest; option -1 leaves a cell open."""
    narrowest = _narrowest(table, node)
    if narrowest is None:
        return
    live, closing, (alive, vacant, spare, used) = narrowest
    sweep = table.sweep
    for option in bits(live):
        kind = sweep.kinds[option]
        copies = used[kind] + 1
        left = spare if copies <= sweep.least[kind] else spare - sweep.sizes[kind]
        if left >= 0:
            rest = alive & ~table.clash[option]
            if copies == sweep.most[kind]:
                rest &= ~table.of[kind]
            counted = (*used[:kind], copies, *used[kind + 1 :])
            yield option, (rest, vacant & ~sweep.masks[option], left, counted)
        # Later branches leave this option out, so that no solution comes twice.
        alive &= ~(1 << option)
    if closing and spare:
        yield -1, (alive, vacant & ~closing, spare - 1, used)


def _narrowest(table: _Table, node: Node) -> tuple[int, int, Node] | None:
    """Return the options of the item to branch on, the cell to leave open instead, and the node.

    Cells that nothing covers any more are left open first; None when that is not allowed or a
    piece has no place.
    """
    alive, vacant, spare, used = node
    sweep, at = table.sweep, table.at
    fewest_ways = len(sweep.masks) + 2
    chosen: tuple[int, int] | None = None
    open_ways = 0 if sweep.cover else 1
    rest = vacant
    while rest:
        low = rest & -rest
        rest ^= low
        live = alive & at[low.bit_length() - 1]
        if not live:
            spare -= 1
            vacant ^= low
            if sweep.cover or spare < 0:
                return None
            continue
        ways = live.bit_count() + open_ways
        if ways < fewest_ways:
            fewest_ways, chosen = ways, (live, 0 if sweep.cover else low)
    for kind, least in enumerate(sweep.least):
        need = least - used[kind]
        if need > 0:
            live = alive & table.of[kind]
            ways = live.bit_count() - need + 1
            if ways < 1:
                return None
            if ways < fewest_ways:
                fewest_ways, chosen = ways, (live, 0)
    if chosen is None:
        return None
    return chosen[0], chosen[1], (alive, vacant, spare, used)
