"""Which measures go together: Spearman's rank correlation between columns of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.answers import Json

Row: TypeAlias = Mapping[str, Json]

_NO_MEASURES = ("seed", "work")
_DETAILS = ("low", "high", "games")
_PARTS = "parts"
"""What the grade is computed from stands beside the measures already."""

LEAST_PAIRS = 3
"""Rows that two columns must share before a correlation is told."""


def measures_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the columns that are measures: numbers that differ, in a tenth of the rows or more.

    Ends of intervals, numbers of games and parts of the grade are left out, and so are steps
    (``good_moves.3``) where their mean is there.

    Examples
    --------
    >>> measures_of([{"name": "a", "grade": 1.0, "seed": 0}, {"name": "b", "grade": 2.0}])
    ('grade',)
    """
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                columns.setdefault(name, []).append(value)
    return tuple(
        name
        for name, values in columns.items()
        if len(values) * 10 >= len(rows)
        and min(values) != max(values)
        and not _left_out(name, columns)
    )


def _left_out(name: str, columns: Mapping[str, Sequence[float]]) -> bool:
    stem, _, last = name.rpartition(".")
    if name in _NO_MEASURES or stem == _PARTS or (last in _DETAILS and stem):
        return True
    return last.isdigit() and f"{stem}_mean" in columns


def correlations(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return Spearman's rank correlation of each pair of columns, over the rows that have both.

    Ties share their mean rank. Pairs with fewer than `LEAST_PAIRS` rows in common, or without
    any difference in one of them, are left out.

    Examples
    --------
    >>> rows = [{"a": 1, "b": 10}, {"a": 2, "b": 30}, {"a": 3, "b": 20}]
    >>> correlations(rows, ["a", "b"])
    {('a', 'b'): 0.5}
    """
    columns = {
        name: np.array([_number(row.get(name)) for row in rows], dtype=np.float64) for name in names
    }
    ranks = {name: _ranks(column) for name, column in columns.items() if _whole(column)}
    found: dict[tuple[str, str], float] = {}
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            if first in ranks and second in ranks:
                value = _pearson(ranks[first], ranks[second])
            else:
                both = ~(np.isnan(columns[first]) | np.isnan(columns[second]))
                shared = columns[first][both], columns[second][both]
                value = _pearson(_ranks(shared[0]), _ranks(shared[1]))
            if value is not None:
                found[first, second] = round(value, 3)
    return found


def _number(value: Json) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if known else math.nan


def _whole(column: NDArray[np.float64]) -> bool:
    return not bool(np.isnan(column).any())


def _ranks(column: NDArray[np.float64]) -> NDArray[np.float64]:
    _, place, times = np.unique(column, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    ranks: NDArray[np.float64] = (last - (times - 1) / 2)[place]
    return ranks


def _pearson(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    if len(first) < LEAST_PAIRS:
        return None
    first, second = first - first.mean(), second - second.mean()
    scale = math.sqrt(float(first @ first) * float(second @ second))
    return float(first @ second) / scale if scale else None
