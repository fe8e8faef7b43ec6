"""The New-Year puzzle's picture, schemas and the `GAME` object."""

from __future__ import annotations

from tilesolve.answers import Json
from tilesolve.draw.picture import Picture, Tile
from tilesolve.game import Game, GameInfo, Parameter, RuleOption
from tilesolve_models.new_year_puzzle import hints, model, rules, simulation
from tilesolve_models.new_year_puzzle.prizes import MOST_POINTS, MOST_PRIZES, SYNTHETIC
from tilesolve_models.new_year_puzzle.state import (
    ID,
    LONGEST_SIDE,
    MOST_PLAYERS,
    Flip,
    Memory,
    State,
    dump,
    dump_move,
    load,
    load_move,
)


def picture(state: State) -> Picture:
    """Draw the face-down square: open cards, remembered ones that fit now or not, and the rest.

    A remembered card shows ``!`` if it fits now, else ``k``; one nobody knows ``?``. A referee's
    layout is not shown.
    """
    if not rules.check(state).violations:
        state = rules.position(state)
    field = rules.grid(state)
    marks = {each.at: "!" if rules.fits(state, each.home) else "k" for each in state.known}
    tiles = tuple(_tile(state, marks, card) for card in range(field.size))
    points = ", ".join(f"{player.name} {player.points}" for player in state.players)
    notes = [f"points: {points}", f"{state.to_move} to move"]
    notes += [_note(state, each) for each in state.known]
    if state.stack is not None:
        cards = "prize card" if state.stack.left == 1 else "prize cards"
        notes.append(f"{state.stack.left} {cards} left")
    return Picture(tiles=tiles, title="New-Year picture puzzle", notes=tuple(notes))


def _note(state: State, memory: Memory) -> str:
    when = "now" if rules.fits(state, memory.home) else "not yet"
    return f"{list(memory.at)} belongs to {list(memory.home)}, fits {when}"


def _tile(state: State, marks: dict[tuple[int, int], str], card: int) -> Tile:
    field = rules.grid(state)
    cell = field.cell(card)
    if cell in state.open:
        return field.tile(card, label="#", group="open", role="filled")
    return field.tile(card, label=marks.get(cell, "?"), role="covered")


_CELL: Json = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
}
_NAME: Json = {"type": "string", "minLength": 1}
_POINTS: Json = {"type": "integer", "minimum": -MOST_POINTS, "maximum": MOST_POINTS}


def _object(required: list[str], **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": {"comment": {"type": "string"}, **properties},
        "required": required,
        "additionalProperties": False,
    }


def _list(items: Json, **limits: int) -> Json:
    return {"type": "array", "items": items, **limits}


_PRIZE = _object(
    ["points"],
    points=_POINTS,
    no_extra_move={"type": "boolean"},
    condition={"type": ["string", "null"]},
    bonus=_POINTS,
    others=_POINTS,
)
_CARDS: Json = {"anyOf": [{"const": SYNTHETIC}, _list(_PRIZE, maxItems=MOST_PRIZES)]}
_STACK: Json = {
    "anyOf": [
        {"type": "null"},
        *_CARDS["anyOf"],
        _object(
            ["cards"],
            cards=_CARDS,
            taken=_list(_PRIZE),
            left={"type": "integer", "minimum": 0},
            ordered={"type": "boolean"},
        ),
    ]
}
_RESULT: dict[str, Json] = {
    "home": _CELL,
    "success": {"type": "boolean"},
    "prize": {"anyOf": [_PRIZE, {"type": "null"}]},
    "met": {"type": "boolean"},
}
MOVE_SCHEMA = _object(["flip"], flip=_CELL, by=_NAME, result=_object([], **_RESULT), **_RESULT)
_SIDE: Json = {"type": "integer", "minimum": 1, "maximum": LONGEST_SIDE}
STATE_SCHEMA = _object(
    ["game", "size"],
    game={"const": ID},
    size=_list(_SIDE, minItems=2, maxItems=2),
    open=_list(_CELL),
    known=_list(_object(["at", "home"], at=_CELL, home=_CELL)),
    prizes=_STACK,
    players=_list(_object(["name"], name=_NAME, points=_POINTS), minItems=1, maxItems=MOST_PLAYERS),
    to_move=_NAME,
    layout=_list(_list(_CELL)),
    rules=_object([], reshuffle_prizes={"type": "boolean"}),
    history=_list(MOVE_SCHEMA),
)

_REMEMBER = Parameter(
    name="remember",
    kind="integer",
    help="cards that everybody remembers, those seen last; all without it",
    least=0,
    most=LONGEST_SIDE**2,
)
_ROUNDS = Parameter(
    name="rounds",
    kind="integer",
    help="rounds that a game of several players is followed for; 0 is to its end",
    least=0,
    most=1000,
)
_SIDES = tuple(
    Parameter(name=name, kind="integer", help=f"{name} of the picture", least=2, most=LONGEST_SIDE)
    for name in ("rows", "columns")
)
_PLAYERS = Parameter(name="players", kind="integer", help="how many", least=1, most=8)

GAME: Game[State, Flip] = Game(
    info=GameInfo(
        id=ID,
        title="The New-Year picture puzzle",
        unit=model.UNIT,
        sense="maximise",
        operations={
            "fit": (
                Parameter(
                    name="card", kind="json", help="the home [row, column] of the card turned up"
                ),
            ),
            "best": (),
            "hint": (_REMEMBER, _ROUNDS),
            "simulate": (
                _PLAYERS,
                _REMEMBER,
                _ROUNDS,
                Parameter(
                    name="samples",
                    kind="integer",
                    help="simulated games for each move of the policy hint",
                    least=1,
                    most=100_000,
                ),
            ),
            "new": (
                _PLAYERS,
                *_SIDES,
                Parameter(
                    name="hidden",
                    kind="boolean",
                    help="leave out what only a referee knows: layout and order of the prizes",
                ),
            ),
        },
        rule_options=(
            RuleOption(
                name="reshuffle_prizes",
                rule="NY6",
                default=False,
                choices=(False, True),
                help="an empty prize stack is made anew from the prizes taken",
            ),
        ),
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
    new=simulation.new,
    policies=simulation.POLICIES,
)
