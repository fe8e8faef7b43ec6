"""A layout seen from its sides: the same layout turned or mirrored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from tilesolve.answers import Cell
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.position import State


def views(state: State) -> Iterator[State]:
    """Yield the layout from every side, eight for a square one and else four, itself first.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> [view.blocks for view in views(state)][:2]
    [((3, (0, -1)),), ((3, (2, -1)),)]
    """
    rows, columns = len(state.cards), 2 * len(state.cards[0]) - 1
    for turned in (False, True) if rows == columns else (False,):
        for mirrored in (False, True):
            for upside_down in (False, True):
                yield _view(state, upside_down=upside_down, mirrored=mirrored, turned=turned)


def _view(state: State, *, upside_down: bool, mirrored: bool, turned: bool) -> State:
    rows, columns = len(state.cards), 2 * len(state.cards[0]) - 1

    def image(cell: Cell) -> Cell:
        row, column = cell
        row = rows - 1 - row if upside_down else row
        column = columns - 1 - column if mirrored else column
        return (column, row) if turned else (row, column)

    laid = {
        image(cell): value for cell, value in zip(state.ground.cards, state.values, strict=True)
    }
    cards = tuple(
        tuple(laid[row, column] for column in range(columns) if (row, column) in laid)
        for row in range(rows)
    )
    return replace(
        state,
        cards=cards,
        blocks=tuple((value, image(cell)) for value, cell in state.blocks),
        face_down=tuple(sorted(image(cell) for cell in state.face_down)),
    )


def canonical(state: State) -> State:
    """Return the view that all views of a layout have in common.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> len({canonical(view).blocks for view in views(state)})
    1
    """
    return min(views(state), key=lambda view: json.dumps(rules.dump(view)))
