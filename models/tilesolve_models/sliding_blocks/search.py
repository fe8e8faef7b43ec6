"""The shortest line of a puzzle: found among arrangements, told in blocks with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilesolve.answers import Reason, Rung, WrongAnswer
from tilesolve.budget import Meter
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import line_back, meet
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.goals import describe
from tilesolve_models.sliding_blocks.parity import parity_reason
from tilesolve_models.sliding_blocks.rules import Move, State, apply, broken_by, route


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a search for the shortest line found.

    Parameters
    ----------
    line : tuple of Move or None
        A shortest line; None when there is none or none was found yet.
    bound : int
        No line is shorter than this.
    states : int
        Arrangements looked at.
    rung, reasons
        Why there is no line, where that is proven.
    """

    line: tuple[Move, ...] | None = None
    bound: int = 0
    states: int = 0
    rung: Rung | None = None
    reasons: tuple[Reason, ...] = ()


def shortest(state: State, *, meter: Meter) -> Outcome:
    """Search for a shortest line from the position of a legal puzzle to its goal.

    Without a line and without a rung, the meter says what stopped the search.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.sliding_blocks.boards import load
    >>> state = load(Node({"game": "sliding-blocks", "board": "A.B", "goal": "B at 0,1"}))
    >>> shortest(state, meter=Meter(budget=Budget())).line
    (Move(block='B', path=('left',), to=None),)
    """
    if state.done:
        return Outcome(line=())
    graph = arrangements(state, meter=meter)
    if graph is None:
        return Outcome(bound=1)
    barred = _barred(graph)
    if barred:
        return Outcome(rung="trivial", reasons=barred, states=1)
    end = graph.only_goal()
    if not len(end):
        return _from_start(graph, meter)
    odd = parity_reason(graph, end)
    if odd is not None:
        return Outcome(rung="colouring", reasons=(odd,), states=1)
    return _from_both(graph, end, meter)


def told(graph: Arrangements, keys: Sequence[Any]) -> tuple[Move, ...]:
    """Return the moves between successive arrangements, of blocks with their own names.

    Parameters
    ----------
    keys : sequence of scalars
        From the graph's own position on.

    Raises
    ------
    WrongAnswer
        If the rules forbid one of the moves.
    """
    state, line = graph.state, list[Move]()
    before = graph.places(graph.start)
    for key in keys[1:]:
        after = graph.places(np.array([key], dtype=graph.start.dtype))
        move = _told(graph, state, before, after)
        if broken_by(state, move):
            raise WrongAnswer(f"the search made a move that the rules forbid: {move}")
        state, before = apply(state, move), after
        line.append(move)
    return tuple(line)


def _told(graph: Arrangements, state: State, before: Any, after: Any) -> Move:
    for group, old, new in zip(graph.groups, before, after, strict=True):
        left = {block.place for block in old}
        taken = {block.place for block in new}
        if left != taken:
            (origin,), (to,) = left - taken, taken - left
            name = next(name for name in group.names if state.blocks[name].place == origin)
            return Move(name, route(state, name, to))
    raise WrongAnswer("two successive arrangements are the same")


def _from_start(graph: Arrangements, meter: Meter) -> Outcome:
    seen = graph.walk(meter=meter, until=graph.done)
    if len(seen.found):
        keys = line_back(seen, seen.found[0], graph.neighbours)
        return Outcome(line=_proven(graph, keys), bound=seen.depth, states=seen.states)
    if seen.exhausted:
        return _exhausted(seen.states, "can be reached", "meets the goal")
    return Outcome(bound=seen.depth + 1, states=seen.states)


def _from_both(graph: Arrangements, end: Keys, meter: Meter) -> Outcome:
    met = meet(graph.start, end, graph.neighbours, meter=meter, chunk=graph.chunk)
    if met.line:
        return Outcome(line=_proven(graph, met.line), bound=len(met.line) - 1, states=met.states)
    if met.exhausted:
        return _exhausted(met.states, "can be reached from one end", "is the other")
    return Outcome(bound=met.bound, states=met.states)


def _exhausted(states: int, which: str, lacking: str) -> Outcome:
    message = f"every arrangement that {which} was looked at ({states}); none {lacking}"
    return Outcome(
        rung="exhausted", reasons=(Reason(code="exhausted", message=message),), states=states
    )


def _proven(graph: Arrangements, keys: Sequence[Any]) -> tuple[Move, ...]:
    """Return the line, after replaying it by the rules."""
    line = told(graph, keys)
    state = graph.state
    for move in line:
        state = apply(state, move)
    if not state.done:
        raise WrongAnswer("the line does not end at the goal")
    return line


def _barred(graph: Arrangements) -> tuple[Reason, ...]:
    """Return the conditions that their blocks could not meet even alone on the board."""
    goal = [graph.state.goal[number] for number in graph.unreachable()]
    return tuple(
        Reason(
            code="out-of-reach",
            message=f"'{describe(condition)}' cannot be met even on an empty board",
            pieces=condition.blocks,
        )
        for condition in goal
    )
