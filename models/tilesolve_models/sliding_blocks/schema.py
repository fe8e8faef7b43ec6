"""JSON Schema of puzzles and moves."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS
from tilesolve_models.sliding_blocks.boards import ID
from tilesolve_models.sliding_blocks.goals import SIDES
from tilesolve_models.sliding_blocks.rules import METRICS

_CELL: Json = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
_COMMENT: Json = {"type": "string"}
_NAMES: Json = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_AXIS: Json = {"enum": ["free", "horizontal", "vertical", "along"]}
_DIRECTION: Json = {"enum": list(DIRECTIONS)}

_CONDITION: Json = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "comment": _COMMENT,
                "block": {"type": "string"},
                "any": {"anyOf": [{"type": "string"}, _NAMES]},
                "at": _CELL,
                "touches": {"enum": list(SIDES)},
                "leaves": {"enum": list(SIDES)},
                "through": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            },
            "additionalProperties": False,
            "allOf": [
                {"oneOf": [{"required": ["block"]}, {"required": ["any"]}]},
                {
                    "oneOf": [
                        {"required": ["at"]},
                        {"required": ["touches"]},
                        {"required": ["leaves"]},
                    ]
                },
            ],
        },
    ]
}

MOVE_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "comment": _COMMENT,
        "block": {"type": "string"},
        "path": {"anyOf": [_DIRECTION, {"type": "array", "items": _DIRECTION, "minItems": 1}]},
        "to": _CELL,
    },
    "required": ["block"],
    "oneOf": [{"required": ["path"]}, {"required": ["to"]}],
    "additionalProperties": False,
}

_ROWS: Json = {"type": "array", "items": {"type": "string"}, "minItems": 1}

STATE_SCHEMA: Json = {
    "anyOf": [
        {"type": "string"},
        _ROWS,
        {
            "type": "object",
            "properties": {
                "comment": _COMMENT,
                "game": {"const": ID},
                "board": {"anyOf": [{"type": "string"}, _ROWS]},
                "notation": {"enum": ["plain", "rush-hour"]},
                "blocks": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "comment": _COMMENT,
                            "name": {"type": "string", "minLength": 1, "maxLength": 20},
                            "cells": {"type": "array", "items": _CELL, "minItems": 1},
                        },
                        "required": ["name", "cells"],
                        "additionalProperties": False,
                    },
                },
                "goal": {"anyOf": [_CONDITION, {"type": "array", "items": _CONDITION}]},
                "axis": {"anyOf": [_AXIS, {"type": "object", "additionalProperties": _AXIS}]},
                "metric": {"enum": list(METRICS)},
                "alike": {"type": "boolean"},
                "moves": {"type": "array", "items": MOVE_SCHEMA},
            },
            "required": ["game", "board"],
            "additionalProperties": False,
        },
    ]
}
