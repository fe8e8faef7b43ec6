"""Puzl It's picture, schemas and the `GAME` object."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.draw.picture import Picture, Tile
from tilesolve.errors import InputError
from tilesolve.game import Game, GameInfo, Parameter, RuleOption
from tilesolve_models.puzl_it import hints, model, rules, simulation
from tilesolve_models.puzl_it.deal import deal
from tilesolve_models.puzl_it.state import (
    ID,
    MOST_CARDS,
    MOST_HAND,
    Move,
    State,
    dump,
    dump_move,
    load,
    load_move,
)


def new(*, seed: int, players: int = 2, me: str | None = None) -> State:
    """Deal a game, from a referee's view or from that of the player `me`."""
    state = deal(players=players, seed=seed)
    if me is None:
        return state
    if me not in [seat.name for seat in state.seats]:
        raise InputError(f"there is no player {me} among {players}", place="$.me")
    return rules.view(state, me)


def picture(state: State) -> Picture:
    """Draw what lies, and the hand in view; Blocker cards carry a ``*``."""
    if not rules.check(state).violations:
        state = rules.position(state)
    field = rules.grid(state)
    hand = state.seat(state.me or state.to_move).hand
    tiles = tuple(_tile(state, field.cell(card), hand) for card in range(field.size))
    held = ", ".join(f"{seat.name} {len(seat.hand)}+{len(seat.pile)}" for seat in state.seats)
    symbol = "on the table" if state.blocker is None else f"with {state.blocker}"
    notes = [f"hand + pile: {held}", f"{state.to_move} to move"]
    if len(state.seats) > 2:
        notes.append(f"Blocker {symbol}")
    return Picture(tiles=tiles, title="Puzl It", notes=tuple(notes))


def _tile(state: State, cell: tuple[int, int], hand: tuple[object, ...]) -> Tile:
    field = rules.grid(state)
    symbol = "*" if cell in state.blocker_cards else ""
    card = field.card(cell)
    if cell in state.in_play:
        return field.tile(card, label=symbol or "#", group="in play", role="filled")
    if cell in hand:
        return field.tile(card, label=f"h{symbol}", group=f"hand {card}", role="card")
    return field.tile(card, role="open")


_CELL: Json = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
}
_CELLS: Json = {"type": "array", "items": _CELL}
_NAME: Json = {"type": "string", "minLength": 1}
_MAYBE_NAME: Json = {"anyOf": [_NAME, {"type": "null"}]}
_CARDS: Json = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": MOST_CARDS},
        {"type": "array", "items": {"anyOf": [_CELL, {"type": "null"}]}},
    ],
    "description": "how many, or which from the top; null for one that is not known",
}
_CLAIM: Json = {"anyOf": [{"type": "integer", "minimum": 0}, _CELLS]}


def _object(required: list[str], **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": {"comment": {"type": "string"}, **properties},
        "required": required,
        "additionalProperties": False,
    }


MOVE_SCHEMA: Json = _object(
    ["play"],
    play=_CELLS,
    steal_from=_MAYBE_NAME,
    by=_NAME,
    connections={"type": "integer", "minimum": 0},
    stolen=_CLAIM,
    drawn=_CLAIM,
    blocker={"type": "boolean"},
)
STATE_SCHEMA: Json = _object(
    ["game", "size", "in_play", "players"],
    game={"const": ID},
    size={
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": MOST_CARDS},
        "minItems": 2,
        "maxItems": 2,
    },
    in_play=_CELLS,
    hand=_CELLS,
    blocker=_MAYBE_NAME,
    blocker_cards=_CELLS,
    me=_NAME,
    to_move=_NAME,
    players={
        "type": "array",
        "items": _object(["name", "pile"], name=_NAME, pile=_CARDS, hand=_CARDS),
        "minItems": 1,
    },
    known={"type": "array", "items": _object(["player", "cells"], player=_NAME, cells=_CELLS)},
    laid_out=_CELLS,
    rules=_object(
        [],
        group={"enum": ["connected", "each_touches_another"]},
        blocker_needs_old_card={"type": "boolean"},
        hand_size={"type": "integer", "minimum": 1, "maximum": MOST_HAND},
    ),
    history={"type": "array", "items": MOVE_SCHEMA},
)

_RULE_OPTIONS = (
    RuleOption(
        name="group",
        rule="PI3",
        default="connected",
        choices=("connected", "each_touches_another"),
        help="what makes the cards of a turn one group",
    ),
    RuleOption(
        name="blocker_needs_old_card",
        rule="PI6",
        default=False,
        choices=(False, True),
        help="a Blocker card takes the Blocker only beside a card that lay before the turn",
    ),
    RuleOption(
        name="hand_size",
        rule="PI2",
        default=5,
        choices=tuple(range(1, MOST_HAND + 1)),
        help="draw up to this many cards; larger hands are taken as they are",
    ),
)

GAME: Game[State, Move] = Game(
    info=GameInfo(
        id=ID,
        title="Puzl It",
        unit=model.UNIT,
        sense="maximise",
        operations={
            "fit": (),
            "best": (
                Parameter(
                    name="turns",
                    kind="integer",
                    help="own turns to look ahead, as if nobody else played",
                    least=1,
                    most=72,
                ),
                Parameter(
                    name="engine",
                    kind="string",
                    help="the engine that is asked",
                    choices=("auto", "cpsat", "search"),
                ),
            ),
            "hint": (
                Parameter(
                    name="rounds",
                    kind="integer",
                    help="rounds that a simulated game is followed for; 0 is to its end",
                    least=0,
                    most=100,
                ),
            ),
            "simulate": (
                Parameter(
                    name="players", kind="integer", help="players of fresh games", least=2, most=6
                ),
                Parameter(
                    name="samples",
                    kind="integer",
                    help="simulated deals for each move of the policy hint",
                    least=1,
                    most=100_000,
                ),
            ),
            "new": (
                Parameter(name="players", kind="integer", help="how many", least=2, most=6),
                Parameter(
                    name="me",
                    kind="string",
                    help="from whose view; a referee's without it",
                    choices=("A", "B", "C", "D", "E", "F"),
                ),
            ),
        },
        rule_options=_RULE_OPTIONS,
        state_schema=STATE_SCHEMA,
        move_schema=MOVE_SCHEMA,
    ),
    load=load,
    dump=dump,
    load_move=load_move,
    dump_move=dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
    picture=picture,
    fit=model.fit,
    best=model.best,
    hint=hints.hint,
    simulate=simulation.simulate,
    new=new,
    policies=simulation.POLICIES,
)
