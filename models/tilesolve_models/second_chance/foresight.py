"""Which option leaves fewest empties in the end? Tried out over many possible futures.

All options are played out through the same shuffles of the cards that may still come, by the
learned policy, and race each other on the paired results. The race cuts its games short and lets
the learned worth say how they end, for that tells options apart with least luck; what this is off
by on the whole, games that are played to their ends show.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tilesolve.budget import Meter
from tilesolve.simulate.race import Prior, Standing, race
from tilesolve.simulate.statistics import mean_of
from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, Words
from tilesolve_models.second_chance.endgame import Endgame, TooDeep
from tilesolve_models.second_chance.lockstep import Tables, finish
from tilesolve_models.second_chance.policy import Choice, Policy, rated

CROWD = 6
"""Options among which the race is run to its end; more are halved after every batch."""

ROUNDS = 3
"""Rounds that a future is played in the race before the learned worth says how it will end.
Playing on would cost more and add luck that no choice now can answer."""

WEIGHT = 4
"""Samples that the learned worth counts for: of the mean of many cut games it misses the gap
between two options by about half of what a single pair of them does."""

BATCH, PLAYS = 2, 96
"""Samples of each option between two halvings, and plays at least."""

ALL, SOME, LEAST = 4, 8, 12
"""Plays for each option that let all of them race; with fewer, plays for each that races, and
how many race at least."""

LEADERS, TOGETHER, ENOUGH = 4, 48, 160
"""Options that are played to the end to level all values, plays between two looks at the clock,
and futures of each option at most."""

WORTH, CUT = (0.12, 0.35), (0.05, 0.3)
"""How far the learned worth is off, as a standard error, for options that were not played and
for games that were cut: so much for an option as good as the best, and so much more for each
square that it gives away. Measured in games played to their ends."""

UNPLAYED = 0.3
"""How far the learned worth may be off for a whole position, where nothing was played."""

SMALL = 12
"""Empty squares after a draw up to which exact values are tried."""

EXACT_SHARE = 0.4
MOST_EXACT = 4000
"""What exact values may take of the budget, and positions at most."""

SPEED = 2500
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
    standard_error : float
        0 for an exact value.
    gap_error : float
        Of what it gives away against the leader, in which the luck of both cancels.
    samples : int
        How often it was played out; 0 for an exact value or the learned worth alone.
    """

    option: int
    value: float
    standard_error: float = 0.0
    gap_error: float = 0.0
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
    """Return all options by a race of as many as the budget pays for."""
    options, expected = rated(choice, most=len(choice.masks))
    order = np.argsort(expected, kind="stable")
    expected = np.clip(expected, 0, choice.catalogue.empty(choice.live).bit_count())
    by_worth = [(int(options[place]), float(expected[place])) for place in order]
    racing = by_worth[: _entrants(len(by_worth), _plays(meter))]
    lives = choice.after(np.array([option for option, _ in racing]))
    futures = Futures(choice.catalogue, lives, cards_of(choice.remaining), seed, rounds=ROUNDS)
    standings = race(
        range(len(racing)),
        futures.play,
        meter=meter,
        sense="minimise",
        batch=BATCH,
        plays=PLAYS,
        most=MOST,
        crowd=CROWD,
        prior=Prior(tuple(worth for _, worth in racing), WEIGHT),
        prepare=futures.prepare,
    )
    return tuple(_compared(by_worth, standings))


def _compared(
    by_worth: Sequence[tuple[int, float]], standings: Sequence[Standing[int]]
) -> list[Ranked]:
    """Return all options by what they give away against the leader of the race.

    That is known from the futures that both were played through, and from the learned worth of
    both; how the leader itself ends adds its own error to all.
    """
    leader = standings[0] if standings else None
    first = leader.candidate if leader else 0
    base = leader.mean if leader else by_worth[0][1]
    sure = (leader.standard_error if leader else None) or UNPLAYED
    spread = _spread(standings)
    played = {standing.candidate: standing for standing in standings}
    ranked = []
    for place, (option, worth) in enumerate(by_worth):
        gap, error, samples = worth - by_worth[first][1], 0.0, 0
        if place in played:
            samples = played[place].samples
            gap = (samples * played[place].difference + WEIGHT * gap) / (samples + WEIGHT)
            error = 0.0 if place == first else spread / math.sqrt(samples + WEIGHT)
        gap = max(0.0, gap)
        if not samples:
            error = WORTH[0] + WORTH[1] * gap
        ranked.append(Ranked(option, base + gap, math.hypot(sure, error), error, samples))
    return sorted(ranked, key=lambda each: (each.value, -each.samples))


def _spread(standings: Sequence[Standing[int]]) -> float:
    """Return how far a single pair of games spreads about the gap between two options."""
    squares = [
        each.difference_error**2 * each.samples for each in standings if each.difference_error
    ]
    return math.sqrt(statistics.fmean(squares)) if squares else WORTH[0] * math.sqrt(WEIGHT)


def _entrants(options: int, plays: int) -> int:
    return options if plays >= ALL * options else max(LEAST, plays // SOME)


def levelled(choice: Choice, found: Ranking, *, meter: Meter, seed: int) -> Ranking:
    """Return a ranking whose values are those of games played to their ends.

    The race stops its games early and asks the learned worth how they will end, which may be
    wrong on average. The leading options are played to the end and to that point, through the
    same futures; the mean gap between the two is added to all values, its error to all errors.
    Where the budget paid for no race, it is the gap to the learned worth itself.
    """
    if found.exact:
        return found
    raced = [ranked.option for ranked in found.options if ranked.samples][:LEADERS]
    leaders = raced or [ranked.option for ranked in found.options[:LEADERS]]
    lives = choice.after(np.array(leaders))
    cards = cards_of(choice.remaining)
    whole = Futures(choice.catalogue, lives, cards, seed)
    stopped = Futures(choice.catalogue, lives, cards, seed, rounds=ROUNDS if raced else 0)
    gaps: list[float] = []
    places = range(len(leaders))
    while len(gaps) < ENOUGH and (meter.spend(len(leaders)) or len(gaps) < 2):
        more = max(2, TOGETHER // len(leaders)) if gaps else 2
        samples = range(len(gaps), len(gaps) + more)
        for futures in (whole, stopped):
            futures.prepare(places, samples)
        for sample in samples:
            both = (whole.play(p, sample) - stopped.play(p, sample) for p in places)
            gaps.append(statistics.fmean(both))
        meter.spend(len(leaders) * (len(samples) - 1))
    gap = mean_of(gaps)
    share = sum(each != 0 for each in gaps) / len(gaps)
    best = found.options[0].value

    def moved(ranked: Ranked) -> Ranked:
        cut = share * (CUT[0] + CUT[1] * (ranked.value - best)) if ranked.samples else 0.0
        return replace(
            ranked,
            value=max(0.0, ranked.value + gap.mean),
            standard_error=math.hypot(ranked.standard_error, gap.standard_error or 0.0, cut),
            gap_error=math.hypot(ranked.gap_error, cut) if ranked.gap_error else 0.0,
        )

    return Ranking(tuple(map(moved, found.options)), exact=False)


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
