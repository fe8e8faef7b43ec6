"""How hard is this sheet? Named measures, and one grade from stated weights.

The sheet is turned into a fixed position first, so that no measure depends on how it was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tilesolve.answers import Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, StoppedBy, Watch
from tilesolve.errors import InputError
from tilesolve.geometry.piece import Piece
from tilesolve.grading import grade_of, on_log_scale, read_weights
from tilesolve.placement.build import TooManyOptions, build
from tilesolve.placement.problem import Problem
from tilesolve.placement.techniques import (
    EASIEST,
    GUESS,
    TECHNIQUES_BY_NAME,
    Board,
    Deduction,
    deduce,
)
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.canonical import canonical
from tilesolve_models.polyform.measures import Solutions, solutions_of
from tilesolve_models.polyform.players import PLAYERS, Table, success
from tilesolve_models.polyform.rules import State

WEIGHTS: Mapping[str, float] = {
    "technique": 4.0,
    "unforced": 2.0,
    "effort": 2.0,
    "rarity": 1.0,
    "choice": 1.0,
}
"""What the grade is made of; each part is between 0 and 1.

`technique`: how high on the ladder the hardest technique needed stands; `unforced`: the share of
cells that the ladder leaves undecided. Both count as far as the best of the simulated players
fails: where playing along succeeds nothing has to be found out. `effort`: partial fillings that a
search goes through for each solution, 100,000 and more being 1. `rarity`: 1 for one solution, a
half for ten, a third for a hundred. `choice`: placements at the start, 10,000 and more being 1.
Where pieces may be left out, each part is that of the puzzle as posed or of the one with all
pieces used, whichever is easier.
"""

GAMES = 200
"""Games of each simulated player."""

_LADDER_WORK = 2_000_000
_SEARCH_WORK = 1_000_000


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    games: int = GAMES,
    weights: Node | None = None,
) -> Difficulty:
    """Measure how hard it is to solve the sheet.

    Every measure is explained in ``docs/difficulty.md``. A sheet without solution has grade 10
    and ``answer: no`` in the details.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.
    games : int
        Games of each simulated player.
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
    used = read_weights(weights, WEIGHTS)
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    turned = canonical(state)
    wanted = state.goal != "packing" if cover is None else cover
    pieces = narrowed(rules.left(turned), len(turned.sheet.open), cover=wanted)
    posed = _measure(_problem(turned, pieces, cover=wanted), games, meter)
    every = _all_used(pieces, len(turned.sheet.open))
    fuller = _measure(_problem(turned, every, cover=wanted), games, meter) if every else None
    parts = _parts(posed)
    if fuller is not None and fuller.solutions.raw:
        parts = {name: min(part, _parts(fuller)[name]) for name, part in parts.items()}
    hopeless = posed.solutions.none
    return Difficulty(
        grade=10.0 if hopeless else grade_of(parts, used),
        measures=posed.listed,
        hardest_technique=posed.ladder.hardest,
        stopped_by=meter.stopped_by or posed.stopped_by,
        seconds=meter.seconds,
        details={
            "grade_parts": parts,
            "weights": used,
            **({"answer": "no"} if hopeless else {}),
        },
    )


def _problem(state: State, pieces: Sequence[Piece], *, cover: bool) -> Problem:
    """Return what is to be solved; a packing without room to spare is a cover."""
    room = len(state.sheet.open)
    needed = sum(piece.least * piece.size for piece in pieces)
    try:
        return build(state.sheet, pieces, cover=cover or needed == room).problem
    except TooManyOptions as error:
        raise InputError(str(error)) from None


def _all_used(pieces: Sequence[Piece], room: int) -> tuple[Piece, ...]:
    """Return the pieces with none left out, or nothing where that is no other puzzle.

    Who may leave pieces out may also try to use them all, so what is easier counts.
    """
    most = [piece.least if piece.most is None else piece.most for piece in pieces]
    area = sum(copies * piece.size for copies, piece in zip(most, pieces, strict=True))
    optional = any(piece.most not in (None, piece.least) for piece in pieces)
    if not optional or area > room:
        return ()
    return tuple(replace(piece, least=copies) for copies, piece in zip(most, pieces, strict=True))


def narrowed(pieces: Sequence[Piece], room: int, *, cover: bool) -> tuple[Piece, ...]:
    """Return pieces with the copies that areas allow: what must be used is no longer optional.

    Ranges that areas make empty are left as they are.

    Examples
    --------
    >>> domino = Piece.of("I2", ((0, 0), (0, 1)))
    >>> [found] = narrowed([replace(domino, least=0, most=None)], 8, cover=True)
    >>> found.least, found.most
    (4, 4)
    """
    least = sum(piece.least * piece.size for piece in pieces)
    areas = [None if piece.most is None else piece.most * piece.size for piece in pieces]
    kept = []
    for piece, own in zip(pieces, areas, strict=True):
        roomy = (room - least) // piece.size + piece.least
        most = roomy if piece.most is None else min(piece.most, roomy)
        fewest = piece.least
        others = [area for area in areas if area is not None]
        unlimited = len(areas) - len(others) - (own is None)
        if cover and not unlimited:
            others_most = sum(others) - (own or 0)
            fewest = max(fewest, -(-(room - others_most) // piece.size))
        if fewest <= most and most > 0:
            piece = replace(piece, least=fewest, most=most)
        kept.append(piece)
    return tuple(kept)


@dataclass(frozen=True)
class _Measured:
    """What was measured, and why it may be incomplete."""

    listed: Mapping[str, Json]
    ladder: Deduction
    undecided: float
    placements: int
    effort: float
    luck: float
    solutions: Solutions
    stopped_by: StoppedBy | None


def _measure(problem: Problem, games: int, meter: Meter) -> _Measured:
    parts = [meter.part(seconds=meter.share(0.3), work=_LADDER_WORK) for _ in range(2)]
    glance = deduce(problem, meter=parts[0], among=EASIEST)
    ladder = deduce(problem, meter=parts[1])
    found = solutions_of(problem, meter=meter)
    search = meter.part(seconds=meter.share(0.3), work=_SEARCH_WORK)
    nodes = _first_solution(problem, search)
    meter.spend(sum(part.worked for part in (*parts, search)))
    table = Table(Board(problem))
    played = {
        name: success(table, name, games=games, seed=meter.budget.seed, meter=meter)
        for name in PLAYERS
    }
    players = {name: won for name, won in played.items() if won}
    copies = sum(kind.least for kind in problem.kinds)
    listed: dict[str, Json] = {
        "cells": len(problem.cells),
        "pieces": copies,
        "placements": len(problem.options),
        "solutions": found.raw,
        "solutions_exact": found.stopped_by is None,
        "search_nodes": nodes,
        **_forcedness(problem, copies, glance, "at_a_glance"),
        **_forcedness(problem, copies, ladder, "by_ladder"),
        "ladder_steps": len(ladder.steps),
        "ladder_end": ladder.end,
        "techniques": _used([step.technique for step in ladder.steps]),
        **found.measures(problem, seed=meter.budget.seed, meter=meter),
        "players": players,
    }
    stopped = (part.stopped_by for part in (parts[1], search))
    return _Measured(
        listed=listed,
        ladder=ladder,
        undecided=1 - listed["cells_decided_by_ladder"],
        placements=len(problem.options),
        effort=listed.get("nodes_per_solution", nodes),
        luck=max((won["rate"] for won in players.values()), default=0.0),
        solutions=found,
        stopped_by=found.stopped_by or next(filter(None, stopped), None),
    )


def _first_solution(problem: Problem, part: Meter) -> int:
    """Return the nodes of a search for one solution, or for the proof that there is none."""
    from tilesolve.placement.search import first_cover

    first_cover(problem, meter=part)
    return part.worked


def _forcedness(problem: Problem, copies: int, found: Deduction, how: str) -> dict[str, Json]:
    """Return the shares of cells and of pieces that were placed without guessing."""
    placed = found.position.placed
    cells = sum(problem.options[option].mask.bit_count() for option in placed)
    return {
        f"cells_decided_{how}": round(cells / max(1, len(problem.cells)), 4),
        f"pieces_decided_{how}": round(min(1.0, len(placed) / max(1, copies)), 4),
    }


def _used(names: Sequence[str]) -> dict[str, int]:
    return {name: names.count(name) for name in TECHNIQUES_BY_NAME if name in names}


def _parts(measured: _Measured) -> dict[str, float]:
    rungs = len(TECHNIQUES_BY_NAME) - 1
    # A ladder that the budget stopped has shown nothing yet, so it counts as a guess.
    hardest = GUESS if measured.ladder.end == "stopped" else measured.ladder.hardest
    rung = 0 if hardest is None else TECHNIQUES_BY_NAME.index(hardest)
    failing = 1 - measured.luck
    return {
        "technique": round(rung / rungs * failing, 4),
        "unforced": round(measured.undecided * failing, 4),
        "effort": on_log_scale(measured.effort, 100_000),
        "rarity": round(1 / (1 + measured.solutions.magnitude), 4),
        "choice": on_log_scale(measured.placements, 10_000),
    }
