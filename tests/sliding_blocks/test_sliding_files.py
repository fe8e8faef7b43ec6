"""Boards, goals and moves as people write them, and what is refused."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks import boards, starts
from tilesolve_models.sliding_blocks.game import GAME
from tilesolve_models.sliding_blocks.goals import Leave, Place, Touch

KLOTSKI = ["BAAC", "BAAC", "DEEF", "DGHF", "I..J"]


def state_of(**fields: Any) -> Any:
    return boards.load(Node({"game": "sliding-blocks", **fields}))


@pytest.mark.parametrize(
    "board",
    ["/".join(KLOTSKI), "\n".join(KLOTSKI), "; by hand\n" + "\n".join(KLOTSKI) + "\n\n", KLOTSKI],
)
def test_one_board_written_four_ways(board: Any) -> None:
    assert boards.load(Node(board)) == state_of(board=KLOTSKI)


def test_rush_hour_signs() -> None:
    state = boards.load(Node("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"))
    assert state.board.walls == {(0, 3)}
    assert state.goal == (Touch(("A",), "right"),)
    dotted = boards.load(Node("IBBx..I..LDDJAAL..J.KEEMFFK..MGGHHHM"))
    assert dotted == state
    rows = ["IBBxoo", "IooLDD", "JAALoo", "JoKEEM", "FFKooM", "GGHHHM"]
    assert state_of(board=rows, notation="rush-hour") == state


def test_small_letters_are_blocks_where_the_board_is_plain() -> None:
    assert set(boards.load(Node("xo./...")).blocks) == {"x", "o"}


@pytest.mark.parametrize(
    ("goal", "conditions"),
    [
        ("A at 3,1", (Place(("A",), (3, 1)),)),
        ("A at (3, 1); any G at 4,0", (Place(("A",), (3, 1)), Place(("G", "H", "I", "J"), (4, 0)))),
        ("any of G I at 4,0", (Place(("G", "I"), (4, 0)),)),
        ("A touches the right and B touches top", (Touch(("A",), "right"), Touch(("B",), "top"))),
        ("A leaves bottom through 1, 2", (Leave(("A",), "bottom", (1, 2)),)),
        ({"any": "E", "leaves": "left"}, (Leave(("E",), "left"),)),
        (
            [{"block": "A", "at": [0, 0]}, "B at 0,2"],
            (Place(("A",), (0, 0)), Place(("B",), (0, 2))),
        ),
        ("..../..../..../.AA./.AA.", (Place(("A",), (3, 1)),)),
    ],
)
def test_goals(goal: Any, conditions: tuple[Any, ...]) -> None:
    state = state_of(board=KLOTSKI, goal=goal)
    assert state.goal == conditions
    assert boards.load(Node(boards.dump(state))) == state


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("", "$"),
        ([], "$"),
        ([""], "$"),
        (["AB", "A"], "$"),
        (["A\tB"], "$"),
        (["." * 5000], "$"),
        (7, "$"),
        (None, "$"),
        ({"board": "A."}, "$"),
        ({"game": "sliding-blocks"}, "$"),
        ({"game": "klotski", "board": "A."}, "$.game"),
        ({"board": "A.", "goals": "A at 0,1"}, "$"),
        ({"board": "A.", "goal": "B at 0,1"}, "$.goal.block"),
        ({"board": "A.", "goal": "A goes right"}, "$.goal"),
        ({"board": "A.", "goal": {"block": "A"}}, "$.goal"),
        ({"board": "A.", "goal": {"block": "A", "any": ["A"], "at": [0, 0]}}, "$.goal"),
        ({"board": "A.", "goal": {"any": [], "at": [0, 0]}}, "$.goal.any"),
        ({"board": "A.", "goal": {"block": "A", "at": [0, 10**9]}}, "$.goal.at[1]"),
        ({"board": "A.", "goal": {"block": "A", "touches": "east"}}, "$.goal.touches"),
        ({"board": "A.", "goal": {"block": "A", "at": [0, 1], "through": [1]}}, "$.goal.through"),
        ({"board": "A.", "goal": "AA/.."}, "$.goal"),
        ({"board": "A.", "goal": 3}, "$.goal"),
        ({"board": "A.", "axis": "diagonal"}, "$.axis"),
        ({"board": "A.", "axis": "along"}, "$.axis"),
        ({"board": "A.", "axis": {"B": "free"}}, "$.axis.B"),
        ({"board": "A.", "metric": "turns"}, "$.metric"),
        ({"board": "A.", "alike": "no"}, "$.alike"),
        ({"board": "A.", "notation": "fen"}, "$.notation"),
        ({"board": "A.", "moves": [{"block": "A"}]}, "$.moves[0]"),
        ({"board": "A.", "moves": [{"block": "A", "path": []}]}, "$.moves[0].path"),
        ({"board": "A.", "moves": [{"block": "A", "path": ["east"]}]}, "$.moves[0].path[0]"),
        ({"board": "A.", "moves": [{"block": 1, "path": ["up"]}]}, "$.moves[0].block"),
        ({"board": "A.", "blocks": [{"name": "A", "cells": [[0, 1]]}]}, "$.blocks[0].name"),
        ({"board": "A.", "blocks": [{"name": "B", "cells": []}]}, "$.blocks[0].cells"),
        ({"board": "A.", "blocks": [{"name": "B C", "cells": [[0, 1]]}]}, "$.blocks[0].name"),
        ({"board": "A.", "blocks": [{"name": "B", "cells": [[0, 1]] * 2}]}, "$.blocks[0].cells"),
    ],
)
def test_what_cannot_be_understood(value: Any, place: str) -> None:
    if isinstance(value, dict) and "game" not in value and list(value) != ["board"]:
        value = {"game": "sliding-blocks", **value}
    with pytest.raises(InputError) as caught:
        boards.load(Node(value))
    assert caught.value.place == place
    assert "\n" not in caught.value.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["game", "board", "goal", "axis", "blocks", "moves", "block", "at"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(
    st.fixed_dictionaries(
        {"game": st.just("sliding-blocks"), "board": st.just("AB./...")},
        optional=dict.fromkeys(("goal", "axis", "blocks", "moves", "metric", "notation"), JSON),
    )
)
def test_nothing_is_worse_than_an_input_error(value: Any) -> None:
    try:
        state = boards.load(Node(value))
    except InputError:
        return
    GAME.check(state)
    GAME.picture(state)
    assert boards.load(Node(boards.dump(state))) == state


@pytest.mark.parametrize("name", starts.NAMES)
def test_known_puzzles_follow_the_schema_and_come_back(name: str) -> None:
    file = Path(starts.__file__).parent / "data" / f"{name}.json"
    jsonschema.validate(json.loads(file.read_text(encoding="utf-8")), GAME.info.state_schema)
    state = starts.known(name)
    dumped = boards.dump(state)
    jsonschema.validate(dumped, GAME.info.state_schema)
    assert boards.load(Node(dumped)) == state
    for move in GAME.moves(state):
        jsonschema.validate(boards.dump_move(move), GAME.info.move_schema)
        assert boards.load_move(Node(boards.dump_move(move)), state) == move


def test_blocks_with_long_names_come_back() -> None:
    blocks = [{"name": "red car", "cells": [[0, 0], [0, 1]]}]
    with pytest.raises(InputError):
        state_of(board="...", blocks=blocks)
    blocks[0]["name"] = "red"
    state = state_of(board="...", blocks=blocks, goal="red at 0,1")
    assert boards.load(Node(boards.dump(state))) == state
    assert [tile.label for tile in GAME.picture(state).tiles] == ["red", "red", ""]
