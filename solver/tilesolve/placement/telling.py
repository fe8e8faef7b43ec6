"""What the ladder of techniques says of the next placement, in words: the reasons of hints."""

from __future__ import annotations

from collections.abc import Sequence

from tilesolve.budget import Meter
from tilesolve.placement.problem import Problem
from tilesolve.placement.techniques import (
    Board,
    Step,
    apply,
    first_success,
    lone_placements,
    lone_places,
)


def at_a_glance(board: Board) -> dict[int, Step]:
    """Return the placements that are seen to be forced, each with the easiest step that shows it.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0",), (Kind("I1", 1, 1),), (Option(0, 1),), True, ((),), ((0, 0),))
    >>> [step.technique for step in at_a_glance(Board(row)).values()]
    ['only placement of a cell']
    """
    start = board.start()
    found: dict[int, Step] = {}
    for technique in (lone_placements, lone_places) if board.problem.cover else (lone_places,):
        for step in technique(board, start):
            if step.placed is not None:
                found.setdefault(step.placed, step)
    return found


def first_placement(board: Board, *, meter: Meter) -> tuple[Step, ...]:
    """Return the steps up to the first placement that the ladder forces; none if it forces none.

    All but the last strike options out.
    """
    position = board.start()
    steps: list[Step] = []
    while not board.finished(position) and not board.broken(position):
        step = first_success(board, position, meter)
        if step is None:
            return ()
        steps.append(step)
        if step.placed is not None:
            return tuple(steps)
        position = apply(board, position, step)
    return ()


def reason_of(problem: Problem, steps: Sequence[Step]) -> str:
    """Say why the last of some steps is forced, and what ruled other placements out before.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0",), (Kind("I1", 1, 1),), (Option(0, 1),), True, ((),), ((0, 0),))
    >>> ruled_out, forced = Step("pocket sizes"), Step("only place of a piece", 0, kinds=(0,))
    >>> reason_of(row, [ruled_out, forced])
    'the I1 has no other placement left: others leave a pocket that no choice of pieces fills'
    """
    before = dict.fromkeys(sentence(problem, step) for step in steps[:-1])
    last = sentence(problem, steps[-1])
    return f"{last}: {'; '.join(before)}" if before else last


def sentence(problem: Problem, step: Step) -> str:
    """Say why a step holds.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("0,0",), (Kind("I1", 1, 1),), (Option(0, 1),), True, ((),), ((0, 0),))
    >>> sentence(row, Step("only place of a piece", 0, kinds=(0,)))
    'the I1 has no other placement left'
    """
    names = _listed([f"the {problem.kinds[kind].name}" for kind in step.kinds])
    cells = _listed([str(list(problem.places[cell])) for cell in step.cells])
    match step.technique:
        case "only placement of a cell":
            return f"only {names} fits here: nothing else covers {cells}"
        case "only place of a piece":
            return f"{names} has no other placement left"
        case "pocket sizes":
            return "others leave a pocket that no choice of pieces fills"
        case "pair of pieces":
            return f"{names} have to share {cells}"
        case "chessboard colours":
            return f"the colours of a chessboard do not add up with {names} elsewhere"
        case _:
            return "others leave a cell or a piece without a placement"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if words[1:] else "") + "".join(words[-1:])
