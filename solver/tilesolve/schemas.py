"""JSON Schemas of every file, request and result."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.geometry.schema import CELL, PIECES, PLACED, SHEET
from tilesolve.registry import get_game, loadable_games
from tilesolve.wire import dump

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_STOPPED_BY = {"enum": ["time", "work", "interrupted", "memory"]}
_SECONDS = {"type": "number", "minimum": 0}
_COUNTED = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]}
_CELLS = {"type": "array", "items": CELL}
_NAMES = {"type": "array", "items": {"type": "string"}}
_WITNESS = {"type": "array", "items": PLACED}
_RUNG = {
    "enum": ["trivial", "colouring", "weights", "search", "clausal", "two engines", "exhausted"]
}


def _object(required: list[str], **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": required}


_REASON = _object(
    ["code", "message"],
    code={"type": "string"},
    message={"type": "string"},
    cells=_CELLS,
    pieces=_NAMES,
)
_REASONS = {"type": "array", "items": _REASON}
VIOLATIONS: Json = {
    "type": "array",
    "items": _object(
        ["code", "message"],
        code={"type": "string"},
        rule={"type": "string"},
        message={"type": "string"},
        cells=_CELLS,
        pieces=_NAMES,
    ),
}
_ILLEGAL = {
    "title": "what the rules forbid",
    **_object(["violations"], violations=VIOLATIONS),
    "additionalProperties": False,
}

_RESULTS: dict[str, Json] = {
    "check": _object(
        ["legal", "complete", "violations"],
        legal={"type": "boolean"},
        complete={"type": "boolean"},
        score={"type": "integer"},
        violations=VIOLATIONS,
    ),
    "fit": _object(
        ["answer", "seconds"],
        answer={"enum": ["yes", "no", "unknown"]},
        witness=_WITNESS,
        reasons=_REASONS,
        rung=_RUNG,
        read={"type": "object", "additionalProperties": {"type": "integer"}},
        pieces={
            "type": "array",
            "items": _object(
                ["piece", "placements"],
                piece={"type": "string"},
                placements={"type": "integer", "minimum": 0},
                example=_CELLS,
            ),
        },
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "best": _object(
        ["proof", "unit", "seconds"],
        proof={"enum": ["optimal", "feasible", "infeasible", "unknown"]},
        unit={"type": "string"},
        score={"type": "integer"},
        bound={"type": "integer"},
        line={"type": "array"},
        reasons=_REASONS,
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "hint": _object(
        ["hints", "exact", "unit"],
        hints={
            "type": "array",
            "items": _object(
                ["reason"],
                move={},
                value={"type": ["number", "string"]},
                standard_error={"type": "number", "minimum": 0},
                loss={"type": "number", "minimum": 0},
                reason={"type": "string", "minLength": 1},
                cells=_CELLS,
            ),
        },
        exact={"type": "boolean"},
        unit={"type": "string"},
        reasons=_REASONS,
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "count": _object(
        ["raw", "exact"],
        raw=_COUNTED,
        reduced=_COUNTED,
        exact={"type": "boolean"},
        symmetries=_NAMES,
        marginals={
            "type": "array",
            "items": _object(
                ["piece", "cells", "solutions"],
                piece={"type": "string"},
                cells=_CELLS,
                solutions=_COUNTED,
            ),
        },
        reasons=_REASONS,
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "solve": {
        "anyOf": [
            _object(["witness"], witness=_WITNESS),
            _object(
                ["solutions", "exhausted"],
                solutions={"type": "integer", "minimum": 0},
                exhausted={"type": "boolean"},
                stopped_by=_STOPPED_BY,
            ),
        ]
    },
    "explain": _object(
        ["answer"],
        answer={"enum": ["yes", "no", "unknown"]},
        rung=_RUNG,
        reasons=_REASONS,
        conflict={"type": "object"},
        ways_out={
            "type": "array",
            "items": _object(["change"], change={"type": "string"}, witness=_WITNESS),
        },
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "verify": _object(
        ["accepted", "rung", "claim", "message"],
        accepted={"enum": ["yes", "no", "unknown"]},
        rung={"type": "string"},
        claim={"type": "string"},
        message={"type": "string"},
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "difficulty": _object(
        ["grade", "measures"],
        grade={"type": "number", "minimum": 1, "maximum": 10},
        measures={"type": "object"},
        hardest_technique={"type": "string"},
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
    "simulate": _object(
        ["policies", "seed", "unit"],
        policies={
            "type": "array",
            "items": _object(
                ["policy", "games", "mean", "standard_error", "distribution"],
                policy={"type": "string"},
                games={"type": "integer", "minimum": 0},
                mean={"type": "number"},
                standard_error={"type": "number", "minimum": 0},
                distribution={"type": "object", "additionalProperties": {"type": "integer"}},
            ),
        },
        seed={"type": "integer"},
        unit={"type": "string"},
        stopped_by=_STOPPED_BY,
        seconds=_SECONDS,
    ),
}


def result_schema(operation: str) -> Json:
    """Return the schema of an operation's result; other than check, it may be refused.

    Examples
    --------
    >>> result_schema("check")["required"]
    ['legal', 'complete', 'violations']
    """
    own = _RESULTS[operation]
    return own if operation == "check" else {"anyOf": [own, _ILLEGAL]}


def schemas() -> dict[str, Json]:
    """Return all schemas by name: ``sheet``, ``pieces``, each game's state, each result.

    Examples
    --------
    >>> {"sheet", "pieces", "polyform", "fit-result"} <= schemas().keys()
    True
    """
    found: dict[str, Json] = {"sheet": SHEET, "pieces": PIECES}
    for name in loadable_games():
        info = get_game(name).info
        found[name] = dump(info.state_schema)
        found[f"{name}-move"] = dump(info.move_schema)
    for operation in _RESULTS:
        found[f"{operation}-result"] = result_schema(operation)
    return {name: {"$schema": DIALECT, **schema} for name, schema in found.items()}
