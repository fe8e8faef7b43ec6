"""What a player can still reach: the common shape of what all ways of solving find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilesolve.answers import Reason
from tilesolve.budget import StoppedBy
from tilesolve_models.lets_klack.position import Again, Move, State, Swap


@dataclass(frozen=True)
class Plan:
    """A line and what it achieves.

    Parameters
    ----------
    turns : int
        Turns it takes, at least 0.
    minus : int
        Minus points at its end.
    line : callable
        Gives its moves; lines are only put together when they are asked for.
    """

    turns: int
    minus: int
    line: Callable[[], tuple[Move, ...]]


@dataclass(frozen=True)
class Target:
    """What a player is after: points, or one block alone.

    Parameters
    ----------
    worths : mapping
        From a value to what it costs to leave its card uncovered; 0 when absent.
    price : int
        What the away card costs.
    """

    worths: Mapping[int, int]
    price: int = 1

    def minus(self, state: State) -> int:
        """Return what a state costs as it is."""
        left = sum(self.worths.get(value, 0) for value in state.places)
        return left + (self.price if state.away is not None else 0)


def points(state: State) -> Target:
    """Return the target of the game itself: few minus points."""
    return Target({value: value for value in state.values})


def alone(block: int) -> Target:
    """Return the target of one block on its card, whatever becomes of the others."""
    return Target({block: 1}, price=0)


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The plans worth having, from one state.

    Parameters
    ----------
    plans : tuple of Plan
        Fewest turns first, each with fewer minus points than the one before; the first takes
        no turn.
    cover : Plan or None
        The fewest turns that cover everything found so far.
    possible : bool or None
        Whether everything can be covered; None when that is not decided.
    bound : int
        Covering everything takes at least this many turns.
    least : int
        Minus points that no play at all can go below.
    floor : tuple of int
        Where plans are not exact: minus points after 0, 1, 2, ... turns that no plan goes below,
        to the last turn that a plan takes.
    exact : bool
        True when no plan can be better than these.
    reasons : tuple of Reason
        Why not, when it is not possible.
    stopped_by : str or None
        What cut the search short, if something did.
    """

    plans: tuple[Plan, ...]
    cover: Plan | None
    possible: bool | None
    bound: int
    least: int = 0
    floor: tuple[int, ...] = ()
    exact: bool = True
    reasons: tuple[Reason, ...] = ()
    stopped_by: StoppedBy | None = None

    def within(self, turns: int) -> Plan:
        """Return the plan with the least minus points after at most this many turns."""
        return [plan for plan in self.plans if plan.turns <= turns][-1]

    @property
    def by_turns(self) -> tuple[int, ...]:
        """Least minus points after 0, 1, 2, ... turns, to the last that gains something."""
        return tuple(self.within(turns).minus for turns in range(self.plans[-1].turns + 1))

    @property
    def proven(self) -> bool:
        """True when the fewest turns to cover everything are known for certain."""
        return self.cover is not None and self.cover.turns == self.bound


def worthwhile(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return the plans that no other beats, fewest turns first.

    Examples
    --------
    >>> stay, slow, good = (Plan(turns, minus, tuple) for turns, minus in [(0, 9), (3, 9), (2, 4)])
    >>> [plan.turns for plan in worthwhile([good, slow, stay])]
    [0, 2]
    """
    kept: list[Plan] = []
    for plan in sorted(plans, key=lambda each: (each.turns, each.minus)):
        if not kept or plan.minus < kept[-1].minus:
            kept.append(plan)
    return tuple(kept)


def turns_for(state: State, moves: int) -> int:
    """Return the turns that this many moves take, where the again card makes two of them one.

    Examples
    --------
    >>> [turns_for(State(cards=((1,),), specials=("again",)), moves) for moves in (0, 1, 2, 3)]
    [0, 1, 1, 2]
    """
    return moves - 1 if moves > 1 and _doubles(state) else moves


def moves_for(state: State, turns: int) -> int:
    """Return the most moves that can be made in so many turns.

    Examples
    --------
    >>> [moves_for(State(cards=((1,),), specials=("again",)), turns) for turns in (0, 1, 2)]
    [0, 2, 3]
    """
    return turns + 1 if turns and _doubles(state) else turns


def _doubles(state: State) -> bool:
    return "again" in state.specials or state.again_left == 2


def in_turns(state: State, moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the moves with the again card played where it saves a turn: before the first two."""
    free = sum(isinstance(move, Swap) for move in moves)
    if "again" not in state.specials or len(moves) - free < 2:
        return tuple(moves)
    return (*moves[:free], Again(), *moves[free:])
