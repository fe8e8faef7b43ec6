"""The picture and the `GAME` object of sliding-block puzzles."""

from __future__ import annotations

from dataclasses import replace

from tilesolve.answers import Answer, Hints
from tilesolve.draw.picture import Picture, Role, Tile, square
from tilesolve.game import Game, GameInfo, Parameter
from tilesolve_models.sliding_blocks import boards, explicit, hints, measures, model, rules, starts
from tilesolve_models.sliding_blocks.goals import describe
from tilesolve_models.sliding_blocks.rules import METRICS, Move, State
from tilesolve_models.sliding_blocks.schema import MOVE_SCHEMA, STATE_SCHEMA


def picture(state: State) -> Picture:
    """Draw the board as it is now."""
    holders = {cell: name for name, block in state.blocks.items() for cell in block.cells}
    board = state.board
    tiles = []
    for row in range(board.rows):
        for column in range(board.columns):
            cell = (row, column)
            name = holders.get(cell, "")
            role: Role = "block" if name else "wall" if cell in board.walls else "open"
            tiles.append(Tile(at=cell, outline=square(cell), label=name[:3], group=name, role=role))
    goal = "; ".join(describe(condition) for condition in state.goal)
    notes = (
        f"goal: {goal}" if goal else "no goal",
        f"a move is {METRICS[state.metric]} (metric: {state.metric})",
        f"{rules.counted(state.moves, state.metric)} made"
        + (", the goal is reached" if state.done else ""),
    )
    return Picture(tiles=tuple(tiles), title="Sliding blocks", notes=notes)


def illustrate(state: State, answer: Answer) -> Picture | None:
    """Draw the board with the cells that the best hint's block goes to; nothing else."""
    if not isinstance(answer, Hints) or not answer.hints:
        return None
    return replace(picture(state), notes=()).marking(answer.hints[0].cells)


_QUESTION = (
    Parameter(
        name="goal",
        kind="json",
        help="another goal than the puzzle's, as 'A at 3,1' or 'A touches right'",
    ),
    Parameter(
        name="metric",
        kind="string",
        help="what counts as one move: "
        + "; ".join(f"{name}: {meaning}" for name, meaning in METRICS.items()),
        choices=tuple(METRICS),
    ),
)

_NEW = (
    Parameter(
        name="name",
        kind="string",
        help="a known puzzle, or random",
        choices=("random", *starts.NAMES),
    ),
    Parameter(
        name="style", kind="string", help="of a random puzzle", choices=("klotski", "rush-hour")
    ),
    Parameter(name="rows", kind="integer", help="rows of a random board", least=3, most=8),
    Parameter(name="columns", kind="integer", help="columns of a random board", least=3, most=8),
    Parameter(
        name="least", kind="integer", help="moves that a random puzzle needs", least=1, most=1000
    ),
    Parameter(name="metric", kind="string", help="what counts as one move", choices=tuple(METRICS)),
)

GAME: Game[State, Move] = Game(
    info=GameInfo(
        id=boards.ID,
        title="Sliding blocks: Klotski, Rush Hour, the 15-puzzle",
        unit="moves",
        sense="minimise",
        operations={
            "fit": _QUESTION,
            "best": _QUESTION,
            "hint": _QUESTION,
            "count": (
                *_QUESTION,
                Parameter(
                    name="placed",
                    kind="boolean",
                    help="count all arrangements too, reachable or not",
                ),
            ),
            "solve": _QUESTION,
            "difficulty": (
                *_QUESTION,
                Parameter(name="weights", kind="json", help="other weights of the grade"),
            ),
            "new": _NEW,
        },
        state_schema=STATE_SCHEMA,
        move_schema=MOVE_SCHEMA,
    ),
    load=boards.load,
    dump=boards.dump,
    load_move=boards.load_move,
    dump_move=boards.dump_move,
    check=rules.check,
    moves=rules.moves,
    apply=rules.apply,
    picture=picture,
    fit=model.fit,
    best=model.best,
    hint=hints.hint,
    count=model.count,
    solve=model.solve,
    difficulty=measures.difficulty,
    new=starts.new,
    illustrate=illustrate,
    formats={"graphml": explicit.graphml},
)
