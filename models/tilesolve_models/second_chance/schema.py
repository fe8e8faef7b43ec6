"""JSON Schema of states and moves."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.geometry.schema import CELL
from tilesolve_models.second_chance.deck import DECKS
from tilesolve_models.second_chance.state import ID

_TEXT = {"type": "string"}
_ROWS = {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 20}
_CELLS = {"type": "array", "items": CELL}
_TILE = {"anyOf": [{**_TEXT, "description": "a tile's name, as P5"}, _ROWS]}
_TILES = {"type": "array", "items": _TILE}
_LISTED = {
    "anyOf": [
        *_TILE["anyOf"],
        {
            "type": "object",
            "properties": {
                "name": _TEXT,
                "rows": _ROWS,
                "count": {"type": "integer", "minimum": 1},
                "comment": _TEXT,
            },
            "additionalProperties": False,
        },
    ]
}
_DECK = {
    "anyOf": [
        {"enum": [*DECKS, None]},
        {"type": "array", "items": _LISTED},
        {
            "type": "object",
            "properties": {
                "label": _TEXT,
                "tiles": {"type": "array", "items": _LISTED},
                "start_tiles": {"type": "array", "items": _LISTED},
                "comment": _TEXT,
            },
            "required": ["tiles"],
            "additionalProperties": False,
        },
    ]
}
_PLACED = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"tile": _TILE, "cells": _CELLS, "comment": _TEXT},
        "required": ["tile", "cells"],
        "additionalProperties": False,
    },
}
_OWN: dict[str, Json] = {
    "rows": {**_ROWS, "description": "'.' empty, a capital letter drawn, 1 the bonus"},
    "placed": _PLACED,
    "start_tile": _TILE,
    "bonus": {"anyOf": [CELL, {"type": "null"}]},
    "out": {"type": ["integer", "null"], "minimum": 1, "description": "round of dropping out"},
    "this_round": {"enum": ["drew", "waits"]},
}
STATE: Json = {
    "title": "Second Chance",
    "type": "object",
    "properties": {
        "game": {"const": ID},
        "comment": _TEXT,
        **_OWN,
        "players": {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {
                "type": "object",
                "properties": {"name": _TEXT, "comment": _TEXT, **_OWN},
                "additionalProperties": False,
            },
        },
        "phase": {"enum": ["start", "round", "second_chance", "bonus"]},
        "turned_up": _TILES,
        "seen": _TILES,
        "deck": _DECK,
        "order": {**_TILES, "description": "the cards to come, next first, if known"},
        "round": {"type": "integer", "minimum": 1},
        "turn": {**_TEXT, "description": "whose second-chance card lies"},
        "rules": {
            "type": "object",
            "properties": {
                "finish_round": {"type": "boolean"},
                "bonus_can_complete": {"type": "boolean"},
                "comment": _TEXT,
            },
            "additionalProperties": False,
        },
        "standard": {"type": "boolean"},
        "marked": {"anyOf": [CELL, {"type": "null"}]},
        "series": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 2},
    },
    "required": ["game"],
    "additionalProperties": False,
}
_WHO = {"player": _TEXT, "comment": _TEXT}


def _move(properties: dict[str, Json]) -> Json:
    return {
        "type": "object",
        "properties": {**properties, **_WHO},
        "required": list(properties),
        "additionalProperties": False,
    }


MOVE: Json = {
    "anyOf": [
        _move({"tile": _TILE, "cells": _CELLS}),
        _move({"bonus": CELL}),
        _move({"pass": {"const": True}}),
        _move({"turn_up": _TILES}),
    ]
}
