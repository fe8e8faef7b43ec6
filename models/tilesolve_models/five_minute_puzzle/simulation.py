"""Whole games by policy, against the best that could have been reached with the same rolls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from tilesolve.answers import Json, PolicyScore, Simulation
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.simulate.statistics import paired
from tilesolve.simulate.tournament import tournament
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import UNIT, require_legal
from tilesolve_models.five_minute_puzzle.players import Player, at_random, greedy, hinted, play
from tilesolve_models.five_minute_puzzle.scoring import known_best
from tilesolve_models.five_minute_puzzle.sheets import DIE, SYNTHETIC, shipped
from tilesolve_models.five_minute_puzzle.state import State

POLICIES = ("random", "greedy", "hint")

EFFORT = 5000
"""Work of one hint while simulating: some hundredths of a second."""

OPTIMUM = "optimum"

OPTIMUM_WORK = 400_000
"""Work spent on the optimum of one game at most."""


def simulate(
    state: State | None,
    *,
    games: int,
    policies: Sequence[str],
    budget: Budget,
    watch: Watch = SILENT,
    effort: int = EFFORT,
    hint_seconds: float | None = None,
) -> Simulation:
    """Play whole games from a position, every policy with the same rolls.

    Parameters
    ----------
    state : State or None
        Where the games begin; None is the empty side A. Rolls that it knows are kept to.
    games : int
        At least 1.
    policies : sequence of str
        Of `POLICIES`; empty for all.
    effort : int
        Work units of one hint of the policy ``hint``: the same seed gives the same table.
    hint_seconds : float or None
        Seconds of one hint instead; then the table depends on the machine.

    Returns
    -------
    Simulation
        `optimum` is the least penalty that the rolls of each game allow, were they known, over
        the same games; ``above_optimum`` in the details is the paired difference to it.

    Examples
    --------
    >>> table = simulate(None, games=2, policies=["greedy"], budget=Budget())
    >>> table.policies[0].games, table.optimum["mean"] <= table.policies[0].mean
    (2, True)
    """
    start = State(shipped(SYNTHETIC[0])) if state is None else state
    require_legal(start)
    meter = Meter(budget=budget, watch=watch)
    hint_budget = Budget(
        seconds=hint_seconds, work=None if hint_seconds else effort, seed=budget.seed
    )
    players: dict[str, Player] = {
        "random": at_random(budget.seed),
        "greedy": greedy,
        "hint": hinted(hint_budget, meter),
    }
    chosen = {name: players[name] for name in policies or POLICIES}
    scores: dict[str, list[int]] = {name: [] for name in (*chosen, OPTIMUM)}
    now = rules.position(start)
    unproven: list[int] = []

    def game(name: str, number: int) -> int:
        rolls = deal(start, seed=budget.seed, number=number)
        if name == OPTIMUM:
            score, proven = _optimum(replace(start, roll=None, rolls=rolls), meter)
            unproven.extend([number] * (not proven))
        else:
            known = len(start.upcoming)
            rolled_too = start.rules.forgo_may_cross_rolled
            score = play(now, rolls, chosen[name], known=known, rolled_too=rolled_too)
        scores[name].append(score)
        return score

    table = tournament({name: name for name in scores}, game, games=games, meter=meter)
    return Simulation(
        policies=table[:-1],
        seed=budget.seed,
        unit=UNIT,
        optimum=_optimum_json(table[-1], unproven) if table else None,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"above_optimum": {name: _above(scores, name) for name in chosen} if table else {}},
    )


def deal(state: State, *, seed: int, number: int) -> tuple[int, ...]:
    """Return the rolls of one game: those the state knows, then random ones.

    Examples
    --------
    >>> len(deal(State(shipped("synthetic-a")), seed=0, number=3))
    12
    """
    chance = random.Random(f"{seed}/{number}")
    rounds = rules.position(state).available.bit_count()
    known = state.upcoming[:rounds]
    return known + tuple(chance.choice(DIE) for _ in range(rounds - len(known)))


def _optimum(state: State, meter: Meter) -> tuple[int, bool]:
    """Return the best for known rolls; its own progress is nobody's news."""
    budget = Budget(seconds=meter.remaining_seconds, work=OPTIMUM_WORK, seed=meter.budget.seed)
    watch = Watch(interrupted=meter.watch.interrupted)
    return known_best(state, meter=Meter(budget=budget, watch=watch))


def _optimum_json(score: PolicyScore, unproven: Sequence[int]) -> Json:
    """Return the optimum's figures; games without a proof only bound it from above."""
    return {
        "mean": score.mean,
        "standard_error": score.standard_error,
        "games": score.games,
        "unproven": sum(number < score.games for number in unproven),
        "distribution": dict(score.distribution),
    }


def _above(scores: dict[str, list[int]], name: str) -> Json:
    finished = len(scores[OPTIMUM])
    gap = paired(scores[name][:finished], scores[OPTIMUM])
    return {"mean": gap.mean, "standard_error": gap.standard_error}
