"""Pictures of the sheet and of answers."""

from __future__ import annotations

from dataclasses import replace

from tilesolve.budget import Budget
from tilesolve.draw import svg, text
from tilesolve_models.five_minute_puzzle.hints import hint
from tilesolve_models.five_minute_puzzle.model import fit
from tilesolve_models.five_minute_puzzle.picture import illustrate, picture
from tilesolve_models.five_minute_puzzle.scoring import best
from tilesolve_models.five_minute_puzzle.sheets import LABEL, shipped
from tilesolve_models.five_minute_puzzle.state import State

START = State(shipped("synthetic-b"), roll=2)
PLENTY = Budget(seconds=None, work=10**6)


def test_the_sheet_says_that_it_is_synthetic() -> None:
    drawn = picture(START)
    assert LABEL in drawn.notes
    assert sum(tile.kind == "circle" for tile in drawn.tiles) == 17
    assert "bear" not in text.render(drawn)
    assert svg.render(drawn).startswith("<")


def test_the_best_line_is_drawn_with_what_is_filled_first() -> None:
    fresh = replace(START, roll=None)
    drawn = illustrate(fresh, best(fresh, budget=PLENTY, prefill=3))
    assert drawn is not None
    labels = [tile.label for tile in drawn.tiles]
    assert labels.count("#") == 3
    assert all(labels.count(piece.name) == 4 for piece in START.edition.pieces)


def test_all_pieces_that_fit_and_the_first_hint_are_drawn() -> None:
    drawn = illustrate(START, fit(START, budget=PLENTY))
    assert drawn is not None
    assert sum(tile.role == "open" for tile in drawn.tiles) == 3
    hinted = illustrate(START, hint(START, count=1, budget=Budget(seconds=None, work=500)))
    assert hinted is not None
    assert sum(tile.marked for tile in hinted.tiles) == 4
    assert illustrate(START, "nothing") is None
