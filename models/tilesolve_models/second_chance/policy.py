"""Policies: how a player chooses among the placements of the cards he may draw.

A policy sees a `Choice` and returns the index of an option. What an option leaves of the grid
is worked out when a policy asks for it, for the options it asks about.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tilesolve_models.second_chance.catalogue import PAIRS, SQUARES, Catalogue, Numbers, Words
from tilesolve_models.second_chance.worth import Reals, forecast


@dataclass(frozen=True, eq=False)
class Choice:
    """A player's options: where to draw which of the tiles he may draw.

    Parameters
    ----------
    catalogue : Catalogue
        Of the grid and the deck.
    live : array of uint64
        The live slots before drawing.
    masks : sequence of int
        Squares of each option.
    slots : array of int, or None
        The options as slots of the catalogue; None for start tiles, which have none.
    kinds : array of int
        Which of the tiles each option draws: equal numbers, equal tile.
    edges : array of int
        Length of the edge of each option's tile.
    remaining : array of int
        Copies of each tile of the catalogue that may still come.
    rng : random.Random
        For policies that leave something to chance.
    """

    catalogue: Catalogue
    live: Words
    masks: tuple[int, ...]
    slots: Numbers | None
    kinds: Numbers
    edges: Numbers
    remaining: Numbers
    rng: random.Random

    def after(self, options: Numbers) -> Words:
        """Return what is live after each of some options, shape (options, words)."""
        if self.slots is not None:
            return self.catalogue.after(self.live, self.slots[options])
        lives = [self.live & self.catalogue.live(self.masks[option]) for option in options]
        return np.array(lives, dtype=np.uint64)

    def open_edges(self) -> Numbers:
        """Return the length of all edges of the empty squares after each option."""
        if self.slots is not None:
            return self.catalogue.open_edges(self.live, self.slots)
        counts = self.catalogue.counts(self.after(self.every))
        edges: Numbers = 4 * counts[:, SQUARES] - 2 * counts[:, PAIRS]
        return edges

    @property
    def every(self) -> Numbers:
        """The numbers of all options."""
        return np.arange(len(self.masks))


Policy: TypeAlias = Callable[[Choice], int]

NARROW = 6
"""Placements of each tile that `learner` looks at closely, those with the shortest edges."""


def at_random(choice: Choice) -> int:
    """Draw anything anywhere."""
    return choice.rng.randrange(len(choice.masks))


def greedy(choice: Choice) -> int:
    """Draw where most sides touch the border or filled squares; ties at random."""
    return _any_best(choice.edges - choice.open_edges(), choice.rng)


def look_ahead(choice: Choice) -> int:
    """Draw where most of the cards that may come still fit; ties at random."""
    counts = choice.catalogue.counts(choice.after(choice.every))
    return _any_best((counts > 0) @ choice.remaining, choice.rng)


def learner(choice: Choice) -> int:
    """Draw where the learned worth expects fewest empties at the end."""
    options, empties = rated(choice, most=NARROW)
    return int(options[int(np.argmin(empties))])


def rated(choice: Choice, *, most: int) -> tuple[Numbers, Reals]:
    """Return the promising options and the empties that the learned worth expects after them.

    Promising are, for each tile, the `most` that leave the shortest edges.
    """
    options = shortest(choice.kinds, choice.open_edges(), most)
    counts = choice.catalogue.counts(choice.after(options))
    return options, forecast(choice.catalogue, counts, choice.remaining[None, :])


def shortest(groups: Numbers, values: Numbers | Reals, most: int) -> Numbers:
    """Return the indices of the `most` least values of each group, groups ascending.

    Examples
    --------
    >>> shortest(np.array([0, 0, 0, 2]), np.array([5, 1, 3, 9]), 2)
    array([1, 2, 3])
    """
    order = np.lexsort((values, groups))
    ordered = groups[order]
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    places = np.arange(len(ordered))
    rank = places - np.maximum.accumulate(np.where(begins, places, 0))
    least: Numbers = order[rank < most]
    return least


def _any_best(values: Numbers, rng: random.Random) -> int:
    best = np.flatnonzero(values == values.max())
    return int(best[rng.randrange(len(best))])
