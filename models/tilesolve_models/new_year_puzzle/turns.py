"""A turn that goes on as long as unknown cards fit, and its expected worth.

Remembered cards that hang together lie down all at once, as soon as an unknown card beside them
does; so the unknown cards beside one such group are neighbours of each other. With N(k) for the
unknown cards (see `growth`), and u of them, k fit and then one fails in

    (u - k) N(k) - N(k + 1)

of the u (u - 1) ... (u - k) equally likely orders. Which groups have followed by then is found
by inclusion and exclusion over the groups that have not: their neighbours B are left out, and a
card of B may be the one that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import perm

import numpy as np

from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, Weights
from tilesolve_models.new_year_puzzle.joined import Ground
from tilesolve_models.new_year_puzzle.rounded import Chances, binomials
from tilesolve_models.new_year_puzzle.symmetries import symmetries
from tilesolve_models.picture_grid import Grid, cards_of

_SUMS = 1e-14  # part of each number that is added up, for the roundings of doing so


@dataclass(frozen=True)
class _Group:
    """Remembered cards that hang together: how many, and the unknown cards beside them."""

    size: int
    beside: int


@dataclass(frozen=True)
class Turn:
    """A turn once what fits for certain has been laid.

    Parameters
    ----------
    laid : int
        Successes so far.
    ground : Ground
        The unknown cards; those beside one group of remembered cards are neighbours.
    groups : tuple of _Group
        Remembered cards that may still follow.
    """

    laid: int
    ground: Ground
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, knowledge: Knowledge) -> Turn:
        """Return the turn that begins with this knowledge."""
        grid, lying = knowledge.grid, knowledge.chain(knowledge.open)
        cards = list(cards_of(knowledge.unknown))
        place = {card: number for number, card in enumerate(cards)}

        def numbered(mask: int) -> int:
            return sum(1 << place[card] for card in cards_of(mask & knowledge.unknown))

        clusters = grid.groups(knowledge.known & ~lying)
        groups = tuple(
            _Group(cluster.bit_count(), numbered(grid.beside(cluster))) for cluster in clusters
        )
        near = [numbered(grid.neighbours[card]) for card in cards]
        for group in groups:
            for number in cards_of(group.beside):
                near[number] |= group.beside & ~(1 << number)
        failing = numbered(knowledge.unknown & ~grid.beside(lying))
        ground = Ground(tuple(near), failing)
        kept = tuple(_kept(ground, symmetry) for symmetry in _symmetries(grid, place))
        symmetries = tuple(each for each in kept if each)
        laid = (lying & ~knowledge.open).bit_count()
        return cls(laid, Ground(tuple(near), failing, symmetries), groups)

    def choices(self, weights: Weights) -> Iterator[tuple[_Group, ...]]:
        """Yield the groups that may be left out together and matter together."""
        most = 1 if weights.alike else len(self.groups)
        for count in range(most + 1):
            yield from combinations(self.groups, count)

    def sets(self, avoided: tuple[_Group, ...]) -> list[int]:
        """Return the sets whose sequences are wanted: all but B, and without what fails in B."""
        beside = _union(avoided)
        rest, ground = self.ground.cards & ~beside, self.ground
        return [rest, *(rest & ~ground.near[card] for card in cards_of(beside & ground.failing))]

    def wanted(self, weights: Weights) -> list[int]:
        """Return all sets whose sequences are wanted, each once."""
        return list(
            dict.fromkeys(mask for avoided in self.choices(weights) for mask in self.sets(avoided))
        )

    def expected(self, weights: Weights, numbers: dict[int, list[int]]) -> Fraction:
        """Return the expected worth of the turn."""
        unknown = len(self.ground.near)
        following = sum(group.size for group in self.groups)
        complete = Fraction(numbers[self.ground.cards][unknown], perm(unknown))
        total = complete * weights.between(0, self.laid + unknown + following)
        for avoided, worth in self._worths(weights):
            rest, *without = (numbers[mask] for mask in self.sets(avoided))
            cards = len(rest) - 1
            for fitted in range(min(unknown - 1, cards) + 1):
                ways = (cards - fitted) * rest[fitted] - _at(rest, fitted + 1)
                ways += sum(_at(each, fitted) for each in without)
                total += Fraction(ways, perm(unknown, fitted + 1)) * worth[fitted]
        return total

    def between(self, weights: Weights, sets: Sequence[int], chances: Chances) -> Expectation:
        """Return bounds on the expected worth from rounded numbers of the sets.

        With r(k) for N(k) / (u (u - 1) ... (u - k + 1)) of all but B, e(k) for the sum of the same
        over what is left without each card that fails in B, b cards in B, and V(k) for the worth
        after k have fitted, the sum of `expected` is in another order

            V(0)  +  sum of r(k) (V(k) - V(k - 1))  -  sum of (b r(k) - e(k)) V(k) / (u - k).

        Ended after any k it is what a turn brings that ends there, and what is left out is at
        most r(k) of all the rest: the k with the closest bounds is taken, of those with numbers.
        """
        unknown, columns = len(self.ground.near), chances.orders.shape[1]
        row = {mask: place for place, mask in enumerate(sets)}
        choose, left = binomials(unknown, columns), np.maximum(unknown - np.arange(columns), 1)
        gained, missed, errors = np.zeros((3, columns))
        for avoided, worth in self._worths(weights):
            rest, *without = (row[mask] for mask in self.sets(avoided))
            value = np.array([float(each) for each in worth[:columns]])
            step = np.array([value[0], *(float(b - a) for a, b in pairwise(worth[:columns]))])
            beside, by_card = _union(avoided).bit_count(), value / left
            fitting = chances.orders[rest] / choose
            failing = chances.orders[without].sum(axis=0) / choose
            gained += fitting * step
            missed += (beside * fitting - failing) * by_card
            doubt = chances.errors[rest] + _SUMS * fitting
            doubts = chances.errors[without].sum(axis=0) + _SUMS * failing
            errors += doubt * abs(step) + (beside * doubt + doubts) * abs(by_card)
        total, error = gained.cumsum() - (missed.cumsum() - missed), errors.cumsum()
        start = row[self.ground.cards]
        reached = chances.orders[start] / choose + chances.errors[start]
        beyond = reached * np.array(self.further(weights)[:columns])
        least, most = (total - error).max(), (total + error + beyond).min()
        return Expectation(Fraction(float(least)), Fraction(float(most)))

    def further(self, weights: Weights) -> list[float]:
        """Return what is left to gain at most after 0, 1, ... unknown cards that fitted."""
        unknown = len(self.ground.near)
        complete = self.laid + unknown + sum(group.size for group in self.groups)
        left = [float(weights.between(self.laid + k, complete)) for k in range(unknown)]
        return [*left, 0.0]

    def _worths(self, weights: Weights) -> Iterator[tuple[tuple[_Group, ...], list[Fraction]]]:
        """Yield the choices, and after each number of unknown cards that fitted what counts.

        That depends on the sizes of the groups alone.
        """
        following = sum(group.size for group in self.groups)
        known: dict[tuple[int, ...], list[Fraction]] = {}
        for avoided in self.choices(weights):
            sizes = tuple(sorted(group.size for group in avoided))
            if sizes not in known:
                signs = _signs(following - sum(sizes), sizes)
                known[sizes] = [
                    sum(
                        (sign * weights.between(0, laid + more) for more, sign in signs.items()),
                        Fraction(0),
                    )
                    for laid in range(self.laid, self.laid + len(self.ground.near) + 1)
                ]
            yield avoided, known[sizes]


def _signs(others: int, avoided: tuple[int, ...]) -> dict[int, int]:
    """Return how often each number of remembered cards that follow counts, with its sign.

    Groups that are left out, of these sizes, are added and taken away again: what is said of all
    of them is true of each choice of them.
    """
    signs = {others: 1}
    for size in avoided:
        changed: dict[int, int] = {}
        for more, sign in signs.items():
            changed[more] = changed.get(more, 0) + sign
            changed[more + size] = changed.get(more + size, 0) - sign
        signs = changed
    return signs


def _union(groups: tuple[_Group, ...]) -> int:
    union = 0
    for group in groups:
        union |= group.beside
    return union


def _at(numbers: list[int], place: int) -> int:
    return numbers[place] if place < len(numbers) else 0


def _symmetries(grid: Grid, place: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """Yield the symmetries of the picture that take unknown cards to unknown cards."""
    for symmetry in symmetries(grid)[1:]:
        images = tuple(place.get(symmetry[card], -1) for card in place)
        if -1 not in images:
            yield images


def _kept(ground: Ground, symmetry: tuple[int, ...]) -> tuple[int, ...]:
    """Return the symmetry if it keeps neighbours and what may fail, else nothing."""

    def image(mask: int) -> int:
        return sum(1 << symmetry[card] for card in cards_of(mask))

    same = image(ground.failing) == ground.failing and all(
        image(near) == ground.near[symmetry[card]] for card, near in enumerate(ground.near)
    )
    return symmetry if same else ()
