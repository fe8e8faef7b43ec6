"""One grade from named parts and stated weights, the same for every game.

A part is a number from 0 (easy) to 1 (hard) that is computed from a measure. The grade is 1 plus
9 times their weighted mean: a way to sort puzzles by what somebody said matters, and no more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from tilesolve.wire import Node


def read_weights(node: Node | None, standard: Mapping[str, float]) -> dict[str, float]:
    """Return the weights to use: those given, and the standard ones for what was left out.

    Parameters
    ----------
    node : Node or None
        An object from names of parts to numbers of at least 0; None takes the standard ones.
    standard : mapping
        All parts with their standard weights.

    Raises
    ------
    InputError
        For a part that does not exist, a weight that is no number of at least 0, or when no
        weight is above 0.

    Examples
    --------
    >>> read_weights(Node({"rarity": 0}), {"rarity": 1.0, "effort": 2.0})
    {'rarity': 0.0, 'effort': 2.0}
    """
    if node is None:
        return dict(standard)
    given = {name: field.number(0) for name, field in node.object(*standard).items()}
    weights = {**standard, **given}
    if not any(weights.values()):
        raise node.error("all weights are 0; one at least must be above 0")
    return weights


def grade_of(parts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the grade, 1 to 10, to two decimals: enough to sort by, more than it can mean.

    Parameters
    ----------
    parts : mapping
        From 0 to 1, one for each weight.
    weights : mapping
        At least 0, not all 0.

    Examples
    --------
    >>> grade_of({"rarity": 0.5, "effort": 0.0}, {"rarity": 1, "effort": 2})
    2.5
    """
    total = math.fsum(weights.values())
    mean = math.fsum(weight * parts[name] for name, weight in weights.items()) / total
    return round(1 + 9 * min(1.0, max(0.0, mean)), 2)


def on_scale(value: float, full: float) -> float:
    """Return how far a value is from 0 to `full`, at most 1, to four decimals.

    Examples
    --------
    >>> on_scale(3, 4), on_scale(9, 4)
    (0.75, 1.0)
    """
    return round(min(1.0, max(0.0, value / full)), 4)


def on_log_scale(value: float, full: float) -> float:
    """Return the same of the value's logarithm; values up to 1 give 0.

    Examples
    --------
    >>> on_log_scale(100, 10_000), on_log_scale(0, 10)
    (0.5, 0.0)
    """
    return on_scale(math.log10(max(1.0, value)), math.log10(full))
