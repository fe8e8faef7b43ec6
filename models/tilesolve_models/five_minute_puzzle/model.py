"""The questions about one's own sheet: does it still fit, and what is the best that is left?

Both become placement problems of the empty cells. What the engines cannot know, the rounds in
which a piece may be drawn, is checked afterwards and told them in clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tilesolve.answers import Best, Fit, PieceFit, Placed, Reason, Rung, Verdict, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState, InputError
from tilesolve.placement.build import Layout, build
from tilesolve.placement.connect import beside, cells_of, components
from tilesolve.placement.objective import Clause, Found, Objective
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.schedule import Rounds, Step, conflict, schedule
from tilesolve_models.five_minute_puzzle.sheets import DIE
from tilesolve_models.five_minute_puzzle.state import CrossOut, Prefill, Round, State, dump_move

UNIT = "penalty"


def require_legal(state: State) -> None:
    """Raise `IllegalState` if the history breaks a rule."""
    verdict: Verdict = rules.check(state)
    if not verdict.legal:
        raise IllegalState(verdict)


@dataclass(frozen=True)
class Puzzle:
    """A position as a placement problem of its empty cells, every piece optional.

    `lays` says for each option which piece it lays on which cells of the sheet.
    """

    now: Position
    layout: Layout
    lays: tuple[Lay, ...]

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.layout.problem

    def narrowed(self, mask: int) -> int:
        """Return a mask of the sheet's cells as one of the problem's."""
        numbers, cells = self.layout.numbers, self.now.edition.cells
        return sum(1 << numbers[cells[cell]] for cell in cells_of(mask & self.now.empty))

    def objective(self, clauses: tuple[Clause, ...] = ()) -> Objective:
        """Return FM7 with FM3 and FM8."""
        grounds = self.now.edition.sheet.grounds
        begun = bool(self.now.filled)
        return Objective(
            open_penalty=tuple(grounds[cell].penalty for cell in self.layout.cells),
            region_penalty=1,
            touch=True,
            anchors=self.narrowed(self.now.frontier) if begun else 0,
            begun=begun,
            clauses=clauses,
        )


def puzzle(now: Position, *, required: bool = False) -> Puzzle:
    """Return a position's placement problem; `required` asks for all pieces."""
    edition = now.edition
    left = list(cells_of(now.available))
    pieces = [replace(edition.pieces[piece], least=int(required)) for piece in left]
    filled = Placed(piece="", cells=edition.cells_of(now.filled))
    sheet = replace(edition.sheet, placed=(filled,) if now.filled else ())
    layout = build(sheet, pieces, cover=False)
    lays = tuple(
        (left[option.kind], edition.mask(tuple(layout.cells[cell] for cell in option.cells())))
        for option in layout.problem.options
    )
    return Puzzle(now, layout, lays)


# --- fit ---------------------------------------------------------------------------------


def fit(state: State, *, budget: Budget, watch: Watch = SILENT) -> Fit:
    """Can all pieces that are left still be drawn, in some order, and where does each go now?

    The rolls are left aside: this asks whether the sheet still allows it. ``pieces`` counts the
    placements that are legal now, piece by piece.

    Raises
    ------
    IllegalState
        If the history breaks a rule.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> answer = fit(State(shipped("synthetic-a")), budget=Budget())
    >>> answer.answer, len(answer.witness), answer.pieces[0].placements
    ('yes', 12, 126)
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    now = rules.position(state)
    each = tuple(_piece_fit(now, piece) for piece in cells_of(now.available))
    whole = puzzle(now, required=True)
    read = {
        "cells": now.empty.bit_count(),
        "piece_cells": sum(piece.size for piece in whole.layout.pieces),
        "pieces": len(whole.layout.pieces),
        "placements": len(whole.lays),
    }
    answer = _together(whole, meter)
    return replace(answer, read=read, pieces=each, seconds=meter.seconds)


def _piece_fit(now: Position, piece: int) -> PieceFit:
    masks = [mask for _, mask in now.lays(1 << piece)]
    example = now.edition.cells_of(masks[0]) if masks else ()
    return PieceFit(piece=now.edition.pieces[piece].name, placements=len(masks), example=example)


def _together(whole: Puzzle, meter: Meter) -> Fit:
    from tilesolve.placement.quick import placed_nowhere, room

    layout = whole.layout
    reasons = room(layout.sheet, layout.pieces, cover=False) or placed_nowhere(layout)
    if reasons:
        return Fit(answer="no", reasons=reasons, rung="trivial")
    from tilesolve.placement.search import first_cover

    first = first_cover(layout.problem, meter=meter)
    if first.chosen is not None:
        order = _touching(whole, first.chosen)
        return _yes(whole, order) if order is not None else _ordered(whole, meter)
    if not first.exhausted:
        return Fit(answer="unknown", stopped_by=meter.stopped_by)
    from tilesolve.placement.cpsat import decide

    return _no(decide(layout.problem, meter=meter), "no-packing", "together they fit nowhere")


def _ordered(whole: Puzzle, meter: Meter) -> Fit:
    """Ask for a packing that keeps FM3; the first one found did not."""
    from tilesolve.placement.cpsat import optimise
    from tilesolve.placement.search import covers

    found = optimise(whole.problem, replace(whole.objective(), region_penalty=0), meter=meter)
    if found.chosen:
        order = _touching(whole, found.chosen)
        if order is None:
            raise WrongAnswer("a selection that does not touch came back as one that does")
        return _yes(whole, order)
    for packing in covers(whole.problem, meter=meter):
        order = _touching(whole, packing)
        if order is not None:
            return _yes(whole, order)
    if meter.stopped_by is not None:
        return Fit(answer="unknown", stopped_by=meter.stopped_by)
    message = "they fit together, but in no order does each share an edge with a filled cell"
    return _no(found, "no-order", message)


def _no(found: Found, code: str, message: str) -> Fit:
    """Return a no that a search has proven and CP-SAT is to confirm."""
    if found.status == "unknown":
        return Fit(answer="unknown", stopped_by=found.stopped_by)
    if found.status != "infeasible":
        raise WrongAnswer("two engines disagree about what fits")
    rung: Rung = "two engines"
    return Fit(answer="no", reasons=(Reason(code=code, message=message),), rung=rung)


def _touching(whole: Puzzle, chosen: Iterable[int]) -> list[Lay] | None:
    """Return placements in an order that keeps FM3, or None."""
    waiting = [whole.lays[option] for option in chosen]
    now, order = whole.now, []
    while waiting:
        frontier = now.frontier
        for lay in waiting:
            if lay[1] & frontier:
                break
        else:
            return None
        waiting.remove(lay)
        order.append(lay)
        now = now.laid(lay)
    return order


def _yes(whole: Puzzle, order: Iterable[Lay]) -> Fit:
    edition = whole.now.edition
    witness = tuple(
        Placed(piece=edition.pieces[piece].name, cells=edition.cells_of(mask))
        for piece, mask in order
    )
    return Fit(answer="yes", witness=witness)


# --- best --------------------------------------------------------------------------------


def best(state: State, *, budget: Budget, watch: Watch = SILENT, prefill: int = 0) -> Best:
    """Find the least penalty that can still be reached, and rounds that reach it.

    The rolls that are known (``roll``, then ``rolls``) are kept to; after them the die is taken
    to fall as one would wish. With no roll known the order is free.

    Parameters
    ----------
    prefill : int
        Up to so many hexagons, 0 to 3, may be filled first, wherever it is best (FM8).

    Raises
    ------
    IllegalState
        If the history breaks a rule.
    InputError
        If `prefill` is asked for after the start or beside hexagons pre-filled already.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> answer = best(State(shipped("synthetic-a")), budget=Budget())
    >>> answer.proof, answer.score, len(answer.line)
    ('optimal', 4, 12)
    """
    require_legal(state)
    if prefill and (state.history or state.prefilled):
        raise InputError("hexagons can only be pre-filled before the start, all at once")
    meter = Meter(budget=budget, watch=watch)
    questions = [_Question(state, rules.position(state), 0)]
    if prefill:
        questions.insert(0, _Question(state, rules.position(state), prefill))
    return _answer(state, [question.solve(meter) for question in questions], meter)


@dataclass(frozen=True)
class _Solved:
    """A question's best: cells pre-filled, steps that reach the score, and the bound."""

    prefilled: int
    steps: tuple[Step, ...]
    score: int
    bound: int
    bound_by: str


def _answer(state: State, solved: list[_Solved], meter: Meter) -> Best:
    first = min(solved, key=lambda each: each.score)
    bound = min(each.bound for each in solved)
    optimal = bound == first.score
    weakest = min(solved, key=lambda each: each.bound)
    details = {"bound_by": weakest.bound_by}
    return Best(
        proof="optimal" if optimal else "feasible",
        score=first.score,
        bound=bound,
        unit=UNIT,
        line=tuple(_line(state, first)),
        stopped_by=None if optimal else meter.stopped_by,
        seconds=meter.seconds,
        details=details,
    )


def _line(state: State, solved: _Solved) -> Iterator[object]:
    """Yield the moves to the end of the game, each held against the rules."""
    for move in _moves(state, solved):
        verdict = rules.check(state, move)
        if not verdict.legal:
            raise WrongAnswer(f"a line breaks the rules: {verdict.violations[0].message}")
        state = rules.apply(state, move)
        yield dump_move(move)
    final = rules.check(state)
    if final.score != solved.score or not final.complete:
        raise WrongAnswer(f"a line ends with {final.score}, not with {solved.score}")


def _moves(state: State, solved: _Solved) -> Iterator[Prefill | Round]:
    edition = state.edition
    now = rules.position(state)
    if solved.prefilled:
        yield Prefill(edition.cells_of(solved.prefilled))
        now = replace(now, filled=solved.prefilled)
    for roll, piece, mask in solved.steps:
        if mask:
            yield rules.draw(edition, roll, piece, mask)
            now = now.laid((piece, mask))
        else:
            yield CrossOut(edition.pieces[piece].name, roll)
            now = now.without(piece)
    rolls = state.upcoming[len(solved.steps) :]
    while not rules.finished(state, now):
        roll, piece = _crossing(state, now, rolls)
        yield CrossOut(edition.pieces[piece].name, roll)
        now, rolls = now.without(piece), rolls[1:]


def _crossing(state: State, now: Position, rolls: tuple[int, ...]) -> tuple[int, int]:
    """Return a roll and the first piece that may be crossed out for it."""
    rolled_too = state.rules.forgo_may_cross_rolled
    roll = rolls[0] if rolls else DIE.start
    return roll, next(cells_of(now.crossable(roll, rolled_too=rolled_too)))


@dataclass(frozen=True)
class _Question:
    """The best from a position, with 1 to `prefill` hexagons filled first, or none."""

    state: State
    now: Position
    prefill: int

    def solve(self, meter: Meter) -> _Solved:
        """Solve and cut: whatever cannot be drawn in time comes back as a clause."""
        from tilesolve.placement.cpsat import optimise

        whole = self.puzzle()
        clauses: list[Clause] = []
        kept = self.nothing()
        while True:
            found = optimise(whole.problem, self.objective(whole, clauses), meter=meter)
            if found.bound is not None and found.bound > kept.bound:
                kept = replace(kept, bound=found.bound, bound_by=found.bound_by)
            if found.score is not None:
                kept = self.considered(kept, whole, found, clauses, meter)
            if kept.bound >= kept.score:
                return replace(kept, bound=kept.score)
            if meter.stopped_by is not None or not found.chosen:
                return kept

    def nothing(self) -> _Solved:
        """Return what stopping at once gives."""
        return _Solved(0, (), self.now.penalty, 0, "no less than nothing")

    def puzzle(self) -> Puzzle:
        """Return the problem; with hexagons to fill first as pieces of one cell, the last kind."""
        whole = puzzle(self.now)
        if not self.prefill:
            return whole
        problem = whole.problem
        edition = self.now.edition
        kind = len(problem.kinds)
        spots = [
            (option, mask)
            for cell in cells_of(edition.hexagons)
            for mask in [1 << cell]
            for option in [Option(kind, whole.narrowed(mask))]
        ]
        grown = replace(
            problem,
            kinds=(*problem.kinds, Kind("pre-filled", 1, self.prefill)),
            options=(*problem.options, *(option for option, _ in spots)),
        )
        lays = (*whole.lays, *((-1, mask) for _, mask in spots))
        return Puzzle(self.now, replace(whole.layout, problem=grown), lays)

    def objective(self, whole: Puzzle, clauses: list[Clause]) -> Objective:
        """Return the objective; with hexagons to fill first, touching is left to the clauses."""
        objective = whole.objective(tuple(clauses))
        return replace(objective, touch=False) if self.prefill else objective

    def considered(
        self, kept: _Solved, whole: Puzzle, found: Found, clauses: list[Clause], meter: Meter
    ) -> _Solved:
        """Return the better of what is kept and what was found; add what the latter breaks."""
        prefilled = sum(whole.lays[o][1] for o in found.chosen if whole.lays[o][0] < 0)
        lays = {whole.lays[o][0]: whole.lays[o][1] for o in found.chosen if whole.lays[o][0] >= 0}
        now = replace(self.now, filled=self.now.filled | prefilled)
        adrift = self.adrift(whole, now, lays) if self.prefill else []
        clauses += adrift
        if adrift:
            return kept
        rounds = Rounds(now, self.state.upcoming, self.state.rules.forgo_may_cross_rolled)
        steps = schedule(rounds, lays, meter=meter)
        assert found.score is not None
        if steps is not None:
            if found.score < kept.score:
                return replace(kept, prefilled=prefilled, steps=steps, score=found.score)
            return kept
        if meter.stopped_by is None:
            clauses.append(self.clause(whole, found, conflict(rounds, lays, meter=meter)))
        return kept

    def adrift(self, whole: Puzzle, now: Position, lays: Mapping[int, int]) -> list[Clause]:
        """Return a clause for each group of pieces that touches nothing pre-filled."""
        near = now.edition.near
        drawn = sum(lays.values())
        clauses = []
        for group in components(drawn, near):
            around = beside(group, near)
            if around & now.filled:
                continue
            given = [i for i, lay in enumerate(whole.lays) if lays.get(lay[0]) == lay[1]]
            clauses.append(
                Clause(
                    given=tuple(i for i in given if whole.lays[i][1] & group),
                    wanted=tuple(
                        i
                        for i, (_, mask) in enumerate(whole.lays)
                        if mask & around and not mask & group
                    ),
                )
            )
        return clauses

    def clause(
        self, whole: Puzzle, found: Found, blamed: tuple[tuple[int, ...], tuple[int, ...]]
    ) -> Clause:
        """Return that not all these lie where they do while those are left out."""
        laid, missing = blamed
        chosen = set(found.chosen)
        given = [o for o in found.chosen if whole.lays[o][0] in laid or whole.lays[o][0] < 0]
        wanted = [
            option
            for option, (piece, _) in enumerate(whole.lays)
            if piece in missing or (piece < 0 and option not in chosen)
        ]
        return Clause(given=tuple(given), wanted=tuple(wanted))
