"""A position of the New-Year puzzle as its players know it, and flips, to and from JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle.prizes import (
    MOST_POINTS,
    Prize,
    Stack,
    dump_prize,
    dump_stack,
    load_prize,
    load_stack,
)
from tilesolve_models.picture_grid import grid_of

ID = "new-year-puzzle"
LONGEST_SIDE = 40
MOST_PLAYERS = 100


@dataclass(frozen=True)
class Memory:
    """A face-down card that was seen: where it lies, and where it belongs."""

    at: Cell
    home: Cell


@dataclass(frozen=True)
class Player:
    """A player and his points."""

    name: str
    points: int = 0


@dataclass(frozen=True, kw_only=True)
class Flip:
    """A move, with what a record of it may claim.

    Parameters
    ----------
    flip : Cell
        Where a face-down card is turned up.
    home : Cell or None
        The cell the card belongs to.
    success : bool or None
        Whether it is said to have fitted.
    prize : Prize or None
        The prize taken.
    met : bool or None
        Whether the prize's condition was met; None counts as not.
    by : str or None
        Who is said to have moved.
    """

    flip: Cell
    home: Cell | None = None
    success: bool | None = None
    prize: Prize | None = None
    met: bool | None = None
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    """A position.

    Parameters
    ----------
    size : (int, int)
        Rows and columns of the picture.
    open : tuple of Cell
        Cards that lie open in their homes.
    known : tuple of Memory
        Remembered face-down cards, the one seen longest ago first.
    stack : Stack or None
        The prizes; None plays without.
    players : tuple of Player
        In order of play, at least one.
    to_move : str
        Whose move it is.
    layout : tuple of tuple of Cell, or None
        For a referee: the home of the card at every place, row by row. Questions that ask for
        advice do not look at it.
    reshuffle : bool
        NY6's option: an empty stack is made anew from the prizes taken.
    history : tuple of Flip
        Flips made since; every question is about the position after them.
    """

    size: tuple[int, int]
    open: tuple[Cell, ...]
    known: tuple[Memory, ...] = ()
    stack: Stack | None = None
    players: tuple[Player, ...] = (Player("A"),)
    to_move: str = "A"
    layout: tuple[tuple[Cell, ...], ...] | None = None
    reshuffle: bool = False
    history: tuple[Flip, ...] = ()

    def seat(self, name: str) -> int:
        """Return the number of a player's seat."""
        return [player.name for player in self.players].index(name)


def load(node: Node) -> State:
    """Read a state.

    Examples
    --------
    >>> load(Node({"game": "new-year-puzzle", "size": [2, 3]})).open
    ((0, 0), (0, 2), (1, 0), (1, 2))
    """
    fields = node.object(*_FIELDS, required=("game", "size"))
    fields["game"].string(ID)
    rows, columns = fields["size"].items(least=2, most=2)
    size = rows.integer(1, LONGEST_SIDE), columns.integer(1, LONGEST_SIDE)
    grid = grid_of(*size)
    corners = grid.cells_of(grid.corners)
    lying = fields["open"].cells() if "open" in fields else corners
    players = _players(fields["players"]) if "players" in fields else (Player("A"),)
    names = [player.name for player in players]
    successes = max(0, len(set(lying) - set(corners)))
    return State(
        size=size,
        open=lying,
        known=tuple(_known(fields["known"])) if "known" in fields else (),
        stack=load_stack(fields["prizes"], successes) if "prizes" in fields else None,
        players=players,
        to_move=_player(fields["to_move"], names) if "to_move" in fields else names[0],
        layout=_layout(fields["layout"], size) if "layout" in fields else None,
        reshuffle=_reshuffle(fields["rules"]) if "rules" in fields else False,
        history=tuple(_flips(fields["history"], names)) if "history" in fields else (),
    )


_FIELDS = ("open", "known", "prizes", "players", "to_move", "layout", "rules", "history")


def _players(node: Node) -> tuple[Player, ...]:
    players: list[Player] = []
    for item in node.items(least=1, most=MOST_PLAYERS):
        fields = item.object("points", required=("name",))
        name = fields["name"].string()
        if not name.strip() or name in [player.name for player in players]:
            raise fields["name"].error(
                f"expected a name of its own for each player, found '{name}'"
            )
        points = fields["points"].integer(-MOST_POINTS, MOST_POINTS) if "points" in fields else 0
        players.append(Player(name, points))
    return tuple(players)


def _player(node: Node, names: list[str]) -> str:
    name = node.string()
    if name not in names:
        raise node.error(f"'{name}' is not one of the players: {', '.join(names)}")
    return name


def _known(node: Node) -> Iterator[Memory]:
    for item in node.items():
        fields = item.object(required=("at", "home"))
        yield Memory(fields["at"].cell(), fields["home"].cell())


def _layout(node: Node, size: tuple[int, int]) -> tuple[tuple[Cell, ...], ...]:
    rows = node.items(least=size[0], most=size[0])
    return tuple(
        tuple(item.cell() for item in row.items(least=size[1], most=size[1])) for row in rows
    )


def _reshuffle(node: Node) -> bool:
    fields = node.object("reshuffle_prizes")
    return fields["reshuffle_prizes"].boolean() if "reshuffle_prizes" in fields else False


def _flips(node: Node, names: list[str]) -> Iterator[Flip]:
    for item in node.items():
        yield _flip(item, names)


def load_move(node: Node, state: State) -> Flip:
    """Read a flip, as ``{"flip": [2, 3]}``; its result may stand beside it or in ``result``."""
    return _flip(node, [player.name for player in state.players])


_RESULT = ("home", "success", "prize", "met")


def _flip(node: Node, names: list[str]) -> Flip:
    fields = node.object("by", "result", *_RESULT, required=("flip",))
    if "result" in fields:
        for name in _RESULT:
            if name in fields:
                raise fields[name].error("stands beside the move and in its result: once only")
        fields |= fields["result"].object(*_RESULT)
    home, prize = fields.get("home"), fields.get("prize")
    return Flip(
        flip=fields["flip"].cell(),
        home=None if home is None else home.cell(),
        success=fields["success"].boolean() if "success" in fields else None,
        prize=None if prize is None or prize.value is None else load_prize(prize),
        met=fields["met"].boolean() if "met" in fields else None,
        by=_player(fields["by"], names) if "by" in fields else None,
    )


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    data: dict[str, Json] = {
        "game": ID,
        "size": list(state.size),
        "open": [list(cell) for cell in state.open],
        "known": [{"at": list(each.at), "home": list(each.home)} for each in state.known],
        "prizes": dump_stack(state.stack),
        "players": [{"name": each.name, "points": each.points} for each in state.players],
        "to_move": state.to_move,
    }
    if state.layout is not None:
        data["layout"] = [[list(cell) for cell in row] for row in state.layout]
    data["rules"] = {"reshuffle_prizes": True} if state.reshuffle else {}
    if state.history:
        data["history"] = [dump_move(flip) for flip in state.history]
    return data


def dump_move(move: Flip) -> Json:
    """Write a flip; claims that are not made are left out."""
    data: dict[str, Json] = {"flip": list(move.flip)}
    if move.home is not None:
        data["home"] = list(move.home)
    if move.prize is not None:
        data["prize"] = dump_prize(move.prize)
    for name in ("success", "met", "by"):
        if getattr(move, name) is not None:
            data[name] = getattr(move, name)
    return data
