"""Every rule NY1 to NY7 by an example that breaks it and nothing else."""

import copy
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle import rules
from tilesolve_models.new_year_puzzle.simulation import new
from tilesolve_models.new_year_puzzle.state import Flip, Memory, State, dump, load, load_move

PRIZE = {"points": 3}
ENDING = {"points": 1, "no_extra_move": True}
ASKING = {"points": 2, "condition": "it snows", "bonus": 4, "others": 1}
STATE: dict[str, Any] = {
    "game": "new-year-puzzle",
    "size": [4, 5],
    "open": [[0, 0], [0, 4], [3, 0], [3, 4], [0, 1]],
    "known": [{"at": [2, 3], "home": [0, 2]}, {"at": [1, 1], "home": [2, 2]}],
    "prizes": [PRIZE, PRIZE, ENDING, ASKING],
    "players": [{"name": "A", "points": 5}, {"name": "B", "points": 2}, {"name": "C"}],
    "to_move": "A",
}


def _state(**changes: Any) -> State:
    return load(Node({**copy.deepcopy(STATE), **changes}))


def _codes(state: State, move: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    read = None if move is None else load_move(Node(move), state)
    return [(each.rule, each.code) for each in rules.check(state, read).violations]


def _played(state: State, *flips: dict[str, Any]) -> State:
    for flip in flips:
        assert _codes(state, flip) == []
        state = rules.apply(state, load_move(Node(flip), state))
    return state


@pytest.mark.parametrize(
    ("rule", "code", "cells", "changes"),
    [
        ("NY1", "outside", [(4, 0)], {"open": [*STATE["open"], [4, 0]]}),
        ("NY1", "card-twice", [(0, 1)], {"open": [*STATE["open"], [0, 1]]}),
        ("NY1", "corner-not-open", [(0, 0)], {"open": STATE["open"][1:4], "known": []}),
        ("NY4", "unreachable-region", [(2, 2)], {"open": [*STATE["open"], [2, 2]], "known": []}),
        ("NY4", "unreachable-region", [(1, 2), (1, 3), (2, 2)], {
            "open": [*STATE["open"], [2, 2], [1, 2], [1, 3]], "known": []}),
        ("NY1", "card-twice", [(1, 1), (2, 3)], {"known": [
            {"at": [1, 1], "home": [0, 2]}, {"at": [2, 3], "home": [0, 2]}]}),
        ("NY1", "place-twice", [(1, 1)], {"known": [
            {"at": [1, 1], "home": [0, 2]}, {"at": [1, 1], "home": [0, 3]}]}),
        ("NY1", "outside", [(9, 9)], {"known": [{"at": [1, 1], "home": [9, 9]}]}),
        ("NY4", "known-on-open", [(0, 1)], {"known": [{"at": [0, 1], "home": [1, 1]}]}),
        ("NY4", "known-is-open", [(1, 1)], {"known": [{"at": [1, 1], "home": [0, 1]}]}),
    ],
)  # fmt: skip
def test_a_corrupted_state_breaks_one_rule(
    rule: str, code: str, cells: list[Any], changes: Any
) -> None:
    found = rules.check(_state(**changes)).violations
    assert [(each.rule, each.code) for each in found] == [(rule, code)]
    assert sorted(found[0].cells) == cells


@pytest.mark.parametrize(
    ("rule", "code", "move"),
    [
        ("NY2", "already-open", {"flip": [0, 1]}),
        ("NY2", "outside", {"flip": [0, 9]}),
        ("NY2", "out-of-turn", {"flip": [2, 1], "by": "B"}),
        ("NY3", "false-success", {"flip": [2, 1], "home": [1, 2], "success": True}),
        ("NY3", "false-success", {"flip": [1, 1], "success": True}),
        ("NY3", "false-success", {"flip": [2, 2], "home": [1, 2], "success": True}),
        ("NY3", "memory-contradicted", {"flip": [2, 3], "home": [1, 0], "success": True}),
        ("NY3", "card-elsewhere", {"flip": [2, 1], "home": [0, 2], "success": True}),
        ("NY4", "false-failure", {"flip": [2, 3], "success": False}),
        ("NY4", "false-failure", {"flip": [1, 0], "home": [1, 0], "success": False}),
        ("NY4", "prize-without-success", {"flip": [1, 1], "success": False, "prize": PRIZE}),
        ("NY1", "card-twice", {"flip": [2, 1], "home": [0, 1], "success": True}),
        ("NY1", "outside", {"flip": [2, 1], "home": [0, 5], "success": True}),
        ("NY5", "prize-not-in-stack", {"flip": [2, 3], "success": True, "prize": {"points": 9}}),
        ("NY5", "no-condition", {"flip": [2, 3], "success": True, "prize": PRIZE, "met": True}),
    ],
)
def test_a_wrong_flip_breaks_one_rule(rule: str, code: str, move: Any) -> None:
    assert _codes(_state(), move) == [(rule, code)]


def test_an_empty_stack_brings_no_prize_and_the_extra_move_stays() -> None:
    state = _state(prizes=[])
    move = {"flip": [2, 3], "success": True}
    assert _codes(state, {**move, "prize": PRIZE}) == [("NY6", "stack-empty")]
    after = _played(state, move)
    assert after.to_move == "A"
    assert after.players == state.players


def test_a_stack_is_made_anew_only_by_the_option() -> None:
    changes = {"prizes": {"cards": [], "taken": [PRIZE]}}
    move = {"flip": [2, 3], "success": True, "prize": PRIZE}
    assert _codes(_state(**changes), move) == [("NY6", "stack-empty")]
    after = _played(_state(**changes, rules={"reshuffle_prizes": True}), move)
    assert after.players[0].points == 8


def test_nobody_flips_after_the_picture_is_complete() -> None:
    everything = [[row, column] for row in range(4) for column in range(5)]
    state = _state(open=everything, known=[])
    verdict = rules.check(state)
    assert verdict.complete
    assert verdict.details["winners"] == ["A"]
    assert _codes(state, {"flip": [1, 1]}) == [("NY7", "game-over")]


def test_ties_are_shared() -> None:
    everything = [[row, column] for row in range(4) for column in range(5)]
    players = [{"name": "A", "points": 4}, {"name": "B", "points": 4}, {"name": "C"}]
    verdict = rules.check(_state(open=everything, known=[], players=players))
    assert verdict.details["winners"] == ["A", "B"]


@pytest.mark.parametrize(
    ("rule", "code", "history"),
    [
        ("NY3", "turn-passes", [{"flip": [1, 1], "by": "A"}, {"flip": [2, 3], "by": "A"}]),
        ("NY4", "moves-again", [{"flip": [2, 3], "prize": PRIZE, "by": "A"},
                                {"flip": [1, 1], "by": "B"}]),
        ("NY5", "extra-move-forbidden", [{"flip": [2, 3], "prize": ENDING, "by": "A"},
                                         {"flip": [1, 1], "by": "A"}]),
        ("NY3", "false-success", [{"flip": [2, 3], "prize": PRIZE},
                                  {"flip": [1, 1], "success": True}]),
        ("NY3", "memory-contradicted", [{"flip": [1, 3], "home": [1, 3], "success": False},
                                        {"flip": [1, 3], "home": [1, 0], "success": True}]),
        ("NY5", "prize-not-in-stack", [{"flip": [2, 3], "prize": ENDING},
                                       {"flip": [1, 0], "home": [0, 3], "prize": ENDING}]),
        ("NY2", "already-open", [{"flip": [2, 3]}, {"flip": [0, 2]}]),
        ("NY2", "home-missing", [{"flip": [2, 3]}, {"flip": [2, 1], "success": True}]),
    ],
)  # fmt: skip
def test_a_corrupted_history_breaks_one_rule(rule: str, code: str, history: Any) -> None:
    state = _state(history=history)
    assert _codes(state) == [(rule, code)]
    assert "flip 2 of the history" in rules.check(state).violations[0].message


def test_a_failure_after_an_unnamed_prize_may_be_anybodys_guess() -> None:
    """The prize is not on record and may have ended the turn: both are legal."""
    first = {"flip": [2, 3], "success": True, "by": "A"}
    for mover in ("A", "B"):
        assert _codes(_state(history=[first, {"flip": [1, 1], "by": mover}])) == []
    assert _codes(_state(history=[first, {"flip": [1, 1], "by": "C"}])) != []


def test_points_bonus_and_what_others_lose() -> None:
    met = _played(_state(), {"flip": [2, 3], "prize": ASKING, "met": True})
    assert [player.points for player in met.players] == [11, 1, -1]
    unmet = _played(_state(), {"flip": [2, 3], "prize": ASKING})
    assert [player.points for player in unmet.players] == [7, 2, 0]
    assert met.to_move == "A"


def test_a_prize_that_forbids_the_extra_move_passes_the_turn() -> None:
    after = _played(_state(), {"flip": [2, 3], "prize": ENDING})
    assert after.to_move == "B"
    assert (0, 2) in after.open


def test_what_was_known_of_a_displaced_card_travels_with_it() -> None:
    """The card of [1, 1]'s home is laid where a remembered card lay; that one moves over."""
    state = _state(known=[{"at": [2, 3], "home": [1, 1]}, {"at": [1, 1], "home": [2, 2]}])
    after = _played(state, {"flip": [2, 3], "success": True})
    assert [(each.at, each.home) for each in after.known] == [((2, 3), (2, 2))]


def test_a_failed_flip_is_seen_by_all_and_stays() -> None:
    after = _played(_state(), {"flip": [2, 1], "home": [1, 2], "success": False})
    assert [(each.at, each.home) for each in after.known][-1] == ((2, 1), (1, 2))
    assert after.to_move == "B"


def test_a_card_that_lies_in_its_home_may_fail_or_need_no_exchange() -> None:
    failed = _played(_state(), {"flip": [1, 3], "home": [1, 3], "success": False})
    assert failed.known[-1].at == failed.known[-1].home == (1, 3)
    laid = _played(_state(), {"flip": [1, 0], "home": [1, 0], "success": True})
    assert (1, 0) in laid.open
    assert laid.known == _state().known


def test_a_flip_whose_card_nobody_knows_needs_its_home() -> None:
    with pytest.raises(InputError, match="home"):
        rules.apply(_state(), Flip(flip=(2, 1)))


def test_a_result_may_stand_in_a_field_of_its_own() -> None:
    state = _state()
    inside = load_move(Node({"flip": [2, 3], "result": {"home": [0, 2], "success": True}}), state)
    beside = load_move(Node({"flip": [2, 3], "home": [0, 2], "success": True}), state)
    assert inside == beside


@pytest.mark.parametrize("size", [(8, 8), (3, 5), (2, 7)])
def test_a_whole_game_on_record_is_refereed(size: tuple[int, int]) -> None:
    """Random flips by the layout until the picture is complete, then the record from its start."""
    start = new(seed=4, players=3, rows=size[0], columns=size[1])
    state, rng, record, successes = start, random.Random(2), list[Any](), 0
    while not rules.complete(state):
        place = rng.choice([each.flip for each in rules.moves(state)])
        home = rules.home_of(state, Flip(flip=place))
        assert home is not None
        success = rules.fits(state, home)
        successes += success
        record.append({"flip": list(place), "home": list(home), "success": success,
                       "by": state.to_move})  # fmt: skip
        state = rules.apply(state, Flip(flip=place))
    assert successes == size[0] * size[1] - 4
    data = json.loads(json.dumps(dump(start)))
    whole = load(Node({**data, "history": record}))
    assert rules.check(whole).legal
    assert rules.position(whole).players == state.players
    for number in rng.sample(range(len(record)), min(25, len(record))):
        forged = copy.deepcopy(record)
        forged[number]["success"] = not forged[number]["success"]
        found = rules.check(load(Node({**data, "history": forged}))).violations
        expected = "false-success" if forged[number]["success"] else "false-failure"
        assert [each.code for each in found] == [expected]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"size": [0, 5]}, "$.size[0]"),
        ({"size": [8]}, "$.size"),
        ({"players": []}, "$.players"),
        ({"players": [{"name": "A"}, {"name": "A"}]}, "$.players[1].name"),
        ({"to_move": "Z"}, "$.to_move"),
        ({"prizes": "real"}, "$.prizes"),
        ({"prizes": [{"points": "3"}]}, "$.prizes[0].points"),
        ({"prizes": {"cards": "synthetic", "taken": [{"points": 77}]}}, "$.prizes.taken[0]"),
        ({"prizes": {"cards": [], "left": 1}}, "$.prizes.left"),
        ({"layout": [[]]}, "$.layout"),
        ({"rules": {"reshuffle": True}}, "$.rules"),
    ],
)
def test_what_cannot_be_read_names_its_place(changes: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        _state(**changes)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("code", "change"),
    [("card-twice", (1, 1)), ("outside", (9, 9)), ("open-not-home", None)],
)
def test_a_corrupted_layout_is_one_violation(code: str, change: Any) -> None:
    data = dump(new(seed=1, rows=3, columns=4))
    layout = [[tuple(home) for home in row] for row in data["layout"]]
    if change is None:
        layout[0][0], layout[1][1] = layout[1][1], layout[0][0]
    else:
        where = next(place for place in ((1, 0), (2, 1)) if layout[place[0]][place[1]] != change)
        layout[where[0]][where[1]] = change
    state = load(Node({**data, "layout": [[list(home) for home in row] for row in layout]}))
    assert [each.code for each in rules.check(state).violations] == [code]


@pytest.mark.parametrize("seed", range(5))
def test_a_referees_state_with_one_fault_is_one_violation(seed: int) -> None:
    state, rng = new(seed=seed, players=2), random.Random(seed)
    for _ in range(20):
        state = rules.apply(state, rng.choice(list(rules.moves(state))))
    field = rules.grid(state)
    closed = field.everything & ~field.mask(state.open) & ~rules.frontier(state)
    memory, other = rng.sample(state.known, 2)
    rest = tuple(each for each in state.known if each != other)
    for code, changes in (
        ("unreachable-region", {"open": (*state.open, rng.choice(field.cells_of(closed)))}),
        ("corner-not-open", {"open": state.open[1:]}),
        ("card-twice", {"open": (*state.open, state.open[-1])}),
        ("card-twice", {"known": (*rest, Memory(other.at, memory.home))}),
        ("place-twice", {"known": (*rest, Memory(memory.at, other.home))}),
        ("known-on-open", {"known": (Memory((0, 0), memory.home),)}),
        ("known-is-open", {"known": (Memory(memory.at, (0, 0)),)}),
        ("outside", {"known": (Memory(memory.at, (9, 9)),)}),
    ):
        found = rules.check(replace(state, **changes)).violations
        assert code in [each.code for each in found]
        assert len(found) == 1
        assert found[0].cells


def test_a_record_with_an_entry_too_many_breaks_one_rule() -> None:
    first = {"flip": [1, 1], "home": [0, 1], "success": True, "prize": ENDING, "by": "A"}
    history = [first, first]
    state = _state(open=STATE["open"][:4], known=[], prizes=[ENDING, PRIZE], history=history)
    assert _codes(state) == [("NY1", "card-twice")]


def test_a_layout_contradicts_what_is_remembered_or_claimed() -> None:
    data = dump(new(seed=1, rows=3, columns=4))
    lying = data["layout"][1][1]
    other = next(home for row in data["layout"][:2] for home in row[1:3] if home != lying)
    wrong = load(Node({**data, "known": [{"at": [1, 1], "home": other}]}))
    assert _codes(wrong) == [("NY3", "memory-wrong")]
    move = {"flip": [1, 1], "home": other}
    assert _codes(load(Node(data)), move) == [("NY2", "not-that-card")]


def test_states_survive_json() -> None:
    for changes in (
        {},
        {"prizes": "synthetic"},
        {"prizes": {"cards": "synthetic", "taken": [{"points": 1}], "left": 40}},
        {"prizes": None, "rules": {"reshuffle_prizes": True}},
        {"history": [{"flip": [2, 3], "prize": ASKING, "met": True, "by": "A"}]},
    ):
        state = _state(**changes)
        assert load(Node(json.loads(json.dumps(dump(state))))) == state
