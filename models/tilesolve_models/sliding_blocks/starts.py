"""Puzzles to begin with: known ones by name, and random ones that are proven to be solvable."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import resources

from tilesolve.answers import Cell
from tilesolve.budget import Budget, Meter
from tilesolve.errors import InputError
from tilesolve.wire import parse
from tilesolve_models.sliding_blocks.arrangements import arrangements
from tilesolve_models.sliding_blocks.blocks import Axis, Block, Board
from tilesolve_models.sliding_blocks.boards import load, with_settings
from tilesolve_models.sliding_blocks.goals import Place, Touch
from tilesolve_models.sliding_blocks.lines import distances
from tilesolve_models.sliding_blocks.rules import State

NAMES = (
    "klotski",
    "dads-puzzler",
    "century",
    "super-century",
    "rush-hour-60",
    "rush-hour-51",
    "eight-puzzle",
    "five-puzzle",
)
"""The known puzzles."""

ATTEMPTS = 100
"""Random boards that are tried."""

STATES = 90_000
"""Arrangements that may be reached from one random board at most."""

WORK = 2_000_000
"""Arrangements looked at in all attempts together at most."""


def new(
    *,
    seed: int,
    name: str = "random",
    style: str = "klotski",
    rows: int = 0,
    columns: int = 0,
    least: int = 10,
    metric: str = "moves",
) -> State:
    """Return a known puzzle, or a random one that needs at least `least` moves.

    A random board is filled with blocks, all that can be reached from it is walked, and of the
    arrangements that are farthest from the goal one is taken: it can be solved, and no
    rearrangement of the same blocks is harder.

    Parameters
    ----------
    name : str
        One of `NAMES`, or ``random``.
    style : {"klotski", "rush-hour"}
        Random puzzles: free blocks of one, two and four cells, or cars with an axis.
    rows, columns : int
        Random puzzles: the board's size; 0 is the style's own, 5x4 or 6x6.

    Raises
    ------
    InputError
        If no board of that size is found that needs so many moves.
    """
    if name != "random":
        return with_settings(known(name), metric=metric)
    make, height, width = _STYLES[style]
    chance = random.Random(seed)
    meter = Meter(budget=Budget(seconds=None, work=WORK))
    hardest = tried = 0
    while tried < ATTEMPTS and meter.stopped_by is None:
        state = make(chance, Board(rows or height, columns or width))
        state = with_settings(state, metric=metric)
        needed, found = _hardest(state, chance, meter)
        if found is not None and needed >= least:
            return found
        hardest, tried = max(hardest, needed), tried + 1
    message = f"none of {tried} random boards needs {least} {metric}, the hardest {hardest}"
    raise InputError(message, place="$.least")


def known(name: str) -> State:
    """Return a known puzzle.

    Examples
    --------
    >>> sorted(known("klotski").blocks)
    ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J']
    """
    file = resources.files("tilesolve_models.sliding_blocks") / "data" / f"{name}.json"
    return load(parse(file.read_text(encoding="utf-8"), source=f"{name}.json"))


def _hardest(state: State, chance: random.Random, meter: Meter) -> tuple[int, State | None]:
    """Return the most moves that an arrangement of the blocks needs, and such a one."""
    part = meter.part(work=2 * STATES)
    graph = arrangements(state, meter=part)
    if graph is None:
        return 0, None
    seen = graph.walk(meter=part)
    far = distances(graph, seen, meter=part, depth=None)
    meter.spend(part.worked)
    if part.stopped_by is not None or len(far.layers) < 2:
        return 0, None
    last = far.layers[-1]
    pick = chance.randrange(len(last))
    taken = graph.places(last[pick : pick + 1])
    blocks = [
        replace(block, name=name)
        for group, places in zip(graph.groups, taken, strict=True)
        for name, block in zip(group.names, places, strict=True)
    ]
    return len(far.layers) - 1, replace(state, start=_renamed(blocks))


def _renamed(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks with names in reading order; the goal's block stays A."""
    ordered = sorted(blocks, key=lambda block: (block.name != "A", block.cells))
    return tuple(replace(block, name=name) for name, block in zip(_LETTERS, ordered, strict=False))


def _klotski(chance: random.Random, board: Board) -> State:
    """Fill a board with one block of 2x2 and smaller ones, until two cells are open."""
    top, left = chance.randrange(board.rows - 1), chance.randrange(board.columns - 1)
    blocks = [_rectangle("A", (top, left), 2, 2)]
    taken = set(blocks[0].cells)
    cells = [(row, column) for row in range(board.rows) for column in range(board.columns)]
    while len(cells) - len(taken) > 2 and len(blocks) < len(_LETTERS):
        height, width = chance.choice([(1, 2), (2, 1), (1, 2), (2, 1), (1, 1)])
        block = _rectangle(_LETTERS[len(blocks)], chance.choice(cells), height, width)
        if len(cells) - len(taken) - len(block.cells) >= 2 and _lies(board, block, taken):
            blocks.append(block)
            taken |= set(block.cells)
    goal = Place(("A",), (board.rows - 2, (board.columns - 2) // 2))
    return State(board=board, start=_renamed(blocks), goal=(goal,))


def _rush_hour(chance: random.Random, board: Board) -> State:
    """Lay cars of two and three cells at random; car A leaves its row to nobody else."""
    lane = (board.rows - 1) // 2
    blocks = [_rectangle("A", (lane, 0), 1, 2, "horizontal")]
    taken = set(blocks[0].cells)
    cells = [(row, column) for row in range(board.rows) for column in range(board.columns)]
    for _ in range(len(cells)):
        length = chance.choice([2, 2, 3])
        row, column = chance.choice(cells)
        name = _LETTERS[min(len(blocks), len(_LETTERS) - 1)]
        block = (
            _rectangle(name, (row, column), length, 1, "vertical")
            if row == lane or chance.random() < 0.5
            else _rectangle(name, (row, column), 1, length, "horizontal")
        )
        if len(blocks) < len(_LETTERS) and _lies(board, block, taken):
            blocks.append(block)
            taken |= set(block.cells)
    return State(board=board, start=_renamed(blocks), goal=(Touch(("A",), "right"),))


def _rectangle(name: str, at: Cell, height: int, width: int, axis: Axis = "free") -> Block:
    row, column = at
    cells = tuple((row + down, column + right) for down in range(height) for right in range(width))
    return Block(name, cells, axis)


def _lies(board: Board, block: Block, taken: Iterable[Cell]) -> bool:
    return all(board.open(cell) for cell in block.cells) and not set(taken) & set(block.cells)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

_STYLES: Mapping[str, tuple[Callable[[random.Random, Board], State], int, int]] = {
    "klotski": (_klotski, 5, 4),
    "rush-hour": (_rush_hour, 6, 6),
}
