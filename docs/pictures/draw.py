"""Draw the pictures of the docs: ``python docs/pictures/draw.py`` writes them beside itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tilesolve import service
from tilesolve.answers import Explanation, Json, Placed
from tilesolve.draw import svg
from tilesolve.draw.picture import Picture
from tilesolve.proof.certificate import Claim, read_certificate
from tilesolve.proof.puzzle import bits, derive
from tilesolve.wire import Node
from tilesolve_models.polyform.rules import left


def asked(operation: str, sheet: Json, pieces: Json, **settings: Json) -> tuple[Any, Any]:
    """Return a question and its answer."""
    question = service.load(Node({"sheet": sheet, "pieces": pieces}))
    nodes = {name: Node(value) for name, value in settings.items()}
    return question, service.ask(question, operation, parameters=nodes)


def illustrated(operation: str, sheet: Json, pieces: Json, **settings: Json) -> Picture:
    """Return the picture of an answer."""
    question, answer = asked(operation, sheet, pieces, **settings)
    picture: Picture = question.game.illustrate(question.state, answer)
    return picture


POCKETED = {
    "rows": ["........."] * 9,
    "placed": [
        {"piece": "L", "cells": [[0, 3], [1, 0], [1, 1], [1, 2], [1, 3]]},
        {"piece": "I5", "cells": [[4, 2], [4, 3], [4, 4], [4, 5], [4, 6]]},
        {"piece": "O4", "cells": [[7, 7], [7, 8], [8, 7], [8, 8]]},
    ],
}
"""A 9x9 sheet in which the first placement cuts a corner off."""

REST = ["L", "I5", "O4", "P*5", "U*3", "Y*2", "T4*3", "L3", "I2"]


CROSS = ["##.##", "##.##", ".....", "##.##", "##.##"]
"""A sheet on which each I3 needs the middle."""


def search() -> Picture:
    """Return a sheet with the number of times that a written search branched on each cell."""
    question, answer = asked("fit", "5x6", "F,I,L,N,T,X", cover=True)
    certificate = read_certificate(Node(answer.certificate))
    times = Counter(certificate.branches)
    base: Picture = question.game.picture(question.state)
    numbers = {cell: number for number, cell in enumerate(question.state.sheet.open)}
    tiles = tuple(
        replace(
            tile,
            label=str(times[numbers[tile.at]] or ""),
            shade=times[numbers[tile.at]] / max(times.values()),
        )
        for tile in base.tiles
    )
    pieces = left(question.state)
    used = ", ".join(
        f"{piece.name} {times[len(numbers) + number]}"
        for number, piece in enumerate(pieces)
        if times[len(numbers) + number]
    )
    notes = (f"{len(certificate.branches)} nodes; branched on the pieces: {used}",)
    return replace(base, tiles=tiles, notes=notes)


def clauses() -> list[Picture]:
    """Return the placements that are variables of a proof in clauses, one a picture."""
    question, _ = asked("fit", ["...", ".#."], ["I2*2"], cover=False)
    state = question.state
    puzzle = derive(state.sheet, left(state), cover=False, claim=Claim())
    pictures = []
    for variable, mask in enumerate(puzzle.masks, start=1):
        cells = tuple(puzzle.cells[number] for number in bits(mask))
        placed = replace(
            state, sheet=state.sheet.with_placed([Placed(piece=f"{variable}", cells=cells)])
        )
        pictures.append(question.game.picture(placed))
    return pictures


def explained() -> list[Picture]:
    """Return a conflict, and two ways out of it."""
    question, answer = asked("explain", ["....##", "......", "....##"], ["I4*2", "L4*1", "T4"])
    assert isinstance(answer, Explanation)
    shown = [answer, *answer.ways_out[:2]]
    return [question.game.illustrate(question.state, each) for each in shown]


def pictures() -> Mapping[str, str]:
    """Return the pictures by file name."""
    return {
        "pocket.svg": svg.render(illustrated("explain", POCKETED, REST, cover=True)),
        "colouring.svg": svg.render(illustrated("fit", "4x5", "tetrominoes")),
        "weights.svg": svg.render(illustrated("fit", CROSS, ["I3*2"])),
        "search.svg": svg.render(search()),
        "clauses.svg": svg.sheet(clauses(), columns=4),
        "explained.svg": svg.sheet(explained(), columns=3),
    }


def main() -> None:
    """Write the pictures."""
    for name, drawn in pictures().items():
        (Path(__file__).parent / name).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
