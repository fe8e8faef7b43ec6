"""Which flip is worth most? Simulation over what is not known.

Every sample deals the unknown cards and the prizes at random, makes the flip, and lets everybody
go on from memory. All candidates meet the same deals (`tilesolve.simulate.race`).

Unknown places are one candidate, because each holds every unknown card with equal chance. So are
remembered cards that do not fit: turning one up shows nothing new and passes the turn, whichever
it is. A remembered card that fits may matter by what it leads to, so each is tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.race import CLEAR, Standing, race
from tilesolve_models.new_year_puzzle.prizes import Stack
from tilesolve_models.new_year_puzzle.table import Policy, Table, by_memory, set_out
from tilesolve_models.picture_grid import Grid

UNKNOWN = -1
"""The candidate that turns up an unknown place."""

MOST_FITTING = 6
"""Remembered cards that fit and are tried at most."""

DOUBT = 4.0
"""Standard errors by which a flip must lead after few samples to be preferred to the usual one.

With prizes worth having nothing was found to beat the usual flip, so such a lead must be beyond
doubt: a game has many flips, and each of them is a chance to be misled. From `BATCH` samples on
the race's own measure is enough.
"""

BATCH = 256
"""Samples between two eliminations: late turns can take a score of cards, few samples miss it."""

ROUNDS = 2
"""Rounds of turns that a game of several players is followed for."""

Deal = Callable[[random.Random], Table]
"""A game with all that is not known dealt at random."""


def candidates(table: Table) -> list[int]:
    """Return the cards worth turning up: those that fit, an unknown one, one that fails.

    The first is what the policy of memory would do.
    """
    fitting = table.fitting[:MOST_FITTING]
    unknown = [UNKNOWN] if table.hidden else []
    failing = [card for card in table.known if not table.frontier >> card & 1][:1]
    return fitting + unknown + (failing if len(table.points) > 1 else [])


@dataclass
class Trials:
    """Tries flips out.

    Parameters
    ----------
    deal : callable
        Deals a game from what is known.
    seed : int
        The same seed means the same deals.
    rounds : int
        Rounds of turns that a sample of several players is followed for; 0 is to the end.
    """

    deal: Deal
    seed: int
    rounds: int = ROUNDS

    def deal_once(self) -> Table:
        """Return one deal, for what all deals have in common."""
        return self.deal(random.Random(self.seed))

    def play(self, candidate: int, sample: int) -> float:
        """Return the flips still needed, of a single player, or the point difference made."""
        rng = random.Random(self.seed * 1_000_003 + sample)
        table = self.deal(rng)
        me, turns = table.to_move, self.rounds * len(table.points)
        endless = not self.rounds or len(table.points) == 1
        card = table.hidden[-1] if candidate == UNKNOWN else candidate
        while True:
            mover = table.to_move
            table.flip(card, rng)
            turns -= table.to_move != mover
            if table.over or (turns <= 0 and not endless):
                break
            card = by_memory(table)
        return float(table.flips) if len(table.points) == 1 else difference(table.points, me)


def difference(points: Sequence[int], me: int) -> float:
    """Return a player's points minus the mean of the others'.

    Examples
    --------
    >>> difference([7, 3, 1], 0)
    5.0
    """
    others = [points[seat] for seat in range(len(points)) if seat != me]
    return points[me] - sum(others) / len(others)


def rank(
    trials: Trials, choices: Sequence[int], *, players: int, meter: Meter, most: int = 4096
) -> tuple[Standing[int], ...]:
    """Rank candidates: fewest flips for one player, best point difference for several."""
    if players == 1:
        return race(choices, trials.play, meter=meter, sense="minimise", batch=BATCH, most=most)
    return race(choices, trials.play, meter=meter, sense="maximise", batch=BATCH, most=most)


def chosen(standings: Sequence[Standing[int]], usual: int) -> int:
    """Return the leader of a race if it is clearly better than the usual flip, else that."""
    for standing in standings:
        if standing.candidate == usual:
            needed = CLEAR if standing.samples >= BATCH else DOUBT
            error = standing.difference_error
            if error is None or standing.difference <= needed * error:
                return usual
            return standings[0].candidate
    return usual


@dataclass(frozen=True)
class Prospect:
    """What a player sees of a game: all but the order of hidden cards and prizes."""

    grid: Grid
    lying: int
    known: tuple[int, ...]
    stack: Stack | None
    points: tuple[int, ...]
    to_move: int
    remember: int | None
    reshuffle: bool

    def deal(self, rng: random.Random) -> Table:
        """Deal what is not known at random."""
        return set_out(
            self.grid,
            lying=self.lying,
            known=self.known,
            stack=self.stack,
            points=self.points,
            to_move=self.to_move,
            remember=self.remember,
            reshuffle=self.reshuffle,
            rng=rng,
        )


def prospect(table: Table) -> Prospect:
    """Return what everybody at a table sees."""
    stack = None
    if table.prizes or table.taken:
        gone = tuple(table.taken or ())
        ordered = sorted(table.prizes, key=lambda prize: (prize.points, str(prize)))
        stack = Stack(pool=tuple(ordered), left=len(ordered), gone=gone)
    return Prospect(
        table.grid,
        table.open,
        tuple(table.known),
        stack,
        tuple(table.points),
        table.to_move,
        table.remember,
        table.taken is not None,
    )


def by_simulation(*, samples: int, seed: int, rounds: int = ROUNDS) -> Policy:
    """Return the player who tries out flips before every move.

    Parameters
    ----------
    samples : int
        Simulated games a move, over all candidates.
    seed : int
        Of the simulations.
    """
    rng = random.Random(seed)

    def choose(table: Table) -> int:
        choices = candidates(table)
        if len(choices) == 1:
            return by_memory(table)
        meter = Meter(budget=Budget(seconds=None, work=samples))
        trials = Trials(prospect(table).deal, rng.getrandbits(32), rounds)
        standings = rank(trials, choices, players=len(table.points), meter=meter)
        best = chosen(standings, choices[0])
        return table.hidden[-1] if best == UNKNOWN else best

    return choose
