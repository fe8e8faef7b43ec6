"""The exact expectation of the final penalty, near the end of the game, where the tree is small.

Every number of the die has the chance 1/6. Values are kept as whole numbers, multiplied by 6 for
every piece that is left, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.packing import kinds
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.sheets import BLUE, DIE

LARGEST = 60_000
"""Bound on the positions of a tree that is tried."""

Key: TypeAlias = tuple[int, int]
"""Filled cells and pieces left."""


def small(now: Position) -> bool:
    """Return whether the tree from here is small enough to be worth trying.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> small(Position.start(shipped("synthetic-a")))
    False
    """
    size = 1
    for piece in bits(now.available):
        size *= 1 + sum(not mask & now.filled for mask in now.edition.placements[piece])
        if size > LARGEST:
            return False
    return True


@dataclass
class Endgame:
    """A memory of exact values.

    Parameters
    ----------
    now : Position
        Where the values are asked for.
    rolls : tuple of int
        Rolls known to come after the one that is being played.
    rolled_too : bool
        Whether a piece of the roll may be crossed out (FM5).
    meter : Meter
        One unit a position; once it stops, values mean nothing.
    """

    now: Position
    rolls: tuple[int, ...]
    rolled_too: bool
    meter: Meter
    values: dict[Key, int] = field(default_factory=dict)

    def value(self, decision: Lay) -> Fraction:
        """Return the expected final penalty after a placement, or a crossing out (mask 0)."""
        piece, mask = decision
        filled, left = self.now.filled | mask, self.now.available & ~(1 << piece)
        return Fraction(self.scaled(filled, left), _sixes(left))

    def scaled(self, filled: int, left: int) -> int:
        """Return the expected final penalty times 6 for each piece left."""
        key = filled, left
        known = self.values.get(key)
        if known is not None:
            return known
        if not self.meter.spend(1):
            return 0
        position = Position(self.now.edition, filled, left)
        lays = list(position.lays(left))
        if not lays:
            value = position.penalty * _sixes(left)
        else:
            least = self.floor(filled, left) * _sixes(left) // 6
            value = self.rolled(position, lays, least)
        self.values[key] = value
        return value

    def rolled(self, position: Position, lays: list[Lay], least: int) -> int:
        """Return the sum over the six rolls, six times one if the next roll is known."""
        done = self.now.available.bit_count() - position.available.bit_count() - 1
        if done < len(self.rolls):
            return 6 * self.played(position, lays, self.rolls[done], least)
        known: dict[tuple[int, int], int] = {}
        total = 0
        for roll in DIE:
            drawable = position.drawable(roll)
            crossable = position.crossable(roll, rolled_too=self.rolled_too)
            if (drawable, crossable) not in known:
                known[drawable, crossable] = self.played(position, lays, roll, least)
            total += known[drawable, crossable]
        return total

    def played(self, position: Position, lays: list[Lay], roll: int, least: int) -> int:
        """Return the best value for one roll; `least` is a value that none undercuts."""
        best: int | None = None
        for filled, left in self.children(position, lays, roll):
            value = self.scaled(filled, left)
            if best is None or value < best:
                best = value
                if best <= least:
                    break
        return best or 0

    def children(self, position: Position, lays: list[Lay], roll: int) -> Iterator[Key]:
        """Yield the positions that a roll allows, draws first."""
        filled, left = position.filled, position.available
        drawable = position.drawable(roll)
        for piece, mask in lays:
            if drawable >> piece & 1:
                yield filled | mask, left & ~(1 << piece)
        for piece in bits(position.crossable(roll, rolled_too=self.rolled_too)):
            yield filled, left & ~(1 << piece)

    def floor(self, filled: int, left: int) -> int:
        """Return a penalty that no play undercuts, from counting cells of each kind."""
        edition = self.now.edition
        empty = edition.everything & ~filled
        plain = (empty & edition.hexagons).bit_count()
        ringed = empty.bit_count() - plain
        for piece in bits(left):
            own, round_ = kinds(edition, piece)
            plain -= own
            ringed -= round_
        cost = max(0, plain) + BLUE * max(0, ringed)
        return cost + (cost > 0)


def _sixes(left: int) -> int:
    return int(6 ** left.bit_count())
