"""The null game's answers, its picture, and the `GAME` object."""

from __future__ import annotations

from tilesolve.answers import Best, Fit, Hint, Hints
from tilesolve.budget import SILENT, Budget, Watch
from tilesolve.draw.picture import Picture, Tile, square
from tilesolve.game import Game, GameInfo, Parameter
from tilesolve_models.null import rules
from tilesolve_models.null.rules import State, Take

UNIT = "moves"


def fit(state: State, *, budget: Budget, watch: Watch = SILENT) -> Fit:
    """Any number of counters can be taken; the line is in ``line``."""
    del budget, watch
    line = [rules.dump_move(move) for move in _line(state)]
    return Fit(answer="yes", read={"counters": state.counters}, details={"line": line})


def best(state: State, *, budget: Budget, watch: Watch = SILENT) -> Best:
    """Take two as long as there are two."""
    del budget, watch
    line = _line(state)
    score = state.moves + len(line)
    dumped = tuple(rules.dump_move(move) for move in line)
    return Best(proof="optimal", score=score, bound=score, unit=UNIT, line=dumped)


def hint(state: State, *, count: int, budget: Budget, watch: Watch = SILENT) -> Hints:
    """Rank the moves by the moves needed in all."""
    del budget, watch
    values = [(1 + len(_line(rules.apply(state, move))), move) for move in rules.moves(state)]
    least = min((value for value, _ in values), default=0)
    ranked = sorted(values, key=lambda pair: pair[0])[:count]
    hints = tuple(
        Hint(
            move=rules.dump_move(move),
            value=value,
            loss=value - least,
            reason=f"taking {move.take} leaves {state.counters - move.take}",
        )
        for value, move in ranked
    )
    return Hints(hints=hints, exact=True, unit=UNIT)


def new(*, seed: int, counters: int = 7) -> State:
    """Return a start with this many counters; nothing is random in it."""
    del seed
    return State(counters)


def picture(state: State) -> Picture:
    """Draw the counters in a row."""
    cells = [(0, column) for column in range(state.counters)]
    tiles = tuple(Tile(at=at, outline=square(at), label="o", role="block") for at in cells)
    return Picture(tiles=tiles, title="null", notes=(f"{state.counters} counters",))


def _line(state: State) -> tuple[Take, ...]:
    twos, ones = divmod(state.counters, 2)
    return (Take(2),) * twos + (Take(1),) * ones


_SCHEMA = {
    "type": "object",
    "properties": {
        "game": {"const": rules.ID},
        "comment": {"type": "string"},
        "counters": {"type": "integer", "minimum": 0, "maximum": 1000},
        "moves": {"type": "integer", "minimum": 0},
    },
    "required": ["game", "counters"],
    "additionalProperties": False,
}
_MOVE_SCHEMA = {
    "type": "object",
    "properties": {"take": {"type": "integer"}, "comment": {"type": "string"}},
    "required": ["take"],
    "additionalProperties": False,
}

GAME: Game[State, Take] = Game(
    info=GameInfo(
        id=rules.ID,
        title="Null: the smallest complete game",
        unit=UNIT,
        sense="minimise",
        operations={
            "fit": (),
            "best": (),
            "hint": (),
            "new": (
                Parameter(name="counters", kind="integer", help="counters at the start", least=0),
            ),
        },
        state_schema=_SCHEMA,
        move_schema=_MOVE_SCHEMA,
    ),
    load=rules.load,
    dump=rules.dump,
    load_move=rules.load_move,
    dump_move=rules.dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
    picture=picture,
    fit=fit,
    best=best,
    hint=hint,
    new=new,
)
