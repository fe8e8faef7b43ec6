"""The exact expected empties of a position with few squares or few cards left.

Every pair of cards that may come is weighed by its probability and answered by the best draw;
where neither fits, every card of a second chance is. Tiles that fit nowhere any more never fit
again, so they are one kind. Positions met twice are looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.grid import Grid

Cards: TypeAlias = tuple[tuple[Tile, int], ...]
"""Tiles that may still come and still fit, with copies, in a fixed order."""


class TooDeep(Exception):
    """There are more positions than the meter grants."""


@dataclass(eq=False)
class Endgame:
    """Expected empties under best play of one grid by itself.

    Parameters
    ----------
    grid : Grid
        The grid.
    meter : Meter
        Spent on at one unit a position; `TooDeep` is raised when it stops.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> single, domino, bar = (Tile.of([(0, c) for c in range(n)], f"I{n}") for n in (1, 2, 3))
    >>> endgame = Endgame(Grid(1, 2), Meter(budget=Budget()))
    >>> endgame.expected(0, {single: 1, domino: 1, bar: 1})
    0.333333...
    """

    grid: Grid
    meter: Meter
    _known: dict[tuple[int, Cards, int], float] = field(default_factory=dict)
    _places: dict[tuple[int, Tile], tuple[int, ...]] = field(default_factory=dict)

    def expected(self, filled: int, remaining: Mapping[Tile, int]) -> float:
        """Return the expected empties at the beginning of a round.

        Raises
        ------
        TooDeep
            If the meter stopped.
        """
        empty = self.grid.everything & ~filled
        return self._round(*self._reduced(empty, tuple(remaining.items()), 0))

    def after_chance(self, filled: int, remaining: Mapping[Tile, int]) -> float:
        """Return the expected empties of a player whose second chance comes next."""
        empty = self.grid.everything & ~filled
        return self._chance(*self._reduced(empty, tuple(remaining.items()), 0))

    def _reduced(self, empty: int, cards: Cards, dead: int) -> tuple[int, Cards, int]:
        """Return the position with the tiles that fit nowhere made one kind."""
        live = tuple((tile, n) for tile, n in cards if n and self.places(empty, tile))
        return empty, live, dead + sum(n for _, n in cards) - sum(n for _, n in live)

    def _round(self, empty: int, cards: Cards, dead: int) -> float:
        total = dead + sum(copies for _, copies in cards)
        if total < 2 or not cards:
            return float(empty.bit_count())
        key = (empty, cards, dead)
        known = self._known.get(key)
        if known is None:
            if not self.meter.spend(1):
                raise TooDeep
            pairs = total * (total - 1) // 2
            weighed = self._pairs(empty, cards, dead)
            known = sum(weight * value for weight, value in weighed) / pairs
            self._known[key] = known
        return known

    def _pairs(self, empty: int, cards: Cards, dead: int) -> Iterator[tuple[int, float]]:
        if dead >= 2:
            yield dead * (dead - 1) // 2, self._chance(empty, cards, dead - 2)
        for index, (tile, copies) in enumerate(cards):
            once = _without(cards, tile)
            if dead:
                yield copies * dead, self._best(empty, (tile,), once, dead - 1)
            if copies >= 2:
                pair = copies * (copies - 1) // 2
                yield pair, self._best(empty, (tile,), _without(once, tile), dead)
            for other, others in cards[index + 1 :]:
                rest = _without(once, other)
                yield copies * others, self._best(empty, (tile, other), rest, dead)

    def _chance(self, empty: int, cards: Cards, dead: int) -> float:
        """Return the expected empties where one card comes that is drawn if it fits."""
        squares = float(empty.bit_count())
        total = dead + sum(copies for _, copies in cards)
        if not total:
            return squares
        saved = sum(
            copies * self._best(empty, (tile,), _without(cards, tile), dead)
            for tile, copies in cards
        )
        return (saved + dead * squares) / total

    def _best(self, empty: int, tiles: tuple[Tile, ...], cards: Cards, dead: int) -> float:
        return min(
            self._round(*self._reduced(empty & ~mask, cards, dead))
            for tile in tiles
            for mask in self.places(empty, tile)
        )

    def places(self, empty: int, tile: Tile) -> tuple[int, ...]:
        """Return where a tile fits into the empty squares."""
        found = self._places.get((empty, tile))
        if found is None:
            every = self.grid.placements(tile.shape)
            found = tuple(mask for mask in every if not mask & ~empty)
            self._places[empty, tile] = found
        return found


def _without(cards: Cards, tile: Tile) -> Cards:
    """Return the cards less one copy of a tile."""
    return tuple((each, n - (each == tile)) for each, n in cards)
