"""The expected successes of a turn from the numbers of orders in which unknown cards fit.

Remembered cards that hang together lie down all at once, as soon as an unknown card beside them
does; so the unknown cards beside one such group are neighbours of each other. With N(k) for the
unknown cards (see `growth`), and u of them, k fit and then one fails in

    (u - k) N(k) - N(k + 1)

of the u (u - 1) ... (u - k) equally likely orders. Which groups have followed by then is found
by inclusion and exclusion over the groups that have not: their neighbours B are left out, and a
card of B may be the one that fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import combinations
from math import perm

from tilesolve.budget import Meter
from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle.chances import Knowledge, Weights
from tilesolve_models.new_year_puzzle.growth import WIDEST, Ground, sequences
from tilesolve_models.picture_grid import Grid, cards_of, grid_of

MOST_GROUPS = 10
"""Groups of remembered cards, when prizes may end the turn: then every choice of them counts."""


def counted(knowledge: Knowledge, weights: Weights, *, meter: Meter, most: int) -> Fraction | None:
    """Return the expected number of successes; None when it is too much to count.

    Parameters
    ----------
    knowledge : Knowledge
        What lies and what is remembered.
    weights : Weights
        What a success is worth.
    meter : Meter
        One unit for each set met and each card that may fail in it.
    most : int
        Joined sets of cards that may be held.
    """
    turn = Turn.of(knowledge)
    if len(turn.ground.near) > WIDEST:
        return None
    if not weights.alike and len(turn.groups) > MOST_GROUPS:
        return None
    wanted = list(
        dict.fromkeys(mask for avoided in turn.choices(weights) for mask in turn.sets(avoided))
    )
    numbers = _kept_numbers(knowledge, turn.ground)
    if numbers is None:
        found = sequences(turn.ground, wanted, meter=meter, most=most)
        if found is None:
            return None
        numbers = dict(zip(wanted, found, strict=True))
    return turn.expected(weights, numbers)


@dataclass(frozen=True)
class _Group:
    """Remembered cards that hang together: how many, and the unknown cards beside them."""

    size: int
    beside: int


@dataclass(frozen=True)
class Turn:
    """A turn once what fits for certain has been laid.

    Parameters
    ----------
    laid : int
        Successes so far.
    ground : Ground
        The unknown cards; those beside one group of remembered cards are neighbours.
    groups : tuple of _Group
        Remembered cards that may still follow.
    """

    laid: int
    ground: Ground
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, knowledge: Knowledge) -> Turn:
        """Return the turn that begins with this knowledge."""
        grid, lying = knowledge.grid, knowledge.chain(knowledge.open)
        cards = list(cards_of(knowledge.unknown))
        place = {card: number for number, card in enumerate(cards)}

        def numbered(mask: int) -> int:
            return sum(1 << place[card] for card in cards_of(mask & knowledge.unknown))

        clusters = grid.groups(knowledge.known & ~lying)
        groups = tuple(
            _Group(cluster.bit_count(), numbered(grid.beside(cluster))) for cluster in clusters
        )
        near = [numbered(grid.neighbours[card]) for card in cards]
        for group in groups:
            for number in cards_of(group.beside):
                near[number] |= group.beside & ~(1 << number)
        failing = numbered(knowledge.unknown & ~grid.beside(lying))
        ground = Ground(tuple(near), failing)
        kept = tuple(_kept(ground, symmetry) for symmetry in _symmetries(grid, place))
        symmetries = tuple(each for each in kept if each)
        laid = (lying & ~knowledge.open).bit_count()
        return cls(laid, Ground(tuple(near), failing, symmetries), groups)

    def choices(self, weights: Weights) -> Iterator[tuple[_Group, ...]]:
        """Yield the groups that may be left out together and matter together."""
        most = 1 if weights.alike else len(self.groups)
        for count in range(most + 1):
            yield from combinations(self.groups, count)

    def sets(self, avoided: tuple[_Group, ...]) -> list[int]:
        """Return the sets whose sequences are wanted: all but B, and without what fails in B."""
        beside = _union(avoided)
        rest, ground = self.ground.cards & ~beside, self.ground
        return [rest, *(rest & ~ground.near[card] for card in cards_of(beside & ground.failing))]

    def expected(self, weights: Weights, numbers: dict[int, list[int]]) -> Fraction:
        """Return the expected worth of the turn."""
        unknown = len(self.ground.near)
        following = sum(group.size for group in self.groups)
        complete = Fraction(numbers[self.ground.cards][unknown], perm(unknown))
        total = complete * weights.between(0, self.laid + unknown + following)
        for avoided in self.choices(weights):
            rest, *without = (numbers[mask] for mask in self.sets(avoided))
            cards, signs = len(rest) - 1, self._signs(avoided)
            for fitted in range(min(unknown - 1, cards) + 1):
                ways = (cards - fitted) * rest[fitted] - _at(rest, fitted + 1)
                ways += sum(_at(each, fitted) for each in without)
                before = self.laid + fitted
                worth = sum(
                    (sign * weights.between(0, before + more) for more, sign in signs.items()),
                    Fraction(0),
                )
                total += Fraction(ways, perm(unknown, fitted + 1)) * worth
        return total

    def _signs(self, avoided: tuple[_Group, ...]) -> dict[int, int]:
        """Return how often each number of remembered cards that follow counts, with its sign.

        Groups that are left out are added and taken away again: what is said of all of them is
        true of each choice of them.
        """
        others = sum(group.size for group in self.groups if group not in avoided)
        signs = {others: 1}
        for group in avoided:
            changed: dict[int, int] = {}
            for more, sign in signs.items():
                changed[more] = changed.get(more, 0) + sign
                changed[more + group.size] = changed.get(more + group.size, 0) - sign
            signs = changed
        return signs


def _union(groups: tuple[_Group, ...]) -> int:
    union = 0
    for group in groups:
        union |= group.beside
    return union


def _at(numbers: list[int], place: int) -> int:
    return numbers[place] if place < len(numbers) else 0


def _symmetries(grid: Grid, place: dict[int, int]) -> Iterator[tuple[int, ...]]:
    """Yield the symmetries of the picture that take unknown cards to unknown cards."""
    rows, columns = grid.rows, grid.columns
    for number in range(1, 8 if rows == columns else 4):
        images = []
        for card in place:
            row, column = grid.cell(card)
            row = rows - 1 - row if number & 1 else row
            column = columns - 1 - column if number & 2 else column
            cell = (column, row) if number & 4 else (row, column)
            images.append(place.get(grid.card(cell), -1))
        if -1 not in images:
            yield tuple(images)


def _kept(ground: Ground, symmetry: tuple[int, ...]) -> tuple[int, ...]:
    """Return the symmetry if it keeps neighbours and what may fail, else nothing."""

    def image(mask: int) -> int:
        return sum(1 << symmetry[card] for card in cards_of(mask))

    same = image(ground.failing) == ground.failing and all(
        image(near) == ground.near[symmetry[card]] for card, near in enumerate(ground.near)
    )
    return symmetry if same else ()


@cache
def published() -> tuple[int, ...]:
    """Return the numbers for the 8 x 8 picture before the first flip, which take minutes."""
    text = resources.files(__package__).joinpath("data/orders.json").read_text("utf-8")
    fields = Node(json.loads(text)).object(required=("numbers",))
    return tuple(int(item.string()) for item in fields["numbers"].items())


def _kept_numbers(knowledge: Knowledge, ground: Ground) -> dict[int, list[int]] | None:
    """Return the numbers of the position that everybody starts from, if this is it."""
    grid = grid_of(8, 8)
    if (knowledge.grid, knowledge.open, knowledge.known) != (grid, grid.corners, 0):
        return None
    return {ground.cards: list(published())}
