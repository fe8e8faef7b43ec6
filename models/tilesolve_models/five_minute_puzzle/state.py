"""State and moves as they are written: the sheet, the history with its rolls, rolls to come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Json
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle.sheets import (
    DIE,
    MOST_CELLS,
    MOST_PIECES,
    Edition,
    dump_edition,
    read_edition,
)

ID = "five-minute-puzzle"
ENDS = ("all", "player", "never")


@dataclass(frozen=True)
class Draw:
    """Draw a piece on these cells; `roll` None takes the state's."""

    piece: str
    cells: tuple[Cell, ...]
    roll: int | None = None


@dataclass(frozen=True)
class CrossOut:
    """Forgo drawing and cross a piece out; `roll` None takes the state's."""

    piece: str
    roll: int | None = None


@dataclass(frozen=True)
class Prefill:
    """Fill these hexagons before the start (FM8)."""

    cells: tuple[Cell, ...]


Round: TypeAlias = Draw | CrossOut
Move: TypeAlias = Round | Prefill


@dataclass(frozen=True)
class Rules:
    """The readings of FM5 and FM6."""

    forgo_may_cross_rolled: bool = True
    end_on_stuck: Literal["all", "player", "never"] = "all"


@dataclass(frozen=True)
class State:
    """One player's game.

    Parameters
    ----------
    edition : Edition
        Sheet, pieces and die table.
    prefilled : tuple of Cell
        Hexagons filled before the start.
    history : tuple of Draw or CrossOut
        The rounds played, with their rolls.
    roll : int or None
        The number rolled for the round to be played, 1 to 6.
    rolls : tuple of int
        Rolls known to come after it.
    penalty : int or None
        The penalty the player has written down; `check` compares it.
    """

    edition: Edition
    prefilled: tuple[Cell, ...] = ()
    history: tuple[Round, ...] = ()
    roll: int | None = None
    rolls: tuple[int, ...] = ()
    rules: Rules = field(default_factory=Rules)
    penalty: int | None = None

    @property
    def upcoming(self) -> tuple[int, ...]:
        """All rolls known from now on."""
        return self.rolls if self.roll is None else (self.roll, *self.rolls)


def load(node: Node) -> State:
    """Read a state; one that breaks rules loads.

    Examples
    --------
    >>> load(Node({"game": "five-minute-puzzle", "sheet": "synthetic-a", "roll": 4})).upcoming
    (4,)
    """
    known = ("prefilled", "history", "roll", "rolls", "rules", "standard", "penalty")
    given = node.object(*known, required=("game", "sheet"))
    given["game"].string(ID)
    standard = given["standard"].boolean() if "standard" in given else True
    history = given["history"].items(most=10 * MOST_PIECES) if "history" in given else []
    rolls = given["rolls"].items(most=10 * MOST_PIECES) if "rolls" in given else []
    return State(
        edition=read_edition(given["sheet"], standard=standard),
        prefilled=_read_cells(given["prefilled"]) if "prefilled" in given else (),
        history=tuple(_read_round(entry) for entry in history),
        roll=_read_roll(given["roll"]) if "roll" in given else None,
        rolls=tuple(_read_roll(roll) for roll in rolls),
        rules=_read_rules(given["rules"]) if "rules" in given else Rules(),
        penalty=given["penalty"].integer(0, 10**6) if "penalty" in given else None,
    )


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    dumped: dict[str, Json] = {"game": ID, "sheet": dump_edition(state.edition)}
    if state.prefilled:
        dumped["prefilled"] = _dump_cells(state.prefilled)
    dumped["history"] = [dump_move(entry) for entry in state.history]
    if state.roll is not None:
        dumped["roll"] = state.roll
    if state.rolls:
        dumped["rolls"] = list(state.rolls)
    rules = {
        entry.name: getattr(state.rules, entry.name)
        for entry in fields(Rules)
        if getattr(state.rules, entry.name) != entry.default
    }
    if rules:
        dumped["rules"] = rules
    if state.penalty is not None:
        dumped["penalty"] = state.penalty
    return dumped


def load_move(node: Node, state: State) -> Move:
    """Read a move: a round as in the history, or ``{"prefill": [[3, 8]]}``.

    Examples
    --------
    >>> state = load(Node({"game": "five-minute-puzzle", "sheet": "synthetic-a"}))
    >>> load_move(Node({"roll": 5, "cross_out": "B"}), state)
    CrossOut(piece='B', roll=5)
    """
    del state
    if "prefill" in node.mapping():
        return Prefill(_read_cells(node.object(required=("prefill",))["prefill"]))
    return _read_round(node)


def dump_move(move: Move) -> Json:
    """Write a move."""
    if isinstance(move, Prefill):
        return {"prefill": _dump_cells(move.cells)}
    dumped: dict[str, Json] = {} if move.roll is None else {"roll": move.roll}
    if isinstance(move, CrossOut):
        return dumped | {"cross_out": move.piece}
    return dumped | {"piece": move.piece, "cells": _dump_cells(move.cells)}


def _read_round(node: Node) -> Round:
    given = node.object("roll", "piece", "cells", "cross_out")
    roll = _read_roll(given["roll"]) if "roll" in given else None
    if "cross_out" in given:
        if "piece" in given or "cells" in given:
            raise node.error("a round draws a piece or crosses one out, not both")
        return CrossOut(given["cross_out"].string(), roll)
    for name in ("piece", "cells"):
        if name not in given:
            raise node.error(f"the field '{name}' is missing; a round draws or has 'cross_out'")
    return Draw(given["piece"].string(), _read_cells(given["cells"], least=1), roll)


def _read_roll(node: Node) -> int:
    return node.integer(DIE.start, DIE.stop - 1)


def _read_cells(node: Node, *, least: int = 0) -> tuple[Cell, ...]:
    node.items(most=MOST_CELLS)
    cells = tuple(sorted(node.cells(least=least)))
    if len(set(cells)) < len(cells):
        raise node.error("a cell stands here twice")
    return cells


def _dump_cells(cells: tuple[Cell, ...]) -> Json:
    return [list(cell) for cell in cells]


def _read_rules(node: Node) -> Rules:
    given: Mapping[str, Node] = node.object(*(entry.name for entry in fields(Rules)))
    rules = Rules()
    crossing, ending = given.get("forgo_may_cross_rolled"), given.get("end_on_stuck")
    return Rules(
        rules.forgo_may_cross_rolled if crossing is None else crossing.boolean(),
        rules.end_on_stuck if ending is None else _end(ending),
    )


def _end(node: Node) -> Literal["all", "player", "never"]:
    match node.string(*ENDS):
        case "player":
            return "player"
        case "never":
            return "never"
    return "all"
