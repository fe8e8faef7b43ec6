"""What is left of a question whose worker had to be ended: the last that it told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from tilesolve.answers import (
    Best,
    Count,
    Explanation,
    Fit,
    Hints,
    Json,
    Reason,
    Simulation,
    Solved,
)
from tilesolve.budget import StoppedBy
from tilesolve.registry import get_game
from tilesolve.serve.request import News, Request
from tilesolve.wire import dump

_WHY = Reason(
    code="worker-ended",
    message="the worker did not stop in time and was ended: only what it had reported is known",
)


Left: TypeAlias = Fit | Best | Count | Hints | Explanation | Simulation | Solved


def remains(
    request: Request, news: Sequence[News], stopped_by: StoppedBy, *, seconds: float
) -> Json | None:
    """Return an honest answer from what a worker reported before it was ended.

    A score is the last one reported; its line is lost with the worker, so no rule code has seen
    it, and the answer says so. Solutions that were handed out are kept.

    Parameters
    ----------
    news : sequence of News
        What was heard of the question, oldest first.
    seconds : float
        How long it was worked on.

    Returns
    -------
    JSON or None
        None for an operation whose answer cannot be left open.

    Examples
    --------
    >>> request = Request(game="null", operation="best", body={})
    >>> told = [News(content=b'{"stage": "search", "score": 4, "bound": 2}')]
    >>> answer = remains(request, told, "interrupted", seconds=1.0)
    >>> answer["proof"], answer["score"], answer["bound"], answer["stopped_by"]
    ('feasible', 4, 2, 'interrupted')
    >>> remains(Request(game="null", operation="new", body={}), [], "time", seconds=1.0) is None
    True
    """
    parts = [each.value for each in news if each.kind == "part"]
    told = [each.value for each in news if each.kind == "progress"]
    left = _left(request, told, len(parts), stopped_by)
    if left is None:
        return None
    answer: dict[str, Json] = dump(replace(left, seconds=seconds))
    return {"witnesses": parts, **answer} if request.operation == "solve" else answer


def _left(request: Request, told: Sequence[Json], parts: int, stopped_by: StoppedBy) -> Left | None:
    why = (_WHY,)
    match request.operation:
        case "fit":
            return Fit(answer="unknown", reasons=why, stopped_by=stopped_by)
        case "explain":
            return Explanation(answer="unknown", reasons=why, stopped_by=stopped_by)
        case "best":
            return _best(_unit(request), told, stopped_by)
        case "count":
            return Count(raw=0, exact=False, reasons=why, stopped_by=stopped_by)
        case "hint":
            unit = _unit(request)
            return Hints(hints=(), exact=False, unit=unit, reasons=why, stopped_by=stopped_by)
        case "solve":
            return Solved(solutions=parts, exhausted=False, stopped_by=stopped_by)
        case "simulate":
            seed = request.budget.get("seed", 0)
            return Simulation(policies=(), seed=seed, unit=_unit(request), stopped_by=stopped_by)
    return None


def _unit(request: Request) -> str:
    return get_game(request.game).info.unit


def _best(unit: str, told: Sequence[Json], stopped_by: StoppedBy) -> Best:
    scored = [progress for progress in told if "score" in progress]
    if not scored:
        return Best(proof="unknown", unit=unit, reasons=(_WHY,), stopped_by=stopped_by)
    return Best(
        proof="feasible",
        unit=unit,
        score=scored[-1]["score"],
        bound=scored[-1].get("bound"),
        reasons=(_WHY,),
        stopped_by=stopped_by,
    )
