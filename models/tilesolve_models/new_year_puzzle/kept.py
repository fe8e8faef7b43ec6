"""Numbers kept in a file: those for the 8 x 8 picture before and after the first flip.

They take minutes to count, and everybody needs them. After a first flip that succeeds they follow
from those before it, for that card is one of eight which symmetries take to each other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, Weights
from tilesolve_models.new_year_puzzle.rounded import Chances, Numbers
from tilesolve_models.new_year_puzzle.symmetries import first_image
from tilesolve_models.new_year_puzzle.turns import Turn
from tilesolve_models.picture_grid import grid_of

_SIDE = 8


@dataclass(frozen=True)
class Kept:
    """What the file holds.

    Parameters
    ----------
    numbers : tuple of int
        In how many orders 0, 1, ... unknown cards all fit before the first flip.
    remembered : dict
        By a card that does not fit at the start, the first of its images: the numbers of the sets
        that count when it alone is remembered, in the order of `Turn.wanted`.
    """

    numbers: tuple[int, ...]
    remembered: dict[int, Chances]


@cache
def kept() -> Kept:
    """Read the file."""
    text = resources.files(__package__).joinpath("data/orders.json").read_text("utf-8")
    fields = Node(json.loads(text)).object("comment", required=("numbers", "remembered"))
    numbers = tuple(int(item.string()) for item in fields["numbers"].items())
    remembered = {}
    for item in fields["remembered"].items():
        each = item.object(required=("home", "orders", "errors"))
        home = grid_of(_SIDE, _SIDE).card(each["home"].cell())
        remembered[home] = Chances(_table(each["orders"]), _table(each["errors"]))
    return Kept(numbers, remembered)


def _table(rows: Node) -> Numbers:
    return np.array([[item.number() for item in row.items()] for row in rows.items()])


def looked_up(knowledge: Knowledge, weights: Weights) -> Expectation | None:
    """Return the expected number of successes in a position that is kept, else None.

    Examples
    --------
    >>> from tilesolve_models.new_year_puzzle.chances import weights_of
    >>> grid = grid_of(8, 8)
    >>> after_one = Knowledge(grid, grid.corners | grid.mask([(0, 1)]), 0)
    >>> value = looked_up(after_one, weights_of(grid, None, reshuffle=False))
    >>> round(float(value.least), 9)
    0.184757801
    """
    grid = knowledge.grid
    lying = knowledge.chain(knowledge.open)
    flipped, rest = lying & ~grid.corners, knowledge.known & ~lying
    if grid != grid_of(_SIDE, _SIDE) or grid.corners & ~lying:
        return None
    if flipped.bit_count() + rest.bit_count() > 1:
        return None
    if rest:
        return _with_one_remembered(first_image(knowledge), weights)
    numbers = list(kept().numbers)
    if flipped:
        if not flipped & grid.beside(grid.corners):
            return None
        numbers = [number // 8 for number in numbers[1:]]
    turn = Turn.of(knowledge)
    value = turn.expected(weights, {turn.ground.cards: numbers})
    return Expectation(value, value)


def _with_one_remembered(knowledge: Knowledge, weights: Weights) -> Expectation | None:
    found = kept().remembered.get(knowledge.known.bit_length() - 1)
    if found is None:
        return None
    turn = Turn.of(knowledge)
    return turn.between(weights, turn.wanted(weights), found)
