"""How likely is it that unknown cards all fit? In rounded numbers, with a bound on the error.

The numbers a(k) = N(k) / k! of `growth` in floating point: many times as many joined sets can be
held as with large integers. Let p(k) be the chance that the first k of a set's n cards, in random
order, all fit. Then

    p(k + 1)  =  p(k)  -  sum over i of the chance that i, turned up next, is the first to fail,

and what is subtracted is made of the p(k) of what is left without i and its neighbours, by sums
and products of positive numbers. So an error grows only with the number of ways to get there.
Let M be the number of the first k cards that may fail and come before all their neighbours, and
G(k) the expected value of 2^M; of 2^M in which the first j cards all fit that is at most p(j) G(k).

- Every choice of those M cards is a way to get to what is left, where a subtraction is rounded by
  a part of the p(j) that results: together by at most G(k) times the sum of the p(j).
- What is subtracted is rounded by a part of it too, as often as `_Extent` counts. It is the chance
  that the first of the chosen cards is the first to fail, which leaves half of the choices.

G(k) itself is what the same sums give if everything is added. A bound is all that is needed, and
it only becomes larger if neighbours are forgotten; so the cards are cut into two halves that have
nothing to do with each other, and few joined sets are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.budget import Meter, Progress
from tilesolve_models.new_year_puzzle import joined
from tilesolve_models.new_year_puzzle.joined import (
    WIDEST,
    Block,
    Family,
    Ground,
    Products,
    Rests,
    Rows,
    sizes,
)
from tilesolve_models.picture_grid import cards_of

Numbers: TypeAlias = NDArray[np.float64]

_ROUNDING = 2.0**-53
_RUN = 6  # terms added up by themselves before they are added to a sum: fewer roundings each
_HALVES = 100_000  # joined sets that may be held for the bound on errors, at least
_CHUNK = 1024  # rows multiplied at once: they stay in the cache


@dataclass(frozen=True)
class Chances:
    """Numbers of the sets asked for.

    Parameters
    ----------
    orders : array
        Row for row a(0), a(1), ... up to some k.
    errors : array
        Row for row bounds on the errors of p(0), p(1), ...
    """

    orders: Numbers
    errors: Numbers


def chances(
    family: Family, sets: Sequence[int], *, meter: Meter, columns: int | None = None
) -> Chances | None:
    """Return the numbers of the sets that the family was asked for; None when the meter stops.

    Parameters
    ----------
    family : Family
        The joined sets of these sets.
    sets : sequence of int
        Masks of cards.
    columns : int or None
        For how many k, from 0 on; None is for all.

    Examples
    --------
    Three cards in a row, of which the first touches an open one:

    >>> from tilesolve.budget import Budget
    >>> from tilesolve_models.new_year_puzzle.joined import Ground, family
    >>> row = Ground(near=(0b010, 0b101, 0b010), failing=0b110)
    >>> meter, sets = Meter(budget=Budget()), [0b111, 0b101]
    >>> found = chances(family(row, sets, meter=meter, most=100), sets, meter=meter)
    >>> (6 * found.orders).round(9).tolist()
    [[6.0, 6.0, 3.0, 1.0], [6.0, 6.0, 0.0, 0.0]]
    """
    ground, most = _halves(family.ground), family.joined + _HALVES
    halves = joined.family(ground, sets, meter=meter, most=most, every=True)
    width = min(len(ground.near) + 1, columns or WIDEST + 1)
    table = _Table(family, width, sign=-1)
    ways = None if halves is None else _Table(halves, width, sign=1).filled(meter)
    orders = None if ways is None else table.filled(meter)
    if ways is None or orders is None:
        return None
    choose = np.array([binomials(mask.bit_count(), orders.shape[1]) for mask in sets])
    growth, fitting, roundings = ways / choose, orders / choose, table.extent.roundings
    errors = growth * (fitting.cumsum(axis=1) + roundings / 2) + roundings * fitting
    # A hundredth more: for the errors of this bound, and for products of errors.
    return Chances(orders, 1.01 * _ROUNDING * errors)


def _halves(ground: Ground) -> Ground:
    """Forget which cards of the first half are neighbours of others."""
    first = (1 << len(ground.near) // 2) - 1
    near = [
        near & (first if first >> card & 1 else ~first) for card, near in enumerate(ground.near)
    ]
    return Ground(tuple(near), ground.failing)


@dataclass
class _Extent:
    """How often what is subtracted is rounded at most.

    Parameters
    ----------
    failing : int
        Cards that may fail.
    loose : int
        Cards of one set that always fit.
    products : int
        Roundings of the smaller parts of one set and of the products with them.
    """

    failing: int
    loose: int = 0
    products: int = 0

    def meet(self, products: Products) -> None:
        """Take sets into account."""
        rests = products.rests
        self.loose = max(self.loose, int(products.loose.max(initial=0)))
        each = _summed(rests.sizes)
        for rows, masks in rests.factors:  # two for its own product with binomial coefficients
            each[rows] += _summed(sizes(masks)) + 2
        self.products = max(self.products, int(each.max(initial=0)))

    @property
    def roundings(self) -> int:
        """Return their number.

        There are two sums for each loose card; then there is a sum over the cards that may fail,
        two for the largest part's product with binomial coefficients, and four to make it a chance.
        """
        return self.products + 2 * self.loose + int(_summed(np.array(self.failing))) + 6


def _summed(terms: Rows) -> Rows:
    """Return how often a sum of one more than so many products is rounded, added up in runs."""
    return np.minimum(terms, _RUN + -(-terms // _RUN)) + 1


class _Table:
    """The numbers of all joined sets, the empty set first.

    Parameters
    ----------
    family : Family
        The sets, the smaller first.
    columns : int
        For how many k, from 0 on.
    sign : int
        -1 subtracts what fails; 1 adds it, which gives G(k) in place of p(k).
    """

    def __init__(self, family: Family, columns: int, *, sign: int) -> None:
        self.family, self.sign, self.failing = family, sign, tuple(cards_of(family.ground.failing))
        self.orders = np.zeros((family.joined + 1, columns))
        self.orders[0, 0] = 1.0
        self.extent = _Extent(len(self.failing))
        self.done = 1

    def filled(self, meter: Meter) -> Numbers | None:
        """Return the numbers of the sets asked for; None when the meter stops."""
        for block in self.family.blocks:
            if not meter.spend(len(block.left.loose)):
                return None
            self._fill(block)
            meter.report(Progress(stage="chances", done=self.done, total=len(self.orders)))
        asked, width = self.family.asked, self.orders.shape[1]
        self.extent.meet(asked)
        orders = self.orders[asked.numbers]
        orders[asked.having] = self._products(asked, width)
        for loose in range(1, self.extent.loose + 1):
            rows = np.flatnonzero(asked.loose >= loose)
            orders[rows, 1:] += orders[rows, :-1]
        return orders

    def _fill(self, block: Block) -> None:
        """Find the numbers of a block's sets, which come next."""
        self.extent.meet(block.left)
        rows = slice(self.done, self.done + len(block.masks))
        last = min(block.cards, self.orders.shape[1] - 1)
        failed, orders = self._failed(block, last).T.copy(), np.empty((last + 1, len(block.masks)))
        several = binomials(block.cards)
        chance = np.ones(len(block.masks))
        orders[0] = 1.0
        for k in range(last):
            chance += failed[k] * (self.sign / ((k + 1) * several[k + 1]))
            orders[k + 1] = chance * several[k + 1]
        self.orders[rows, : last + 1] = orders.T
        self.done = rows.stop

    def _failed(self, block: Block, width: int) -> Numbers:
        """Return the sums of a(k) over what is left without each card that may fail."""
        left, count = block.left, len(block.masks)
        most = int(left.loose.max(initial=0))
        sums = np.zeros((most + 1, count, width))  # of those with so many loose cards
        run = np.zeros_like(sums)
        by_row = run.reshape(-1, width)
        products = self._products(left, width)
        start = 0
        for number, card in enumerate(self.failing, 1):
            owners = block.owners(card)
            end = start + len(owners)
            orders = self.orders.take(left.numbers[start:end], axis=0)[:, :width]
            first, last = np.searchsorted(left.having, (start, end))
            orders[left.having[first:last] - start] = products[first:last]
            rows = left.loose[start:end].astype(np.int64) * count + owners
            orders += by_row.take(rows, axis=0)
            by_row[rows] = orders
            start = end
            if number % _RUN == 0 or number == len(self.failing):
                sums += run
                run[:] = 0.0
        total: Numbers = sums[most]
        for fewer in sums[:most][::-1]:
            total[:, 1:] += total[:, :-1].copy()
            total += fewer
        return total

    def _products(self, products: Products, width: int) -> Numbers:
        """Return the numbers of the sets with smaller parts, without their loose cards."""
        rests, of = products.rests, products.rest_of
        others = self._rests(rests, width)
        numbers = products.numbers[products.having].astype(np.int64)
        return _times(self.orders, numbers, others, of, rests.sizes[of])[:, :width]

    def _rests(self, rests: Rests, width: int) -> Numbers:
        """Return the numbers of collections of smaller parts."""
        most = int(rests.sizes.max(initial=0))
        orders = np.zeros((len(rests.sizes), min(most + 1, width)))
        orders[:, 0] = 1.0
        for (rows, masks), numbers in zip(rests.factors, rests.numbers, strict=True):
            factor = self.orders.take(numbers, axis=0)[:, : orders.shape[1]]
            orders[rows] = _times(orders, rows, factor, np.arange(len(rows)), sizes(masks))
        return orders


def _times(orders: Numbers, rows: Rows, others: Numbers, of: Rows, degrees: Rows) -> Numbers:
    """Return products of polynomials.

    Parameters
    ----------
    orders, others : array
        A polynomial in each row.
    rows, of, degrees : array
        The factors of each product: a row of `orders`, a row of `others`, and that one's degree.
    """
    falling = np.argsort(-degrees)
    columns, product = np.ascontiguousarray(others.T), np.empty((len(rows), orders.shape[1]))
    for first in range(0, len(falling), _CHUNK):
        chunk = falling[first : first + _CHUNK]
        factor = np.ascontiguousarray(orders.take(rows[chunk], axis=0).T)
        other, degree = of[chunk], degrees[chunk]
        sums, last = factor.copy(), min(len(columns) - 1, int(degree[0]))
        run = sums if last <= _RUN else np.zeros_like(sums)
        for power in range(1, last + 1):
            count = int(np.searchsorted(-degree, -power, side="right"))
            run[power:, :count] += columns[power].take(other[:count]) * factor[:-power, :count]
            if run is not sums and (power % _RUN == 0 or power == last):
                sums += run
                run[:] = 0.0
        product[chunk] = sums.T
    return product


@cache
def binomials(cards: int, width: int | None = None) -> Numbers:
    """Return C(cards, k) for all k, or for so many; 1 in place of 0."""
    count = cards + 1 if width is None else width
    return np.array([max(1, comb(cards, k)) for k in range(count)], dtype=np.float64)
