"""Whole games by policy: alone, in series of three, or several players at one table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tilesolve.answers import Json, PolicyScore, Simulation
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.simulate.statistics import mean_of, score_of
from tilesolve.simulate.tournament import tournament
from tilesolve_models.second_chance.asking import UNIT, own_grid, require_legal
from tilesolve_models.second_chance.choices import choice_of, options_of
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.ending import SOLO_GAMES, SOLO_TARGET, ranking
from tilesolve_models.second_chance.foresight import foreseeing
from tilesolve_models.second_chance.policy import Policy, at_random, greedy, learner, look_ahead
from tilesolve_models.second_chance.rules import (
    apply,
    awaiting_cards,
    moves,
    seats_to_act,
    with_known_cards,
)
from tilesolve_models.second_chance.state import (
    Bonus,
    Draw,
    Move,
    Pass,
    Player,
    State,
)

POLICIES = ("random", "greedy", "look-ahead", "learned", "hint")
PLAYS = 120
"""Plays of one hint in a simulated game, unless more are asked for."""

MOST_AT_TABLE = 6


def named_policies(names: Sequence[str], plays: int, meter: Meter) -> dict[str, Policy]:
    """Return policies by name."""
    every: dict[str, Policy] = {
        "random": at_random,
        "greedy": greedy,
        "look-ahead": look_ahead,
        "learned": learner,
        "hint": foreseeing(plays, meter),
    }
    return {name: every[name] for name in names}


def play_out(state: State, policies: Mapping[str, Policy], rng: random.Random) -> State:
    """Play a state to its end, by the rules; policies by the players' names.

    Cards that are not known to come in an order come in a random one.
    """
    state = with_known_cards(state if state.order is not None else _shuffled(state, rng))
    while not awaiting_cards(state) and next(moves(state), None) is not None:
        player = state.players[seats_to_act(state)[0]]
        state = apply(state, _move(state, player, policies[player.name], rng))
    return state


def _move(state: State, player: Player, policy: Policy, rng: random.Random) -> Move:
    if state.phase == "bonus":
        pocket = min(state.grid.pockets(player.filled), key=int.bit_count)
        return Bonus(state.grid.cells(pocket)[0], player.name)
    options = options_of(state, player)
    if not options:
        return Pass(player.name)
    tile, mask = options[policy(choice_of(state, player, options, rng))]
    return Draw(tile, state.grid.cells(mask), player.name)


def simulate(
    state: State | None,
    *,
    games: int,
    policies: Sequence[str],
    budget: Budget,
    watch: Watch = SILENT,
    table: bool = False,
    plays: int = PLAYS,
) -> Simulation:
    """Play many games by policy and report the empty squares left.

    Parameters
    ----------
    state : State or None
        Where the games begin; None is the beginning with a random start tile. Of a table it is
        the grid of the next in seat order. Its known order of cards is not used.
    games : int
        Games, the same deals for every policy; solo games are also counted in series of three.
    policies : sequence of str
        Of `POLICIES`; empty is all of them.
    table : bool
        All policies sit at one table and play against each other, changing seats every game.
    plays : int
        What one hint of the policy ``hint`` may cost.

    Examples
    --------
    >>> found = simulate(None, games=3, policies=("greedy",), budget=Budget(seconds=None))
    >>> found.policies[0].games, found.details["series"][0]["series"]
    (3, 1)
    """
    if state is not None:
        require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    names = tuple(policies) or POLICIES
    if table:
        return _at_table(state, games, names, plays, meter)
    return _alone(state, games, names, plays, meter)


def _alone(
    state: State | None, games: int, names: Sequence[str], plays: int, meter: Meter
) -> Simulation:
    players = named_policies(tuple(dict.fromkeys(names)), plays, meter)
    seed = meter.budget.seed
    start = None if state is None else replace(own_grid(state), order=None)
    scores: dict[str, list[int]] = {name: [] for name in players}

    def play(name: str, number: int) -> int:
        dealing = random.Random(f"{seed} {number}")
        begun = deal(dealing) if start is None else _shuffled(start, dealing)
        rng = random.Random(f"{seed} {number} {name}")
        empties = play_out(begun, {"": players[name]}, rng).players[0].empties
        scores[name].append(empties)
        return empties

    results = tournament({name: name for name in players}, play, games=games, meter=meter)
    series = (
        []
        if state is not None
        else [_series(p.policy, scores[p.policy][: p.games]) for p in results]
    )
    return Simulation(
        policies=results,
        seed=seed,
        unit=UNIT,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"series": series, "plays": plays} if series else {"plays": plays},
    )


def _shuffled(start: State, rng: random.Random) -> State:
    cards = sorted((start.remaining or Counter()).elements(), key=lambda tile: tile.shape)
    return replace(start, order=tuple(rng.sample(cards, len(cards))))


def _series(policy: str, scores: Sequence[int]) -> Json:
    """Return how the solo series went (SC10): games three by three, in order."""
    whole = len(scores) - len(scores) % SOLO_GAMES
    totals = [sum(scores[start : start + SOLO_GAMES]) for start in range(0, whole, SOLO_GAMES)]
    dumped: dict[str, Json] = {"policy": policy, "series": len(totals)}
    if totals:
        below = sum(total < SOLO_TARGET for total in totals)
        dumped["mean"] = mean_of(totals).mean
        dumped["below_ten"] = f"{below}/{len(totals)}"
        dumped["below_ten_value"] = below / len(totals)
    return dumped


def _at_table(
    state: State | None, games: int, names: Sequence[str], plays: int, meter: Meter
) -> Simulation:
    if not 1 <= len(names) <= MOST_AT_TABLE:
        message = f"1 to {MOST_AT_TABLE} players sit at a table, not {len(names)}"
        raise InputError(message, place="policies")
    seats = _seat_names(names)
    by_policy = named_policies(tuple(dict.fromkeys(names)), plays, meter)
    empties: dict[str, list[int]] = {seat: [] for seat in seats}
    wins = dict.fromkeys(seats, 0)
    shared = 0
    seed = meter.budget.seed
    for number in range(games):
        if not meter.spend(1):
            break
        first = number % len(names)
        order = (*seats[first:], *seats[:first])
        end = _one_table(
            state, order, dict(zip(seats, names, strict=True)), by_policy, seed, number
        )
        winners = [place.player for place in ranking(end) if place.place == 1]
        shared += len(winners) > 1
        for player in end.players:
            name = player.name or seats[0]
            empties[name].append(player.empties)
            wins[name] += (player.name in winners) or len(seats) == 1
        meter.report(Progress(stage="games", done=number + 1, total=games))
    results: list[PolicyScore] = [score_of(seat, empties[seat]) for seat in seats if empties[seat]]
    return Simulation(
        policies=tuple(results),
        seed=seed,
        unit=UNIT,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"wins": wins, "shared": shared, "plays": plays},
    )


def _seat_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return one name for each seat: the policy's, numbered from its second seat on."""
    seats: list[str] = []
    for name in names:
        before = sum(seat.split(" ")[0] == name for seat in seats)
        seats.append(f"{name} {before + 1}" if before else name)
    return tuple(seats)


def _one_table(
    state: State | None,
    order: Sequence[str],
    policy_of: Mapping[str, str],
    policies: Mapping[str, Policy],
    seed: int,
    number: int,
) -> State:
    rng = random.Random(f"{seed} {number}")
    begun = deal(rng, players=len(order), start=state)
    players = tuple(
        replace(player, name=name) if len(order) > 1 else player
        for player, name in zip(begun.players, order, strict=True)
    )
    by_name = {
        player.name: policies[policy_of[name]] for player, name in zip(players, order, strict=True)
    }
    return play_out(replace(begun, players=players), by_name, rng)
