"""A table of Puzl It as somebody sees it, and moves, to and from JSON.

A card is its cell in the picture. A card that nobody looking from here can name is None: a pile
of 31 unseen cards is 31 times None, so one value serves a player's view and a referee's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node

ID = "puzl-it"
MOST_HAND = 20
"""The largest hand that `hand_size` may ask for."""

MOST_CARDS = 400
"""The largest picture that is read, in cards."""

Card: TypeAlias = Cell | None
Cards: TypeAlias = tuple[Card, ...]
Group: TypeAlias = Literal["connected", "each_touches_another"]


@dataclass(frozen=True)
class Seat:
    """A player and his cards, named or None; a pile is listed from its top."""

    name: str
    pile: Cards
    hand: Cards

    @property
    def cards(self) -> int:
        """Cards in pile and hand together."""
        return len(self.pile) + len(self.hand)


@dataclass(frozen=True)
class Rules:
    """The readings that a state may choose.

    Parameters
    ----------
    group : str
        PI3: the cards of a turn are `connected`, or `each_touches_another` of them.
    blocker_needs_old_card : bool
        PI6: a Blocker card must touch a card that lay before the turn.
    hand_size : int
        PI2: draw up to this many. Larger hands are taken as they are.
    """

    group: Group = "connected"
    blocker_needs_old_card: bool = False
    hand_size: int = 5


@dataclass(frozen=True)
class Known:
    """Cards known to be a player's, in his pile or his hand."""

    player: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A turn, with what a record of it may claim.

    Parameters
    ----------
    play : tuple of Cell
        The cards laid.
    steal_from : str or None
        The victim; None when nobody can be robbed.
    by : str or None
        Who is said to have played.
    connections : int or None
        How many are claimed.
    stolen, drawn : int, tuple of Cell, or None
        How many cards, or which, are said to have been stolen and drawn.
    blocker : bool or None
        Whether the Blocker is said to have been taken.
    """

    play: tuple[Cell, ...]
    steal_from: str | None = None
    by: str | None = None
    connections: int | None = None
    stolen: int | tuple[Cell, ...] | None = None
    drawn: int | tuple[Cell, ...] | None = None
    blocker: bool | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    """A table, from the view of `me`, or of a referee when `me` is None.

    Parameters
    ----------
    size : (int, int)
        Rows and columns of the picture.
    in_play : tuple of Cell
        Cards that lie in the picture.
    seats : tuple of Seat
        Players in order of play; those who are out have no cards.
    to_move : str
        Whose turn begins.
    blocker : str or None
        Who holds the Blocker; None when it lies on the table.
    blocker_cards : tuple of Cell
        Cards that carry the Blocker symbol.
    known : tuple of Known
        What else `me` knows of the cards that others hold.
    laid_out : tuple of Cell or None
        Cards left over from the deal (PI1), where they are recorded.
    history : tuple of Move
        Moves made since; every question is about the table after them.
    """

    size: tuple[int, int]
    in_play: tuple[Cell, ...]
    seats: tuple[Seat, ...]
    to_move: str
    me: str | None = None
    blocker: str | None = None
    blocker_cards: tuple[Cell, ...] = ()
    known: tuple[Known, ...] = ()
    laid_out: tuple[Cell, ...] | None = None
    rules: Rules = Rules()
    history: tuple[Move, ...] = ()

    def seat(self, name: str) -> Seat:
        """Return the seat of a player who is at the table."""
        return self.seats[self.place(name)]

    def place(self, name: str) -> int:
        """Return the number of a player's seat."""
        return [seat.name for seat in self.seats].index(name)


def load(node: Node) -> State:
    """Read a state.

    Examples
    --------
    >>> state = load(Node({"game": "puzl-it", "size": [1, 4], "hand": [[0, 1]], "in_play": [],
    ...                    "players": [{"name": "A", "pile": 1}, {"name": "B", "pile": 0,
    ...                                                          "hand": 2}]}))
    >>> state.me, state.seats[1].hand
    ('A', (None, None))
    """
    fields = node.object(*_FIELDS, required=("game", "size", "in_play", "players"))
    fields["game"].string(ID)
    size = _size(fields["size"])
    names = _names(fields["players"])
    to_move = _player(fields["to_move"], names) if "to_move" in fields else None
    me = _player(fields["me"], names) if "me" in fields else None
    if me is None and "hand" in fields:
        me = to_move or names[0]
    return State(
        size=size,
        in_play=fields["in_play"].cells(),
        seats=tuple(_seats(fields, me, size)),
        to_move=to_move or me or names[0],
        me=me,
        blocker=_blocker(fields["blocker"], names) if "blocker" in fields else None,
        blocker_cards=fields["blocker_cards"].cells() if "blocker_cards" in fields else (),
        known=tuple(_known(fields["known"], names)) if "known" in fields else (),
        laid_out=fields["laid_out"].cells() if "laid_out" in fields else None,
        rules=_rules(fields["rules"]) if "rules" in fields else Rules(),
        history=tuple(_moves(fields["history"], names)) if "history" in fields else (),
    )


_FIELDS = (
    "hand", "blocker", "blocker_cards", "me", "to_move", "known", "laid_out", "rules", "history",
)  # fmt: skip


def _size(node: Node) -> tuple[int, int]:
    rows, columns = node.items(least=2, most=2)
    size = rows.integer(1, MOST_CARDS), columns.integer(1, MOST_CARDS)
    if size[0] * size[1] > MOST_CARDS:
        raise node.expected(f"a picture of at most {MOST_CARDS} cards")
    return size


def _names(node: Node) -> list[str]:
    names: list[str] = []
    for item in node.items(least=1):
        name = item.object("pile", "hand", required=("name",))["name"]
        if name.string() in names or not name.string().strip():
            raise name.error(f"expected a name of its own for each player, found '{name.value}'")
        names.append(name.string())
    return names


def _player(node: Node, names: list[str]) -> str:
    name = node.string()
    if name not in names:
        raise node.error(f"'{name}' is not one of the players: {', '.join(names)}")
    return name


def _blocker(node: Node, names: list[str]) -> str | None:
    return None if node.value is None else _player(node, names)


def _seats(fields: dict[str, Node], me: str | None, size: tuple[int, int]) -> Iterator[Seat]:
    most = size[0] * size[1]
    for item in fields["players"].items():
        entry = item.object("hand", required=("name", "pile"))
        name = entry["name"].string()
        own = name == me and "hand" in fields
        if own:
            hand = _own_hand(fields["hand"], entry.get("hand"), most)
        elif "hand" in entry:
            hand = _cards(entry["hand"], most)
        else:
            raise item.error("the field 'hand' is missing: how many cards, or which")
        yield Seat(name, _cards(entry["pile"], most), hand)


def _own_hand(node: Node, count: Node | None, most: int) -> Cards:
    """Return the hand in view; a larger count beside it stands for cards drawn unseen."""
    cells = node.cells()
    if count is None:
        return cells
    told = _cards(count, most)
    if any(card is not None and card not in cells for card in told) or len(told) < len(cells):
        raise count.error(f"does not agree with the {len(cells)} cards of the hand")
    return (*cells, *(None,) * (len(told) - len(cells)))


def _cards(node: Node, most: int) -> Cards:
    if node.is_list:
        return tuple(None if item.value is None else item.cell() for item in node.items())
    if isinstance(node.value, int):
        return (None,) * node.integer(0, most)
    raise node.expected("a number of cards, or a list of cells")


def _known(node: Node, names: list[str]) -> Iterator[Known]:
    for item in node.items():
        entry = item.object(required=("player", "cells"))
        yield Known(_player(entry["player"], names), entry["cells"].cells(least=1))


def _rules(node: Node) -> Rules:
    fields = node.object("group", "blocker_needs_old_card", "hand_size")
    group: Group = "connected"
    if "group" in fields and fields["group"].string("connected", "each_touches_another") != group:
        group = "each_touches_another"
    old = (
        fields["blocker_needs_old_card"].boolean() if "blocker_needs_old_card" in fields else False
    )
    size = fields["hand_size"].integer(1, MOST_HAND) if "hand_size" in fields else 5
    return Rules(group, old, size)


def _moves(node: Node, names: list[str]) -> Iterator[Move]:
    for item in node.items():
        yield _move(item, names)


def load_move(node: Node, state: State) -> Move:
    """Read a move, as ``{"play": [[1, 1]], "steal_from": "B"}``; claims may stand beside it."""
    return _move(node, [seat.name for seat in state.seats])


def _move(node: Node, names: list[str]) -> Move:
    fields = node.object(
        "steal_from", "by", "connections", "stolen", "drawn", "blocker", required=("play",)
    )
    victim = fields.get("steal_from")
    return Move(
        play=fields["play"].cells(),
        steal_from=None if victim is None or victim.value is None else _player(victim, names),
        by=_player(fields["by"], names) if "by" in fields else None,
        connections=fields["connections"].integer(0) if "connections" in fields else None,
        stolen=_claim(fields["stolen"]) if "stolen" in fields else None,
        drawn=_claim(fields["drawn"]) if "drawn" in fields else None,
        blocker=fields["blocker"].boolean() if "blocker" in fields else None,
    )


def _claim(node: Node) -> int | tuple[Cell, ...]:
    return node.cells() if node.is_list else node.integer(0)


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    data: dict[str, Json] = {"game": ID, "size": list(state.size)}
    data["in_play"] = _cells(state.in_play)
    own = state.me is not None and None not in state.seat(state.me).hand
    if state.me is not None and own:
        data["hand"] = _dump_cards(state.seat(state.me).hand, always=True)
    data["blocker_cards"] = _cells(state.blocker_cards)
    data["blocker"] = state.blocker
    if state.me is not None:
        data["me"] = state.me
    data["to_move"] = state.to_move
    data["players"] = [_dump_seat(seat, own and seat.name == state.me) for seat in state.seats]
    if state.known:
        data["known"] = [
            {"player": known.player, "cells": _cells(known.cells)} for known in state.known
        ]
    if state.laid_out is not None:
        data["laid_out"] = _cells(state.laid_out)
    data["rules"] = _dump_rules(state.rules)
    if state.history:
        data["history"] = [dump_move(move) for move in state.history]
    return data


def dump_move(move: Move) -> Json:
    """Write a move; claims that are not made are left out."""
    data: dict[str, Json] = {"play": _cells(move.play)}
    for name in ("steal_from", "by", "connections", "blocker"):
        if getattr(move, name) is not None:
            data[name] = getattr(move, name)
    for name, claim in (("stolen", move.stolen), ("drawn", move.drawn)):
        if claim is not None:
            data[name] = claim if isinstance(claim, int) else _cells(claim)
    return data


def _dump_seat(seat: Seat, hand_above: bool) -> Json:
    data: dict[str, Json] = {"name": seat.name, "pile": _dump_cards(seat.pile)}
    return data if hand_above else {**data, "hand": _dump_cards(seat.hand)}


def _dump_cards(cards: Cards, *, always: bool = False) -> Json:
    if not always and all(card is None for card in cards):
        return len(cards)
    return [None if card is None else list(card) for card in cards]


def _dump_rules(rules: Rules) -> Json:
    standard, data = Rules(), {}
    for name in ("group", "blocker_needs_old_card", "hand_size"):
        if getattr(rules, name) != getattr(standard, name):
            data[name] = getattr(rules, name)
    return data


def _cells(cells: tuple[Cell, ...]) -> Json:
    return [list(cell) for cell in cells]
