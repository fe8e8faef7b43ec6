"""Which candidate is best, when each can only be tried out against chance?

All candidates are played against the same random futures (common random numbers), so that
luck cancels in their differences, and those that are clearly worse leave early: successive
elimination on paired differences. What is left over shares the rest of the budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from tilesolve.budget import Meter, Progress
from tilesolve.simulate.statistics import mean_of, paired

C = TypeVar("C")

Prepare: TypeAlias = Callable[[Sequence[C], range], None]
"""Told which candidates will be played through which samples next."""

CLEAR = 2.6
"""Standard errors of the paired difference at which a candidate counts as clearly worse."""

TOGETHER = 80
"""Plays that are announced to `prepare` at a time, more only if there are more candidates."""


@dataclass(frozen=True)
class Standing(Generic[C]):
    """How one candidate came out of a race.

    Parameters
    ----------
    candidate : object
        As it was given.
    mean, standard_error : float, float or None
        Of its own results; the error is None after a single sample.
    difference, difference_error : float, float or None
        How much it gives away against the leader over the samples both played, positive is
        worse whichever way scores are better; exactly 0 and 0 for the leader itself.
    samples : int
        Samples played, at least 1.
    belief : float
        What the ranking goes by: the mean, drawn towards what was believed before; equal to it
        where nothing was.
    """

    candidate: C
    mean: float
    standard_error: float | None
    difference: float
    difference_error: float | None
    samples: int
    belief: float


@dataclass(frozen=True)
class Prior:
    """What is believed of the candidates before any is played.

    Parameters
    ----------
    values : tuple of float
        The score expected of each candidate.
    weight : float
        How many samples a value is worth, above 0.
    """

    values: tuple[float, ...]
    weight: float


def race(
    candidates: Sequence[C],
    play: Callable[[C, int], float],
    *,
    meter: Meter,
    sense: Literal["minimise", "maximise"],
    batch: int = 8,
    plays: int = 0,
    most: int = 1024,
    crowd: int | None = None,
    prior: Prior | None = None,
    prepare: Prepare[C] | None = None,
) -> tuple[Standing[C], ...]:
    """Rank candidates by paired simulation.

    Every batch plays the same `batch` samples with each candidate still in the race, at one
    work unit a play. Then the leader is the one with the best mean, and whoever is worse by
    `CLEAR` standard errors of the paired difference is out. The race ends when one candidate is
    left, after `most` samples, or when the meter stops. With a work limit and a deterministic
    `play` the result is the same every time.

    Parameters
    ----------
    candidates : sequence
        In any order; ties keep it.
    play : callable
        ``play(candidate, sample)`` returns the final score of one simulated game. The same
        sample number must mean the same random future for every candidate.
    meter : Meter
        Spent on and obeyed between plays.
    sense : {"minimise", "maximise"}
        Which way a score is better.
    batch : int
        Samples between two eliminations, at least 2.
    plays : int
        Plays between two eliminations, at least: the fewer candidates are left, the more
        samples each of them gets.
    most : int
        Samples of one candidate at most; stops a race between equals.
    crowd : int or None
        While more candidates than this are in the race, every batch also drops the worse half,
        clearly worse or not: the budget goes to those that may be best. None drops none so.
    prior : Prior or None
        Beliefs that leaders, halving and ranking take into account: a few samples of a noisy
        game say less than a good estimate.
    prepare : callable or None
        For a game that plays many samples together faster than one by one: it is called before
        some `TOGETHER` plays that follow, and `play` may then look its results up.

    Returns
    -------
    tuple of Standing
        Best first: those that lasted longest first, among them by belief. Candidates that
        could not be played even once before the meter stopped are absent.

    Raises
    ------
    ValueError
        For a batch below 2, which would leave differences without a standard error.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> meter = Meter(budget=Budget(seconds=None, work=1000))
    >>> luck = [0, 5, 2, 9, 4, 4, 7, 1]
    >>> ranked = race([3, 1, 2], lambda penalty, sample: penalty + luck[sample % 8],
    ...               meter=meter, sense="minimise")
    >>> [(standing.candidate, standing.difference) for standing in ranked]
    [(1, 0.0), (2, 1.0), (3, 2.0)]
    """
    if batch < 2:
        raise ValueError("a batch needs at least two samples")
    sign = 1.0 if sense == "minimise" else -1.0
    results: list[list[float]] = [[] for _ in candidates]
    beliefs = _Beliefs(results, prior, sign)
    alive = list(range(len(candidates)))
    while alive:
        done = len(results[alive[0]])
        samples = range(done, min(done + max(batch, plays // len(alive)), most))
        stopped = not _play_batch(candidates, play, results, alive, samples, sign, meter, prepare)
        leader = min(alive, key=beliefs.of)
        if stopped or samples.stop >= most or len(alive) == 1:
            break
        alive = [
            index for index in alive if not _clearly_worse(results[index], results[leader], batch)
        ]
        if crowd is not None and len(alive) > crowd:
            better = sorted(alive, key=beliefs.of)[: max(crowd, len(alive) // 2)]
            alive = sorted(better)
        if len(alive) == 1:
            break
        meter.report(Progress(stage="race", done=len(results[leader]), total=most))
    return _standings(candidates, results, alive, sign, beliefs)


@dataclass(frozen=True)
class _Beliefs:
    """What is believed of each candidate now; less is better, whatever the sense."""

    results: list[list[float]]
    prior: Prior | None
    sign: float

    def of(self, index: int) -> float:
        played = self.results[index]
        if self.prior is None:
            return math.fsum(played) / len(played) if played else math.inf
        before = self.sign * self.prior.values[index] * self.prior.weight
        return (math.fsum(played) + before) / (len(played) + self.prior.weight)


def _play_batch(
    candidates: Sequence[C],
    play: Callable[[C, int], float],
    results: list[list[float]],
    alive: list[int],
    samples: range,
    sign: float,
    meter: Meter,
    prepare: Prepare[C] | None,
) -> bool:
    """Play the samples with all; a sample cut short counts for nobody, unless it is the first."""
    together = max(1, TOGETHER // len(alive))
    for sample in samples:
        if prepare is not None and (sample - samples.start) % together == 0 and meter.spend():
            following = range(sample, min(sample + together, samples.stop))
            prepare([candidates[index] for index in alive], following)
        for index in alive:
            if not meter.spend(1):
                if sample > 0:
                    for played in alive:
                        del results[played][sample:]
                return False
            results[index].append(sign * play(candidates[index], sample))
    return True


def _clearly_worse(mine: list[float], best: list[float], batch: int) -> bool:
    """Whether the gap is clear; one without spread must have held for two batches."""
    difference = paired(mine, best)
    error = difference.standard_error or 0.0
    if error == 0.0 and difference.count < 2 * batch:
        return False
    return difference.mean > CLEAR * error


def _standings(
    candidates: Sequence[C],
    results: list[list[float]],
    alive: list[int],
    sign: float,
    beliefs: _Beliefs,
) -> tuple[Standing[C], ...]:
    started = [index for index in alive if results[index]]
    if not started:
        return ()
    leader = min(started, key=beliefs.of)
    standings = []
    for index, played in enumerate(results):
        if not played:
            continue
        own = mean_of(played)
        gap = paired(played, results[leader])
        standings.append(
            Standing(
                candidate=candidates[index],
                mean=sign * own.mean,
                standard_error=own.standard_error,
                difference=gap.mean,
                difference_error=0.0 if index == leader else gap.standard_error,
                samples=own.count,
                belief=sign * beliefs.of(index),
            )
        )
    return tuple(sorted(standings, key=lambda each: (-each.samples, sign * each.belief)))
