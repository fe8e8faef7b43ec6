"""Sliding-block puzzles as people write them: text boards, Rush Hour strings, JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS, Axis, Block, Board
from tilesolve_models.sliding_blocks.goals import Condition, Touch, dump_goal, read_goal
from tilesolve_models.sliding_blocks.rules import (
    METRICS,
    Metric,
    Move,
    State,
    apply,
    broken_by,
    check,
    present,
    route,
)
from tilesolve_models.sliding_blocks.text import LARGEST, drawn, read_rows, scan

ID = "sliding-blocks"

_RUSH_HOUR = re.compile(r"[oxA-Z.]{36}")
_NAME = re.compile(r"\S{1,20}")
_FIELDS = ("board", "notation", "blocks", "goal", "axis", "metric", "alike", "moves")


def load(node: Node) -> State:
    """Read a puzzle: a text board, a Rush Hour string, or an object with fields.

    Raises
    ------
    InputError
        For what cannot be understood. Boards and moves that break rules load.

    Examples
    --------
    >>> state = load(Node({"game": "sliding-blocks", "board": "AA./..#", "goal": "A at 1,0"}))
    >>> state.blocks["A"].cells, state.goal
    (((0, 0), (0, 1)), (Place(blocks=('A',), at=(1, 0)),))
    >>> load(Node("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM")).goal
    (Touch(blocks=('A',), side='right'),)
    """
    if not node.is_object:
        return _load_board(node, {})
    fields = node.object(*_FIELDS, required=("game",))
    fields["game"].string(ID)
    if "board" not in fields:
        raise node.error("the field 'board' is missing")
    return _load_board(fields["board"], fields)


def dump(state: State) -> Json:
    """Write a puzzle; `load` reads it back."""
    plain = _plain(state.start, state.board)
    shown = {block.name: block.cells for block in state.start} if plain else {}
    dumped: dict[str, Json] = {"game": ID, "board": list(drawn(state.board, shown))}
    if not plain:
        dumped["blocks"] = [
            {"name": block.name, "cells": [list(cell) for cell in block.cells]}
            for block in state.start
        ]
    axes = {block.name: block.axis for block in state.start if block.axis != "free"}
    if axes:
        dumped["axis"] = axes
    dumped |= {"goal": dump_goal(state.goal), "metric": state.metric}
    if not state.alike:
        dumped["alike"] = False
    if state.moves:
        dumped["moves"] = [dump_move(move) for move in state.moves]
    return dumped


def load_move(node: Node, state: State) -> Move:
    """Read a move: a block and its path of directions, or a block and the place it goes to.

    Examples
    --------
    >>> state = load(Node("A../..."))
    >>> load_move(Node({"block": "A", "to": [1, 1]}), state)
    Move(block='A', path=('down', 'right'), to=None)
    """
    fields = node.object("path", "to", required=("block",))
    name = fields["block"].string()
    if ("path" in fields) == ("to" in fields):
        raise node.error("expected one of 'path' and 'to'")
    if "path" in fields:
        path = fields["path"]
        steps = path.items(least=1, most=LARGEST) if path.is_list else [path]
        return Move(name, tuple(step.string(*DIRECTIONS) for step in steps))
    to = fields["to"].cell()
    path_to: tuple[str, ...] = ()
    if name in state.blocks and check(state).legal:
        path_to = route(state, state.blocks, name, state.blocks[name].at(to).cells)
    return Move(name, path_to, None if path_to else to)


def dump_move(move: Move) -> Json:
    """Write a move; `load_move` reads it back."""
    if move.path:
        return {"block": move.block, "path": list(move.path)}
    return {"block": move.block, "to": list(move.to or (0, 0))}


def with_settings(state: State, *, goal: Node | None = None, metric: str | None = None) -> State:
    """Return the puzzle with another goal or metric, as a question may ask for."""
    if goal is not None:
        state = replace(state, goal=read_goal(goal, state.blocks))
    if metric is not None:
        state = replace(state, metric=_metric(metric))
    return state


def _load_board(node: Node, fields: Mapping[str, Node]) -> State:
    rush_hour = _is_rush_hour(node, fields)
    rows = _rush_hour_rows(node) if rush_hour else read_rows(node)
    board, cells = scan(rows)
    cells = {**cells, **_read_blocks(fields.get("blocks"), cells)}
    axes = _read_axes(fields.get("axis"), cells, along=rush_hour)
    blocks = {name: Block(name, cells[name], axes[name]) for name in sorted(cells)}
    goal = _usual_goal(blocks) if rush_hour else ()
    if "goal" in fields:
        goal = read_goal(fields["goal"], blocks)
    state = State(
        board=board,
        start=tuple(blocks.values()),
        goal=goal,
        metric=_metric(fields["metric"].string(*METRICS)) if "metric" in fields else "moves",
        alike=fields["alike"].boolean() if "alike" in fields else True,
    )
    return _with_moves(state, fields.get("moves"))


def _with_moves(state: State, node: Node | None) -> State:
    """Add the moves made so far; each end is read in the position that the ones before led to."""
    if node is None:
        return state
    items = node.items(most=100_000)
    here, made = state, list[Move]()
    legal = check(state).legal
    for item in items:
        move = load_move(item, here)
        made.append(move)
        legal = legal and not broken_by(here, move)
        here = present(apply(here, move)) if legal else here
    return replace(state, moves=tuple(made))


def _metric(name: str) -> Metric:
    return next(metric for metric in METRICS if metric == name)


def _is_rush_hour(node: Node, fields: Mapping[str, Node]) -> bool:
    if "notation" in fields:
        return fields["notation"].string("plain", "rush-hour") == "rush-hour"
    return node.is_string and _RUSH_HOUR.fullmatch(node.string().strip()) is not None


def _rush_hour_rows(node: Node) -> tuple[str, ...]:
    """Return the rows of a Rush Hour board with the usual signs for open cells and walls."""
    if node.is_string and _RUSH_HOUR.fullmatch(node.string().strip()):
        text = node.string().strip()
        rows = tuple(text[first : first + 6] for first in range(0, 36, 6))
    else:
        rows = read_rows(node)
    return tuple(row.replace("o", ".").replace("x", "#") for row in rows)


def _usual_goal(blocks: Mapping[str, Block]) -> tuple[Condition, ...]:
    return (Touch(("A",), "right"),) if "A" in blocks else ()


def _read_blocks(node: Node | None, shown: Mapping[str, Any]) -> Mapping[str, tuple[Cell, ...]]:
    """Read blocks given by their cells, beside those that the board shows."""
    if node is None:
        return {}
    given: dict[str, tuple[Cell, ...]] = {}
    for item in node.items(most=LARGEST):
        fields = item.object(required=("name", "cells"))
        name = fields["name"].string()
        if not _NAME.fullmatch(name) or not name.isprintable():
            raise fields["name"].error("a name has 1 to 20 characters and no spaces")
        if name in shown or name in given:
            raise fields["name"].error(f"there are two blocks called {name!r}")
        cells = fields["cells"].cells(least=1)
        if len(cells) > LARGEST:
            raise fields["cells"].error(f"a block has at most {LARGEST} cells")
        if len(set(cells)) != len(cells):
            raise fields["cells"].error("a cell stands twice in one block")
        given[name] = tuple(sorted(cells))
    return given


def _read_axes(
    node: Node | None, cells: Mapping[str, tuple[Cell, ...]], *, along: bool
) -> Mapping[str, Axis]:
    """Read the axes: one word for all blocks, or an object from names to words."""
    usual = "along" if along else "free"
    if node is None:
        return {name: _axis(usual, Block(name, own), None) for name, own in cells.items()}
    if node.is_string:
        word = node.string(*_AXES)
        return {name: _axis(word, Block(name, own), node) for name, own in cells.items()}
    given = node.mapping()
    given.pop("comment", None)
    for name, item in given.items():
        if name not in cells:
            raise item.error(f"there is no block {name!r} on the board")
    words = {name: given[name].string(*_AXES) if name in given else usual for name in cells}
    return {
        name: _axis(words[name], Block(name, own), given.get(name)) for name, own in cells.items()
    }


_AXES: Mapping[str, Axis | None] = {
    "free": "free",
    "horizontal": "horizontal",
    "vertical": "vertical",
    "along": None,
}


def _axis(word: str, block: Block, node: Node | None) -> Axis:
    """Return the axis that a word means for a block: ``along`` is along its longer side."""
    axis = _AXES[word]
    if axis is not None:
        return axis
    height, width = block.size
    if height == width:
        if node is None:
            return "free"
        raise node.error(f"block {block.name!r} is as long as wide, so 'along' says nothing")
    return "horizontal" if width > height else "vertical"


def _plain(blocks: Iterable[Block], board: Board) -> bool:
    """Return whether rows of characters show these blocks completely."""
    taken: set[Cell] = set()
    for block in blocks:
        if len(block.name) != 1 or block.name in ".# /;" or not taken.isdisjoint(block.cells):
            return False
        if not all(board.open(cell) for cell in block.cells):
            return False
        taken.update(block.cells)
    return True
