"""Every measure and every weight of every game is explained in the docs."""

import re
from pathlib import Path
from typing import Any

import pytest

from tilesolve.budget import Budget
from tilesolve.library import difficulty
from tilesolve.placement.techniques import TECHNIQUES_BY_NAME

TEXT = (Path(__file__).parents[2] / "docs" / "difficulty.md").read_text("utf-8")
BUDGET = Budget(seconds=None, work=2_000_000)

DEAL = {"cards": [[1, 2], [3], [4, 5]], "blocks": {"3": [0, -1]}, "covered": [1, 2, 4, 5]}
SLIDE = {"board": ["AA.", "BC.", "B.."], "goal": "A at 2,0"}
ASKED: list[tuple[str, Any]] = [
    ("polyform", {"sheet": "3x5", "pieces": "P,U,V"}),
    ("sliding-blocks", {"game": "sliding-blocks", **SLIDE}),
    ("lets-klack", {"game": "lets-klack", **DEAL}),
    ("five-minute-puzzle", {"game": "five-minute-puzzle", "sheet": "synthetic-a"}),
    ("second-chance", {"game": "second-chance", "rows": ["." * 9] * 9, "start_tile": "start4"}),
]
WEIGHT = re.compile(r"`(\w+)` \| ([0-9.]+) \|")


@pytest.mark.parametrize(("game", "state"), ASKED, ids=[game for game, _ in ASKED])
def test_measures_and_weights_are_explained(game: str, state: Any) -> None:
    settings: dict[str, Any] = {} if game == "sliding-blocks" else {"games": 2}
    answer = difficulty(state, budget=BUDGET, **settings)
    unexplained = [name for name in answer.measures if f"`{name}`" not in TEXT]
    assert not unexplained
    stated = {(name, float(weight)) for name, weight in WEIGHT.findall(TEXT)}
    assert set(answer.details["weights"].items()) <= stated
    assert set(answer.details["grade_parts"]) == set(answer.details["weights"])


def test_techniques_are_explained_in_their_order() -> None:
    places = [TEXT.index(f"| `{name}` |") for name in TECHNIQUES_BY_NAME]
    assert places == sorted(places)
