"""`simulate` of Puzl It: how often does a policy win against players of most connections?"""

from __future__ import annotations

import random

from tilesolve.answers import Simulation
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.simulate.tournament import tournament
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.deal import deal, fill
from tilesolve_models.puzl_it.model import legal_position
from tilesolve_models.puzl_it.policies import (
    Policy,
    at_random,
    careful,
    most_connections,
    play_out,
)
from tilesolve_models.puzl_it.search import by_simulation
from tilesolve_models.puzl_it.state import State
from tilesolve_models.puzl_it.table import Table

POLICIES = ("most-connections", "careful", "random", "hint")


def simulate(
    state: State | None,
    *,
    games: int,
    policies: tuple[str, ...],
    budget: Budget,
    watch: Watch = SILENT,
    players: int = 2,
    samples: int = 160,
) -> Simulation:
    """Play games in which one seat follows a policy and all others make most connections.

    A game scores 1 if that seat wins, else 0. All policies meet the same deals.

    Parameters
    ----------
    state : State or None
        The table to play from, its unseen cards dealt at random and the policy in the seat of
        `me` or else of the player to move; None deals fresh games, and the seat goes round.
    players : int
        For fresh games, 2 to 6.
    samples : int
        Simulated deals for each move of the policy ``hint``.
    """
    meter = Meter(budget=budget, watch=watch)
    start = None if state is None else legal_position(state)
    rule = "connected" if start is None else start.rules.group
    named = {name: _policy(name, rule, samples) for name in policies or POLICIES}

    def play(policy: Policy, number: int) -> int:
        table, seat = _start(start, number, players, budget.seed)
        rng = random.Random(f"game {budget.seed} {number}")
        seats = [most_connections(rule)] * len(table.hands)
        seats[seat] = policy
        return int(play_out(table, seats, rng) == seat)

    scores = tournament(named, play, games=games, meter=meter)
    return Simulation(
        policies=scores,
        seed=budget.seed,
        unit="wins",
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"players": players if start is None else len(start.seats)},
    )


def _policy(name: str, rule: str, samples: int) -> Policy:
    match name:
        case "most-connections":
            return most_connections(rule)
        case "careful":
            return careful(rule)
        case "random":
            return at_random(rule)
    return by_simulation(rule, samples=samples)


def _start(state: State | None, number: int, players: int, seed: int) -> tuple[Table, int]:
    """Return the table of a game and the seat of the policy; a deal is played from each seat."""
    if state is None:
        deal_number, seat = divmod(number, players)
        dealt = deal(players=players, seed=seed * 1_000_003 + deal_number)
        return rules.table_of(dealt), seat
    rng = random.Random(f"cards {seed} {number}")
    known = {
        state.place(known.player): rules.grid(state).mask(known.cells) for known in state.known
    }
    return fill(rules.table_of(state), rng, known), state.place(state.me or state.to_move)
