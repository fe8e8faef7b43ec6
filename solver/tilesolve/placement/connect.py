"""Connectivity of sets of cells: components, legal orders, and what a connected answer obeys.

No engine is named here. A set of cells hangs together when it grows from its roots: every cell
of it is joined to a root within the set. `Cut` is a condition that every such set keeps and the
one at hand breaks; an engine that can add clauses adds it and asks again, until nothing is left
to cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from tilesolve.placement.problem import Problem, bits


def neighbour_masks(problem: Problem) -> tuple[int, ...]:
    """Return for each cell the mask of its neighbours.

    Examples
    --------
    >>> neighbour_masks(Problem(("0,0", "0,1", "0,2"), (), (), False, ((1,), (0, 2), (1,))))
    (2, 5, 2)
    """
    if not problem.adjacent:
        return (0,) * len(problem.cells)
    return tuple(sum(1 << cell for cell in cells) for cells in problem.adjacent)


def beside(mask: int, neighbours: Sequence[int]) -> int:
    """Return the cells outside `mask` that are neighbours of a cell in it.

    Examples
    --------
    >>> bin(beside(0b001, (0b010, 0b101, 0b010)))
    '0b10'
    """
    return reduce(or_, (neighbours[cell] for cell in bits(mask)), 0) & ~mask


def components(mask: int, neighbours: Sequence[int]) -> tuple[int, ...]:
    """Return the connected components of a set of cells, by lowest cell.

    Examples
    --------
    >>> [bin(part) for part in components(0b101, (0b010, 0b101, 0b010))]
    ['0b1', '0b100']
    """
    parts: list[int] = []
    while mask:
        part = _spread(mask & -mask, mask, neighbours)
        parts.append(part)
        mask &= ~part
    return tuple(parts)


def _spread(start: int, within: int, neighbours: Sequence[int]) -> int:
    part = fringe = start
    while fringe:
        fringe = beside(fringe, neighbours) & within & ~part
        part |= fringe
    return part


def touching_order(
    masks: Sequence[int], neighbours: Sequence[int], *, anchors: int, begun: bool
) -> tuple[int, ...]:
    """Return as many of the placements as can be laid so that each touches what lies already.

    Parameters
    ----------
    masks : sequence of int
        Disjoint placements as cell masks.
    neighbours : sequence of int
        For each cell the mask of its neighbours.
    anchors : int
        Cells that lie beside something filled already.
    begun : bool
        Something lies already; if nothing does, the first placement lies anywhere.

    Returns
    -------
    tuple of int
        Indices into `masks` in a legal order: all of them, if all can be laid. Without a
        beginning it starts from the first placement.

    Examples
    --------
    >>> touching_order([0b001, 0b100, 0b010], (0b010, 0b101, 0b010), anchors=0, begun=False)
    (0, 2, 1)
    """
    waiting = list(range(len(masks)))
    reached = anchors if begun or not masks else masks[0]
    order: list[int] = []
    while True:
        for index in waiting:
            if masks[index] & reached:
                break
        else:
            return tuple(order)
        waiting.remove(index)
        order.append(index)
        reached |= beside(masks[index], neighbours)


@dataclass(frozen=True)
class Cut:
    """If any cell of `within` is a member, then a root is in `within`, or a member in `beside`.

    Both are masks; `beside` holds all neighbours of `within` outside it. Every set of members
    that grows from its roots keeps every cut.

    Examples
    --------
    >>> Cut(within=0b011, beside=0b100).kept(members=0b001, roots=0b001)
    True
    >>> Cut(within=0b011, beside=0b100).kept(members=0b001, roots=0)
    False
    """

    within: int
    beside: int

    def kept(self, members: int, roots: int) -> bool:
        """Return whether a set of members with these roots keeps the cut."""
        return not self.within & members or bool(self.within & roots or self.beside & members)


def cuts(members: int, roots: int, neighbours: Sequence[int]) -> tuple[Cut, ...]:
    """Return the cuts that a set breaks: one for each component without a root in it.

    Examples
    --------
    >>> cuts(0b101, 0b001, (0b010, 0b101, 0b010))
    (Cut(within=4, beside=2),)
    """
    return tuple(
        Cut(part, beside(part, neighbours))
        for part in components(members, neighbours)
        if not part & roots
    )


def with_groups(neighbours: Sequence[int], groups: Sequence[int]) -> tuple[int, ...]:
    """Return the graph with one more cell for each group of cells filled already.

    Parameters
    ----------
    neighbours : sequence of int
        For each open cell the mask of its neighbours.
    groups : sequence of int
        For each group the mask of the open cells beside it.

    Examples
    --------
    >>> with_groups((0b10, 0b01), [0b01])
    (6, 1, 1)
    """
    joined = list(neighbours)
    for number, group in enumerate(groups, start=len(neighbours)):
        for cell in bits(group):
            joined[cell] |= 1 << number
        joined.append(group)
    return tuple(joined)
