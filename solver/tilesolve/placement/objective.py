"""What a selection of placements is worth, which ones are allowed, and what an engine found.

There is no solver here: `evaluate` and `faults` recompute from the problem alone what an engine
claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tilesolve.budget import StoppedBy
from tilesolve.placement.connect import components, neighbour_masks, touching_order
from tilesolve.placement.problem import Problem


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
        The chosen cells, together with what is filled already, form one connected group. What
        is filled already counts as one group.
    touch : bool
        In some order every option has a cell beside one that is filled already; the first of
        all lies anywhere when nothing is filled.
    anchors : int
        Mask of the open cells that lie beside something filled already.
    begun : bool
        Something is filled already. Needed only where that has no open cell beside it; with
        anchors it is true anyway.

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

    def __post_init__(self) -> None:
        welcome = self.region_penalty < 0 if self.sense == "minimise" else self.region_penalty > 0
        if welcome:
            raise ValueError("regions of open cells can only be unwelcome")
        if self.anchors:
            object.__setattr__(self, "begun", True)


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
    """

    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    chosen: tuple[int, ...] = ()
    score: int | None = None
    bound: int | None = None
    stopped_by: StoppedBy | None = None


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
    left_open = open_mask(problem, chosen)
    score = sum(
        penalty for cell, penalty in enumerate(objective.open_penalty) if left_open >> cell & 1
    )
    if objective.option_value:
        score += sum(objective.option_value[index] for index in chosen)
    if any(objective.missing_penalty):
        used = Counter(problem.options[index].kind for index in chosen)
        for number, penalty in enumerate(objective.missing_penalty):
            if penalty:
                score += penalty * ((problem.kinds[number].most or 0) - used[number])
    if objective.region_penalty:
        regions = components(left_open, neighbour_masks(problem))
        score += objective.region_penalty * len(regions)
    return score


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
        parts = components(_union(masks), neighbours)
        if any(not part & anchors for part in parts) if begun else len(parts) > 1:
            yield "what is filled is not connected"
