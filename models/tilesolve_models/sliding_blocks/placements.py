"""How many arrangements of a puzzle's blocks there are, reachable or not."""

from __future__ import annotations

from collections import Counter

from tilesolve.budget import Meter, memory_allowed
from tilesolve_models.sliding_blocks.arrangements import Arrangements, Group

_ENTRY = 200
"""Bytes that one entry of the table takes, about."""


def placements(graph: Arrangements, *, meter: Meter) -> int | None:
    """Count the ways to lay all blocks where each could slide if it were alone.

    Equal blocks are not told apart. Blocks are laid one after the other, equal ones in order of
    their places; ways that fill the same cells are counted together. None when the meter stops.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.sliding_blocks.arrangements import arrangements
    >>> from tilesolve_models.sliding_blocks.boards import load
    >>> meter = Meter(budget=Budget())
    >>> placements(arrangements(load(Node("AB../....")), meter=meter), meter=meter)
    28
    """
    bits: dict[tuple[int, int], int] = {}
    filled = Counter({0: 1})
    for group in graph.groups:
        masks = [
            sum(
                1 << bits.setdefault(cell, len(bits))
                for cell in block.cells
                if graph.state.board.within(cell)
            )
            for block in group.places
        ]
        following = _laid(filled, masks, group, meter)
        if following is None:
            return None
        filled = following
    return filled.total()


def _laid(
    filled: Counter[int], masks: list[int], group: Group, meter: Meter
) -> Counter[int] | None:
    """Lay the blocks of one group; entries know the place of the last one laid."""
    ways = {(mask, -1): number for mask, number in filled.items()}
    for _ in group.names:
        following: Counter[tuple[int, int]] = Counter()
        for (mask, last), number in ways.items():
            for place in range(last + 1, len(masks)):
                if not mask & masks[place]:
                    following[mask | masks[place], place] += number
            if not meter.spend(1):
                return None
        if len(following) * _ENTRY > memory_allowed(meter):
            meter.stop("memory")
            return None
        ways = dict(following)
    joined: Counter[int] = Counter()
    for (mask, _), number in ways.items():
        joined[mask] += number
    return joined
