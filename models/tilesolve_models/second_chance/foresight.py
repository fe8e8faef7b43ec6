"""Which option leaves fewest empties in the end? Tried out over many possible futures.

All options are played out through the same shuffles of the cards that may still come, by the
learned policy, and race each other on the paired results.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.race import Prior, Standing, race
from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, Words
from tilesolve_models.second_chance.lockstep import Tables, finish
from tilesolve_models.second_chance.policy import Choice, Policy, rated

CROWD = 6
"""Options among which the race is run to its end; more are halved after every batch."""

STEPS = (12, 24, 48, 96)
"""How many options race, the more the larger the budget is."""

WEIGHT = 32
"""Samples that the learned worth counts for: it misses the mean of many games by about a third
of an empty square, a single game by nearly two."""

PLAYS_PER_OPTION = 24
"""Plays that there must be for each option before more options join the race."""

SPEED = 1500
"""Plays a second that are expected of one core; only how many options race hangs on it."""

MOST = 4096
"""Samples of one option at most."""


@dataclass(eq=False)
class Futures:
    """Games from some positions on, each through any of many orders of the same cards.

    Parameters
    ----------
    catalogue : Catalogue
        Of the grid and the deck.
    lives : array of uint64, shape (positions, words)
        The positions.
    cards : tuple of int
        The cards that may still come, in any order.
    seed : int
        Which futures: sample number `n` is the same order for every position.
    waiting : bool
        The games begin with a second chance.
    """

    catalogue: Catalogue
    lives: Words
    cards: tuple[int, ...]
    seed: int
    waiting: bool = False
    _played: dict[tuple[int, int], int] = field(default_factory=dict)

    def order(self, sample: int) -> list[int]:
        """Return the order in which the cards come in a sample."""
        return random.Random(f"{self.seed} {sample}").sample(self.cards, len(self.cards))

    def prepare(self, positions: Sequence[int], samples: range) -> None:
        """Play positions through samples, all in step."""
        orders = [self.order(sample) for sample in samples]
        pairs = [(position, place) for position in positions for place in range(len(orders))]
        lives = self.lives[[position for position, _ in pairs]]
        tables = Tables.of(lives, [orders[place] for _, place in pairs], len(self.catalogue.tiles))
        empties = finish(self.catalogue, tables, waiting=self.waiting)
        for (position, place), empty in zip(pairs, empties, strict=True):
            self._played[position, samples[place]] = int(empty)

    def play(self, position: int, sample: int) -> float:
        """Return the empties of a game that was prepared."""
        return self._played.pop((position, sample))


def cards_of(remaining: Numbers) -> tuple[int, ...]:
    """Return one entry for each card."""
    return tuple(np.repeat(np.arange(len(remaining)), remaining).tolist())


def ranked(
    choice: Choice, *, meter: Meter, seed: int
) -> tuple[tuple[Standing[int], ...], tuple[int, ...]]:
    """Race the options of a choice.

    Returns
    -------
    standings : tuple of Standing
        The options that were played out, best first; empty if there was no time for any.
    rest : tuple of int
        The other options, by the learned worth.
    """
    options, expected = rated(choice, most=len(choice.masks))
    by_worth = options[np.argsort(expected, kind="stable")]
    plays = _plays(meter)
    field_size = max(size for size in STEPS if size * PLAYS_PER_OPTION <= max(plays, STEPS[0] * 24))
    racing = by_worth[:field_size]
    futures = Futures(choice.catalogue, choice.after(racing), cards_of(choice.remaining), seed)
    standings = race(
        range(len(racing)),
        futures.play,
        meter=meter,
        sense="minimise",
        batch=int(np.clip(plays // (3 * len(racing)), 4, 32)),
        most=MOST,
        crowd=CROWD,
        prior=Prior(tuple(float(value) for value in np.sort(expected)[:field_size]), WEIGHT),
        prepare=futures.prepare,
    )
    named = tuple(
        replace(standing, candidate=int(racing[standing.candidate])) for standing in standings
    )
    played = {standing.candidate for standing in named}
    return named, tuple(int(option) for option in by_worth if int(option) not in played)


def _plays(meter: Meter) -> int:
    """Return about how many plays the budget pays for."""
    by_work = meter.remaining_work
    by_time = meter.remaining_seconds
    limits = [by_work] if by_work is not None else []
    limits += [int(by_time * SPEED)] if by_time is not None else []
    return min(limits, default=MOST)


def foreseeing(budget: Budget, clock: Callable[[], float] = time.monotonic) -> Policy:
    """Return the policy that draws what a race of this budget ranks first."""

    def draw(choice: Choice) -> int:
        if len(choice.masks) == 1:
            return 0
        meter = Meter(budget=budget, clock=clock)
        standings, rest = ranked(choice, meter=meter, seed=choice.rng.randrange(2**32))
        return standings[0].candidate if standings else rest[0]

    return draw
