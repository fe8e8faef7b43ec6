"""Weights: a proof of impossibility by adding up, where pieces leave room to spare.

Give every cell a whole weight. If each placement of a piece takes at least the piece's weight,
and the pieces to be placed weigh more than all cells together, they cannot all be placed. Good
weights come from a linear program; here they are rounded to small whole numbers and counted
again exactly, so the program's rounding errors cannot matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesolve.placement.problem import Problem

_SCALES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 18, 20, 24, 30, 60, 120, 840, 5040, 10**6)


@dataclass(frozen=True)
class Weights:
    """Whole weights of the cells, the least each kind takes, and the sums that contradict.

    `needed`, what the kinds take at least, is more than `there`, what all cells have.
    """

    cells: tuple[int, ...]
    kinds: tuple[int, ...]
    there: int
    needed: int


def whole_weights(problem: Problem, weights: Sequence[float]) -> Weights | None:
    """Return the smallest whole multiple of the weights that still proves it, or None.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> cross = Problem(("a", "b", "c"), (Kind("I2", 2, 2),),
    ...                 (Option(0, 0b011), Option(0, 0b110)), False)
    >>> whole_weights(cross, [0.0, 0.999999, 0.0])
    Weights(cells=(0, 1, 0), kinds=(1,), there=1, needed=2)
    """
    for scale in _SCALES:
        found = _counted(problem, tuple(round(weight * scale) for weight in weights))
        if found.needed > found.there:
            return found
    return None


def _counted(problem: Problem, cells: tuple[int, ...]) -> Weights:
    if not problem.cover:
        cells = tuple(max(0, weight) for weight in cells)
    kinds: dict[int, int] = {}
    for option in problem.options:
        taken = sum(cells[cell] for cell in option.cells())
        kinds[option.kind] = min(taken, kinds.get(option.kind, taken))
    least = tuple(kinds.get(number, 0) for number in range(len(problem.kinds)))
    needed = 0
    for kind, weight, size in zip(problem.kinds, least, problem.sizes, strict=True):
        most = len(cells) // (size or 1) if kind.most is None else kind.most
        needed += weight * (kind.least if weight > 0 else most)
    return Weights(cells, least, sum(cells), needed)
