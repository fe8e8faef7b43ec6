"""Every placement of every tile on a grid, as bits that numpy can test by the thousand.

Each placement has a slot, a bit in a row of 64-bit words; the slots of one tile fill whole
words. A position is the row of its *live* slots: those whose squares are all empty. Drawing a
tile keeps the live slots that do not overlap it, one ``&`` of two rows of some hundred words,
and the number of live slots of a tile is the number of ways it still fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.geometry.names import known
from tilesolve.placement.problem import bits
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.grid import Grid

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

PROBES = ("I1", "I2", "I3", "L3", "O4")
"""Small shapes that are always in a catalogue, because their counts describe the empty squares:
I1 counts the squares, I2 the pairs of neighbours, and so the length of all edges."""

SQUARES, PAIRS = 0, 1
"""Where the catalogue has I1 and I2."""

_TABLE_BYTES = 2**26
"""The largest table of what does not overlap that is kept; without it rows are made
from the squares, some five times slower."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """All placements of some tiles on a grid; build it with `catalogue`.

    Parameters
    ----------
    grid : Grid
        The grid.
    tiles : tuple of Tile
        The probes first, then the other tiles, each shape once.
    masks : tuple of int
        Squares of each slot; 0 for the slots that only fill up a word.
    first_words : array of int, shape (tiles,)
        Where each tile's words begin.
    over : array of uint64, shape (squares, words)
        For each square, the slots that cover it.
    apart : array of uint64, shape (slots, words), or None
        For each slot, the slots that do not overlap it, where the table is small enough.
    """

    grid: Grid
    tiles: tuple[Tile, ...]
    masks: tuple[int, ...]
    first_words: Numbers
    over: Words
    apart: Words | None = field(repr=False)
    sizes: Numbers
    edges: Numbers
    everything: Words

    def index(self, tile: Tile) -> int:
        """Return the number of a tile; ValueError if the catalogue lacks it."""
        return self.tiles.index(tile)

    def live(self, filled: int) -> Words:
        """Return the live slots of a grid with these squares filled."""
        live: Words = self.everything & ~self._overlapping(filled)
        return live

    def empty(self, live: Words) -> int:
        """Return the mask of the empty squares: the live slots of the single square."""
        return int.from_bytes(live[: self._segment(SQUARES)[1]].tobytes(), "little")

    def slot_numbers(self, tile: int) -> dict[int, int]:
        """Return the slot of each of a tile's placements, by its squares."""
        start, stop = self._segment(tile)
        slots = range(64 * start, 64 * stop)
        return {self.masks[slot]: slot for slot in slots if self.masks[slot]}

    def slots(self, live: Words, tile: int) -> Numbers:
        """Return the live slots of one tile, ascending."""
        start, stop = self._segment(tile)
        bits = np.unpackbits(live[start:stop].view(np.uint8), bitorder="little")
        return np.flatnonzero(bits) + 64 * start

    def after(self, live: Words, slots: Numbers) -> Words:
        """Return what is live after each of the slots is drawn, shape (slots, words).

        `live` is one position, or one for each slot.
        """
        left = self._apart(slots, len(self.everything))
        return np.bitwise_and(left, live, out=left)

    def open_edges(self, live: Words, slots: Numbers) -> Numbers:
        """Return the length of all edges of the empty squares after each slot is drawn.

        This looks at the first `edge_words` of each row alone, so it is cheap for many slots.
        """
        stop = self.edge_words
        rows = self._apart(slots, stop)
        np.bitwise_and(rows, live[..., :stop], out=rows)
        counts = np.add.reduceat(
            np.bitwise_count(rows), self.first_words[: PAIRS + 1], axis=1, dtype=np.int64
        )
        edges: Numbers = 4 * counts[:, SQUARES] - 2 * counts[:, PAIRS]
        return edges

    def counts(self, rows: Words) -> Numbers:
        """Return in how many ways each tile fits, shape (rows, tiles)."""
        counts: Numbers = np.add.reduceat(
            np.bitwise_count(rows), self.first_words, axis=1, dtype=np.int64
        )
        return counts

    @property
    def edge_words(self) -> int:
        """How many words from the first tell the squares and pairs that are empty."""
        return self._segment(PAIRS)[1]

    @cached_property
    def segments(self) -> Numbers:
        """The numbers of each tile's words, filled up with -1, shape (tiles, most words)."""
        stops = np.append(self.first_words[1:], len(self.everything))
        widths = stops - self.first_words
        steps = np.arange(widths.max())
        numbers: Numbers = np.where(
            steps[None, :] < widths[:, None], self.first_words[:, None] + steps[None, :], -1
        )
        return numbers

    def _apart(self, slots: Numbers, words: int) -> Words:
        """Return the first words of what does not overlap each slot, as rows of their own."""
        if self.apart is None:
            first, *others = self._squares[slots].T
            rows = self.over[first, :words]
            for squares in others:
                rows |= self.over[squares, :words]
            return np.invert(rows, out=rows)
        table = self._narrow if words == self.edge_words else self.apart
        return table.take(slots, axis=0)

    @cached_property
    def _squares(self) -> Numbers:
        """The squares of each slot, the first repeated where there are fewer than the most."""
        most = max(mask.bit_count() for mask in self.masks)
        squares = [tuple(bits(mask)) or (0,) for mask in self.masks]
        return np.array([(*each, *each[:1] * (most - len(each))) for each in squares])

    @cached_property
    def _narrow(self) -> Words:
        """The first words of `apart`, close together: they fit the processor's cache."""
        assert self.apart is not None
        return np.ascontiguousarray(self.apart[:, : self.edge_words])

    def _segment(self, tile: int) -> tuple[int, int]:
        start = int(self.first_words[tile])
        last = tile + 1 == len(self.tiles)
        return start, len(self.everything) if last else int(self.first_words[tile + 1])

    def _overlapping(self, mask: int) -> Words:
        squares = [row * self.grid.columns + column for row, column in self.grid.cells(mask)]
        overlapping: Words = np.bitwise_or.reduce(self.over[squares], axis=0)
        return overlapping


def catalogue(grid: Grid, tiles: Iterable[Tile]) -> Catalogue:
    """Return the catalogue of a grid and tiles; the same question is answered from memory.

    Examples
    --------
    >>> small = catalogue(Grid(2, 3), [])
    >>> counts = small.counts(small.live(0)[None, :])[0]
    >>> [(tile.name, int(count)) for tile, count in zip(small.tiles, counts)]
    [('I1', 6), ('I2', 7), ('I3', 2), ('L3', 8), ('O4', 2)]
    """
    return _catalogue(grid, tuple(dict.fromkeys((*_probes(), *tiles))))


@lru_cache(maxsize=1)
def _probes() -> tuple[Tile, ...]:
    shapes = {name: known(name) for name in PROBES}
    return tuple(Tile.of(shape.cells, name) for name, shape in shapes.items() if shape)


@lru_cache(maxsize=8)
def _catalogue(grid: Grid, tiles: tuple[Tile, ...]) -> Catalogue:
    masks: list[int] = []
    first_words = []
    for tile in tiles:
        first_words.append(len(masks) // 64)
        masks += grid.placements(tile.shape)
        masks += [0] * (-len(masks) % 64)
        if len(masks) // 64 == first_words[-1]:
            masks += [0] * 64  # a tile that is larger than the grid still has its word
    covers = _covers(grid, masks)
    over = _packed(np.ascontiguousarray(covers.T))
    return Catalogue(
        grid=grid,
        tiles=tiles,
        masks=tuple(masks),
        first_words=np.array(first_words, dtype=np.int64),
        over=over,
        apart=_apart(covers, over),
        sizes=np.array([tile.size for tile in tiles], dtype=np.int64),
        edges=np.array([perimeter(tile) for tile in tiles], dtype=np.int64),
        everything=_packed(np.logical_or.reduce(covers, axis=1)[None, :])[0],
    )


def perimeter(tile: Tile) -> int:
    """Return the length of a tile's edge.

    Examples
    --------
    >>> perimeter(Tile.of([(0, 0), (0, 1), (1, 0), (1, 1)], "O4"))
    8
    """
    cells = set(tile.shape)
    inner = sum(((r + 1, c) in cells) + ((r, c + 1) in cells) for r, c in cells)
    return 4 * len(cells) - 2 * inner


def _covers(grid: Grid, masks: Sequence[int]) -> NDArray[np.bool_]:
    """Return which slot covers which square, shape (slots, squares)."""
    squares = grid.rows * grid.columns
    width = (squares + 7) // 8
    data = b"".join(mask.to_bytes(width, "little") for mask in masks)
    packed = np.frombuffer(data, dtype=np.uint8).reshape(len(masks), width)
    return np.unpackbits(packed, axis=1, count=squares, bitorder="little").astype(bool)


def _packed(bits: NDArray[np.bool_]) -> Words:
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _apart(covers: NDArray[np.bool_], over: Words) -> Words | None:
    slots, words = len(covers), over.shape[1]
    if slots * words * 8 > _TABLE_BYTES:
        return None
    overlapping = np.zeros((slots, words), dtype=np.uint64)
    for square in range(len(over)):
        overlapping[covers[:, square]] |= over[square]
    return ~overlapping
