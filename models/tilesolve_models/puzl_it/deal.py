"""Dealing: a fresh table, and the cards that one cannot see dealt at random (PI1)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from tilesolve.answers import Cell
from tilesolve.wire import Node
from tilesolve_models.picture_grid import cards_of, grid_of
from tilesolve_models.puzl_it.state import Rules, Seat, State
from tilesolve_models.puzl_it.table import UNSEEN, Table

NAMES = "ABCDEF"


@cache
def _printed() -> tuple[tuple[int, int], tuple[Cell, ...]]:
    """Return size and Blocker cards of the data file, which is a synthetic one."""
    text = resources.files(__package__).joinpath("data/synthetic.json").read_text("utf-8")
    fields = Node(json.loads(text)).object("synthetic", required=("size", "blocker_cards"))
    rows, columns = fields["size"].items(least=2, most=2)
    return (rows.integer(1), columns.integer(1)), fields["blocker_cards"].cells()


def deal(*, players: int, seed: int, rules: Rules | None = None) -> State:
    """Deal a game of `players` named A, B, ..., from a referee's view.

    Examples
    --------
    >>> state = deal(players=5, seed=1)
    >>> [seat.cards for seat in state.seats], len(state.in_play)
    ([14, 14, 14, 14, 14], 2)
    """
    rules = rules or Rules()
    size, symbols = _printed()
    field = grid_of(*size)
    cells = [field.cell(card) for card in range(field.size)]
    random.Random(f"deal {seed}").shuffle(cells)
    share = field.size // players
    left_over = tuple(cells[players * share :])
    seats = []
    for number in range(players):
        own = tuple(cells[number * share : (number + 1) * share])
        seats.append(Seat(NAMES[number], own[rules.hand_size :], own[: rules.hand_size]))
    return State(
        size=size,
        in_play=left_over,
        seats=tuple(seats),
        to_move=NAMES[0],
        blocker_cards=symbols,
        laid_out=left_over,
        rules=rules,
    )


def hide(table: Table) -> Table:
    """Return what the player to move sees of a table: his own hand, and what lies."""
    hidden = table.copy()
    for player, hand in enumerate(hidden.hands):
        hidden.piles[player] = [UNSEEN] * len(hidden.piles[player])
        if player != table.to_move:
            hidden.hands[player] = [UNSEEN] * len(hand)
    return hidden


def fill(table: Table, rng: random.Random, known: Mapping[int, int] | None = None) -> Table:
    """Return a table with its unseen cards dealt at random.

    Parameters
    ----------
    table : Table
        As somebody sees it.
    rng : random.Random
        Every deal that agrees with the table is equally likely.
    known : mapping of int to int
        For some players the mask of cards known to be theirs, in pile or hand.

    Examples
    --------
    >>> from tilesolve_models.puzl_it.rules import table_of
    >>> full = fill(hide(table_of(deal(players=2, seed=1))), random.Random(3))
    >>> sorted(card for cards in full.hands + full.piles for card in cards) == list(range(72))
    True
    """
    full = table.copy()
    known = known or {}
    named = full.in_play
    for cards in (*full.hands, *full.piles):
        for card in cards:
            if card != UNSEEN:
                named |= 1 << card
    for player, mask in known.items():
        named |= mask
        _put(_slots(full, [player]), list(cards_of(mask)), rng)
    rest = list(cards_of(full.grid.everything & ~named))
    _put(_slots(full, range(len(full.hands))), rest, rng)
    return full


def _slots(table: Table, players: range | list[int]) -> Iterator[tuple[list[int], int]]:
    for player in players:
        for cards in (table.hands[player], table.piles[player]):
            for place, card in enumerate(cards):
                if card == UNSEEN:
                    yield cards, place


def _put(slots: Iterator[tuple[list[int], int]], cards: list[int], rng: random.Random) -> None:
    places = list(slots)
    if len(places) > len(cards):
        places = rng.sample(places, len(cards))
    rng.shuffle(cards)
    for (holder, place), card in zip(places, cards, strict=False):
        holder[place] = card
