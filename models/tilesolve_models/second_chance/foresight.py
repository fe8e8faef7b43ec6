"""Which option leaves fewest empties in the end? Tried out over many possible futures.

All options are played out through the same shuffles of the cards that may still come, by the
learned policy, and race each other on the paired results.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tilesolve.budget import Meter
from tilesolve.simulate.race import Prior, Standing, race
from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, Words
from tilesolve_models.second_chance.endgame import Endgame, TooDeep
from tilesolve_models.second_chance.lockstep import Tables, finish
from tilesolve_models.second_chance.policy import Choice, Policy, rated

CROWD = 6
"""Options among which the race is run to its end; more are halved after every batch."""

STEPS = (12, 24, 48, 96)
"""How many options race, the more the larger the budget is."""

ROUNDS: int | None = 3
"""Rounds that a future is played before the learned worth says how it will end. Playing on
would cost more and add luck that no choice now can answer."""

WEIGHT = 32
"""Samples that the learned worth counts for: it misses the mean of many games by about a third
of an empty square, a single game by nearly two."""

PLAYS_PER_OPTION = 24
"""Plays that there must be for each option before more options join the race."""

SMALL = 12
"""Empty squares after a draw up to which exact values are tried."""

EXACT_SHARE = 0.4
MOST_EXACT = 4000
"""What exact values may take of the budget, and positions at most."""

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
    rounds : int or None
        After so many rounds the learned worth says how a game will end; None plays it out.
    """

    catalogue: Catalogue
    lives: Words
    cards: tuple[int, ...]
    seed: int
    waiting: bool = False
    rounds: int | None = None
    _played: dict[tuple[int, int], float] = field(default_factory=dict)

    def order(self, sample: int) -> list[int]:
        """Return the order in which the cards come in a sample."""
        return random.Random(f"{self.seed} {sample}").sample(self.cards, len(self.cards))

    def prepare(self, positions: Sequence[int], samples: range) -> None:
        """Play positions through samples, all in step."""
        orders = [self.order(sample) for sample in samples]
        pairs = [(position, place) for position in positions for place in range(len(orders))]
        lives = self.lives[[position for position, _ in pairs]]
        tables = Tables.of(lives, [orders[place] for _, place in pairs], len(self.catalogue.tiles))
        empties = finish(self.catalogue, tables, waiting=self.waiting, rounds=self.rounds)
        for (position, place), empty in zip(pairs, empties, strict=True):
            self._played[position, samples[place]] = float(empty)

    def play(self, position: int, sample: int) -> float:
        """Return the empties of a game that was prepared."""
        return self._played.pop((position, sample))


def cards_of(remaining: Numbers) -> tuple[int, ...]:
    """Return one entry for each card."""
    return tuple(np.repeat(np.arange(len(remaining)), remaining).tolist())


@dataclass(frozen=True)
class Ranked:
    """An option with the empties expected after it.

    Parameters
    ----------
    option : int
        Its number in the choice.
    value : float
        Expected empties at the end.
    standard_error : float or None
        Where it was played out.
    samples : int
        How often it was played out; 0 for an exact value or the learned worth alone.
    """

    option: int
    value: float
    standard_error: float | None = None
    samples: int = 0


@dataclass(frozen=True)
class Ranking:
    """Options, best first; `exact` when every value is."""

    options: tuple[Ranked, ...]
    exact: bool


def ranking(choice: Choice, *, meter: Meter, seed: int) -> Ranking:
    """Rank all options of a choice by the empties expected at the end.

    Exactly, where few squares are left; else by a race of the most promising ones, and the rest
    after them by the learned worth.
    """
    exact = _exactly(choice, meter)
    return Ranking(exact, True) if exact else Ranking(_raced(choice, meter, seed), False)


def _exactly(choice: Choice, meter: Meter) -> tuple[Ranked, ...]:
    """Return all options by their exact values, or nothing where that takes too long."""
    book = choice.catalogue
    empty = book.empty(choice.live)
    largest = max(mask.bit_count() for mask in choice.masks)
    if empty.bit_count() - largest > SMALL:
        return ()
    seconds, work = meter.remaining_seconds, meter.remaining_work
    part = meter.part(
        seconds=None if seconds is None else EXACT_SHARE * seconds,
        work=MOST_EXACT if work is None else min(MOST_EXACT, int(EXACT_SHARE * work)),
    )
    endgame = Endgame(book.grid, part)
    remaining = {tile: int(n) for tile, n in zip(book.tiles, choice.remaining, strict=True) if n}
    filled = book.grid.everything & ~empty
    try:
        values = [endgame.expected(filled | mask, remaining) for mask in choice.masks]
    except TooDeep:
        return ()
    finally:
        meter.spend(part.worked)
    order = sorted(range(len(values)), key=values.__getitem__)
    return tuple(Ranked(option, values[option]) for option in order)


def _raced(choice: Choice, meter: Meter, seed: int) -> tuple[Ranked, ...]:
    options, expected = rated(choice, most=len(choice.masks))
    order = np.argsort(expected, kind="stable")
    by_worth = [(int(options[place]), float(expected[place])) for place in order]
    plays = _plays(meter)
    racing = by_worth[: max(s for s in STEPS if s == STEPS[0] or s * PLAYS_PER_OPTION <= plays)]
    lives = choice.after(np.array([option for option, _ in racing]))
    futures = Futures(choice.catalogue, lives, cards_of(choice.remaining), seed, rounds=ROUNDS)
    standings = race(
        range(len(racing)),
        futures.play,
        meter=meter,
        sense="minimise",
        batch=int(np.clip(plays // (3 * len(racing)), 4, 32)),
        most=MOST,
        crowd=CROWD,
        prior=Prior(tuple(worth for _, worth in racing), WEIGHT),
        prepare=futures.prepare,
    )
    played = {standing.candidate for standing in standings}
    raced = [_raced_one(standing, racing[standing.candidate][0]) for standing in standings]
    raced.sort(key=lambda ranked: ranked.value)
    rest = [Ranked(*pair) for place, pair in enumerate(by_worth) if place not in played]
    return (*raced, *rest)


def _raced_one(standing: Standing[int], option: int) -> Ranked:
    error = standing.standard_error
    return Ranked(option, standing.belief, error, standing.samples)


def _plays(meter: Meter) -> int:
    """Return about how many plays the budget pays for."""
    by_work = meter.remaining_work
    by_time = meter.remaining_seconds
    limits = [by_work] if by_work is not None else []
    limits += [int(by_time * SPEED)] if by_time is not None else []
    return min(limits, default=MOST)


def foreseeing(plays: int, meter: Meter) -> Policy:
    """Return the policy that draws what a race of so many plays ranks first.

    When the meter has stopped, it draws by the learned worth alone, so a game under way ends.
    """

    def draw(choice: Choice) -> int:
        if len(choice.masks) == 1:
            return 0
        part = meter.part(work=plays)
        found = ranking(choice, meter=part, seed=choice.rng.randrange(2**32))
        meter.spend(part.worked)
        return found.options[0].option

    return draw
