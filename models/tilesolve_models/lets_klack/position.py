"""What a player can see on the table, and the moves that change it: plain values.

`State` is one player's layout during a round; rule numbers are those of the game's
documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from tilesolve.answers import Cell
from tilesolve_models.lets_klack.layout import Layout, layout

SPECIALS = ("swap", "fly", "away", "again")
"""The special cards of LK10."""

Covering: TypeAlias = Literal["automatic", "optional", "separate"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The readings of doubtful rules: LK2, LK3 and LK4."""

    must_continue: bool = False
    cover: Covering = "automatic"
    jump_covered: bool = True


DEFAULT_RULES = Rules()


@dataclass(frozen=True, kw_only=True)
class Match:
    """How the match stands (LK9): totals by player, and when it ends.

    Parameters
    ----------
    totals : tuple of int
        Minus points of each player so far.
    limit : int or None
        The match is over when somebody has this many after a round.
    rounds, played : int or None, int
        Or it is over after this many rounds, of which `played` are done.
    """

    totals: tuple[int, ...]
    limit: int | None = None
    rounds: int | None = None
    played: int = 0

    @property
    def over(self) -> bool:
        """True when no further round is played.

        Examples
        --------
        >>> Match(totals=(50, 12), limit=50).over
        True
        """
        reached = self.limit is not None and max(self.totals) >= self.limit
        return reached or (self.rounds is not None and self.played >= self.rounds)


@dataclass(frozen=True, kw_only=True)
class State:
    """One player's layout.

    Parameters
    ----------
    cards : tuple of tuples of int
        The values of the cards, row by row.
    blocks : tuple of (int, Cell)
        Where each uncovered block stands, by value.
    covered : tuple of int
        Values of covered cards, ascending; with the one under the away card.
    specials : tuple of str
        Special cards still in hand.
    rules : Rules
        The readings of doubtful rules.
    phase : int
        1 while blocks are turned up, 2 while they jump.
    face_down : tuple of Cell
        In phase 1: where the blocks not yet turned up stand.
    must_move : int or None
        With `must_continue`: the only block that may move.
    turns_left : int or None
        Turns left when another player has covered everything; None while the round is open.
    away : int or None
        The value of the card that the away card lies on.
    again_left : int
        Moves left in a turn that the again card has doubled; 0 in any other turn.
    match : Match or None
        How the match stands.
    """

    cards: tuple[tuple[int, ...], ...]
    blocks: tuple[tuple[int, Cell], ...] = ()
    covered: tuple[int, ...] = ()
    specials: tuple[str, ...] = ()
    rules: Rules = DEFAULT_RULES
    phase: int = 2
    face_down: tuple[Cell, ...] = ()
    must_move: int | None = None
    turns_left: int | None = None
    away: int | None = None
    again_left: int = 0
    match: Match | None = field(default=None)

    @property
    def ground(self) -> Layout:
        """The layout's geometry."""
        return layout(len(self.cards), len(self.cards[0]))

    @cached_property
    def values(self) -> tuple[int, ...]:
        """The values of the cards in reading order."""
        return tuple(value for row in self.cards for value in row)

    @cached_property
    def card_of(self) -> Mapping[int, int]:
        """From a value to the number of its card in the layout."""
        return {value: card for card, value in enumerate(self.values)}

    @cached_property
    def places(self) -> Mapping[int, Cell]:
        """From an uncovered value to where its block stands."""
        return dict(self.blocks)

    @property
    def minus_points(self) -> int:
        """Minus points if the round ended now (LK8, LK10)."""
        return sum(self.places) + (self.away is not None)

    def beside_own_card(self, value: int, cell: Cell) -> bool:
        """Return whether a block of this value at this cell stands beside its card."""
        row, column = self.ground.cards[self.card_of[value]]
        return abs(row - cell[0]) + abs(column - cell[1]) == 1


@dataclass(frozen=True)
class TurnUp:
    """Turn up the block at this cell (LK1)."""

    cell: Cell


@dataclass(frozen=True)
class Jump:
    """Jump with a block; `cover` False declines to cover, None covers where the rules say so."""

    block: int
    to: Cell
    cover: bool | None = None


@dataclass(frozen=True)
class Cover:
    """Put a block that stands beside its card onto it (LK6)."""

    block: int


@dataclass(frozen=True)
class Fly:
    """Special card: a block goes straight onto its card."""

    block: int


@dataclass(frozen=True)
class Away:
    """Special card: lay it on a card and take its block off the table."""

    card: int


@dataclass(frozen=True)
class Swap:
    """Special card: two blocks exchange their places."""

    first: int
    second: int


@dataclass(frozen=True)
class Again:
    """Special card: two moves in this turn."""


@dataclass(frozen=True)
class Pass:
    """Make no move; it counts as one."""


Move: TypeAlias = TurnUp | Jump | Cover | Fly | Away | Swap | Again | Pass
