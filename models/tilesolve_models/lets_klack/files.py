"""State and move files: JSON to values and back, with the place in every error."""

from __future__ import annotations

import re
from typing import cast

from tilesolve.answers import Json
from tilesolve.wire import Node
from tilesolve_models.lets_klack.layout import MOST_ROWS
from tilesolve_models.lets_klack.position import (
    DEFAULT_RULES,
    SPECIALS,
    Again,
    Away,
    Cover,
    Covering,
    Fly,
    Jump,
    Match,
    Move,
    Pass,
    Rules,
    State,
    Swap,
    TurnUp,
)

ID = "lets-klack"
MOST = 999
"""The largest value of a card."""

_VALUE = re.compile(r"[1-9][0-9]{0,2}")


def load(node: Node) -> State:
    """Read a state file.

    Examples
    --------
    >>> file = {"game": "lets-klack", "cards": [[1, 2], [3], [4, 5]],
    ...         "blocks": {"2": [2, 1], "3": [0, -1]}, "covered": [1, 4, 5]}
    >>> load(Node(file)).blocks
    ((2, (2, 1)), (3, (0, -1)))
    """
    fields = node.object(
        "blocks",
        "covered",
        "specials",
        "rules",
        "phase",
        "face_down",
        "must_move",
        "turns_left",
        "away",
        "again_left",
        "match",
        required=("game", "cards"),
    )
    fields["game"].string(ID)
    known = {name: entry for name, entry in fields.items() if entry.value is not None}

    def number(name: str, least: int, most: int) -> int | None:
        return known[name].integer(least, most) if name in known else None

    blocks = known["blocks"].mapping() if "blocks" in known else {}
    blocks.pop("comment", None)
    return State(
        cards=_cards(fields["cards"]),
        blocks=tuple(sorted((_value(place, name), place.cell()) for name, place in blocks.items())),
        covered=tuple(sorted(each.integer(1, MOST) for each in _items(known, "covered"))),
        specials=tuple(each.string(*SPECIALS) for each in _items(known, "specials")),
        rules=_rules(known["rules"]) if "rules" in known else DEFAULT_RULES,
        phase=number("phase", 1, 2) or (1 if _items(known, "face_down") else 2),
        face_down=tuple(sorted(each.cell() for each in _items(known, "face_down"))),
        must_move=number("must_move", 1, MOST),
        turns_left=number("turns_left", 0, 1000),
        away=number("away", 1, MOST),
        again_left=number("again_left", 0, 2) or 0,
        match=_match(known["match"]) if "match" in known else None,
    )


def _items(known: dict[str, Node], name: str) -> list[Node]:
    return known[name].items(most=1000) if name in known else []


def _value(place: Node, name: str) -> int:
    if not _VALUE.fullmatch(name):
        raise place.error(f"expected the value of a block from 1 to {MOST}, found '{name[:20]}'")
    return int(name)


def _cards(node: Node) -> tuple[tuple[int, ...], ...]:
    rows = node.items(least=1, most=MOST_ROWS)
    cards = tuple(tuple(card.integer(1, MOST) for card in row.items(most=MOST)) for row in rows)
    width = len(cards[0])
    lengths = [width - place % 2 for place in range(len(rows))]
    if len(rows) % 2 == 0 or not 0 < width <= (MOST_ROWS + 1) // 2:
        raise node.error(
            f"expected an odd number of rows, the first of 1 to {(MOST_ROWS + 1) // 2} cards, "
            f"found {len(rows)} rows, the first of {width}"
        )
    for row, cells, length in zip(rows, cards, lengths, strict=True):
        if len(cells) != length:
            raise row.error(f"expected {length} cards (rows alternate), found {len(cells)}")
    return cards


def _rules(node: Node) -> Rules:
    fields = node.object("must_continue", "cover", "jump_covered")
    cover = DEFAULT_RULES.cover
    if "cover" in fields:
        cover = cast(Covering, fields["cover"].string("automatic", "optional", "separate"))
    return Rules(
        must_continue="must_continue" in fields and fields["must_continue"].boolean(),
        cover=cover,
        jump_covered="jump_covered" not in fields or fields["jump_covered"].boolean(),
    )


def _match(node: Node) -> Match:
    fields = node.object("limit", "rounds", "played", required=("totals",))
    totals = fields["totals"].items(least=1, most=4)
    return Match(
        totals=tuple(total.integer(0, 10**6) for total in totals),
        limit=fields["limit"].integer(1, 10**6) if "limit" in fields else None,
        rounds=fields["rounds"].integer(1, 10**6) if "rounds" in fields else None,
        played=fields["played"].integer(0, 10**6) if "played" in fields else 0,
    )


def dump(state: State) -> Json:
    """Write a state file; what has its ordinary value is left out."""
    written: dict[str, Json] = {
        "game": ID,
        "cards": [list(row) for row in state.cards],
        "blocks": {str(value): list(cell) for value, cell in state.blocks},
        "covered": list(state.covered),
    }
    if state.specials:
        written["specials"] = list(state.specials)
    chosen = {
        name: getattr(state.rules, name)
        for name in ("must_continue", "cover", "jump_covered")
        if getattr(state.rules, name) != getattr(DEFAULT_RULES, name)
    }
    if chosen:
        written["rules"] = chosen
    if state.phase != 2 or state.face_down:
        written["phase"] = state.phase
        written["face_down"] = [list(cell) for cell in state.face_down]
    for name in ("must_move", "turns_left", "away"):
        if getattr(state, name) is not None:
            written[name] = getattr(state, name)
    if state.again_left:
        written["again_left"] = state.again_left
    if state.match is not None:
        written["match"] = _dump_match(state.match)
    return written


def _dump_match(match: Match) -> Json:
    written: dict[str, Json] = {"totals": list(match.totals)}
    for name in ("limit", "rounds"):
        if getattr(match, name) is not None:
            written[name] = getattr(match, name)
    return {**written, "played": match.played} if match.played else written


def load_move(node: Node, state: State) -> Move:
    """Read a move.

    Examples
    --------
    >>> state = State(cards=((1,),))
    >>> load_move(Node({"block": 5, "to": [2, 1]}), state)
    Jump(block=5, to=(2, 1), cover=None)
    >>> load_move(Node({"pass": True}), state)
    Pass()
    """
    del state
    kinds = ("block", "fly", "away", "swap", "again", "pass", "turn_up")
    named = [kind for kind in kinds if kind in node.mapping()]
    if len(named) != 1:
        raise node.error(f"expected one of the fields {', '.join(kinds)}, found {len(named)}")
    if named == ["block"]:
        return _block_move(node)
    field = node.object(required=named)[named[0]]
    match named[0]:
        case "fly":
            return Fly(field.integer(1, MOST))
        case "away":
            return Away(field.integer(1, MOST))
        case "turn_up":
            return TurnUp(field.cell())
        case "swap":
            first, second = field.items(least=2, most=2)
            return Swap(first.integer(1, MOST), second.integer(1, MOST))
        case kind:
            if not field.boolean():
                raise field.expected("true")
            return Again() if kind == "again" else Pass()


def _block_move(node: Node) -> Move:
    fields = node.object("to", "cover", required=("block",))
    block = fields["block"].integer(1, MOST)
    cover = fields["cover"].boolean() if "cover" in fields else None
    if "to" in fields:
        return Jump(block, fields["to"].cell(), cover)
    if not cover:
        raise node.error("a block moves 'to' a cell, or it is put on its card with 'cover': true")
    return Cover(block)


def dump_move(move: Move) -> Json:
    """Write a move; `load_move` reads it back."""
    match move:
        case Jump(block, to, None):
            return {"block": block, "to": list(to)}
        case Jump(block, to, cover):
            return {"block": block, "to": list(to), "cover": cover}
        case Cover(block):
            return {"block": block, "cover": True}
        case Fly(block):
            return {"fly": block}
        case Away(card):
            return {"away": card}
        case Swap(first, second):
            return {"swap": [first, second]}
        case TurnUp(cell):
            return {"turn_up": list(cell)}
        case Again():
            return {"again": True}
        case Pass():
            return {"pass": True}
