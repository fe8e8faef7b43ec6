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

from tilesolve.answers import Best, Placed, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Stopped, Watch
from tilesolve.geometry.piece import Piece
from tilesolve.placement.agreement import IN_WORDS, ONE_ENGINE
from tilesolve.placement.bounds import area_bound
from tilesolve.placement.build import Layout, TooManyOptions, build
from tilesolve.placement.connect import neighbour_masks, touching_order
from tilesolve.placement.greedy import filled_up
from tilesolve.placement.objective import Found, Objective, costs, faults
from tilesolve.placement.optimum import confirmed, optimum
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve.placement.quick import placed_nowhere, room
from tilesolve.proof.certificate import dump_certificate
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import (
    Refutation,
    nothing_better,
    nothing_better_in_contact,
)
from tilesolve_models.polyform.rules import State

UNIT = "penalty"

Engine: TypeAlias = Literal["auto", "cpsat"]

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
    answer = _best(state, wanted, engine, meter, proof=proof)
    return _certified(state, answer, wanted, meter) if proof else answer


def _certified(state: State, answer: Best, wanted: bool, meter: Meter) -> Best:
    """Return an answer with the certificate of `fit` where nothing at all is possible."""
    from tilesolve_models.polyform.fitting import fit

    if answer.proof != "infeasible":
        return answer
    free = replace(state, pieces=tuple(map(rules.free_to_stay_out, state.pieces)))
    found = fit(free, budget=meter.part().budget, watch=meter.watch, cover=wanted)
    if found.answer != "no":
        return answer
    details = {**answer.details, "rung": found.rung}
    return replace(answer, reasons=found.reasons, details=details, certificate=found.certificate)


def _best(state: State, wanted: bool, engine: Engine, meter: Meter, *, proof: bool) -> Best:
    pieces = tuple(rules.free_to_stay_out(piece) for piece in rules.left(state))
    reasons = room(state.sheet, pieces, cover=wanted)
    if reasons:
        return _infeasible(meter, reasons, "trivial")
    try:
        layout = build(state.sheet, pieces, cover=wanted, meter=meter)
    except TooManyOptions as error:
        meter.stop("memory")
        message = f"{error}; what was found rests on first fit"
        reason = Reason(code="too-many-placements", message=message)
        return _Rough(state, pieces, meter).answer(wanted, [reason])
    except Stopped:
        return _Rough(state, pieces, meter).answer(wanted, [])
    reasons = placed_nowhere(layout)
    if reasons:
        return _infeasible(meter, reasons, "trivial")
    return _Asked(state, layout, meter, proof).answer(engine)


def _replayed(state: State, line: Sequence[Placed]) -> State:
    """Return the state that a line leads to, held against the rules.

    What one placement may break, the sheet at the end shows; only contact depends on the order.
    """
    sheet = state.sheet
    filled = set(sheet.filled)
    if sheet.rules.touch or sheet.rules.connected:
        for move in line:
            near = (cell for at in move.cells for cell in sheet.lattice.neighbours(at))
            if filled and filled.isdisjoint(near):
                raise WrongAnswer(f"the line lays {move.piece} where it touches nothing")
            filled.update(move.cells)
    after = replace(state, sheet=sheet.with_placed(line))
    verdict = rules.check(after)
    if not verdict.legal:
        raise WrongAnswer(f"the line breaks the rules: {verdict}")
    return after


def _short(state: State) -> bool:
    """Whether a piece that must be placed is left."""
    return any(piece.optional is False and piece.least for piece in rules.left(state))


def _missing(pieces: Sequence[Piece]) -> tuple[int, ...]:
    return tuple(0 if piece.most is None else piece.penalty for piece in pieces)


def _lying(state: State) -> int:
    """Return the value of the pieces that lie already."""
    lying = Counter(piece.piece for piece in state.sheet.placed)
    return sum(piece.value * lying[piece.name] for piece in state.pieces)


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
            return self.doubted(found, engine)
        if found.status == "unknown":
            return _unknown(self.meter, bound=self.total(found.bound))
        return self.found(found, engine)

    def ask(self, engine: Engine) -> Found:
        if engine == "auto":
            return optimum(self.layout.problem, self.objective(), meter=self.meter)
        from tilesolve.placement.cpsat.optimisation import optimise

        return optimise(self.layout.problem, self.objective(), meter=self.meter)

    def objective(self) -> Objective:
        sheet, layout = self.state.sheet, self.layout
        neighbours = sheet.lattice.neighbours
        beside = [any(near in sheet.filled for near in neighbours(cell)) for cell in layout.cells]
        return Objective(
            open_penalty=tuple(sheet.grounds[cell].penalty for cell in layout.cells),
            option_value=tuple(
                -layout.pieces[option.kind].value for option in layout.problem.options
            ),
            missing_penalty=_missing(layout.pieces),
            region_penalty=sheet.rules.region_penalty,
            touch=sheet.rules.touch,
            connected=sheet.rules.connected,
            anchors=sum(1 << cell for cell, yes in enumerate(beside) if yes),
            begun=bool(sheet.filled),
        )

    def total(self, score: int | None) -> int | None:
        """Return the score of the whole sheet, pieces that lie already included."""
        return None if score is None else score - _lying(self.state)

    def found(self, found: Found, engine: Engine) -> Best:
        line = self.line(found.chosen)
        score = self.replay(line)
        if score != self.total(found.score):
            raise WrongAnswer(f"the line scores {score}, not {self.total(found.score)}")
        found, written = self.settled(found, engine)
        bound_by = IN_WORDS.get(found.bound_by)
        if written is not None and found.bound_by in ONE_ENGINE:
            bound_by = _PROVEN_BY[written.rung]
        alone = written is None and found.bound_by in ONE_ENGINE
        optimal = found.status == "optimal" and not alone
        message = f"{bound_by} says that nothing is better; nothing confirmed it in time"
        doubt = Reason(code="one-engine", message=message)
        return Best(
            proof="optimal" if optimal else "feasible",
            unit=UNIT,
            score=score,
            bound=self.total(found.bound),
            line=tuple(rules.dump_move(move) for move in line),
            reasons=(doubt,) if found.status == "optimal" and alone else (),
            stopped_by=None if optimal else found.stopped_by or self.meter.stopped_by or "work",
            seconds=self.meter.seconds,
            details={} if bound_by is None else {"bound_by": bound_by},
            certificate=None if written is None else dump_certificate(written.certificate),
        )

    def settled(self, found: Found, engine: Engine) -> tuple[Found, Refutation | None]:
        """Look for a certificate of an optimum, or else for a second engine that agrees."""
        doubted = found.bound_by in ONE_ENGINE
        if found.status != "optimal" or not (doubted or self.proof):
            return found, None
        asked = replace(self.layout, pieces=rules.left(self.state))
        written = nothing_better(asked, self.objective(), score=found.score or 0, meter=self.meter)
        if written is None and doubted and engine == "auto":
            objective = self.objective()
            contact = (objective.touch or objective.connected) and found.bound_by != "search"
            if contact and nothing_better_in_contact(
                asked, objective, score=found.score or 0, meter=self.meter
            ):
                return replace(found, bound_by=f"search and {found.bound_by}"), None
            return confirmed(self.layout.problem, self.objective(), found, meter=self.meter), None
        return found, written

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
        state = _replayed(self.state, line)
        if self.layout.problem.cover and state.sheet.open:
            raise WrongAnswer("the line leaves cells open")
        if _short(state):
            raise WrongAnswer("the line leaves out a piece that must be placed")
        return rules.score(state)

    def doubted(self, found: Found, engine: Engine) -> Best:
        """Look for a second engine that agrees with CP-SAT's no, unless one does already."""
        if found.bound_by == "area":
            message = "a piece that must be placed has no placement, or a cell that must be covered"
            return _infeasible(
                self.meter, [Reason(code="no-placement", message=message)], "trivial"
            )
        if engine == "auto":
            found = confirmed(self.layout.problem, self.objective(), found, meter=self.meter)
        if found.bound_by in ONE_ENGINE and self.none_keeps_the_rules():
            found = replace(found, bound_by="search and CP-SAT")
        if found.bound_by not in ONE_ENGINE:
            message = f"{IN_WORDS[found.bound_by]}: they looked at all ways, and none works"
            reason = Reason(code="two-engines", message=message)
            return _infeasible(self.meter, [reason], "two engines")
        message = "CP-SAT alone says that there is no way; nothing confirmed it"
        return _unknown(self.meter, [Reason(code="one-engine", message=message)])

    def none_keeps_the_rules(self) -> bool:
        """Look at every choice of placements; return whether none keeps the sheet's rules."""
        from tilesolve.placement.search import covers

        objective, problem = self.objective(), self.layout.problem
        legal = (
            chosen
            for chosen in covers(problem, meter=self.meter)
            if not faults(problem, chosen, objective)
        )
        if next(legal, None) is not None:
            raise WrongAnswer("CP-SAT says that there is no way, and there is one")
        return self.meter.stopped_by is None


@dataclass(frozen=True)
class _Rough:
    """A question for which there is no room or no time to build all placements."""

    state: State
    pieces: tuple[Piece, ...]
    meter: Meter

    def answer(self, cover: bool, reasons: Sequence[Reason]) -> Best:
        """Return what first fit reaches, and a bound from areas."""
        bound = self.bound()
        line = filled_up(self.state.sheet, self.pieces, meter=self.short())
        state = _replayed(self.state, line)
        if _short(state) or (cover and state.sheet.open):
            return _unknown(self.meter, reasons, bound)
        score = rules.score(state)
        optimal = score == bound
        return Best(
            proof="optimal" if optimal else "feasible",
            unit=UNIT,
            score=score,
            bound=bound,
            line=tuple(rules.dump_move(move) for move in line),
            reasons=() if optimal else tuple(reasons),
            stopped_by=None if optimal else self.meter.stopped_by or "work",
            seconds=self.meter.seconds,
            details={} if bound is None else {"bound_by": IN_WORDS["area"]},
        )

    def short(self) -> Meter:
        """Return a meter for first fit; where preparation took all the time, for a moment more."""
        granted = self.meter.budget.seconds
        if granted is None:
            return Meter(budget=replace(self.meter.budget), watch=self.meter.watch)
        seconds = max(0.1 * granted, 0.5 * (granted - self.meter.seconds))
        return Meter(budget=replace(self.meter.budget, seconds=seconds), watch=self.meter.watch)

    def bound(self) -> int | None:
        """Return a penalty that nothing undercuts, as if each copy lay on the dearest cells."""
        sheet = self.state.sheet
        dear = tuple(sorted((sheet.grounds[cell].penalty for cell in sheet.open), reverse=True))
        kinds = tuple(Kind(piece.name, piece.least, piece.most) for piece in self.pieces)
        options = tuple(
            Option(number, (1 << piece.size) - 1)
            for number, piece in enumerate(self.pieces)
            if piece.size <= len(dear)
        )
        problem = Problem(("",) * len(dear), kinds, options, cover=False)
        objective = Objective(
            open_penalty=dear,
            option_value=tuple(-self.pieces[option.kind].value for option in options),
            missing_penalty=_missing(self.pieces),
            region_penalty=sheet.rules.region_penalty,
        )
        least = area_bound(problem, costs(problem, objective))
        return None if least is None else least - _lying(self.state)
