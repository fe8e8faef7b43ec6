"""The shortest line of a puzzle: found among arrangements, told in blocks with their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from typing import Any, TypeAlias

import numpy as np

from tilesolve.answers import Reason, Rung, WrongAnswer
from tilesolve.budget import Meter
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Shortest, line_back, meet
from tilesolve.graph.thin import thin_line
from tilesolve_models.sliding_blocks.arrangements import Arrangements, Group, arrangements
from tilesolve_models.sliding_blocks.blocks import Block
from tilesolve_models.sliding_blocks.goals import describe
from tilesolve_models.sliding_blocks.lanes import lanes
from tilesolve_models.sliding_blocks.parity import parity_reason
from tilesolve_models.sliding_blocks.rules import Move, State, check, route

Slide: TypeAlias = tuple[Group, Block, Block]
"""Whose block moves, and blocks standing for where it lay and where it lies then."""


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
    return _played(graph.state, _slides(graph, keys)).moves


def _slides(graph: Arrangements, keys: Sequence[Any]) -> Iterator[Slide]:
    before = graph.places(graph.start)
    for key in keys[1:]:
        after = graph.places(np.array([key], dtype=graph.start.dtype))
        for group, old, new in zip(graph.groups, before, after, strict=True):
            if old != new:
                (origin,) = set(old) - set(new)
                (end,) = set(new) - set(old)
                yield group, origin, end
        before = after


def _played(state: State, slides: Iterable[Slide]) -> State:
    """Play slides from a state in which no move was made yet, by the rules."""
    blocks = dict(state.blocks)
    line: list[Move] = []
    for group, origin, end in slides:
        name = next(name for name in group.names if blocks[name].cells == origin.cells)
        line.append(Move(name, route(state, blocks, name, end.cells)))
        blocks[name] = Block(name, end.cells, end.axis)
    played = replace(state, moves=tuple(line))
    broken = check(played).violations
    if broken:
        raise WrongAnswer(f"the search made a move that the rules forbid: {broken[0].message}")
    return played


def _from_start(graph: Arrangements, meter: Meter) -> Outcome:
    plain = lanes(graph)
    if plain is not None:
        thin = thin_line(plain.start, plain.beyond, plain.done, size=plain.size, meter=meter)
        if thin is not None:
            slides = starmap(plain.moved, pairwise(thin.line))
            return _outcome(graph, thin, slides, "can be reached", "meets the goal")
    seen = graph.walk(meter=meter, until=graph.done)
    line = line_back(seen, seen.found[0], graph.neighbours) if len(seen.found) else ()
    wide = Shortest(
        line=line,
        exhausted=seen.exhausted,
        bound=seen.depth + (not line),
        states=seen.states,
    )
    return _outcome(graph, wide, _slides(graph, line), "can be reached", "meets the goal")


def _from_both(graph: Arrangements, end: Keys, meter: Meter) -> Outcome:
    met = meet(graph.start, end, graph.neighbours, meter=meter, chunk=graph.chunk)
    slides = _slides(graph, met.line)
    return _outcome(graph, met, slides, "can be reached from one end", "is the other")


def _outcome(
    graph: Arrangements, found: Shortest, slides: Iterable[Slide], which: str, lacking: str
) -> Outcome:
    """Return what was found: a line once it is replayed, and what a search in vain proves."""
    if found.line:
        state = _played(graph.state, slides)
        if not state.done:
            raise WrongAnswer("the line does not end at the goal")
        return Outcome(line=state.moves, bound=found.bound, states=found.states)
    if not found.exhausted:
        return Outcome(bound=found.bound, states=found.states)
    message = f"every arrangement that {which} was looked at ({found.states}); none {lacking}"
    reason = Reason(code="exhausted", message=message)
    return Outcome(rung="exhausted", reasons=(reason,), states=found.states)


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
