"""Colourings: a proof of impossibility that anyone can check by adding up.

Give every cell and every piece a weight modulo m so that each placement of a piece covers cells
whose weights add up to the piece's weight. If the weights of all cells and of all pieces to be
used then differ modulo m, the pieces cannot cover the cells. The checkerboard argument for a
board without two opposite corners is the simplest case.

Such weights exist exactly when the system 'each cell covered once, each piece used its number
of times' has no solution modulo m. They are found by elimination over the integers modulo a
prime power, in the echelon form of Howell (Spans in the module (Z_m)^s, 1986), and only for as
many placements as are needed: a colouring is guessed from some placements, tested on all, and
the ones that break it are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tilesolve.budget import Meter
from tilesolve.placement.problem import Problem
from tilesolve.placement.quick import leaves_no_slack

Vector = npt.NDArray[np.int64]

MODULI = ((2, 1), (3, 1), (2, 2), (5, 1), (7, 1), (2, 3))
"""The moduli tried, as (prime, power): 2, 3, 4, 5, 7 and 8."""

MAX_ROWS = 1200
"""Cells and pieces together beyond which elimination is not tried."""

_BATCH = 3


@dataclass(frozen=True)
class Colouring:
    """Weights modulo `modulus` under which the cells and the pieces add up differently.

    Parameters
    ----------
    cells : tuple of int
        Weight of each cell of the problem.
    kinds : tuple of int
        The sum that every placement of a kind covers. A kind whose number is not fixed has 0.
    cell_sum, kind_sum : int
        The sums over all cells, and over all pieces to use; they differ.
    """

    modulus: int
    cells: tuple[int, ...]
    kinds: tuple[int, ...]
    cell_sum: int
    kind_sum: int


def find_colouring(problem: Problem, *, meter: Meter) -> Colouring | None:
    """Return a colouring that refutes the problem, or None when none was found.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> ends = Problem(("a", "b", "c", "d"), (Kind("I2", 2, 2),),
    ...                (Option(0, 0b0011), Option(0, 0b0101), Option(0, 0b1001)), True)
    >>> find_colouring(ends, meter=Meter(budget=Budget())).modulus
    2
    """
    rows = len(problem.cells) + len(problem.kinds)
    if not problem.options or not (problem.cover or leaves_no_slack(problem)) or rows > MAX_ROWS:
        return None
    columns = _columns(problem)
    target = _target(problem)
    for prime, power in MODULI:
        if not meter.spend(1):
            return None
        weights = _refute(columns, target, prime, power, meter)
        if weights is not None:
            return _colouring(problem, weights, prime**power)
    return None


def holds(problem: Problem, colouring: Colouring) -> bool:
    """Check a colouring by adding up, placement by placement.

    A kind whose number is not fixed must have weight 0, or its number would matter.
    """
    modulus = colouring.modulus
    for option in problem.options:
        total = sum(colouring.cells[cell] for cell in option.cells())
        if (total - colouring.kinds[option.kind]) % modulus:
            return False
    fixed = [kind.least == kind.most for kind in problem.kinds]
    weighed = zip(problem.kinds, colouring.kinds, fixed, strict=True)
    if any(weight % modulus and not known for _, weight, known in weighed):
        return False
    used = sum(
        kind.least * weight
        for kind, weight, known in zip(problem.kinds, colouring.kinds, fixed, strict=True)
        if known
    )
    difference: int = sum(colouring.cells) - used
    return difference % modulus != 0


def _columns(problem: Problem) -> list[tuple[Vector, npt.NDArray[np.int64]]]:
    """Return, per kind, its row (-1 when its number is not fixed) and its options' cells."""
    by_kind: list[list[list[int]]] = [[] for _ in problem.kinds]
    for option in problem.options:
        by_kind[option.kind].append(list(option.cells()))
    columns = []
    for kind, cells in enumerate(by_kind):
        fixed = problem.kinds[kind].least == problem.kinds[kind].most
        row = len(problem.cells) + kind if fixed else -1
        if cells:
            columns.append((np.array([row]), np.array(cells, dtype=np.int64)))
    return columns


def _target(problem: Problem) -> Vector:
    counts = [kind.least if kind.least == kind.most else 0 for kind in problem.kinds]
    return np.array([1] * len(problem.cells) + counts, dtype=np.int64)


def _refute(
    columns: Sequence[tuple[Vector, npt.NDArray[np.int64]]],
    target: Vector,
    prime: int,
    power: int,
    meter: Meter,
) -> Vector | None:
    modulus = prime**power
    span = _Span(len(target), prime, power)
    while meter.spend(1):
        weights = span.separate(target)
        if weights is None:
            return None
        broken = 0
        for row, cells in columns:
            sums = weights[cells].sum(axis=1)
            if row[0] >= 0:
                sums = sums + weights[row[0]]
            bad = np.flatnonzero(sums % modulus)
            broken += len(bad)
            for place in bad[:: max(1, len(bad) // _BATCH)][:_BATCH]:
                vector = np.zeros(len(target), dtype=np.int64)
                vector[cells[place]] = 1
                if row[0] >= 0:
                    vector[row[0]] = 1
                span.add(vector)
        if not broken:
            return weights
    return None


class _Span:
    """The span of vectors modulo a prime power, in Howell form.

    At most one vector leads at each coordinate, with a power of the prime; whatever multiple of
    it has no entry there lies in the span of the later ones.
    """

    def __init__(self, length: int, prime: int, power: int) -> None:
        self.prime = prime
        self.modulus = prime**power
        self.leading: list[Vector | None] = [None] * length

    def add(self, vector: Vector) -> None:
        pending = [vector % self.modulus]
        while pending:
            current = pending.pop()
            while (place := _first(current)) is not None:
                entry = int(current[place])
                current = current * self._to_power(entry) % self.modulus
                leader = self.leading[place]
                if leader is None:
                    self.leading[place] = current
                    pending.append(current * (self.modulus // int(current[place])) % self.modulus)
                    break
                if int(current[place]) % int(leader[place]):
                    self.leading[place], current = current, leader
                    new = self.leading[place]
                    assert new is not None
                    pending.append(new * (self.modulus // int(new[place])) % self.modulus)
                    leader = new
                current = (current - leader * (current[place] // leader[place])) % self.modulus

    def separate(self, target: Vector) -> Vector | None:
        """Return weights that vanish on the span and not on the target, or None."""
        rest = target % self.modulus
        while (place := _first(rest)) is not None:
            leader = self.leading[place]
            if leader is None or rest[place] % leader[place]:
                return self._weights(place)
            rest = (rest - leader * (rest[place] // leader[place])) % self.modulus
        return None

    def _weights(self, last: int) -> Vector:
        weights = np.zeros(len(self.leading), dtype=np.int64)
        leader = self.leading[last]
        weights[last] = 1 if leader is None else self.modulus // int(leader[last])
        for place in range(last - 1, -1, -1):
            vector = self.leading[place]
            if vector is not None:
                total = int(weights[place + 1 : last + 1] @ vector[place + 1 : last + 1])
                # Howell's form makes the total divisible by the leading entry.
                weights[place] = -(total % self.modulus) // int(vector[place]) % self.modulus
        return weights

    def _to_power(self, entry: int) -> int:
        """Return the unit that turns an entry into a power of the prime."""
        unit = entry
        while unit % self.prime == 0:
            unit //= self.prime
        inverse: int = pow(unit, -1, self.modulus)
        return inverse


def _first(vector: Vector) -> int | None:
    places = np.flatnonzero(vector)
    return int(places[0]) if len(places) else None


def _colouring(problem: Problem, weights: Vector, modulus: int) -> Colouring:
    count = len(problem.cells)
    cells = tuple(int(weight) % modulus for weight in weights[:count])
    kinds = tuple(
        -int(weight) % modulus if kind.least == kind.most else 0
        for kind, weight in zip(problem.kinds, weights[count:], strict=True)
    )
    used = sum(
        weight * kind.least for weight, kind in zip(kinds, problem.kinds, strict=True) if weight
    )
    return Colouring(modulus, cells, kinds, sum(cells) % modulus, used % modulus)
