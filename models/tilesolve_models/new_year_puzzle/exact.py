"""The expected successes of a turn by counting orders in which unknown cards fit.

As a fraction where there are few joined sets, else as bounds far closer together than anybody
can see, made of rounded numbers.
"""

from __future__ import annotations

from tilesolve.budget import Meter
from tilesolve_models.new_year_puzzle.chances import TOLERANCE, Expectation, Knowledge, Weights
from tilesolve_models.new_year_puzzle.estimate import estimated
from tilesolve_models.new_year_puzzle.growth import sequences
from tilesolve_models.new_year_puzzle.joined import WIDEST, Family, family
from tilesolve_models.new_year_puzzle.kept import looked_up
from tilesolve_models.new_year_puzzle.rounded import chances
from tilesolve_models.new_year_puzzle.turns import Turn

MOST_GROUPS = 15
"""Groups of remembered cards, when prizes may end the turn: then every choice of them counts."""

FEW = 30_000
"""Joined sets whose numbers are counted with large integers, some seconds long."""

_NEGLIGIBLE = float(TOLERANCE) / 10  # what may be left to gain; the estimate may be some times off


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
    """Return bounds from numbers for as many cards as seem to matter, if need be for all."""
    value = None
    for columns in (_columns(turn, weights), None):
        numbers = chances(found, sets, meter=meter, columns=columns)
        if numbers is None:
            break
        value = turn.between(weights, sets, numbers)
        if value.settled:
            break
    return value


def _columns(turn: Turn, weights: Weights) -> int:
    """Return for how many numbers of cards that fit chances make a difference, by an estimate."""
    further = turn.further(weights)
    mattering = (
        fitted
        for fitted, chance in enumerate(estimated(turn.ground))
        if chance * further[fitted] > _NEGLIGIBLE
    )
    return 2 + max(mattering, default=0)
