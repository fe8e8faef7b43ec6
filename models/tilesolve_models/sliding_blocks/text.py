"""Boards as text: rows of characters, or rows in one line with ``/`` between them.

``.`` is an open cell, ``#`` or a space a wall, any other character a cell of the block of that
name. Lines that start with ``;`` are comments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tilesolve.answers import Cell
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.blocks import Board

OPEN, WALLS = ".", "# "

LARGEST = 4096
"""Cells that a board may have."""


def split(text: str) -> list[str]:
    r"""Return the rows of a board's text, whichever way it is written.

    Examples
    --------
    >>> split("AB/.."), split("; small\nAB\n..\n")
    (['AB', '..'], ['AB', '..'])
    """
    lines = [line for line in text.split("\n") if not line.startswith(";")]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return [row for line in lines for row in line.split("/")]


def read_rows(node: Node) -> tuple[str, ...]:
    """Read rows of equal length, given as text or as a list of rows.

    Raises
    ------
    InputError
        For no rows, rows of different lengths, control characters, and boards of more than
        `LARGEST` cells.
    """
    if node.is_string:
        rows = split(node.string())
    else:
        rows = [item.string() for item in node.items(least=1)]
    if not rows or not rows[0]:
        raise node.error("expected a board of at least one cell, found none")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise node.error(
                f"row {number} has {len(row)} cells where row 0 has {len(rows[0])}; "
                "write # for cells that are not part of the board"
            )
        if not row.isprintable():
            raise node.error(f"row {number} holds a character that cannot be printed")
    if len(rows) * len(rows[0]) > LARGEST:
        raise node.error(f"a board has at most {LARGEST} cells, found {len(rows) * len(rows[0])}")
    return tuple(rows)


def scan(rows: Sequence[str]) -> tuple[Board, Mapping[str, tuple[Cell, ...]]]:
    """Return the board that rows show, and each block's cells in reading order.

    Examples
    --------
    >>> scan(["AA", "#."])
    (Board(rows=2, columns=2, walls=frozenset({(1, 0)})), {'A': ((0, 0), (0, 1))})
    """
    walls: set[Cell] = set()
    blocks: dict[str, list[Cell]] = {}
    for row, line in enumerate(rows):
        for column, character in enumerate(line):
            if character in WALLS:
                walls.add((row, column))
            elif character != OPEN:
                blocks.setdefault(character, []).append((row, column))
    board = Board(len(rows), len(rows[0]), frozenset(walls))
    return board, {name: tuple(cells) for name, cells in blocks.items()}


def drawn(board: Board, blocks: Mapping[str, Iterable[Cell]]) -> tuple[str, ...]:
    """Return the rows that show a board with blocks of one-character names; `scan` reads them."""
    grid = [
        ["#" if (row, column) in board.walls else OPEN for column in range(board.columns)]
        for row in range(board.rows)
    ]
    for name, cells in blocks.items():
        for row, column in cells:
            if board.within((row, column)):
                grid[row][column] = name
    return tuple("".join(row) for row in grid)
