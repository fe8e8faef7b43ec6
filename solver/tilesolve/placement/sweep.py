"""A direction to fill the cells in, and the options as that direction sees them.

Search and diagram both fill the first open cell again and again. What "first" means is a
sweep: an order of the cells along the short side of the sheet, so that 20x3 costs what 3x20
costs. A state of the sweep is one integer: bit ``p`` tells that the cell at position ``p`` is
taken, and above the cells every kind of piece has a counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from tilesolve.budget import Meter, each
from tilesolve.placement.problem import Problem, moved

Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Counter:
    """How the copies of one kind are counted inside a state.

    The field starts at `start` and its top bit is set once `most` copies are used, so one bit
    tells whether the kind is used up, and fields never overflow into each other.

    Examples
    --------
    >>> counter = Counter(offset=4, width=3, start=1, most=3)
    >>> counter.used(counter.begin + 2 * counter.unit), counter.begin + 3 * counter.unit
    (2, 64)
    """

    offset: int
    width: int
    start: int
    most: int

    @property
    def begin(self) -> int:
        """What the field holds when no copy is used."""
        return self.start << self.offset

    @property
    def full(self) -> int:
        """The bit that is set when all copies are used."""
        return 1 << (self.offset + self.width - 1)

    @property
    def unit(self) -> int:
        """What one copy adds to a state."""
        return 1 << self.offset

    def used(self, state: int) -> int:
        """Return the copies used in a state."""
        return (state >> self.offset & ((1 << self.width) - 1)) - self.start


@dataclass(frozen=True)
class Sweep:
    """The cells in order and the options by their first cell.

    Parameters
    ----------
    order : tuple of int
        The cell at each position.
    masks : tuple of int
        For each option its cells as bits of positions.
    kinds : tuple of int
        For each option the kind it uses.
    copies : tuple of int
        For each option how many copies of its kind it uses; 1 unless options were joined.
    sizes : tuple of int
        For each kind the cells that one copy takes; 0 for a kind without options.
    least, most : tuple of int
        For each kind the copies demanded and allowed; `most` is never more than has room.
    cover : bool
        Whether every cell must be taken.
    extents : tuple of int
        For each position the cells it stands for; 1 unless cells were joined.
    connected : bool
        Whether the cells of every option are known to hang together.
    """

    order: tuple[int, ...]
    masks: tuple[int, ...]
    kinds: tuple[int, ...]
    copies: tuple[int, ...]
    sizes: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    cover: bool
    extents: tuple[int, ...]
    connected: bool = False

    @property
    def full(self) -> int:
        """The mask of all positions."""
        return (1 << len(self.order)) - 1

    @property
    def room(self) -> int:
        """Cells in all."""
        return sum(self.extents)

    @property
    def exact(self) -> bool:
        """Whether the number of copies of every kind is fixed."""
        ranges = zip(self.least, self.most, self.sizes, strict=True)
        return all(least == most for least, most, size in ranges if size)

    @property
    def spare(self) -> int:
        """Cells left when every kind is used as often as it must be; below 0: no solution."""
        needed = sum(size * least for size, least in zip(self.sizes, self.least, strict=True))
        impossible = any(most < least for most, least in zip(self.most, self.least, strict=True))
        return -1 if impossible else self.room - needed

    @cached_property
    def starts(self) -> tuple[list[int], ...]:
        """For each position the usable options whose first cell lies there, ascending."""
        found: tuple[list[int], ...] = tuple([] for _ in self.order)
        most = self.most
        for option, (mask, kind, copies) in enumerate(
            zip(self.masks, self.kinds, self.copies, strict=True)
        ):
            if copies <= most[kind]:
                found[(mask & -mask).bit_length() - 1].append(option)
        return found

    def counters(self, offset: int) -> tuple[Counter | None, ...]:
        """Lay the counters out from bit `offset` upwards; None where nothing is counted.

        A kind that need not be used, and may be used as often as there is room for, is not
        counted: that is what makes tilings by any number of pieces cheap.
        """
        laid: list[Counter | None] = []
        for size, least, most in zip(self.sizes, self.least, self.most, strict=True):
            if most == 0 or (least == 0 and most >= self.room // size):
                laid.append(None)
                continue
            width = (most - 1).bit_length() + 1
            laid.append(Counter(offset, width, (1 << (width - 1)) - most, most))
            offset += width
        return tuple(laid)


def in_words(
    counters: Sequence[Counter | None], *, start: int, word: int
) -> tuple[tuple[Counter | None, ...], int]:
    """Lay counters out again from bit `start`, none across two words; also return the end.

    Examples
    --------
    >>> moved, end = in_words([Counter(0, 3, 1, 3), Counter(3, 3, 1, 3)], start=4, word=8)
    >>> [counter.offset for counter in moved], end
    ([4, 8], 11)
    """
    moved: list[Counter | None] = []
    for counter in counters:
        if counter and start % word + counter.width > word:
            start += -start % word
        moved.append(replace(counter, offset=start) if counter else None)
        start += counter.width if counter else 0
    return tuple(moved), start


def with_holes(sweep: Sweep) -> Sweep:
    """Return a packing as a cover: leaving a cell open is an option of one more kind.

    Those options come last, one a position, so that they are chosen last.
    """
    holes = tuple(1 << position for position in range(len(sweep.order)))
    spare = max(0, sweep.spare)
    return replace(
        sweep,
        masks=sweep.masks + holes,
        kinds=sweep.kinds + (len(sweep.sizes),) * len(holes),
        copies=sweep.copies + sweep.extents,
        sizes=(*sweep.sizes, 1),
        least=(*sweep.least, spare if sweep.exact else 0),
        most=(*sweep.most, spare),
        cover=True,
    )


def sweep_of(
    problem: Problem, *, order: Sequence[int] | None = None, meter: Meter | None = None
) -> Sweep:
    """Return the cheapest sweep of a problem, or the one along a given order of its cells.

    Raises
    ------
    Stopped
        When the meter stops it.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> places = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
    >>> near = ((1, 3), (0, 2, 4), (1, 5), (0, 4), (3, 1, 5), (4, 2))
    >>> upright = tuple(Option(0, 0b1001 << column) for column in range(3))
    >>> problem = Problem(("",) * 6, (Kind("I2", 3, 3),), upright, True, near, places)
    >>> sweep_of(problem).order
    (0, 3, 1, 4, 2, 5)
    """
    chosen = tuple(order) if order is not None else cheapest_order(problem)
    to = {1 << cell: 1 << at for at, cell in enumerate(chosen)}
    room = len(chosen)
    options = each(meter, problem.options)
    return Sweep(
        order=chosen,
        masks=tuple([moved(option.mask, to) for option in options]),
        kinds=tuple([option.kind for option in problem.options]),
        copies=(1,) * len(problem.options),
        sizes=tuple(size or 0 for size in problem.sizes),
        least=tuple(kind.least for kind in problem.kinds),
        most=tuple(
            min(room // size, room if kind.most is None else kind.most) if size else 0
            for kind, size in zip(problem.kinds, problem.sizes, strict=True)
        ),
        cover=problem.cover,
        extents=(1,) * room,
        connected=problem.connected,
    )


_DIRECTIONS: tuple[Callable[[Place], Place], ...] = (
    lambda place: (place[0], place[1]),
    lambda place: (place[1], place[0]),
    lambda place: (place[1] - place[0], place[0]),
    lambda place: (place[1] + place[0], place[0]),
)
"""Along rows, along columns, along the two diagonals (the columns of a slanted hex sheet)."""


def cheapest_order(problem: Problem) -> tuple[int, ...]:
    """Return the order of cells along which the fewest states are to be expected.

    The longest border between done and not yet done decides how many there can be. Of orders
    with the same, and their reverses, one where few options reach into the first half branches
    late: on the days of a calendar that halves the states.
    """
    there = list(orders(problem))
    borders = {order: border(problem.adjacent, order) for order in (*there, *_reversed(there))}
    narrowest = min(longest for longest, _ in borders.values())
    narrow = [order for order, (longest, _) in borders.items() if longest == narrowest]
    masks = [option.mask for option in problem.options]
    return min(narrow, key=lambda order: (_early(masks, order), borders[order]))


def _reversed(orders: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    return (tuple(reversed(order)) for order in orders)


def _early(masks: Sequence[int], order: Sequence[int]) -> int:
    """Return how many options take a cell of the first half of an order."""
    half = sum([1 << cell for cell in order[: len(order) // 2]])
    return len([mask for mask in masks if mask & half])


def orders(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yield the orders worth trying: reading order, and others where cells have places."""
    cells = range(len(problem.cells))
    if not problem.places:
        yield tuple(cells)
    else:
        for direction in _DIRECTIONS:
            yield tuple(sorted(cells, key=lambda cell: direction(problem.places[cell])))


def border(adjacent: Sequence[Sequence[int]], order: Sequence[int]) -> tuple[int, int]:
    """Return the longest border of an order and the sum of all, in cells not yet done."""
    done = [False] * len(order)
    touched = [False] * len(order)
    width = longest = total = 0
    if not adjacent:
        return 0, 0
    for cell in order:
        width -= touched[cell]
        done[cell] = True
        for near in adjacent[cell]:
            if not (done[near] or touched[near]):
                touched[near] = True
                width += 1
        longest = max(longest, width)
        total += width
    return longest, total
