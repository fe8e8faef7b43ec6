"""The JSON that states and moves are written as: the shortest thing that works, in and out.

What a file leaves open has a default, and `State.assumed` says which was taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node
from tilesolve_models.second_chance.deck import (
    DECKS,
    Deck,
    Tile,
    dump_deck,
    dump_tile,
    named_deck,
    read_deck,
    read_tile,
)
from tilesolve_models.second_chance.grid import LARGEST, Grid
from tilesolve_models.second_chance.state import (
    CENTRE,
    ID,
    STANDARD,
    Act,
    Bonus,
    Draw,
    Drawn,
    Move,
    Pass,
    Phase,
    Player,
    Rules,
    State,
    TurnUp,
)

_PLAYER = ("rows", "placed", "start_tile", "bonus", "out", "this_round")
_SHARED = (
    "phase", "turned_up", "seen", "deck", "order", "round", "turn", "rules", "standard",
    "marked", "series",
)  # fmt: skip
_MOST_PLAYERS = 20
_MOST_SEEN = 400


def load(node: Node) -> State:
    """Read a state; what the file leaves open is said in `State.assumed`.

    Examples
    --------
    >>> rows = [".........", ".........", ".........", "...AAA...", "...AAA...", "...AA...."]
    >>> state = load(Node({"game": "second-chance", "rows": rows + ["." * 9] * 3,
    ...                    "turned_up": ["P5", ["##.", ".##"]]}))
    >>> [tile.name for tile in state.turned_up], state.phase, state.cards_left
    (['P5', 'S4'], 'round', 38)
    >>> state.assumed[0]
    'the deck is the synthetic one'
    """
    fields = node.object("players", *_PLAYER, *_SHARED, required=("game",))
    fields["game"].string(ID)
    if "players" in fields:
        given = next((name for name in _PLAYER if name in fields), None)
        if given is not None:
            raise fields[given].error(f"'{given}' belongs into 'players', which is there too")
    notes: list[str] = []
    deck = _load_deck(fields, notes)
    standard = fields["standard"].boolean() if "standard" in fields else True
    players = _load_players(fields, node, deck, standard)
    turned_up = _tiles(fields.get("turned_up"), deck)
    seen = _tiles(fields.get("seen"), deck)
    phase = _load_phase(fields, players, turned_up, notes)
    if "seen" not in fields and deck is not None and phase != "start":
        notes.append("no cards but those turned up are gone from the deck ('seen' was not given)")
    return State(
        players=players,
        phase=phase,
        turned_up=turned_up,
        seen=seen,
        deck=deck,
        order=_tiles(fields["order"], deck) if "order" in fields else None,
        round=_load_round(fields, players, phase),
        turn=_load_turn(fields, players),
        rules=_load_rules(fields.get("rules")),
        standard=standard,
        marked=_load_marked(fields, players[0].grid, standard),
        table="players" in fields,
        series=_load_series(fields.get("series")),
        assumed=tuple(notes),
    )


def _load_deck(fields: Mapping[str, Node], notes: list[str]) -> Deck | None:
    if "deck" not in fields:
        notes.append(f"the deck is the {DECKS[0]} one")
        return named_deck(DECKS[0])
    return None if fields["deck"].value is None else read_deck(fields["deck"])


def _load_players(
    fields: Mapping[str, Node], node: Node, deck: Deck | None, standard: bool
) -> tuple[Player, ...]:
    if "players" not in fields:
        return (_load_player(fields, node, deck, standard),)
    players: list[Player] = []
    for item in fields["players"].items(least=1, most=_MOST_PLAYERS):
        own = item.object("name", *_PLAYER)
        player = _load_player(own, item, deck, standard)
        name = own["name"].string() if "name" in own else str(len(players) + 1)
        if not name or any(other.name == name for other in players):
            raise item.error(f"every player has a name of his own, '{name}' is taken or empty")
        if players and player.grid != players[0].grid:
            raise item.error("the grids of all players have the same size")
        players.append(replace(player, name=name))
    return tuple(players)


def _load_player(
    fields: Mapping[str, Node], node: Node, deck: Deck | None, standard: bool
) -> Player:
    placed = fields["placed"].items(most=_MOST_SEEN) if "placed" in fields else []
    empty = "start_tile" in fields or "placed" in fields
    if "rows" not in fields and not (empty and standard):
        raise node.error("'rows' is missing: the grid, '.' for an empty square")
    plain = ("." * STANDARD.columns,) * STANDARD.rows
    acts = ("drew", "waits")
    return Player(
        rows=_load_rows(fields["rows"]) if "rows" in fields else plain,
        drawn=tuple(_load_drawn(item, deck) for item in placed),
        start_tile=read_tile(fields["start_tile"], deck) if "start_tile" in fields else None,
        this_round=cast(Act, fields["this_round"].string(*acts)) if "this_round" in fields else "",
        out=fields["out"].integer(1, 10**6) if _given(fields, "out") else None,
        bonus=fields["bonus"].cell() if _given(fields, "bonus") else None,
    )


def _given(fields: Mapping[str, Node], name: str) -> bool:
    return name in fields and fields[name].value is not None


def _load_rows(node: Node) -> tuple[str, ...]:
    rows: list[str] = []
    for item in node.items(least=1, most=LARGEST):
        text = item.string()
        wrong = next((sign for sign in text if not _legal(sign)), None)
        if wrong is not None:
            raise item.error(
                f"'{wrong}' means nothing here; '.' is empty, a capital letter is drawn, "
                "1 is the bonus"
            )
        if not 1 <= len(text) <= LARGEST:
            raise item.error(f"a row has 1 to {LARGEST} squares, this one has {len(text)}")
        if rows and len(text) != len(rows[0]):
            raise item.error(f"this row has {len(text)} squares, the first has {len(rows[0])}")
        rows.append(text)
    return tuple(rows)


def _legal(sign: str) -> bool:
    return sign in ".1" or "A" <= sign <= "Z"


def _load_drawn(node: Node, deck: Deck | None) -> Drawn:
    fields = node.object(required=("tile", "cells"))
    cells = fields["cells"].cells(least=1)
    return Drawn(read_tile(fields["tile"], deck), tuple(sorted(cells)))


def _tiles(node: Node | None, deck: Deck | None) -> tuple[Tile, ...]:
    if node is None:
        return ()
    return tuple(read_tile(item, deck) for item in node.items(most=_MOST_SEEN))


def _load_phase(
    fields: Mapping[str, Node],
    players: tuple[Player, ...],
    turned_up: tuple[Tile, ...],
    notes: list[str],
) -> Phase:
    if "phase" in fields:
        return cast(Phase, fields["phase"].string("start", "round", "second_chance", "bonus"))
    if any(player.start_tile and not player.filled for player in players):
        return "start"
    if len(turned_up) == 1:
        notes.append("one card is turned up, so it is a second chance")
        return "second_chance"
    return "round"


def _load_round(fields: Mapping[str, Node], players: tuple[Player, ...], phase: Phase) -> int:
    if "round" in fields:
        return fields["round"].integer(1, 10**6)
    last = max((player.out or 0 for player in players), default=0)
    return max(1, last if phase == "bonus" else last + 1)


def _load_turn(fields: Mapping[str, Node], players: tuple[Player, ...]) -> str:
    if "turn" not in fields:
        return ""
    names = [player.name for player in players if player.name]
    if not names:
        raise fields["turn"].error("nobody here has a name; leave 'turn' out, or name the players")
    return fields["turn"].string(*names)


def _load_rules(node: Node | None) -> Rules:
    if node is None:
        return Rules()
    names = ("finish_round", "bonus_can_complete")
    return Rules(**{name: value.boolean() for name, value in node.object(*names).items()})


def _load_marked(fields: Mapping[str, Node], grid: Grid, standard: bool) -> Cell | None:
    if "marked" not in fields:
        return CENTRE if standard and grid == STANDARD else None
    if fields["marked"].value is None:
        return None
    marked = fields["marked"].cell()
    if not grid.inside(marked):
        raise fields["marked"].error(f"{list(marked)} is no square of the grid")
    return marked


def _load_series(node: Node | None) -> tuple[int, ...]:
    return () if node is None else tuple(item.integer(0, 10**6) for item in node.items(most=2))


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    dumped: dict[str, Json] = {"game": ID}
    if state.table:
        dumped["players"] = [
            {"name": player.name, **_dump_player(player, state.deck)} for player in state.players
        ]
    else:
        dumped |= _dump_player(state.players[0], state.deck)
    dumped["phase"] = state.phase
    dumped["turned_up"] = _dump_tiles(state.turned_up, state.deck)
    dumped["seen"] = _dump_tiles(state.seen, state.deck)
    dumped["deck"] = None if state.deck is None else dump_deck(state.deck)
    if state.order is not None:
        dumped["order"] = _dump_tiles(state.order, state.deck)
    dumped["round"] = state.round
    if state.turn:
        dumped["turn"] = state.turn
    dumped["rules"] = {
        "finish_round": state.rules.finish_round,
        "bonus_can_complete": state.rules.bonus_can_complete,
    }
    dumped["standard"] = state.standard
    dumped["marked"] = list(state.marked) if state.marked else None
    if state.series:
        dumped["series"] = list(state.series)
    return dumped


def _dump_player(player: Player, deck: Deck | None) -> dict[str, Json]:
    dumped: dict[str, Json] = {"rows": list(player.rows)}
    if player.drawn:
        dumped["placed"] = [
            {"tile": dump_tile(drawn.tile, deck), "cells": _dump_cells(drawn.cells)}
            for drawn in player.drawn
        ]
    if player.start_tile:
        dumped["start_tile"] = dump_tile(player.start_tile, deck)
    if player.this_round:
        dumped["this_round"] = player.this_round
    if player.out is not None:
        dumped["out"] = player.out
    if player.bonus is not None:
        dumped["bonus"] = list(player.bonus)
    return dumped


def _dump_tiles(tiles: Iterable[Tile], deck: Deck | None) -> Json:
    return [dump_tile(tile, deck) for tile in tiles]


def _dump_cells(cells: Iterable[Cell]) -> Json:
    return [list(cell) for cell in cells]


def load_move(node: Node, state: State) -> Move:
    """Read a move.

    Examples
    --------
    >>> load_move(Node({"pass": True}), State((Player(("..",)),)))
    Pass(player='')
    """
    kinds = ("tile", "bonus", "pass", "turn_up")
    fields = node.object("cells", "player", *kinds)
    given = [kind for kind in kinds if kind in fields]
    if len(given) != 1 or ("cells" in fields) != (given == ["tile"]):
        raise node.error(
            "a move is a 'tile' with its 'cells', a 'bonus' square, 'pass', or cards to 'turn_up'"
        )
    names = [player.name for player in state.players if player.name]
    if "player" in fields and not names:
        raise fields["player"].error("this state has one grid and no names of players")
    player = fields["player"].string(*names) if "player" in fields else ""
    if "tile" in fields:
        tile = read_tile(fields["tile"], state.deck)
        return Draw(tile, tuple(sorted(fields["cells"].cells())), player)
    if "bonus" in fields:
        return Bonus(fields["bonus"].cell(), player)
    if "turn_up" in fields:
        return TurnUp(_tiles(fields["turn_up"], state.deck), player)
    if not fields["pass"].boolean():
        raise fields["pass"].error("'pass' is true, or not written")
    return Pass(player)


def dump_move(move: Move) -> Json:
    """Write a move."""
    who = {"player": move.player} if move.player else {}
    match move:
        case Draw():
            return {"tile": move.tile.name, "cells": _dump_cells(move.cells), **who}
        case Bonus():
            return {"bonus": list(move.cell), **who}
        case Pass():
            return {"pass": True, **who}
        case TurnUp():
            return {"turn_up": [tile.name for tile in move.tiles], **who}
