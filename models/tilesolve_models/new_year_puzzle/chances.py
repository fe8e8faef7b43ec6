"""What may happen in a turn: what is known, what a success is worth, what is to be expected.

A turn flips remembered cards that fit for certain first, then unknown cards until one fails.
Which unknown place is turned up makes no difference, every unknown card being equally likely
there; and a certain flip never does harm by coming first, because a success only opens more.

Prize cards come independently of the picture's cards, so the j-th success happens with the
chance that the cards allow it times the chance that none of the first j - 1 prizes forbade the
extra move (NY5).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb

from tilesolve.budget import StoppedBy
from tilesolve_models.new_year_puzzle.prizes import Stack
from tilesolve_models.picture_grid import Grid

TOLERANCE = Fraction(1, 10**9)
"""What an expectation may be off by, halfway between its bounds, and be given as a number."""


@dataclass(frozen=True)
class Expectation:
    """The expected number of successes in a turn, between two bounds that meet when exact."""

    least: Fraction
    most: Fraction
    stopped_by: StoppedBy | None = None

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.least == self.most

    @property
    def settled(self) -> bool:
        """Whether halfway between the bounds is within `TOLERANCE` of both."""
        return self.most - self.least <= 2 * TOLERANCE


@dataclass(frozen=True)
class Knowledge:
    """Masks of cards: those that lie open, the remembered face-down ones, and the others.

    A last unknown card is known by what is left, so there is never just one.
    """

    grid: Grid
    open: int
    known: int

    @property
    def unknown(self) -> int:
        """The face-down cards that nobody remembers."""
        return self.grid.everything & ~self.open & ~self.known

    def chain(self, lying: int) -> int:
        """Return the open cards once every remembered card that can follow has followed."""
        return self.grid.reach(lying, self.known)


def goes_on(stack: Stack | None, successes: int, *, reshuffle: bool) -> Fraction:
    """Return the chance that none of the first prizes of a turn forbids the extra move.

    Examples
    --------
    >>> from tilesolve_models.new_year_puzzle.prizes import Prize
    >>> stack = Stack(pool=(Prize(points=1), Prize(points=2, no_extra_move=True)), left=2)
    >>> goes_on(stack, 1, reshuffle=False), goes_on(stack, 2, reshuffle=False)
    (Fraction(1, 2), Fraction(0, 1))
    """
    if stack is None or not stack.pool + stack.gone:
        return Fraction(1)
    drawn = min(successes, stack.left)
    if stack.ordered:
        free = not any(prize.no_extra_move for prize in stack.pool[:drawn])
        chance = Fraction(int(free))
    else:
        cards, harmless = len(stack.pool), sum(not each.no_extra_move for each in stack.pool)
        chance = Fraction(comb(harmless, drawn), comb(cards, drawn))
    if successes > drawn and reshuffle and chance:
        chance *= goes_on(stack.reshuffled(), successes - drawn, reshuffle=True)
    return chance


@dataclass(frozen=True)
class Weights:
    """What the successes of a turn are worth: each its chance that the prizes let it happen.

    Parameters
    ----------
    each : tuple of Fraction
        For 0, 1, ... successes before.

    Examples
    --------
    >>> Weights((Fraction(1), Fraction(1, 2))).between(0, 2)
    Fraction(3, 2)
    """

    each: tuple[Fraction, ...]

    @cached_property
    def _sums(self) -> tuple[Fraction, ...]:
        return (Fraction(0), *accumulate(self.each))

    @property
    def alike(self) -> bool:
        """Whether every success counts in full, no prize ending a turn."""
        return all(weight == 1 for weight in self.each)

    def of(self, before: int) -> Fraction:
        """Return what a success is worth after so many others."""
        return self.each[before]

    def between(self, before: int, after: int) -> Fraction:
        """Return the worth of the successes after `before`, up to and with `after`."""
        return self._sums[after] - self._sums[before]


def weights_of(grid: Grid, stack: Stack | None, *, reshuffle: bool) -> Weights:
    """Return what successes are worth with a stack of prizes; `reshuffle` is NY6's option."""
    counts = range(grid.size + 1)
    return Weights(tuple(goes_on(stack, number, reshuffle=reshuffle) for number in counts))
