"""Players of Puzl It that need no search, and whole games among them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tilesolve_models.picture_grid import Grid
from tilesolve_models.puzl_it.rules import plays
from tilesolve_models.puzl_it.table import Table, play_turn

Choice: TypeAlias = tuple[int, int | None]
"""A play as a mask of cards, and the victim's seat."""

Policy: TypeAlias = Callable[[Table, random.Random], Choice]
"""What a player does at a table on which it is his turn."""


def largest_plays(field: Grid, hand: int, rule: str) -> tuple[int, ...]:
    """Return the plays that are part of no larger one; the best play is among them.

    A card more is at least one connection more and takes none away (PI4), so a play that can
    be enlarged is never the best.

    Examples
    --------
    >>> largest_plays(Grid(1, 7), 0b1101011, "connected")
    (3, 8, 96)
    >>> largest_plays(Grid(1, 7), 0b1101011, "each_touches_another")
    (99, 8)
    """
    groups = field.groups(hand)
    if rule == "connected":
        return groups
    joined = sum(group for group in groups if group.bit_count() > 1)
    singles = tuple(group for group in groups if group.bit_count() == 1)
    return (joined, *singles) if joined else singles


def richest(table: Table, play: int) -> int | None:
    """Return the victim with most cards, the first clockwise among equals."""
    victims = table.victims(table.takes_blocker(play))
    return max(victims, key=table.cards, default=None)


def open_sides(table: Table, play: int) -> int:
    """Return how many sides of a play lie open to cards that others may hold."""
    field = table.grid
    closed = table.in_play | table.hand_mask | play
    return field.contacts(play, field.everything & ~closed)


def most_connections(rule: str) -> Policy:
    """Return the player who makes most connections and steals from the richest.

    Among equal plays one that takes the Blocker, then the first in reading order.
    """

    def choose(table: Table, rng: random.Random) -> Choice:
        del rng
        equal = _best_plays(table, rule)
        play = equal[0] if len(equal) == 1 else max(equal, key=table.takes_blocker)
        return play, richest(table, play)

    return choose


def careful(rule: str) -> Policy:
    """Return the player of most connections who among equal plays opens least to the others."""

    def choose(table: Table, rng: random.Random) -> Choice:
        del rng
        equal = _best_plays(table, rule)
        play = equal[0]
        if len(equal) > 1:
            play = min(
                equal, key=lambda play: (open_sides(table, play), not table.takes_blocker(play))
            )
        return play, richest(table, play)

    return choose


def _best_plays(table: Table, rule: str) -> list[int]:
    if rule == "connected":
        return _best_groups(table)
    large = largest_plays(table.grid, table.hand_mask, rule)
    most = max(map(table.connections, large))
    return [play for play in large if table.connections(play) == most]


def _best_groups(table: Table) -> list[int]:
    """Return the groups of the hand with most connections; simulations live here."""
    neighbours, in_play, rest = table.grid.neighbours, table.in_play, table.hand_mask
    best, most = [], 0
    while rest:
        waiting = rest & -rest
        rest ^= waiting
        group = score = 0
        while waiting:
            low = waiting & -waiting
            near = neighbours[low.bit_length() - 1]
            score += 1 + (near & in_play).bit_count()
            group |= low
            waiting = (waiting ^ low) | (near & rest)
            rest &= ~near
        if score > most:
            best, most = [group], score
        elif score == most:
            best.append(group)
    return best


def at_random(rule: str) -> Policy:
    """Return the player who lays any legal play and robs anybody."""

    def choose(table: Table, rng: random.Random) -> Choice:
        play = rng.choice(list(plays(table.grid, table.hand_mask, rule)))
        victims = table.victims(table.takes_blocker(play))
        return play, rng.choice(victims) if victims else None

    return choose


def play_out(table: Table, policies: Sequence[Policy], rng: random.Random) -> int:
    """Play a table to its end, in place, and return the winner's seat; see `play_on`."""
    play_on(table, policies, rng)
    winner = table.winner
    assert winner is not None
    return winner


def play_on(
    table: Table, policies: Sequence[Policy], rng: random.Random, *, turns: int | None = None
) -> None:
    """Play on in place, for a number of turns or to the end.

    Parameters
    ----------
    table : Table
        With all cards named.
    policies : sequence of Policy
        One for each seat.
    rng : random.Random
        For the policies, and for which cards are taken from a hand.
    turns : int or None
        None plays until one player alone has cards (PI7).
    """
    pick = random_pick(rng)
    while table.winner is None and turns != 0:
        play, victim = policies[table.to_move](table, rng)
        play_turn(table, play, victim, pick)
        turns = None if turns is None else turns - 1


def random_pick(rng: random.Random) -> Callable[[list[int], int], list[int]]:
    """Return the blind hand of a thief."""

    def pick(hand: list[int], count: int) -> list[int]:
        return rng.sample(hand, count)

    return pick
