"""The documentation's puzzles load, and its numbers are right."""

import re
from pathlib import Path

from tilesolve.budget import Budget
from tilesolve.wire import parse
from tilesolve_models.sliding_blocks import boards, model, rules, starts

PAGE = Path(__file__).parents[2] / "docs" / "games" / "sliding-blocks.md"


def test_the_json_example_loads_and_its_moves_are_legal() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r'    (\{"game".*?\]\})\n\n', text, flags=re.DOTALL)
    state = boards.load(parse(example))
    assert rules.check(state).legal
    assert len(state.moves) == 2


def test_the_table_of_metrics() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"\| `(\w+)`[^|]*\|[^|]*\| (\d+) \|", text)
    assert {metric for metric, _ in rows} == {"steps", "lines", "moves"}
    for metric, moves in rows:
        best = model.best(starts.known("klotski"), budget=Budget(seconds=None), metric=metric)
        assert best.score == int(moves)
