"""How hard a sheet is: what can be drawn on it, how little can stay open, how players fare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tilesolve.answers import Cell, Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.geometry.lattice import HEX, Symmetry
from tilesolve.geometry.sheet import dump_sheet
from tilesolve.grading import grade_of, on_scale, read_weights
from tilesolve.simulate.outcomes import outcomes
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import require_legal
from tilesolve_models.five_minute_puzzle.scoring import best
from tilesolve_models.five_minute_puzzle.simulation import simulate
from tilesolve_models.five_minute_puzzle.state import CrossOut, Draw, State

WEIGHTS: Mapping[str, float] = {"least": 3.0, "luck": 2.0, "greedy": 3.0, "tightness": 2.0}
"""What the grade is made of.

`least`: the least penalty that can be reached at all, 20 being 1. `luck`: what the die costs more
than that, were it known: the mean optimum above the least penalty, 10 being 1. `greedy`: what
greedy play costs more than the optimum of the same rolls, 20 being 1. `tightness`: the share of
pieces that have fewer than ten placements at the start.
"""

GAMES = 60

_FEW = 10


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    games: int = GAMES,
    weights: Node | None = None,
) -> Difficulty:
    """Measure how hard a sheet is, from where the state stands.

    Every measure is explained in ``docs/difficulty.md``. The game is one of chance: players are
    measured by the distribution of their final penalties.

    Parameters
    ----------
    games : int
        Games of each simulated player.
    weights : Node or None
        Other weights of the grade.

    Raises
    ------
    IllegalState
        If the history breaks a rule.
    InputError
        For weights that are not understood.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> answer = difficulty(State(shipped("synthetic-a")), budget=Budget(), games=5)
    >>> answer.measures["cells"], answer.measures["pieces"], answer.measures["least_penalty"]
    (51, 12, 4)
    """
    used = read_weights(weights, WEIGHTS)
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    turned = canonical(state)
    measures = dict(_size(turned))
    reachable = best(
        replace(turned, roll=None, rolls=()), budget=meter.part(seconds=meter.share(0.4)).budget
    )
    if reachable.score is not None:
        measures["least_penalty"] = reachable.score
        measures["least_penalty_exact"] = reachable.proof == "optimal"
    played = simulate(
        turned,
        games=games,
        policies=("random", "greedy"),
        budget=meter.part(seconds=meter.remaining_seconds).budget,
        watch=watch,
    )
    measures["players"] = outcomes(played.policies)
    if played.optimum is not None:
        measures["optimum_mean"] = round(played.optimum["mean"], 3)
        above = played.details["above_optimum"]
        measures["above_optimum"] = {name: round(gap["mean"], 3) for name, gap in above.items()}
    parts = _parts(measures)
    return Difficulty(
        grade=grade_of(parts, used),
        measures=measures,
        stopped_by=played.stopped_by or reachable.stopped_by,
        seconds=meter.seconds,
        details={"grade_parts": parts, "weights": used},
    )


def _size(state: State) -> Mapping[str, Json]:
    """Return what there is to see before anything is played."""
    now = rules.position(state)
    placements = [
        sum(not mask & now.filled for mask in now.edition.placements[piece])
        for piece in range(len(now.edition.pieces))
        if now.available >> piece & 1
    ]
    return {
        "cells": len(state.edition.sheet.grounds) - now.filled.bit_count(),
        "pieces": len(placements),
        "placements": sum(placements),
        "placements_least": min(placements, default=0),
        "pieces_with_few_placements": round(
            sum(own < _FEW for own in placements) / max(1, len(placements)), 4
        ),
    }


def _parts(measures: Mapping[str, Json]) -> dict[str, float]:
    least = measures.get("least_penalty", 0)
    optimum = measures.get("optimum_mean", least)
    return {
        "least": on_scale(least, 20),
        "luck": on_scale(optimum - least, 10),
        "greedy": on_scale(measures.get("above_optimum", {}).get("greedy", 0.0), 20),
        "tightness": measures["pieces_with_few_placements"],
    }


def canonical(state: State) -> State:
    """Return the same sheet and play in a fixed position, whichever way it was drawn.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> state = State(shipped("synthetic-b"))
    >>> mirrored = view(state, HEX.symmetries[-1])
    >>> mirrored.edition == state.edition, canonical(mirrored) == canonical(state)
    (False, True)
    """
    views = (view(state, symmetry) for symmetry in HEX.symmetries)
    return min(views, key=lambda each: json.dumps(dump_sheet(each.edition.sheet)))


def view(state: State, symmetry: Symmetry) -> State:
    """Return a state seen from another side; pieces may be turned and mirrored, so they stay."""
    sheet = state.edition.sheet
    offset = sheet.offset
    moved = {(row, column): symmetry.image((row, column + offset)) for row, column in sheet.grounds}
    top = min(row for row, _ in moved.values())
    left = min(column for _, column in moved.values())
    left -= (top + left) % 2
    place = {cell: (row - top, column - left) for cell, (row, column) in moved.items()}

    def there(cells: Iterable[Cell]) -> tuple[Cell, ...]:
        return tuple(sorted(place[cell] for cell in cells))

    def again(move: Draw | CrossOut) -> Draw | CrossOut:
        return replace(move, cells=there(move.cells)) if isinstance(move, Draw) else move

    grounds = {place[cell]: ground for cell, ground in sheet.grounds.items()}
    turned = replace(sheet, grounds=dict(sorted(grounds.items())))
    return replace(
        state,
        edition=replace(state.edition, sheet=turned, name=""),
        prefilled=there(state.prefilled),
        history=tuple(again(move) for move in state.history),
    )
