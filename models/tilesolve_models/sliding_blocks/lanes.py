"""The state graph of a puzzle in plain integers: what may move is read off the open cells.

A state is one integer: a bit for each open cell, and above them a bit for each place that is
taken, so that equal blocks are not told apart. The moves of a state are read through *views*:
a view picks some bits out of a state, and a table says what may happen where they are so. Cars
in one row or column are a view by themselves; elsewhere each region of open cells is one, with
the blocks around it. Tables are filled as states ask for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

from tilesolve.answers import Cell
from tilesolve_models.sliding_blocks.arrangements import NOWHERE, Arrangements, Group
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS, Block

PATTERNS = 1 << 11
"""Patterns of open cells, of all lanes together, that are worth a table."""

T = TypeVar("T")


class Table(dict[int, T]):
    """Entries that are worked out when they are first asked for.

    Examples
    --------
    >>> squares = Table(lambda number: number * number)
    >>> squares[12], list(squares)
    (144, [12])
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[int], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: int) -> T:
        made = self[key] = self._make(key)
        return made


View: TypeAlias = tuple[int, Table[tuple[int, ...]]]
"""Which bits of a state to look at, and for each way they can be: all that moves change then."""


Lane: TypeAlias = tuple[int, Table[tuple[View, ...]]]
"""The bits of the cells that some blocks share, and from those that are open to the views."""


@dataclass(frozen=True)
class Lanes:
    """The state graph `graph` in integers; `cells` are the cells that any block may lie on."""

    graph: Arrangements
    cells: tuple[Cell, ...]

    @cached_property
    def start(self) -> int:
        """The puzzle's own arrangement."""
        open_ = (1 << len(self.cells)) - 1
        taken = 0
        for first, group in zip(self.graph.starts, self.graph.groups, strict=True):
            for name in group.names:
                number = first + group.number[self.graph.state.blocks[name].place]
                open_ &= ~self._covered[number]
                taken |= self._bit(number)
        return open_ | taken

    def beyond(self, states: AbstractSet[int]) -> set[int]:
        """Return all states one move away from these."""
        return {
            state ^ change
            for cells, views in self._lanes
            for state in states
            for bits, changes in views[state & cells]
            for change in changes[state & bits]
        }

    def done(self, states: AbstractSet[int]) -> Sequence[int]:
        """Return those of these states that meet the goal."""
        found: Iterable[int] = states
        for wanted in self._goal:
            found = [state for state in found if state & wanted]
        return list(found)

    def moved(self, before: int, after: int) -> tuple[Group, Block, Block]:
        """Return whose block moved between two neighbours, and where it lay and lies."""
        changed = (before ^ after) >> len(self.cells)
        left = changed & before >> len(self.cells)
        old, new = left.bit_length() - 1, (changed ^ left).bit_length() - 1
        return self._holder[old], self._places[old], self._places[new]

    def _bit(self, number: int) -> int:
        return 1 << (len(self.cells) + number)

    @cached_property
    def _places(self) -> tuple[Block, ...]:
        """The places of all groups, by number."""
        return tuple(block for group in self.graph.groups for block in group.places)

    @cached_property
    def _holder(self) -> tuple[Group, ...]:
        """Whose each place is."""
        return tuple(group for group in self.graph.groups for _ in group.places)

    @cached_property
    def _covered(self) -> tuple[int, ...]:
        """The bits of the cells that a block at each place lies on."""
        bit = {cell: 1 << number for number, cell in enumerate(self.cells)}
        return tuple([sum([bit.get(cell, 0) for cell in block.cells]) for block in self._places])

    @cached_property
    def _marks(self) -> tuple[int, ...]:
        """All bits of a state that a block at each place stands for."""
        return tuple([self._bit(number) | own for number, own in enumerate(self._covered)])

    @cached_property
    def _steps(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each place and direction: where a step leads, and the bits of the cells entered.

        A step that leads nowhere enters a cell that is never open.
        """
        covered = self._covered
        never = 1 << (len(self.cells) + len(self._places))
        found = []
        for first, group in zip(self.graph.starts, self.graph.groups, strict=True):
            for number, ends in enumerate(group.steps, start=first):
                away = ~covered[number]
                found.append(
                    tuple(
                        [
                            (first + end, covered[first + end] & away)
                            if end != NOWHERE
                            else (number, never)
                            for end in ends
                        ]
                    )
                )
        return tuple(found)

    @cached_property
    def _goal(self) -> tuple[int, ...]:
        """The bits of the places that meet each condition."""
        return tuple(sum(map(self._bit, places)) for _, places in self.graph.wanted)

    @cached_property
    def _lanes(self) -> tuple[Lane, ...]:
        """All lanes; the straight ones, which are looked at whole, are one."""
        sharing: dict[int, list[tuple[int, Group]]] = {}
        for first, group in zip(self.graph.starts, self.graph.groups, strict=True):
            cells = 0
            for own in self._covered[first : first + len(group.places)]:
                cells |= own
            sharing.setdefault(cells, []).append((first, group))
        whole: list[View] = []
        lanes: list[Lane] = [(0, Table(lambda _: tuple(whole)))]
        for cells, groups in sharing.items():
            if all(len(group.directions) == 2 for _, group in groups):
                whole.append(self._whole(cells, groups))
            else:
                lanes.append((cells, self._around(groups)))
        return tuple(lanes if whole else lanes[1:])

    def _whole(self, cells: int, groups: Iterable[tuple[int, Group]]) -> View:
        """Return the view of a lane with all its blocks."""
        bits = {
            self._bit(first + at): first + at
            for first, group in groups
            for at in range(len(group.places))
        }

        def changes(seen: int) -> tuple[int, ...]:
            taken = [number for bit, number in bits.items() if bit & seen]
            open_ = seen & cells
            return tuple([change for number in taken for change in self._changes(number, open_)])

        return sum(bits) | cells, Table(changes)

    def _around(self, groups: Sequence[tuple[int, Group]]) -> Table[tuple[View, ...]]:
        """Return the views of a lane by its open cells: for each region of them, all around it.

        A rectangle that slides lies on its own cells and on one region of open cells, for it
        cannot reach into another without coming back to where it was. Other shapes may: then
        all open cells are one region.
        """
        leaving = self._leaving(groups)
        regions = Table(lambda region: self._view(leaving, region))
        if all(_rectangle(group.places[0]) for _, group in groups):
            out = [regions[0]] if 0 in leaving else []  # steps off the board enter no cell
            return Table(lambda open_: (*out, *[regions[part] for part in self._regions(open_)]))
        return Table(lambda open_: (regions[open_],))

    def _view(self, leaving: Mapping[int, Mapping[int, int]], open_: int) -> View:
        """Return the view of all blocks that may enter a region of open cells."""
        above = len(self.cells) + 1
        parts = tuple(_apart(leaving, open_))
        single = Table(lambda bit: self._changes(bit.bit_length() - above, open_) if bit else [])

        def changes(seen: int) -> tuple[int, ...]:
            return tuple([change for bits in parts for change in single[seen & bits]])

        return sum(parts), Table(changes)

    def _regions(self, open_: int) -> Iterator[int]:
        """Yield the connected parts of some cells."""
        beside = self._beside
        while open_:
            region, waiting = 0, open_ & -open_
            while waiting:
                cell = waiting & -waiting
                region |= cell
                waiting = (waiting | beside[cell] & open_) & ~region
            yield region
            open_ ^= region

    @cached_property
    def _beside(self) -> Mapping[int, int]:
        """The cells beside each cell, as bits."""
        bit = {cell: 1 << number for number, cell in enumerate(self.cells)}
        return {
            bit[row, column]: sum(
                bit.get((row + down, column + right), 0) for down, right in DIRECTIONS.values()
            )
            for row, column in self.cells
        }

    def _leaving(self, groups: Iterable[tuple[int, Group]]) -> dict[int, dict[int, int]]:
        """Return whose step it is, by the cells that it enters and by one that it leaves.

        A block outside the board leaves none; the bit of its place stands for that.
        """
        found: dict[int, dict[int, int]] = {}
        number_of = {cell: number for number, cell in enumerate(self.cells)}
        for first, group in groups:
            fronts = [_front(group.places[0].shape, DIRECTIONS[way]) for way in group.directions]
            for number, block in enumerate(group.places, start=first):
                bit = self._bit(number)
                for front, (end, entered) in zip(fronts, self._steps[number], strict=True):
                    if end != number:
                        at = number_of.get(block.cells[front])
                        holders = found.setdefault(entered, {})
                        cell = bit if at is None else 1 << at
                        holders[cell] = holders.get(cell, 0) | bit
        return found

    def _changes(self, number: int, open_: int) -> list[int]:
        """Return what the moves of the block at a place change, where these cells are open."""
        marks = self._marks
        shut = ~(self._covered[number] | open_)
        return [marks[number] ^ marks[end] for end in self._ends(number, shut)]

    def _ends(self, number: int, shut: int) -> list[int]:
        """Return where one move leads from a place, without entering the cells of `shut`."""
        steps = self._steps
        found = [end for end, entered in steps[number] if not entered & shut]
        if self.graph.metric == "lines":
            for way, (end, entered) in enumerate(steps[number]):
                while not entered & shut:
                    end, entered = steps[end][way]
                    if not entered & shut:
                        found.append(end)
        elif self.graph.metric == "moves":
            for here in found:  # which grows meanwhile
                for end, entered in steps[here]:
                    if not entered & shut and end not in found and end != number:
                        found.append(end)
        return found


def _apart(leaving: Mapping[int, Mapping[int, int]], open_: int) -> Iterable[int]:
    """Return sets of places of which one at most is taken, those of all that enter open cells.

    Parameters
    ----------
    leaving : mapping
        By the cells that a step enters and by one that it leaves, the places it starts from.
    """
    left: dict[int, int] = {}
    known = 0
    for entered, holders in leaving.items():
        if not entered & ~open_:
            for cell, places in holders.items():
                if not cell & open_:
                    left[cell] = left.get(cell, 0) | places & ~known
                    known |= places
    return filter(None, left.values())


def _rectangle(block: Block) -> bool:
    height, width = block.size
    return len(block.cells) == height * width


def _front(shape: Sequence[Cell], way: Cell) -> int:
    """Return which cell of a shape goes first in a direction, one of them."""
    return next(
        at for at, (row, column) in enumerate(shape) if (row + way[0], column + way[1]) not in shape
    )


def lanes(graph: Arrangements) -> Lanes | None:
    """Return a state graph in integers; None where it has too many patterns of open cells.

    None, too, where equal blocks may leave the board: outside, two may lie on one place.
    """
    room = graph.state.board.cells
    sets = [{cell for block in group.places for cell in block.cells} for group in graph.groups]
    if any(len(g.names) > 1 and not s <= room for g, s in zip(graph.groups, sets, strict=True)):
        return None
    cells = tuple(sorted(set().union(*sets) & room))
    taken = sum(len(block.cells) for block in graph.state.blocks.values())
    at_most = math.comb(len(cells), max(0, len(cells) - taken))
    patterns = sum(min(1 << len(own & room), at_most) for own in set(map(frozenset, sets)))
    return None if patterns > PATTERNS else Lanes(graph, cells)
