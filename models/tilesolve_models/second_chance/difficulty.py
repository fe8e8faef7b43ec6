"""How hard a start tile, a deck or a grid is: how many squares players leave empty."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tilesolve.answers import Cell, Difficulty, Json, PolicyScore
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.grading import grade_of, on_scale, read_weights
from tilesolve.simulate.outcomes import outcomes
from tilesolve.wire import Node
from tilesolve_models.second_chance.asking import require_legal, seat_of
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.notation import dump
from tilesolve_models.second_chance.rules import open_placements
from tilesolve_models.second_chance.state import Player, State
from tilesolve_models.second_chance.table import simulate

WEIGHTS: Mapping[str, float] = {"learned": 4.0, "greedy": 2.0, "luck": 2.0, "tightness": 2.0}
"""What the grade is made of.

`learned` and `greedy`: squares that these two leave empty on average, 8 and 16 and more being 1.
`luck`: the standard deviation of what the first of them leaves, 5 being 1: how much the cards
decide. `tightness`: the share of the cards left that fit nowhere now, or in fewer than ten ways.
"""

POLICIES = ("random", "greedy", "learned")
"""Players of growing skill."""

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
    """Measure how hard a start tile, a deck or a position is, played alone to the end.

    Every measure is explained in ``docs/difficulty.md``. The game is one of chance: players are
    measured by the distribution of the squares they leave empty. Of a table it is the grid of
    the next in seat order.

    Parameters
    ----------
    games : int
        Games of each simulated player.
    weights : Node or None
        Other weights of the grade.

    Raises
    ------
    IllegalState
        If the state breaks a rule.
    InputError
        For weights that are not understood.

    Examples
    --------
    >>> from tilesolve_models.second_chance.starter import new
    >>> answer = difficulty(new(seed=1), budget=Budget(), games=3)
    >>> answer.measures["squares"], answer.measures["start_squares"]
    (81, 8)
    """
    used = read_weights(weights, WEIGHTS)
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    turned = canonical(state)
    player = turned.players[seat_of(turned, "")]
    measures: dict[str, Json] = {**_begin(turned, player), **_cards(turned, player)}
    played = simulate(
        turned, games=games, policies=POLICIES, budget=meter.part().budget, watch=watch
    )
    players = outcomes(played.policies)
    for score in played.policies:
        players[score.policy]["full"] = round(score.distribution.get("0", 0) / score.games, 4)
    measures["players"] = players
    parts = _parts(measures, played.policies)
    return Difficulty(
        grade=grade_of(parts, used),
        measures=measures,
        stopped_by=played.stopped_by,
        seconds=meter.seconds,
        details={"grade_parts": parts, "weights": used},
    )


def _begin(state: State, player: Player) -> dict[str, Json]:
    """Return what the grid and its start tile look like."""
    told: dict[str, Json] = {"squares": player.empties}
    if player.start_tile is not None:
        masks = list(open_placements(player, player.start_tile))
        centred = [mask for mask in masks if mask & state.mark == state.mark]
        told["start_squares"] = len(player.start_tile.shape)
        told["start_placements"] = len(centred)
        told["start_edges"] = player.grid.edges(centred[0]) if centred else 0
    return told


def _cards(state: State, player: Player) -> dict[str, Json]:
    """Return what is left of the deck and how it fits the grid as it is."""
    if state.remaining is None:
        return {}
    fits: dict[Tile, int] = {
        tile: sum(1 for _ in open_placements(player, tile)) for tile in state.remaining
    }
    cards = state.remaining.total()
    squares = sum(len(tile.shape) * copies for tile, copies in state.remaining.items())
    total = sum(fits[tile] * copies for tile, copies in state.remaining.items())
    tight = sum(copies for tile, copies in state.remaining.items() if fits[tile] < _FEW)
    return {
        "cards": cards,
        "card_squares": squares,
        "card_squares_mean": round(squares / max(1, cards), 3),
        "card_placements_mean": round(total / max(1, cards), 2),
        "tight_cards": round(tight / max(1, cards), 4),
    }


def _parts(measures: Mapping[str, Json], scores: Sequence[PolicyScore]) -> dict[str, float]:
    means = {score.policy: score.mean for score in scores}
    learned = next((score for score in scores if score.policy == "learned"), None)
    error = None if learned is None else learned.standard_error
    deviation = 0.0 if learned is None or error is None else error * math.sqrt(learned.games)
    return {
        "learned": on_scale(means.get("learned", 0.0), 8),
        "greedy": on_scale(means.get("greedy", 0.0), 16),
        "luck": on_scale(deviation, 5),
        "tightness": measures.get("tight_cards", 0.0),
    }


def canonical(state: State) -> State:
    """Return the view of a table that all its views have in common.

    Examples
    --------
    >>> from tilesolve_models.second_chance.starter import new
    >>> state = new(seed=1)
    >>> len({canonical(view) for view in views(state)})
    1
    """
    return min(views(state), key=lambda view: json.dumps(dump(view)))


def views(state: State) -> Iterator[State]:
    """Yield the table with all grids turned or mirrored alike, itself first."""
    rows, columns = state.grid.rows, state.grid.columns
    for turned in (False, True) if rows == columns else (False,):
        for mirrored in (False, True):
            for upside_down in (False, True):
                yield _view(state, turned=turned, mirrored=mirrored, upside_down=upside_down)


def _view(state: State, *, turned: bool, mirrored: bool, upside_down: bool) -> State:
    rows, columns = state.grid.rows, state.grid.columns

    def image(cell: Cell) -> Cell:
        row, column = cell
        row = rows - 1 - row if upside_down else row
        column = columns - 1 - column if mirrored else column
        return (column, row) if turned else (row, column)

    def seen(player: Player) -> Player:
        signs = {
            image((row, column)): sign
            for row, text in enumerate(player.rows)
            for column, sign in enumerate(text)
        }
        return replace(
            player,
            rows=tuple(
                "".join(signs[row, column] for column in range(columns)) for row in range(rows)
            ),
            drawn=tuple(
                replace(drawn, cells=tuple(sorted(image(cell) for cell in drawn.cells)))
                for drawn in player.drawn
            ),
            bonus=None if player.bonus is None else image(player.bonus),
        )

    marked = None if state.marked is None else image(state.marked)
    return replace(state, players=tuple(seen(player) for player in state.players), marked=marked)
