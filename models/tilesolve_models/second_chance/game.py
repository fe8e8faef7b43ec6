"""The `GAME` object of Second Chance."""

from __future__ import annotations

from tilesolve.game import Game, GameInfo, Parameter, RuleOption
from tilesolve_models.second_chance import notation, schema
from tilesolve_models.second_chance.asking import UNIT
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.operations import (
    best,
    difficulty,
    explain,
    fit,
    hint,
    new,
    simulate,
    verify,
)
from tilesolve_models.second_chance.picture import illustrate, picture
from tilesolve_models.second_chance.rules import apply, moves
from tilesolve_models.second_chance.starter import starter
from tilesolve_models.second_chance.state import ID, Move, State

POLICIES = ("random", "greedy", "look-ahead", "learned", "hint")

_PLAYER = Parameter(name="player", kind="string", help="whose grid; the next in seat order")
_TILES = Parameter(
    name="tiles", kind="json", help="tiles by name or rows: do they all fit together?"
)

_INFO = GameInfo(
    id=ID,
    title="Second Chance",
    unit=UNIT,
    sense="minimise",
    operations={
        "fit": (_TILES, _PLAYER),
        "best": (
            Parameter(
                name="cards",
                kind="string",
                choices=("auto", "order", "any"),
                help="for the known order of cards, or for any order of those left",
            ),
            _PLAYER,
        ),
        "explain": (_TILES, _PLAYER),
        "verify": (
            Parameter(name="proof", kind="json", help="the certificate"),
            _TILES,
            _PLAYER,
        ),
        "hint": (_PLAYER,),
        "difficulty": (
            Parameter(
                name="games",
                kind="integer",
                least=1,
                most=10**6,
                help="games of each simulated player",
            ),
            Parameter(name="weights", kind="json", help="other weights of the grade"),
        ),
        "simulate": (
            Parameter(name="table", kind="boolean", help="all policies at one table"),
            Parameter(name="plays", kind="integer", least=1, most=10**6, help="plays of one hint"),
        ),
        "new": (
            Parameter(name="players", kind="integer", least=1, most=6, help="grids at the table"),
            Parameter(name="order", kind="boolean", help="deal the order of the cards too"),
        ),
    },
    rule_options=(
        RuleOption(
            name="finish_round",
            rule="SC8",
            default=True,
            choices=(True, False),
            help="a full grid ends the game after the round, or at once",
        ),
        RuleOption(
            name="bonus_can_complete",
            rule="SC8",
            default=True,
            choices=(True, False),
            help="the bonus 1 may fill the last square of a grid",
        ),
    ),
    state_schema=schema.STATE,
    move_schema=schema.MOVE,
)

GAME: Game[State, Move] = Game(
    info=_INFO,
    load=notation.load,
    dump=notation.dump,
    load_move=notation.load_move,
    dump_move=notation.dump_move,
    check=check,
    moves=moves,
    apply=apply,
    picture=picture,
    illustrate=illustrate,
    fit=fit,
    best=best,
    explain=explain,
    verify=verify,
    hint=hint,
    difficulty=difficulty,
    simulate=simulate,
    new=new,
    starter=starter,
    policies=POLICIES,
)
