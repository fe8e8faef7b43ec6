"""Difficulty of sheets: the same from every side, and exact where it says so."""

import pytest

from tilesolve.budget import Budget
from tilesolve.geometry.lattice import HEX
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.difficulty import difficulty, view
from tilesolve_models.five_minute_puzzle.sheets import shipped
from tilesolve_models.five_minute_puzzle.state import State, load

SMALL = Node(
    {
        "game": "five-minute-puzzle",
        "standard": False,
        "sheet": {
            "lattice": "hex",
            "rows": ["h h r h", " h b h h", "h h h"],
            "legend": {
                "h": {"kind": "hexagon"},
                "r": {"kind": "circle", "penalty": 3},
                "b": {"kind": "circle", "penalty": 2},
            },
            "pieces": [
                {"name": "A", "die": 1, "rows": ["h r h"]},
                {"name": "B", "die": 2, "rows": ["h b"]},
                {"name": "C", "die": 3, "rows": ["h h"]},
            ],
        },
        "history": [{"roll": 3, "piece": "C", "cells": [[2, 0], [2, 2]]}],
    }
)


def test_a_sheet_is_as_hard_from_every_side() -> None:
    state = load(SMALL)
    assert rules.check(state).legal
    budget = Budget(seconds=None, work=2_000_000)
    first = difficulty(state, budget=budget, games=5)
    for symmetry in HEX.symmetries[1:]:
        seen = view(state, symmetry)
        assert rules.check(seen).legal
        second = difficulty(seen, budget=budget, games=5)
        assert (second.measures, second.grade) == (first.measures, first.grade)


@pytest.mark.parametrize("name", ["synthetic-a", "synthetic-b"])
def test_figures_of_the_shipped_sheets(name: str) -> None:
    budget = Budget(seconds=None, work=4_000_000)
    measures = difficulty(State(shipped(name)), budget=budget, games=3).measures
    assert (measures["cells"], measures["pieces"]) == (51, 12)
    assert measures["least_penalty"] <= measures["optimum_mean"]
    assert measures["optimum_mean"] <= measures["players"]["greedy"]["mean"]
    assert measures["above_optimum"]["greedy"] <= measures["above_optimum"]["random"]
