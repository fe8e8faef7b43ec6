"""Players: how somebody chooses among the moves that a roll allows."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from tilesolve.budget import SILENT, Budget, Meter, Watch, least
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.ranking import Turn, rank

Player: TypeAlias = Callable[[Turn], Lay]
"""Returns one of the turn's decisions."""


def at_random(seed: int) -> Player:
    """Return a player who draws any legal placement, and crosses out only when there is none."""

    def choose(turn: Turn) -> Lay:
        decisions = turn.decisions()
        draws = [decision for decision in decisions if decision[1]]
        # A chance of its own for every position: the same position is answered alike.
        chance = random.Random(f"{seed}/{turn.now.filled}/{turn.now.available}/{turn.roll}")
        return chance.choice(draws or decisions)

    return choose


def greedy(turn: Turn) -> Lay:
    """Draw with the most contact to filled cells and border, ties by the fewest pockets.

    Who can draw nothing crosses out the piece with the fewest places left.
    """
    decisions = turn.decisions()
    draws = [decision for decision in decisions if decision[1]]
    if draws:
        most = max(turn.now.contact(mask) for _, mask in draws)
        closest = [draw for draw in draws if turn.now.contact(draw[1]) == most]
        return min(closest, key=lambda draw: len(turn.now.laid(draw).regions))
    now = turn.now
    return min(
        decisions,
        key=lambda each: sum(not m & now.filled for m in now.edition.placements[each[0]]),
    )


def hinted(budget: Budget, whole: Meter | None = None) -> Player:
    """Return a player who always makes the first of the hints for this budget.

    No hint takes longer than the meter of the whole question, if there is one, has left.
    """

    def player(turn: Turn) -> Lay:
        seconds = least(budget.seconds, whole.remaining_seconds if whole else None)
        watch = Watch(interrupted=whole.watch.interrupted) if whole else SILENT
        meter = Meter(budget=replace(budget, seconds=seconds), watch=watch)
        return rank(turn, meter=meter).moves[0].decision

    return player


def play(
    now: Position, rolls: tuple[int, ...], player: Player, *, known: int, rolled_too: bool
) -> int:
    """Play a game and return its penalty; the player sees the first `known` rolls in advance."""
    for number, roll in enumerate(rolls):
        if now.over:
            break
        turn = Turn(now, roll, rolls[number + 1 : known], rolled_too)
        decision = player(turn)
        now = now.laid(decision) if decision[1] else now.without(decision[0])
    return now.penalty
