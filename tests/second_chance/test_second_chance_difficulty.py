"""Difficulty of start tiles, decks and grids: the same from every side, and in a sensible order."""

import pytest

from tilesolve.budget import Budget
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.difficulty import difficulty, views
from tilesolve_models.second_chance.notation import load
from tilesolve_models.second_chance.starter import new

FREE = Budget(seconds=None)

HALF = load(
    Node(
        {
            "game": "second-chance",
            "rows": ["AAA...BB.", "AAA...BB.", "......B..", ".CCCC....", ".CCCC...."]
            + ["........."] * 4,
            "turned_up": ["I3", "P5"],
            "deck": None,
            "order": ["L4", "F", "I2", "X", "O4", "T4", "W", "I5"],
        }
    )
)


def test_a_grid_is_as_hard_from_every_side() -> None:
    seen = [difficulty(view, budget=FREE, games=3) for view in views(HALF)]
    assert len(seen) == 8
    assert all(each.measures == seen[0].measures for each in seen)
    assert all(each.grade == seen[0].grade for each in seen)


def test_views_are_as_legal_as_the_grid() -> None:
    assert {check(view).legal for view in views(HALF)} == {check(HALF).legal}


def test_figures_of_the_start() -> None:
    measures = difficulty(new(seed=1), budget=FREE, games=4).measures
    assert (measures["squares"], measures["start_squares"], measures["cards"]) == (81, 8, 40)
    for player in measures["players"].values():
        assert player["games"] == 4
        assert sum(player["distribution"].values()) == 4
        low, high = player["interval"]
        assert low <= player["mean"] <= high


def test_large_tiles_are_harder_than_single_squares() -> None:
    def deck(names: list[str]) -> float:
        tiles = [{"name": name, "count": 20} for name in names]
        state = load(
            Node(
                {
                    "game": "second-chance",
                    "rows": ["....."] * 5,
                    "standard": False,
                    "marked": None,
                    "deck": {"tiles": tiles},
                    "phase": "round",
                    "turned_up": [],
                }
            )
        )
        return difficulty(state, budget=FREE, games=5).grade

    assert deck(["I1", "I2"]) < deck(["X", "W"])


def test_weights_are_checked() -> None:
    with pytest.raises(InputError, match="unknown field 'size'"):
        difficulty(new(seed=1), budget=FREE, weights=Node({"size": 1}))
