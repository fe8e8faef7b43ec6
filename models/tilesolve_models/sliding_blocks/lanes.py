"""The state graph of a puzzle in plain integers: what may move is read off the open cells.

A state is one integer: a bit for each open cell, and above them a bit for each place that is
taken, so that equal blocks are not told apart. Where a block may go hangs only on which cells
of its lane (all cells it could ever lie on) are open. A puzzle with few open cells, or with
short lanes as in Rush Hour, has few such patterns; the moves of each are worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeAlias

from tilesolve.answers import Cell
from tilesolve_models.sliding_blocks.arrangements import Arrangements, Group
from tilesolve_models.sliding_blocks.blocks import Block

Slides: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""The bit of a place, and for each move from there the bits of the state that it changes."""

PATTERNS = 1 << 11
"""Patterns of open cells, of all lanes together, that are worth working out."""


@dataclass(frozen=True)
class Lane:
    """Groups of blocks that share their cells.

    Parameters
    ----------
    cells : int
        The bits of those cells.
    slides : callable
        From those of the cells that are open to what may move.
    """

    cells: int
    slides: Callable[[int], Slides]


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
            for lane in self._lanes
            for cells, slides in ((lane.cells, lane.slides),)
            for state in states
            for place, changes in slides(state & cells)
            if state & place
            for change in changes
        }

    def done(self, states: AbstractSet[int]) -> Sequence[int]:
        """Return those of these states that meet the goal."""
        found = list(states)
        for wanted in self._goal:
            found = [state for state in found if state & wanted]
        return found

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
        """The bits of the cells that a block at each place lies on; nowhere has all bits."""
        bit = {cell: 1 << number for number, cell in enumerate(self.cells)}
        places = (sum(bit.get(cell, 0) for cell in block.cells) for block in self._places)
        return (*places, -1)

    @cached_property
    def _steps(self) -> tuple[tuple[int, ...], ...]:
        """Where a step leads from each place, in each direction; the last number is nowhere."""
        return tuple(map(tuple, self.graph.step.tolist()))

    @cached_property
    def _goal(self) -> tuple[int, ...]:
        """The bits of the places that meet each condition."""
        return tuple(
            sum(self._bit(number) for number in wanted.nonzero()[0].tolist())
            for _, wanted in self.graph.goal
        )

    @cached_property
    def _lanes(self) -> tuple[Lane, ...]:
        sharing: dict[int, list[int]] = {}
        for first, group in zip(self.graph.starts, self.graph.groups, strict=True):
            numbers = range(first, first + len(group.places))
            cells = 0
            for number in numbers:
                cells |= self._covered[number]
            sharing.setdefault(cells, []).extend(numbers)
        return tuple(self._lane(cells, numbers) for cells, numbers in sharing.items())

    def _lane(self, cells: int, numbers: Sequence[int]) -> Lane:
        beside = self._beside(numbers)

        @cache
        def slides(open_: int) -> Slides:
            enterable = open_ | self._outside
            near = {n for cell, places in beside.items() if cell & enterable for n in places}
            return tuple(self._slides(open_, sorted(near)))

        return Lane(cells, slides)

    @property
    def _outside(self) -> int:
        """The bit of all that lies outside the board, where nothing is in the way."""
        return 1 << len(self.cells)

    def _beside(self, numbers: Sequence[int]) -> Mapping[int, set[int]]:
        """Return, for the bit of each cell and of the outside, the places of steps into it."""
        beside: dict[int, set[int]] = {}
        bits = [1 << cell for cell in range(len(self.cells))]
        for number in numbers:
            for end in set(self._steps[number]) - {len(self._places)}:
                entered = self._covered[end] & ~self._covered[number] or self._outside
                for bit in (bit for bit in (*bits, self._outside) if bit & entered):
                    beside.setdefault(bit, set()).add(number)
        return beside

    def _slides(self, open_: int, near: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield what the blocks at those of the places `near` that are taken may do."""
        covered = self._covered
        for number in near:
            own = covered[number]
            if own & open_:
                continue
            ends = self._ends(number, own | open_)
            if ends:
                bit = self._bit(number)
                yield bit, tuple(bit ^ self._bit(end) ^ own ^ covered[end] for end in ends)

    def _ends(self, number: int, room: int) -> set[int]:
        """Return where one move leads from a place, through the cells of `room`."""
        covered, steps, shut = self._covered, self._steps, ~room
        found = {end for end in steps[number] if not covered[end] & shut}
        if self.graph.metric == "lines":
            for way, end in enumerate(steps[number]):
                while not covered[end] & shut:
                    found.add(end)
                    end = steps[end][way]
        elif self.graph.metric == "moves":
            waiting = list(found)
            while waiting:
                further = {end for end in steps[waiting.pop()] if not covered[end] & shut} - found
                found |= further
                waiting += further
        return found - {number}


def lanes(graph: Arrangements) -> Lanes | None:
    """Return a state graph in integers; None where it has too many patterns of open cells.

    None, too, where equal blocks may leave the board: outside, two may lie on one place.
    """
    board = graph.state.board
    sets = [{c for b in g.places for c in b.cells if board.open(c)} for g in graph.groups]
    cells = tuple(sorted(set().union(*sets)))
    taken = sum(len(block.cells) for block in graph.state.blocks.values())
    at_most = math.comb(len(cells), max(0, len(cells) - taken))
    patterns = sum(min(1 << len(own), at_most) for own in set(map(frozenset, sets)))
    leaving = any(
        len(group.names) > 1 and not all(board.open(c) for b in group.places for c in b.cells)
        for group in graph.groups
    )
    return None if leaving or patterns > PATTERNS else Lanes(graph, cells)
