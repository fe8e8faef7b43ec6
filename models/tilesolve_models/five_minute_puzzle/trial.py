"""Candidates tried out: every one gets a value, those that matter from games of their own.

A guess stands at the beginning, for all. The promising candidates, and a few of the others, are
played out against the same random rolls. How far the games bear the guesses out says what the
guesses are worth: a line is fitted through the gaps between candidates, and each candidate's own
games and its guess are weighed by their variances (empirical Bayes, as in any textbook on small
area estimation). A candidate without games has its guess, corrected, and the standard error that
such guesses turned out to have.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from tilesolve.budget import Meter, Stopped
from tilesolve.simulate.race import Prior, race
from tilesolve.simulate.statistics import paired

C = TypeVar("C")

Play: TypeAlias = Callable[[C, int, Meter], float]
"""Plays one sample with a candidate and returns the final penalty."""

MOST_SAMPLES = 256
"""Games played out after one candidate at most."""

BATCH = 2
"""Games of every candidate before the worse half leaves."""

TRUST = 4.0
"""Games that a guess is worth while candidates race."""

SPREAD = 1.5
"""Standard deviation that games, and true gaps about their guess, are taken to have at first."""

DOUBT = 4
"""Observations that the first deviations are worth."""


@dataclass(frozen=True)
class Estimate(Generic[C]):
    """What a candidate is worth.

    Parameters
    ----------
    candidate : object
        As it was given.
    value, error : float
        Expected final penalty and its standard error.
    loss, loss_error : float
        Against the best, and the standard error of that difference; 0 and 0 for the best.
    games : int
        Games played out with it; 0 for one that is valued by its guess.
    """

    candidate: C
    value: float
    error: float
    loss: float
    loss_error: float
    games: int


@dataclass
class Trial(Generic[C]):
    """Candidates with their guesses, and the games played so far.

    Parameters
    ----------
    guesses : mapping
        Candidate to the final penalty expected before any game.
    play : callable
        The same sample number means the same random rolls for every candidate.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> trial = Trial({3: 4.0, 1: 2.0, 2: 3.0}, lambda penalty, sample, meter: penalty + sample % 4)
    >>> trial.race([1, 2], meter=Meter(budget=Budget(seconds=None, work=400)))
    >>> best, *others = trial.estimates()
    >>> best.candidate, best.value, best.games, [each.games for each in others]
    (1, 2.5, 4, [4, 0])
    """

    guesses: Mapping[C, float]
    play: Play[C]
    results: dict[C, list[float]] = field(default_factory=dict)

    def race(self, candidates: Sequence[C], *, meter: Meter, most: int = MOST_SAMPLES) -> None:
        """Play candidates out, the better ones longer, until the meter stops."""
        if not candidates:
            return

        def play(candidate: C, sample: int) -> float:
            played = self.results.setdefault(candidate, [])
            if sample == len(played):
                penalty = self.play(candidate, sample, meter)
                if meter.stopped_by is not None:
                    raise Stopped
                played.append(penalty)
            return played[sample]

        prior = Prior(tuple(self.guesses[candidate] for candidate in candidates), TRUST)
        with suppress(Stopped):  # what was played until then is kept
            race(
                candidates, play, meter=meter, sense="minimise",
                batch=BATCH, most=most, crowd=2, prior=prior,
            )  # fmt: skip

    def estimates(self) -> list[Estimate[C]]:
        """Return what each candidate is worth, best first."""
        played = {candidate: scores for candidate, scores in self.results.items() if scores}
        if not played:
            return self._guessed()
        reference = max(played, key=lambda candidate: len(played[candidate]))
        own = played[reference]
        mean, error = statistics.fmean(own), _deviation([own]) / math.sqrt(len(own))
        gaps = {c: paired(scores, own) for c, scores in played.items() if c != reference}
        noise = _deviation(
            [[a - b for a, b in zip(scores, own, strict=False)] for scores in played.values()]
        )
        steps = {c: guess - self.guesses[reference] for c, guess in self.guesses.items()}
        slope, scatter = _line([(steps[c], gap.mean, gap.count) for c, gap in gaps.items()], noise)
        found = {reference: (mean, 0.0)}
        for candidate, step in steps.items():
            if candidate == reference:
                continue
            gap = gaps.get(candidate)
            trust = gap.count / noise**2 if gap else 0.0
            weight = trust + 1 / scatter**2
            blend = ((gap.mean * trust if gap else 0.0) + slope * step / scatter**2) / weight
            found[candidate] = mean + blend, weight**-0.5
        return self._ordered(found, error)

    def _guessed(self) -> list[Estimate[C]]:
        return self._ordered({c: (guess, SPREAD) for c, guess in self.guesses.items()}, 0.0)

    def _ordered(self, found: Mapping[C, tuple[float, float]], common: float) -> list[Estimate[C]]:
        """Return estimates of values with their own errors and one that all have in common."""
        ranked = sorted(found, key=lambda candidate: found[candidate][0])
        best, doubt = found[ranked[0]]
        return [
            Estimate(
                candidate,
                value=value,
                error=math.hypot(own, common),
                loss=value - best,
                loss_error=math.hypot(own, doubt) if candidate != ranked[0] else 0.0,
                games=len(self.results.get(candidate, ())),
            )
            for candidate in ranked
            for value, own in (found[candidate],)
        ]


def _deviation(samples: Iterable[Sequence[float]]) -> float:
    """Return the pooled standard deviation within samples, with `DOUBT` about `SPREAD` at first."""
    squares, freedom = DOUBT * SPREAD**2, float(DOUBT)
    for sample in samples:
        if len(sample) > 1:
            squares += statistics.variance(sample) * (len(sample) - 1)
            freedom += len(sample) - 1
    return math.sqrt(squares / freedom)


def _line(points: Sequence[tuple[float, float, int]], noise: float) -> tuple[float, float]:
    """Return the slope of gaps over guessed gaps, and how far true gaps scatter about it.

    `points` are guessed gap, mean gap, and games; `noise` is the deviation of one game's gap.
    At first the guesses are taken at their word.
    """
    weights = [1 / (SPREAD**2 + noise**2 / games) for _, _, games in points]
    over = sum(w * step * step for w, (step, _, _) in zip(weights, points, strict=True))
    across = sum(w * step * gap for w, (step, gap, _) in zip(weights, points, strict=True))
    prior = DOUBT / SPREAD**2
    slope = max(0.0, (across + prior) / (over + prior))
    squares = DOUBT * SPREAD**2
    for step, gap, games in points:
        squares += max(0.0, (gap - slope * step) ** 2 - noise**2 / games)
    return slope, max(0.3, math.sqrt(squares / (DOUBT + len(points))))
