"""Many grids played to their ends at once by the learned policy.

A simulation plays the same few hundred games over and over, each a dozen decisions of a few
hundred placements. Done one by one the calls into numpy cost more than the work in them; so all
games draw their cards in step, and each operation runs over the options of all games together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesolve_models.second_chance.catalogue import SQUARES, Catalogue, Numbers, Words
from tilesolve_models.second_chance.policy import NARROW, shortest
from tilesolve_models.second_chance.worth import Reals, describe, learned

BLOCK = 20
"""Games that are played together: their rows stay in the processor's cache, and their matrix
products below the size at which numpy's library would start threads for them."""


@dataclass(eq=False)
class Tables:
    """Games in step.

    Parameters
    ----------
    live : array of uint64, shape (games, words)
        What is live in each game.
    cards : array of int, shape (games, cards)
        The cards to come in each game, the next first, all of the same number.
    next : array of int, shape (games,)
        How many cards each game has used.
    remaining : array of int, shape (games, tiles)
        Copies of each tile still to come.
    """

    live: Words
    cards: Numbers
    next: Numbers
    remaining: Numbers

    @classmethod
    def of(cls, live: Words, cards: Sequence[Sequence[int]], tiles: int) -> Tables:
        """Return games that start from these live slots with these cards to come."""
        order = np.array(cards, dtype=np.int64).reshape(len(live), -1)
        remaining = np.zeros((len(live), tiles), dtype=np.int64)
        np.add.at(remaining, (np.arange(len(live))[:, None], order), 1)
        return cls(live.copy(), order, np.zeros(len(live), dtype=np.int64), remaining)

    def block(self, first: int) -> Tables:
        """Return `BLOCK` games from the first on, by themselves."""
        own = slice(first, first + BLOCK)
        return Tables(self.live[own], self.cards[own], self.next[own], self.remaining[own])

    def draw(self, games: Numbers) -> Numbers:
        """Turn up the next card of some games."""
        cards: Numbers = self.cards[games, self.next[games]]
        self.next[games] += 1
        self.remaining[games, cards] -= 1
        return cards

    def left(self, games: Numbers) -> Numbers:
        """Return how many cards these games have left."""
        left: Numbers = self.cards.shape[1] - self.next[games]
        return left


def finish(
    catalogue: Catalogue, tables: Tables, *, waiting: bool = False, rounds: int | None = None
) -> Reals:
    """Play all games on; return the empty squares that each ends with.

    Parameters
    ----------
    tables : Tables
        The games; they are changed.
    waiting : bool
        Begin them with a second chance instead of a round.
    rounds : int or None
        Play so many rounds at most; a game that goes on then counts as the learned worth
        expects it to end. None plays all to their ends.
    """
    starts = range(0, len(tables.live), BLOCK)
    return np.concatenate(
        [_finish_block(catalogue, tables.block(start), waiting, rounds) for start in starts]
    )


def _finish_block(catalogue: Catalogue, tables: Tables, waiting: bool, rounds: int | None) -> Reals:
    playing = np.arange(len(tables.live))
    if waiting:
        playing = _second_chances(catalogue, tables, playing)
    played = 0
    while rounds is None or played < rounds:
        playing = playing[tables.left(playing) >= 2]
        if not len(playing):
            break
        turned_up = np.sort(np.column_stack((tables.draw(playing), tables.draw(playing))), axis=1)
        drew = _draw_best(catalogue, tables, playing, turned_up)
        saved = _second_chances(catalogue, tables, playing[~drew])
        playing = np.sort(np.concatenate((playing[drew], saved)))
        played += 1
    counts = catalogue.counts(tables.live)
    empties: Reals = counts[:, SQUARES].astype(np.float32)
    playing = playing[tables.left(playing) >= 2]
    if len(playing):
        figures = describe(catalogue, counts[playing], tables.remaining[playing])
        empties[playing] = np.clip(learned().empties(figures), 0, empties[playing])
    return empties


def _second_chances(catalogue: Catalogue, tables: Tables, games: Numbers) -> Numbers:
    """Give games a second chance each; return those that play on."""
    games = games[tables.left(games) >= 1]
    return games[_draw_best(catalogue, tables, games, tables.draw(games)[:, None])]


def _draw_best(
    catalogue: Catalogue, tables: Tables, games: Numbers, cards: Numbers
) -> NDArray[np.bool_]:
    """Draw the best placement of the cards in each game; return which games could."""
    drew = np.zeros(len(games), dtype=bool)
    if not len(games):
        return drew
    places, kinds, slots = placements(catalogue, tables.live[games], cards)
    if not len(slots):
        return drew
    narrow = tables.live[games, : catalogue.edge_words]
    edges = catalogue.open_edges(narrow[places], slots)
    close = shortest(places * cards.shape[1] + kinds, edges, NARROW)
    places, slots = places[close], slots[close]
    rows = catalogue.after(tables.live[games[places]], slots)
    counts, remaining = catalogue.counts(rows), tables.remaining[games[places]]
    empties = learned().empties(describe(catalogue, counts, remaining))
    best = shortest(places, empties, 1)
    chosen = places[best]
    tables.live[games[chosen]] = rows[best]
    drew[chosen] = True
    return drew


def placements(
    catalogue: Catalogue, live: Words, cards: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Return all placements of some cards in some positions.

    Parameters
    ----------
    live : array of uint64, shape (positions, words)
        The positions.
    cards : array of int, shape (positions, cards)
        The tiles to place in each.

    Returns
    -------
    places, kinds, slots : array of int
        The position, which of its cards, and the slot; of two equal cards both are placed.
    """
    words = catalogue.segments[cards]
    inside = words >= 0
    taken = live[np.arange(len(live))[:, None, None], np.where(inside, words, 0)]
    taken = np.where(inside, taken, np.uint64(0))
    bits = np.unpackbits(
        np.ascontiguousarray(taken).view(np.uint8).reshape(*taken.shape, 8),
        axis=3,
        bitorder="little",
    )
    places, kinds, word, bit = np.nonzero(bits.reshape(*taken.shape, 64))
    return places, kinds, words[places, kinds, word] * 64 + bit
