"""How hard a deal is: the shortest line, what can be reached, and how players fare."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace

from tilesolve.answers import Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.grading import grade_of, on_log_scale, on_scale, read_weights
from tilesolve.simulate.outcomes import outcomes
from tilesolve.simulate.tournament import tournament
from tilesolve.wire import Node
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.half import NEVER, halves
from tilesolve_models.lets_klack.match import LONGEST, POLICIES
from tilesolve_models.lets_klack.model import opened, outlook
from tilesolve_models.lets_klack.outlook import Outlook, points
from tilesolve_models.lets_klack.position import Again, Move, Pass, State, Swap
from tilesolve_models.lets_klack.views import canonical

WEIGHTS: Mapping[str, float] = {"length": 3.0, "detours": 3.0, "precision": 3.0, "size": 1.0}
"""What the grade is made of.

`length`: fewest moves, 40 and more being 1. `detours`: moves beyond what each block would need
alone, 15 and more being 1. `precision`: what must be guessed right along a shortest line, 60 bits
and more being 1. `size`: the logarithm of the arrangements that can be reached, 10**12 being 1.
"""

PLAYERS = ("nearest", "careless")
"""The policies that play without a solver."""

GAMES = 20

_STATES = 3_000_000
"""Arrangements walked through, for each deal."""


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    games: int = GAMES,
    weights: Node | None = None,
) -> Difficulty:
    """Measure how hard a deal is for one player who wants to cover everything.

    Every measure is explained in ``docs/difficulty.md``. A deal that cannot be finished has grade
    10 and ``answer: no`` in the details. Special cards in hand count for the fewest moves alone.

    Parameters
    ----------
    games : int
        Games of each simulated player.
    weights : Node or None
        Other weights of the grade.

    Raises
    ------
    IllegalState
        If the state breaks a rule.
    InputError
        For weights that are not understood.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> answer = difficulty(state, budget=Budget())
    >>> answer.measures["needed"], answer.measures["states"], answer.grade
    (1, 2, 1.09)
    """
    used = read_weights(weights, WEIGHTS)
    after, _ = opened(canonical(state))
    after = replace(after, turns_left=None)
    meter = Meter(budget=budget, watch=watch)
    found = outlook(after, points(after), meter=meter, table=False)
    measures: dict[str, Json] = {
        "cards": len(after.values),
        "blocks": len(after.blocks),
        "legal_moves": len(_turns(after)),
        **_fewest(after, found),
        **_reached(after, meter),
    }
    if found.cover is not None and found.proven:
        measures |= _along(after, found.cover.turns, found.cover.line(), meter)
    measures["players"] = _players(after, games, meter)
    parts = {
        "length": on_scale(measures.get("needed", 0), 40),
        "detours": on_scale(measures.get("detours", 0), 15),
        "precision": on_scale(measures.get("guess_bits", 0.0), 60),
        "size": on_log_scale(measures.get("states", 1), 10**12),
    }
    hopeless = found.possible is False
    return Difficulty(
        grade=10.0 if hopeless else grade_of(parts, used),
        measures=measures,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={
            "grade_parts": parts,
            "weights": used,
            **({"answer": "no"} if hopeless else {}),
        },
    )


def _turns(state: State) -> list[Move]:
    """Return the moves that take a turn, but for passing."""
    return [move for move in rules.moves(state) if not isinstance(move, Pass | Swap | Again)]


def _fewest(state: State, found: Outlook) -> dict[str, Json]:
    """Return the fewest moves, and how many of them are owed to blocks in each other's way."""
    if found.cover is None:
        return {}
    alone = sum(needed for half in halves(state, {}) for needed in half.alone)
    told: dict[str, Json] = {"needed": found.cover.turns, "needed_exact": found.proven}
    if alone < NEVER:
        told |= {"alone": alone, "detours": max(0, found.cover.turns - alone)}
    return told


def _reached(state: State, meter: Meter) -> dict[str, Json]:
    from tilesolve_models.lets_klack.reach import reach

    part = meter.part(seconds=meter.share(0.5), work=_STATES)
    found = reach(replace(state, specials=()), meter=part)
    meter.spend(part.worked)
    return {} if found is None else {"states": found.states, "dead_ends": found.dead_ends}


def _along(state: State, needed: int, line: tuple[Move, ...], meter: Meter) -> dict[str, Json]:
    """Follow a shortest line; return at each move the share of moves that keep to one."""
    shares: dict[str, float] = {}
    bits = 0.0
    for step, move in enumerate(line, start=1):
        if isinstance(move, Swap | Again) or state.again_left:
            return {}  # turns and moves are not the same then
        choices = _turns(state)
        good = 0
        for choice in choices:
            if not meter.spend():
                return {}
            following = rules.apply(state, choice)
            rest = outlook(following, points(following), meter=meter, table=False).cover
            good += rest is not None and rest.turns == needed - step
        if not good or meter.stopped_by is not None:
            return {}
        shares[str(step)] = round(good / len(choices), 4)
        bits += math.log2(len(choices) / good)
        state = rules.apply(state, move)
    mean = sum(shares.values()) / max(1, len(shares))
    return {"good_moves": shares, "good_moves_mean": round(mean, 4), "guess_bits": round(bits, 1)}


def _players(state: State, games: int, meter: Meter) -> dict[str, Json]:
    """Return how many turns players need who look no further than a block or a move."""

    def play(name: str, number: int) -> int:
        chance = random.Random(f"{meter.budget.seed}/{number}")
        now = replace(state, specials=())
        for turn in range(LONGEST):
            if not now.blocks:
                return turn
            for move in POLICIES[name](now, chance, meter):
                now = rules.apply(now, move)
        return LONGEST

    scores = tournament({name: name for name in PLAYERS}, play, games=games, meter=meter)
    told = outcomes(scores)
    for score in scores:
        unfinished = score.distribution.get(str(LONGEST), 0)
        told[score.policy]["finished"] = round(1 - unfinished / score.games, 4)
    return told
