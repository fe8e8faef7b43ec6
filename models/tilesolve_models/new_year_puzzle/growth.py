"""In how many orders do unknown cards all fit, one after another? Counted exactly.

Let N(k) be the number of sequences of k different cards of a set of n in which none fails, the
cards outside the set being left out. Appending any of the other n - k cards keeps a sequence, but
for those that end in a failing card i; and these are the sequences of k cards without i and its
neighbours, so

    N(k + 1) of R  =  (n - k) N(k) of R  -  sum over i of N(k) of R without i and its neighbours.

Sequences of parts that have nothing to do with each other interleave in every way, so the
generating functions sum N(k) s^k / k! are multiplied.

A generating function is held as one large integer, its coefficients side by side and `scale`
times as large as they are: adding, and multiplying by a small one, is then a single step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress
from tilesolve_models.new_year_puzzle.joined import Block, Family, Products, Rests, Rows, sizes
from tilesolve_models.picture_grid import cards_of

Packed: TypeAlias = NDArray[Any]  # of Python's integers


def sequences(family: Family, sets: Sequence[int], *, meter: Meter) -> list[list[int]] | None:
    """Return, for each set of cards, the numbers N(0), N(1), ... up to the size of the set.

    Parameters
    ----------
    family : Family
        The joined sets of these sets.
    sets : sequence of int
        Masks of cards.

    Returns
    -------
    list of list of int, or None
        None when the meter stops.

    Examples
    --------
    Three cards in a row, of which the first touches an open one:

    >>> from tilesolve.budget import Budget
    >>> from tilesolve_models.new_year_puzzle.joined import Ground, family
    >>> row = Ground(near=(0b010, 0b101, 0b010), failing=0b110)
    >>> meter, sets = Meter(budget=Budget()), [0b111, 0b101]
    >>> sequences(family(row, sets, meter=meter, most=100), sets, meter=meter)
    [[1, 1, 1, 1], [1, 1, 0]]
    """
    packing = _Packing(len(family.ground.near))
    table = _table(family, packing, meter)
    if table is None:
        return None
    counts = [mask.bit_count() for mask in sets]
    found = _values(family.asked, table, packing)
    return [packing.numbers(each, size) for each, size in zip(found, counts, strict=True)]


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


def _table(family: Family, packing: _Packing, meter: Meter) -> Packed | None:
    """Return the functions of the empty set and of all joined sets; None when stopped."""
    table = np.empty(family.joined + 1, dtype=object)
    narrow = _Packing(6 * packing.cards // 10)  # most sets are small, and so are their numbers
    table[0], done = narrow.scale, 1
    failing = tuple(cards_of(family.ground.failing))
    for block in family.blocks:
        if block.cards > narrow.cards:
            table[:done] = packing.all_of(table[:done], narrow)
            narrow = packing
        if not meter.spend(len(block.left.loose)):
            return None
        for each in _lost(block, failing, table, narrow):
            table[done] = narrow.grown(each, block.cards)
            done += 1
        meter.report(Progress(stage="orders that fit", done=done, total=len(table)))
    return table if narrow is packing else packing.all_of(table, narrow)


def _lost(block: Block, failing: Sequence[int], table: Packed, packing: _Packing) -> Packed:
    """Return the sum over what is left of each set; those with one small factor are added first."""
    left, owners = block.left, np.concatenate([block.owners(card) for card in failing])
    pairs, rest_of = _rests(left)
    together = owners * len(pairs) + rest_of
    order = np.argsort(together, kind="stable")
    together = together[order]
    starts = np.flatnonzero(np.concatenate([[True], together[1:] != together[:-1]]))
    added = np.add.reduceat(table[left.numbers[order]], starts)
    first = order[starts]
    products = _times(added, left.rests, pairs, rest_of[first], table, packing)
    ends = np.searchsorted(owners[first], np.arange(len(block.masks)))
    sums: Packed = np.add.reduceat(products, ends)
    return sums


def _values(products: Products, table: Packed, packing: _Packing) -> Packed:
    """Return the sets' generating functions; row for row."""
    pairs, rest_of = _rests(products)
    return _times(table[products.numbers], products.rests, pairs, rest_of, table, packing)


def _rests(products: Products) -> tuple[Rows, Rows]:
    """Return what there is beside the largest parts, and which of it each set has.

    Each is a number of loose cards and one more than the number of a collection of smaller
    parts, 0 for none.
    """
    smaller = np.zeros(len(products.loose), dtype=np.int64)
    smaller[products.having] = products.rest_of + 1
    both = np.stack([products.loose.astype(np.int64), smaller], axis=1)
    pairs, rest_of = np.unique(both, axis=0, return_inverse=True)
    return pairs, rest_of.reshape(-1)


def _times(
    large: Packed, rests: Rests, pairs: Rows, rest_of: Rows, table: Packed, packing: _Packing
) -> Packed:
    """Multiply functions by those of the other cards."""
    parts = np.concatenate([[0], rests.sizes])
    counts = pairs[:, 0] + parts[pairs[:, 1]]
    small = _small(rests, pairs, counts, table, packing)[rest_of]
    rows = np.flatnonzero(counts[rest_of])
    counts = counts[rest_of[rows]]
    large[rows] = large[rows] // packing.factorials[counts] * small[rows]
    return large


def _small(rests: Rests, pairs: Rows, counts: Rows, table: Packed, packing: _Packing) -> Packed:
    """Return the functions of small sets, scaled by the factorial of the size alone."""
    smaller = np.full(len(rests.sizes) + 1, packing.scale, dtype=object)
    for (rows, masks), numbers in zip(rests.factors, rests.numbers, strict=True):
        cards = sizes(masks)
        factor = table[numbers] // packing.scales[cards]
        smaller[rows + 1] = smaller[rows + 1] // packing.factorials[cards] * factor
    found: Packed = smaller[pairs[:, 1]] // packing.factorials[pairs[:, 0]]
    found = found * (packing.loose[pairs[:, 0]] // packing.scales[pairs[:, 0]])
    return found // packing.scales[counts]
