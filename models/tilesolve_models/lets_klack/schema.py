"""JSON Schema of state and move files."""

from __future__ import annotations

from collections.abc import Mapping

from tilesolve.answers import Json
from tilesolve_models.lets_klack.files import ID, MOST
from tilesolve_models.lets_klack.layout import MOST_ROWS
from tilesolve_models.lets_klack.position import SPECIALS

_VALUE = {"type": "integer", "minimum": 1, "maximum": MOST}
_CELL = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_TEXT = {"type": "string"}
_TRUE = {"const": True}


def _object(required: list[str], **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": {"comment": _TEXT, **properties},
        "required": required,
        "additionalProperties": False,
    }


STATE: Mapping[str, Json] = _object(
    ["game", "cards"],
    game={"const": ID},
    cards={
        "type": "array",
        "minItems": 1,
        "maxItems": MOST_ROWS,
        "items": {"type": "array", "items": _VALUE},
    },
    blocks={"type": "object", "additionalProperties": _CELL},
    covered={"type": "array", "items": _VALUE},
    specials={"type": "array", "items": {"enum": list(SPECIALS)}},
    rules=_object(
        [],
        must_continue={"type": "boolean"},
        cover={"enum": ["automatic", "optional", "separate"]},
        jump_covered={"type": "boolean"},
    ),
    phase={"enum": [1, 2]},
    face_down={"type": "array", "items": _CELL},
    must_move=_VALUE,
    turns_left={"type": "integer", "minimum": 0, "maximum": 1000},
    away=_VALUE,
    again_left={"type": "integer", "minimum": 0, "maximum": 2},
    match=_object(
        ["totals"],
        totals={
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 1,
            "maxItems": 4,
        },
        limit={"type": "integer", "minimum": 1},
        rounds={"type": "integer", "minimum": 1},
        played={"type": "integer", "minimum": 0},
    ),
)

MOVE: Mapping[str, Json] = {
    "oneOf": [
        _object(["block", "to"], block=_VALUE, to=_CELL, cover={"type": "boolean"}),
        _object(["block", "cover"], block=_VALUE, cover=_TRUE),
        _object(["fly"], fly=_VALUE),
        _object(["away"], away=_VALUE),
        _object(["swap"], swap={"type": "array", "items": _VALUE, "minItems": 2, "maxItems": 2}),
        _object(["again"], again=_TRUE),
        _object(["pass"], **{"pass": _TRUE}),
        _object(["turn_up"], turn_up=_CELL),
    ]
}
