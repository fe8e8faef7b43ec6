"""Goals: what must hold for a sliding-block puzzle to be done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS, Block, Board
from tilesolve_models.sliding_blocks.text import read_rows, scan

Side: TypeAlias = Literal["top", "bottom", "left", "right"]
"""A side of the board."""

SIDES: Mapping[Side, str] = {"top": "up", "bottom": "down", "left": "left", "right": "right"}
"""The board's sides, and the direction that leads out there."""


@dataclass(frozen=True)
class Place:
    """Any one of the blocks lies with its place, its top left corner, at a cell."""

    blocks: tuple[str, ...]
    at: Cell

    def holds(self, board: Board, block: Block) -> bool:
        """Return whether this block meets it."""
        del board
        return block.place == self.at


@dataclass(frozen=True)
class Touch:
    """Any one of the blocks has a cell at the board's edge on a side."""

    blocks: tuple[str, ...]
    side: Side

    def holds(self, board: Board, block: Block) -> bool:
        """Return whether this block meets it."""
        return any(_beyond(board, self.side, cell) == 0 for cell in block.cells)


@dataclass(frozen=True)
class Leave:
    """Any one of the blocks is wholly outside the board beyond a side.

    `through` are the rows (left, right) or columns (top, bottom) where that side is open for
    these blocks; None is all of them.
    """

    blocks: tuple[str, ...]
    side: Side
    through: tuple[int, ...] | None = None

    def holds(self, board: Board, block: Block) -> bool:
        """Return whether this block meets it."""
        return all(_beyond(board, self.side, cell) > 0 for cell in block.cells)

    def lets(self, board: Board, block: Block, step: str) -> bool:
        """Return whether a block may take a step that begins or ends outside the board (SB6)."""
        out = DIRECTIONS[SIDES[self.side]]
        straight = DIRECTIONS[step] in (out, (-out[0], -out[1]))
        return (
            straight
            and self.holds_out(board, block)
            and self.holds_out(board, block.along((step,)))
        )

    def holds_out(self, board: Board, block: Block) -> bool:
        """Return whether a block may lie where it does, partly or just wholly outside (SB6)."""
        near = min(_beyond(board, self.side, cell) for cell in block.cells) <= 1
        mine = block.name in self.blocks
        return mine and near and all(self._free(board, cell) for cell in block.cells)

    def _free(self, board: Board, cell: Cell) -> bool:
        if board.within(cell):
            return board.open(cell)
        row, column = cell
        lane, lanes = (
            (column, board.columns) if self.side in ("top", "bottom") else (row, board.rows)
        )
        open_lane = 0 <= lane < lanes and (self.through is None or lane in self.through)
        return open_lane and _beyond(board, self.side, cell) > 0


Condition: TypeAlias = Place | Touch | Leave
"""One thing that must hold."""


def _beyond(board: Board, side: Side, cell: Cell) -> int:
    """Return how far a cell is beyond a side: 0 at the edge, negative inside."""
    row, column = cell
    return {
        "top": -row,
        "bottom": row - board.rows + 1,
        "left": -column,
        "right": column - board.columns + 1,
    }[side]


def met(goal: Iterable[Condition], board: Board, blocks: Mapping[str, Block]) -> bool:
    """Return whether every condition is met by one of its blocks.

    Examples
    --------
    >>> block = Block("A", ((0, 0), (0, 1)))
    >>> met([Place(("A",), (0, 0)), Touch(("A",), "right")], Board(1, 3), {"A": block})
    False
    """
    return all(
        any(condition.holds(board, blocks[name]) for name in condition.blocks) for condition in goal
    )


def describe(condition: Condition) -> str:
    """Return a condition as it can be written in text.

    Examples
    --------
    >>> describe(Place(("A",), (3, 1))), describe(Leave(("G", "H"), "bottom", (1, 2)))
    ('A at 3,1', 'any of G H leaves bottom through 1,2')
    """
    who = condition.blocks[0]
    if len(condition.blocks) > 1:
        who = f"any of {' '.join(condition.blocks)}"
    match condition:
        case Place(at=(row, column)):
            return f"{who} at {row},{column}"
        case Touch(side=side):
            return f"{who} touches {side}"
        case Leave(side=side, through=None):
            return f"{who} leaves {side}"
        case Leave(side=side, through=lanes):
            return f"{who} leaves {side} through {','.join(map(str, lanes or ()))}"


def dump_goal(goal: Iterable[Condition]) -> Json:
    """Write a goal; `read_goal` reads it back."""
    return [_dump_condition(condition) for condition in goal]


def _dump_condition(condition: Condition) -> Json:
    blocks = condition.blocks
    dumped: dict[str, Json] = {"block": blocks[0]} if len(blocks) == 1 else {"any": list(blocks)}
    match condition:
        case Place(at=at):
            dumped["at"] = list(at)
        case Touch(side=side):
            dumped["touches"] = side
        case Leave(side=side, through=through):
            dumped["leaves"] = side
            if through is not None:
                dumped["through"] = list(through)
    return dumped


def read_goal(node: Node, blocks: Mapping[str, Block]) -> tuple[Condition, ...]:
    """Read a goal: a condition or a list of them, as objects or text, or a board to be reached.

    Examples
    --------
    >>> blocks = {"A": Block("A", ((0, 0),)), "B": Block("B", ((0, 1),))}
    >>> read_goal(Node("A at 0,2; any B touches left"), blocks)
    (Place(blocks=('A',), at=(0, 2)), Touch(blocks=('A', 'B'), side='left'))
    >>> read_goal(Node("BA./..."), blocks)
    (Place(blocks=('A',), at=(0, 1)), Place(blocks=('B',), at=(0, 0)))
    """
    if node.is_list:
        return tuple(one for item in node.items() for one in read_goal(item, blocks))
    if not node.is_string:
        return (_read_condition(node, blocks),)
    text = node.string()
    if "/" in text or "\n" in text:
        return tuple(_read_board(node, blocks))
    parts = re.split(r"\s*;\s*|\s+and\s+", text.strip())
    return tuple(_read_text(node, part, blocks) for part in parts if part)


def _read_condition(node: Node, blocks: Mapping[str, Block]) -> Condition:
    fields = node.object("block", "any", "at", "touches", "leaves", "through")
    kinds = [name for name in ("at", "touches", "leaves") if name in fields]
    if len(kinds) != 1 or ("block" in fields) == ("any" in fields):
        raise node.error("expected 'block' or 'any', and one of 'at', 'touches', 'leaves'")
    names = _read_names(fields["block"] if "block" in fields else fields["any"], blocks)
    if "any" in fields and fields["any"].is_string:
        names = _like(blocks, names[0])
    if "through" in fields and kinds != ["leaves"]:
        raise fields["through"].error("'through' goes with 'leaves' alone")
    if kinds == ["at"]:
        return Place(names, fields["at"].cell())
    side = _side(fields[kinds[0]])
    if kinds == ["touches"]:
        return Touch(names, side)
    lanes = None
    if "through" in fields:
        items = fields["through"].items(least=1, most=4096)
        lanes = tuple(sorted({item.integer(0, 4095) for item in items}))
    return Leave(names, side, lanes)


def _read_names(node: Node, blocks: Mapping[str, Block]) -> tuple[str, ...]:
    named = node.items(least=1) if node.is_list else [node]
    for item in named:
        if item.string() not in blocks:
            raise item.error(f"there is no block {item.string()!r} on the board")
    return tuple(sorted({item.string() for item in named}))


def _side(node: Node) -> Side:
    name = node.string(*SIDES)
    return next(side for side in SIDES if side == name)


def _like(blocks: Mapping[str, Block], name: str) -> tuple[str, ...]:
    """Return the names of the blocks of a block's shape and axis."""
    one = blocks[name]
    return tuple(
        sorted(
            other.name
            for other in blocks.values()
            if (other.shape, other.axis) == (one.shape, one.axis)
        )
    )


_TEXT = re.compile(
    r"(?P<any>any\s+(?P<of>of\s+)?)?(?P<names>\S+(?:\s+\S+)*?)\s+"
    r"(?:at\s+[(\[]?(?P<row>-?\d{1,6})\s*,\s*(?P<column>-?\d{1,6})[)\]]?"
    r"|touches\s+(?:the\s+)?(?P<touches>top|bottom|left|right)"
    r"|leaves\s+(?:the\s+)?(?P<leaves>top|bottom|left|right)"
    r"(?:\s+through\s+(?P<through>\d{1,4}(?:\s*,\s*\d{1,4})*))?)"
)


def _read_text(node: Node, text: str, blocks: Mapping[str, Block]) -> Condition:
    match = _TEXT.fullmatch(text)
    if match is None or (len(match["names"].split()) > 1 and not match["of"]):
        raise node.error(
            f"cannot read the goal {text[:40]!r}; it would be 'A at 3,1', 'any G at 4,0', "
            "'A touches right' or 'A leaves bottom through 1,2'"
        )
    names: Json = match["names"].split() if match["of"] else match["names"]
    condition: dict[str, Json] = {"any" if match["any"] else "block": names}
    if match["row"] is not None:
        condition["at"] = [int(match["row"]), int(match["column"])]
    for kind in ("touches", "leaves"):
        if match[kind] is not None:
            condition[kind] = match[kind]
    if match["through"] is not None:
        condition["through"] = [int(lane) for lane in match["through"].split(",")]
    return _read_condition(Node(condition, node.path, node.source), blocks)


def _read_board(node: Node, blocks: Mapping[str, Block]) -> Iterator[Condition]:
    """Read a board with some blocks where they shall be; its open cells say nothing."""
    for name, cells in sorted(scan(read_rows(node))[1].items()):
        if name not in blocks:
            raise node.error(f"there is no block {name!r} on the board")
        there = Block(name, cells)
        if there.shape != blocks[name].shape:
            raise node.error(f"block {name!r} has another shape in the goal than on the board")
        yield Place((name,), there.place)
