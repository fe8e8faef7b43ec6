"""The table of least minus points while it is being worked out: what is found, what is proven."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.outlook import Plan, Target, turns_for
from tilesolve_models.lets_klack.position import Again, State, Swap


@dataclass
class Ladder:
    """For each number of turns the least minus points found, and a floor under them.

    A number of turns is open as long as the two differ.

    Parameters
    ----------
    least, floor : list of int
        By turns, from 0 on.

    Examples
    --------
    >>> ladder = Ladder.over(3, [Plan(0, 9, tuple), Plan(2, 4, tuple)], lambda turns: 9 - 3 * turns)
    >>> ladder.least, ladder.floor, list(ladder.open_from(0))
    ([9, 9, 4, 4], [9, 6, 3, 0], [1, 2, 3])
    >>> ladder.takes(2, 3), list(ladder.open_from(2)), ladder.takes(3, 3)
    (True, [3], False)
    """

    least: list[int]
    floor: list[int]

    @classmethod
    def over(cls, turns: int, plans: Iterable[Plan], floor: Callable[[int], int]) -> Ladder:
        """Return the ladder up to so many turns with what plans reach; one of them stays put."""
        known = [(plan.turns, plan.minus) for plan in plans]
        rungs = range(turns + 1)
        least = [min(minus for taken, minus in known if taken <= rung) for rung in rungs]
        return cls(least, [floor(rung) for rung in rungs])

    def open_from(self, turns: int) -> Iterator[int]:
        """Yield the open numbers of turns, from one on."""
        for rung in range(turns, len(self.least)):
            if self.least[rung] > self.floor[rung]:
                yield rung

    def closed_from(self, turns: int) -> bool:
        """Return whether nothing is open any more, from a number of turns on."""
        return next(self.open_from(turns), None) is None

    def takes(self, turns: int, minus: int) -> bool:
        """Note a plan; return whether it is better than what was known."""
        if turns >= len(self.least) or minus >= self.least[turns]:
            return False
        for rung in range(turns, len(self.least)):
            self.least[rung] = min(self.least[rung], minus)
        return True


def rungs(state: State, target: Target, plan: Plan) -> Iterator[Plan]:
    """Yield the plans that stop on the way of another, wherever that covers something.

    Examples
    --------
    >>> from tilesolve_models.lets_klack.outlook import points
    >>> from tilesolve_models.lets_klack.position import Cover
    >>> blocks = ((3, (0, 1)), (4, (2, 1)))
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=blocks, covered=(1, 2, 5))
    >>> both = Plan(2, 0, lambda: (Cover(3), Cover(4)))
    >>> [(each.turns, each.minus) for each in rungs(state, points(state), both)]
    [(1, 4), (2, 0)]
    """
    line = plan.line()
    here, moves = replace(state, turns_left=None), 0
    for at, move in enumerate(line, start=1):
        blocks, here = here.blocks, rules.apply(here, move)
        moves += not isinstance(move, Swap | Again)
        if len(here.blocks) < len(blocks):
            yield Plan(turns_for(state, moves), target.minus(here), partial(tuple, line[:at]))
