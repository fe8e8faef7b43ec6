"""The questions about a sliding-block puzzle, asked of its state graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from tilesolve.answers import Best, Count, Fit, Json, Reason, Solved, Witness
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState, InputError
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Walk
from tilesolve.graph.thin import ThinWalk, thin_walk
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.boards import dump_move, with_settings
from tilesolve_models.sliding_blocks.lanes import lanes
from tilesolve_models.sliding_blocks.lines import shortest_lines
from tilesolve_models.sliding_blocks.placements import placements
from tilesolve_models.sliding_blocks.rules import METRICS, Move, State, check, counted, present
from tilesolve_models.sliding_blocks.search import shortest


def asked(state: State, *, goal: Node | None, metric: str | None, needs_goal: bool = True) -> State:
    """Return the puzzle that a question is about: from where it is now, with its settings.

    Raises
    ------
    IllegalState
        If the state breaks rules.
    InputError
        If a goal is needed and none is given.
    """
    state = with_settings(state, goal=goal, metric=metric)
    verdict = check(state)
    if not verdict.legal:
        raise IllegalState(verdict)
    if needs_goal and not state.goal:
        raise InputError(
            "this question needs a goal, as 'A at 3,1' or 'A touches right'", place="$.goal"
        )
    return present(state)


def measured(state: State) -> Mapping[str, Json]:
    """Return the details that name the metric."""
    return {"metric": state.metric, "metric_means": METRICS[state.metric]}


def told_line(line: tuple[Move, ...]) -> list[Json]:
    """Return a line as JSON moves."""
    return [dump_move(move) for move in line]


def fit(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
) -> Fit:
    """Can the goal be reached from here? A yes has a shortest line in ``line``."""
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric)
    found = shortest(state, meter=meter)
    details: dict[str, Json] = {**measured(state), "states": found.states}
    read = {
        "cells": state.board.rows * state.board.columns - len(state.board.walls),
        "blocks": len(state.start),
        "block_cells": sum(len(block.cells) for block in state.start),
    }
    if found.line is not None:
        details |= {"needed": len(found.line), "line": told_line(found.line)}
        return Fit(answer="yes", read=read, seconds=meter.seconds, details=details)
    if found.rung is not None:
        return Fit(
            answer="no",
            rung=found.rung,
            reasons=found.reasons,
            read=read,
            seconds=meter.seconds,
            details=details,
        )
    return Fit(
        answer="unknown",
        read=read,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=details | {"needed_at_least": found.bound},
    )


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
) -> Best:
    """How few moves reach the goal from here?"""
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric)
    found = shortest(state, meter=meter)
    details: dict[str, Json] = {**measured(state), "states": found.states}
    if found.line is not None:
        return Best(
            proof="optimal",
            unit=state.metric,
            score=len(found.line),
            bound=len(found.line),
            line=tuple(told_line(found.line)),
            seconds=meter.seconds,
            details=details | {"steps": counted(found.line, "steps")},
        )
    if found.rung is not None:
        return Best(
            proof="infeasible",
            unit=state.metric,
            reasons=found.reasons,
            seconds=meter.seconds,
            details=details | {"rung": found.rung},
        )
    return Best(
        proof="unknown",
        unit=state.metric,
        bound=found.bound,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=details,
    )


def count(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
    placed: bool = False,
) -> Count:
    """How many arrangements can be reached from here, and how many at each distance?

    `placed` asks too how many arrangements there are, reachable or not.
    """
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric, needs_goal=False)
    details: dict[str, Json] = {"counted": "states", **measured(state)}
    graph = arrangements(state, meter=meter)
    if graph is None:
        return Count(raw=1, exact=False, stopped_by=meter.stopped_by, details=details)
    seen, goals = _seen(graph, meter)
    details |= {"distances": list(seen.sizes), "farthest": len(seen.sizes) - 1}
    if state.goal:
        details["goal_states"] = sum(goals)
        nearest = next((depth for depth, number in enumerate(goals) if number), None)
        details |= {} if nearest is None else {"needed": nearest}
    if placed and seen.exhausted:
        number = placements(graph, meter=meter)
        details |= {} if number is None else {"placements": number}
    return Count(
        raw=sum(seen.sizes),
        exact=meter.stopped_by is None,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=details,
    )


def _seen(graph: Arrangements, meter: Meter) -> tuple[Walk | ThinWalk, list[int]]:
    """Walk through all arrangements; return with that how many at each distance meet the goal."""
    goals: list[int] = []

    def note_thin(states: AbstractSet[int]) -> Sequence[int]:
        goals.append(len(plain.done(states)) if plain is not None and graph.state.goal else 0)
        return ()

    def note(keys: Keys) -> NDArray[np.bool_]:
        goals.append(int(graph.done(keys).sum()))
        return np.zeros(len(keys), dtype=bool)

    plain = None if graph.ends is not None else lanes(graph)
    if plain is not None:
        thin = thin_walk(plain.start, plain.beyond, note_thin, meter=meter)
        if thin is not None:
            return thin, goals
        goals.clear()
    return graph.walk(meter=meter, until=note, keep=False), goals


def solve(
    state: State,
    *,
    limit: int | None,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
) -> Iterator[Witness | Solved]:
    """Yield all shortest lines, one by one; equal blocks are not told apart."""
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric)
    given = 0
    for line in shortest_lines(state, meter=meter):
        if given == limit:
            yield Solved(
                solutions=given, exhausted=False, seconds=meter.seconds, details=measured(state)
            )
            return
        given += 1
        details = {"line": told_line(line), "needed": len(line), **measured(state)}
        yield Witness(witness=(), details=details)
    yield Solved(
        solutions=given,
        exhausted=meter.stopped_by is None,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=measured(state),
    )


def no_line(states: int) -> Reason:
    """Return the reason why there is nothing to advise."""
    message = f"the goal cannot be reached from here: every arrangement was looked at ({states})"
    return Reason(code="exhausted", message=message)
