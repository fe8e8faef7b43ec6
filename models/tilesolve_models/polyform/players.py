"""Simulated people who solve a sheet: how often do they succeed without taking anything back?"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tilesolve.answers import Json
from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve.placement.techniques import Board, Position


@dataclass(frozen=True)
class Table:
    """A board as players look at it."""

    board: Board

    @cached_property
    def contacts(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For each option the sides that always touch, and the cells around it.

        A cell around it stands in as many of the masks as sides of the option it touches.
        """
        problem = self.board.problem
        widest = max((len(near) for near in problem.adjacent), default=0)
        return tuple(
            _contact(self.board, option.mask, widest * option.mask.bit_count())
            for option in problem.options
        )

    @cached_property
    def start(self) -> Position:
        """Where every game begins."""
        return self.board.start()

    @cached_property
    def safe_at_first(self) -> list[int]:
        """The options after which nothing is left without a placement, at the start."""
        return [option for option in self.listed(self.start) if self.safe(self.start, option)]

    def safe(self, position: Position, option: int) -> bool:
        """Return whether after an option every cell and every piece has a placement left."""
        return not self.board.broken(self.board.place(position, option))

    @cached_property
    def _listed(self) -> list[int]:
        return list(bits(self.choices(self.start)))

    def listed(self, position: Position) -> list[int]:
        """Return the options that help as a list, which is not to be changed."""
        return list(bits(self.choices(position))) if position.placed else self._listed

    @cached_property
    def _snug(self) -> dict[tuple[int, int], list[int]]:
        """What `snug` found before; games begin alike."""
        return {}

    def snug(self, position: Position) -> list[int]:
        """Return the options with the most sides on the border or on what lies already."""
        key = position.possible, position.vacant
        if key not in self._snug:
            self._snug[key] = self._snuggest(position)
        return self._snug[key]

    def _snuggest(self, position: Position) -> list[int]:
        best: list[int] = []
        most, vacant = -1, position.vacant
        for option in bits(self.choices(position)):
            contact, around = self.contacts[option]
            for mask in around:
                contact -= (mask & vacant).bit_count()
            if contact > most:
                best, most = [], contact
            if contact == most:
                best.append(option)
        return best

    def choices(self, position: Position) -> int:
        """Return the options that help, as bits: in a packing only those of pieces still due."""
        problem = self.board.problem
        if problem.cover:
            return position.possible
        due = 0
        for kind, need in enumerate(problem.kinds):
            if position.used[kind] < need.least:
                due |= self.board.of[kind]
        return position.possible & due


def _contact(board: Board, mask: int, sides: int) -> tuple[int, tuple[int, ...]]:
    around: list[int] = []
    for cell in bits(mask):
        sides -= (board.near[cell] & mask).bit_count()
        outside = board.near[cell] & ~mask
        for layer, seen in enumerate(around):
            around[layer], outside = seen | outside, seen & outside
        if outside:
            around.append(outside)
    return sides, tuple(around)


Choose = Callable[[Table, Position, random.Random], int | None]


def _any(table: Table, position: Position, chance: random.Random) -> int | None:
    """Lay any piece anywhere."""
    options = table.listed(position)
    return options[int(chance.random() * len(options))] if options else None


def _snug(table: Table, position: Position, chance: random.Random) -> int | None:
    """Lay what touches most of the border and of what lies already."""
    snug = table.snug(position)
    return chance.choice(snug) if snug else None


def _careful(table: Table, position: Position, chance: random.Random) -> int | None:
    """Lay any piece after which every cell and every piece still has a placement."""
    if not position.placed:
        return chance.choice(table.safe_at_first) if table.safe_at_first else None
    options = list(table.listed(position))
    while options:
        number = options.pop(int(chance.random() * len(options)))
        if table.safe(position, number):
            return number
    return None


PLAYERS: Mapping[str, Choose] = {"random": _any, "greedy": _snug, "careful": _careful}
"""The players by name: anywhere, the tightest fit, and looking one step ahead."""


def success(table: Table, player: str, *, games: int, seed: int, meter: Meter) -> Json:
    """Return how often a player succeeds, with a 95 % interval; None when stopped at once.

    The interval is Wilson's (1927), which holds for rates near 0 too.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve.placement.build import build
    >>> from tilesolve_models.polyform.rules import load
    >>> state = load(Node({"sheet": "1x4", "pieces": "I2*2"}))
    >>> problem = build(state.sheet, state.pieces, cover=True).problem
    >>> table = Table(Board(problem))
    >>> success(table, "careful", games=9, seed=1, meter=Meter(budget=Budget()))["rate"]
    1.0
    """
    choose = PLAYERS[player]
    won = played = 0
    for game in range(games):
        if not meter.spend(1):
            break
        won += _won(table, choose, random.Random(seed * 1_000_003 + game))
        played += 1
    if not played:
        return None
    low, high = wilson(won, played)
    return {"games": played, "rate": round(won / played, 4), "interval": [low, high]}


def _won(table: Table, choose: Choose, chance: random.Random) -> bool:
    board = table.board
    position = table.start
    while not board.finished(position):
        option = choose(table, position, chance)
        if option is None:
            return False
        position = board.place(position, option)
    return True


def wilson(won: int, played: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate, after Wilson (1927).

    Examples
    --------
    >>> wilson(0, 10), wilson(5, 10)
    ((0.0, 0.2775), (0.2366, 0.7634))
    """
    z = 1.959964
    rate = won / played
    centre = rate + z * z / (2 * played)
    spread = z * math.sqrt(rate * (1 - rate) / played + z * z / (4 * played * played))
    scale = 1 + z * z / played
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return round(max(0.0, low), 4), round(min(1.0, high), 4)
