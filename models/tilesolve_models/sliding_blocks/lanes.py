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


Lane: TypeAlias = tuple[int, Mapping[int, tuple[int, ...]], Mapping[int, tuple[int, ...]]]
"""The bits of the cells that some blocks share, their views by which of those are open, and what
all moves change, by the bits of a view that are set."""


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

    @property
    def size(self) -> int:
        """Bytes of a state."""
        return (len(self.cells) + len(self._places) + 7) // 8

    def beyond(self, states: AbstractSet[int]) -> set[int]:
        """Return all states one move away from these."""
        return {
            state ^ change
            for cells, views, changes in self._lanes
            for state in states
            for bits in views[state & cells]
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
        whole: list[int] = []
        lanes: list[Lane] = []
        for cells, groups in sharing.items():
            if all(len(group.directions) == 2 for _, group in groups):
                whole.append(cells | sum(self._bits(*each) for each in groups))
            else:
                lanes.append((cells, self._around(groups), Table(self._seen)))
        return ((0, {0: tuple(whole)}, Table(self._seen)), *lanes) if whole else tuple(lanes)

    def _bits(self, first: int, group: Group) -> int:
        """Return the bits of all places of a group."""
        return ((1 << len(group.places)) - 1) << (len(self.cells) + first)

    def _around(self, groups: Sequence[tuple[int, Group]]) -> Table[tuple[int, ...]]:
        """Return the views of a lane by its open cells: for each region of them, all around it.

        A rectangle that slides lies on its own cells and on one region of open cells, for it
        cannot reach into another without coming back to where it was. Other shapes may: then
        all open cells are one region.
        """
        entering = self._entering(groups)

        def around(open_: int) -> int:
            bits = open_
            for entered, places in entering:
                if not entered & ~open_:
                    bits |= places
            return bits

        regions = Table(around)
        if all(_rectangle(group.places[0]) for _, group in groups):
            out = [regions[0]] if regions[0] else []  # steps off the board enter no cell
            return Table(lambda open_: (*out, *[regions[part] for part in self._regions(open_)]))
        return Table(lambda open_: (regions[open_],))

    def _entering(self, groups: Iterable[tuple[int, Group]]) -> Iterable[tuple[int, int]]:
        """Return the cells that some steps enter, and the places which these steps leave."""
        found: dict[int, int] = {}
        for first, group in groups:
            for number in range(first, first + len(group.places)):
                bit = self._bit(number)
                for end, entered in self._steps[number]:
                    if end != number:
                        found[entered] = found.get(entered, 0) | bit
        return found.items()

    def _seen(self, seen: int) -> tuple[int, ...]:
        """Return what all moves change, seen through a view where these of its bits are set."""
        open_ = seen & self._room
        taken = seen ^ open_
        single = self._single
        found: list[int] = []
        while taken:
            low = taken & -taken
            taken ^= low
            found += single[low | open_]
        return tuple(found)

    @cached_property
    def _room(self) -> int:
        return (1 << len(self.cells)) - 1

    @cached_property
    def _single(self) -> Table[Sequence[int]]:
        """What the moves of one block change, by the bit of its place and the open cells."""
        above, room = len(self.cells) + 1, self._room
        return Table(lambda seen: self._changes(seen.bit_length() - above, seen & room))

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

    def _changes(self, number: int, open_: int) -> Sequence[int]:
        """Return what the moves of the block at a place change, where these cells are open."""
        shut = ~open_
        ends = [end for end, entered in self._steps[number] if not entered & shut]
        if not ends:
            return ()
        if self.graph.metric != "steps":
            shut &= ~self._covered[number]
            onward = self._straight_on if self.graph.metric == "lines" else self._any_way_on
            onward(number, ends, shut)
        marks = self._marks
        here = marks[number]
        return [here ^ marks[end] for end in ends]

    def _straight_on(self, number: int, ends: list[int], shut: int) -> None:
        """Add where a block gets by going on in the direction that it took to each end."""
        steps = self._steps
        for way, (end, entered) in enumerate(steps[number]):
            while not entered & shut:
                end, entered = steps[end][way]
                if not entered & shut:
                    ends.append(end)

    def _any_way_on(self, number: int, ends: list[int], shut: int) -> None:
        """Add where a block gets by going on any way."""
        steps = self._steps
        for here in ends:  # which grows meanwhile
            for end, entered in steps[here]:
                if not entered & shut and end not in ends and end != number:
                    ends.append(end)


def _rectangle(block: Block) -> bool:
    height, width = block.size
    return len(block.cells) == height * width


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
