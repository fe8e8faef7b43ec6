"""Solver, rule checker and hint engine for placement games and puzzles.

The questions are functions of this package, and take what the command line takes: short names,
Python values in the shape of the JSON files, or paths.

Examples
--------
>>> import tilesolve
>>> tilesolve.fit("6x10", "pentominoes", cover=True).answer
'yes'
>>> tilesolve.fit(["..", ".."], [["##"], ["###"]]).reasons[0].message
'the pieces to place have 5 cells, only 4 cells are open'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilesolve.budget import Budget, Watch
    from tilesolve.errors import IllegalState, InputError, NotOffered, TilesolveError
    from tilesolve.library import (
        best,
        check,
        count,
        difficulty,
        explain,
        fit,
        games,
        hint,
        load,
        new,
        show,
        simulate,
        solve,
        verify,
    )

_HOMES = {
    "tilesolve.budget": ("Budget", "Watch"),
    "tilesolve.errors": ("IllegalState", "InputError", "NotOffered", "TilesolveError"),
    "tilesolve.library": (
        "best",
        "check",
        "count",
        "difficulty",
        "explain",
        "fit",
        "games",
        "hint",
        "load",
        "new",
        "show",
        "simulate",
        "solve",
        "verify",
    ),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that ``import tilesolve`` stays quick."""
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'tilesolve' has no attribute '{name}'")


__all__ = [
    "Budget",
    "IllegalState",
    "InputError",
    "NotOffered",
    "TilesolveError",
    "Watch",
    "best",
    "check",
    "count",
    "difficulty",
    "explain",
    "fit",
    "games",
    "hint",
    "load",
    "new",
    "show",
    "simulate",
    "solve",
    "verify",
]
