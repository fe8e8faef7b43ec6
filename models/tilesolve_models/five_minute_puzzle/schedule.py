"""In which rounds can these placements be drawn, when rolls are known?

A selection of placements says nothing of order. `schedule` finds the rounds that draw exactly
these, or finds that there are none: each round draws one of them or crosses out a piece that
is not to be drawn. `conflict` then says which few facts of the selection are to blame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.position import Position

Step: TypeAlias = tuple[int, int, int]
"""``(roll, piece, mask)``; the mask is 0 when the piece is not laid on known cells."""


@dataclass(frozen=True)
class Rounds:
    """The rounds to come.

    Parameters
    ----------
    now : Position
        What lies already.
    rolls : tuple of int
        The rolls known; after them every roll may be chosen.
    rolled_too : bool
        Whether a piece of the roll may be crossed out (FM5).
    """

    now: Position
    rolls: tuple[int, ...] = ()
    rolled_too: bool = True

    def roll(self, done: int) -> int | None:
        """Return the roll of the round after so many, None if it may be chosen."""
        return self.rolls[done] if done < len(self.rolls) else None


def schedule(rounds: Rounds, lays: Mapping[int, int], *, meter: Meter) -> tuple[Step, ...] | None:
    """Return rounds that draw exactly these placements (piece to mask), or None.

    Rounds in which only crossing out is left are not listed. None is a proof unless the meter
    has stopped.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> start = Position.start(shipped("synthetic-a"))
    >>> mask = start.edition.placements[0][0]
    >>> schedule(Rounds(start, rolls=(6,)), {0: mask}, meter=Meter(budget=Budget()))
    ((6, 0, 135),)
    """
    search = _Search(rounds, dict(lays), 0, meter)
    return tuple(search.steps) if search.drawn(0, loose=False) else None


def conflict(
    rounds: Rounds, lays: Mapping[int, int], *, meter: Meter
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return why a selection cannot be scheduled: pieces laid where they are, and pieces left out.

    As long as the first lie there and the second are not drawn, no order exists, whatever the
    other pieces do. Found by trying to let go of each fact in turn.
    """
    blamed = list(bits(rounds.now.available))
    for piece in tuple(blamed):
        rest = [other for other in blamed if other != piece]
        if not _possible(rounds, lays, rest, meter) and meter.stopped_by is None:
            blamed = rest
    laid = tuple(piece for piece in blamed if piece in lays)
    return laid, tuple(piece for piece in blamed if piece not in lays)


def _possible(rounds: Rounds, lays: Mapping[int, int], fixed: list[int], meter: Meter) -> bool:
    known = {piece: mask for piece, mask in lays.items() if piece in fixed}
    wild = rounds.now.available & ~sum(1 << piece for piece in fixed)
    return _Search(rounds, known, wild, meter).drawn(0, loose=False)


@dataclass
class _Search:
    """Depth first over the pieces used so far.

    Pieces of `wild` are drawn, crossed out or left as it suits; once one of them is drawn
    (`loose`) it may have gone anywhere, so everything counts as touched.
    """

    rounds: Rounds
    lays: Mapping[int, int]
    wild: int
    meter: Meter
    steps: list[Step] = field(default_factory=list)
    dead: set[tuple[int, bool]] = field(default_factory=set)

    def drawn(self, used: int, *, loose: bool) -> bool:
        """Return whether all can be drawn from here; the steps to it are then in `steps`."""
        if all(used >> piece & 1 for piece in self.lays):
            return True
        if (used, loose) in self.dead or not self.meter.spend(1):
            return False
        for step, looser in self.next(used, loose):
            self.steps.append(step)
            if self.drawn(used | 1 << step[1], loose=looser):
                return True
            self.steps.pop()
        self.dead.add((used, loose))
        return False

    def next(self, used: int, loose: bool) -> Iterator[tuple[Step, bool]]:
        """Yield what the next round may do, draws first."""
        now, edition = self.rounds.now, self.rounds.now.edition
        left = Position(edition, self.filled(used), now.available & ~used)
        roll = self.rounds.roll(used.bit_count())
        drawable = left.available if roll is None else left.drawable(roll)
        touching = edition.everything if loose else left.frontier
        for piece, mask in self.lays.items():
            if drawable >> piece & 1 and mask & touching:
                yield (roll or edition.dice[piece], piece, mask), loose
        for piece in bits(drawable & self.wild):
            yield (roll or edition.dice[piece], piece, 0), True
        if roll is None:
            return
        crossable = left.crossable(roll, rolled_too=self.rounds.rolled_too)
        for piece in bits(crossable):
            if piece not in self.lays and not drawable & self.wild & 1 << piece:
                yield (roll, piece, 0), loose

    def filled(self, used: int) -> int:
        """Return the mask of the cells filled once the pieces of a mask are used."""
        filled = self.rounds.now.filled
        for piece, mask in self.lays.items():
            if used >> piece & 1:
                filled |= mask
        return filled
