"""Dealing: random start tiles, and the cards in a random order."""

from __future__ import annotations

import random
from dataclasses import replace

from tilesolve.errors import InputError
from tilesolve_models.second_chance.deck import DECKS, Deck, named_deck
from tilesolve_models.second_chance.rules import with_known_cards
from tilesolve_models.second_chance.state import STANDARD, Player, State


def deal(
    rng: random.Random, *, players: int = 1, deck: Deck | None = None, start: State | None = None
) -> State:
    """Return the start of a game with random start tiles and cards in a known, random order.

    `start` gives rules, grid and deck; without it the standard ones are used.
    """
    cards = deck or (start.deck if start and start.deck else named_deck(DECKS[0]))
    if cards.start_tiles and len(cards.start_tiles) < players:
        message = f"the deck has {len(cards.start_tiles)} start tiles for {players} players"
        raise InputError(message, place="players")
    tiles = rng.sample(cards.start_tiles, players) if cards.start_tiles else [None] * players
    grid = start.grid if start else STANDARD
    seats = tuple(
        Player(
            ("." * grid.columns,) * grid.rows,
            str(seat + 1) if players > 1 else "",
            start_tile=tile,
        )
        for seat, tile in enumerate(tiles)
    )
    state = State(
        seats,
        phase="start" if cards.start_tiles else "round",
        deck=cards,
        order=tuple(rng.sample(cards.tiles, len(cards.tiles))),
        table=players > 1,
    )
    if start is not None:
        state = replace(state, rules=start.rules, standard=start.standard, marked=start.marked)
    return with_known_cards(state)
