"""The `GAME` object of 5 Minuten Puzzle."""

from __future__ import annotations

import random

from tilesolve.answers import Json
from tilesolve.game import Game, GameInfo, Parameter, RuleOption
from tilesolve_models.five_minute_puzzle import rules, schema, state
from tilesolve_models.five_minute_puzzle.difficulty import difficulty
from tilesolve_models.five_minute_puzzle.hints import hint
from tilesolve_models.five_minute_puzzle.model import UNIT, fit
from tilesolve_models.five_minute_puzzle.picture import illustrate, picture
from tilesolve_models.five_minute_puzzle.proving import explain, verify
from tilesolve_models.five_minute_puzzle.scoring import best
from tilesolve_models.five_minute_puzzle.sheets import DIE, SYNTHETIC, shipped
from tilesolve_models.five_minute_puzzle.simulation import POLICIES, simulate
from tilesolve_models.five_minute_puzzle.state import ENDS, ID, Move, State


def new(*, seed: int, sheet: str = SYNTHETIC[0]) -> State:
    """Return a fresh sheet with the first roll.

    Examples
    --------
    >>> new(seed=3).roll
    2
    """
    return State(shipped(sheet), roll=random.Random(seed).choice(DIE))


_INFO = GameInfo(
    id=ID,
    title="5 Minuten Puzzle",
    unit=UNIT,
    sense="minimise",
    operations={
        "fit": (),
        "best": (
            Parameter(
                name="prefill",
                kind="integer",
                least=0,
                most=rules.MOST_PREFILLED,
                help="expert variant: up to so many hexagons are filled first, wherever it is best",
            ),
            Parameter(
                name="engine",
                kind="string",
                choices=("auto", "cpsat", "search"),
                help="who is asked: CP-SAT alone, the game's own searches alone, or all in turn",
            ),
        ),
        "explain": (),
        "verify": (Parameter(name="proof", kind="json", help="the certificate"),),
        "hint": (
            Parameter(
                name="roll",
                kind="integer",
                least=DIE.start,
                most=DIE.stop - 1,
                help="the number rolled, if the state does not say",
            ),
            Parameter(
                name="prefill",
                kind="boolean",
                help="expert variant: which hexagons to fill before the start",
            ),
        ),
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
            Parameter(
                name="effort",
                kind="integer",
                least=1,
                help="work of each hint of the policy 'hint'",
            ),
            Parameter(
                name="hint_seconds",
                kind="number",
                least=0,
                help="seconds of each hint instead; the table then depends on the machine",
            ),
        ),
        "new": (
            Parameter(
                name="sheet", kind="string", choices=SYNTHETIC, help="which side of the sheet"
            ),
        ),
    },
    rule_options=(
        RuleOption(
            name="forgo_may_cross_rolled",
            rule="FM5",
            default=True,
            choices=(True, False),
            help="who forgoes may cross out a piece of the number rolled",
        ),
        RuleOption(
            name="end_on_stuck",
            rule="FM6",
            default="all",
            choices=ENDS,
            help="when somebody can lay nothing any more it ends for all, for him, or for nobody",
        ),
    ),
    state_schema=schema.STATE,
    move_schema=schema.MOVE,
)


def starter() -> dict[str, Json]:
    """Return a first state file, with a comment that says what it is."""
    comment = "The first roll is known; add what you draw to history and write the next roll."
    return {"game.json": {"comment": comment, **state.dump(new(seed=0))}}


GAME: Game[State, Move] = Game(
    info=_INFO,
    load=state.load,
    dump=state.dump,
    load_move=state.load_move,
    dump_move=state.dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
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
    policies=POLICIES,
    starter=starter,
)
