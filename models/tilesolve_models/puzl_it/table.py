"""The rule engine of Puzl It: one turn on a table of numbered cards (PI2-PI7).

Referee, simulation and hints all play here, so there is one set of rules. A `Table` is played
on in place, because a simulation plays millions of turns: `copy` it first. A card that cannot
be named from where one looks is `UNSEEN`, and is moved like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilesolve_models.picture_grid import Grid, cards_of

UNSEEN = -1
"""A card whose cell is not known."""

Pick = Callable[[list[int], int], list[int]]
"""``pick(hand, count)``: which cards of a hand are stolen unseen."""


@dataclass
class Table:
    """All cards of a game.

    Parameters
    ----------
    grid : Grid
        The picture.
    in_play : int
        Mask of the cards that lie.
    hands, piles : list of list of int
        For each player; the top of a pile is its last card.
    to_move : int
        Whose turn begins.
    blocker : int or None
        Who holds the Blocker.
    has_blocker : bool
        False for two players: the Blocker is out of the game (PI1).
    symbols : int
        Mask of the cards with the Blocker symbol.
    needs_old_card : bool
        The Blocker's option of PI6.
    hand_size : int
        Draw up to this many.
    """

    grid: Grid
    in_play: int
    hands: list[list[int]]
    piles: list[list[int]]
    to_move: int
    blocker: int | None
    has_blocker: bool
    symbols: int
    needs_old_card: bool = False
    hand_size: int = 5

    def copy(self) -> Table:
        """Return a table that can be played on without changing this one."""
        return Table(
            self.grid,
            self.in_play,
            [hand[:] for hand in self.hands],
            [pile[:] for pile in self.piles],
            self.to_move,
            self.blocker,
            self.has_blocker,
            self.symbols,
            self.needs_old_card,
            self.hand_size,
        )

    def cards(self, player: int) -> int:
        """Return how many cards a player has."""
        return len(self.hands[player]) + len(self.piles[player])

    @property
    def players(self) -> list[int]:
        """Those who still have cards, by seat."""
        return [player for player in range(len(self.hands)) if self.cards(player)]

    @property
    def winner(self) -> int | None:
        """The last player with cards, once there is only one."""
        left = self.players
        return left[0] if len(left) == 1 else None

    @property
    def hand_mask(self) -> int:
        """The mask of the cards in hand of the player to move; unseen ones are left out."""
        mask = 0
        for card in self.hands[self.to_move]:
            if card >= 0:
                mask |= 1 << card
        return mask

    def connections(self, play: int) -> int:
        """Return what a play counts: its cards and their sides with cards that lay (PI4)."""
        return play.bit_count() + self.grid.contacts(play, self.in_play)

    def takes_blocker(self, play: int) -> bool:
        """Whether a play takes the Blocker: a symbol that touches another card (PI6)."""
        if not self.has_blocker or not play & self.symbols:
            return False
        others = self.in_play if self.needs_old_card else self.in_play | play
        neighbours = self.grid.neighbours
        return any(neighbours[card] & others for card in cards_of(play & self.symbols))

    def victims(self, takes_blocker: bool) -> list[int]:
        """Return who can be robbed (PI5), clockwise from the player to move."""
        seats = len(self.hands)
        others = [(self.to_move + step) % seats for step in range(1, seats)]
        return [
            player
            for player in others
            if (self.hands[player] or self.piles[player])
            and (takes_blocker or player != self.blocker)
        ]


@dataclass(frozen=True)
class Turn:
    """What happened in a turn.

    Parameters
    ----------
    connections : int
        As counted (PI4).
    took_blocker : bool
        Whether the Blocker changed hands.
    stolen, drawn : tuple of int
        Cards in the order in which they moved; `UNSEEN` where they cannot be named.
    """

    connections: int
    took_blocker: bool
    stolen: tuple[int, ...]
    drawn: tuple[int, ...]


def play_turn(table: Table, play: int, victim: int | None, pick: Pick) -> Turn:
    """Play a legal turn on the table, and pass the turn on.

    Parameters
    ----------
    table : Table
        Changed in place.
    play : int
        Mask of the cards laid; those not seen in the hand are among its unseen ones.
    victim : int or None
        Whom to rob.
    pick : callable
        Chooses the cards stolen from a hand, which nobody sees.
    """
    me = table.to_move
    connections = table.connections(play)
    takes = table.takes_blocker(play)
    hand = table.hands[me]
    for card in cards_of(play):
        hand.remove(card if card in hand else UNSEEN)
    table.in_play |= play
    if takes:
        table.blocker = me
    stolen = [] if victim is None else _steal(table, victim, connections, pick)
    pile = table.piles[me]
    pile.extend(reversed(stolen))
    drawn = []
    while pile and len(hand) < table.hand_size:
        drawn.append(pile.pop())
        hand.append(drawn[-1])
    _pass_on(table)
    return Turn(connections, takes, tuple(stolen), tuple(drawn))


def _steal(table: Table, victim: int, count: int, pick: Pick) -> list[int]:
    pile, hand = table.piles[victim], table.hands[victim]
    stolen = pile[: -count - 1 : -1]
    del pile[len(pile) - len(stolen) :]
    rest = min(count - len(stolen), len(hand))
    if rest:
        taken = hand[:] if rest == len(hand) else pick(hand, rest)
        for card in taken:
            hand.remove(card)
        stolen += taken
    return stolen


def _pass_on(table: Table) -> None:
    """Pass the turn to the next who has cards; the Blocker goes back as his turn starts."""
    seats = len(table.hands)
    holder = table.blocker
    if holder is not None and not table.cards(holder):
        table.blocker = None
    for step in range(1, seats + 1):
        following = (table.to_move + step) % seats
        if table.hands[following] or table.piles[following]:
            table.to_move = following
            break
    if table.blocker == table.to_move:
        table.blocker = None
