"""The best score still possible on a sheet, proven, with a line that reaches it.

A piece may stay out unless ``"optional": false`` is written. The score is that of
`rules.score`: penalties of open cells, of regions, of copies left out, less the values of copies
used. Every line is replayed by the rules before it is returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tilesolve.answers import Best, Json, Placed, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.geometry.piece import Piece
from tilesolve.placement.build import Layout, TooManyOptions, build
from tilesolve.placement.connect import neighbour_masks, touching_order
from tilesolve.placement.objective import Found, Objective
from tilesolve.placement.optimum import optimum
from tilesolve.placement.quick import placed_nowhere, room
from tilesolve.proof.certificate import dump_certificate
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import nothing_better
from tilesolve_models.polyform.rules import State

UNIT = "penalty"

Engine: TypeAlias = Literal["auto", "cpsat"]

_BOUND_BY = {
    "area": "areas added up",
    "weights": "weights of cells added up",
    "search": "a search without result below it",
    "CP-SAT": "CP-SAT alone",
}

_PROVEN_BY = {
    "trivial": "cells counted by a separate checker",
    "weights": "weights added up by a separate checker",
    "search": "a search that a separate checker followed",
}


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    engine: Engine = "auto",
    proof: bool = False,
) -> Best:
    """Answer what the best score is that can still be reached, and how.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or packing.
    engine : {"auto", "cpsat"}
        `cpsat` asks CP-SAT alone; `auto` confirms what it says where that can be done.
    proof : bool
        Look for a certificate also where adding up proves it.

    Returns
    -------
    Best
        Its line is in an order that keeps the sheet's rules; the detail ``bound_by`` says what
        the bound rests on.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": ["...", "..."], "pieces": ["I2", "L3"]}))
    >>> answer = best(state, budget=Budget())
    >>> answer.proof, answer.score, len(answer.line), answer.details["bound_by"]
    ('optimal', 1, 2, 'areas added up')
    """
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    wanted = state.goal == "cover" if cover is None else cover
    pieces = tuple(_free_to_stay_out(piece) for piece in rules.left(state))
    reasons = room(state.sheet, pieces, cover=wanted)
    if reasons:
        return _infeasible(meter, reasons, "trivial")
    try:
        layout = build(state.sheet, pieces, cover=wanted)
    except TooManyOptions as error:
        meter.stop("memory")
        return _unknown(meter, [Reason(code="too-many-placements", message=str(error))])
    reasons = placed_nowhere(layout)
    if reasons:
        return _infeasible(meter, reasons, "trivial")
    return _Asked(state, layout, meter, proof).answer(engine)


def _free_to_stay_out(piece: Piece) -> Piece:
    return piece if piece.optional is False else replace(piece, least=0)


def _infeasible(meter: Meter, reasons: Sequence[Reason], rung: str) -> Best:
    return Best(
        proof="infeasible", unit=UNIT, reasons=tuple(reasons), seconds=meter.seconds,
        details={"rung": rung},
    )  # fmt: skip


def _unknown(meter: Meter, reasons: Sequence[Reason] = (), bound: int | None = None) -> Best:
    stopped_by = meter.stopped_by or "work"
    return Best(
        proof="unknown", unit=UNIT, bound=bound, reasons=tuple(reasons), stopped_by=stopped_by,
        seconds=meter.seconds,
    )  # fmt: skip


@dataclass(frozen=True)
class _Asked:
    """One question under way."""

    state: State
    layout: Layout
    meter: Meter
    proof: bool = False

    def answer(self, engine: Engine) -> Best:
        found = self.ask(engine)
        if found.status == "infeasible":
            return self.doubted()
        if found.status == "unknown":
            return _unknown(self.meter, bound=self.total(found.bound))
        return self.found(found)

    def ask(self, engine: Engine) -> Found:
        if engine == "auto":
            return optimum(self.layout.problem, self.objective(), meter=self.meter)
        from tilesolve.placement.cpsat import optimise

        return optimise(self.layout.problem, self.objective(), meter=self.meter)

    def objective(self) -> Objective:
        sheet, layout = self.state.sheet, self.layout
        neighbours = sheet.lattice.neighbours
        beside = [any(near in sheet.filled for near in neighbours(cell)) for cell in layout.cells]
        missing = [0 if piece.most is None else piece.penalty for piece in layout.pieces]
        return Objective(
            open_penalty=tuple(sheet.grounds[cell].penalty for cell in layout.cells),
            option_value=tuple(
                -layout.pieces[option.kind].value for option in layout.problem.options
            ),
            missing_penalty=tuple(missing),
            region_penalty=sheet.rules.region_penalty,
            touch=sheet.rules.touch,
            connected=sheet.rules.connected,
            anchors=sum(1 << cell for cell, yes in enumerate(beside) if yes),
            begun=bool(sheet.filled),
        )

    def total(self, score: int | None) -> int | None:
        """Return the score of the whole sheet, pieces that lie already included."""
        lying = Counter(piece.piece for piece in self.state.sheet.placed)
        used = sum(piece.value * lying[piece.name] for piece in self.state.pieces)
        return None if score is None else score - used

    def found(self, found: Found) -> Best:
        line = self.line(found.chosen)
        score = self.replay(line)
        if score != self.total(found.score):
            raise WrongAnswer(f"the line scores {score}, not {self.total(found.score)}")
        details: dict[str, Json] = {}
        certificate: Json = None
        if found.bound_by:
            details["bound_by"] = _BOUND_BY[found.bound_by]
        doubted = found.bound_by in ("search", "CP-SAT")
        if found.status == "optimal" and (doubted or self.proof):
            asked = replace(self.layout, pieces=rules.left(self.state))
            written = nothing_better(
                asked, self.objective(), score=found.score or 0, meter=self.meter
            )
            if written is not None:
                details["bound_by"] = _PROVEN_BY[written.rung] if doubted else details["bound_by"]
                certificate = dump_certificate(written.certificate)
        return Best(
            proof="optimal" if found.status == "optimal" else "feasible",
            unit=UNIT,
            score=score,
            bound=self.total(found.bound),
            line=tuple(rules.dump_move(move) for move in line),
            stopped_by=found.stopped_by,
            seconds=self.meter.seconds,
            details=details,
            certificate=certificate,
        )

    def line(self, chosen: Sequence[int]) -> tuple[Placed, ...]:
        """Return the placements in an order in which each touches what lies already."""
        problem, sheet = self.layout.problem, self.state.sheet
        ordered = sorted(chosen, key=lambda index: list(problem.options[index].cells()))
        if sheet.rules.touch or sheet.rules.connected:
            objective = self.objective()
            masks = [problem.options[index].mask for index in ordered]
            order = touching_order(
                masks, neighbour_masks(problem), anchors=objective.anchors, begun=objective.begun
            )
            ordered = [ordered[place] for place in order]
        return self.layout.witness(ordered)

    def replay(self, line: Sequence[Placed]) -> int:
        """Play a line by the rules and return its score."""
        state = self.state
        for move in line:
            verdict = rules.check(state, move)
            if not verdict.legal:
                raise WrongAnswer(f"the line breaks the rules: {verdict}")
            state = rules.apply(state, move)
        if self.layout.problem.cover and state.sheet.open:
            raise WrongAnswer("the line leaves cells open")
        if any(piece.optional is False and piece.least for piece in rules.left(state)):
            raise WrongAnswer("the line leaves out a piece that must be placed")
        return rules.score(state)

    def doubted(self) -> Best:
        """Look for a second engine that agrees with CP-SAT's no."""
        from tilesolve.placement.search import first_cover

        searched = first_cover(self.layout.problem, meter=self.meter)
        if searched.chosen is None and searched.exhausted:
            message = "two different engines, a search and CP-SAT, looked at all ways: none works"
            reason = Reason(code="two-engines", message=message)
            return _infeasible(self.meter, [reason], "two engines")
        message = "CP-SAT alone says that there is no way; nothing confirmed it"
        return _unknown(self.meter, [Reason(code="one-engine", message=message)])
