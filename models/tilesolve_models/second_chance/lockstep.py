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
from tilesolve_models.second_chance.worth import Reals, Worth, forecast

BLOCK = 80
"""Games that are played together: enough that the calls into numpy cost little beside the work
in them, few enough that their rows stay in the processor's cache."""


@dataclass(eq=False)
class Tables:
    """Games in step.

    Parameters
    ----------
    live : array of uint64, shape (games, words)
        What is live in each game.
    cards : array of int, shape (games, cards)
        The cards of each game in order; those of a game with fewer stand at the end of its row.
    next : array of int, shape (games,)
        Where the next card of each game stands.
    remaining : array of int, shape (games, tiles)
        Copies of each tile still to come.
    """

    live: Words
    cards: Numbers
    next: Numbers
    remaining: Numbers

    @classmethod
    def of(cls, live: Words, orders: Sequence[Sequence[int]], tiles: int) -> Tables:
        """Return games that start from these live slots with these cards to come."""
        most = max(map(len, orders), default=0)
        gone = np.array([most - len(order) for order in orders], dtype=np.int64)
        cards = np.array([[*[0] * (most - len(order)), *order] for order in orders], dtype=np.int64)
        cards = cards.reshape(len(live), most)
        remaining = np.zeros((len(live), tiles), dtype=np.int64)
        np.add.at(remaining, (np.arange(len(live))[:, None], cards), 1)
        remaining[:, 0] -= gone
        return cls(live.copy(), cards, gone, remaining)

    def block(self, first: int) -> Tables:
        """Return `BLOCK` games from the first on, by themselves."""
        own = slice(first, first + BLOCK)
        return Tables(self.live[own], self.cards[own], self.next[own], self.remaining[own])

    @property
    def every(self) -> Numbers:
        """The numbers of all games."""
        return np.arange(len(self.live))

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
    catalogue: Catalogue,
    tables: Tables,
    *,
    waiting: bool = False,
    rounds: int | None = None,
    worth: Worth | None = None,
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
    worth : Worth or None
        What the policy goes by; None is the worth that comes with the game.
    """
    starts = range(0, len(tables.live), BLOCK)
    parts = [_finish_block(catalogue, tables.block(s), waiting, rounds, worth) for s in starts]
    return np.concatenate(parts)


def _finish_block(
    catalogue: Catalogue, tables: Tables, waiting: bool, rounds: int | None, worth: Worth | None
) -> Reals:
    playing = tables.every
    if waiting:
        playing = _second_chances(catalogue, tables, playing, worth)
    played = 0
    while len(playing) and (rounds is None or played < rounds):
        playing = play_round(catalogue, tables, playing, worth)
        played += 1
    counts = catalogue.counts(tables.live)
    empties: Reals = counts[:, SQUARES].astype(np.float32)
    playing = playing[tables.left(playing) >= 2]
    if len(playing):
        expected = forecast(catalogue, counts[playing], tables.remaining[playing], worth)
        empties[playing] = np.clip(expected, 0, empties[playing])
    return empties


def play_round(
    catalogue: Catalogue, tables: Tables, playing: Numbers, worth: Worth | None = None
) -> Numbers:
    """Play a round of some games, second chances included; return those that play on."""
    playing = playing[tables.left(playing) >= 2]
    turned_up = np.sort(np.column_stack((tables.draw(playing), tables.draw(playing))), axis=1)
    drew = _draw_best(catalogue, tables, playing, turned_up, worth)
    saved = _second_chances(catalogue, tables, playing[~drew], worth)
    return np.sort(np.concatenate((playing[drew], saved)))


def _second_chances(
    catalogue: Catalogue, tables: Tables, games: Numbers, worth: Worth | None
) -> Numbers:
    """Give games a second chance each; return those that play on."""
    games = games[tables.left(games) >= 1]
    return games[_draw_best(catalogue, tables, games, tables.draw(games)[:, None], worth)]


def _draw_best(
    catalogue: Catalogue, tables: Tables, games: Numbers, cards: Numbers, worth: Worth | None
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
    best = shortest(places, forecast(catalogue, counts, remaining, worth), 1)
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
