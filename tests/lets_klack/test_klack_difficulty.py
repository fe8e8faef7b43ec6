"""Difficulty of deals: against the explicit graph, and the same from every side."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.difficulty import difficulty
from tilesolve_models.lets_klack.explicit import state_graph
from tilesolve_models.lets_klack.position import Covering, Pass
from tilesolve_models.lets_klack.reach import Reach, reach
from tilesolve_models.lets_klack.views import views

WORK = Budget(seconds=None, work=5_000_000)


def meter() -> Meter:
    return Meter(budget=WORK)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cover", ["automatic", "separate"])
def test_states_and_dead_ends_are_those_of_the_explicit_graph(seed: int, cover: Covering) -> None:
    state = deal(seed, width=2)
    state = replace(state, rules=replace(state.rules, cover=cover))
    graph = state_graph(state, meter=meter())
    assert graph is not None
    stuck = sum(
        bool(each.blocks) and all(isinstance(move, Pass) for move in rules.moves(each))
        for each in graph
    )
    assert reach(state, meter=meter()) == Reach(len(graph), stuck)


@pytest.mark.parametrize("closed", [False, True])
def test_a_deal_is_as_hard_from_every_side(closed: bool) -> None:
    state = deal(3, width=2)
    state = replace(state, rules=replace(state.rules, jump_covered=not closed))
    seen = [difficulty(view, budget=WORK, games=2) for view in views(state)]
    assert len(seen) == 8
    assert all(each.measures == seen[0].measures for each in seen)
    assert all(each.grade == seen[0].grade for each in seen)


def test_views_are_legal_and_come_back() -> None:
    state = deal(5)
    for view in views(state):
        assert rules.check(view).legal
        assert state in set(views(view))


def test_the_fewest_moves_are_the_published_ones() -> None:
    deals = json.loads(Path(__file__).with_name("deals.json").read_text("utf-8"))["deals"]
    state = rules.load(Node(deals[0]["state"]))
    answer = difficulty(state, budget=WORK, games=1)
    assert answer.measures["needed"] == deals[0]["moves"]


def test_every_step_of_a_shortest_line_has_a_good_move() -> None:
    answer = difficulty(deal(1), budget=WORK, games=1)
    measures = answer.measures
    assert measures["needed"] == measures["alone"] + measures["detours"]
    assert len(measures["good_moves"]) == measures["needed"]
    assert all(0 < share <= 1 for share in measures["good_moves"].values())


def test_weights_of_ones_own() -> None:
    state = deal(3, width=2)
    answer = difficulty(state, budget=WORK, games=1, weights=Node({"length": 0, "detours": 0}))
    assert answer.details["weights"]["length"] == 0
    with pytest.raises(InputError, match="unknown field 'luck'"):
        difficulty(state, budget=WORK, weights=Node({"luck": 1}))
