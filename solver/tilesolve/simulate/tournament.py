"""Policies against each other over the same games."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tilesolve.answers import PolicyScore
from tilesolve.budget import Meter, Progress
from tilesolve.simulate.statistics import score_of

P = TypeVar("P")


def tournament(
    policies: Mapping[str, P],
    play: Callable[[P, int], int],
    *,
    games: int,
    meter: Meter,
) -> tuple[PolicyScore, ...]:
    """Play every policy through the same games.

    Game by game, each policy in turn, at one work unit a play. When the meter stops, a game
    that not all policies have finished counts for none of them, so the scores stay paired.

    Parameters
    ----------
    policies : mapping
        Name to policy; the result keeps the order.
    play : callable
        ``play(policy, number)`` returns the final score of game `number`, 0 and up. The same
        number must mean the same deal for every policy.
    games : int
        Games to play, at least 0.
    meter : Meter
        Spent on and obeyed between plays; `meter.stopped_by` says why there are fewer games.

    Returns
    -------
    tuple of PolicyScore
        One for each policy; empty when not a single game was finished by all.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> meter = Meter(budget=Budget(seconds=None, work=100))
    >>> scores = tournament({"careful": 1, "bold": 3}, lambda luck, game: luck * (game % 2),
    ...                     games=4, meter=meter)
    >>> [(score.policy, score.mean) for score in scores]
    [('careful', 0.5), ('bold', 1.5)]
    """
    finished: list[list[int]] = []
    for number in range(games):
        scores = _one_game(policies, play, number, meter)
        if scores is None:
            break
        finished.append(scores)
        meter.report(Progress(stage="games", done=number + 1, total=games))
    if not finished:
        return ()
    columns = zip(*finished, strict=True)
    return tuple(score_of(name, column) for name, column in zip(policies, columns, strict=True))


def _one_game(
    policies: Mapping[str, P], play: Callable[[P, int], int], number: int, meter: Meter
) -> list[int] | None:
    scores = []
    for policy in policies.values():
        if not meter.spend(1):
            return None
        scores.append(play(policy, number))
    return scores
