"""A* over an implicit graph of unit moves: shortest lines without holding the graph.

After Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost
paths" (1968). States are hashable and small (packed bytes or integers); moves cost one each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from tilesolve.budget import Meter

S = TypeVar("S", bound=Hashable)

Successors: TypeAlias = Callable[[S], Iterable[tuple[S, int]]]
"""From a state to its neighbours, each with the change in the estimate on the way there."""

_STRIDE = 256
"""Expansions between two looks at the meter."""


@dataclass(frozen=True)
class Search(Generic[S]):
    """What a search found.

    Parameters
    ----------
    line : tuple
        The states from the start to the goal; empty when none was found.
    bound : int
        No line is shorter than this; the line's own length when one was found.
    exhausted : bool
        True when no line exists, or none within the limit.
    """

    line: tuple[S, ...]
    bound: int
    exhausted: bool

    @property
    def moves(self) -> int | None:
        """Length of the line, or None without one."""
        return len(self.line) - 1 if self.line else None


def shortest(
    start: S,
    estimate: int,
    successors: Successors[S],
    *,
    meter: Meter,
    limit: int | None = None,
) -> Search[S]:
    """Return a shortest line from `start` to a state whose estimate is 0.

    Parameters
    ----------
    start : hashable
        Where to begin.
    estimate : int
        A lower bound on the moves from the start to the goal. Along every move the estimate may
        fall by at most 1 (it is consistent), and it is 0 exactly at goals.
    successors : callable
        Neighbours with the change in the estimate, -1 or more.
    meter : Meter
        One unit of work an expanded state.
    limit : int or None
        Lines longer than this are not looked for.

    Notes
    -----
    With a consistent estimate a state's first expansion is on a shortest line to it, so each is
    expanded once. Of states that promise equally short lines the latest is tried first.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> walk = lambda n: [(n + 1, -1), (n - 1, 1)]
    >>> shortest(0, 3, walk, meter=Meter(budget=Budget())).line
    (0, 1, 2, 3)
    """
    if estimate == 0:
        return Search((start,), 0, False)
    parents: dict[S, S | None] = {start: None}
    lengths = {start: 0}
    waiting: dict[int, list[tuple[S, int, int]]] = {estimate: [(start, 0, estimate)]}
    promised, credit = estimate, _STRIDE
    while waiting:
        if limit is not None and promised > limit:
            break
        stack = waiting.get(promised)
        if not stack:
            waiting.pop(promised, None)
            promised += 1
            continue
        state, length, left = stack.pop()
        if lengths[state] < length:
            continue
        credit -= 1
        if not credit:
            credit = _STRIDE
            if not meter.spend(_STRIDE):
                return Search((), promised, False)
        length += 1
        for neighbour, change in successors(state):
            if lengths.get(neighbour, length + 1) <= length:
                continue
            lengths[neighbour] = length
            parents[neighbour] = state
            rest = left + change
            if rest == 0:
                meter.spend(_STRIDE - credit)
                return Search(_back(parents, neighbour), length, False)
            waiting.setdefault(length + rest, []).append((neighbour, length, rest))
    meter.spend(_STRIDE - credit)
    return Search((), promised, True)


def _back(parents: dict[S, S | None], end: S) -> tuple[S, ...]:
    line = [end]
    while (before := parents[line[-1]]) is not None:
        line.append(before)
    return tuple(reversed(line))
