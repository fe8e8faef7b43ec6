"""What simulated players make of a game, as a measure of its difficulty."""

from __future__ import annotations

from collections.abc import Sequence

from tilesolve.answers import Json, PolicyScore

_SIGMAS = 1.959964
"""Standard errors on either side of a 95 % interval."""


def outcomes(scores: Sequence[PolicyScore]) -> dict[str, Json]:
    """Return each policy's mean, its 95 % interval, and how often it ended with which score.

    A single game has no interval.

    Examples
    --------
    >>> from tilesolve.simulate.statistics import score_of
    >>> outcomes([score_of("greedy", [4, 6, 8])])["greedy"]
    {'games': 3, 'mean': 6.0, 'interval': [3.737, 8.263], 'distribution': {'4': 1, '6': 1, '8': 1}}
    """
    return {score.policy: _outcome(score) for score in scores}


def _outcome(score: PolicyScore) -> dict[str, Json]:
    told: dict[str, Json] = {"games": score.games, "mean": round(score.mean, 3)}
    if score.standard_error is not None:
        spread = _SIGMAS * score.standard_error
        told["interval"] = [round(score.mean - spread, 3), round(score.mean + spread, 3)]
    return {**told, "distribution": dict(score.distribution)}
