"""Whole games of the New-Year puzzle on sets of cards (NY2-NY7), for simulation.

Where the face-down cards lie need not be kept: an unknown place holds every unknown card with
equal chance, whichever place it is and whatever was moved unseen, and what is known of a card
travels with it. So turning up an unknown place is drawing an unknown card. A `Table` is played
on in place, because a simulation plays millions of flips.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve_models.new_year_puzzle.prizes import Prize, Stack
from tilesolve_models.picture_grid import Grid


@dataclass
class Table:
    """A game under way.

    Parameters
    ----------
    grid : Grid
        The picture.
    open, frontier : int
        Masks of the cards that lie open, and of those that would fit now.
    known : list of int
        Remembered face-down cards, the one seen longest ago first.
    hidden : list of int
        Face-down cards that nobody remembers, in random order; the last is turned up next.
    remember : int or None
        Cards that are remembered at most; None is all.
    prizes : list of Prize
        The stack, its top last.
    taken : list of Prize
        For a stack that is made anew when it is empty; None keeps it empty.
    points : list of int
        By seat.
    to_move, flips, successes : int
        Whose move it is, and what has been done so far.
    """

    grid: Grid
    open: int
    frontier: int
    known: list[int]
    hidden: list[int]
    remember: int | None
    prizes: list[Prize]
    taken: list[Prize] | None
    points: list[int]
    to_move: int = 0
    flips: int = 0
    successes: int = 0

    @property
    def over(self) -> bool:
        """Whether the picture is complete (NY7)."""
        return not self.frontier

    @property
    def fitting(self) -> list[int]:
        """The remembered cards that fit now."""
        return [card for card in self.known if self.frontier >> card & 1]

    def flip(self, card: int, rng: random.Random) -> bool:
        """Turn a card up, and say whether it fitted; `rng` is for prizes."""
        self.flips += 1
        (self.known if card in self.known else self.hidden).remove(card)
        if self.frontier >> card & 1:
            self.successes += 1
            self.open |= 1 << card
            self.frontier = (self.frontier | self.grid.neighbours[card]) & ~self.open
            self._take_prize(rng)
            return True
        self.known.append(card)
        if self.remember is not None and len(self.known) > self.remember:
            self.hidden.insert(rng.randint(0, len(self.hidden)), self.known.pop(0))
        self._pass_on()
        return False

    def _take_prize(self, rng: random.Random) -> None:
        if not self.prizes and self.taken:
            self.prizes, self.taken = self.taken, []
            rng.shuffle(self.prizes)
        if not self.prizes:
            return
        prize = self.prizes.pop()
        if self.taken is not None:
            self.taken.append(prize)
        self.points[self.to_move] += prize.points
        if prize.condition is not None and rng.random() < 0.5:
            self.points[self.to_move] += prize.bonus + prize.others
            self.points = [points - prize.others for points in self.points]
        if prize.no_extra_move:
            self._pass_on()

    def _pass_on(self) -> None:
        self.to_move = (self.to_move + 1) % len(self.points)


Policy: TypeAlias = Callable[[Table], int]
"""Which card a player turns up."""


def by_memory(table: Table) -> int:
    """Return a remembered card that fits, else an unknown one, the policy of the rules' numbers.

    With nothing remembered this is a random face-down card.
    """
    frontier = table.frontier
    for card in table.known:
        if frontier >> card & 1:
            return card
    return table.hidden[-1] if table.hidden else table.known[0]


def set_out(
    grid: Grid,
    *,
    lying: int,
    known: tuple[int, ...],
    stack: Stack | None,
    points: tuple[int, ...],
    to_move: int,
    remember: int | None,
    reshuffle: bool,
    rng: random.Random,
) -> Table:
    """Return a game with all that is not known dealt at random.

    Examples
    --------
    >>> grid = Grid(8, 8)
    >>> rng = random.Random(5)
    >>> table = set_out(grid, lying=grid.corners, known=(), stack=None, points=(0,), to_move=0,
    ...                 remember=None, reshuffle=False, rng=rng)
    >>> while not table.over:
    ...     fitted = table.flip(by_memory(table), rng)
    >>> table.successes
    60
    """
    kept = known if remember is None else known[max(0, len(known) - remember) :]
    hidden = [card for card in range(grid.size) if not lying >> card & 1 and card not in kept]
    rng.shuffle(hidden)
    prizes: list[Prize] = []
    taken: list[Prize] | None = None
    if stack is not None:
        prizes = rng.sample(stack.pool, stack.left)
        if reshuffle:
            rest = list(stack.pool + stack.gone)
            for prize in prizes:
                rest.remove(prize)
            taken = rest
    return Table(
        grid=grid,
        open=lying,
        frontier=grid.beside(lying),
        known=list(kept),
        hidden=hidden,
        remember=remember,
        prizes=prizes,
        taken=taken,
        points=list(points),
        to_move=to_move,
    )
