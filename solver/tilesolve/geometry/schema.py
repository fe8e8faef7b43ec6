"""JSON Schemas of cells, sheets and pieces."""

from __future__ import annotations

from tilesolve.answers import Json

_COMMENT = {"type": "string"}
CELL: Json = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
    "description": "[row, column], row 0 at the top",
}
_ROWS = {"type": "array", "items": {"type": "string"}}
PLACED: Json = {
    "type": "object",
    "properties": {
        "piece": {"type": "string"},
        "cells": {"type": "array", "items": CELL, "minItems": 1},
        "comment": _COMMENT,
    },
    "required": ["piece", "cells"],
    "additionalProperties": False,
}
_LEGEND = {
    "type": "object",
    "description": "one character to the kind and penalty of its cells",
    "additionalProperties": {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "kind": {"type": "string"},
                    "penalty": {"type": "integer", "minimum": 0},
                    "comment": _COMMENT,
                },
                "additionalProperties": False,
            },
            {"type": "string"},
        ]
    },
}
_RULES = {
    "type": "object",
    "properties": {
        "touch": {"type": "boolean"},
        "connected": {"type": "boolean"},
        "region_penalty": {"type": "integer", "minimum": 0},
        "comment": _COMMENT,
    },
    "additionalProperties": False,
}
SHEET: Json = {
    "title": "sheet",
    "anyOf": [
        {"type": "string", "description": "a short name, as 6x10 or calendar:10-06"},
        {**_ROWS, "description": "rows: '.' open, '#' or space no cell, capitals filled"},
        {
            "type": "object",
            "properties": {
                "lattice": {"enum": ["square", "hex", "triangle"]},
                "rows": {"anyOf": [_ROWS, {"type": "string"}]},
                "legend": _LEGEND,
                "placed": {"type": "array", "items": PLACED},
                "rules": _RULES,
                "comment": _COMMENT,
            },
            "required": ["rows"],
            "additionalProperties": False,
        },
    ],
}
_COUNT = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"const": "any"},
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 2,
            "maxItems": 2,
        },
    ]
}
_PIECE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "rows": _ROWS,
        "count": _COUNT,
        "mirror": {"type": "boolean"},
        "rotate": {"type": "boolean"},
        "optional": {"type": "boolean"},
        "penalty": {"type": "integer", "minimum": 0},
        "value": {"type": "integer"},
        "comment": _COMMENT,
    },
    "additionalProperties": False,
}
_ENTRY = {"anyOf": [{"type": "string"}, _ROWS, _PIECE]}
_LIST = {
    "anyOf": [
        {"type": "string", "description": "names and sets, as pentominoes or F,I,dominoes*31"},
        {"type": "array", "items": _ENTRY},
    ]
}
PIECES: Json = {
    "title": "pieces",
    "anyOf": [
        *_LIST["anyOf"],
        {
            "type": "object",
            "properties": {"pieces": _LIST, "comment": _COMMENT},
            "required": ["pieces"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {"comment": _COMMENT},
            "not": {"required": ["pieces"]},
            "additionalProperties": _ENTRY,
        },
    ],
}
