"""Every move a roll allows, ranked by the expected final penalty.

Near the end the expectation is exact. Before that it is sampled: the moves are played out along
plans against the same random rolls, the promising ones first and longest.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve.simulate.race import CLEAR, race
from tilesolve.simulate.statistics import mean_of, paired
from tilesolve_models.five_minute_puzzle.endgame import Endgame, small
from tilesolve_models.five_minute_puzzle.planning import Plans, Playout, find_plans
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.sheets import DIE

PROMISING = 16
"""Moves that are raced at length."""

MOST_LOOKED_AT = 800
"""Moves that are looked at, beside those that plans hold; only large sheets have more."""

PLAY_WORK = 8
"""Work units of one game played out, beside the one that the race counts."""

MOST_SAMPLES = 192
"""Games played out after one move at most."""

CONTENDERS = 4
"""Moves that may be raced against the leader once more, because luck favoured them."""


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
    value : float or None
        Expected final penalty; None for a move that was not played out in time.
    error : float or None
        Standard error where the value is sampled.
    loss : float or None
        Against the first, at least 0.
    loss_error : float or None
        Standard error of the paired difference that the loss is.
    plans : int
        Plans known that go on after it, of those that were found.
    sight : int or None
        The penalty that the best of them ends with.
    exact : Fraction or None
        The expectation where it is exact.
    """

    decision: Lay
    value: float | None = None
    error: float | None = None
    loss: float | None = None
    loss_error: float | None = None
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
        first, *others = self.moves
        return first.value is not None and all(_behind(move) for move in others)


def _behind(move: Ranked) -> bool:
    if move.loss is None:
        return False
    return move.loss > CLEAR * (move.loss_error or 0.0)


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
        Ranked(decision, float(value), loss=float(value - least), exact=value)
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
    table = plans_for(turn, meter)
    looked_at = decisions
    if len(decisions) > MOST_LOOKED_AT:
        held = [decision for decision in decisions if table.going_on(decision)]
        looked_at = list(dict.fromkeys([*held, *decisions[:MOST_LOOKED_AT]]))
    outlooks = {decision: table.outlook(decision) for decision in looked_at}

    def promise(decision: Lay) -> tuple[int, int, int]:
        sight, alive = outlooks[decision]
        return sight, -table.worth(alive), -turn.now.contact(decision[1])

    order = sorted(looked_at, key=promise)
    trial = _Trial(turn, table, {d: alive for d, (_, alive) in outlooks.items()}, meter)
    trial.race(order[:PROMISING], portion=0.6)
    trial.race(order[PROMISING:], portion=0.7, most=8)
    trial.race(trial.contenders(), portion=1.0)
    return trial.ranking([*order, *(each for each in decisions if each not in outlooks)])


def plans_for(turn: Turn, meter: Meter) -> Plans:
    """Return the plans of a position in which a piece is to be drawn now."""
    now = turn.now
    part = share(meter, 0.4)
    firsts = list(now.lays(now.drawable(turn.roll))) if now.filled else []
    random.Random(meter.budget.seed).shuffle(firsts)
    found = find_plans(now, firsts, seed=meter.budget.seed, meter=part)
    meter.spend(part.worked)
    return Plans(now, found, rolled_too=turn.rolled_too)


@dataclass
class _Trial:
    """Decisions played out against the same futures; what was played is kept."""

    turn: Turn
    table: Plans
    alive: Mapping[Lay, int]
    meter: Meter
    results: dict[Lay, list[float]] = field(default_factory=dict)
    rolls: Callable[[int], tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        turn = self.turn
        rounds = turn.now.available.bit_count() - 1
        self.rolls = futures(turn.rolls, rounds, self.meter.budget.seed)

    def race(self, decisions: Sequence[Lay], *, portion: float, most: int = MOST_SAMPLES) -> None:
        """Play decisions out until the leader is clear or a share of the meter is spent."""
        if len(decisions) == 0:
            return
        part = share(self.meter, portion)

        def play(decision: Lay, sample: int) -> float:
            played = self.results.setdefault(decision, [])
            if sample == len(played):
                part.spend(PLAY_WORK)
                played.append(self.played(decision, self.rolls(sample)))
            return played[sample]

        race(decisions, play, meter=part, sense="minimise", most=most)
        self.meter.spend(part.worked)

    def played(self, decision: Lay, rolls: Sequence[int]) -> float:
        """Return the final penalty of one game after a decision."""
        piece, mask = decision
        now = self.turn.now.laid(decision) if mask else self.turn.now.without(piece)
        return Playout.after(self.table, now, self.alive[decision]).play(rolls)

    def leader(self) -> Lay | None:
        """Return the decision with the best mean among those played longest."""
        longest = max(map(len, self.results.values()), default=0)
        if not longest:
            return None
        played = {d: scores for d, scores in self.results.items() if len(scores) == longest}
        return min(played, key=lambda decision: math.fsum(played[decision]))

    def contenders(self) -> list[Lay]:
        """Return the leader and the few that look better where both were played."""
        leader = self.leader()
        if leader is None:
            return []
        own = self.results[leader]
        better = [
            (paired(scores, own).mean, decision)
            for decision, scores in self.results.items()
            if scores and len(scores) < len(own)
        ]
        found = sorted(pair for pair in better if pair[0] < 0)[:CONTENDERS]
        return [leader, *(decision for _, decision in found)] if found else []

    def ranking(self, order: Sequence[Lay]) -> Ranking:
        """Return all decisions, those played out first, by their difference from the leader."""
        leader = self.leader()
        moves = [self.ranked(decision, leader) for decision in order]
        moves.sort(key=lambda move: (move.value is None, move.decision != leader, move.value or 0))
        return Ranking(tuple(moves), plans=len(self.table.plans), exact=False)

    def ranked(self, decision: Lay, leader: Lay | None) -> Ranked:
        """Return a decision with its value: the leader's mean and the paired difference."""
        plans = self.table.going_on(decision)
        known = Ranked(
            decision,
            plans=plans.bit_count(),
            sight=self.table.outlook(decision)[0] if plans else None,
        )
        scores = self.results.get(decision)
        if not scores or leader is None:
            return known
        best = mean_of(self.results[leader])
        gap = paired(scores, self.results[leader])
        errors = (best.standard_error, gap.standard_error)
        return replace(
            known,
            value=best.mean + gap.mean,
            error=None if None in errors else math.hypot(*(error or 0.0 for error in errors)),
            loss=max(0.0, gap.mean),
            loss_error=0.0 if decision == leader else gap.standard_error,
        )
