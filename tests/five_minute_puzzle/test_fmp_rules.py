"""FM1 to FM8: each has a violation, and an example that raises exactly it."""

from __future__ import annotations

from typing import Any

import pytest

from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle import rules, state
from tilesolve_models.five_minute_puzzle.game import GAME
from tilesolve_models.five_minute_puzzle.state import CrossOut, Draw, Prefill, State

# Row 0:  h h h h      A: h h (1)   B: h r (2)   C: b (1)   D: h h h (3)
# Row 1:   r h b h
SHEET: dict[str, Any] = {
    "lattice": "hex",
    "standard": False,
    "rows": ["h h h h", " r h b h"],
    "legend": {
        "h": {"kind": "hexagon"},
        "r": {"kind": "circle", "penalty": 3},
        "b": {"kind": "circle", "penalty": 2},
    },
    "pieces": [
        {"name": "A", "die": 1, "rows": ["h h"]},
        {"name": "B", "die": 2, "rows": ["h r"]},
        {"name": "C", "die": 1, "rows": ["b"]},
        {"name": "D", "die": 3, "rows": ["h h h"]},
    ],
}
A = {"roll": 1, "piece": "A", "cells": [[0, 0], [0, 2]]}
B = {"roll": 2, "piece": "B", "cells": [[1, 1], [1, 3]]}


def load(**fields: Any) -> State:
    return state.load(Node({"game": "five-minute-puzzle", "sheet": SHEET, **fields}))


def codes(given: State) -> list[tuple[str, str]]:
    return [(found.code, found.rule) for found in rules.check(given).violations]


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("wrong-number", "FM1", {"history": [{**A, "roll": 2}]}),
    ("no-roll", "FM1", {"history": [{"cross_out": "A"}]}),
    ("overlap", "FM2", {"history": [A, {**B, "cells": [[0, 2], [1, 1]]}]}),
    ("off-sheet", "FM2", {"history": [{**A, "cells": [[0, -2], [0, 0]]}]}),
    ("wrong-kind", "FM2", {"history": [{**A, "cells": [[0, 0], [1, 1]]}]}),
    ("wrong-shape", "FM2", {"history": [{**A, "cells": [[0, 0], [0, 4]]}]}),
    ("not-adjacent", "FM3", {"history": [A, {"roll": 1, "piece": "C", "cells": [[1, 5]]}]}),
    ("used-twice", "FM4", {"history": [{"roll": 1, "cross_out": "A"}] * 2}),
    ("no-such-piece", "FM4", {"history": [{"roll": 1, "cross_out": "Z"}]}),
    (
        "crossed-rolled",
        "FM5",
        {"history": [{"roll": 1, "cross_out": "A"}], "rules": {"forgo_may_cross_rolled": False}},
    ),
    (
        "after-the-end",
        "FM6",
        {
            "history": [
                {"roll": 1, "piece": "A", "cells": [[0, 2], [0, 4]]},
                {"roll": 1, "piece": "C", "cells": [[1, 5]]},
                {"roll": 2, "piece": "B", "cells": [[1, 1], [1, 3]]},
                {"roll": 3, "cross_out": "D"},
            ]
        },
    ),
    ("wrong-penalty", "FM7", {"penalty": 5}),
    ("too-many-prefilled", "FM8", {"prefilled": [[0, 0], [0, 2], [0, 4], [0, 6]]}),
    ("prefilled-circle", "FM8", {"prefilled": [[1, 1]]}),
    ("prefilled-off-sheet", "FM8", {"prefilled": [[5, 5]]}),
    ("not-adjacent-expert", "FM8", {"prefilled": [[0, 6]], "history": [A]}),
]


@pytest.mark.parametrize(("code", "rule", "fields"), CASES)
def test_raises_exactly_this(code: str, rule: str, fields: dict[str, Any]) -> None:
    assert codes(load(**fields)) == [(code, rule)]


def test_every_rule_has_an_example() -> None:
    assert {rule for _, rule, _ in CASES} == {f"FM{number}" for number in range(1, 9)}


def test_all_broken_rules_come_at_once() -> None:
    given = load(
        history=[{**A, "roll": 2, "cells": [[0, 0], [1, 1]]}, {**A, "cells": [[0, 4], [0, 6]]}],
        prefilled=[[1, 5]],
        penalty=99,
    )
    assert [code for code, _ in codes(given)] == [
        "prefilled-circle",
        "wrong-number",
        "wrong-kind",
        "not-adjacent-expert",
        "used-twice",
        "wrong-penalty",
    ]


def test_a_piece_taken_away_is_felt_by_the_later_ones() -> None:
    bridge = {"roll": 2, "piece": "B", "cells": [[1, 1], [1, 3]]}
    last = {"roll": 1, "piece": "C", "cells": [[1, 5]]}
    assert codes(load(history=[A, bridge, last])) == []
    assert codes(load(history=[A, last])) == [("not-adjacent", "FM3")]


def test_a_piece_moved_earlier_is_felt_by_the_later_ones() -> None:
    last = {"roll": 2, "piece": "B", "cells": [[1, 1], [1, 3]]}
    moved = {**A, "cells": [[0, 4], [0, 6]]}
    assert codes(load(history=[A, last])) == []
    assert codes(load(history=[{**moved, "cells": [[0, 6], [1, 7]]}, last])) == [
        ("not-adjacent", "FM3")
    ]


def test_any_piece_when_both_of_the_number_are_gone() -> None:
    gone = [{"roll": 1, "cross_out": "A"}, {"roll": 1, "cross_out": "C"}]
    third = {"roll": 1, "piece": "D", "cells": [[0, 0], [0, 2], [0, 4]]}
    assert codes(load(history=[*gone, third])) == []
    assert codes(load(history=[gone[0], third])) == [("wrong-number", "FM1")]


def test_the_rolled_piece_may_be_crossed_out_when_nothing_else_is_left() -> None:
    history = [{"roll": 1, "cross_out": "B"}, {"roll": 1, "cross_out": "D"}]
    strict = {"forgo_may_cross_rolled": False}
    assert codes(load(history=[*history, {"roll": 1, "cross_out": "A"}], rules=strict)) == []


def test_who_is_stuck_keeps_crossing_out_where_it_never_ends() -> None:
    _, _, fields = next(case for case in CASES if case[0] == "after-the-end")
    given = load(**fields, rules={"end_on_stuck": "never"})
    assert codes(given) == []
    assert rules.check(given).complete
    shorter = load(history=fields["history"][:3], rules={"end_on_stuck": "never"})
    assert not rules.check(shorter).complete
    assert [move for move in rules.moves(shorter) if isinstance(move, Draw)] == []
    assert rules.check(load(history=fields["history"][:3])).complete


def test_moves_of_the_check() -> None:
    given = load(roll=1)
    assert rules.check(given, Draw("A", ((0, 0), (0, 2)))).legal
    assert [v.code for v in rules.check(given, CrossOut("A", 2)).violations] == ["wrong-roll"]
    assert [v.code for v in rules.check(load(), CrossOut("A")).violations] == ["no-roll"]
    late = rules.check(load(history=[A]), Prefill(((0, 6),)))
    assert [v.code for v in late.violations] == ["prefill-too-late"]


def test_legal_moves_are_all_that_check_allows() -> None:
    given = load(history=[A], roll=1, rolls=[2, 3])
    listed = list(rules.moves(given))
    # A circle is a circle: the blue one of C may lie on the red one that A touches.
    assert [move for move in listed if isinstance(move, Draw)] == [Draw("C", ((1, 1),), 1)]
    assert {move.piece for move in listed} == {"B", "C", "D"}
    after = rules.apply(given, listed[0])
    assert (after.roll, after.rolls) == (2, (3,))
    assert all(rules.check(given, move).legal for move in listed)


def test_penalty_counts_cells_and_regions() -> None:
    assert rules.check(load()).score == 6 * 1 + 3 + 2 + 1
    middle = load(history=[{"roll": 3, "piece": "D", "cells": [[0, 2], [0, 4], [1, 3]]}])
    # Wrong shape, and still counted as it lies: the corner and the circle, and the rest.
    assert rules.check(middle).score == 3 * 1 + 3 + 2 + 2


def test_mirrored_and_turned_pieces_are_the_same_shape() -> None:
    assert codes(load(history=[{**A, "cells": [[0, 2], [1, 3]]}])) == []
    assert codes(load(history=[{**B, "cells": [[0, 2], [1, 1]]}])) == []


BAD: list[tuple[dict[str, Any], str]] = [
    ({"roll": 7}, "$.roll: expected a whole number from 1 to 6, found 7"),
    ({"rolls": [1, 0]}, "$.rolls[1]: expected a whole number from 1 to 6, found 0"),
    ({"history": [{**A, "roll": 7}]}, "$.history[0].roll: expected a whole number from 1 to 6"),
    ({"history": [{"roll": 1}]}, "$.history[0]: the field 'piece' is missing"),
    ({"history": [{**A, "cross_out": "A"}]}, "draws a piece or crosses one out, not both"),
    ({"history": [{**A, "cells": [[0, 0], [0, 0]]}]}, "a cell stands here twice"),
    ({"history": [{**A, "cells": []}]}, "$.history[0].cells: expected of at least 1 elements"),
    ({"history": 3}, "$.history: expected a list, found 3"),
    ({"rules": {"end_on_stuck": "maybe"}}, "expected one of 'all', 'player', 'never'"),
    ({"rules": {"finish": 1}}, "unknown field 'finish'"),
    ({"sheet": "side-a"}, "expected one of 'synthetic-a', 'synthetic-b'"),
    ({"prefilled": [[1]]}, "expected a cell [row, column]"),
    ({"prefilled": [[10**9, 0]]}, "$.prefilled[0][0]: expected a whole number from"),
]


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_bad_states_get_one_sentence(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(**fields)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_states_and_moves_read_back_as_they_were_written() -> None:
    given = load(history=[A, {"roll": 5, "cross_out": "B"}], roll=4, rolls=[1, 2], prefilled=[])
    assert state.load(Node(state.dump(given))) == given
    named = state.load(Node({"game": "five-minute-puzzle", "sheet": "synthetic-b", "roll": 2}))
    assert state.dump(named)["sheet"] == "synthetic-b"
    prefill = {"prefill": [[0, 0]]}
    assert state.dump_move(state.load_move(Node(prefill), given)) == prefill


def test_apply_refuses_nothing_and_changes_nothing() -> None:
    given = load(roll=1)
    before = GAME.dump(given)
    rules.apply(given, Draw("A", ((0, 0), (0, 2))))
    assert GAME.dump(given) == before
