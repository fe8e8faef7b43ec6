"""The games that are installed, found by entry point and imported one at a time."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tilesolve.errors import InputError
from tilesolve.game import Game

GROUP = "tilesolve.games"


def game_ids() -> tuple[str, ...]:
    """Return the ids of all installed games, sorted; imports none of them.

    Examples
    --------
    >>> "polyform" in game_ids()
    True
    """
    return tuple(sorted(_entries()))


def get_game(game: str) -> Game[Any, Any]:
    """Return one game.

    Raises
    ------
    InputError
        If no game of that id is installed, or the one that is cannot be imported.

    Examples
    --------
    >>> get_game("null").info.title
    'Null: the smallest complete game'
    """
    entry = _entries().get(game)
    if entry is None:
        raise InputError(f"there is no game '{game}'; installed are {', '.join(game_ids())}")
    try:
        found = entry.load()
    except ImportError as error:
        raise InputError(f"the game '{game}' cannot be imported: {error}") from error
    if not isinstance(found, Game):
        raise InputError(f"the entry point of '{game}' is no Game")
    return found


@cache
def loadable_games() -> tuple[str, ...]:
    """Return the ids of the games that can be imported; one broken game must not hide others.

    Examples
    --------
    >>> "null" in loadable_games()
    True
    """
    return tuple(game for game in game_ids() if _loads(game))


def _loads(game: str) -> bool:
    try:
        get_game(game)
    except InputError:
        return False
    return True


@cache
def _entries() -> dict[str, EntryPoint]:
    # Reading them takes milliseconds, and what is installed does not change under a program.
    return {entry.name: entry for entry in entry_points(group=GROUP)}
