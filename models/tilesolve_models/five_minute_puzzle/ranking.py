"""Every move a roll allows, ranked by the expected final penalty.

Near the end the expectation is exact. Before that every move has a guess from the plans that go
on after it, and the promising ones, with some of the others, are played out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeVar

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve.simulate.race import CLEAR
from tilesolve_models.five_minute_puzzle.endgame import Endgame, small
from tilesolve_models.five_minute_puzzle.planning import Plans
from tilesolve_models.five_minute_puzzle.playing import Playout
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.sheets import DIE
from tilesolve_models.five_minute_puzzle.trial import Trial

C = TypeVar("C")

PROMISING = 6
"""Moves that are raced at length."""

OTHERS = 3
"""Moves from all over the rest that are played out too, to see what guesses are worth."""

PLAY_WORK = 8
"""Work units of one game played out, beside the nodes of its looks for plans."""

LOOK = 20_000
"""Nodes of the look for plans of the position itself, at most."""


@dataclass(frozen=True)
class Turn:
    """A position and the roll to be answered.

    `rolls` are known to come after it, `rolled_too` is the reading of FM5.
    """

    now: Position
    roll: int
    rolls: tuple[int, ...] = ()
    rolled_too: bool = True

    def decisions(self) -> list[Lay]:
        """Return all legal placements, then all crossings out as ``(piece, 0)``."""
        now = self.now
        crossable = now.crossable(self.roll, rolled_too=self.rolled_too)
        return [*now.lays(now.drawable(self.roll)), *((piece, 0) for piece in bits(crossable))]


@dataclass(frozen=True)
class Ranked:
    """A move and its worth.

    Parameters
    ----------
    decision : Lay
        ``(piece, mask)``; the mask is 0 for crossing out.
    value : float
        Expected final penalty.
    loss : float
        Against the first, at least 0.
    error, loss_error : float or None
        Standard errors of the two; None where they are exact.
    games : int
        Games played out after it.
    plans : int
        Plans known that go on after it, of those that were found.
    sight : int or None
        The penalty that the best of them ends with.
    exact : Fraction or None
        The expectation where it is exact.
    """

    decision: Lay
    value: float
    loss: float
    error: float | None = None
    loss_error: float | None = None
    games: int = 0
    plans: int = 0
    sight: int | None = None
    exact: Fraction | None = None


@dataclass(frozen=True)
class Ranking:
    """All moves, best first, and the number of plans they were judged by."""

    moves: tuple[Ranked, ...]
    plans: int
    exact: bool

    @property
    def clear(self) -> bool:
        """Whether the first is better than all others beyond doubt."""
        return all(move.loss > CLEAR * (move.loss_error or 0.0) for move in self.moves[1:])


def rank(turn: Turn, *, meter: Meter) -> Ranking:
    """Rank all moves; exact where the tree is small enough for the meter."""
    decisions = turn.decisions()
    if small(turn.now):
        exact = _exactly(turn, decisions, meter)
        if exact is not None:
            return exact
    return _sampled(turn, decisions, meter)


def _exactly(turn: Turn, decisions: Sequence[Lay], meter: Meter) -> Ranking | None:
    part = share(meter, 0.5)
    tree = Endgame(turn.now, turn.rolls, turn.rolled_too, part)
    values = [(tree.value(decision), decision) for decision in decisions]
    meter.spend(part.worked)
    if part.stopped_by is not None:
        return None
    values.sort(key=lambda pair: pair[0])
    least = values[0][0]
    moves = tuple(
        Ranked(decision, float(value), float(value - least), exact=value)
        for value, decision in values
    )
    return Ranking(moves, plans=0, exact=True)


def share(meter: Meter, portion: float) -> Meter:
    """Return a meter for a portion of what is left."""
    seconds, work = meter.remaining_seconds, meter.remaining_work
    return meter.part(
        seconds=None if seconds is None else portion * seconds,
        work=None if work is None else int(portion * work),
    )


def futures(known: tuple[int, ...], rounds: int, seed: int) -> Callable[[int], tuple[int, ...]]:
    """Return the rolls of each sample: those known, then random ones, the same every time.

    Examples
    --------
    >>> rolls = futures((4,), 3, seed=1)
    >>> rolls(0)[0], len(rolls(0)), rolls(5) == rolls(5)
    (4, 3, True)
    """

    @cache
    def rolls(sample: int) -> tuple[int, ...]:
        chance = random.Random(f"{seed}/{sample}")
        return known + tuple(chance.choice(DIE) for _ in range(rounds - len(known)))

    return rolls


def _sampled(turn: Turn, decisions: Sequence[Lay], meter: Meter) -> Ranking:
    plans = Plans(turn.now, seed=meter.budget.seed)
    spent = share(meter, 0.25)
    plans.look(turn.now, {}, 0, nodes=LOOK, meter=spent)
    meter.spend(spent.worked)
    spent = share(meter, 0.25)
    starts = {decision: _start(turn, plans, decision, spent) for decision in decisions}
    meter.spend(spent.worked)
    guesses = {decision: start.expected() for decision, start in starts.items()}
    rolls = futures(turn.rolls, turn.now.available.bit_count() - 1, meter.budget.seed)

    def play(decision: Lay, sample: int, meter: Meter) -> float:
        meter.spend(PLAY_WORK)
        return starts[decision].again().play(rolls(sample), meter=meter)

    trial = Trial(guesses, play)
    order = sorted(decisions, key=lambda decision: guesses[decision])
    try_out(trial, order, meter)
    moves = tuple(
        Ranked(
            each.candidate,
            value=each.value,
            loss=each.loss,
            error=each.error,
            loss_error=each.loss_error,
            games=each.games,
            plans=starts[each.candidate].alive.bit_count(),
            sight=plans.least(starts[each.candidate].alive),
        )
        for each in trial.estimates()
    )
    return Ranking(moves, plans=len(plans.plans), exact=False)


def try_out(trial: Trial[C], order: Sequence[C], meter: Meter) -> None:
    """Play out some of the candidates from all over an order, and those in front at length."""
    first, rest = order[:PROMISING], order[PROMISING:]
    some = rest[len(rest) // (2 * OTHERS) :: max(1, len(rest) // OTHERS)][:OTHERS]
    for candidates, portion, most in ((some, 0.25, 2), (first, 1.0, 256)):
        spent = share(meter, portion)
        trial.race(candidates, meter=spent, most=most)
        meter.spend(spent.worked)


def _start(turn: Turn, plans: Plans, decision: Lay, meter: Meter) -> Playout:
    """Return the game after a decision, with a short look for plans if none is known."""
    piece, mask = decision
    if mask and not plans.holding[piece].get(mask) and meter.spend():
        plans.dive(decision, meter=meter)
    game = Playout(plans, turn.now, turn.rolled_too)
    game.decide(decision)
    return game
