"""A player's options in a state, as a policy sees them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, catalogue, perimeter
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.policy import Choice
from tilesolve_models.second_chance.rules import open_placements
from tilesolve_models.second_chance.state import Player, State

Options: TypeAlias = tuple[tuple[Tile, int], ...]
"""Tiles with the squares where they may be drawn, as a mask."""


def options_of(state: State, player: Player) -> Options:
    """Return every placement of every tile that a player may draw now."""
    if state.phase == "start":
        tile = player.start_tile
        if tile is None:
            return ()
        masks = open_placements(player, tile)
        return tuple((tile, mask) for mask in masks if mask & state.mark == state.mark)
    tiles = dict.fromkeys(state.turned_up)
    return tuple((tile, mask) for tile in tiles for mask in open_placements(player, tile))


def book_of(state: State) -> Catalogue:
    """Return the catalogue of the state's grid and of every tile it names."""
    deck = state.deck.tiles if state.deck else ()
    return catalogue(state.grid, (*deck, *(state.remaining or ()), *state.turned_up))


def copies(book: Catalogue, state: State) -> Numbers:
    """Return how many copies of each tile of a catalogue may still come."""
    remaining = state.remaining or Counter()
    return np.array([remaining[tile] for tile in book.tiles], dtype=np.int64)


def choice_of(
    state: State, player: Player, options: Sequence[tuple[Tile, int]], rng: random.Random
) -> Choice:
    """Return the choice among one or more options."""
    book = book_of(state)
    slots = None
    kinds = np.zeros(len(options), dtype=np.int64)
    if state.phase != "start":
        kinds = np.array([book.index(tile) for tile, _ in options], dtype=np.int64)
        numbers = {kind: book.slot_numbers(kind) for kind in set(kinds.tolist())}
        pairs = zip(kinds.tolist(), options, strict=True)
        slots = np.array([numbers[kind][mask] for kind, (_, mask) in pairs], dtype=np.int64)
    return Choice(
        catalogue=book,
        live=book.live(player.filled),
        masks=tuple(mask for _, mask in options),
        slots=slots,
        kinds=kinds,
        edges=np.array([perimeter(tile) for tile, _ in options], dtype=np.int64),
        remaining=copies(book, state),
        rng=rng,
    )
