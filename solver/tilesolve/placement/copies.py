"""Solutions of a symmetric sheet: some are found, and the others are copies of them."""

from __future__ import annotations

from tilesolve.budget import Meter, Stopped
from tilesolve.placement.diagram import compile_sweep
from tilesolve.placement.orbits import Group, confined
from tilesolve.placement.sweep import sweep_of

_HELD = 40_000
"""Solutions beyond which they are better streamed than held."""


def list_copies(group: Group, *, meter: Meter) -> list[tuple[int, ...]] | None:
    """Return all solutions of a symmetric cover, in the order of `covers`.

    A diagram is compiled in which one piece keeps one placement of each orbit; every solution is
    the image of one of its solutions. None where there is no such piece, no symmetry but the
    identity, many solutions, or the meter stopped it.

    Parameters
    ----------
    group : Group
        The symmetries of the problem.
    meter : Meter
        As for `tilesolve.placement.diagram.compile_diagram`, and one unit a copy.

    Examples
    --------
    An I3 and two dominoes on 1x7, which can be turned round.

    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.orbits import Symmetry
    >>> from tilesolve.placement.problem import Kind, Option, Problem
    >>> long = [Option(0, 0b111 << at) for at in range(5)]
    >>> short = [Option(1, 0b11 << at) for at in range(6)]
    >>> kinds = (Kind("I3", 1, 1), Kind("I2", 2, 2))
    >>> problem = Problem(("",) * 7, kinds, (*long, *short), True)
    >>> turns = [Symmetry("", tuple(range(7)), (0, 1)), Symmetry("", tuple(range(7))[::-1], (0, 1))]
    >>> list_copies(Group(problem, tuple(turns)), meter=Meter(budget=Budget()))
    [(0, 8, 10), (2, 5, 10), (4, 5, 7)]
    """
    problem = group.problem
    if not problem.cover:
        return None
    try:
        smaller = confined(group, meter=meter)
        sweep = sweep_of(problem, meter=meter)
        tables = [group.images(number, meter=meter) for number in range(len(group.symmetries))]
    except Stopped:
        return None
    if smaller is None:
        return None
    diagram = compile_sweep(smaller.sweep, problem.adjacent, meter=meter)
    if diagram is None or diagram.total * len(tables) > _HELD:
        return None
    found: set[tuple[int, ...]] = set()
    for some in diagram.solutions():
        chosen = [smaller.options[option] for option in some]
        if not meter.spend(len(tables)):
            return None
        found.update([tuple(sorted([table[option] for option in chosen])) for table in tables])
    # What covers the first open cell decides; then what covers the next.
    first = [mask & -mask for mask in sweep.masks]
    return sorted(found, key=lambda chosen: sorted(chosen, key=first.__getitem__))
