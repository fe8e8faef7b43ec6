"""New games, and the file that a beginner starts from."""

from __future__ import annotations

import random
from dataclasses import replace

from tilesolve.answers import Json
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.state import ID, State

MIDGAME: Json = {
    "comment": "Your grid: '.' is empty, a capital letter is drawn; the letters tell tiles apart "
    "and mean nothing else. The first row counts as row 0, the marked square is [4, 4]. "
    "'turned_up' has the two cards, by name or drawn. 'seen' has the cards that are gone; "
    "the others may still come. Leave out what you do not need.",
    "game": ID,
    "rows": [
        ".........",
        "..BB.....",
        "..BBB....",
        "...AAA...",
        "...AAA...",
        "...AACCCC",
        "........C",
        ".........",
        ".........",
    ],
    "turned_up": ["P5", ["##.", ".##"]],
    "seen": ["T4", "W5"],
    "deck": "synthetic",
}


def new(*, seed: int, players: int = 1, order: bool = False) -> State:
    """Return the start of a game with start tiles dealt at random.

    Parameters
    ----------
    players : int
        Grids at the table, 1 to 6.
    order : bool
        Whether the order of the cards is dealt, and written down, too.

    Examples
    --------
    >>> state = new(seed=1, players=2)
    >>> state.phase, len(state.players), state.cards_left
    ('start', 2, 40)
    """
    state = deal(random.Random(seed), players=players)
    return state if order else replace(state, order=None)


def starter() -> dict[str, Json]:
    """Return the file of a game under way, with comments."""
    return {"second-chance.json": MIDGAME}
