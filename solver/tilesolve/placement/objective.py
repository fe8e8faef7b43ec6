"""What a selection of placements is worth, which ones are allowed, and what an engine found.

There is no solver here: `evaluate` and `faults` recompute from the problem alone what an engine
claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tilesolve.budget import StoppedBy
from tilesolve.placement.connect import components, neighbour_masks, touching_order, with_groups
from tilesolve.placement.problem import Problem, bits


@dataclass(frozen=True, kw_only=True)
class Clause:
    """If all options of `given` are chosen, then so is one of `wanted`; both are indices.

    What a game's own rules forbid is told to an engine in such clauses.

    Examples
    --------
    >>> Clause(given=(0, 2), wanted=(5,)).kept({0, 2}), Clause(given=(0, 2)).kept({0, 1})
    (False, True)
    """

    given: tuple[int, ...] = ()
    wanted: tuple[int, ...] = ()

    def kept(self, chosen: Collection[int]) -> bool:
        """Return whether a selection keeps the clause."""
        return not all(index in chosen for index in self.given) or any(
            index in chosen for index in self.wanted
        )


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A score for every selection, and the rules that a selection must keep.

    The score is the sum of everything named below; `sense` says which way it is better. Regions
    may only be unwelcome: `region_penalty` is at least 0 when minimising, at most 0 when
    maximising.

    Parameters
    ----------
    sense : {"minimise", "maximise"}
        Which way the score is better.
    open_penalty : tuple of int
        Per cell of the problem, added when it stays open; empty is 0 for all.
    option_value : tuple of int
        Per option, added when it is chosen; empty is 0 for all.
    missing_penalty : tuple of int
        Per kind, added for each copy left out of its `most`; empty is 0 for all.
    region_penalty : int
        Added for each connected region of open cells.
    connected : bool
        The chosen cells, together with what is filled already, form one connected group.
    touch : bool
        In some order every option has a cell beside one that is filled already; the first of
        all lies anywhere when nothing is filled.
    anchors : int
        Mask of the open cells that lie beside something filled already.
    begun : bool
        Something is filled already. Needed only where that has no open cell beside it; with
        anchors or groups it is true anyway.
    groups : tuple of int
        Where what is filled already lies in several connected groups, and `connected` is to
        join them: for each the mask of the open cells beside it. Empty: it is one group.
    clauses : tuple of Clause
        Further conditions on the selection.

    Examples
    --------
    >>> Objective(open_penalty=(1, 1, 2), region_penalty=1).begun
    False
    """

    sense: Literal["minimise", "maximise"] = "minimise"
    open_penalty: tuple[int, ...] = ()
    option_value: tuple[int, ...] = ()
    missing_penalty: tuple[int, ...] = ()
    region_penalty: int = 0
    connected: bool = False
    touch: bool = False
    anchors: int = 0
    begun: bool = False
    groups: tuple[int, ...] = ()
    clauses: tuple[Clause, ...] = ()

    def __post_init__(self) -> None:
        welcome = self.region_penalty < 0 if self.sense == "minimise" else self.region_penalty > 0
        if welcome:
            raise ValueError("regions of open cells can only be unwelcome")
        if self.anchors or self.groups:
            object.__setattr__(self, "begun", True)

    @property
    def joined(self) -> tuple[int, ...]:
        """The groups that `connected` joins: none, the one beside `anchors`, or `groups`."""
        return self.groups or self.laid

    @property
    def laid(self) -> tuple[int, ...]:
        """What lies already as one group, by the cells beside it; none on an empty sheet."""
        return (self.anchors,) if self.begun else ()


@dataclass(frozen=True)
class Costs:
    """An objective as costs to be kept low: the score is ``sign`` times their sum.

    `open` per cell left open, `option` per option chosen, `missing` per kind and copy left out
    (of `most` copies), `region` per connected region of open cells, at least 0.
    """

    sign: int
    open: tuple[int, ...]
    option: tuple[int, ...]
    missing: tuple[int, ...]
    region: int


def costs(problem: Problem, objective: Objective) -> Costs:
    """Return the costs of an objective, one figure for each cell, option and kind.

    Raises
    ------
    ValueError
        If a list of the objective is not as long as the problem's, or if copies left out cost
        something where any number may be used.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind
    >>> problem = Problem(("0,0", "0,1"), (Kind("I1", 0, 2),), (), False)
    >>> costs(problem, Objective(sense="maximise", missing_penalty=(-3,)))
    Costs(sign=-1, open=(0, 0), option=(), missing=(3,), region=0)
    """
    sign = 1 if objective.sense == "minimise" else -1
    missing = _filled_up(objective.missing_penalty, len(problem.kinds), "kinds", sign)
    for kind, cost in zip(problem.kinds, missing, strict=True):
        if cost and kind.most is None:
            raise ValueError(f"{kind.name}: any number may be used, so no copy can be missing")
    return Costs(
        sign,
        _filled_up(objective.open_penalty, len(problem.cells), "cells", sign),
        _filled_up(objective.option_value, len(problem.options), "options", sign),
        missing,
        sign * objective.region_penalty,
    )


def _filled_up(given: tuple[int, ...], length: int, what: str, sign: int) -> tuple[int, ...]:
    if given and len(given) != length:
        raise ValueError(f"{len(given)} figures for {length} {what}")
    return tuple(sign * figure for figure in given) or (0,) * length


@dataclass(frozen=True)
class Found:
    """What an engine found.

    Parameters
    ----------
    status : {"optimal", "feasible", "infeasible", "unknown"}
        `feasible` without `stopped_by` is a plain yes to a question without objective;
        otherwise `feasible` and `unknown` were cut short.
    chosen : tuple of int
        Option indices, ascending.
    score, bound : int or None
        Of the selection, and of any selection.
    stopped_by : str or None
        What cut it short.
    bound_by : str
        What the bound rests on: ``area``, ``weights`` (both checked in whole numbers), or
        ``CP-SAT``.
    """

    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    chosen: tuple[int, ...] = ()
    score: int | None = None
    bound: int | None = None
    stopped_by: StoppedBy | None = None
    bound_by: str = ""


def open_mask(problem: Problem, chosen: Sequence[int]) -> int:
    """Return the mask of the cells that a selection leaves open.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> problem = Problem(("0,0", "0,1"), (Kind("I1", 0, 2),), (Option(0, 1), Option(0, 2)), False)
    >>> open_mask(problem, [0])
    2
    """
    mask = problem.everything
    for index in chosen:
        mask &= ~problem.options[index].mask
    return mask


def evaluate(problem: Problem, objective: Objective, chosen: Sequence[int]) -> int:
    """Return the score of a selection, recomputed without a solver.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> problem = Problem(("0,0", "0,1", "0,2"), (Kind("I1", 0, 2),),
    ...                   (Option(0, 1), Option(0, 2), Option(0, 4)), False, ((1,), (0, 2), (1,)))
    >>> objective = Objective(open_penalty=(1, 1, 1), missing_penalty=(5,), region_penalty=10)
    >>> evaluate(problem, objective, [1])
    27
    """
    cost = costs(problem, objective)
    left_open = open_mask(problem, chosen)
    used = Counter(problem.options[index].kind for index in chosen)
    total = sum(cost.open[cell] for cell in bits(left_open))
    total += sum(cost.option[index] for index in chosen)
    for number, missing in enumerate(cost.missing):
        total += missing * ((problem.kinds[number].most or 0) - used[number])
    if cost.region:
        total += cost.region * len(components(left_open, neighbour_masks(problem)))
    return cost.sign * total


def faults(
    problem: Problem, chosen: Sequence[int], objective: Objective | None = None
) -> tuple[str, ...]:
    """Say in words how a selection breaks the problem, or the objective's rules if one is given.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> problem = Problem(("0,0", "0,1"), (Kind("I1", 2, 2),), (Option(0, 1), Option(0, 2)), True)
    >>> faults(problem, [0, 1]), faults(problem, [0])
    ((), ('I1 is used 1 times', 'not every cell is covered'))
    """
    found = list(_count_faults(problem, chosen))
    masks = [problem.options[index].mask for index in chosen]
    if sum(mask.bit_count() for mask in masks) != _union(masks).bit_count():
        found.append("options overlap")
    elif objective is not None:
        found += _rule_faults(problem, objective, masks)
        if not all(clause.kept(chosen) for clause in objective.clauses):
            found.append("a clause is broken")
    if problem.cover and _union(masks) != problem.everything:
        found.append("not every cell is covered")
    return tuple(found)


def _union(masks: Sequence[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _count_faults(problem: Problem, chosen: Sequence[int]) -> Iterator[str]:
    used = Counter(problem.options[index].kind for index in chosen)
    for number, kind in enumerate(problem.kinds):
        if used[number] < kind.least or (kind.most is not None and used[number] > kind.most):
            yield f"{kind.name} is used {used[number]} times"


def _rule_faults(problem: Problem, objective: Objective, masks: Sequence[int]) -> Iterator[str]:
    neighbours = neighbour_masks(problem)
    anchors, begun = objective.anchors, objective.begun
    if objective.touch:
        order = touching_order(masks, neighbours, anchors=anchors, begun=begun)
        if len(order) < len(masks):
            yield "an option does not touch what lies already"
    if objective.connected:
        groups = objective.joined
        lying = ((1 << len(groups)) - 1) << len(neighbours)
        if len(components(_union(masks) | lying, with_groups(neighbours, groups))) > 1:
            yield "what is filled is not connected"
