"""Which pieces still go where together: a search through the packings of a position.

It decides cell by cell, the cell with the fewest choices first: a piece on it, or it stays
empty. What stays empty costs its penalty and its region (FM7), and a branch ends as soon as it
must cost as much as the ceiling. The search is exhaustive without a limit, and a good sampler
of packings in random order and short dives.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve.placement.connect import beside, components
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.sheets import BLUE, Edition, circles

Branch: TypeAlias = tuple[int, int, int, int]
"""``(alive options as bits, undecided cells, cells left empty, their penalty)``."""


GLANCE = 128
"""Nodes between two looks at the meter."""


@dataclass(frozen=True)
class Packing:
    """Disjoint placements, the cells they leave empty, and the penalty of those."""

    lays: tuple[Lay, ...]
    empty: int
    penalty: int


@dataclass
class Packer:
    """A search for the packings of a position, cheapest branches first.

    Parameters
    ----------
    now : Position
        The position; FM3 and the rolls are not looked at.
    ceiling : int
        Only packings with a smaller penalty are found; lower it while searching.
    chance : random.Random or None
        Shuffles the branches; None keeps a fixed order.
    nodes : int
        Nodes searched so far.
    limit : int or None
        Nodes at which the search gives up; it was exhaustive if it did not.
    meter : Meter or None
        Looked at and spent on every `GLANCE` nodes; the search gives up when it stops.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> packer = Packer(Position.start(shipped("synthetic-a")), ceiling=7)
    >>> packing = next(packer.packings())
    >>> packer.floor(), len(packing.lays), packing.empty.bit_count()
    (4, 12, 3)
    """

    now: Position
    ceiling: int
    chance: random.Random | None = None
    limit: int | None = None
    meter: Meter | None = None
    nodes: int = 0
    lays: list[Lay] = field(init=False)
    _at: list[int] = field(init=False)
    _of: dict[int, int] = field(init=False)
    _kinds: dict[int, tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        now, edition = self.now, self.now.edition
        filled = now.filled
        self.lays = [
            (piece, mask)
            for piece in bits(now.available)
            for mask in edition.placements[piece]
            if not mask & filled
        ]
        self._at = [0] * len(edition.cells)
        self._of = dict.fromkeys(bits(now.available), 0)
        for option, (piece, mask) in enumerate(self.lays):
            bit = 1 << option
            self._of[piece] |= bit
            for cell in bits(mask):
                self._at[cell] |= bit
        self._kinds = {piece: kinds(edition, piece) for piece in self._of}

    @property
    def root(self) -> Branch:
        """The branch in which nothing is decided."""
        return (1 << len(self.lays)) - 1, self.now.empty, 0, 0

    def below(self, lay: Lay) -> Branch:
        """Return the branch in which a placement is chosen; its packings leave it out."""
        return self.root[0] & ~self._clash(lay), self.now.empty & ~lay[1], 0, 0

    def floor(self, prefill: int = 0) -> int:
        """Return a penalty that no packing undercuts, from counting cells of each kind.

        `prefill` hexagons may be filled by something else.
        """
        alive, undecided, _, _ = self.root
        hexagons, ringed = self._surplus(alive, undecided)
        cost = _least_cost(hexagons - prefill, ringed)
        return cost + (cost > 0)

    def packings(self, branch: Branch | None = None) -> Iterator[Packing]:
        """Yield the packings below the ceiling, each once."""
        chosen: list[int] = []
        yield from self._below(self.root if branch is None else branch, chosen)

    @property
    def gave_up(self) -> bool:
        """Whether the limit was reached."""
        return self.limit is not None and self.nodes >= self.limit

    def _below(self, branch: Branch, chosen: list[int]) -> Iterator[Packing]:
        if self.gave_up:
            return
        self.nodes += 1
        if self.meter and self.nodes % GLANCE == 0 and not self.meter.spend(GLANCE):
            self.limit = self.nodes
        narrowest = self._narrowest(branch)
        if narrowest is None:
            return
        live, cell, (alive, undecided, empty, cost) = narrowest
        if not undecided:
            yield self._packing(chosen, empty, cost)
            return
        for option in self._ordered(live):
            chosen.append(option)
            lay = self.lays[option]
            rest = undecided & ~lay[1]
            yield from self._below((alive & ~self._clash(lay), rest, empty, cost), chosen)
            chosen.pop()
        if cell is None:
            return
        bit = 1 << cell
        penalty = self.now.edition.penalties[cell]
        yield from self._below(
            (alive & ~live, undecided & ~bit, empty | bit, cost + penalty), chosen
        )

    def _clash(self, lay: Lay) -> int:
        """Return the options that a placement rules out, itself included."""
        piece, mask = lay
        clash = self._of[piece]
        for cell in bits(mask):
            clash |= self._at[cell]
        return clash

    def _narrowest(self, branch: Branch) -> tuple[int, int | None, Branch] | None:
        """Return what has the fewest choices: a cell, or a piece (None) that must be drawn.

        None if the branch costs too much.
        """
        alive, undecided, empty, cost = branch
        at, penalties = self._at, self.now.edition.penalties
        fewest, best_live = 1 << 30, 0
        best_cell: int | None = None
        rest = undecided
        while rest:
            low = rest & -rest
            rest ^= low
            cell = low.bit_length() - 1
            live = alive & at[cell]
            if not live:
                undecided ^= low
                empty |= low
                cost += penalties[cell]
                continue
            ways = live.bit_count()
            if ways < fewest:
                fewest, best_live, best_cell = ways, live, cell
        plain, ringed = self._surplus(alive, undecided)
        regions = self._least_regions(empty, undecided)
        least = cost + _least_cost(plain, ringed)
        if least and least + regions >= self.ceiling:
            return None
        for piece, (hexagons, round_) in self._kinds.items():
            live = alive & self._of[piece]
            if live and live.bit_count() < fewest:
                without = cost + _least_cost(plain + hexagons, ringed + round_)
                if without + regions >= self.ceiling:
                    fewest, best_live, best_cell = live.bit_count(), live, None
        return best_live, best_cell, (alive, undecided, empty, cost)

    def _surplus(self, alive: int, undecided: int) -> tuple[int, int]:
        """Return how many hexagons and circles there are more than the pieces have."""
        hexagons = (undecided & self.now.edition.hexagons).bit_count()
        ringed = undecided.bit_count() - hexagons
        of = self._of
        for piece, (plain, round_) in self._kinds.items():
            if alive & of[piece]:
                hexagons -= plain
                ringed -= round_
        return hexagons, ringed

    def _least_regions(self, empty: int, undecided: int) -> int:
        if not empty & (empty - 1):
            return 1
        near = self.now.edition.near
        parts = components(empty, near)
        closed = sum(not beside(part, near) & undecided for part in parts)
        return closed + (closed < len(parts)) or 1

    def _packing(self, chosen: list[int], empty: int, cost: int) -> Packing:
        regions = len(components(empty, self.now.edition.near))
        return Packing(tuple(self.lays[option] for option in chosen), empty, cost + regions)

    def _ordered(self, live: int) -> list[int]:
        options = list(bits(live))
        if self.chance is not None:
            self.chance.shuffle(options)
        return options


def kinds(edition: Edition, piece: int) -> tuple[int, int]:
    """Return how many hexagons and circles a piece has."""
    found = edition.pieces[piece]
    return found.size - circles(found), circles(found)


def _least_cost(hexagons: int, ringed: int) -> int:
    """Return what so many hexagons and circles too many must cost."""
    return max(0, hexagons) + BLUE * max(0, ringed)
