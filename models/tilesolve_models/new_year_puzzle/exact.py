"""The expected successes of a turn by counting orders in which unknown cards fit.

As a fraction where there are few joined sets, else as bounds far closer together than anybody
can see, made of rounded numbers.
"""

from __future__ import annotations

from tilesolve.budget import Meter
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, Weights
from tilesolve_models.new_year_puzzle.growth import sequences
from tilesolve_models.new_year_puzzle.joined import WIDEST, Family, family
from tilesolve_models.new_year_puzzle.kept import looked_up
from tilesolve_models.new_year_puzzle.rounded import chances
from tilesolve_models.new_year_puzzle.turns import Turn

MOST_GROUPS = 15
"""Groups of remembered cards, when prizes may end the turn: then every choice of them counts."""

FEW = 30_000
"""Joined sets whose numbers are counted with large integers, some seconds long."""


def counted(
    knowledge: Knowledge, weights: Weights, *, meter: Meter, most: int, few: int = FEW
) -> Expectation | None:
    """Return the expected number of successes; None when it is too much to count.

    Parameters
    ----------
    knowledge : Knowledge
        What lies and what is remembered.
    weights : Weights
        What a success is worth.
    meter : Meter
        Two units for each set met and each card that may fail in it.
    most : int
        Joined sets of cards that may be held.
    few : int
        With more of them the numbers are rounded.
    """
    found_in_file = looked_up(knowledge, weights)
    if found_in_file is not None:
        return found_in_file
    turn = Turn.of(knowledge)
    if len(turn.ground.near) > WIDEST:
        return None
    if not weights.alike and len(turn.groups) > MOST_GROUPS:
        return None
    sets = turn.wanted(weights)
    found = family(turn.ground, sets, meter=meter, most=most)
    if found is None:
        return None
    if found.joined > few:
        return _rounded(turn, weights, sets, found, meter)
    numbers = sequences(found, sets, meter=meter)
    if numbers is None:
        return None
    return _exact(turn, weights, dict(zip(sets, numbers, strict=True)))


def _exact(turn: Turn, weights: Weights, numbers: dict[int, list[int]]) -> Expectation:
    value = turn.expected(weights, numbers)
    return Expectation(value, value)


def _rounded(
    turn: Turn, weights: Weights, sets: list[int], found: Family, meter: Meter
) -> Expectation | None:
    numbers = chances(found, sets, meter=meter)
    return None if numbers is None else turn.between(weights, sets, numbers)
