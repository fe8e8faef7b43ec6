"""The placement problem: cells, kinds of pieces and options, with no geometry left in it.

Engines see a `Problem` and nothing else. Cells are numbered in reading order and an option is
the set of cells it takes, as a bit mask: bit ``i`` is cell ``i``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set in a mask, ascending.

    Examples
    --------
    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def moved(mask: int, to: Mapping[int, int]) -> int:
    """Return a mask with every bit exchanged for what `to` names, by single bits.

    Examples
    --------
    >>> bin(moved(0b011, {0b001: 0b100, 0b010: 0b001}))
    '0b101'
    """
    found = 0
    while mask:
        low = mask & -mask
        found |= to[low]
        mask ^= low
    return found


@dataclass(frozen=True)
class Kind:
    """A piece to use between `least` and `most` times; equal copies are one kind.

    `most` None is any number.
    """

    name: str
    least: int
    most: int | None

    def __post_init__(self) -> None:
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise ValueError(f"{self.name}: count range {self.least}..{self.most} is empty")


class Option(NamedTuple):  # made by the thousand, in half the time of a dataclass
    """One placement: a kind (index into `Problem.kinds`) on a set of cells (bit mask)."""

    kind: int
    mask: int

    def cells(self) -> Iterator[int]:
        """Return the cell numbers, ascending.

        Examples
        --------
        >>> list(Option(0, 0b1010).cells())
        [1, 3]
        """
        return bits(self.mask)


@dataclass(frozen=True)
class Problem:
    """Which options can be chosen so that none overlap and each kind keeps its count range?

    Parameters
    ----------
    cells : tuple of str
        Names of the open cells in reading order, as ``3,5``; cell ``i`` is bit ``i``.
    kinds : tuple of Kind
        The pieces.
    options : tuple of Option
        In canonical order (by kind, then by lowest cells), without duplicates. All options of a
        kind have the same number of cells.
    cover : bool
        True: every cell exactly once. False (packing): at most once.
    adjacent : tuple of tuple of int
        For each cell its neighbours' numbers; symmetric. Only region, contact and connectivity
        questions and orderings use it.
    places : tuple of (int, int)
        For each cell its row and column, or empty when cells lie nowhere. Only orderings use it:
        the cheapest direction to sweep a sheet is found from it.
    connected : bool
        Whether the cells of every option are known to hang together.

    Examples
    --------
    >>> problem = Problem(("0,0", "0,1"), (Kind("I1", 2, 2),), (Option(0, 1), Option(0, 2)),
    ...                   True, ((1,), (0,)))
    >>> problem.size(0), problem.everything
    (1, 3)
    """

    cells: tuple[str, ...]
    kinds: tuple[Kind, ...]
    options: tuple[Option, ...]
    cover: bool
    adjacent: tuple[tuple[int, ...], ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    connected: bool = False

    @property
    def everything(self) -> int:
        """The mask of all cells."""
        return (1 << len(self.cells)) - 1

    @cached_property
    def sizes(self) -> tuple[int | None, ...]:
        """Cells per kind; None for a kind without options."""
        sizes: list[int | None] = [None] * len(self.kinds)
        for option in self.options:
            sizes[option.kind] = option.mask.bit_count()
        return tuple(sizes)

    def size(self, kind: int) -> int | None:
        """Return the number of cells of a kind's options; None without options."""
        return self.sizes[kind]
