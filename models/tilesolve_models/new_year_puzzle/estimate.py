"""About how likely is it that the first k unknown cards all fit? By growing at random.

Whoever always turns up one of f cards that fit, of n, has a chance of f / n less to account for;
the mean of the products over some random growths is the chance.
"""

from __future__ import annotations

import random

from tilesolve_models.new_year_puzzle.joined import Ground
from tilesolve_models.picture_grid import cards_of

_GROWTHS = 100


def estimated(ground: Ground) -> list[float]:
    """Return for k = 0, 1, ... about how likely it is that the first k cards all fit.

    The same each time.

    Examples
    --------
    Three cards in a row, of which the first touches an open one:

    >>> from tilesolve_models.new_year_puzzle.joined import Ground
    >>> row = Ground(near=(0b010, 0b101, 0b010), failing=0b110)
    >>> [round(chance, 3) for chance in estimated(row)]
    [1.0, 0.333, 0.167, 0.167]
    """
    rng, unknown = random.Random(0), len(ground.near)
    sums = [0.0] * (unknown + 1)
    for _ in range(_GROWTHS):
        chance, lying, fitting = 1.0, 0, ground.cards & ~ground.failing
        for flipped in range(unknown):
            sums[flipped] += chance
            if not fitting:
                break
            chance *= fitting.bit_count() / (unknown - flipped)
            card = rng.choice(list(cards_of(fitting)))
            lying |= 1 << card
            fitting = (fitting | ground.near[card]) & ~lying
        else:
            sums[unknown] += chance
    return [total / _GROWTHS for total in sums]
