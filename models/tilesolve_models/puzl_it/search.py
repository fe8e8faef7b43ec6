"""Which play and victim win most often? Simulation over the hidden cards.

Every sample deals the cards that the player cannot see at random, makes the move, and lets all
players go on as careful players of most connections do. All candidates meet the same deals
(`tilesolve.simulate.race`), so their differences are known better than their means.

A game is long and swings widely, so a win or a loss says little of one move in it. A sample is
therefore followed for a few rounds only, and then each player's chance is taken to be his share
of the cards that are held: cards change hands in either direction with like odds, as in a fair
game, where the share of the stakes is the chance to win them all.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.race import Standing, race
from tilesolve_models.puzl_it.deal import fill, hide
from tilesolve_models.puzl_it.policies import (
    Choice,
    Policy,
    careful,
    open_sides,
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
    chances : dict
        For each candidate the sum, over its samples, of every seat's chance to win.
    """

    table: Table
    rule: str
    seed: int
    rounds: int = ROUNDS
    known: Mapping[int, int] = field(default_factory=dict)
    chances: dict[Choice, list[float]] = field(default_factory=dict)

    def play(self, candidate: Choice, sample: int) -> float:
        """Return the mover's chance to win, from 0 to 1, in one deal of the hidden cards."""
        rng = random.Random(self.seed * 1_000_003 + sample)
        table = fill(self.table, rng, self.known)
        me = table.to_move
        pick = random_pick(rng)
        play_turn(table, *candidate, pick)
        policy = careful(self.rule)
        left = self.rounds * len(table.hands)
        while table.winner is None and (left > 0 or not self.rounds):
            play, victim = policy(table, rng)
            play_turn(table, play, victim, pick)
            left -= 1
        held = [table.cards(player) for player in range(len(table.hands))]
        total = sum(held)
        sums = self.chances.setdefault(candidate, [0.0] * len(held))
        for player, cards in enumerate(held):
            sums[player] += cards / total
        return held[me] / total


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
    """Rank candidates by their mean chance to win; `most` samples of each at most."""
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
