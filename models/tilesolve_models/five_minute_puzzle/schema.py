"""JSON Schema of state files and moves."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve_models.five_minute_puzzle.rules import MOST_PREFILLED
from tilesolve_models.five_minute_puzzle.sheets import (
    BLUE,
    CIRCLE,
    DIE,
    HEXAGON,
    MOST_PIECES,
    RED,
    SYNTHETIC,
)
from tilesolve_models.five_minute_puzzle.state import ENDS, ID

_COMMENT: Json = {"type": "string"}
_ROLL: Json = {"type": "integer", "minimum": DIE.start, "maximum": DIE.stop - 1}
_CELL: Json = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
    "description": "[row, column] in double-width coordinates",
}
_CELLS: Json = {"type": "array", "items": _CELL}
_ROWS: Json = {"type": "array", "items": {"type": "string"}, "minItems": 1}


def _object(properties: dict[str, Json], *required: str) -> Json:
    return {
        "type": "object",
        "properties": {"comment": _COMMENT, **properties},
        "required": list(required),
        "additionalProperties": False,
    }


_DRAW = _object({"roll": _ROLL, "piece": {"type": "string"}, "cells": _CELLS}, "piece", "cells")
_CROSS_OUT = _object({"roll": _ROLL, "cross_out": {"type": "string"}}, "cross_out")
_ROUND: Json = {"anyOf": [_DRAW, _CROSS_OUT]}
_PIECE = _object({"name": {"type": "string"}, "die": _ROLL, "rows": _ROWS}, "die", "rows")
_GROUND = _object(
    {"kind": {"enum": [HEXAGON, CIRCLE]}, "penalty": {"enum": [1, BLUE, RED]}}, "kind"
)

SHEET: Json = _object(
    {
        "lattice": {"const": "hex"},
        "rows": _ROWS,
        "legend": {
            "type": "object",
            "properties": {"comment": _COMMENT},
            "additionalProperties": _GROUND,
        },
        "pieces": {"type": "array", "items": _PIECE, "minItems": 1, "maxItems": MOST_PIECES},
        "standard": {"type": "boolean"},
        "synthetic": {"type": "boolean"},
        "title": {"type": "string"},
    },
    "rows",
    "pieces",
)
"""A data file: sheet, pieces and die table."""

STATE: Json = _object(
    {
        "game": {"const": ID},
        "sheet": {"anyOf": [{"enum": list(SYNTHETIC)}, SHEET]},
        "prefilled": _CELLS,
        "history": {"type": "array", "items": _ROUND},
        "roll": _ROLL,
        "rolls": {"type": "array", "items": _ROLL},
        "rules": _object(
            {
                "forgo_may_cross_rolled": {"type": "boolean"},
                "end_on_stuck": {"enum": list(ENDS)},
            }
        ),
        "standard": {"type": "boolean"},
        "penalty": {"type": "integer", "minimum": 0},
    },
    "game",
    "sheet",
)
"""A state file."""

MOVE: Json = {
    "anyOf": [
        _DRAW,
        _CROSS_OUT,
        _object({"prefill": {**_CELLS, "maxItems": MOST_PREFILLED}}, "prefill"),
    ]
}
"""A round, or the choice of hexagons before the start."""
