"""Results as a page that needs nothing else: table, plots, correlations, drawings, CSV."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any, TypeAlias

from tilesolve import service
from tilesolve.answers import Json, Witness
from tilesolve.bench.ranks import correlations, measures_of
from tilesolve.bench.table import ordered
from tilesolve.budget import Budget
from tilesolve.draw import svg
from tilesolve.draw.picture import Picture
from tilesolve.errors import TilesolveError
from tilesolve.wire import Node

Row: TypeAlias = Mapping[str, Json]

DRAWN = 6
"""How many of the hardest and of the easiest are drawn."""

_UNDRAWN = "<p>The results hold no puzzle with a grade, so there is nothing to draw.</p>"

_UNSEEN = ("puzzle", "key", "version", "python", "work", "seed")


def page(rows: Sequence[Row], *, title: str) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    rows : sequence of mapping
        Flat rows, as `tilesolve.bench.table.read` gives them.
    title : str
        Heading of the page.

    Examples
    --------
    >>> rows = [{"name": "a", "grade": 1.5, "puzzle": '"2x2"'}, {"name": "b", "grade": 3.0}]
    >>> "Rank correlation" in page(rows, title="small")
    True
    """
    columns = _columns(rows)
    measures = [name for name in measures_of(rows) if name in columns]
    data = {
        "columns": columns,
        "rows": [[row.get(name) for name in columns] for row in rows],
        "measures": measures,
        "correlations": [[*pair, value] for pair, value in correlations(rows, measures).items()],
    }
    # Written into a script element, where "</" would end it.
    embedded = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    template = files("tilesolve.bench").joinpath("page.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(title),
        "about": escape(_about(rows)),
        "hardest": "".join(_drawings(_sorted(rows, hardest=True))) or _UNDRAWN,
        "easiest": "".join(_drawings(_sorted(rows, hardest=False))) or _UNDRAWN,
        "data": embedded,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], template)


def _columns(rows: Sequence[Row]) -> list[str]:
    return [name for name in ordered(name for row in rows for name in row) if name not in _UNSEEN]


def _about(rows: Sequence[Row]) -> str:
    failed = sum("error" in row for row in rows)
    cut = sum("stopped_by" in row for row in rows)
    parts = [f"{len(rows)} sheets"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{cut} cut short by their budget"] if cut else []
    for name, said in (("version", "tilesolve"), ("python", "Python"), ("seed", "seed")):
        values = sorted({str(row[name]) for row in rows if name in row})
        parts += [f"{said} {', '.join(values)}"] if values else []
    return " · ".join(parts)


def _sorted(rows: Sequence[Row], *, hardest: bool) -> list[Row]:
    rated = [row for row in rows if isinstance(row.get("grade"), int | float)]
    return sorted(rated, key=lambda row: (row["grade"], str(row["name"])), reverse=hardest)


def _drawings(rows: Sequence[Row]) -> Iterator[str]:
    drawn = 0
    for row in rows:
        picture = _picture(row)
        if picture is None:
            continue
        encoded = base64.b64encode(svg.render(picture).encode()).decode()
        name = escape(str(row["name"]))
        solutions = f", solutions: {row['solutions']}" if "solutions" in row else ""
        yield (
            f'<figure><img alt="{name}" src="data:image/svg+xml;base64,{encoded}">'
            f"<figcaption>{name}<br>grade {row['grade']}{solutions}</figcaption></figure>"
        )
        drawn += 1
        if drawn == DRAWN:
            return


def _picture(row: Row) -> Picture | None:
    """Return the picture of a row's puzzle, with a solution where one is quickly found."""
    try:
        question = service.load(Node(json.loads(row["puzzle"])))
        return _solved(question) or question.game.picture(question.state)
    except (TilesolveError, KeyError, ValueError):  # drawings are an extra: no row must have one
        return None


def _solved(question: service.Question) -> Picture | None:
    game = question.game
    if game.illustrate is None or "solve" not in game.info.operations:
        return None
    budget = Budget(seconds=2.0, work=1_000_000)
    answers: Any = service.ask(question, "solve", budget=budget, parameters={"limit": Node(1)})
    first = next(iter(answers), None) if isinstance(answers, Iterator) else None
    return game.illustrate(question.state, first) if isinstance(first, Witness) else None


def correlations_text(rows: Sequence[Row]) -> str:
    """Return how each measure goes with the grade, strongest first, as lines of text.

    Examples
    --------
    >>> rows = [{"name": str(n), "grade": n, "cells": 2 * n} for n in range(5)]
    >>> print(correlations_text(rows))
    rank correlation with the grade (Spearman):
      +1.000  cells
    """
    measures = measures_of(rows)
    found = [
        (value, first if second == "grade" else second)
        for (first, second), value in correlations(rows, measures).items()
        if "grade" in (first, second)
    ]
    lines = [f"  {value:+.3f}  {name}" for value, name in sorted(found, key=lambda f: -abs(f[0]))]
    if not lines:
        return "rank correlation with the grade: too few sheets that differ"
    return "\n".join(["rank correlation with the grade (Spearman):", *lines])
