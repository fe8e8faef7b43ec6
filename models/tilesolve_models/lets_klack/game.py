"""The `GAME` record of LET'S KLACK."""

from __future__ import annotations

from typing import cast

from tilesolve.game import Game, GameInfo, Parameter, RuleOption
from tilesolve.wire import Node
from tilesolve_models.lets_klack import explicit, hints, match, model, rules, schema
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.difficulty import difficulty
from tilesolve_models.lets_klack.match import POLICIES
from tilesolve_models.lets_klack.picture import picture
from tilesolve_models.lets_klack.position import SPECIALS, Covering, Move, Rules, State


def new(
    *,
    seed: int,
    phase: int = 2,
    width: int = 3,
    specials: Node | None = None,
    jump_covered: bool = True,
    cover: str = "automatic",
    must_continue: bool = False,
) -> State:
    """Return a random deal.

    Parameters
    ----------
    phase : int
        1 with all blocks face down, 2 with phase 1 played out.
    width : int
        Cards in the longest rows; 3 is the classic layout of 13 cards.
    specials : Node or None
        Special cards in hand.
    """
    options = Rules(
        must_continue=must_continue, cover=cast(Covering, cover), jump_covered=jump_covered
    )
    hand = () if specials is None else match.specials_of(specials)
    return deal(seed, width=width, phase=phase, specials=hand, options=options)


_ENGINE = Parameter(
    name="engine",
    kind="string",
    choices=("auto", "networkx"),
    help="networkx builds the explicit state graph where it is small, as a cross-check",
)
_MOVES = Parameter(
    name="moves", kind="integer", least=0, most=10**6, help="least minus points after so many turns"
)
_SPECIALS = Parameter(
    name="specials", kind="json", help=f"special cards, of {', '.join(SPECIALS)}, with commas"
)

GAME: Game[State, Move] = Game(
    info=GameInfo(
        id=rules.ID,
        title="LET'S KLACK: blocks jump over cards until each lies on its own",
        unit=model.UNIT,
        sense="minimise",
        operations={
            "fit": (
                Parameter(name="block", kind="integer", least=1, help="one block alone"),
                _ENGINE,
            ),
            "best": (
                _MOVES,
                Parameter(
                    name="table",
                    kind="boolean",
                    help="with the least minus points after every number of turns (default)",
                ),
                _ENGINE,
            ),
            "hint": (_MOVES, _ENGINE),
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
                Parameter(name="players", kind="integer", least=2, most=4, help="seats"),
                Parameter(
                    name="mode",
                    kind="string",
                    choices=("match", "round"),
                    help="whole matches or single rounds",
                ),
                Parameter(
                    name="limit",
                    kind="integer",
                    least=1,
                    most=10**6,
                    help="minus points that end a match",
                ),
                Parameter(
                    name="rounds",
                    kind="integer",
                    least=1,
                    most=1000,
                    help="rounds of a match, instead of the limit",
                ),
                _SPECIALS,
            ),
            "new": (
                Parameter(
                    name="phase", kind="integer", least=1, most=2, help="1: blocks face down"
                ),
                Parameter(
                    name="width", kind="integer", least=1, most=8, help="cards in the longest rows"
                ),
                _SPECIALS,
                Parameter(name="jump_covered", kind="boolean", help="rule option of LK4"),
                Parameter(
                    name="cover",
                    kind="string",
                    choices=("automatic", "optional", "separate"),
                    help="rule option of LK3",
                ),
                Parameter(name="must_continue", kind="boolean", help="rule option of LK2"),
            ),
        },
        rule_options=(
            RuleOption(
                name="must_continue",
                rule="LK2",
                default=False,
                choices=(False, True),
                help="whether a block that has moved must be moved on until it covers its card",
            ),
            RuleOption(
                name="cover",
                rule="LK3",
                default="automatic",
                choices=("automatic", "optional", "separate"),
                help="whether landing beside its card covers it always, if wanted, or only later",
            ),
            RuleOption(
                name="jump_covered",
                rule="LK4",
                default=True,
                choices=(True, False),
                help="whether covered cards may be jumped over",
            ),
        ),
        state_schema=schema.STATE,
        move_schema=schema.MOVE,
    ),
    load=rules.load,
    dump=rules.dump,
    load_move=rules.load_move,
    dump_move=rules.dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
    picture=picture,
    fit=model.fit,
    best=model.best,
    hint=hints.hint,
    difficulty=difficulty,
    simulate=match.simulate,
    new=new,
    policies=tuple(POLICIES),
    formats={"graphml": explicit.graphml},
)
