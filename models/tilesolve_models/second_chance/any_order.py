"""Fewest empties when the cards may come in any order: a packing with few enough tiles.

In every round one card is drawn and one goes, so of `n` cards at most ``n // 2`` are drawn, and
any that many can be. What remains is to choose and place them. A first-open-cell search tries
to leave 0, 1, 2, ... squares empty; where it has tried everything, it has proved the bound too.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.grid import Grid


@dataclass(frozen=True)
class Packing:
    """Which tiles may be drawn where, in any order.

    Parameters
    ----------
    grid : Grid
        The grid.
    filled : int
        Squares filled already.
    first : tuple of (Tile, int)
        Placements of which exactly one is drawn first; empty where nothing is due first.
    copies : mapping of Tile to int
        Cards that may come later.
    draws : int
        How many of those can be drawn at most.
    """

    grid: Grid
    filled: int
    first: tuple[tuple[Tile, int], ...]
    copies: Mapping[Tile, int]
    draws: int

    @property
    def empty(self) -> int:
        """The mask of empty squares."""
        return self.grid.everything & ~self.filled

    def left_by(self, drawn: Sequence[tuple[Tile, int]]) -> int:
        """Return how many squares these placements leave empty."""
        return self.empty.bit_count() - sum(mask.bit_count() for _, mask in drawn)

    def fitting(self) -> dict[Tile, int]:
        """Return the cards that fit at all, with copies."""
        return {
            tile: n
            for tile, n in self.copies.items()
            if n and any(not mask & self.filled for mask in self.grid.placements(tile.shape))
        }

    def bound(self) -> int:
        """Return empties that nothing can go below: areas added up, and pockets one by one."""
        return max(self._area_bound(), self._pocket_bound())

    def _area_bound(self) -> int:
        squares = self.empty.bit_count()
        limit = (2 << squares) - 1
        sums = [1] + [0] * self.draws
        for tile, copies in self.fitting().items():
            for _ in range(min(copies, self.draws)):
                for drawn in range(self.draws, 0, -1):
                    sums[drawn] |= sums[drawn - 1] << tile.size & limit
        reached = 0
        for drawn in sums:
            reached |= drawn
        if self.first:
            sizes = {tile.size for tile, _ in self.first}
            shifted = 0
            for size in sizes:
                shifted |= reached << size & limit
            reached = shifted
        return squares - (reached.bit_length() - 1)

    def _pocket_bound(self) -> int:
        cards = dict(self.fitting())
        for tile in {tile for tile, _ in self.first}:
            cards[tile] = cards.get(tile, 0) + 1
        return sum(self._lost(pocket, cards) for pocket in self.grid.pockets(self.filled))

    def _lost(self, pocket: int, cards: Mapping[Tile, int]) -> int:
        """Return the squares of a pocket that no choice of cards can fill, by area."""
        size = pocket.bit_count()
        sums = 1
        for tile, copies in cards.items():
            if any(not mask & ~pocket for mask in self.grid.placements(tile.shape)):
                for _ in range(min(copies, size // tile.size)):
                    sums |= sums << tile.size & ((2 << size) - 1)
        return size - (sums.bit_length() - 1)


@dataclass(eq=False)
class Search:
    """The search of one packing that leaves at most some squares empty."""

    packing: Packing
    meter: Meter
    seed: int
    _at: list[list[tuple[int, int]]] = field(default_factory=list)
    _tiles: list[Tile] = field(default_factory=list)
    _copies: list[int] = field(default_factory=list)
    _most: list[int] = field(default_factory=list)
    _drawn: list[tuple[int, int]] = field(default_factory=list)

    def run(self, spare: int) -> tuple[bool, tuple[tuple[Tile, int], ...] | None]:
        """Look for placements that leave at most `spare` squares empty.

        Returns
        -------
        exhausted : bool
            Whether everything was tried, or something found.
        found : tuple of (Tile, int) or None
            Tiles and squares, the one that is due first in front.
        """
        self._prepare()
        found = self._go(self.packing.empty, self.packing.draws, spare, not self.packing.first)
        if not found:
            return self.meter.stopped_by is None, None
        first = [pair for pair in self._drawn if pair[0] < 0]
        later = [pair for pair in self._drawn if pair[0] >= 0]
        return True, tuple((self._tile(tile), mask) for tile, mask in first + later)

    def _tile(self, number: int) -> Tile:
        return self._tiles[number] if number >= 0 else self.packing.first[-1 - number][0]

    def _prepare(self) -> None:
        """List the placements by their first square, large tiles first, shuffled by the seed."""
        packing = self.packing
        rng = random.Random(self.seed)
        copies = packing.fitting()
        self._tiles = sorted(copies, key=lambda tile: (-tile.size, rng.random()))
        self._copies = [copies[tile] for tile in self._tiles]
        sizes = sorted((tile.size for tile, n in copies.items() for _ in range(n)), reverse=True)
        self._most = [sum(sizes[:draws]) for draws in range(packing.draws + 1)]
        self._at = [[] for _ in range(packing.grid.rows * packing.grid.columns)]
        for number, (_, mask) in enumerate(packing.first):
            self._at[(mask & -mask).bit_length() - 1].append((-1 - number, mask))
        for number, tile in enumerate(self._tiles):
            masks = [m for m in packing.grid.placements(tile.shape) if not m & packing.filled]
            rng.shuffle(masks)
            for mask in masks:
                self._at[(mask & -mask).bit_length() - 1].append((number, mask))

    def _go(self, empty: int, draws: int, spare: int, begun: bool) -> bool:
        area = empty.bit_count()
        if begun and area <= spare:
            return True
        if not empty or not self.meter.spend(1):
            return False
        largest = 0 if begun else max(tile.size for tile, _ in self.packing.first)
        if area - spare > self._most[draws] + largest:
            return False
        square = empty & -empty
        for number, mask in self._at[square.bit_length() - 1]:
            if mask & ~empty or not self._may(number, draws, begun):
                continue
            self._draw(number, mask, -1)
            if self._go(empty & ~mask, draws - (number >= 0), spare, begun or number < 0):
                return True
            self._draw(number, mask, 1)
            if self.meter.stopped_by:
                return False
        return spare > 0 and self._go(empty & ~square, draws, spare - 1, begun)

    def _may(self, number: int, draws: int, begun: bool) -> bool:
        return not begun if number < 0 else draws > 0 and self._copies[number] > 0

    def _draw(self, number: int, mask: int, change: int) -> None:
        if number >= 0:
            self._copies[number] += change
        if change < 0:
            self._drawn.append((number, mask))
        else:
            self._drawn.pop()


@dataclass(frozen=True)
class Packed:
    """The best packing found, and what is proven.

    Parameters
    ----------
    drawn : tuple of (Tile, int)
        At least what is drawn first.
    empties : int
        Squares it leaves.
    bound : int
        Proven lower bound.
    bound_by : str
        What it rests on.
    """

    drawn: tuple[tuple[Tile, int], ...]
    empties: int
    bound: int
    bound_by: str


STAGES: tuple[tuple[int | None, float], ...] = ((2_000, 0.25), (200_000, 0.5), (None, 1))
"""Nodes of one try and the share of what is left of the budget, stage by stage. Before the last
one, which tries everything, CP-SAT is asked for a bound."""


def pack(packing: Packing, meter: Meter) -> Packed:
    """Return a packing that leaves few squares empty, with a bound.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> domino = Tile.of([(0, 0), (0, 1)], "I2")
    >>> found = pack(Packing(Grid(3, 3), 0, (), {domino: 10}, 5), Meter(budget=Budget()))
    >>> found.empties, found.bound, found.bound_by
    (1, 1, 'areas and pockets')
    """
    bound, bound_by = packing.bound(), "areas and pockets"
    best: tuple[tuple[Tile, int], ...] = packing.first[:1]
    empties = packing.left_by(best)
    for glance, share in STAGES:
        if glance is None and empties > bound:
            part = meter.part(seconds=meter.share(0.5))
            bound, bound_by = max((bound, bound_by), cpsat_bound(packing, part, bound))
            meter.spend(part.worked)
        stage = meter.part(seconds=meter.share(share), work=_share(meter.remaining_work, share))
        spare, tries = bound, 0
        while spare < empties and stage.spend():
            part = stage.part(work=glance)
            exhausted, found = Search(packing, part, meter.budget.seed + tries).run(spare)
            stage.spend(part.worked)
            if found is not None:
                best, empties = found, packing.left_by(found)
                break
            if exhausted and spare == bound:
                bound, bound_by = spare + 1, "an exhaustive search"
            tries += 1
            if exhausted or tries % TRIES == 0:
                spare += 1
        if empties <= bound or not meter.spend(stage.worked):
            break
    return Packed(best, empties, bound, bound_by)


def _share(work: int | None, share: float) -> int | None:
    return None if work is None else int(work * share)


TRIES = 3
"""Searches with differently shuffled placements before one more empty square is allowed."""


def cpsat_bound(packing: Packing, meter: Meter, bound: int) -> tuple[int, str]:
    """Return a bound by CP-SAT, which leaves the number of draws out of account."""
    from tilesolve.placement.cpsat.optimisation import optimise
    from tilesolve.placement.objective import Objective
    from tilesolve.placement.problem import Kind, Option, Problem

    cells = packing.grid.cells(packing.empty)
    place = {bit: index for index, bit in enumerate(bits(packing.empty))}
    copies = packing.fitting()
    for tile in {tile for tile, _ in packing.first}:
        copies[tile] = copies.get(tile, 0) + 1
    options = []
    for kind, tile in enumerate(copies):
        for mask in packing.grid.placements(tile.shape):
            if not mask & packing.filled:
                options.append(Option(kind, sum(1 << place[bit] for bit in bits(mask))))
    problem = Problem(
        tuple(f"{row},{column}" for row, column in cells),
        tuple(Kind(tile.name, 0, n) for tile, n in copies.items()),
        tuple(options),
        False,
    )
    found = optimise(problem, Objective(open_penalty=(1,) * len(cells)), meter=meter)
    if found.bound is None:
        return bound, "areas and pockets"
    return found.bound, _ADDED_UP.get(found.bound_by, "CP-SAT")


_ADDED_UP = {"area": "areas and pockets", "weights": "weights of squares added up"}
"""What bounds rest on that anyone can add up, though CP-SAT was asked."""


def dealt(drawn: Sequence[Tile], copies: Mapping[Tile, int]) -> tuple[Tile, ...]:
    """Return an order of all cards that deals one of `drawn` in each round, another beside it.

    Examples
    --------
    >>> one, two = Tile.of([(0, 0)], "I1"), Tile.of([(0, 0), (0, 1)], "I2")
    >>> [tile.name for tile in dealt([two, two], {one: 3, two: 2})]
    ['I2', 'I1', 'I2', 'I1', 'I1']
    """
    others = [tile for tile, n in copies.items() for _ in range(n - drawn.count(tile))]
    pairs = [card for pair in zip(drawn, others, strict=False) for card in pair]
    return tuple(pairs + others[len(drawn) :])
