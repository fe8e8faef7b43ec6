"""Bounds on the expected successes of a turn, by layers of open sets; exact on small pictures.

After k unknown cards that all fitted, in ways that are counted for each set of open cells, the
next of N - k unknown cards fits with one chance in N - k for each of them on the frontier.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tilesolve.budget import Meter, Progress
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, Weights

WIDEST = 250_000
"""Open sets that one layer may hold."""


def enclosed(knowledge: Knowledge, weights: Weights, *, meter: Meter) -> Expectation:
    """Return the expected number of successes between bounds.

    Parameters
    ----------
    knowledge : Knowledge
        What lies and what is remembered.
    weights : Weights
        What a success is worth.
    meter : Meter
        One unit for each open set; when it stops, or a layer is too wide to hold, the bounds
        so far are returned.
    """
    tally = _Tally(knowledge, weights)
    first = knowledge.chain(knowledge.open)
    least = weights.between(0, tally.successes(first))
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
        meter.report(Progress(stage="open sets", done=flipped, total=unknown))
        if not layer:
            break
    return Expectation(least, least)


@dataclass
class _Tally:
    """Adds up successes, each weighted with the chance that the prizes let it happen."""

    knowledge: Knowledge
    weights: Weights

    def successes(self, lying: int) -> int:
        """Return how many successes led to a set of open cards."""
        return (lying & ~self.knowledge.open).bit_count()

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
            if not self.weights.of(before):
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
        worth = self.weights.between
        gained = sum((ways * worth(*step) for step, ways in gains.items()), Fraction(0))
        return following, gained

    def remaining(self, layer: dict[int, int], flipped: int, ordered: int) -> Fraction:
        """Return what the turn can still bring at most, from a layer that was not flipped.

        A success takes one card off the frontier and puts at most three on; remembered cards
        that follow put at most three on each, and are counted once all together.
        """
        grid, knowledge = self.knowledge.grid, self.knowledge
        alike: dict[tuple[int, int], int] = {}
        for lying, ways in layer.items():
            near = (grid.beside(lying) & knowledge.unknown).bit_count()
            kind = near, (knowledge.known & ~lying).bit_count()
            alike[kind] = alike.get(kind, 0) + ways
        left = knowledge.unknown.bit_count() - flipped
        return sum(
            (Fraction(ways, ordered) * _at_most(left, *kind) for kind, ways in alike.items()),
            Fraction(0),
        )


def _at_most(unknown: int, near: int, known: int) -> Fraction:
    """Return what a turn brings at most with so many cards on the frontier."""
    total, chance = Fraction(0), Fraction(1)
    for more in range(unknown):
        left = unknown - more
        chance *= Fraction(min(left, near + 2 * more + 3 * known), left)
        total += chance * (1 + known if more == 0 else 1)
    return total
