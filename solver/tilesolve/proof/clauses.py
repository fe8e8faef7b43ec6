"""A puzzle in clauses, and the check of a proof in them.

The encoding ``counters``: variable ``i`` from 1 is placement ``i - 1`` in the checker's order (by
piece, then by cells). For each cell, and then for each piece, the number of its placements that
are chosen is counted along them: after each of them there is, for every number that matters, a
variable that is true exactly when so many have been chosen. One clause asks for the least
number, clauses forbid to go beyond the most.

Every solution of the puzzle makes all clauses true, with the counters set to what they count.
So where the clauses contradict each other there is no solution, and that is shown by a list of
steps: clauses that follow, one after another, by setting what a clause leaves no choice about
(reverse unit propagation, DRUP), the last one empty.

References
----------
C. Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints" (2005); A. Van
Gelder, "Verifying RUP proofs of propositional unsatisfiability" (2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve.errors import InputError
from tilesolve.proof.certificate import Step
from tilesolve.proof.puzzle import Puzzle, bits

ENCODING = "counters"

Clause: TypeAlias = tuple[int, ...]
"""Variables, negative where they are to be false."""

_LOOK = 64
"""Steps between two looks at the meter."""


def clauses_of(puzzle: Puzzle) -> list[Clause]:
    """Return the clauses of a puzzle.

    Examples
    --------
    >>> row = ((0, 0), (0, 1), (0, 2))
    >>> bar = Puzzle(row, (3, 6), (0, 0), (1,), (1,), (1, 1, 1), (0,), False, 0)
    >>> clauses_of(bar)[:3]
    [(1,), (1, 2), (-1, 3)]
    """
    numbers = _Numbers(len(puzzle.masks))
    clauses: list[Clause] = []
    at: list[list[int]] = [[] for _ in puzzle.cells]
    of: list[list[int]] = [[] for _ in puzzle.least]
    for variable, (mask, owner) in enumerate(
        zip(puzzle.masks, puzzle.owners, strict=True), start=1
    ):
        of[owner].append(variable)
        for cell in bits(mask):
            at[cell].append(variable)
    for variables in at:
        clauses += counted(variables, 0 if puzzle.may_stay_open else 1, 1, numbers)
    for variables, least, most in zip(of, puzzle.least, puzzle.most, strict=True):
        clauses += counted(variables, least, most, numbers)
    return clauses


@dataclass
class _Numbers:
    """Numbers of variables given out so far."""

    last: int

    def new(self) -> int:
        self.last += 1
        return self.last


def counted(variables: Sequence[int], least: int, most: int, numbers: _Numbers) -> Iterator[Clause]:
    """Yield clauses that hold when at least and at most so many of the variables are true.

    ``row[j]`` is the variable for 'more than j of the variables so far', up to what matters.

    Examples
    --------
    >>> list(counted([1, 2], 1, 2, _Numbers(2)))
    [(1, 2)]
    >>> list(counted([1, 2], 0, 1, _Numbers(2)))
    [(-1, 3), (1, -3), (-2, -3)]
    """
    if len(variables) < least:
        yield ()
        return
    if least == 1:
        yield tuple(variables)
    elif least == 0 and len(variables) <= most:
        return
    top = max(most if len(variables) > most else 0, least if least > 1 else 0)
    row: list[int] = []
    for number, variable in enumerate(variables, start=1):
        if len(variables) > most and len(row) >= most:
            yield (-variable, -row[most - 1]) if most else (-variable,)
        if number == len(variables) and least <= 1:
            return
        before, row = row, [numbers.new() for _ in range(min(number, top))]
        for place, more in enumerate(row):
            already = before[place : place + 1]
            one_less = [before[place - 1]] if place else []
            # More than `place` so far: already before, or just enough before and this one.
            yield (-variable, *(-one for one in one_less), more)
            for earlier in already:
                yield (-earlier, more)
            yield (variable, *already, -more)
            for earlier in one_less:
                yield (earlier, *already, -more)
    if least > 1:
        yield (row[least - 1],)


def holds(clauses: Sequence[Clause], steps: Sequence[Step], *, meter: Meter) -> bool | None:
    """Return whether the steps follow from the clauses, down to the empty one.

    None when the meter stopped it; a step is a unit of work.

    Raises
    ------
    InputError
        Where dratify is not installed.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> square = [(1, 2), (-1, 2), (1, -2), (-1, -2)]
    >>> holds(square, [(True, (1,)), (True, ())], meter=Meter(budget=Budget()))
    True
    >>> holds(square[:3], [(True, (1,)), (True, ())], meter=Meter(budget=Budget()))
    False
    """
    try:
        from dratify import CNF, DRATChecker, from_dimacs
    except ImportError:
        raise InputError(
            "checking a clausal proof needs dratify: pip install 'tilesolve[proof]'", place="proof"
        ) from None
    known = max((abs(literal) for clause in clauses for literal in clause), default=0)
    if any(not 0 < abs(literal) <= known for _, clause in steps for literal in clause):
        return False
    if () in clauses:
        return True
    formula = CNF(known)
    for clause in clauses:
        formula.add([from_dimacs(literal) for literal in clause])
    checker = DRATChecker(formula, check_rat=False)
    if checker.check([]).ok:  # setting what has no choice is enough
        return True
    for number, (added, clause) in enumerate(steps, start=1):
        literals = [from_dimacs(literal) for literal in clause]
        if not checker.check_step("a" if added else "d", literals):
            return False
        if checker.result.reached_empty:
            return True
        if number % _LOOK == 0 and not meter.spend(_LOOK):
            return None
    return False
