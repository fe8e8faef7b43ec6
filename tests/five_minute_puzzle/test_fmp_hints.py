"""Hints: all candidates, exact near the end, the same twice, and better than greedy."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.errors import IllegalState, InputError
from tilesolve.geometry.lattice import HEX, regions
from tilesolve.wire import Node, dump
from tilesolve_models.five_minute_puzzle import rules, state
from tilesolve_models.five_minute_puzzle.hints import hint
from tilesolve_models.five_minute_puzzle.players import greedy, hinted, play
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.ranking import Turn, futures, rank
from tilesolve_models.five_minute_puzzle.sheets import shipped
from tilesolve_models.five_minute_puzzle.simulation import deal, simulate
from tilesolve_models.five_minute_puzzle.state import CrossOut, State

WORK = Budget(seconds=None, work=1500, seed=5)
START = State(shipped("synthetic-a"), roll=4)


@pytest.mark.parametrize("seed", range(100, 112))
def test_the_expectation_is_exact_on_small_sheets(
    seed: int, small_edition: Callable[..., Any]
) -> None:
    small = small_edition(seed, cells=8, pieces=3)
    rolled_too = seed % 3 != 0
    options = {"forgo_may_cross_rolled": rolled_too}
    for roll in (1, 3):
        given = state.load(Node(small.state(roll=roll, rules=options)))
        answer = hint(given, count=1, budget=Budget(seconds=None, work=10**6))
        want = small.expected(roll, rolled_too=rolled_too)
        if answer.hints:
            assert answer.exact
            assert Fraction(answer.hints[0].details["expected"]) == want
            assert answer.hints[0].value == pytest.approx(float(want), abs=1e-3)
        else:
            assert rules.check(given).complete


def test_every_legal_move_is_a_candidate() -> None:
    answer = hint(START, count=10**6, budget=Budget(seconds=None, work=200))
    want = {json.dumps(state.dump_move(move)) for move in rules.moves(START)}
    assert {json.dumps(found.move) for found in answer.hints} == want
    assert answer.details["candidates"] == len(want)
    assert all(found.reason for found in answer.hints)


def test_every_move_has_a_value_with_its_error() -> None:
    answer = hint(START, count=10**6, budget=Budget(seconds=None, work=8000))
    values = [float(found.value or 0) for found in answer.hints]
    assert values == sorted(values)
    assert answer.hints[0].loss == 0
    for found, value in zip(answer.hints, values, strict=True):
        assert found.standard_error is not None
        assert found.standard_error > 0
        assert found.loss == pytest.approx(value - values[0], abs=2e-3)
    assert all(found.details["loss_error"] > 0 for found in answer.hints[1:])
    assert any(found.details["games"] for found in answer.hints)
    assert answer.details["clear"] is False


def test_values_are_what_games_by_hints_end_with() -> None:
    budget = Budget(seconds=None, work=1500, seed=3)
    now, gaps = rules.position(START), []
    for number in range(4):
        rolls = deal(State(START.edition), seed=21, number=number)
        value = rank(Turn(now, rolls[0]), meter=Meter(budget=budget)).moves[0].value
        gaps.append(play(now, rolls, hinted(budget), known=0, rolled_too=True) - value)
    assert abs(sum(gaps)) / len(gaps) < 2


def test_the_same_seed_and_work_give_the_same_hints() -> None:
    first, second = (dump(hint(START, count=50, budget=WORK).hints) for _ in range(2))
    assert first == second


def test_later_rolls_that_are_known_are_used() -> None:
    known = State(shipped("synthetic-a"), roll=4, rolls=(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4))
    turn = Turn(rules.position(known), 4, known.rolls)
    work = Budget(seconds=None, work=6000)
    assert futures(turn.rolls, 11, seed=1)(0) == futures(turn.rolls, 11, seed=1)(9) == known.rolls
    assert rank(turn, meter=Meter(budget=work)).moves[0].value < 12


def test_nearly_finished_games_are_exact() -> None:
    chance = random.Random(2)
    given = START
    while len(given.history) < 9:
        given = rules.apply(given, chance.choice(list(rules.moves(given))))
    given = state.State(given.edition, (), given.history, 2)
    answer = hint(given, count=3, budget=Budget(seconds=None, work=200_000))
    assert answer.exact
    assert answer.hints[0].standard_error is None
    assert answer.details["clear"] == (answer.hints[1].loss != 0)
    assert answer.stopped_by is None


def test_every_choice_of_hexagons_is_a_candidate() -> None:
    fresh = State(shipped("synthetic-a"))
    answer = hint(fresh, count=10**6, budget=Budget(seconds=None, work=6000))
    hexagons = fresh.edition.hexagons.bit_count()
    assert answer.details["candidates"] == sum(comb(hexagons, size) for size in range(4))
    assert len({json.dumps(found.move) for found in answer.hints}) == len(answer.hints)
    assert len(answer.hints) == answer.details["candidates"]
    assert len(answer.hints[0].move["prefill"]) == 3
    assert all((found.standard_error or 0) > 0 for found in answer.hints)
    for found in answer.hints[::700]:
        assert rules.check(fresh, state.load_move(Node(found.move), fresh)).legal


def test_pockets_are_named() -> None:
    answer = hint(START, count=10**6, budget=Budget(seconds=None, work=4000))
    assert any("good endings found hold" in found.reason for found in answer.hints)
    named = 0
    for found in answer.hints:
        if not found.cells:
            continue
        left = [cell for cell in START.edition.cells if cell not in found.cells]
        too_small = [group for group in regions(HEX, left) if len(group) < 4]
        named += bool(too_small)
        assert ("pocket" in found.reason) >= bool(too_small), found.reason
        for group in too_small:
            assert f"{len(group)} at {list(group[0])}" in found.reason
    assert named


def test_refusals() -> None:
    edition = shipped("synthetic-a")
    with pytest.raises(InputError, match="no roll is known"):
        hint(State(edition, history=(CrossOut("A", 6),)), count=1, budget=WORK)
    with pytest.raises(InputError, match="before the start"):
        hint(State(edition, history=(CrossOut("A", 6),)), count=1, budget=WORK, prefill=True)
    with pytest.raises(InputError, match="4 was rolled, not 5"):
        hint(START, count=1, budget=WORK, roll=5)
    with pytest.raises(IllegalState):
        hint(State(edition, history=(CrossOut("A", 6),) * 2, roll=1), count=1, budget=WORK)
    assert hint(State(edition), count=1, budget=WORK, roll=5).hints[0].move["roll"] == 5


def test_greedy_takes_contact_then_few_pockets() -> None:
    now = Position.start(shipped("synthetic-b"))
    turn = Turn(now, 3)
    chosen = greedy(turn)
    draws = list(now.lays(now.drawable(3)))
    most = max(now.contact(mask) for _, mask in draws)
    assert now.contact(chosen[1]) == most
    closest = [draw for draw in draws if now.contact(draw[1]) == most]
    assert len(now.laid(chosen).regions) == min(len(now.laid(draw).regions) for draw in closest)


def test_hints_beat_greedy_in_the_same_games() -> None:
    hinting = hinted(Budget(seconds=None, work=400))
    now = rules.position(START)
    gaps = []
    for number in range(3):
        rolls = deal(State(START.edition), seed=11, number=number)
        scores = [
            play(now, rolls, player, known=0, rolled_too=True) for player in (greedy, hinting)
        ]
        gaps.append(scores[0] - scores[1])
    assert sum(gaps) > 0


def test_simulations_repeat_and_nobody_beats_the_optimum() -> None:
    asked: dict[str, Any] = {"games": 2, "policies": ("random", "greedy", "hint"), "effort": 150}
    first, second = (
        dump(simulate(None, budget=Budget(seconds=None, seed=4), **asked)) for _ in range(2)
    )
    first.pop("seconds")
    second.pop("seconds")
    assert first == second
    assert [entry["games"] for entry in first["policies"]] == [2, 2, 2]
    for policy in ("random", "greedy", "hint"):
        assert first["above_optimum"][policy]["mean"] >= 0


def test_a_simulation_cut_short_says_so() -> None:
    found = simulate(None, games=5, policies=("greedy",), budget=Budget(seconds=None, work=5))
    assert found.stopped_by == "work"
    assert found.policies[0].games == 2


def test_simulation_begins_where_the_state_stands() -> None:
    edition = shipped("synthetic-a")
    given = State(edition, history=tuple(CrossOut(p.name, 1) for p in edition.pieces[:11]))
    found = simulate(given, games=2, policies=("random",), budget=Budget(seconds=None))
    assert found.policies[0].mean >= found.optimum["mean"]
    assert found.optimum["mean"] > 60


def test_hints_in_a_simulation_end_with_its_time() -> None:
    table = simulate(
        None, games=1, policies=["hint"], budget=Budget(seconds=0.2), hint_seconds=1e100
    )
    assert (table.stopped_by, table.policies) == ("time", ())
