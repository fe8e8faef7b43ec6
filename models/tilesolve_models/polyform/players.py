"""Simulated people who cover a sheet: how often do they succeed without taking anything back?"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

from tilesolve.answers import Json
from tilesolve.budget import Meter
from tilesolve.placement.build import Layout
from tilesolve.placement.problem import bits
from tilesolve.placement.techniques import Board, Position

Choose = Callable[[Board, Position, random.Random], int | None]


def _any(board: Board, position: Position, chance: random.Random) -> int | None:
    """Lay any piece anywhere."""
    del board
    options = list(bits(position.possible))
    return chance.choice(options) if options else None


def _snug(board: Board, position: Position, chance: random.Random) -> int | None:
    """Lay what touches most of the border and of what lies already."""
    best: list[int] = []
    most = -1
    for number in bits(position.possible):
        contact = _contact(board, position, board.problem.options[number].mask)
        if contact > most:
            best, most = [], contact
        if contact == most:
            best.append(number)
    return chance.choice(best) if best else None


def _careful(board: Board, position: Position, chance: random.Random) -> int | None:
    """Lay any piece after which every cell and every piece still has a placement."""
    options = list(bits(position.possible))
    chance.shuffle(options)
    for number in options:
        if not board.broken(board.place(position, number)):
            return number
    return None


def _contact(board: Board, position: Position, mask: int) -> int:
    places = len(board.problem.adjacent)
    widest = max((len(near) for near in board.problem.adjacent), default=0)
    contact = 0
    for cell in bits(mask):
        inside = board.near[cell] & (position.vacant | mask)
        contact += widest - inside.bit_count()
    return contact if places else 0


PLAYERS: Mapping[str, Choose] = {"random": _any, "greedy": _snug, "careful": _careful}
"""The players by name: anywhere, the tightest fit, and looking one step ahead."""


def success(layout: Layout, player: str, *, games: int, seed: int, meter: Meter) -> Json:
    """Return how often a player covers the sheet, with a 95 % interval; None when stopped at once.

    The interval is Wilson's (1927), which holds for rates near 0 too.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve.placement.build import build
    >>> from tilesolve_models.polyform.rules import load
    >>> state = load(Node({"sheet": "1x4", "pieces": "I2*2"}))
    >>> layout = build(state.sheet, state.pieces, cover=True)
    >>> success(layout, "careful", games=9, seed=1, meter=Meter(budget=Budget()))["rate"]
    1.0
    """
    board = Board(layout.problem)
    choose = PLAYERS[player]
    won = played = 0
    for game in range(games):
        if not meter.spend(1):
            break
        chance = random.Random(seed * 1_000_003 + game)
        position = board.start()
        while position.vacant:
            option = choose(board, position, chance)
            if option is None:
                break
            position = board.place(position, option)
        played += 1
        won += not position.vacant
    if not played:
        return None
    low, high = _wilson(won, played)
    return {"games": played, "rate": round(won / played, 4), "interval": [low, high]}


def _wilson(won: int, played: int) -> tuple[float, float]:
    z = 1.959964
    rate = won / played
    centre = rate + z * z / (2 * played)
    spread = z * math.sqrt(rate * (1 - rate) / played + z * z / (4 * played * played))
    scale = 1 + z * z / played
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return round(max(0.0, low), 4), round(min(1.0, high), 4)
