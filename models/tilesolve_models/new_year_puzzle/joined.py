"""Sets of unknown cards that hang together, and what is left of them without a card.

A card *fails* when it is turned up before all its neighbours and touches nothing open. To count
orders in which none fails, a failing card is taken out with its neighbours, again and again; what
is left falls into parts that have nothing to do with each other. Only the joined sets that occur
this way have to be counted: at the start of 6 x 6 these are some hundreds, where the sets of open
cards are millions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress
from tilesolve_models.picture_grid import cards_of

Masks: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]

WIDEST = 64
"""Cards that there may be: one bit each of a machine word."""

_ONE = np.uint64(1)
_LARGE = 40  # of so many joined sets at most one has seven tenths of the cards: gives up in time
_BLOCK = 1 << 17  # sets, each with one card and its neighbours taken out, that are met at once


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


class _Images:
    """The union of what the cards of a mask stand for, for many masks at once."""

    def __init__(self, images: Sequence[int]) -> None:
        self.tables: list[Masks] = []
        for first in range(0, max(1, len(images)), 16):
            table = np.zeros(1, dtype=np.uint64)
            for image in images[first : first + 16]:
                table = np.concatenate([table, table | np.uint64(image)])
            self.tables.append(table)

    def __call__(self, masks: Masks) -> Masks:
        words = np.ascontiguousarray(masks.astype("<u8", copy=False)).view("<u2").reshape(-1, 4)
        union = self.tables[0].take(words[:, 0])
        for number, table in enumerate(self.tables[1:], 1):
            union |= table.take(words[:, number])
        return union


class _Splitter:
    """Splits sets of cards into parts that have nothing to do with each other.

    Parameters
    ----------
    every : bool
        Keep parts that no order can begin in; a lone card then counts as two loose ones.
    """

    def __init__(self, ground: Ground, *, every: bool) -> None:
        failing, self.every = ground.failing, every
        self.failing = np.uint64(failing)
        related = [
            near if failing >> card & 1 else near & failing for card, near in enumerate(ground.near)
        ]
        self.near = _Images(related)
        self.images = [
            _Images([1 << place for place in symmetry]) for symmetry in ground.symmetries
        ]
        self.rings = [self._ring(card, ground, related) for card in range(len(related))]

    @staticmethod
    def _ring(card: int, ground: Ground, related: Sequence[int]) -> int:
        """Return the cards related to one of those that go when this card is taken out."""
        gone, ring = ground.near[card] | 1 << card, 0
        for other, near in enumerate(related):
            if gone >> other & 1:
                ring |= near
        return ring & ~gone

    def split(self, masks: Masks, rings: Masks) -> Products:
        """Return each set as a product of joined sets.

        Parameters
        ----------
        rings : array of masks
            Cards of which every part has at least one.
        """
        rings = rings & masks
        alone = rings & ~self.near(masks)
        loose = np.bitwise_count(alone & ~self.failing)
        if self.every:
            loose += 2 * np.bitwise_count(alone & self.failing)
        largest, rest = np.zeros_like(masks), np.zeros_like(masks)
        left, seeds, rows = masks & ~alone, rings & ~alone, np.arange(len(masks))
        while True:
            on = np.flatnonzero(seeds)
            left, seeds, rows = left.take(on), seeds.take(on), rows.take(on)
            if not rows.size:
                break
            part = self._part(seeds, left)
            left, seeds = left & ~part, seeds & ~part
            if not self.every:
                part[part & ~self.failing == 0] = 0  # nothing in it can come first: none ever will
            before = largest[rows]
            larger = np.bitwise_count(part) > np.bitwise_count(before)
            largest[rows] = np.where(larger, part, before)
            rest[rows] |= np.where(larger, before, part)
        having = np.flatnonzero(rest)
        rests, rest_of = np.unique(rest[having], return_inverse=True)
        return Products(self._turned(largest), loose, having, rest_of, self._rests(rests))

    def _part(self, seeds: Masks, whole: Masks) -> Masks:
        """Return the part of each set that has its first seed; all of it if it has every seed."""
        found, rows = whole.copy(), np.arange(len(whole))
        part = fringe = seeds & (~seeds + _ONE)
        while rows.size:
            fringe = self.near(fringe) & whole & ~part
            part = part | fringe
            short = seeds & ~part != 0
            closed = (short & (fringe == 0)).nonzero()[0]
            found[rows.take(closed)] = part.take(closed)
            on = (short & (fringe != 0)).nonzero()[0]
            rows, seeds, whole = rows.take(on), seeds.take(on), whole.take(on)
            part, fringe = part.take(on), fringe.take(on)
        return found

    def _rests(self, masks: Masks) -> Rests:
        left, rows, factors = masks.copy(), np.arange(len(masks)), []
        while (rows := rows[left[rows] != 0]).size:
            part = self._part(left[rows], left[rows])
            left[rows] &= ~part
            factors.append((rows, self._turned(part)))
        return Rests(sizes(masks), factors)

    def _turned(self, masks: Masks) -> Masks:
        """Return the first image of each set under the symmetries, to stand for all of them."""
        first = masks
        for images in self.images:
            first = np.minimum(first, images(masks))
        return first


def sizes(masks: Masks) -> Rows:
    """Return how many cards each set has."""
    return np.bitwise_count(masks).astype(np.int64)


def distinct(masks: Masks) -> Masks:
    """Return each mask once, ascending; by sorting, which is quicker here than by hashing."""
    ascending = np.sort(masks)
    return ascending[np.flatnonzero(np.diff(ascending, prepend=~ascending[:1]))]


@dataclass
class Rests:
    """Small sets of cards as products of joined ones.

    Parameters
    ----------
    sizes : array of int
        Cards of each set.
    factors : list of (rows, joined sets)
        Joined sets, with the numbers of the sets that they are part of.
    numbers : list of array of int
        The rows of those joined sets in a table of all.
    """

    sizes: Rows
    factors: list[tuple[Rows, Masks]]
    numbers: list[Rows] = field(default_factory=list)


@dataclass
class Products:
    """Sets of cards, each as a large joined set times what else there is.

    Parameters
    ----------
    largest : array of masks
        For each set its largest joined part; 0 is none, and counts as 1.
    loose : array of int
        For each set its cards that no card of the set that may fail is near: they always fit.
    having, rest_of : array of int
        The sets that have smaller joined parts too, and which of `rests` these are.
    rests : Rests
        Smaller parts, each collection once.
    numbers : array of int
        The rows of the largest parts in a table of all.
    """

    largest: Masks
    loose: NDArray[np.uint8]
    having: Rows
    rest_of: Rows
    rests: Rests
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    def find(self, index: _Index) -> None:
        """Look the joined sets up; their masks are let go."""
        self.numbers = index.find(self.largest).astype(np.int32)
        self.largest = self.largest[:0]
        self.rests.numbers = [index.find(masks) for _, masks in self.rests.factors]

    def joined(self) -> Masks:
        """Return the joined sets that occur, each once."""
        masks = np.concatenate([self.largest, *(masks for _, masks in self.rests.factors)])
        return distinct(masks[masks != 0])


class _Index:
    """Finds the row of a joined set in a table."""

    def __init__(self, joined: Masks) -> None:
        self.order = np.argsort(joined)
        self.ascending = joined[self.order]

    def find(self, masks: Masks) -> Rows:
        found: Rows = self.order[np.searchsorted(self.ascending, masks)]
        return found


@dataclass
class Block:
    """Joined sets of one size, and what is left of them without a card and its neighbours.

    Parameters
    ----------
    cards : int
        The size.
    masks : array of masks
        The sets.
    left : Products
        First what is left without the first card that may fail, of each set that has it, then
        without the second.
    """

    cards: int
    masks: Masks
    left: Products

    def owners(self, card: int) -> Rows:
        """Return the sets that have a card."""
        return np.flatnonzero(self.masks >> np.uint64(card) & _ONE)


@dataclass
class Family:
    """All joined sets that are met, the smaller first, and the sets asked for.

    In a table the empty set is first, then come the sets of the blocks in order.
    """

    ground: Ground
    blocks: list[Block]
    asked: Products

    @property
    def joined(self) -> int:
        """How many joined sets there are."""
        return sum(len(block.masks) for block in self.blocks)


def family(
    ground: Ground, sets: Sequence[int], *, meter: Meter, most: int, every: bool = False
) -> Family | None:
    """Meet all joined sets, the largest first, because what is left of a set is smaller.

    Parts in which every card must fail are left out: no card of theirs comes in any order.

    Parameters
    ----------
    ground : Ground
        At most 64 cards.
    sets : sequence of int
        Masks of cards.
    meter : Meter
        One unit for each set met and each card that may fail in it.
    most : int
        Joined sets that may be held; None is returned when there are more, or when the large
        ones are so many that there will be.
    every : bool
        True keeps those parts, and counts a lone card that must fail as two that always fit: what
        `rounded` needs to bound its errors.
    """
    splitter = _Splitter(ground, every=every)
    masks = np.array(sets, dtype=np.uint64)
    asked = splitter.split(masks, masks)
    waiting: dict[int, list[Masks]] = {}
    _wait(waiting, asked)
    blocks, joined = list[Block](), 0
    for cards in range(len(ground.near), 0, -1):
        if cards not in waiting:
            continue
        masks = distinct(np.concatenate(waiting.pop(cards)))
        joined += len(masks)
        if joined > (most if 10 * cards < 7 * len(ground.near) else most // _LARGE):
            return None
        for block in _blocks(ground, splitter, masks, cards):
            if not meter.spend(len(block.left.loose)):
                return None
            _wait(waiting, block.left)
            blocks.append(block)
        meter.report(Progress(stage="joined sets", done=joined, total=most))
    blocks.sort(key=lambda block: block.cards)
    empty = np.zeros(1, dtype=np.uint64)
    index = _Index(np.concatenate([empty, *(block.masks for block in blocks)]))
    for products in (asked, *(block.left for block in blocks)):
        products.find(index)
        if not meter.spend():
            return None
    return Family(ground, blocks, asked)


def _wait(waiting: dict[int, list[Masks]], products: Products) -> None:
    joined = products.joined()
    counts = np.bitwise_count(joined)
    for size in np.unique(counts).tolist():
        waiting.setdefault(size, []).append(joined[counts == size])


def _blocks(ground: Ground, splitter: _Splitter, masks: Masks, cards: int) -> Iterator[Block]:
    step = max(1, _BLOCK // cards)
    for first in range(0, len(masks), step):
        yield _block(ground, splitter, masks[first : first + step], cards)


def _block(ground: Ground, splitter: _Splitter, masks: Masks, cards: int) -> Block:
    left, rings = [], []
    for card in cards_of(ground.failing):
        having = masks[np.flatnonzero(masks >> np.uint64(card) & _ONE)]
        left.append(having & ~np.uint64(ground.near[card] | 1 << card))
        rings.append(np.full(len(having), splitter.rings[card], dtype=np.uint64))
    return Block(cards, masks, splitter.split(np.concatenate(left), np.concatenate(rings)))
