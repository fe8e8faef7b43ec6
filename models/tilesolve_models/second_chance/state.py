"""States and moves of Second Chance as values; `notation` has the JSON they are written as.

A state is a table: the cards, and one or more players with a grid each. A file with ``rows``
instead of ``players`` is one player's own grid, alone or out of a larger game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from tilesolve.answers import Cell
from tilesolve_models.second_chance.deck import Deck, Tile
from tilesolve_models.second_chance.grid import Grid

ID = "second-chance"
STANDARD = Grid(9, 9)
CENTRE = (4, 4)

Phase: TypeAlias = Literal["start", "round", "second_chance", "bonus"]
Act: TypeAlias = Literal["", "drew", "waits"]


@dataclass(frozen=True)
class Rules:
    """The named readings of doubtful rules (SC8)."""

    finish_round: bool = True
    bonus_can_complete: bool = True


@dataclass(frozen=True)
class Drawn:
    """A tile that a file gives as placed, rather than by letters in the rows."""

    tile: Tile
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Player:
    """One player's grid and what has become of him.

    Parameters
    ----------
    rows : tuple of str
        ``.`` empty, a capital letter drawn, ``1`` the bonus.
    name : str
        Empty for a grid on its own.
    drawn : tuple of Drawn
        Tiles given beside the rows.
    start_tile : Tile or None
        While it has to be drawn.
    this_round : {"", "drew", "waits"}
        What he has done in the round that runs.
    out : int or None
        The round in which he dropped out.
    bonus : Cell or None
        His 1, where a file gives it beside the rows.
    """

    rows: tuple[str, ...]
    name: str = ""
    drawn: tuple[Drawn, ...] = ()
    start_tile: Tile | None = None
    this_round: Act = ""
    out: int | None = None
    bonus: Cell | None = None

    @cached_property
    def grid(self) -> Grid:
        """The empty grid."""
        return Grid(len(self.rows), len(self.rows[0]))

    @cached_property
    def filled(self) -> int:
        """The mask of filled squares, the 1 among them."""
        beside = [cell for drawn in self.drawn for cell in drawn.cells]
        beside += [self.bonus] if self.bonus else []
        in_rows = self.signs(lambda sign: sign != ".")
        return self.grid.mask((*in_rows, *(cell for cell in beside if self.grid.inside(cell))))

    @cached_property
    def ones(self) -> tuple[Cell, ...]:
        """Where a 1 is written."""
        beside = (self.bonus,) if self.bonus else ()
        return tuple(dict.fromkeys((*self.signs(lambda sign: sign == "1"), *beside)))

    @property
    def empties(self) -> int:
        """The score: empty squares (SC9)."""
        return self.grid.rows * self.grid.columns - self.filled.bit_count()

    def signs(self, wanted: Callable[[str], bool]) -> tuple[Cell, ...]:
        """Return the cells of the rows whose sign is wanted."""
        return tuple(
            (row, column)
            for row, text in enumerate(self.rows)
            for column, sign in enumerate(text)
            if wanted(sign)
        )


@dataclass(frozen=True)
class State:
    """The table.

    Parameters
    ----------
    players : tuple of Player
        In seat order; their grids have one size.
    phase : Phase
        What is being done.
    turned_up : tuple of Tile
        Cards face up: two in a round, one for a second chance; none while they are awaited.
    seen : tuple of Tile
        Cards already gone.
    deck : Deck or None
        None: not known, so not checked.
    order : tuple of Tile or None
        The cards to come, next first, where that is known.
    round : int
        The round that runs, from 1.
    turn : str
        Name of the player whose second-chance card lies; empty is the first who waits.
    table : bool
        Whether the file has ``players``; else it is one player's own grid.
    series : tuple of int
        Empties of the games before this one in a solo series (SC10).
    assumed : tuple of str
        What the file left open and how it was taken.
    """

    players: tuple[Player, ...]
    phase: Phase = "round"
    turned_up: tuple[Tile, ...] = ()
    seen: tuple[Tile, ...] = ()
    deck: Deck | None = None
    order: tuple[Tile, ...] | None = None
    round: int = 1
    turn: str = ""
    rules: Rules = Rules()
    standard: bool = True
    marked: Cell | None = CENTRE
    table: bool = False
    series: tuple[int, ...] = ()
    assumed: tuple[str, ...] = field(default=(), compare=False)

    @property
    def grid(self) -> Grid:
        """The empty grid that all players have."""
        return self.players[0].grid

    @property
    def mark(self) -> int:
        """The marked square as a mask; 0 without one."""
        return self.grid.mask([self.marked]) if self.marked else 0

    @cached_property
    def remaining(self) -> Counter[Tile] | None:
        """The tiles that may still come, with copies; None where the deck is not known."""
        if self.deck is None:
            return Counter(self.order) if self.order is not None else None
        return self.deck.counts - Counter(self.seen) - Counter(self.turned_up)

    @property
    def cards_left(self) -> int | None:
        """How many cards may still come; None where the deck is not known."""
        return None if self.remaining is None else self.remaining.total()

    def seat(self, name: str) -> int:
        """Return the number of the player of this name."""
        return next(seat for seat, player in enumerate(self.players) if player.name == name)


@dataclass(frozen=True)
class Draw:
    """Draw a tile; an empty `player` is the one whose turn it is."""

    tile: Tile
    cells: tuple[Cell, ...]
    player: str = ""


@dataclass(frozen=True)
class Bonus:
    """Write a 1 into a square (SC7)."""

    cell: Cell
    player: str = ""


@dataclass(frozen=True)
class Pass:
    """Draw nothing: wait for a second chance, or drop out when it does not fit."""

    player: str = ""


@dataclass(frozen=True)
class TurnUp:
    """Turn up the next two cards of a round, or the next card for a second chance."""

    tiles: tuple[Tile, ...]
    player: str = ""


Move: TypeAlias = Draw | Bonus | Pass | TurnUp
