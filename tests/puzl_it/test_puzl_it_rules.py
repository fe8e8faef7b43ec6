"""Every rule PI1 to PI8 by an example that breaks it and nothing else."""

import copy
import json
from typing import Any

import pytest

from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.state import State, dump, load, load_move

STATE: dict[str, Any] = {
    "game": "puzl-it",
    "size": [3, 4],
    "in_play": [[0, 0], [0, 1]],
    "hand": [[1, 1], [2, 3]],
    "blocker_cards": [[1, 1]],
    "me": "A",
    "to_move": "A",
    "blocker": "C",
    "players": [
        {"name": "A", "pile": 1},
        {"name": "B", "pile": 0, "hand": 4},
        {"name": "C", "pile": 2, "hand": 1},
    ],
}


def _state(**changes: Any) -> State:
    return load(Node({**copy.deepcopy(STATE), **changes}))


def _players(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**player, **changes.get(player["name"], {})} for player in STATE["players"]]


def _codes(state: State, move: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    read = None if move is None else load_move(Node(move), state)
    return [(each.rule, each.code) for each in rules.check(state, read).violations]


def test_the_example_is_legal_and_counted() -> None:
    state = _state()
    verdict = rules.check(state, load_move(Node({"play": [[1, 1]], "steal_from": "C"}), state))
    assert verdict.legal
    assert verdict.score == 2
    assert verdict.details["takes_blocker"]


@pytest.mark.parametrize(
    ("rule", "code", "changes"),
    [
        ("PI1", "wrong-total", {"in_play": [[0, 0]]}),
        ("PI1", "card-twice", {"in_play": [[0, 0], [1, 1]]}),
        ("PI1", "card-twice", {"in_play": [[0, 0], [0, 0]]}),
        ("PI1", "outside", {"in_play": [[0, 0], [0, 4]]}),
        ("PI1", "outside", {"hand": [[1, 1], [-1, 0]]}),
        ("PI1", "wrong-number-of-players", {
            "blocker": None, "players": [{"name": "A", "pile": 8}]}),
        ("PI1", "blocker-out-of-the-game", {"blocker": "B", "players": [
            {"name": "A", "pile": 1}, {"name": "B", "pile": 3, "hand": 4}]}),
        ("PI1", "wrong-left-over", {"laid_out": [[0, 0]]}),
        ("PI1", "known-elsewhere", {"known": [{"player": "B", "cells": [[0, 0]]}]}),
        ("PI1", "known-too-many", {
            "known": [{"player": "C", "cells": [[2, 0], [2, 1], [2, 2], [1, 0]]}]}),
        ("PI2", "hand-not-drawn", {
            "players": _players(B={"pile": 4, "hand": 0})}),
        ("PI6", "blocker-kept", {"blocker": "A"}),
        ("PI6", "blocker-card-outside", {"blocker_cards": [[9, 9]]}),
        ("PI6", "blocker-card-twice", {"blocker_cards": [[1, 1], [1, 1]]}),
        ("PI7", "out-to-move", {"to_move": "B", "players": _players(
            B={"pile": 0, "hand": 0}, C={"pile": 6, "hand": 1})}),
    ],
)  # fmt: skip
def test_a_corrupted_state_breaks_one_rule(rule: str, code: str, changes: Any) -> None:
    assert _codes(_state(**changes)) == [(rule, code)]


def test_cards_laid_out_at_the_start_are_in_play() -> None:
    players = [{"name": name, "pile": 0, "hand": 2} for name in "BCDE"]
    state = _state(
        players=[{"name": "A", "pile": 0}, *players], laid_out=[[0, 0], [2, 2]], blocker=None
    )
    assert _codes(state) == [("PI8", "laid-out-not-in-play")]
    assert rules.check(state).violations[0].cells == ((2, 2),)


@pytest.mark.parametrize(
    ("rule", "code", "move"),
    [
        ("PI1", "out-of-turn", {"play": [[1, 1]], "steal_from": "B", "by": "B"}),
        ("PI2", "wrong-draw", {"play": [[1, 1]], "steal_from": "B", "drawn": 5}),
        ("PI3", "nothing-played", {"play": [], "steal_from": "B"}),
        ("PI3", "not-in-hand", {"play": [[2, 2]], "steal_from": "B"}),
        ("PI3", "not-in-hand", {"play": [[0, 0]], "steal_from": "B"}),
        ("PI3", "not-in-hand", {"play": [[7, 7]], "steal_from": "B"}),
        ("PI3", "played-twice", {"play": [[1, 1], [1, 1]], "steal_from": "B"}),
        ("PI3", "not-one-group", {"play": [[1, 1], [2, 3]], "steal_from": "B"}),
        ("PI4", "wrong-connections", {"play": [[1, 1]], "steal_from": "B", "connections": 3}),
        ("PI5", "victim-missing", {"play": [[1, 1]]}),
        ("PI5", "victim-is-self", {"play": [[1, 1]], "steal_from": "A"}),
        ("PI5", "victim-holds-blocker", {"play": [[2, 3]], "steal_from": "C"}),
        ("PI5", "wrong-steal", {"play": [[1, 1]], "steal_from": "B", "stolen": 1}),
        ("PI5", "wrong-steal", {
            "play": [[1, 1]], "steal_from": "B", "stolen": [[0, 0], [2, 2]]}),
        ("PI5", "wrong-steal", {
            "play": [[1, 1]], "steal_from": "B", "stolen": [[2, 2], [2, 2]]}),
        ("PI5", "wrong-steal", {
            "play": [[1, 1]], "steal_from": "B", "stolen": [[0, -1], [-9, 99]]}),
        ("PI6", "wrong-blocker", {"play": [[1, 1]], "steal_from": "B", "blocker": False}),
        ("PI6", "wrong-blocker", {"play": [[2, 3]], "steal_from": "B", "blocker": True}),
    ],
)  # fmt: skip
def test_a_wrong_move_breaks_one_rule(rule: str, code: str, move: Any) -> None:
    assert _codes(_state(), move) == [(rule, code)]


def test_who_is_out_neither_plays_nor_is_robbed() -> None:
    players = _players(B={"pile": 0, "hand": 0}, C={"pile": 6, "hand": 1})
    state = _state(players=players, blocker=None)
    assert _codes(state, {"play": [[1, 1]], "steal_from": "B"}) == [("PI7", "victim-out")]
    assert _codes(state, {"play": [[1, 1]], "steal_from": "C", "by": "B"}) == [
        ("PI7", "player-out")
    ]


def test_after_the_last_opponent_is_out_nobody_plays() -> None:
    players = _players(A={"pile": 8}, B={"pile": 0, "hand": 0}, C={"pile": 0, "hand": 0})
    state = _state(players=players, blocker=None)
    verdict = rules.check(state)
    assert verdict.complete
    assert verdict.details["winner"] == "A"
    assert _codes(state, {"play": [[1, 1]]}) == [("PI7", "game-over")]


def test_several_faults_are_said_at_once() -> None:
    move = {"play": [[1, 1], [2, 3], [2, 3], [0, 3]]}
    assert [code for _, code in _codes(_state(), move)] == [
        "played-twice",
        "not-in-hand",
        "not-one-group",
    ]


def test_what_cannot_be_judged_any_more_is_no_further_fault() -> None:
    out_of_turn = {"play": [[2, 2], [0, 0]], "by": "C", "steal_from": "C"}
    assert _codes(_state(), out_of_turn) == [("PI1", "out-of-turn")]
    laid_already = {"play": [[2, 3], [0, 0]], "steal_from": "B"}
    assert _codes(_state(), laid_already) == [("PI3", "not-in-hand")]


def test_the_former_holder_of_the_blocker_can_be_robbed_at_once() -> None:
    state = _state()
    after = rules.apply(state, load_move(Node({"play": [[1, 1]], "steal_from": "C"}), state))
    assert after.blocker == "A"
    assert after.seat("C").cards == 1
    assert after.to_move == "B"


def test_the_blocker_goes_back_as_the_turn_of_its_holder_starts() -> None:
    state = _state(to_move="B", blocker="C")
    after = rules.apply(state, load_move(Node({"play": [[2, 2]], "steal_from": "A"}), state))
    assert after.to_move == "C"
    assert after.blocker is None


@pytest.mark.parametrize("needs_old", [False, True])
def test_a_card_of_the_same_turn_counts_for_the_blocker_unless_the_option_says_no(
    needs_old: bool,
) -> None:
    state = _state(
        in_play=[[0, 0], [0, 3]],
        hand=[[2, 1], [2, 2]],
        blocker_cards=[[2, 1]],
        rules={"blocker_needs_old_card": needs_old},
    )
    verdict = rules.check(
        state, load_move(Node({"play": [[2, 1], [2, 2]], "steal_from": "B"}), state)
    )
    assert verdict.details["takes_blocker"] is not needs_old


def test_a_lone_blocker_card_touches_nothing() -> None:
    state = _state(in_play=[[0, 0], [0, 3]], hand=[[2, 1], [2, 2]], blocker_cards=[[2, 1]])
    verdict = rules.check(state, load_move(Node({"play": [[2, 1]], "steal_from": "B"}), state))
    assert not verdict.details["takes_blocker"]


def test_two_pairs_apart_are_a_group_only_by_the_option() -> None:
    hand = [[0, 3], [1, 3], [2, 0], [2, 1]]
    changes = {
        "hand": hand,
        "blocker": None,
        "players": _players(A={"pile": 1}, B={"pile": 0, "hand": 2}),
    }
    move = {"play": hand, "steal_from": "B"}
    assert _codes(_state(**changes), move) == [("PI3", "not-one-group")]
    assert not _codes(_state(**changes, rules={"group": "each_touches_another"}), move)


def test_a_victim_with_fewer_cards_loses_all_and_is_out() -> None:
    state = _state(
        in_play=[[0, 1], [1, 0], [1, 2], [2, 1]],
        blocker=None,
        players=_players(A={"pile": 1}, B={"pile": 0, "hand": 3}, C={"pile": 1, "hand": 1}),
    )
    after = rules.apply(state, load_move(Node({"play": [[1, 1]], "steal_from": "B"}), state))
    assert after.seat("B").cards == 0
    assert after.to_move == "C"
    assert sum(seat.cards for seat in after.seats) + len(after.in_play) == 12


def test_stolen_cards_lie_on_top_of_the_pile_and_are_drawn_first() -> None:
    state = load(
        Node(
            {
                "game": "puzl-it", "size": [2, 4], "in_play": [], "to_move": "A",
                "players": [
                    {"name": "A", "pile": [[0, 2]], "hand": [[0, 0], [0, 1]]},
                    {"name": "B", "pile": [[1, 0], [1, 1], [1, 2]], "hand": [[1, 3], [0, 3]]},
                ],
                "rules": {"hand_size": 2},
            }
        )
    )  # fmt: skip
    move = load_move(Node({"play": [[0, 0], [0, 1]], "steal_from": "B", "stolen": 2}), state)
    assert rules.check(state, move).legal
    after = rules.apply(state, move)
    assert after.seat("A").hand == ((1, 0), (1, 1))
    assert after.seat("A").pile == ((0, 2),)
    assert after.seat("B").pile == ((1, 2),)


def test_a_record_may_name_the_cards_that_were_drawn_unseen() -> None:
    state = _state()
    move = {"play": [[1, 1]], "steal_from": "B", "drawn": [[2, 0], [2, 1], [2, 2]], "stolen": 2}
    assert not _codes(state, move)
    after = rules.apply(state, load_move(Node(move), state))
    assert set(after.seat("A").hand) == {(2, 3), (2, 0), (2, 1), (2, 2)}


def test_knowledge_of_a_robbed_player_is_dropped_when_it_may_have_moved() -> None:
    state = _state(blocker=None, known=[{"player": "C", "cells": [[2, 2]]}])
    robbed = rules.apply(state, load_move(Node({"play": [[2, 3]], "steal_from": "C"}), state))
    kept = rules.apply(state, load_move(Node({"play": [[2, 3]], "steal_from": "B"}), state))
    assert robbed.known == ()
    assert kept.known == state.known


def test_a_record_of_one_wrong_play_breaks_one_rule() -> None:
    made = {"play": [[1, 1]], "steal_from": "C", "by": "A", "connections": 2, "stolen": 2}
    assert _codes(_state(history=[made])) == []
    wrong = {**made, "connections": 1, "stolen": 1}  # counted wrong, and stolen by that count
    assert _codes(_state(history=[wrong])) == [("PI4", "wrong-connections")]
    assert len(_codes(_state(), wrong)) == 2


def test_a_blocker_among_two_players_is_said_once() -> None:
    players = [{"name": "A", "pile": 3}, {"name": "B", "pile": 1, "hand": 4}]
    assert _codes(_state(players=players, blocker="A")) == [("PI1", "blocker-out-of-the-game")]


def test_a_history_is_refereed_up_to_its_first_wrong_move() -> None:
    first = {"play": [[1, 1]], "steal_from": "C", "by": "A", "connections": 2}
    second = {"play": [[2, 2]], "steal_from": "C", "by": "B"}
    good = _state(history=[first, second])
    assert rules.check(good).legal
    assert rules.position(good).to_move == "A"  # C was robbed of the last card
    bad = _state(history=[{**first, "connections": 4}, {"play": [], "by": "C"}])
    assert _codes(bad) == [("PI4", "wrong-connections")]
    assert "move 1" in rules.check(bad).violations[0].message
    protected = {"play": [[2, 2]], "steal_from": "A", "by": "B"}
    assert _codes(_state(history=[first, protected])) == [("PI5", "victim-holds-blocker")]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"size": [3]}, "$.size"),
        ({"size": [100, 100]}, "$.size"),
        ({"to_move": "Z"}, "$.to_move"),
        ({"players": []}, "$.players"),
        ({"players": [{"name": "A", "pile": 1}, {"name": "A", "pile": 9}]}, "$.players[1].name"),
        ({"players": [{"name": "A", "pile": 1}, {"name": "B", "pile": 9}]}, "$.players[1]"),
        ({"players": _players(A={"pile": -1})}, "$.players[0].pile"),
        ({"players": _players(A={"hand": 1})}, "$.players[0].hand"),
        ({"rules": {"hand_size": 0}}, "$.rules.hand_size"),
        ({"hand": [[1]]}, "$.hand[0]"),
    ],
)
def test_what_cannot_be_read_names_its_place(changes: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        _state(**changes)
    assert caught.value.place == place


def test_states_survive_json() -> None:
    for changes in (
        {},
        {"known": [{"player": "B", "cells": [[2, 2]]}], "rules": {"hand_size": 3}},
        {"players": _players(A={"hand": 3, "pile": 0})},
        {"history": [{"play": [[1, 1]], "steal_from": "C", "stolen": [[2, 0]], "drawn": 1}]},
    ):
        state = _state(**changes)
        assert load(Node(json.loads(json.dumps(dump(state))))) == state
