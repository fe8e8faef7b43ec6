"""How many successes may a turn be expected to bring? Exactly, by layers of open sets.

A turn flips remembered cards that fit for certain first, then unknown cards until one fails.
Which unknown place is turned up makes no difference, every unknown card being equally likely
there; and a certain flip never does harm by coming first, because a success only opens more.
After k unknown cards that all fitted, in ways that are counted for each set of open cells, the
next of N - k unknown cards fits with one chance in N - k for each of them on the frontier.

Prize cards come independently of the picture's cards, so the j-th success happens with the
chance that the cards allow it times the chance that none of the first j - 1 prizes forbade the
extra move (NY5).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from tilesolve.budget import Meter, Progress, StoppedBy
from tilesolve_models.new_year_puzzle.prizes import Stack
from tilesolve_models.picture_grid import Grid

WIDEST = 250_000
"""Open sets that one layer may hold."""


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


def expected_successes(
    knowledge: Knowledge, stack: Stack | None, *, reshuffle: bool, meter: Meter
) -> Expectation:
    """Return the greatest expected number of successes in the turn that begins.

    Parameters
    ----------
    knowledge : Knowledge
        What lies and what is remembered.
    stack : Stack or None
        The prizes, as a multiset; None plays without.
    reshuffle : bool
        NY6's option.
    meter : Meter
        One unit for each open set; when it stops, or a layer is too wide to hold, the bounds
        so far are returned.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> grid = Grid(1, 4)
    >>> start = Knowledge(grid, grid.corners, 0)
    >>> expected_successes(start, None, reshuffle=False, meter=Meter(budget=Budget())).least
    Fraction(2, 1)
    """
    tally = _Tally(knowledge, stack, reshuffle)
    first = knowledge.chain(knowledge.open)
    least = tally.between(0, tally.successes(first))
    unknown = knowledge.unknown.bit_count()
    layer, ordered = {first: 1}, 1
    for flipped in range(unknown):
        ordered *= unknown - flipped
        following, gained = tally.flip(layer, meter)
        if following is None:
            most = least + tally.remaining(layer, flipped, ordered // (unknown - flipped))
            return Expectation(least, most, meter.stopped_by or "memory")
        least += gained / ordered
        layer = following
        meter.report(Progress(stage="expected successes", done=flipped, total=unknown))
        if not layer:
            break
    return Expectation(least, least)


@dataclass
class _Tally:
    """Adds up successes, each weighted with the chance that the prizes let it happen."""

    knowledge: Knowledge
    stack: Stack | None
    reshuffle: bool

    def __post_init__(self) -> None:
        most = self.knowledge.grid.size + 1
        self.weights = [
            goes_on(self.stack, number, reshuffle=self.reshuffle) for number in range(most)
        ]
        self.sums = [Fraction(0)]
        for weight in self.weights:
            self.sums.append(self.sums[-1] + weight)

    def successes(self, lying: int) -> int:
        """Return how many successes led to a set of open cards."""
        return (lying & ~self.knowledge.open).bit_count()

    def between(self, before: int, after: int) -> Fraction:
        """Return the weight of the successes after `before`, up to and with `after`."""
        return self.sums[after] - self.sums[before]

    def flip(self, layer: dict[int, int], meter: Meter) -> tuple[dict[int, int] | None, Fraction]:
        """Flip one unknown card from every set; None when it was too much.

        The gain is still to be divided by the number of orders of the cards flipped.
        """
        grid, knowledge = self.knowledge.grid, self.knowledge
        unknown, known, neighbours = knowledge.unknown, knowledge.known, grid.neighbours
        following: dict[int, int] = {}
        gains: dict[tuple[int, int], int] = {}
        for lying, ways in layer.items():
            if not meter.spend(1) or len(following) > WIDEST:
                return None, Fraction(0)
            before = self.successes(lying)
            if not self.weights[before]:
                continue
            near = fresh = grid.beside(lying) & unknown
            while near:
                low = near & -near
                near ^= low
                opened = lying | low
                if neighbours[low.bit_length() - 1] & known & ~lying:
                    fresh ^= low
                    opened = knowledge.chain(opened)
                    step = (before, self.successes(opened))
                    gains[step] = gains.get(step, 0) + ways
                following[opened] = following.get(opened, 0) + ways
            step = (before, before + 1)
            gains[step] = gains.get(step, 0) + ways * fresh.bit_count()
        gained = sum((ways * self.between(*step) for step, ways in gains.items()), Fraction(0))
        return following, gained

    def remaining(self, layer: dict[int, int], flipped: int, ordered: int) -> Fraction:
        """Return what the turn can still bring at most, from a layer that was not flipped.

        A success takes one card off the frontier and puts at most three on; remembered cards
        that follow put at most three on each, and are counted once all together.
        """
        grid, knowledge = self.knowledge.grid, self.knowledge
        unknown, known = knowledge.unknown.bit_count(), knowledge.known.bit_count()
        reached = Fraction(sum(layer.values()), ordered)
        widest = max((grid.beside(lying) & knowledge.unknown).bit_count() for lying in layer)
        total, chance = Fraction(0), Fraction(1)
        for more in range(unknown - flipped):
            left = unknown - flipped - more
            frontier = min(left, widest + 2 * more + 3 * known)
            chance *= Fraction(frontier, left)
            total += chance * (1 + known if more == 0 else 1)
        return reached * total
