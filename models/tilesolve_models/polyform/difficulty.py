"""How hard is this sheet? Named measures, and one grade from stated weights.

The sheet is turned into a fixed position first, so that no measure depends on how it was drawn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilesolve.answers import Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import InputError
from tilesolve.geometry.lattice import Symmetry
from tilesolve.geometry.piece import dump_pieces
from tilesolve.geometry.sheet import dump_sheet
from tilesolve.placement.build import Layout, TooManyOptions, build
from tilesolve.placement.techniques import TECHNIQUES_BY_NAME, deduce
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.counting import Tally, tally
from tilesolve_models.polyform.players import PLAYERS, success
from tilesolve_models.polyform.rules import State

WEIGHTS: Mapping[str, float] = {
    "technique": 4.0,
    "unforced": 2.0,
    "effort": 2.0,
    "rarity": 1.0,
    "choice": 1.0,
}
"""What the grade is made of; each part is between 0 and 1.

`technique`: how high on the ladder the hardest technique needed stands. `unforced`: the share of
cells that the ladder leaves undecided. `effort`: nodes of a search for the first solution, 100,000
and more being 1. `rarity`: 1 for one solution, a half for ten, a third for a hundred. `choice`:
placements at the start, 10,000 and more being 1.
"""

_GAMES = 200


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    weights: Node | None = None,
) -> Difficulty:
    """Measure how hard it is to cover the sheet.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.
    weights : Node or None
        Other weights of the grade, as ``{"technique": 1, "rarity": 0}``; what is left out
        keeps its weight.

    Raises
    ------
    InputError
        For weights that are not understood, or a sheet too large to measure.
    IllegalState
        If what lies on the sheet breaks a rule.

    Examples
    --------
    >>> state = rules.load(Node({"sheet": "3x5", "pieces": "P,U,V"}))
    >>> answer = difficulty(state, budget=Budget(seconds=None, work=2_000_000))
    >>> answer.measures["solutions"], answer.hardest_technique
    (4, 'guess')
    """
    used = _weights(weights)
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    wanted = state.goal != "packing" if cover is None else cover
    turned = canonical(state)
    try:
        layout = build(turned.sheet, rules.left(turned), cover=wanted)
    except TooManyOptions as error:
        raise InputError(str(error)) from None
    measured = _measure(turned, layout, meter)
    parts = _parts(measured)
    total = sum(used.values()) or 1.0
    grade = 1 + 9 * sum(used[name] * parts[name] for name in used) / total
    return Difficulty(
        grade=round(grade, 1),
        measures=measured.listed,
        hardest_technique=measured.hardest,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"grade_parts": parts, "weights": used},
    )


def _weights(node: Node | None) -> dict[str, float]:
    if node is None:
        return dict(WEIGHTS)
    fields = node.object(*WEIGHTS)
    return {**WEIGHTS, **{name: field.number(0) for name, field in fields.items()}}


def canonical(state: State) -> State:
    """Return the same puzzle turned or mirrored into a fixed position.

    Sheet and pieces are turned together, so that pieces which may not be mirrored stay the same.

    Examples
    --------
    >>> lying = rules.load(Node({"sheet": "2x3", "pieces": "I3*2"}))
    >>> standing = rules.load(Node({"sheet": "3x2", "pieces": "I3*2"}))
    >>> canonical(lying) == canonical(standing)
    True
    """
    variants = (_turned(state, symmetry) for symmetry in state.sheet.lattice.symmetries)
    return min(variants, key=_text)


def _text(state: State) -> str:
    return json.dumps([dump_sheet(state.sheet), dump_pieces(state.pieces, state.sheet.legend)])


def _turned(state: State, symmetry: Symmetry) -> State:
    sheet, lattice = state.sheet, state.sheet.lattice
    offset = sheet.offset
    moved = {cell: symmetry.image((cell[0], cell[1] + offset)) for cell in sheet.grounds}
    top = min((row for row, _ in moved.values()), default=0)
    left = min((column for _, column in moved.values()), default=0)
    left -= (top + left) % lattice.step
    place = {cell: (row - top, column - left) for cell, (row, column) in moved.items()}
    grounds = {place[cell]: ground for cell, ground in sheet.grounds.items()}
    turned = replace(
        sheet,
        grounds=dict(sorted(grounds.items())),
        lettered=tuple(
            replace(group, cells=tuple(sorted(place[cell] for cell in group.cells)))
            for group in sheet.lettered
        ),
        placed=tuple(
            replace(piece, cells=tuple(sorted(place[cell] for cell in piece.cells)))
            for piece in sheet.placed
        ),
    )
    # A piece is written down by the least of its orientations, whichever way it was drawn.
    pieces = tuple(
        replace(
            piece,
            pattern=min(
                replace(piece, pattern=pattern).turned(symmetry.image)
                for pattern in piece.orientations
            ),
        )
        for piece in state.pieces
    )
    return replace(state, sheet=turned, pieces=pieces)


@dataclass(frozen=True)
class _Measured:
    listed: Mapping[str, Json]
    hardest: str | None
    nodes: int
    solutions: int
    undecided: float
    placements: int


def _measure(state: State, layout: Layout, meter: Meter) -> _Measured:
    problem = layout.problem
    nodes = _effort(layout, meter)
    ladder = deduce(problem, meter=meter.part(seconds=meter.share(0.3), work=2_000_000))
    found = tally(layout, meter.part(seconds=meter.share(0.7), work=meter.remaining_work))
    solutions = found.counted.raw
    decided = _decided(layout, ladder.position.placed)
    undecided = 1 - decided / len(problem.cells) if problem.cells else 0.0
    copies = sum(piece.least if piece.most is None else piece.most for piece in layout.pieces)
    listed: dict[str, Json] = {
        "cells": len(problem.cells),
        "pieces": copies,
        "placements": len(problem.options),
        "solutions": solutions,
        "solutions_exact": found.counted.stopped_by is None,
        "search_nodes": nodes,
        "ladder_steps": len(ladder.steps),
        "ladder_end": ladder.end,
        "cells_decided_by_ladder": round(1 - undecided, 4),
        "techniques": _used([step.technique for step in ladder.steps]),
    }
    if found.counted.stopped_by is None and solutions:
        listed |= _choice(layout, found)
    games = {
        name: success(layout, name, games=_GAMES, seed=meter.budget.seed, meter=meter)
        for name in PLAYERS
    }
    listed["players"] = {name: won for name, won in games.items() if won}
    return _Measured(listed, ladder.hardest, nodes, solutions, undecided, len(problem.options))


def _effort(layout: Layout, meter: Meter) -> int:
    """Return the nodes of a search for the first solution, or for the proof that there is none."""
    from tilesolve.placement.search import first_cover

    part = meter.part(seconds=meter.share(0.2), work=1_000_000)
    first_cover(layout.problem, meter=part)
    meter.spend(part.worked)
    return part.worked


def _decided(layout: Layout, placed: Sequence[int]) -> int:
    return sum(layout.problem.options[option].mask.bit_count() for option in placed)


def _used(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in TECHNIQUES_BY_NAME if name in names}


def _choice(layout: Layout, found: Tally) -> dict[str, Json]:
    """Return what the marginals say: how free the pieces are, and what all solutions share."""
    total = found.counted.raw
    entropy = [0.0] * len(layout.problem.kinds)
    owners: list[dict[int, int]] = [{} for _ in layout.problem.cells]
    for option, times in zip(layout.problem.options, found.occurrences, strict=True):
        if times:
            share = times / total
            entropy[option.kind] -= share * math.log2(share)
            for cell in option.cells():
                owners[cell][option.kind] = owners[cell].get(option.kind, 0) + times
    forced = sum(times == total for times in found.occurrences)
    fixed = sum(total in shares.values() for shares in owners)
    alive = sum(times > 0 for times in found.occurrences)
    return {
        "entropy_bits": round(sum(entropy) / max(1, len(entropy)), 4),
        "forced_placements": forced,
        "backbone_cells": round(fixed / max(1, len(owners)), 4),
        "good_first_moves": round(alive / max(1, len(found.occurrences)), 4),
    }


def _parts(measured: _Measured) -> dict[str, float]:
    rungs = len(TECHNIQUES_BY_NAME) - 1
    rung = 0 if measured.hardest is None else TECHNIQUES_BY_NAME.index(measured.hardest)
    rarity = 1 / (1 + math.log10(measured.solutions)) if measured.solutions else 1.0
    return {
        "technique": round(rung / rungs, 4),
        "unforced": round(measured.undecided, 4),
        "effort": round(min(1.0, math.log10(max(1, measured.nodes)) / 5), 4),
        "rarity": round(rarity, 4),
        "choice": round(min(1.0, math.log10(max(1, measured.placements)) / 4), 4),
    }
