"""Hints: every legal move once, each value as best says after it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.lets_klack import model, rules
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.hints import hint
from tilesolve_models.lets_klack.position import Rules, State

DEALS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("deals.json").read_text())[
    "deals"
]
FREE = Budget(seconds=None)


def _after(state: State, written: Any) -> State:
    return rules.apply(state, rules.load_move(Node(written), state))


@pytest.mark.parametrize("given", DEALS[1:4])
def test_values_are_what_best_says_after_the_move(given: dict[str, Any]) -> None:
    state = rules.load(Node(given["state"]))
    hints = hint(state, count=99, budget=FREE)
    assert hints.exact
    assert len(hints.hints) == len(list(rules.moves(state)))
    for each in hints.hints:
        after = model.best(_after(state, each.move), budget=FREE)
        assert each.value == each.details["needed"] == after.score
        assert each.details["by_moves"] == after.details["by_moves"]
        assert each.loss == 1 + (after.score or 0) - given["moves"]
    losses = [each.loss or 0 for each in hints.hints]
    assert losses == sorted(losses)
    assert losses[0] == 0


def test_points_within_some_moves() -> None:
    state = rules.load(Node(DEALS[0]["state"]))
    hints = hint(state, count=3, budget=FREE, moves=5)
    assert hints.unit == model.POINTS
    assert hints.hints[0].value == DEALS[0]["by_moves"][5]
    for each in hints.hints:
        after = _after(state, each.move)
        assert each.value == model.best(after, budget=FREE, moves=4).score
        assert each.details["needed"] == model.best(after, budget=FREE, table=False).score
        assert f"{each.details['needed']} moves to go" in each.reason


def test_the_last_turn_saves_most_points() -> None:
    for number in (0, 3, 9):
        state = replace(rules.load(Node(DEALS[number]["state"])), turns_left=1)
        first = hint(state, count=1, budget=FREE).hints[0]
        saved = {move: rules.apply(state, move).minus_points for move in rules.moves(state)}
        assert first.value == min(saved.values())
        assert _after(state, first.move).minus_points == first.value


def test_a_reason_names_the_block_and_what_it_clears() -> None:
    hints = hint(deal(4), count=99, budget=FREE).hints
    (found,) = [each for each in hints if each.move == {"block": 2, "to": [2, -1]}]
    assert "block 2" in found.reason
    assert "clears [2, 1] for block 3" in found.reason
    assert "at best 73, 65, 55 minus points after 1, 2, 3 of them" in found.reason
    assert found.cells == ((2, 1), (2, -1))


def test_stuck_blocks_that_must_be_moved_are_ranked_by_points() -> None:
    state = State(
        cards=((1, 2), (3,), (4, 5)),
        blocks=((3, (0, -1)), (4, (0, 1)), (5, (2, 1))),
        covered=(1, 2),
        rules=Rules(must_continue=True, jump_covered=False),
    )
    hints = hint(state, count=99, budget=FREE)
    best = model.best(state, budget=FREE)
    assert (best.proof, hints.unit) == ("infeasible", model.POINTS)
    assert hints.hints[0].value == best.details["leftover"]["minus_points"]


def test_special_cards_are_moves_like_others() -> None:
    state = replace(deal(21), specials=("swap", "again"))
    best = model.best(state, budget=FREE, table=False)
    hints = hint(state, count=99, budget=FREE)
    assert hints.hints[0].loss == 0
    first = _after(state, hints.hints[0].move)
    after = model.best(first, budget=FREE, table=False)
    assert after.score == hints.hints[0].value
    free = {"swap", "again"} & set(hints.hints[0].move)
    assert (after.score or 0) + (not free) == best.score


def test_where_not_everything_can_be_covered_points_are_ranked() -> None:
    state = deal(1, options=Rules(jump_covered=False, cover="optional"))
    hints = hint(state, count=99, budget=FREE)
    assert hints.unit == model.POINTS
    least = model.best(state, budget=FREE).details["leftover"]["minus_points"]
    assert hints.hints[0].value == least


def test_no_moves_no_hints() -> None:
    done = State(cards=((1,),), covered=(1,))
    hints = hint(done, count=3, budget=FREE)
    assert (hints.hints, hints.exact) == ((), True)
    assert hints.reasons[0].code == "over"


def test_phase_1_has_nothing_to_decide() -> None:
    hints = hint(deal(1, phase=1), count=3, budget=FREE)
    assert list(hints.hints[0].move) == ["turn_up"]


def test_a_hint_cut_short_says_so() -> None:
    hints = hint(deal(5), count=99, budget=Budget(seconds=None, work=50))
    assert not hints.exact
    assert hints.stopped_by == "work"
