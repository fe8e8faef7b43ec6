"""A whole table: second chances in seat order, drop-outs, the bonus, the end."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.second_chance.asking import own_grid
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.ending import outcomes, ranking
from tilesolve_models.second_chance.notation import load, load_move
from tilesolve_models.second_chance.rules import apply, ended, moves, seats_to_act
from tilesolve_models.second_chance.scoring import best
from tilesolve_models.second_chance.starter import new
from tilesolve_models.second_chance.state import State, TurnUp
from tilesolve_models.second_chance.table import simulate

Json = Any


def table(*rows: list[str], **fields: Json) -> State:
    players = [{"name": "ABC"[seat], "rows": own} for seat, own in enumerate(rows)]
    plain = {"game": "second-chance", "standard": False, "players": players}
    return load(Node({**plain, **fields}))


def play(state: State, *listed: Json) -> State:
    for data in listed:
        move = load_move(Node(data), state)
        assert check(state, move).violations == (), data
        state = apply(state, move)
    return state


def codes(state: State) -> list[str]:
    return [outcome.code for outcome in outcomes(state)]


NEARLY = ["XXX", "X.."]
DECK = ["I3", "O4", "I2", "I1", "I4", "T4", "L4", "P5", "I1", "I2"]


def test_second_chances_in_seat_order_and_everybody_out_first_gets_a_one() -> None:
    state = table(
        ["...", "XX."], NEARLY, NEARLY, turned_up=["I3", "O4"], deck=DECK,
        order=["I4", "T4", "L4", "P5", "I1", "I2", "I2", "I1"],
    )  # fmt: skip
    state = play(state, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]], "player": "A"})
    state = play(state, {"pass": True, "player": "C"}, {"pass": True, "player": "B"})
    assert state.phase == "second_chance"
    assert codes(state) == ["several-second-chances"]
    assert outcomes(state)[0].players == ("B", "C")
    assert [tile.name for tile in state.turned_up] == ["I4"]
    state = play(state, {"pass": True})
    assert (state.players[1].out, state.players[2].out) == (1, None)
    assert [tile.name for tile in state.turned_up] == ["T4"]
    state = play(state, {"pass": True})
    assert state.phase == "bonus"
    assert [state.players[seat].name for seat in seats_to_act(state)] == ["B", "C"]
    state = play(state, {"bonus": [1, 2], "player": "C"}, {"bonus": [1, 1]})
    assert (state.phase, state.round) == ("round", 2)
    assert [tile.name for tile in state.turned_up] == ["L4", "P5"]
    assert state.players[1].rows == ("XXX", "X1.")
    state = play(state, {"pass": True})
    assert [tile.name for tile in state.turned_up] == ["I1"]
    state = play(state, {"tile": "I1", "cells": [[1, 2]]})
    assert codes(state) == ["grid-full", "win"]
    assert [place.player for place in ranking(state)] == ["A", "B", "C"]


def test_a_second_chance_can_be_for_anybody_first() -> None:
    state = table(["XX.", "XXX"], NEARLY, turned_up=["I3", "O4"], deck=DECK)
    state = play(state, {"pass": True}, {"pass": True})
    state = play(state, {"turn_up": ["I2"], "player": "B"})
    early = load_move(Node({"player": "A", "pass": True}), state)
    assert [found.code for found in check(state, early).violations] == ["not-your-card"]
    state = play(state, {"tile": "I2", "cells": [[1, 1], [1, 2]], "player": "B"})
    assert codes(state) == ["second-chance-due"]
    state = play(state, {"turn_up": ["I4"]}, {"pass": True})
    assert state.phase == "bonus"


def test_a_later_drop_out_gets_no_bonus() -> None:
    state = table(
        NEARLY, ["XX.", "XXX"], ["...", "..."], turned_up=["I3", "O4"], deck=None, round=3
    )
    state = play(
        state,
        {"pass": True}, {"pass": True}, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]},
        {"turn_up": ["I2"]}, {"tile": "I2", "cells": [[1, 1], [1, 2]]},
        {"turn_up": ["I2"]}, {"pass": True},
    )  # fmt: skip
    assert state.phase == "bonus"
    blocked = table(
        NEARLY, ["XX.", "XXX"], ["...", "..."], turned_up=["I3", "O4"], deck=None, round=3,
        rules={"bonus_can_complete": False},
    )  # fmt: skip
    blocked = play(
        blocked,
        {"pass": True}, {"pass": True}, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]},
        {"turn_up": ["I2"]}, {"tile": "I2", "cells": [[1, 1], [1, 2]]},
        {"turn_up": ["I2"]}, {"pass": True},
    )  # fmt: skip
    assert blocked.phase == "round"
    assert codes(blocked) == ["grid-full", "win"]


def test_the_bonus_may_complete_the_grid() -> None:
    state = table(["XX.", "XXX"], ["...", "..."], turned_up=["I3", "O4"], deck=None, round=3)
    state = play(
        state,
        {"pass": True}, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]},
        {"turn_up": ["I2"]}, {"pass": True}, {"bonus": [0, 2]},
    )  # fmt: skip
    assert codes(state) == ["grid-full", "win"]
    assert ranking(state)[0].player == "A"


@pytest.mark.parametrize(("finish", "over"), [(True, False), (False, True)])
def test_a_full_grid_ends_the_round_or_the_game(finish: bool, over: bool) -> None:
    state = table(
        ["...", "XXX"], ["...", "XXX"], turned_up=["I3", "O4"], deck=None,
        rules={"finish_round": finish},
    )  # fmt: skip
    state = play(state, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]})
    assert bool(ended(state)) is over
    if finish:
        state = play(state, {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]})
        assert codes(state) == ["grid-full", "win-shared"]


def test_too_few_cards_for_all_second_chances_end_the_game_at_once() -> None:
    deck = ["I3", "O4", "I1"]
    state = table(NEARLY, NEARLY, turned_up=["I3", "O4"], deck=deck)
    state = play(state, {"pass": True}, {"pass": True})
    assert codes(state) == ["too-few-cards", "win-shared"]
    assert all(player.out is None and not player.ones for player in state.players)
    alone = table(NEARLY, turned_up=["I3", "O4"], deck=deck)
    alone = play(alone, {"pass": True}, {"turn_up": ["I1"]}, {"tile": "I1", "cells": [[1, 1]]})
    assert codes(alone) == ["deck-out"]


def test_a_solo_player_drops_out_without_a_bonus() -> None:
    state = table(NEARLY, turned_up=["I3", "O4"], deck=DECK)
    state = play(state, {"pass": True}, {"turn_up": ["I4"]}, {"pass": True})
    assert codes(state) == ["all-out"]
    assert state.players[0].empties == 2


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans(), st.booleans())
@settings(max_examples=25, deadline=None)
def test_random_games_keep_the_laws(seed: int, players: int, known: bool, alone: bool) -> None:
    rng = random.Random(seed)
    state = new(seed=seed, players=1 if alone else players, order=known)
    chances = 0
    while not ended(state):
        listed = [move for move, _ in zip(moves(state), range(60), strict=False)]
        assert listed, state
        move = rng.choice(listed)
        assert check(state, move).violations == ()
        if isinstance(move, TurnUp):
            chances += len(move.tiles) == 1
        before = state
        state = apply(state, move)
        for old, now in zip(before.players, state.players, strict=True):
            assert old.filled & ~now.filled == 0
    verdict = check(state)
    assert verdict.legal
    assert verdict.complete
    assert len(state.seen) + len(state.turned_up) <= 40
    assert state.round <= 21
    outs = {player.out for player in state.players if player.ones}
    assert len(outs) <= 1
    if known:
        drawn = [*state.seen, *state.turned_up, *(state.order or ())]
        assert state.deck is not None
        assert sorted(t.name for t in drawn) == sorted(t.name for t in state.deck.tiles)


def _seat(**own: Json) -> Json:
    return {"name": "A", "rows": ["A..", "A.."], **own}


SITUATIONS: dict[str, tuple[Json, Json, tuple[str, int, int]]] = {
    "to draw": ({}, {"turned_up": ["I2", "I3"]}, ("round", 2, 8)),
    "has drawn": ({"this_round": "drew"}, {"turned_up": ["I2", "I3"]}, ("round", 0, 8)),
    "waits": (
        {"rows": ["A.A", "A.A"], "this_round": "waits"},
        {"turned_up": ["I3", "O4"]},
        ("second_chance", 0, 8),
    ),
    "the first to get a card": (
        {"this_round": "waits"},
        {"phase": "second_chance", "turned_up": ["I2"], "seen": ["I3", "O4"]},
        ("second_chance", 1, 7),
    ),
    "another's card lies": (
        {"this_round": "waits"},
        {"phase": "second_chance", "turned_up": ["I2"], "seen": ["I3", "O4"], "turn": "B"},
        ("second_chance", 0, 7),
    ),
    "drew while another waits": (
        {"this_round": "drew"},
        {"phase": "second_chance", "turned_up": ["I2"], "seen": ["I3", "O4"]},
        ("round", 0, 7),
    ),
    "a bonus is due": ({"out": 1}, {"phase": "bonus"}, ("bonus", 0, 10)),
    "others write a bonus": ({}, {"phase": "bonus"}, ("round", 0, 10)),
}


@pytest.mark.parametrize("case", SITUATIONS)
def test_one_grid_at_a_table_stands_by_itself(case: str) -> None:
    own, shared, expected = SITUATIONS[case]
    act: Json = {"bonus": {"out": 1}, "second_chance": {"this_round": "waits"}}
    other: Json = {"name": "B", "rows": ["B..", "B.."], **act.get(shared.get("phase", ""), {})}
    state = table(deck=DECK, **{**shared, "players": [_seat(**own), other]})
    alone = own_grid(state, "A")
    assert (alone.phase, len(alone.turned_up), alone.cards_left) == expected
    assert not alone.table
    assert check(alone).legal
    found = best(state, budget=Budget(seconds=None, work=2000), player="A")
    assert found.proof == "optimal"
    assert any("every grid is looked at by itself" in note for note in found.details["assumed"])


@pytest.mark.parametrize("act", ["drew", "waits"])
def test_a_grid_of_its_own_that_has_acted_goes_on(act: str) -> None:
    fields = {"deck": DECK, "standard": False, "this_round": act}
    rows = ["A.A", "AAA"] if act == "waits" else ["A..", "A.."]
    state = load(Node({"game": "second-chance", "rows": rows, "turned_up": ["I3", "O4"], **fields}))
    assert check(state).legal
    found = best(state, budget=Budget(seconds=None, work=2000))
    assert (found.proof, found.score) == ("optimal", 0)
    played = simulate(state, games=2, policies=("greedy",), budget=Budget(seconds=None))
    assert played.policies[0].games == 2


def test_a_bonus_in_a_grid_of_its_own_is_the_end() -> None:
    state = load(Node({"game": "second-chance", "rows": ["A.", ".A"], "standard": False,
                       "deck": DECK, "phase": "bonus"}))  # fmt: skip
    found = best(state, budget=Budget(seconds=None, work=100))
    assert (found.proof, found.score) == ("optimal", 1)
    after = play(state, {"bonus": [0, 1]})
    assert codes(after) == ["all-out"]
    assert check(after).legal
