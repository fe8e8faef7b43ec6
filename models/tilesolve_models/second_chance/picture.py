"""The picture of a table: grids side by side, what is turned up in the notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilesolve.answers import Best, Explanation, Fit, Hints, Placed, WayOut
from tilesolve.draw.picture import Picture, Tile, square
from tilesolve.wire import Node
from tilesolve_models.second_chance.deck import Tile as Named
from tilesolve_models.second_chance.deck import read_tile
from tilesolve_models.second_chance.ending import outcomes
from tilesolve_models.second_chance.notation import load_move
from tilesolve_models.second_chance.rules import apply
from tilesolve_models.second_chance.state import Drawn, Player, State

GAP = 2
"""Columns between two grids."""


def picture(state: State) -> Picture:
    """Return the grids of all players, left to right in seat order.

    Examples
    --------
    >>> drawn = picture(State((Player(("A.", "A1")),), marked=(0, 1)))
    >>> [tile.label for tile in drawn.tiles]
    ['A', '+', 'A', '1']
    """
    width = state.grid.columns + GAP
    tiles = [
        tile
        for seat, player in enumerate(state.players)
        for tile in _tiles(state, player, seat, seat * width)
    ]
    return Picture(tiles=tuple(tiles), title=_title(state), notes=tuple(_notes(state)))


def _tiles(state: State, player: Player, seat: int, shift: int) -> list[Tile]:
    groups = _groups(player)
    tiles = []
    for row in range(state.grid.rows):
        for column in range(state.grid.columns):
            label = groups.get((row, column), "")
            marked = (row, column) == state.marked and not label
            at = (row, column + shift)
            tiles.append(
                Tile(
                    at=at,
                    outline=square(at),
                    label="+" if marked else label[:1],
                    group=f"{seat} {label}" if label else "",
                    role="filled" if label else "open",
                )
            )
    return tiles


def _groups(player: Player) -> dict[tuple[int, int], str]:
    """Return the name of what lies on each filled square: a letter, a 1, or a placed tile."""
    groups = {cell: player.rows[cell[0]][cell[1]] for cell in player.signs(lambda s: s != ".")}
    for number, drawn in enumerate(player.drawn):
        for cell in drawn.cells:
            groups.setdefault(cell, f"{drawn.tile.name} {number}")
    if player.bonus is not None:
        groups.setdefault(player.bonus, "1")
    return groups


def _title(state: State) -> str:
    phase = state.phase.replace("_", " ")
    return f"Second Chance, round {state.round}, {phase}"


def _notes(state: State) -> list[str]:
    notes = []
    for player in state.players:
        name = f"{player.name}: " if player.name else ""
        out = f", out in round {player.out}" if player.out is not None else ""
        notes.append(f"{name}{player.empties} empty{out}")
    if state.turned_up:
        notes.append("turned up: " + ", ".join(tile.name for tile in state.turned_up))
    if state.cards_left is not None:
        notes.append(f"{state.cards_left} cards left")
    return notes + [outcome.message for outcome in outcomes(state)]


def _with(state: State, witness: Sequence[Placed], without: Sequence[Placed] = ()) -> Picture:
    """Return the first grid with tiles placed, and without what is taken back or freed for them."""
    first = state.players[0]
    gone = {placed.cells for placed in without}
    taken = {cell for placed in witness for cell in placed.cells}
    rows = tuple(
        "".join("." if (row, column) in taken else sign for column, sign in enumerate(text))
        for row, text in enumerate(first.rows)
    )
    drawn = [each for each in first.drawn if each.cells not in gone]
    placed = [Drawn(Named.of(p.cells, p.piece), p.cells) for p in witness]
    shown = replace(first, rows=rows, drawn=(*drawn, *placed))
    return picture(replace(state, players=(shown, *state.players[1:])))


def illustrate(state: State, answer: object) -> Picture | None:
    """Return the picture of an answer: a hint's squares marked, a witness or a line drawn."""
    if isinstance(answer, Hints) and answer.hints:
        return picture(state).marking(answer.hints[0].cells)
    if isinstance(answer, Explanation) and answer.conflict and len(state.players) == 1:
        return picture(state).marking((row, column) for row, column in answer.conflict["cells"])
    if isinstance(answer, Fit) and answer.witness:
        return _with(state, answer.witness)
    if isinstance(answer, WayOut):
        return _with(state, answer.witness, answer.without)
    if isinstance(answer, Explanation) and "witness" in answer.details:
        return _with(state, answer.details["witness"])
    if isinstance(answer, Best) and answer.line and not state.table:
        order = answer.details.get("order")
        if order is not None:
            state = replace(state, order=tuple(read_tile(Node(t), state.deck) for t in order))
        for move in answer.line:
            state = apply(state, load_move(Node(move), state))
        return picture(state)
    return None
