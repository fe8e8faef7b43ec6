"""A solver of clauses that writes down why they contradict each other.

It needs python-sat, which comes with ``tilesolve[proof]``; without it `installed` is False. The
solver is Glucose 4, run a fixed number of conflicts at a time, so that it can be stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from tilesolve.budget import Meter

_CONFLICTS = 2_000
"""Conflicts between two looks at the meter; each is a unit of work."""


@dataclass(frozen=True)
class Settled:
    """What the solver says of clauses.

    Parameters
    ----------
    model : tuple of int or None
        The variables that are true, if all clauses can be.
    steps : tuple of (bool, tuple of int) or None
        If they cannot, clauses that follow one after another, the last one empty; False
        where a clause is forgotten instead.
    """

    model: tuple[int, ...] | None = None
    steps: tuple[tuple[bool, tuple[int, ...]], ...] | None = None


def installed() -> bool:
    """Return whether python-sat and dratify are there."""
    return find_spec("pysat") is not None and find_spec("dratify") is not None


def settle(clauses: Sequence[tuple[int, ...]], *, meter: Meter) -> Settled | None:
    """Return a model of the clauses or the proof that there is none; None when stopped.

    Raises
    ------
    ImportError
        Where python-sat is not installed.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> settle([(1, 2), (-1,)], meter=Meter(budget=Budget())).model
    (2,)
    >>> settle([(1,), (-1,)], meter=Meter(budget=Budget())).steps
    ((True, ()),)
    """
    from pysat.solvers import Glucose4

    if () in clauses:
        return Settled(steps=((True, ()),))
    with Glucose4(bootstrap_with=[list(clause) for clause in clauses], with_proof=True) as solver:
        while meter.spend():
            solver.conf_budget(_CONFLICTS)
            satisfied = solver.solve_limited()
            if satisfied is True:
                return Settled(
                    model=tuple(literal for literal in solver.get_model() if literal > 0)
                )
            if satisfied is False:
                return Settled(steps=tuple(_steps(solver.get_proof())))
            meter.spend(_CONFLICTS)
    return None


def _steps(lines: Sequence[str]) -> Iterator[tuple[bool, tuple[int, ...]]]:
    last: tuple[int, ...] = (0,)
    for line in lines:
        words = line.split()
        added = words[0] != "d"
        last = tuple(int(word) for word in (words if added else words[1:])[:-1])
        yield added, last
    if last:
        yield True, ()
