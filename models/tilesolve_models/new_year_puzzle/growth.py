"""In how many orders do unknown cards all fit, one after another? Counted exactly.

A card *fails* when it is turned up before all its neighbours and touches nothing open. Let N(k)
be the number of sequences of k different cards of a set of n in which none fails, the cards
outside the set being left out. Appending any of the other n - k cards keeps a sequence, but for
those that end in a failing card i; and these are the sequences of k cards without i and its
neighbours, so

    N(k + 1) of R  =  (n - k) N(k) of R  -  sum over i of N(k) of R without i and its neighbours.

What is left of R falls into parts that have nothing to do with each other. Their sequences
interleave in every way, so the generating functions sum N(k) s^k / k! are multiplied, and only
joined sets have to be counted: at the start of 6 x 6 these are some hundreds, where the sets of
open cards are millions.

A generating function is held as one large integer, its coefficients side by side and `scale`
times as large as they are: adding, and multiplying by a small one, is then a single step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import factorial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress

Masks: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]
Packed: TypeAlias = NDArray[Any]  # of Python's integers

WIDEST = 64
"""Cards that there may be: one bit each of a machine word."""

_ONE = np.uint64(1)
_LARGE = 40  # of so many joined sets at most one has seven tenths of the cards: gives up in time
_BLOCK = 1 << 15  # sets, each with one card and its neighbours taken out, that are met at once


@dataclass(frozen=True)
class Ground:
    """Cards that may be turned up.

    Parameters
    ----------
    near : tuple of int
        For each card the mask of its neighbours: those that it fits beside once they lie open.
    failing : int
        Mask of the cards that touch nothing open yet.
    symmetries : tuple of tuple of int
        Ways to number the cards anew that change neither, besides the identity.
    """

    near: tuple[int, ...]
    failing: int
    symmetries: tuple[tuple[int, ...], ...] = ()

    @property
    def cards(self) -> int:
        """The mask of all cards."""
        return (1 << len(self.near)) - 1


def sequences(
    ground: Ground, sets: Sequence[int], *, meter: Meter, most: int
) -> list[list[int]] | None:
    """Return, for each set of cards, the numbers N(0), N(1), ... up to the size of the set.

    Parameters
    ----------
    ground : Ground
        At most 64 cards.
    sets : sequence of int
        Masks of cards.
    most : int
        Joined sets that may be held; None is returned when there are more, or when the large
        ones are so many that there will be.

    Returns
    -------
    list of list of int, or None
        None also when the meter stops.

    Examples
    --------
    Three cards in a row, of which the first touches an open one:

    >>> from tilesolve.budget import Budget
    >>> row = Ground(near=(0b010, 0b101, 0b010), failing=0b110)
    >>> sequences(row, [0b111, 0b101], meter=Meter(budget=Budget()), most=100)
    [[1, 1, 1, 1], [1, 1, 0]]
    """
    family = _explored(ground, np.array(sets, dtype=np.uint64), meter, most)
    if family is None:
        return None
    packing = _Packing(len(ground.near))
    table = family.table(packing, meter)
    if table is None:
        return None
    found = family.asked.values(table, packing)
    sizes = [mask.bit_count() for mask in sets]
    return [packing.numbers(each, size) for each, size in zip(found, sizes, strict=True)]


class _Images:
    """The union of what the cards of a mask stand for, for many masks at once."""

    def __init__(self, images: Sequence[int]) -> None:
        self.tables: list[Masks] = []
        for first in range(0, len(images), 16):
            table = np.zeros(1, dtype=np.uint64)
            for image in images[first : first + 16]:
                table = np.concatenate([table, table | np.uint64(image)])
            self.tables.append(table)

    def __call__(self, masks: Masks) -> Masks:
        union = np.zeros_like(masks)
        for number, table in enumerate(self.tables):
            part = (masks >> np.uint64(16 * number)) & np.uint64(0xFFFF)
            union |= table[part.astype(np.intp)]
        return union


class _Splitter:
    """Splits sets of cards into parts that have nothing to do with each other."""

    def __init__(self, ground: Ground) -> None:
        failing = ground.failing
        self.failing = np.uint64(failing)
        self.near = _Images(
            [
                near if failing >> card & 1 else near & failing
                for card, near in enumerate(ground.near)
            ]
        )
        self.images = [
            _Images([1 << place for place in symmetry]) for symmetry in ground.symmetries
        ]

    def split(self, masks: Masks) -> _Products:
        """Return each set as a product of joined sets."""
        left, loose = masks & self.failing, masks.copy()
        largest, rest = np.zeros_like(masks), np.zeros_like(masks)
        rows = np.flatnonzero(left)
        while rows.size:
            part = self._joined(left[rows] & (~left[rows] + _ONE), masks[rows])
            left[rows] &= ~part
            loose[rows] &= ~part
            part[part & (part - _ONE) == 0] = 0  # a lone card that must fail changes nothing
            before = largest[rows]
            larger = np.bitwise_count(part) > np.bitwise_count(before)
            largest[rows] = np.where(larger, part, before)
            rest[rows] |= np.where(larger, before, part)
            rows = rows[left[rows] != 0]
        rests, of = np.unique(rest | loose, return_inverse=True)
        return _Products(self._turned(largest), of, self._rests(rests))

    def _rests(self, masks: Masks) -> _Rests:
        left, loose, rows, factors = masks & self.failing, masks.copy(), np.arange(len(masks)), []
        while (rows := rows[left[rows] != 0]).size:
            part = self._joined(left[rows] & (~left[rows] + _ONE), masks[rows])
            left[rows] &= ~part
            loose[rows] &= ~part
            factors.append((rows, self._turned(part)))
        return _Rests(_sizes(masks), _sizes(loose), factors)

    def _joined(self, start: Masks, whole: Masks) -> Masks:
        """Grow sets over sides of which at least one card may fail."""
        part, fringe, rows = start.copy(), start, np.arange(len(start))
        while rows.size:
            fresh = self.near(fringe) & whole[rows] & ~part[rows]
            part[rows] |= fresh
            growing = fresh != 0
            rows, fringe = rows[growing], fresh[growing]
        return part

    def _turned(self, masks: Masks) -> Masks:
        """Return the first image of each set under the symmetries, to stand for all of them."""
        first = masks
        for images in self.images:
            first = np.minimum(first, images(masks))
        return first


def _sizes(masks: Masks) -> Rows:
    return np.bitwise_count(masks).astype(np.int64)


class _Packing:
    """Generating functions as integers, scaled to have no fractions.

    Parameters
    ----------
    cards : int
        The largest set's; N(k) / k! is at most 2 to that power.
    """

    def __init__(self, cards: int) -> None:
        self.cards, self.scale = cards, factorial(cards)
        self.bytes = (self.scale.bit_length() + cards + 15) // 8
        self.factorials = np.array([factorial(size) for size in range(cards + 1)], dtype=object)
        self.scales: Packed = self.scale // self.factorials
        one_more, loose = 1 + (1 << 8 * self.bytes), [self.scale]
        for _ in range(cards):
            loose.append(loose[-1] * one_more)
        self.loose = np.array(loose, dtype=object)
        """For each m that of m cards which always fit, (1 + s)^m."""

    def all_of(self, table: Packed, other: _Packing) -> Packed:
        """Return functions that are packed otherwise, as they are packed here."""
        ratio, repacked = self.scale // other.scale, np.empty_like(table)
        for place, packed in enumerate(table):
            cards = packed.bit_length() // (8 * other.bytes)
            coefficients = other.coefficients(packed, cards)
            repacked[place] = self._packed([ratio * each for each in coefficients])
        return repacked

    def _packed(self, coefficients: Sequence[int]) -> int:
        width = self.bytes
        parts = [each.to_bytes(width, "little") for each in coefficients]
        return int.from_bytes(b"".join(parts), "little")

    def coefficients(self, packed: int, cards: int) -> list[int]:
        """Return the scaled coefficients up to that of s^cards."""
        width = self.bytes
        raw = packed.to_bytes((cards + 1) * width, "little")
        return [
            int.from_bytes(raw[place : place + width], "little")
            for place in range(0, len(raw), width)
        ]

    def grown(self, lost: int, cards: int) -> int:
        """Return a joined set's function from the sum of what is left without a card each.

        In coefficients a(k) = N(k) / k!: (k + 1) a(k + 1) = (n - k) a(k) - lost(k).
        """
        coefficients = [self.scale]
        for k, less in enumerate(self.coefficients(lost, cards - 1)):
            coefficients.append(((cards - k) * coefficients[-1] - less) // (k + 1))
        return self._packed(coefficients)

    def numbers(self, packed: int, cards: int) -> list[int]:
        """Return N(0), N(1), ... of a set of so many cards."""
        return [
            each * factorial(k) // self.scale
            for k, each in enumerate(self.coefficients(packed, cards))
        ]


@dataclass
class _Rests:
    """Small sets of cards as products of joined ones.

    Parameters
    ----------
    sizes : array of int
        Cards of each set.
    loose : array of int
        For each set its cards that no card of the set that may fail is near: they always fit.
    factors : list of (rows, joined sets)
        Joined sets, with the numbers of the sets that they are part of.
    """

    sizes: Rows
    loose: Rows
    factors: list[tuple[Rows, Masks]]
    numbers: list[Rows] = field(default_factory=list)

    def values(self, table: Packed, packing: _Packing) -> Packed:
        """Return the functions, scaled by the factorial of the size alone."""
        found: Packed = packing.loose[self.loose]
        for (rows, masks), numbers in zip(self.factors, self.numbers, strict=True):
            sizes = _sizes(masks)
            factor = table[numbers] // packing.scales[sizes]
            found[rows] = found[rows] // packing.factorials[sizes] * factor
        small: Packed = found // packing.scales[self.sizes]
        return small


@dataclass
class _Products:
    """Sets of cards, each as a large joined set times what else there is.

    Parameters
    ----------
    largest : array of masks
        For each set its largest joined part; 0 is none, and counts as 1.
    rest_of : array of int
        Which of `rests` the other cards are.
    rests : _Rests
        Other cards, each collection once.
    """

    largest: Masks
    rest_of: Rows
    rests: _Rests
    numbers: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def find(self, index: _Index) -> None:
        """Look the joined sets up."""
        self.numbers = index.find(self.largest)
        self.rests.numbers = [index.find(masks) for _, masks in self.rests.factors]

    def joined(self) -> Masks:
        """Return the joined sets that occur, each once."""
        masks = np.concatenate([self.largest, *(masks for _, masks in self.rests.factors)])
        return np.unique(masks[masks != 0])

    def values(self, table: Packed, packing: _Packing) -> Packed:
        """Return the sets' generating functions; row for row."""
        return self._times(table[self.numbers], self.rest_of, table, packing)

    def sums(self, owners: Rows, count: int, table: Packed, packing: _Packing) -> Packed:
        """Return the sum over the sets of each owner; those with one rest are added first."""
        together = owners * len(self.rests.sizes) + self.rest_of
        order = np.argsort(together, kind="stable")
        together = together[order]
        starts = np.flatnonzero(np.concatenate([[True], together[1:] != together[:-1]]))
        added = np.add.reduceat(table[self.numbers[order]], starts)
        first = order[starts]
        products = self._times(added, self.rest_of[first], table, packing)
        ends = np.searchsorted(owners[first], np.arange(count))
        sums: Packed = np.add.reduceat(products, ends)
        return sums

    def _times(self, large: Packed, rest_of: Rows, table: Packed, packing: _Packing) -> Packed:
        small = self.rests.values(table, packing)[rest_of]
        sizes = self.rests.sizes[rest_of]
        rows = np.flatnonzero(sizes)
        large[rows] = large[rows] // packing.factorials[sizes[rows]] * small[rows]
        return large


class _Index:
    """Finds the row of a joined set in a table."""

    def __init__(self, joined: Masks) -> None:
        self.order = np.argsort(joined)
        self.ascending = joined[self.order]

    def find(self, masks: Masks) -> Rows:
        found: Rows = self.order[np.searchsorted(self.ascending, masks)]
        return found


@dataclass
class _Block:
    """Joined sets of one size, and what is left of them without a card and its neighbours."""

    cards: int
    masks: Masks
    owners: Rows
    left: _Products


@dataclass
class _Family:
    """All joined sets that are met, the smaller first, and the sets asked for."""

    blocks: list[_Block]
    asked: _Products

    def table(self, packing: _Packing, meter: Meter) -> Packed | None:
        """Return the functions of the empty set and of all joined sets; None when stopped."""
        joined = sum(len(block.masks) for block in self.blocks)
        table = np.empty(joined + 1, dtype=object)
        narrow = _Packing(6 * packing.cards // 10)  # most sets are small, and so are their numbers
        table[0], done = narrow.scale, 1
        for block in self.blocks:
            if block.cards > narrow.cards:
                table[:done] = packing.all_of(table[:done], narrow)
                narrow = packing
            if not meter.spend(len(block.owners)):
                return None
            lost = block.left.sums(block.owners, len(block.masks), table, narrow)
            for each in lost:
                table[done] = narrow.grown(each, block.cards)
                done += 1
            meter.report(Progress(stage="orders that fit", done=done, total=joined))
        return table if narrow is packing else packing.all_of(table, narrow)


def _explored(ground: Ground, sets: Masks, meter: Meter, most: int) -> _Family | None:
    """Meet all joined sets, the largest first, because what is left of a set is smaller."""
    splitter = _Splitter(ground)
    asked = splitter.split(sets)
    waiting: dict[int, list[Masks]] = {}
    _wait(waiting, asked)
    blocks, joined = list[_Block](), 0
    for cards in range(len(ground.near), 0, -1):
        if cards not in waiting:
            continue
        masks = np.unique(np.concatenate(waiting.pop(cards)))
        joined += len(masks)
        if joined > (most if 10 * cards < 7 * len(ground.near) else most // _LARGE):
            return None
        step = max(1, _BLOCK // cards)
        for first in range(0, len(masks), step):
            block = _block(ground, splitter, masks[first : first + step], cards)
            if not meter.spend(len(block.owners)):
                return None
            _wait(waiting, block.left)
            blocks.append(block)
        meter.report(Progress(stage="joined sets", done=joined, total=most))
    blocks.sort(key=lambda block: block.cards)
    empty = np.zeros(1, dtype=np.uint64)
    index = _Index(np.concatenate([empty, *(block.masks for block in blocks)]))
    for products in (asked, *(block.left for block in blocks)):
        products.find(index)
    return _Family(blocks, asked)


def _wait(waiting: dict[int, list[Masks]], products: _Products) -> None:
    joined = products.joined()
    sizes = np.bitwise_count(joined)
    for size in np.unique(sizes).tolist():
        waiting.setdefault(size, []).append(joined[sizes == size])


def _block(ground: Ground, splitter: _Splitter, masks: Masks, cards: int) -> _Block:
    owners, left = [], []
    for card, near in enumerate(ground.near):
        if ground.failing >> card & 1:
            having = np.flatnonzero(masks >> np.uint64(card) & _ONE)
            owners.append(having)
            left.append(masks[having] & ~np.uint64(near | 1 << card))
    return _Block(cards, masks, np.concatenate(owners), splitter.split(np.concatenate(left)))
