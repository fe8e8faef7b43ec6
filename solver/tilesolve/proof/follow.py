"""Follow a written search, and make sure that it misses nothing.

Items are numbered: cell ``i`` in reading order is item ``i``, piece ``k`` of the list is item
``cells + k``, and the number after the last piece says that too much is lost already.

A search is a list of items, one for each node, depth first. A node has placements that are still
possible, and how often each piece is used. Its item says why nothing is missed:

- a piece: another copy of it must be placed, in one of its possible placements. Fewer possible
  placements than copies needed, and the node is refuted.
- a cell: it is covered by one of the placements that can, or (where cells may stay open) it stays
  open. No placement, and no leave to stay open, and the node is refuted.
- the number after the last piece: what must now stay open and be left out costs more than the
  claim allows.
- the number after that: the node is the one solution that a claim of uniqueness names.
- the numbers after that stand for the conditions of `Puzzle.uses`: another of their pieces must be
  placed, as with a single piece.

The children come in the order of the placements (by piece, then by cells), open last. Once a
placement has been followed to its end it is no longer possible in the later children.

A search may come with prices (`tilesolve.proof.prices`). Then placements that would add more than
the claim leaves room for, after all that is decided, are not possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesolve.budget import Meter
from tilesolve.proof.prices import Prices, Refused
from tilesolve.proof.puzzle import Puzzle, bits

_LOOK = 256
"""Nodes between two looks at the meter."""


@dataclass
class Node:
    """Possible placements as bits, cells taken, copies used, and what the placements add."""

    possible: int
    taken: int
    used: tuple[int, ...]
    added: int = 0
    children: Iterator[tuple[int, int]] | None = None


class Follower:
    """One search being followed.

    Parameters
    ----------
    branches : sequence of int
        The items, depth first.
    known : sequence of int or None
        The placements, ascending, of the one solution that may be met; None when none may.
    prices : Prices or None
        What rules out placements that are too dear.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> row = ((0, 0), (0, 1), (0, 2))
    >>> bar = Puzzle(row, (3, 6), (0, 0), (1,), (1,), (1, 1, 1), (0,), False, 0)
    >>> Follower(bar, (0, 2)).follow(Meter(budget=Budget()))
    2
    """

    def __init__(
        self,
        puzzle: Puzzle,
        branches: Sequence[int],
        known: Sequence[int] | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.puzzle = puzzle
        self.prices = prices
        self.branches = branches
        self.known = known
        self.at = [0] * len(puzzle.cells)
        self.of = [0] * len(puzzle.least)
        for place, (mask, owner) in enumerate(zip(puzzle.masks, puzzle.owners, strict=True)):
            self.of[owner] |= 1 << place
            for cell in bits(mask):
                self.at[cell] |= 1 << place
        self.together = [
            sum(places for owner, places in enumerate(self.of) if owners >> owner & 1)
            for owners, _, _ in puzzle.uses
        ]
        self.clash: dict[int, int] = {}

    def root(self) -> Node:
        """Return the node in which nothing is decided."""
        possible = (1 << len(self.puzzle.masks)) - 1
        for owner, most in enumerate(self.puzzle.most):
            if most == 0:
                possible &= ~self.of[owner]
        return self._affordable(Node(possible, 0, (0,) * len(self.puzzle.most)))

    def _affordable(self, node: Node) -> Node:
        """Return a node without the placements for which the prices leave no room."""
        if self.prices is not None:
            bare = self._bare(node)
            regions = self.puzzle.region_cost * self._groups(node, bare, False)
            allowed = (self.puzzle.allowed - regions) * self.prices.scale
            node.possible &= ~self.prices.dearer(allowed - self._priced(node, bare))
        return node

    def _priced(self, node: Node, bare: int) -> int:
        """Return what a node costs at least by its prices, in their parts, regions aside."""
        assert self.prices is not None
        return self.prices.total + node.added + sum(self.prices.opened[c] for c in bits(bare))

    def follow(self, meter: Meter) -> int | None:
        """Return the number of nodes, or None when stopped.

        Raises
        ------
        Refused
            When the search does not show what it claims.
        """
        path: list[int] = []
        stack = [self.root()]
        read = 0
        while stack:
            node = stack[-1]
            if node.children is None:
                if read == len(self.branches):
                    raise Refused("the search ends before everything is refuted")
                node.children = self._children(node, self.branches[read], path)
                read += 1
                if read % _LOOK == 0 and not meter.spend(_LOOK):
                    return None
            following = next(node.children, None)
            if following is None:
                stack.pop()
                if path:
                    path.pop()
                continue
            place, possible = following
            path.append(place)
            stack.append(self._child(node, place, possible))
        if read < len(self.branches):
            raise Refused("the search goes on after everything is refuted")
        return read

    def _child(self, node: Node, place: int, possible: int) -> Node:
        if place < 0:
            return self._affordable(Node(possible, node.taken, node.used, node.added))
        mask, owner = self.puzzle.masks[place], self.puzzle.owners[place]
        possible &= ~self._clashing(place)
        used = (*node.used[:owner], node.used[owner] + 1, *node.used[owner + 1 :])
        if used[owner] >= self.puzzle.most[owner]:
            possible &= ~self.of[owner]
        for (owners, _, most), places in zip(self.puzzle.uses, self.together, strict=True):
            if owners >> owner & 1 and _among(owners, used) >= most:
                possible &= ~places
        added = node.added if self.prices is None else node.added + self.prices.placed[place]
        return self._affordable(Node(possible, node.taken | mask, used, added))

    def _clashing(self, place: int) -> int:
        """Return the placements that share a cell with one, itself included."""
        found = self.clash.get(place)
        if found is None:
            found = 0
            for cell in bits(self.puzzle.masks[place]):
                found |= self.at[cell]
            self.clash[place] = found
        return found

    def _children(self, node: Node, item: int, path: Sequence[int]) -> Iterator[tuple[int, int]]:
        cells, pieces = len(self.puzzle.cells), len(self.puzzle.least)
        if item < cells:
            return self._cover(node, item)
        if item < cells + pieces:
            owner = item - cells
            return _another(node, self.puzzle.least[owner] - node.used[owner], self.of[owner])
        if item == cells + pieces and self.cost(node) > self.puzzle.allowed:
            return iter(())
        if item == cells + pieces + 1 and self._is_known(node, path):
            return iter(())
        use = item - cells - pieces - 2
        if 0 <= use < len(self.puzzle.uses):
            owners, least, _ = self.puzzle.uses[use]
            return _another(node, least - _among(owners, node.used), self.together[use])
        raise Refused("a node is called refuted that is not")

    def _cover(self, node: Node, cell: int) -> Iterator[tuple[int, int]]:
        if node.taken >> cell & 1:
            raise Refused("a search branches on a cell that is covered already")
        choices = node.possible & self.at[cell]
        if self.puzzle.may_stay_open and not choices:
            raise Refused("a cell that nothing can cover is no reason where cells may stay open")
        yield from _each(node, choices)
        if self.puzzle.may_stay_open:
            yield -1, node.possible & ~choices

    def cost(self, node: Node) -> int:
        """Return what a node costs at least: cells that stay open, regions, copies left out."""
        puzzle, bare = self.puzzle, self._bare(node)
        cost = sum(puzzle.open_cost[cell] for cell in bits(bare))
        surplus, too_many = self._surplus(node, bare)
        regions = puzzle.region_cost * self._groups(node, bare, too_many)
        cost += surplus + regions
        for owner, gain in enumerate(puzzle.missing_cost):
            if gain > 0:
                left = (node.possible & self.of[owner]).bit_count()
                cost += gain * max(0, puzzle.most[owner] - node.used[owner] - left)
            elif gain < 0:
                cost += -gain * (node.used[owner] - puzzle.most[owner])
        if self.prices is None:
            return cost
        return max(cost, regions - (-self._priced(node, bare) // self.prices.scale))

    def regions(self, node: Node) -> int:
        """Return how many regions of open cells a node leads to at least."""
        bare = self._bare(node)
        return self._groups(node, bare, self._surplus(node, bare)[1])

    def _bare(self, node: Node) -> int:
        """Return the open cells that no possible placement covers."""
        return sum(
            1 << cell
            for cell, places in enumerate(self.at)
            if not node.taken >> cell & 1 and not node.possible & places
        )

    def _surplus(self, node: Node, bare: int) -> tuple[int, bool]:
        """Return what cells cost, beyond the bare ones, that the copies left cannot cover."""
        puzzle = self.puzzle
        cost, too_many = 0, False
        for mask, takes in puzzle.room:
            left = [
                cell for cell in bits(mask) if not node.taken >> cell & 1 and not bare >> cell & 1
            ]
            counts = zip(takes, puzzle.most, node.used, self.of, strict=True)
            copies = [
                (each, min(most - used, (node.possible & places).bit_count()))
                for each, most, used, places in counts
            ]
            surplus = max(0, len(left) - self._supply(node, copies))
            too_many |= surplus > 0
            cost += sum(sorted(puzzle.open_cost[cell] for cell in left)[:surplus])
        return cost, too_many

    def _supply(self, node: Node, copies: list[tuple[int, int]]) -> int:
        """Return how many cells copies can take, given what one takes, and how many are left."""
        supply = sum(each * number for each, number in copies)
        for owners, _, most in self.puzzle.uses:
            more = most - _among(owners, node.used)
            bound = 0
            for owner, (each, number) in sorted(enumerate(copies), key=lambda copy: -copy[1][0]):
                taken = min(number, more) if owners >> owner & 1 else number
                more -= taken if owners >> owner & 1 else 0
                bound += each * taken
            supply = min(supply, bound)
        return supply

    def _groups(self, node: Node, bare: int, too_many: bool) -> int:
        """Return the least number of regions, bare cells and others that are too many counted.

        A group of bare cells that nothing undecided lies beside is a region by itself; all
        others may grow together into one.
        """
        if not self.puzzle.region_cost:
            return 0
        closed, open_groups = 0, bool(too_many)
        undecided = ~node.taken & ~bare
        while bare:
            group = grown = bare & -bare
            around = 0
            while grown:
                reached = 0
                for cell in bits(grown):
                    reached |= self.puzzle.near[cell]
                around |= reached
                grown = reached & bare & ~group
                group |= grown
            bare &= ~group
            if around & undecided:
                open_groups = True
            else:
                closed += 1
        return closed + open_groups

    def _is_known(self, node: Node, path: Sequence[int]) -> bool:
        placed = sorted(place for place in path if place >= 0)
        done = all(u >= least for u, least in zip(node.used, self.puzzle.least, strict=True))
        return done and self.known is not None and placed == [*self.known] and not node.possible


def _among(owners: int, used: Sequence[int]) -> int:
    """Return how many copies of the pieces of a mask are used."""
    return sum(used[owner] for owner in bits(owners))


def _another(node: Node, needed: int, places: int) -> Iterator[tuple[int, int]]:
    """Yield the placements of which one must be chosen, none where they are too few."""
    choices = node.possible & places
    if needed <= 0:
        raise Refused("a search branches on a piece that need not be placed")
    if choices.bit_count() >= needed:
        yield from _each(node, choices)


def _each(node: Node, choices: int) -> Iterator[tuple[int, int]]:
    possible = node.possible
    for place in bits(choices):
        yield place, possible
        possible &= ~(1 << place)
