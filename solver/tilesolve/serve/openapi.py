"""The OpenAPI description: paths from the games' operations, schemas from their own schemas."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tilesolve import answers
from tilesolve.answers import Json
from tilesolve.serve.request import Limits

_RESULTS: Mapping[str, type] = {
    "check": answers.Verdict,
    "fit": answers.Fit,
    "best": answers.Best,
    "hint": answers.Hints,
    "count": answers.Count,
    "solve": answers.Solved,
    "explain": answers.Explanation,
    "difficulty": answers.Difficulty,
    "simulate": answers.Simulation,
}
_SUMMARIES: Mapping[str, str] = {
    "check": "Which rules are broken, all at once",
    "show": "The position as a neutral picture",
    "read": "The state as it was understood, short forms written out",
    "convert": "The state in another format",
    "moves": "The legal moves",
    "apply": "The state after a move",
    "fit": "Can it still fit?",
    "best": "The best score still possible",
    "hint": "What to do next, ranked",
    "count": "How many solutions there are",
    "solve": "The solutions one by one",
    "explain": "Why not, and what would help",
    "difficulty": "How hard it is",
    "simulate": "Many games by policy",
    "new": "A starter or a random deal",
}
_REFUSALS = {
    "400": "not JSON",
    "404": "no such game or operation",
    "408": "the body did not come in time",
    "413": "the body is too large",
    "415": "the body is not application/json",
    "422": "the body cannot be understood, or asks for more than the limits",
    "429": "too many questions are waiting",
    "503": "the worker process ended before the answer",
}
_REFUSAL: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "stable, for programs"},
                "message": {"type": "string"},
                "path": {"type": "string", "description": "JSON path into the body"},
                "offered": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["code", "message"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
_ILLEGAL: Json = {
    "type": "object",
    "description": "what is returned in place of an answer when the rules forbid the state",
    "properties": {
        "violations": {"type": "array", "items": {"$ref": "#/components/schemas/Violation"}}
    },
    "required": ["violations"],
    "additionalProperties": False,
}
_JOB: Json = {
    "type": "object",
    "properties": {
        "job": {"type": "string"},
        "status": {"enum": ["waiting", "running", "done", "refused"]},
        "progress": {"type": "object"},
        "answer": {"type": "object"},
        "error": {"type": "object"},
    },
    "required": ["job", "status"],
    "additionalProperties": False,
}


def describe(described: Json, limits: Limits) -> Json:
    """Return the OpenAPI document of a server.

    Parameters
    ----------
    described : JSON
        What `tilesolve.serve.desk.describe` says.
    limits : Limits
        For the budget's maxima.

    Examples
    --------
    >>> from tilesolve.serve import desk
    >>> document = describe(desk.describe(), Limits())
    >>> "/v1/null/best" in document["paths"]
    True
    """
    schemas: dict[str, Json] = {
        "Refusal": _REFUSAL,
        "Job": _JOB,
        "Illegal": _ILLEGAL,
        "Budget": _budget(limits),
    }
    for answer in (*_RESULTS.values(), answers.Witness):
        _add(answer, schemas)
    paths: dict[str, Json] = {}
    for game in described["games"]:
        name = game["game"]
        for part in ("state", "move"):
            schemas[f"{name}.{part}"] = _hoisted(game["schemas"][part], f"{name}.{part}", schemas)
        _without_its_name(schemas[f"{name}.state"])
        for operation, parameters in game["operations"].items():
            paths[f"/v1/{name}/{operation}"] = {"post": _operation(name, operation, parameters)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tilesolve",
            "version": described["engine"]["version"],
            "description": "Solver, rule checker and hint engine for placement puzzles.",
        },
        "paths": {**paths, **_fixed_paths()},
        "components": {"schemas": schemas},
    }


def _without_its_name(state: Json) -> None:
    """Let a state go without the field ``game``: the path names it."""
    if "required" in state:
        state["required"] = [name for name in state["required"] if name != "game"]


def _operation(game: str, operation: str, parameters: Json) -> Json:
    return {
        "operationId": f"{game}.{operation}",
        "tags": [game],
        "summary": _SUMMARIES.get(operation, operation),
        "parameters": [
            {
                "name": "job",
                "in": "query",
                "required": False,
                "schema": {"enum": ["true", "false"]},
                "description": "true: do not wait, answer 202 with a job",
            }
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _body(game, operation, parameters)}},
        },
        "responses": {
            "200": _content("the answer", _result(operation)),
            "202": _content("a job", {"$ref": "#/components/schemas/Job"}),
            **_refusals(),
        },
    }


def _body(game: str, operation: str, parameters: Json) -> Json:
    fields: dict[str, Json] = {
        "budget": {"$ref": "#/components/schemas/Budget"},
        "comment": {"type": "string"},
    }
    required = [] if operation in ("new", "simulate") else ["state"]
    if operation != "new":
        fields["state"] = {"$ref": f"#/components/schemas/{game}.state"}
    fields |= {parameter["name"]: _parameter(parameter) for parameter in parameters}
    if operation in ("check", "apply"):
        fields["move"] = {"$ref": f"#/components/schemas/{game}.move"}
    if operation == "apply":
        required.append("move")
    return {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }


def _parameter(parameter: Json) -> Json:
    schema: dict[str, Json] = {"description": parameter.get("help", "")}
    if parameter["kind"] != "json":
        schema["type"] = parameter["kind"]
    for ours, theirs in (("choices", "enum"), ("least", "minimum"), ("most", "maximum")):
        if ours in parameter:
            schema[theirs] = parameter[ours]
    return schema


def _result(operation: str) -> Json:
    match operation:
        case "show":
            return {"type": "object", "properties": {"tiles": {"type": "array"}}}
        case "moves":
            answer: Json = {
                "type": "object",
                "properties": {"moves": {"type": "array"}, "exhausted": {"type": "boolean"}},
                "required": ["moves", "exhausted"],
            }
        case "convert":
            answer = {
                "type": "object",
                "properties": {"format": {"type": "string"}, "text": {"type": "string"}},
                "required": ["format", "text"],
            }
        case "apply" | "new" | "read":
            answer = {
                "type": "object",
                "properties": {"state": {"type": "object"}},
                "required": ["state"],
            }
        case _ if operation not in _RESULTS:
            answer = {"type": "object"}
        case _:
            answer = {"$ref": f"#/components/schemas/{_RESULTS[operation].__name__}"}
    if operation == "check":
        return answer
    return {"anyOf": [answer, {"$ref": "#/components/schemas/Illegal"}]}


def _budget(limits: Limits) -> Json:
    seconds: dict[str, Json] = {"type": "number", "minimum": 0}
    if limits.seconds is None:
        seconds["type"] = ["number", "null"]
    else:
        seconds["maximum"] = limits.seconds
    return {
        "type": "object",
        "properties": {
            "seconds": seconds,
            "work": _upto(limits.work, least=0, most=10**18),
            "workers": _upto(limits.workers, least=1),
            "seed": _upto(2**63 - 1, least=0),
            "memory": {
                **_upto(limits.memory, least=1, most=10**18),
                "description": "megabytes that an engine may hold",
            },
            "comment": {"type": "string"},
        },
        "additionalProperties": False,
    }


def _upto(limit: int | None, *, least: int, most: int | None = None) -> dict[str, Json]:
    return {"type": "integer", "minimum": least, "maximum": most if limit is None else limit}


def _content(description: str, schema: Json) -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _refusals(*codes: str) -> dict[str, Json]:
    refusal = {"$ref": "#/components/schemas/Refusal"}
    return {code: _content(_REFUSALS[code], refusal) for code in codes or _REFUSALS}


def _fixed_paths() -> dict[str, Json]:
    job = {"$ref": "#/components/schemas/Job"}
    number = {"name": "job", "in": "path", "required": True, "schema": {"type": "string"}}
    events = {
        "description": "progress, part, and one answer or refusal",
        "content": {"text/event-stream": {}},
    }
    thing = {"type": "object"}
    return {
        "/v1/games": {"get": _get("games", _content("the games and the limits", thing))},
        "/healthz": {"get": _get("health", _content("alive", thing))},
        "/v1/jobs/{job}": {
            "parameters": [number],
            "get": {**_get("job", _content("how far it is", job)), **_with_missing(job)},
            "delete": {
                "operationId": "job.cancel",
                "summary": "Stop it, return what is known, and forget the job",
                **_with_missing(job),
            },
        },
        "/v1/jobs/{job}/events": {
            "parameters": [number],
            "get": {
                "operationId": "job.events",
                "summary": "Progress, improving scores and the answer as they come",
                "responses": {"200": events, **_refusals("404")},
            },
        },
    }


def _with_missing(schema: Json) -> dict[str, Json]:
    return {"responses": {"200": _content("the job", schema), **_refusals("404")}}


def _get(name: str, response: Json) -> dict[str, Json]:
    return {"operationId": name, "responses": {"200": response}}


def _hoisted(schema: Json, name: str, schemas: dict[str, Json]) -> Json:
    """Move a schema's ``$defs`` among the components and return it with its references renamed."""

    def renamed(value: Json) -> Json:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        if not isinstance(value, dict):
            return value
        fields = {
            key: renamed(item) for key, item in value.items() if key not in ("$defs", "$schema")
        }
        if isinstance(fields.get("$ref"), str):
            fields["$ref"] = fields["$ref"].replace("#/$defs/", f"#/components/schemas/{name}.")
        return fields

    for key, part in (schema.get("$defs") or {}).items():
        schemas[f"{name}.{key}"] = renamed(part)
    return renamed(schema)


def _add(answer: type, schemas: dict[str, Json]) -> Json:
    """Describe an answer's class among the components and return a reference to it."""
    name = answer.__name__
    if name not in schemas:
        schemas[name] = {}
        hints = get_type_hints(answer, vars(answers))
        entries = [entry for entry in dataclasses.fields(answer) if entry.name != "details"]
        fields = {entry.name: _of(hints[entry.name], schemas) for entry in entries}
        if answer is answers.Verdict:
            fields["legal"] = {"type": "boolean"}
        if answer is answers.Solved:
            fields["witnesses"] = {"type": "array", "items": _add(answers.Witness, schemas)}
        schemas[name] = {"type": "object", "properties": fields}
    return {"$ref": f"#/components/schemas/{name}"}


_PLAIN: Mapping[Any, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    # Whole numbers beyond 2**53 travel as text.
    int: {"type": ["integer", "string"]},
    type(None): {"type": "null"},
    Any: {},
}


def _of(hint: Any, schemas: dict[str, Json]) -> Json:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _add(hint, schemas)
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        return {"enum": list(parts)}
    if kind in (Union, types.UnionType):
        return {"anyOf": [_of(part, schemas) for part in parts]}
    if kind is tuple:
        return {"type": "array", "items": _of(parts[0], schemas)}
    return {"type": "object", "additionalProperties": _of(parts[1], schemas)}
