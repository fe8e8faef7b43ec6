"""One grid played to its end: cards in a given order, a policy that chooses.

This is the inside of a simulated game, so it works on live slots of a catalogue and not on
states; that both agree is tested.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tilesolve_models.second_chance.catalogue import (
    SQUARES,
    Catalogue,
    Numbers,
    Words,
    perimeter,
)
from tilesolve_models.second_chance.deck import Deck, Tile
from tilesolve_models.second_chance.policy import Choice, Policy


@dataclass(eq=False)
class Pile:
    """The cards to come, in order, and how many of each tile they hold.

    Parameters
    ----------
    cards : sequence of int
        Tiles of the catalogue by number, the next first.
    remaining : array of int
        Copies of each tile among those not drawn yet.
    """

    cards: Sequence[int]
    remaining: Numbers
    drawn: int = field(default=0)

    @classmethod
    def of(cls, cards: Sequence[int], tiles: int) -> Pile:
        """Return the pile of these cards, of a catalogue of so many tiles."""
        return cls(cards, np.bincount(np.array(cards, dtype=np.int64), minlength=tiles))

    @property
    def left(self) -> int:
        """Cards still to come."""
        return len(self.cards) - self.drawn

    def draw(self, number: int) -> tuple[int, ...]:
        """Turn up the next cards."""
        cards = tuple(self.cards[self.drawn : self.drawn + number])
        self.drawn += number
        for card in cards:
            self.remaining[card] -= 1
        return cards


def options(
    catalogue: Catalogue, live: Words, cards: Sequence[int], pile: Pile, rng: random.Random
) -> Choice:
    """Return the choice among all placements of the cards turned up."""
    kinds = sorted(set(cards))
    slots = [catalogue.slots(live, kind) for kind in kinds]
    numbers = np.repeat(np.array(kinds, dtype=np.int64), [len(each) for each in slots])
    every = np.concatenate(slots)
    return Choice(
        catalogue=catalogue,
        live=live,
        masks=tuple(catalogue.masks[slot] for slot in every),
        slots=every,
        kinds=numbers,
        edges=catalogue.edges[numbers],
        remaining=pile.remaining,
        rng=rng,
    )


@dataclass(frozen=True, eq=False)
class Deal:
    """The beginning of a game: a start tile with its placements, and the shuffled cards."""

    start_tile: Tile
    masks: tuple[int, ...]
    pile: Pile

    def start(self, catalogue: Catalogue, rng: random.Random) -> Choice:
        """Return the choice among the placements of the start tile."""
        return Choice(
            catalogue=catalogue,
            live=catalogue.everything,
            masks=self.masks,
            slots=None,
            kinds=np.zeros(len(self.masks), dtype=np.int64),
            edges=np.full(len(self.masks), perimeter(self.start_tile), dtype=np.int64),
            remaining=self.pile.remaining,
            rng=rng,
        )


def deal(catalogue: Catalogue, deck: Deck, marked: int, rng: random.Random) -> Deal:
    """Return a random deal; `marked` is the mask of the marked square, 0 for none."""
    start_tile = rng.choice(deck.start_tiles)
    cards = [catalogue.index(tile) for tile in deck.tiles]
    rng.shuffle(cards)
    masks = start_masks(catalogue, start_tile, marked)
    return Deal(start_tile, masks, Pile.of(cards, len(catalogue.tiles)))


def play(catalogue: Catalogue, game: Deal, policy: Policy, rng: random.Random) -> int:
    """Play a deal from the start tile on; return the empty squares left."""
    choice = game.start(catalogue, rng)
    live: Words = choice.after(np.array([policy(choice)]))[0]
    return play_on(catalogue, live, game.pile, policy, rng)


def play_on(
    catalogue: Catalogue, live: Words, pile: Pile, policy: Policy, rng: random.Random
) -> int:
    """Play rounds and second chances to the end; return the empty squares left."""
    while pile.left >= 2 and (drawn := _round(catalogue, live, pile, policy, rng)) is not None:
        live = drawn
    return int(catalogue.counts(live[None, :])[0, SQUARES])


def _round(
    catalogue: Catalogue, live: Words, pile: Pile, policy: Policy, rng: random.Random
) -> Words | None:
    choice = options(catalogue, live, pile.draw(2), pile, rng)
    if not choice.masks and pile.left:
        choice = options(catalogue, live, pile.draw(1), pile, rng)
    if not choice.masks:
        return None
    drawn: Words = choice.after(np.array([policy(choice)]))[0]
    return drawn


def start_masks(catalogue: Catalogue, start: Tile, marked: int) -> tuple[int, ...]:
    """Return the placements of a start tile that cover the marked square (a mask, 0 for none)."""
    masks = catalogue.grid.placements(start.shape)
    return tuple(mask for mask in masks if mask & marked == marked)
