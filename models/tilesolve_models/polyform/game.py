"""The `GAME` object of polyform puzzles."""

from __future__ import annotations

from tilesolve.answers import Placed
from tilesolve.game import Game, GameInfo, Parameter, imported
from tilesolve.geometry.schema import PLACED
from tilesolve_models.polyform import rules, schema
from tilesolve_models.polyform.picture import illustrate, picture
from tilesolve_models.polyform.rules import State
from tilesolve_models.polyform.starter import new, starter

COVER = Parameter(
    name="cover", kind="boolean", help="leave no cell open (true) or only place the pieces (false)"
)
LISTING = Parameter(
    name="engine",
    kind="string",
    choices=("auto", "diagram", "search"),
    help="one engine alone, for comparison",
)

_INFO = GameInfo(
    id=rules.ID,
    title="Polyform puzzles: pentominoes, polyhexes, calendars and your own",
    unit="penalty",
    sense="minimise",
    operations={
        "fit": (
            COVER,
            Parameter(name="each", kind="boolean", help="every piece alone: how many placements"),
            Parameter(
                name="engine",
                kind="string",
                choices=("auto", "cpsat", "search", "clausal"),
                help="the engine that is asked first",
            ),
        ),
        "best": (
            COVER,
            Parameter(
                name="engine",
                kind="string",
                choices=("auto", "cpsat"),
                help="cpsat asks CP-SAT alone; auto lets other engines help and confirm",
            ),
        ),
        "hint": (
            COVER,
            Parameter(
                name="level", kind="integer", least=1, most=3, help="1 a region, 2 a piece, 3 all"
            ),
        ),
        "count": (
            COVER,
            Parameter(name="marginals", kind="boolean", help="for every placement, its solutions"),
            Parameter(
                name="by",
                kind="string",
                help="sort them: by the placements of pieces (names), or by covered-cells",
            ),
            LISTING,
        ),
        "solve": (
            COVER,
            Parameter(name="all", kind="boolean", help="all solutions, without a limit"),
            Parameter(name="unique", kind="boolean", help="exactly one, several or none?"),
            Parameter(name="distinct", kind="boolean", help="leave symmetric copies out"),
            Parameter(
                name="sample", kind="integer", least=0, most=10**6, help="so many random solutions"
            ),
            LISTING,
        ),
        "explain": (COVER,),
        "difficulty": (
            COVER,
            Parameter(
                name="games",
                kind="integer",
                least=1,
                most=10**6,
                help="games of each simulated player",
            ),
            Parameter(name="weights", kind="json", help="other weights of the grade"),
        ),
        "verify": (
            COVER,
            Parameter(name="proof", kind="json", help="the certificate"),
        ),
        "new": (
            Parameter(name="sheet", kind="string", help="a sheet's short name, as 6x10"),
            Parameter(name="pieces", kind="string", help="pieces by name, as pentominoes"),
        ),
    },
    state_schema=schema.STATE,
    move_schema=PLACED,
)

GAME: Game[State, Placed] = Game(
    info=_INFO,
    load=rules.load,
    dump=rules.dump,
    load_move=rules.load_move,
    dump_move=rules.dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
    picture=picture,
    illustrate=illustrate,
    fit=imported("tilesolve_models.polyform.fitting:fit"),
    best=imported("tilesolve_models.polyform.scoring:best"),
    hint=imported("tilesolve_models.polyform.hints:hint"),
    count=imported("tilesolve_models.polyform.counting:count"),
    solve=imported("tilesolve_models.polyform.solving:solve"),
    explain=imported("tilesolve_models.polyform.explaining:explain"),
    difficulty=imported("tilesolve_models.polyform.difficulty:difficulty"),
    verify=imported("tilesolve_models.polyform.verifying:verify"),
    new=new,
    starter=starter,
)
