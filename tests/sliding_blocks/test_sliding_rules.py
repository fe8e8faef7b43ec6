"""The rules: what is legal, what each violation says, how moves are counted."""

from collections import deque
from typing import Any

import pytest

from tilesolve.answers import Verdict
from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks import boards, model, rules
from tilesolve_models.sliding_blocks.hints import hint
from tilesolve_models.sliding_blocks.rules import State

BUDGET = Budget(seconds=None)


def puzzle(board: str, **fields: Any) -> State:
    return boards.load(Node({"game": "sliding-blocks", "board": board, **fields}))


def said(verdict: Verdict) -> list[tuple[str, str]]:
    return [(violation.code, violation.rule) for violation in verdict.violations]


def tried(state: State, block: str, *path: str) -> Verdict:
    return rules.check(state, boards.load_move(Node({"block": block, "path": list(path)}), state))


def test_every_fault_of_a_board_is_told_at_once() -> None:
    blocks = [
        {"name": "A", "cells": [[0, 0], [0, 1]]},
        {"name": "B", "cells": [[0, 1], [1, 1]]},
        {"name": "C", "cells": [[1, 2], [1, 3]]},
        {"name": "D", "cells": [[2, 0], [2, 2]]},
        {"name": "E", "cells": [[-1, 0]]},
    ]
    verdict = rules.check(puzzle("...#/..#./....", blocks=blocks))
    assert said(verdict) == [
        ("overlap", "SB2"),
        ("on-wall", "SB1"),
        ("scattered", "SB3"),
        ("outside", "SB1"),
    ]
    assert verdict.violations[0].pieces == ("A", "B")
    assert verdict.violations[0].cells == ((0, 1),)


@pytest.mark.parametrize(
    ("block", "path", "expected"),
    [
        ("A", ["right"], [("blocked", "SB4")]),
        ("A", ["down"], []),
        ("A", ["down", "right", "right"], [("wall", "SB4")]),
        ("A", ["up"], [("edge", "SB6")]),
        ("B", ["down"], [("wrong-axis", "SB5"), ("wall", "SB4")]),
        ("B", ["right"], []),
        ("Z", ["right"], [("no-such-block", "SB4")]),
    ],
)
def test_moves(block: str, path: list[str], expected: list[tuple[str, str]]) -> None:
    state = puzzle("ABB./..#.", axis={"B": "horizontal"})
    assert said(tried(state, block, *path)) == expected


def test_no_wall_is_named_where_only_the_axis_forbids_a_step() -> None:
    state = puzzle("A/.", axis={"A": "horizontal"})
    assert said(tried(state, "A", "down")) == [("wrong-axis", "SB5")]


def test_a_blocked_move_names_who_is_in_the_way() -> None:
    (violation,) = tried(puzzle("ABC/..."), "A", "right").violations
    assert violation.pieces == ("A", "B")
    assert violation.cells == ((0, 1),)


def test_a_move_by_its_end_finds_its_way_or_none() -> None:
    state = puzzle("AB./...")
    move = boards.load_move(Node({"block": "A", "to": [0, 2]}), state)
    assert move.path == ("down", "right", "right", "up")
    stuck = boards.load_move(Node({"block": "A", "to": [0, 1]}), state)
    assert said(rules.check(state, stuck)) == [("no-way", "SB4")]
    assert boards.load_move(Node(boards.dump_move(stuck)), state) == stuck


def test_the_first_illegal_move_made_is_told_with_its_number() -> None:
    moves = [{"block": "A", "path": ["right"]}, {"block": "A", "path": ["right", "right"]}]
    verdict = rules.check(puzzle("A..", moves=moves))
    (violation,) = verdict.violations
    assert violation.message.startswith("move 2: ")
    assert violation.rule == "SB6"


def test_a_line_counts_the_same_however_it_is_cut() -> None:
    whole = puzzle("A../...", moves=[{"block": "A", "path": ["right", "right", "down"]}])
    cut = puzzle(
        "A../...", moves=[{"block": "A", "path": step} for step in ("right", "right", "down")]
    )
    for state in (whole, cut):
        assert rules.check(state).details["made"] == {"steps": 3, "lines": 2, "moves": 1}


def test_questions_are_asked_of_the_position_after_the_moves() -> None:
    made = [{"block": "A", "path": ["down"]}]
    state = puzzle("AB/..", goal="A at 1,1", moves=made)
    best = model.best(state, budget=BUDGET)
    assert (best.score, best.line) == (1, ({"block": "A", "path": ["right"]},))


def test_a_concave_block_slides_over_cells_it_held_itself() -> None:
    state = puzzle("A.A.../AAA...", goal="A at 0,3", metric="lines")
    assert model.best(state, budget=BUDGET).score == 1


def test_rush_hour_cars_keep_to_their_axis() -> None:
    state = boards.load(Node("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"))
    assert said(tried(state, "A", "down"))[0] == ("wrong-axis", "SB5")
    assert {state.blocks[name].axis for name in "ABDEFGH"} == {"horizontal"}
    assert {state.blocks[name].axis for name in "IJKLM"} == {"vertical"}


LEAVING = [
    ("AA./.B.", {"goal": "A leaves right"}),
    ("AA./B../CC.", {"goal": "A leaves bottom through 1,2"}),
    ("AB/A./..", {"goal": "A leaves right through 1; B leaves left"}),
    ("A#/B.", {"goal": {"any": ["A", "B"], "leaves": "bottom"}}),
    ("AAB/..B", {"goal": "B leaves top", "axis": "along"}),
    ("AB", {"goal": "A leaves right; B leaves right"}),
    ("A.B/...", {"goal": "A leaves right; B leaves left"}),
]


@pytest.mark.parametrize("metric", ["moves", "lines", "steps"])
@pytest.mark.parametrize(("board", "fields"), LEAVING)
def test_blocks_that_leave_against_a_search_over_the_rules(
    board: str, fields: dict[str, Any], metric: str
) -> None:
    state = puzzle(board, metric=metric, **fields)
    far = distances(state)
    done = [distance for there, distance in far.values() if there.done]
    best = model.best(state, budget=BUDGET)
    assert best.score == min(done, default=None)
    count = model.count(state, budget=BUDGET)
    assert count.raw == len(far)
    assert count.details["goal_states"] == len(done)
    for one in hint(state, count=99, budget=BUDGET).hints:
        after = rules.apply(state, boards.load_move(Node(one.move), state))
        assert one.value == min(
            (distance for there, distance in distances(after).values() if there.done)
        )


def distances(state: State) -> dict[Any, tuple[State, int]]:
    """Walk the positions by `rules.moves` and `rules.apply` alone."""

    def key(state: State) -> Any:
        return frozenset(
            ("AB".find(block.name) if state.goal else 0, block.shape, block.cells)
            for block in state.blocks.values()
        )

    far = {key(state): (state, 0)}
    waiting = deque([state])
    while waiting:
        here = waiting.popleft()
        for move in rules.moves(here):
            there = rules.present(rules.apply(here, move))
            if key(there) not in far:
                far[key(there)] = (there, far[key(here)][1] + 1)
                waiting.append(there)
    return far


def test_nothing_moves_after_a_block_has_left() -> None:
    state = puzzle("AB", goal="A leaves left", moves=[{"block": "A", "path": "left"}])
    assert state.done
    assert list(rules.moves(state)) == []
    assert said(tried(state, "B", "left")) == [("over", "SB7")]


def test_a_block_outside_goes_straight_on_or_back() -> None:
    state = puzzle("A/A/.", goal="A leaves right through 0,1")
    out = rules.apply(state, boards.load_move(Node({"block": "A", "path": "right"}), state))
    assert out.done
    lone = puzzle("AA/..", goal="A leaves right", moves=[{"block": "A", "path": "right"}])
    assert said(tried(lone, "A", "down")) == [("edge", "SB6")]
    assert tried(lone, "A", "left").legal
