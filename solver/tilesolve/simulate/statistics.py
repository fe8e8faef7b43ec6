"""Means with their standard errors, the only statistics a simulation reports.

Samples are independent games; the standard error is the sample's standard deviation (with
``n - 1``) divided by the square root of ``n``, after any textbook.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tilesolve.answers import PolicyScore


@dataclass(frozen=True)
class Mean:
    """A sample's mean and how far to trust it.

    Parameters
    ----------
    count : int
        Number of values, at least 1.
    mean : float
        In the unit of the values.
    standard_error : float or None
        In the same unit, at least 0; None for a single value, which says nothing of its spread.
    """

    count: int
    mean: float
    standard_error: float | None


def mean_of(values: Iterable[float]) -> Mean:
    """Return the mean of one or more values with its standard error.

    Raises
    ------
    ValueError
        Without values.

    Examples
    --------
    >>> mean_of([1, 2, 3, 4])
    Mean(count=4, mean=2.5, standard_error=0.6454972243679028)
    >>> mean_of([7]).standard_error is None
    True
    """
    sample = tuple(values)
    if not sample:
        raise ValueError("a mean needs at least one value")
    count = len(sample)
    mean = math.fsum(sample) / count
    if count == 1:
        return Mean(1, mean, None)
    variance = math.fsum((value - mean) ** 2 for value in sample) / (count - 1)
    return Mean(count, mean, math.sqrt(variance / count))


def paired(first: Sequence[float], second: Sequence[float]) -> Mean:
    """Return the mean of ``first[i] - second[i]`` over the samples that both have.

    Where sample ``i`` was the same random future for both, what the two have in common cancels
    and the difference is known far better than either mean.

    Examples
    --------
    >>> paired([3, 9, 6], [1, 7, 4])
    Mean(count=3, mean=2.0, standard_error=0.0)
    """
    return mean_of(one - other for one, other in zip(first, second, strict=False))


def score_of(policy: str, scores: Iterable[int]) -> PolicyScore:
    """Return how a policy did, from the final scores of its games.

    Raises
    ------
    ValueError
        Without scores.

    Examples
    --------
    >>> score_of("greedy", [7, 5, 7]).distribution
    {'5': 1, '7': 2}
    """
    played = sorted(scores)
    summary = mean_of(played)
    return PolicyScore(
        policy=policy,
        games=summary.count,
        mean=summary.mean,
        standard_error=summary.standard_error,
        distribution={str(score): times for score, times in Counter(played).items()},
    )
