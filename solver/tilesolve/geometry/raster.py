"""A sheet's open cells as one large number, on which a pattern is tried everywhere at once.

Bit ``row * width + column`` is a cell. Rows are so far apart that a pattern which leaves the
sheet on one side cannot enter the next row on the other. A pattern fits where the open cells,
shifted by each of its cells, all have a bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tilesolve.answers import Cell
from tilesolve.geometry.piece import Pattern
from tilesolve.geometry.sheet import Sheet


@dataclass(frozen=True)
class Raster:
    """Open cells as bits; build it with `Raster.of`.

    Parameters
    ----------
    top, left : int
        The cell of bit 0.
    span : int
        Columns of the sheet; a row takes ``2 * span`` bits.
    open : int
        All open cells.
    kinds : dict of str to int
        The open cells of each kind.
    anchors : int
        Cells on which the first cell of a pattern whose ``row + column`` is even may lie; the
        others are for odd ones. All cells, where translations do not keep parity.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> domino = (((0, 0), ""), ((0, 1), ""))
    >>> list(Raster.of(rectangle(2, 2)).places(domino))
    [(0, 0), (1, 0)]
    """

    top: int
    left: int
    span: int
    open: int
    kinds: dict[str, int]
    anchors: int
    keeps_parity: bool

    @classmethod
    def of(cls, sheet: Sheet) -> Raster:
        """Return the raster of a sheet's open cells."""
        cells = sheet.open
        top = min((row for row, _ in cells), default=0)
        left = min((column for _, column in cells), default=0)
        span = max((column for _, column in cells), default=0) - left + 1
        kinds: dict[str, list[int]] = {}
        anchors: list[int] = []
        for row, column in cells:
            bit = (row - top) * 2 * span + column - left
            kinds.setdefault(sheet.grounds[row, column].kind, []).append(bit)
            if (row + column - sheet.offset) % sheet.lattice.step == 0:
                anchors.append(bit)
        masks = {kind: _mask(bits) for kind, bits in kinds.items()}
        return cls(
            top, left, span, sum(masks.values()), masks, _mask(anchors), sheet.lattice.step > 1
        )

    def fits(self, *alike: Pattern) -> int:
        """Return the bits on which the first cell of a pattern can lie, all others fitting.

        Of several patterns of the same cells, that demand kinds differently, one must fit.
        """
        found = 0
        for pattern in alike:
            found |= self._fits(pattern)
        return found

    def _fits(self, pattern: Pattern) -> int:
        (first_row, first_column), _ = pattern[0]
        found = self.open
        if self.keeps_parity:
            odd = (first_row + first_column) % 2
            found &= ~self.anchors if odd else self.anchors
        for (row, column), kind in pattern:
            if abs(column - first_column) >= self.span:
                return 0
            shift = (row - first_row) * 2 * self.span + column - first_column
            found &= (self.kinds.get(kind, 0) if kind else self.open) >> shift
            if not found:
                return 0
        return found

    def steps(self, pattern: Pattern) -> list[int]:
        """Return how far the bits of a pattern's cells are from the bit of its first."""
        (first_row, first_column), _ = pattern[0]
        return [
            (row - first_row) * 2 * self.span + column - first_column
            for (row, column), _ in pattern
        ]

    def without(self, cells: Iterable[Cell]) -> Raster:
        """Return the raster with some cells no longer open."""
        taken = _mask([self.bit(cell) for cell in cells])
        kinds = {kind: mask & ~taken for kind, mask in self.kinds.items()}
        return replace(self, open=self.open & ~taken, kinds=kinds)

    def bit(self, cell: Cell) -> int:
        """Return the bit of a cell of the sheet."""
        return (cell[0] - self.top) * 2 * self.span + cell[1] - self.left

    def places(self, *alike: Pattern) -> Iterator[Cell]:
        """Yield the cells on which the first cell of a pattern can lie, in reading order."""
        for bit in firsts(self.fits(*alike)):
            row, column = divmod(bit, 2 * self.span)
            yield row + self.top, column + self.left


def firsts(fits: int) -> Iterator[int]:
    """Yield the bits of a number, lowest first."""
    text = bin(fits)[:1:-1]
    bit = text.find("1")
    while bit >= 0:
        yield bit
        bit = text.find("1", bit + 1)


def _mask(bits: list[int]) -> int:
    """Return the number with these bits, written down at once: one by one takes the square."""
    if not bits:
        return 0
    digits = bytearray(b"0") * (max(bits) + 1)
    for bit in bits:
        digits[-1 - bit] = 49  # the digit one
    return int(digits.decode(), 2)
