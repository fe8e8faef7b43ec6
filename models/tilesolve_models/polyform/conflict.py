"""The smallest conflict: pieces and cells whose demands already contradict each other.

Every cell demands to be covered (in a packing: not to be covered twice), every piece to be placed
its number of times. Demands are dropped one by one, in halves first, as long as the rest still
has no solution; what is left at the end cannot do without any of its members.

References
----------
A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing input" (2002), for
dropping in halves first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tilesolve.answers import Cell
from tilesolve.budget import Meter
from tilesolve.placement.build import Layout
from tilesolve.placement.problem import Option, Problem
from tilesolve.placement.refute import Terms, refute, terms_of


@dataclass(frozen=True)
class Conflict:
    """Pieces and cells that suffice for the no.

    `minimal` is True when no single piece or cell can be left out; False when the budget ended
    before all had been tried.
    """

    pieces: tuple[str, ...]
    cells: tuple[Cell, ...]
    minimal: bool


def smallest_conflict(layout: Layout, *, meter: Meter) -> Conflict | None:
    """Return a conflict of a problem without solution; None if it cannot be refuted in time.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve.placement.build import build
    >>> from tilesolve_models.polyform.rules import left, load
    >>> state = load(Node({"sheet": ["...#..."], "pieces": ["I3*2", "I1"]}))
    >>> layout = build(state.sheet, left(state), cover=False)
    >>> smallest_conflict(layout, meter=Meter(budget=Budget()))
    Conflict(pieces=('I3', 'I1'), cells=..., minimal=True)
    """
    problem = layout.problem
    everyone = [*range(len(problem.cells) + len(problem.kinds))]
    each = max(200, (meter.remaining_work or 10**7) // 400)
    unsure = False

    def contradicts(demands: Sequence[int]) -> bool:
        nonlocal unsure
        part = meter.part(work=each)
        reduced, terms = _only(problem, frozenset(demands))
        found = refute(reduced, terms, meter=part)
        meter.spend(part.worked)
        if found.branches is None and found.found is None:
            unsure = True
        return found.branches is not None

    if not contradicts(everyone):
        return None
    # Pieces first: a conflict of few pieces says more than one of few cells.
    cells, kinds = everyone[: len(problem.cells)], everyone[len(problem.cells) :]
    kinds = _dropped(kinds, lambda kept: contradicts([*cells, *kept]), meter)
    cells = _dropped(cells, lambda kept: contradicts([*kept, *kinds]), meter)
    minimal = not unsure and meter.stopped_by is None
    return Conflict(
        tuple(problem.kinds[kind - len(problem.cells)].name for kind in kinds),
        tuple(layout.cells[cell] for cell in cells),
        minimal,
    )


def _dropped(
    members: Sequence[int], contradicts: Callable[[list[int]], bool], meter: Meter
) -> list[int]:
    """Drop members in ever smaller groups while the rest still contradicts itself."""
    kept = list(members)
    size = max(1, len(kept) // 2)
    while True:
        start = 0
        dropped = False
        while start < len(kept) and meter.spend(0):
            rest = kept[:start] + kept[start + size :]
            if contradicts(rest):
                kept, dropped = rest, True
            else:
                start += size
        if not meter.spend(0) or (size == 1 and not dropped):
            return kept
        size = max(1, size // 2)


def _only(problem: Problem, demands: frozenset[int]) -> tuple[Problem, Terms]:
    """Return the problem with only these demands; cells without one may be covered anyhow."""
    count = len(problem.cells)
    cells = [cell for cell in range(count) if cell in demands]
    place = {cell: number for number, cell in enumerate(cells)}
    options = tuple(
        Option(option.kind, sum(1 << place[cell] for cell in option.cells() if cell in place))
        for option in problem.options
    )
    reduced = Problem(tuple(problem.cells[c] for c in cells), problem.kinds, options, problem.cover)
    terms = terms_of(problem)
    demanded = [count + kind in demands for kind in range(len(problem.kinds))]
    least = tuple(n if d else 0 for n, d in zip(terms.least, demanded, strict=True))
    most = tuple(n if d else len(options) for n, d in zip(terms.most, demanded, strict=True))
    if not problem.cover:
        most = least
    return reduced, replace(
        terms,
        least=least,
        most=most,
        open_cost=(1,) * len(cells),
        may_stay_open=not problem.cover,
        allowed=0 if problem.cover else len(cells),
    )
