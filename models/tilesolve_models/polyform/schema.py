"""JSON Schema of a polyform puzzle."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.geometry.schema import PIECES, SHEET

STATE: Json = {
    "title": "polyform puzzle",
    "type": "object",
    "properties": {
        "game": {"const": "polyform"},
        "sheet": SHEET,
        "pieces": PIECES,
        "goal": {"enum": ["cover", "packing"]},
        "forms": {"enum": ["free", "one-sided", "fixed"]},
        "comment": {"type": "string"},
    },
    "required": ["sheet"],
    "additionalProperties": False,
}
