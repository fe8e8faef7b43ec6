"""Every rule SC1 to SC10: an example that raises exactly one code."""

from typing import Any

import pytest

from tilesolve.wire import Node
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.notation import dump, load, load_move
from tilesolve_models.second_chance.rules import apply, moves

Json = Any

CENTRE = ["........."] * 3 + ["...AAA...", "...AAA...", "...AA...."] + ["........."] * 3
FULL = ["AAAAAAAAA"] * 9
ONE_LEFT = ["AAAAAAAA.", *FULL[1:]]
TWO_LEFT = ["AAAAAAA..", *FULL[1:]]
STARTS = [["####", "#..#", "#..#"], ["########"], ["###", "###", "##."]]


def _grid(**fields: Json) -> Json:
    return {"game": "second-chance", "rows": CENTRE, "turned_up": ["P5", "I3"], **fields}


def _table(*players: Json, **fields: Json) -> Json:
    listed = [{"name": name, "rows": CENTRE, **own} for name, own in players]
    return {"game": "second-chance", "players": listed, "turned_up": ["P5", "I3"], **fields}


def _start(**fields: Json) -> Json:
    return {"game": "second-chance", "start_tile": STARTS[2], "deck": None, **fields}


def _small(*rows: str, **fields: Json) -> Json:
    plain = {"game": "second-chance", "rows": list(rows), "standard": False, "deck": None}
    return {**plain, **fields}


CORNER = [*([r, c] for r in (0, 1) for c in (0, 1, 2)), [2, 0], [2, 1]]
P5 = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]]

MOVES = {
    "start tile off the centre": (
        _start(),
        {"tile": STARTS[2], "cells": CORNER},
        [("start-off-centre", "SC1")],
    ),
    "not the start tile dealt": (
        _start(),
        {"tile": ["########"], "cells": [[4, c] for c in range(8)]},
        [("not-your-start-tile", "SC1")],
    ),
    "the start tile is not declined": (_start(), {"pass": True}, [("start-declined", "SC1")]),
    "start tile drawn twice": (
        {
            "game": "second-chance",
            "deck": None,
            "players": [{"name": "Ann", "rows": CENTRE}, {"name": "Bob", "start_tile": STARTS[2]}],
            "phase": "start",
        },
        {"player": "Ann", "pass": True},
        [("already-drawn", "SC1"), ("start-declined", "SC1")],
    ),
    "a tile that is not turned up": (
        _grid(),
        {"tile": "O4", "cells": [[0, 0], [0, 1], [1, 0], [1, 1]]},
        [("not-turned-up", "SC2")],
    ),
    "a second draw in one round": (
        _table(("Ann", {"this_round": "drew"}), ("Bob", {})),
        {"player": "Ann", "tile": "P5", "cells": P5},
        [("already-drawn", "SC2")],
    ),
    "no card is turned up": (
        _grid(turned_up=[]),
        {"tile": "P5", "cells": P5},
        [("no-cards", "SC2")],
    ),
    "three cards are turned up": (
        _grid(turned_up=[]),
        {"turn_up": ["P5", "I3", "O4"]},
        [("turned-up-count", "SC2")],
    ),
    "a card that the deck does not hold": (
        _grid(turned_up=[], seen=["P5"]),
        {"turn_up": ["P5", "I3"]},
        [("not-in-deck", "")],
    ),
    "not the next cards": (
        _grid(turned_up=[], order=["I3", "O4"], seen=[]),
        {"turn_up": ["P5", "I3"]},
        [("not-next", "SC2")],
    ),
    "cards lie already": (_grid(), {"turn_up": ["O4", "T4"]}, [("cards-lie", "SC2")]),
    "outside the grid": (
        _grid(),
        {"tile": "I3", "cells": [[0, -1], [0, 0], [0, 1]]},
        [("outside", "SC3")],
    ),
    "on filled squares": (
        _grid(),
        {"tile": "I3", "cells": [[2, 3], [3, 3], [4, 3]]},
        [("overlap", "SC3")],
    ),
    "another shape": (
        _grid(),
        {"tile": "I3", "cells": [[0, 0], [0, 1], [1, 0]]},
        [("wrong-shape", "SC3")],
    ),
    "a square named twice": (
        _grid(),
        {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 1]]},
        [("wrong-shape", "SC3")],
    ),
    "everything at once": (
        _grid(),
        {"tile": "O4", "cells": [[3, 3], [-1, 0]]},
        [
            ("not-turned-up", "SC2"),
            ("outside", "SC3"),
            ("overlap", "SC3"),
            ("wrong-shape", "SC3"),
        ],
    ),
    "a second chance too early": (
        _grid(),
        {"turn_up": ["O4"]},
        [("second-chance-too-early", "SC4")],
    ),
    "a second chance of one who has drawn": (
        _table(
            ("Ann", {"this_round": "drew"}),
            ("Bob", {"this_round": "waits"}),
            phase="second_chance",
            turned_up=[],
        ),
        {"player": "Ann", "turn_up": ["O4"]},
        [("not-your-chance", "SC4")],
    ),
    "another's card": (
        _table(
            ("Ann", {"this_round": "waits"}),
            ("Bob", {"this_round": "waits"}),
            phase="second_chance",
            turned_up=["I3"],
            turn="Ann",
        ),
        {"player": "Bob", "tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]},
        [("not-your-card", "SC4")],
    ),
    "the card of a second chance is declined": (
        _grid(phase="second_chance", turned_up=["I3"]),
        {"pass": True},
        [("declined-second-chance", "SC4")],
    ),
    "another tile than that of the second chance": (
        _grid(phase="second_chance", turned_up=["I3"]),
        {"tile": "P5", "cells": P5},
        [("not-turned-up", "SC4")],
    ),
    "one who has dropped out": (
        _table(("Ann", {"out": 2}), ("Bob", {}), round=3),
        {"player": "Ann", "tile": "P5", "cells": P5},
        [("dropped-out", "SC4")],
    ),
    "declining a tile that fits": (_grid(), {"pass": True}, [("declined", "SC5")]),
    "declining although only one fits": (
        _small("AAA.", "A...", turned_up=["I4", "L3"]),
        {"pass": True},
        [("declined", "SC5")],
    ),
    "a bonus that is not due": (_grid(), {"bonus": [0, 0]}, [("bonus-not-due", "SC7")]),
    "a bonus of a later drop-out": (
        _table(("Ann", {"out": 2}), ("Bob", {"out": 3}), ("Cy", {}), phase="bonus", round=3),
        {"player": "Bob", "bonus": [0, 0]},
        [("bonus-not-due", "SC7")],
    ),
    "a bonus on a filled square": (
        _grid(phase="bonus", turned_up=[]),
        {"bonus": [4, 4]},
        [("bonus-on-filled", "SC7")],
    ),
    "a bonus outside": (
        _grid(phase="bonus", turned_up=[]),
        {"bonus": [9, 0]},
        [("bonus-outside", "SC7")],
    ),
    "a bonus is not declined": (
        _grid(phase="bonus", turned_up=[]),
        {"pass": True},
        [("bonus-declined", "SC7")],
    ),
    "a move after the end": (
        _grid(rows=FULL),
        {"tile": "P5", "cells": P5},
        [("game-over", "SC8")],
    ),
    "a bonus that may not complete the grid": (
        _grid(rows=ONE_LEFT, phase="bonus", turned_up=[], rules={"bonus_can_complete": False}),
        {"bonus": [0, 8]},
        [("bonus-completes", "SC8")],
    ),
    "a bonus in a solo game": (
        _table(("Ann", {"out": 1}), phase="bonus", turned_up=[]) | {"round": 1},
        {"bonus": [0, 0]},
        [("game-over", "SC8")],
    ),
    "a bonus while playing solo": (
        _table(("Ann", {})),
        {"bonus": [0, 0]},
        [("bonus-in-solo", "SC10")],
    ),
}


@pytest.mark.parametrize("case", MOVES)
def test_a_move_breaks_exactly_these_rules(case: str) -> None:
    data, move, expected = MOVES[case]
    state = load(Node(data))
    assert check(state).violations == ()
    verdict = check(state, load_move(Node(move), state))
    assert [(found.code, found.rule) for found in verdict.violations] == expected


STATES = {
    "a grid of another size": (_grid(rows=CENTRE[:8]), [("grid-size", "")]),
    "seven players": (
        _table(*((str(seat), {}) for seat in range(7))),
        [("player-count", "")],
    ),
    "the centre is empty": (
        _grid(rows=["AAAAAAAA."] + ["........."] * 8),
        [("start-off-centre", "SC1")],
    ),
    "too little for a start tile": (
        _grid(rows=["........."] * 4 + ["....A...."] + ["........."] * 4),
        [("start-tile-not-drawn", "SC1")],
    ),
    "equal start tiles": (
        {
            "game": "second-chance",
            "deck": None,
            "players": [{"start_tile": STARTS[1]}, {"start_tile": STARTS[1]}],
        },
        [("start-tiles-equal", "SC1")],
    ),
    "a start tile of seven squares": (
        _start(start_tile=["#######"]),
        [("start-tile-size", "SC1")],
    ),
    "a foreign start tile": (
        _start(start_tile=["########"], deck="synthetic"),
        [("not-in-deck", "SC1")],
    ),
    "no start tile": (
        {"game": "second-chance", "rows": ["........."] * 9, "phase": "start"},
        [("start-tile-missing", "SC1")],
    ),
    "a tile that the deck does not hold": (
        _grid(turned_up=["P5", ["########"]]),
        [("not-in-deck", "")],
    ),
    "seen more often than it exists": (_grid(seen=["P5"]), [("not-in-deck", "")]),
    "one card in a round": (
        _grid(turned_up=["P5"], phase="round"),
        [("turned-up-count", "SC2")],
    ),
    "cards before the start tiles": (
        _start(turned_up=["P5", "I3"], phase="start"),
        [("cards-too-early", "SC2")],
    ),
    "placed tiles overlap": (
        _grid(
            placed=[
                {"tile": "I3", "cells": [[0, 0], [0, 1], [0, 2]]},
                {"tile": "I2", "cells": [[0, 2], [0, 3]]},
            ]
        ),
        [("overlap", "SC3")],
    ),
    "a placed tile of another shape": (
        _grid(placed=[{"tile": "I3", "cells": [[0, 0], [0, 1]]}]),
        [("wrong-shape", "SC3")],
    ),
    "a placed tile outside": (
        _grid(placed=[{"tile": "I2", "cells": [[0, 8], [0, 9]]}]),
        [("outside", "SC3")],
    ),
    "two cards for a second chance": (
        _grid(phase="second_chance"),
        [("turned-up-count", "SC4")],
    ),
    "out in the future": (
        _table(("Ann", {"out": 5}), ("Bob", {}), round=3),
        [("out-too-late", "SC4")],
    ),
    "waiting although a tile fits": (
        _table(("Ann", {"this_round": "waits"}), ("Bob", {})),
        [("declined", "SC5")],
    ),
    "two ones": (
        _grid(rows=["11.......", *CENTRE[1:]], phase="bonus", turned_up=[]),
        [("bonus-twice", "SC7")],
    ),
    "a one while playing": (
        _grid(rows=["1........", *CENTRE[1:]]),
        [("bonus-while-playing", "SC7")],
    ),
    "a one of a later drop-out": (
        _table(("Ann", {"out": 2}), ("Bob", {"out": 3, "bonus": [0, 0]}), ("Cy", {}), round=4),
        [("bonus-too-late", "SC7")],
    ),
    "a one outside": (
        _table(("Ann", {"out": 2, "bonus": [9, 9]}), ("Bob", {})),
        [("bonus-outside", "SC7")],
    ),
    "a one on a filled square": (
        _table(("Ann", {"out": 2, "bonus": [4, 4]}), ("Bob", {})),
        [("bonus-on-filled", "SC7")],
    ),
    "a one that may not complete": (
        _table(
            ("Ann", {"rows": ONE_LEFT, "out": 2, "bonus": [0, 8]}),
            ("Bob", {}),
            rules={"bonus_can_complete": False},
        ),
        [("bonus-completes", "SC8")],
    ),
    "more rounds than cards": (_grid(round=21), [("too-many-rounds", "SC8")]),
    "a one in a solo game": (
        _table(("Ann", {"out": 2, "bonus": [0, 0]})),
        [("bonus-in-solo", "SC10")],
    ),
    "two start tiles alike in the deck": (
        _grid(deck={"tiles": ["P5", "I3"], "start_tiles": [STARTS[1], STARTS[1]]})
        | {"standard": False, "marked": [4, 4]},
        [("start-tiles-equal", "SC1")],
    ),
    "a deck of two cards": (
        _grid(deck=["P5", "I3"]),
        [("deck-count", "")],
    ),
}


@pytest.mark.parametrize("case", STATES)
def test_a_state_breaks_exactly_these_rules(case: str) -> None:
    data, expected = STATES[case]
    verdict = check(load(Node(data)))
    assert [(found.code, found.rule) for found in verdict.violations] == expected


PAIR = {"turned_up": [], "deck": ["I2", "I3", "I4"], "standard": False}

OUTCOMES = {
    "two cards are due": (_grid(turned_up=[]), [("cards-due", "SC2")], False),
    "a second chance is due": (
        _grid(phase="second_chance", turned_up=[]),
        [("second-chance-due", "SC4")],
        False,
    ),
    "several second chances": (
        _table(
            ("Ann", {"this_round": "waits"}),
            ("Bob", {"this_round": "waits"}),
            phase="second_chance",
            turned_up=[],
        ),
        [("several-second-chances", "SC6")],
        False,
    ),
    "a bonus is due": (
        _grid(phase="bonus", turned_up=[]),
        [("bonus-due", "SC7")],
        False,
    ),
    "all have dropped out": (
        _table(("Ann", {"out": 2, "rows": TWO_LEFT}), ("Bob", {"out": 3}), round=4, turned_up=[]),
        [("all-out", "SC8"), ("win", "SC9")],
        True,
    ),
    "one card is left": (
        _small("A..", "...", turned_up=[], seen=["I2", "I3"], deck=["I2", "I3", "I4"]),
        [("deck-out", "SC8")],
        True,
    ),
    "too few cards for second chances": (
        _table(
            ("Ann", {"rows": TWO_LEFT, "this_round": "waits"}),
            ("Bob", {"this_round": "waits"}),
            phase="second_chance",
            **PAIR | {"seen": ["I2", "I3"]},
        ),
        [("too-few-cards", "SC8"), ("win", "SC9")],
        True,
    ),
    "a grid is full": (
        _table(("Ann", {"rows": FULL}), ("Bob", {})),
        [("grid-full", "SC8"), ("win", "SC9")],
        True,
    ),
    "the bonus completes a grid": (
        _table(
            ("Ann", {"rows": ["AAAAAAAA1", *FULL[1:]], "out": 3}),
            ("Bob", {"rows": ONE_LEFT}),
            round=4,
            turned_up=[],
        ),
        [("grid-full", "SC8"), ("win", "SC9")],
        True,
    ),
    "full grids share the win, whoever has a 1": (
        _table(
            ("Ann", {"rows": ["AAAAAAAA1", *FULL[1:]], "out": 3}),
            ("Bob", {"rows": FULL}),
            round=4,
            turned_up=[],
        ),
        [("grid-full", "SC8"), ("win-shared", "SC9")],
        True,
    ),
    "the 1 breaks a tie": (
        _table(
            ("Ann", {"rows": TWO_LEFT, "out": 4}),
            ("Bob", {"rows": ["AAAAAA1..", *FULL[1:]], "out": 3}),
            round=5,
            turned_up=[],
        ),
        [("all-out", "SC8"), ("win-by-bonus", "SC9")],
        True,
    ),
    "a tie without a 1": (
        _table(
            ("Ann", {"rows": TWO_LEFT, "out": 4}),
            ("Bob", {"rows": TWO_LEFT, "out": 4}),
            ("Cy", {"out": 3}),
            round=5,
            turned_up=[],
        ),
        [("all-out", "SC8"), ("win-shared", "SC9")],
        True,
    ),
    "the solo target is met": (
        _grid(rows=TWO_LEFT, out=5, turned_up=[], series=[4, 3]),
        [("all-out", "SC8"), ("solo-target-met", "SC10")],
        True,
    ),
    "the solo target is missed by one": (
        _grid(rows=TWO_LEFT, out=5, turned_up=[], series=[4, 4]),
        [("all-out", "SC8"), ("solo-target-missed", "SC10")],
        True,
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_a_state_has_exactly_these_outcomes(case: str) -> None:
    data, expected, complete = OUTCOMES[case]
    verdict = check(load(Node(data)))
    assert verdict.violations == ()
    found = [(outcome["code"], outcome["rule"]) for outcome in verdict.details["outcomes"]]
    assert found == expected
    assert verdict.complete is complete


def test_every_rule_has_an_example() -> None:
    seen = {rule for _, _, expected in MOVES.values() for _, rule in expected}
    seen |= {rule for _, expected in STATES.values() for _, rule in expected}
    seen |= {rule for _, expected, _ in OUTCOMES.values() for _, rule in expected}
    assert {f"SC{number}" for number in range(1, 11)} <= seen


@pytest.mark.parametrize("case", [*MOVES, *STATES])
def test_states_survive_writing(case: str) -> None:
    data = MOVES[case][0] if case in MOVES else STATES[case][0]
    state = load(Node(data))
    assert load(Node(dump(state))) == state


@pytest.mark.parametrize("case", MOVES)
def test_only_legal_moves_are_listed(case: str) -> None:
    state = load(Node(MOVES[case][0]))
    for move, _ in zip(moves(state), range(30), strict=False):
        assert check(state, move).legal
        apply(state, move)
