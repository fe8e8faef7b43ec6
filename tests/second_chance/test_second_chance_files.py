"""What people type: state files, decks, moves, and the errors they get."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve import service
from tilesolve.answers import Best
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.second_chance.deck import Deck, named_deck, read_deck, violations
from tilesolve_models.second_chance.game import GAME
from tilesolve_models.second_chance.notation import dump, load, load_move
from tilesolve_models.second_chance.starter import starter

Json = Any
ROWS = ["........."] * 3 + ["...AAA...", "...AAA...", "...AA...."] + ["........."] * 3
PLAIN = {"game": "second-chance", "rows": ROWS, "turned_up": ["P5", ["##.", ".##"]]}


def test_the_synthetic_deck_is_as_the_published_one_by_size() -> None:
    deck = named_deck("synthetic")
    sizes = [sum(tile.size == size for tile in deck.tiles) for size in range(1, 8)]
    assert sizes == [2, 2, 4, 8, 12, 8, 4]
    assert len(set(deck.start_tiles)) == 13
    assert "synthetic" in deck.label
    assert violations(deck, standard=True) == ()


def test_rows_and_two_cards_are_enough() -> None:
    state = load(Node(PLAIN))
    assert [tile.name for tile in state.turned_up] == ["P5", "S4"]
    assert state.phase == "round"
    assert state.cards_left == 38
    assert state.assumed == (
        "the deck is the synthetic one",
        "no cards but those turned up are gone from the deck ('seen' was not given)",
    )


def test_one_card_is_a_second_chance() -> None:
    state = load(Node({**PLAIN, "turned_up": ["I3"]}))
    assert state.phase == "second_chance"
    assert "one card is turned up, so it is a second chance" in state.assumed


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        ({"rows": ["...", ".."]}, "$.rows[1]", "this row has 2 squares, the first has 3"),
        ({"rows": ["..x"]}, "$.rows[0]", "'x' means nothing here"),
        ({"rows": []}, "$.rows", "elements"),
        ({"rows": ["." * 30]}, "$.rows[0]", "1 to 20 squares"),
        ({"rows": 3}, "$.rows", "expected a list"),
        ({"turned_up": ["Q9"]}, "$.turned_up[0]", "no tile is called 'Q9'"),
        ({"turned_up": [["#.#"]]}, "$.turned_up[0]", "in several parts"),
        ({"turned_up": [["..."]]}, "$.turned_up[0]", "no squares"),
        ({"turned_up": [7]}, "$.turned_up[0]", "expected a string"),
        ({"deck": "mine"}, "$.deck", "'synthetic'"),
        ({"deck": {"tiles": [{"count": 2}]}}, "$.deck.tiles[0]", "'name' or 'rows'"),
        (
            {"deck": [{"name": "a", "rows": ["#"]}, {"name": "a", "rows": ["##"]}]},
            "$.deck",
            "two different tiles are called 'a'",
        ),
        ({"deck": [{"name": "I3", "count": 10**9}]}, "$.deck[0].count", "from 1 to 400"),
        ({"phase": "end"}, "$.phase", "expected one of"),
        ({"marked": [9, 9]}, "$.marked", "no square of the grid"),
        ({"rules": {"house": True}}, "$.rules", "unknown field 'house'"),
        ({"players": []}, "$.rows", "belongs into 'players'"),
        ({"out": -1}, "$.out", "from 1 to"),
        ({"round": 10**30}, "$.round", "whole number"),
        ({"series": [1, 2, 3]}, "$.series", "elements"),
        ({"cards": 3}, "$", "unknown field 'cards'"),
        ({"turn": "Ann"}, "$.turn", "nobody here has a name"),
    ],
)
def test_what_cannot_be_read_is_named(change: Json, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(Node({**PLAIN, **change}))
    assert caught.value.place == place
    assert message in caught.value.message


@pytest.mark.parametrize(
    "move",
    [
        {},
        {"tile": "P5"},
        {"cells": [[0, 0]]},
        {"bonus": [0, 0], "pass": True},
        {"pass": False},
        {"pass": 1},
        {"tile": "P5", "cells": [[0]]},
        {"tile": "P5", "cells": [[0, 10**9]]},
        {"pass": True, "player": "Ann"},
        {"turn_up": "P5"},
        [],
        None,
    ],
)
def test_moves_that_cannot_be_read(move: Json) -> None:
    with pytest.raises(InputError):
        load_move(Node(move), load(Node(PLAIN)))


def test_players_need_names_of_their_own_and_grids_of_one_size() -> None:
    two = {"game": "second-chance", "players": [{"name": "A", "rows": ROWS}] * 2}
    with pytest.raises(InputError, match="a name of his own"):
        load(Node(two))
    two["players"] = [{"rows": ROWS}, {"rows": ROWS[:8]}]
    with pytest.raises(InputError, match="the same size"):
        load(Node(two))


WHEEL = {"name": "wheel", "rows": [".#.", "###", ".#."]}


def test_a_deck_of_ones_own() -> None:
    deck = read_deck(
        Node(
            {
                "label": "mine",
                "tiles": [
                    "I3",
                    ["##", "#."],
                    {**WHEEL, "count": 3},
                ],
                "start_tiles": [{"name": "long", "rows": ["########"]}],
            }
        )
    )
    assert [tile.name for tile in deck.tiles] == ["I3", "L3", "wheel", "wheel", "wheel"]
    state = load(Node({**PLAIN, "deck": ["I3", WHEEL],
                       "turned_up": ["X5", "wheel"]}))  # fmt: skip
    assert [tile.name for tile in state.turned_up] == ["wheel", "wheel"]
    assert load(Node(dump(state))) == state


@pytest.mark.parametrize(
    ("deck", "codes"),
    [
        (Deck(()), ["deck-count"]),
        (Deck(named_deck("synthetic").tiles[:39]), ["deck-count"]),
        (
            Deck((*named_deck("synthetic").tiles[:39], named_deck("synthetic").start_tiles[0])),
            ["tile-size"],
        ),
        (
            Deck(named_deck("synthetic").tiles, named_deck("synthetic").start_tiles[:12]),
            ["start-count"],
        ),
        (
            Deck(
                named_deck("synthetic").tiles,
                (*named_deck("synthetic").start_tiles[:12], named_deck("synthetic").tiles[0]),
            ),
            ["start-tile-size"],
        ),
        (
            Deck(
                named_deck("synthetic").tiles,
                (*named_deck("synthetic").start_tiles[:12], named_deck("synthetic").start_tiles[0]),
            ),
            ["start-tiles-equal"],
        ),
    ],
)
def test_decks_are_checked(deck: Deck, codes: list[str]) -> None:
    assert [found.code for found in violations(deck, standard=True)] == codes


def test_copies_of_a_tile_may_have_names_of_their_own() -> None:
    deck = [{"name": "short", "rows": ["##"]}, "I3", {"name": "brief", "rows": ["#", "#"]}]
    state = load(Node({**PLAIN, "deck": deck, "turned_up": ["short", "brief"], "standard": False}))
    assert [tile.name for tile in state.turned_up] == ["short", "brief"]
    assert state.cards_left == 1
    assert dump(load(Node(dump(state)))) == dump(state)
    same = {"name": "I3", "rows": ["##"]}
    with pytest.raises(InputError, match="two different tiles are called 'I3'"):
        load(Node({**PLAIN, "deck": [*deck, same]}))


def test_equal_start_tiles_are_named() -> None:
    rows = list(named_deck("synthetic").start_tiles[0].rows)
    turned = [text[::-1] for text in rows]
    listed = [{"name": "one", "rows": rows}, {"name": "other", "rows": turned}]
    deck = read_deck(Node({"tiles": ["I3"], "start_tiles": listed}))
    (found,) = violations(deck, standard=False)
    assert found.pieces == ("one", "other")


def test_a_deck_survives_writing() -> None:
    for data in (PLAIN, {**PLAIN, "deck": None}, {**PLAIN, "deck": ["P5", "S4", "I1"]}):
        state = load(Node(data))
        assert load(Node(json.loads(json.dumps(dump(state))))) == state


def test_the_starter_can_be_asked() -> None:
    (data,) = starter().values()
    question = service.load(Node(data))
    assert service.ask(question, "check").legal  # type: ignore[union-attr]  # a verdict
    found = service.ask(question, "best")
    assert isinstance(found, Best)
    assert (found.proof, found.score) == ("optimal", 0)


SCRAP = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.text("#.A1P5x/", max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from([*GAME.info.state_schema["properties"], "tile", "cells", "name"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


@given(st.sampled_from(sorted(GAME.info.state_schema["properties"])), SCRAP)
@settings(max_examples=150, deadline=None)
def test_scrap_is_an_input_error_or_a_state_that_can_be_checked(name: str, value: Json) -> None:
    for data in ({**PLAIN, name: value}, {"game": "second-chance", name: value}):
        try:
            state = load(Node(data))
        except InputError:
            continue
        GAME.check(state)
        GAME.picture(state)
        assert load(Node(dump(state))) == state
        for move, _ in zip(GAME.moves(state), range(3), strict=False):
            GAME.check(state, move)
            assert load_move(Node(GAME.dump_move(move)), state) == move


@given(SCRAP)
@settings(max_examples=100, deadline=None)
def test_scrap_moves_are_input_errors_or_checked(value: Json) -> None:
    state = load(Node(PLAIN))
    for data in (value, {"tile": "P5", "cells": value}, {"turn_up": value}, {"bonus": value}):
        try:
            move = load_move(Node(data), state)
        except InputError:
            continue
        GAME.check(state, move)
