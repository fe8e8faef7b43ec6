"""Which play and victim win most often? Simulation over the hidden cards.

Every sample deals the cards that the player cannot see at random, makes the move, and lets all
players go on as careful players of most connections do. All candidates meet the same deals
(`tilesolve.simulate.race`), so their differences are known better than their means.

A game is long and swings widely, so a win or a loss says little of one move in it. Candidates
are therefore compared by the share of all cards held that the player has a few rounds later. How
much a share is worth in wins is measured: some samples are played to the end (`Trials.chances`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.race import Standing, race
from tilesolve.simulate.statistics import mean_of
from tilesolve_models.puzl_it.deal import fill, hide
from tilesolve_models.puzl_it.policies import (
    Choice,
    Policy,
    careful,
    open_sides,
    play_on,
    play_out,
    random_pick,
)
from tilesolve_models.puzl_it.rules import plays
from tilesolve_models.puzl_it.table import Table, play_turn

WIDEST = 8
"""Candidates that are tried out at most."""

_LOOKED_AT = 20_000  # plays of a hand that are ranked to find candidates

ROUNDS = 2
"""Rounds that a sample is followed for."""

LEAD = 1.5
"""Standard errors by which a move must lead to be preferred to the usual one.

The best of several equals leads by one or so just by luck."""


@dataclass
class Trials:
    """Tries candidates out at one table.

    Parameters
    ----------
    table : Table
        As the player to move sees it.
    rule : str
        PI3's reading.
    seed : int
        The same seed means the same deals.
    rounds : int
        Turns of every player that are followed; 0 is to the end of the game.
    known : mapping of int to int
        Masks of cards known to be a player's.
    ends_every : int
        One sample in so many is played to the end of the game; 0 is none.
    shares : dict
        For each candidate the sum, over its samples, of every seat's share of the cards.
    decided : dict
        For each candidate whether all its samples were won or lost when they were left off.
    ends : list
        Of the samples played to the end: the candidate, its share, and whether the player won.
    """

    table: Table
    rule: str
    seed: int
    rounds: int = ROUNDS
    known: Mapping[int, int] = field(default_factory=dict)
    ends_every: int = 0
    shares: dict[Choice, list[float]] = field(default_factory=dict)
    decided: dict[Choice, bool] = field(default_factory=dict)
    ends: list[tuple[Choice, float, bool]] = field(default_factory=list)

    def play(self, candidate: Choice, sample: int) -> float:
        """Return the mover's share of the cards after the rounds, in one deal of hidden cards."""
        rng = random.Random(self.seed * 1_000_003 + sample)
        table = fill(self.table, rng, self.known)
        me, seats = table.to_move, len(table.hands)
        play_turn(table, *candidate, random_pick(rng))
        policies = [careful(self.rule)] * seats
        play_on(table, policies, rng, turns=self.rounds * seats if self.rounds else None)
        held = [table.cards(player) for player in range(seats)]
        total = sum(held)
        sums = self.shares.setdefault(candidate, [0.0] * seats)
        for player, cards in enumerate(held):
            sums[player] += cards / total
        over = table.winner is not None or not held[me]
        self.decided[candidate] = over and self.decided.get(candidate, True)
        if self.ends_every and sample % self.ends_every == 0:
            won = held[me] > 0 and play_out(table, policies, rng) == me
            self.ends.append((candidate, held[me] / total, won))
        return held[me] / total

    def chances(self) -> Scale:
        """Return how shares translate into chances to win, from the samples played to the end.

        The slope is that of a least-squares line through the samples of each candidate, one
        slope for all; a share is never taken to harm.
        """
        if not self.ends:
            return Scale()
        by_candidate: dict[Choice, list[tuple[float, bool]]] = {}
        for candidate, share, won in self.ends:
            by_candidate.setdefault(candidate, []).append((share, won))
        both = spread = 0.0
        for pairs in by_candidate.values():
            mean_share = sum(share for share, _ in pairs) / len(pairs)
            mean_won = sum(won for _, won in pairs) / len(pairs)
            both += sum((share - mean_share) * (won - mean_won) for share, won in pairs)
            spread += sum((share - mean_share) ** 2 for share, _ in pairs)
        wins = mean_of(float(won) for _, _, won in self.ends)
        held = mean_of(share for _, share, _ in self.ends)
        slope = max(0.0, both / spread) if spread else 1.0
        return Scale(wins.mean, held.mean, slope, wins.standard_error or 0.0)


@dataclass(frozen=True)
class Scale:
    """A line from shares of the cards to chances to win.

    Parameters
    ----------
    chance, share : float
        A point on the line: the mean chance and the mean share of the samples it is drawn from.
    slope : float
        Chance for share, at least 0.
    error : float
        Standard error of the mean chance.

    Examples
    --------
    >>> scale = Scale(chance=0.5, share=0.5, slope=3.0)
    >>> scale.of(0.6) > 0.79, scale.of(0.9)
    (True, 1.0)
    """

    chance: float = 0.0
    share: float = 0.0
    slope: float = 1.0
    error: float = 0.0

    def of(self, share: float) -> float:
        """Return the chance to win of a share, between 0 and 1."""
        return min(1.0, max(0.0, self.chance + self.slope * (share - self.share)))

    def error_of(self, error: float | None) -> float | None:
        """Return the standard error of a chance from that of its share."""
        return None if error is None else math.hypot(self.slope * error, self.error)


def candidates(table: Table, rule: str, most: int = WIDEST) -> list[Choice]:
    """Return the moves worth trying: the plays of most connections, with every victim.

    The first is what a careful player of most connections would do.
    """
    first = careful(rule)(table, random.Random(0))
    ranked = sorted(
        islice(plays(table.grid, table.hand_mask, rule), _LOOKED_AT),
        key=lambda play: (
            -table.connections(play),
            not table.takes_blocker(play),
            open_sides(table, play),
            play,
        ),
    )
    choices = [first]
    for play in ranked:
        if len(choices) >= most:
            break
        takes = table.takes_blocker(play)
        victims: list[int | None] = [*table.victims(takes)] or [None]
        victims.sort(key=lambda victim: 0 if victim is None else -table.cards(victim))
        choices += [(play, victim) for victim in victims if (play, victim) != first]
    return choices[:most]


def rank(
    trials: Trials, choices: Sequence[Choice], *, meter: Meter, most: int = 4096
) -> tuple[Standing[Choice], ...]:
    """Rank candidates by their mean share of the cards; `most` samples of each at most."""
    return race(choices, trials.play, meter=meter, sense="maximise", most=most)


def by_simulation(rule: str, *, samples: int) -> Policy:
    """Return the player who tries out candidates before every move.

    Parameters
    ----------
    rule : str
        PI3's reading.
    samples : int
        Simulated deals a move, over all candidates.
    """

    def choose(table: Table, rng: random.Random) -> Choice:
        choices = candidates(table, rule)
        meter = Meter(budget=Budget(seconds=None, work=samples))
        trials = Trials(hide(table), rule, rng.getrandbits(32))
        standings = rank(trials, choices, meter=meter) if len(choices) > 1 else ()
        return preferred(standings, choices[0])

    return choose


def preferred(standings: Sequence[Standing[Choice]], usual: Choice) -> Choice:
    """Return the leader, or the usual move if the lead over it may well be luck."""
    for standing in standings:
        if standing.candidate == usual:
            lead = LEAD * (standing.difference_error or 0.0)
            return usual if standing.difference <= lead else standings[0].candidate
    return usual
