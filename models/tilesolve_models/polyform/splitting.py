"""The solutions sorted: by the placements of some pieces, or by the cells they cover."""

from __future__ import annotations

from collections.abc import Sequence

from tilesolve.answers import Json
from tilesolve.budget import Meter
from tilesolve.errors import InputError
from tilesolve.placement.build import Layout

COVERED = "covered-cells"
"""What to sort by, beside names of pieces."""

MOST_KINDS = 1 << 40
"""The most combinations of placements that solutions are sorted into."""


def split_solutions(layout: Layout, by: str, *, meter: Meter) -> list[Json] | None:
    """Return how many solutions there are of each sort, or None when the meter stopped it.

    Parameters
    ----------
    layout : Layout
        What is still to do.
    by : str
        Names of pieces that are used at most once, with commas between: one sort for each
        combination of their placements. Or ``covered-cells``: one for each number of cells that
        are covered, most first.

    Returns
    -------
    list of dict or None
        ``solutions``, and ``placements`` (those of the named pieces) or ``covered``.

    Raises
    ------
    InputError
        For a name that is no piece to be placed at most once.

    Examples
    --------
    Two dominoes on 2x3: where the one is, and how often.

    >>> from tilesolve.budget import Budget
    >>> from tilesolve.geometry.piece import read_pieces
    >>> from tilesolve.geometry.sheet import rectangle
    >>> from tilesolve.placement.build import build
    >>> from tilesolve.wire import Node
    >>> layout = build(rectangle(1, 4), read_pieces(Node("I1,I3")).pieces, cover=True)
    >>> split_solutions(layout, "I1", meter=Meter(budget=Budget()))[0]
    {'placements': [{'piece': 'I1', 'cells': [[0, 0]]}], 'solutions': 1}
    """
    from tilesolve.placement.ways import count_by_sum

    problem = layout.problem
    if by == COVERED:
        sizes = [option.mask.bit_count() for option in problem.options]
        covered = count_by_sum(problem, sizes, meter=meter)
        if covered is None:
            return None
        return [
            {"covered": cells, "solutions": _figure(covered[cells])}
            for cells in sorted(covered, reverse=True)
        ]
    places = [_options(layout, name.strip()) for name in by.split(",")]
    labels = [0] * len(problem.options)
    radix = 1
    for options in places:
        for place, option in enumerate(options, start=1):
            labels[option] = place * radix
        radix *= len(options) + 1
    if radix > MOST_KINDS:
        raise InputError("too many combinations of placements; name fewer pieces", place="by")
    found = count_by_sum(problem, labels, meter=meter)
    if found is None:
        return None
    return [
        {"placements": _placements(layout, places, label), "solutions": _figure(solutions)}
        for label, solutions in found.items()
    ]


def _options(layout: Layout, name: str) -> list[int]:
    """Return the placements of a piece that is used at most once."""
    for kind, piece in enumerate(layout.pieces):
        if name in piece.names:
            if piece.most != 1:
                raise InputError(f"'{name}' may be used more than once", place="by")
            options = enumerate(layout.problem.options)
            return [number for number, option in options if option.kind == kind]
    known = ", ".join(piece.name for piece in layout.pieces)
    raise InputError(
        f"'{name}' is no piece that is still to be placed; there are: {known}", place="by"
    )


def _placements(layout: Layout, places: Sequence[Sequence[int]], label: int) -> list[Json]:
    """Return the placements that a label stands for; a piece left out has none."""
    found: list[Json] = []
    for options in places:
        label, place = divmod(label, len(options) + 1)
        if place:
            placed = layout.placed(options[place - 1])
            cells = [list(cell) for cell in placed.cells]
            found.append({"piece": placed.piece, "cells": cells})
    return found


def _figure(solutions: int) -> int | str:
    return solutions if solutions <= 2**53 else str(solutions)
