"""What still fits: every tile that is turned up or left, the next round, several together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

from tilesolve.answers import Fit, Json, PieceFit, Placed
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.wire import Node
from tilesolve_models.second_chance.asking import assumed, require_legal, seat_of
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.proving import (
    asked_alone,
    none_alone,
    nothing_fits,
    puzzle_of,
    read_tiles,
)
from tilesolve_models.second_chance.rules import open_placements
from tilesolve_models.second_chance.state import Player, State


def fit(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    tiles: Node | None = None,
    player: str = "",
) -> Fit:
    """Answer what still fits into a player's grid.

    Parameters
    ----------
    tiles : Node or None
        A list of tiles: can they all still be placed together? None asks whether one of the
        tiles turned up can be drawn, or with none turned up, whether any tile left can.
    player : str
        Whose grid, at a table; empty is the next in seat order.

    Returns
    -------
    Fit
        `pieces` has the placements of each tile turned up and of each kind left in the deck;
        the detail ``next_round`` the probabilities of `next_round`, and where neither card can
        be drawn, ``second_chance`` how likely the next card can.

    Raises
    ------
    IllegalState
        If the state breaks rules.
    InputError
        For tiles that cannot be read.
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    own = state.players[seat_of(state, player)]
    if tiles is not None:
        return together(own, read_tiles(state, tiles), meter)
    return _alone(state, own, meter)


def _alone(state: State, player: Player, meter: Meter) -> Fit:
    remaining = state.remaining or Counter()
    asked = asked_alone(state, player)
    turned_up = asked if state.turned_up or player.start_tile else ()
    fits = {tile: _piece(player, tile, state) for tile in dict.fromkeys((*asked, *remaining))}
    answer = Fit(
        answer="yes",
        read={
            "cells": player.empties,
            "pieces": len(state.turned_up),
            "cards_left": remaining.total(),
        },
        pieces=tuple(fits.values()),
        seconds=meter.seconds,
        details=_details(state, turned_up, remaining, fits),
    )
    fitting = next((fits[tile] for tile in asked if fits[tile].placements), None)
    if fitting is not None:
        return replace(answer, witness=(Placed(piece=fitting.piece, cells=fitting.example),))
    return Fit(
        answer="no",
        rung="trivial",
        reasons=(nothing_fits(asked),),
        read=answer.read,
        pieces=answer.pieces,
        seconds=answer.seconds,
        details=answer.details,
        certificate=none_alone(player, asked),
    )


def _piece(player: Player, tile: Tile, state: State) -> PieceFit:
    masks = list(open_placements(player, tile))
    if state.phase == "start" and tile == player.start_tile:
        masks = [mask for mask in masks if mask & state.mark == state.mark]
    example = player.grid.cells(masks[0]) if masks else ()
    return PieceFit(piece=tile.name, placements=len(masks), example=example)


def _details(
    state: State,
    turned_up: Sequence[Tile],
    remaining: Counter[Tile],
    fits: Mapping[Tile, PieceFit],
) -> dict[str, Json]:
    details: dict[str, Json] = {
        "turned_up": [
            {"piece": tile.name, "placements": fits[tile].placements} for tile in turned_up
        ],
        "remaining": [
            {"piece": tile.name, "copies": copies, "placements": fits[tile].placements}
            for tile, copies in remaining.items()
        ],
    }
    if state.remaining is not None:
        fitting = sum(n for tile, n in remaining.items() if fits[tile].placements)
        if _needs_chance(state, [fits[tile] for tile in turned_up]):
            details["second_chance"] = _probability("saved", fitting, remaining.total())
        details["next_round"] = next_round(remaining.total(), fitting).dump()
    if assumed(state):
        details["assumed"] = list(assumed(state))
    return details


def _needs_chance(state: State, turned_up: Sequence[PieceFit]) -> bool:
    """Whether the next card is turned up for a second chance: neither of the two can be drawn."""
    if state.phase == "second_chance":
        return not turned_up
    return state.phase == "round" and bool(turned_up) and not any(f.placements for f in turned_up)


def _probability(name: str, favourable: int, possible: int) -> dict[str, Json]:
    """Write a probability as text, not reduced, beside its value."""
    value = favourable / possible if possible else 0.0
    return {name: f"{favourable}/{possible}", f"{name}_value": value}


@dataclass(frozen=True)
class NextRound:
    """What the next two unseen cards, and a third for a second chance, may bring.

    Parameters
    ----------
    cards, fitting : int
        Cards that may still come, and how many of them fit the grid as it is.
    playable, saved : (int, int)
        Favourable and possible outcomes: at least one of two cards fits; neither does, but
        the third does.
    """

    cards: int
    fitting: int
    playable: tuple[int, int]
    saved: tuple[int, int]

    @property
    def survived(self) -> tuple[int, int]:
        """Favourable and possible outcomes of drawing at all in the next round."""
        times = self.saved[1] // self.playable[1]
        return self.playable[0] * times + self.saved[0], self.saved[1]

    def dump(self) -> Json:
        """Write the probabilities as text beside their values."""
        dumped: dict[str, Json] = {"cards": self.cards, "fitting": self.fitting}
        if self.cards < 2:
            return {**dumped, "over": "fewer than two cards are left: there is no next round"}
        for name in ("playable", "saved", "survived"):
            dumped |= _probability(name, *getattr(self, name))
        return dumped


def next_round(cards: int, fitting: int) -> NextRound:
    """Return the exact probabilities for the next round.

    All pairs of unseen cards are equally likely, and so is every third card after them.

    Examples
    --------
    >>> found = next_round(5, 2)
    >>> found.playable, found.saved, found.survived
    ((7, 10), (6, 30), (27, 30))
    """
    pairs, misses = comb(cards, 2), comb(cards - fitting, 2)
    thirds = max(1, cards - 2)
    saved = misses * fitting if cards > 2 else 0
    return NextRound(cards, fitting, (pairs - misses, pairs), (saved, pairs * thirds))


def together(player: Player, tiles: Sequence[Tile], meter: Meter) -> Fit:
    """Answer whether all these tiles can still be placed in one grid.

    It is a packing puzzle, so the polyform game answers it: by its ladder of reasons, its
    search, and CP-SAT; a no that only one engine gives stays unknown.
    """
    from tilesolve_models.polyform import fitting

    puzzle = puzzle_of(player, tiles)
    answer = fitting.fit(puzzle, budget=meter.part().budget, watch=meter.watch)
    return replace(answer, seconds=meter.seconds)
