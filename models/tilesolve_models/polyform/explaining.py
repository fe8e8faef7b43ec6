"""Why not, which placement made it so, and what would make it possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilesolve.answers import Cell, Explanation, Fit, Json, Reason, WayOut
from tilesolve.budget import SILENT, Budget, Meter, Stopped, Watch
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import PLAIN
from tilesolve.placement.build import TooManyOptions, build
from tilesolve.placement.objective import Objective
from tilesolve.placement.optimum import optimum
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.conflict import Conflict, smallest_conflict
from tilesolve_models.polyform.fitting import fit, tightened
from tilesolve_models.polyform.rules import State

_MOST_OF_A_KIND = 3
"""Ways out of one kind that are shown."""

_SEEN_AS_COVER = ("cell-uncovered", "pocket")
"""Reasons that speak of cells that cannot be covered."""

_TRY = 20_000
"""Work for one change that might help."""


def explain(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
) -> Explanation:
    """Say why the pieces do not fit: the rung, the smallest conflict found, and ways out.

    Parameters
    ----------
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or packing.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": ["...#..."], "pieces": ["I3", "I4"]}))
    >>> answer = explain(state, budget=Budget())
    >>> answer.answer, answer.rung, answer.ways_out[0].change
    ('no', 'trivial', 'leave out one I4')
    """
    rules.require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    wanted = state.goal == "cover" if cover is None else cover
    asking = _Asking(replace(state, goal=None), wanted, meter)
    answer = asking.fit(asking.state, share=0.4)
    if answer.answer != "no":
        return Explanation(
            answer=answer.answer,
            reasons=answer.reasons,
            stopped_by=answer.stopped_by,
            seconds=meter.seconds,
            details={"witness": answer.witness} if answer.witness else {},
        )
    spoilt = asking.spoiler()
    reasons = answer.reasons if spoilt is None else (*answer.reasons, spoilt[0])
    counted = any(reason.code in _SEEN_AS_COVER for reason in answer.reasons)
    conflict = asking.conflict(counted=counted)
    ways_out = (*asking.ways_out(), *(() if spoilt is None else (spoilt[1],)))
    return Explanation(
        answer="no",
        rung=answer.rung,
        reasons=reasons,
        conflict=conflict,
        ways_out=ways_out,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=answer.details,
        certificate=answer.certificate,
    )


@dataclass(frozen=True)
class _Asking:
    """One explanation under way: the puzzle, its goal, and the meter of all its questions."""

    state: State
    cover: bool
    meter: Meter

    def fit(self, state: State, *, share: float = 1.0, work: int | None = None) -> Fit:
        """Ask whether a variant fits, with a share of what is left; its goal is asked for."""
        part = self.meter.part(seconds=self.meter.share(share), work=work)
        cover = self.cover if state.goal is None else state.goal == "cover"
        answer = fit(state, budget=part.budget, watch=self.meter.watch, cover=cover)
        self.meter.spend(1 if work is None else work // 100)
        return answer

    def spoiler(self) -> tuple[Reason, WayOut] | None:
        """Say which placement made it impossible, if they came in order, and take back to it.

        It is the first that no solution contains together with those before it. None where
        nothing is placed, it never was possible, or that was not settled in time.
        """
        placed = self.state.sheet.placed
        bare = replace(self.state, sheet=replace(self.state.sheet, placed=()))
        possible = self.fit(bare, share=0.2) if placed else None
        if possible is None or possible.answer != "yes":
            return None
        good, bad = 0, len(placed)
        while bad - good > 1:
            middle = (good + bad) // 2
            before = replace(bare, sheet=bare.sheet.with_placed(placed[:middle]))
            answer = self.fit(before, share=0.2)
            if answer.answer == "unknown":
                return None
            if answer.answer == "yes":
                good, possible = middle, answer
            else:
                bad = middle
        culprit = placed[bad - 1]
        first = "before anything was placed" if good == 0 else (
            f"with the first {good} of {len(placed)} placed pieces")  # fmt: skip
        reason = Reason(
            code="spoilt-by",
            message=f"{first} it still was possible; "
            f"{culprit.piece} at {list(culprit.cells[0])} made it impossible",
            cells=culprit.cells,
            pieces=(culprit.piece,),
        )
        back = placed[good:]
        change = f"take back {culprit.piece} at {list(culprit.cells[0])}"
        change += f" and the {len(back) - 1} placed after it" if len(back) > 1 else ""
        return reason, WayOut(change=change, witness=possible.witness, without=back)

    def conflict(self, *, counted: bool) -> dict[str, Json]:
        """Return the smallest conflict found, or nothing where it cannot be refuted in time.

        A packing without a cell to spare is read as the cover that it is too: first where cells
        that cannot be covered were `counted`, else where its own reading leads to nothing.
        """
        try:
            layout = build(self.state.sheet, rules.left(self.state), cover=self.cover)
        except TooManyOptions:
            return {}
        tight = tightened(layout)
        readings = [layout] if tight is layout else [tight, layout] if counted else [layout, tight]
        for reading in readings:
            part = self.meter.part(seconds=self.meter.share(0.5))
            found = smallest_conflict(reading, meter=part)
            self.meter.spend(part.worked)
            if found is not None:
                return {
                    "pieces": list(found.pieces),
                    "cells": [list(cell) for cell in found.cells],
                    "minimal": found.minimal,
                    "message": self._said(found, cover=reading.problem.cover),
                }
        return {}

    def _said(self, conflict: Conflict, *, cover: bool) -> str:
        """Say a conflict in words."""
        counts = {piece.name: piece.least for piece in rules.left(self.state)}
        names = [
            f"the {name}" if counts[name] == 1 else f"the {counts[name]} {name}"
            for name in conflict.pieces
        ]
        pieces = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
        where = _where(conflict.cells)
        if cover:
            using = f" with {pieces}, however often others are used" if pieces else ""
            every = " all" if len(conflict.cells) > 1 else ""
            why = "" if self.cover else ", and the pieces to place fill every open cell"
            return (
                f"{where} cannot{every} be covered{using}{why}"
                if where
                else f"{pieces} cannot be used"
            )
        together = " together" if len(names) > 1 or counts.get(conflict.pieces[0], 1) > 1 else ""
        crowd = f": they would have to share {where}" if where else ""
        return f"{pieces} cannot be placed{together}{crowd}"

    def ways_out(self) -> tuple[WayOut, ...]:
        """Return small changes that make it possible, each with a solution."""
        found: list[WayOut] = []
        for changes in (self._leave_out, self._allow_turns, self._free_a_cell):
            kept = 0
            for change, variant in changes():
                if kept == _MOST_OF_A_KIND or not self.meter.spend(0):
                    break
                answer = self.fit(variant, work=_TRY)
                if answer.answer == "yes":
                    found.append(WayOut(change=change, witness=answer.witness))
                    kept += 1
        if not found:
            found += self._leave_out_several()
        return tuple(found)

    def _leave_out_several(self) -> Iterator[WayOut]:
        """Leave out as few copies as can be found, where one is not enough."""
        pieces = rules.left(self.state)
        free = [replace(piece, least=0, most=piece.least, value=0, penalty=1) for piece in pieces]
        part = self.meter.part(seconds=self.meter.share(0.5), work=10 * _TRY)
        try:
            layout = build(self.state.sheet, free, cover=False, meter=part)
        except (TooManyOptions, Stopped):
            return
        objective = Objective(missing_penalty=(1,) * len(free))
        found = optimum(layout.problem, objective, meter=part)
        self.meter.spend(part.worked)
        if found.score is None:
            return
        witness = layout.witness(found.chosen)
        used = Counter(placed.piece for placed in witness)
        out = {p.name: p.least - used[p.name] for p in pieces if p.least > used[p.name]}
        listed = ", ".join(name if n == 1 else f"{n} {name}" for name, n in out.items())
        stay_open = ", their cells stay open" if self.cover else ""
        yield WayOut(change=f"leave out {listed}{stay_open}", witness=witness)

    def _leave_out(self) -> Iterator[tuple[str, State]]:
        """Place one copy less; where no cell may stay open, as many cells then do."""
        stay_open = ", its cells stay open" if self.cover else ""
        for piece in sorted(rules.left(self.state), key=lambda piece: -piece.size):
            if piece.least:
                fewer = self._changed(
                    piece, least=piece.least - 1, most=piece.most and piece.most - 1
                )
                variant = replace(fewer, goal="packing")
                yield f"leave out one {piece.name}{stay_open}", variant

    def _allow_turns(self) -> Iterator[tuple[str, State]]:
        for piece in rules.left(self.state):
            if not piece.mirror:
                yield f"let {piece.name} be mirrored", self._changed(piece, mirror=True)
            if not piece.rotate:
                yield f"let {piece.name} be turned", self._changed(piece, rotate=True)

    def _changed(self, piece: Piece, **changes: Any) -> State:
        """Return the state with one piece changed; counts are of what is left."""
        used = sum(placed.piece == piece.name for placed in self.state.sheet.placed)
        for count in ("least", "most"):
            if changes.get(count) is not None:
                changes[count] += used
        pieces = tuple(
            replace(other, **changes) if other.name == piece.name else other
            for other in self.state.pieces
        )
        return replace(self.state, pieces=pieces)

    def _free_a_cell(self) -> Iterator[tuple[str, State]]:
        """Free or add a cell beside the open ones, or in a cover let one cell go."""
        sheet = self.state.sheet
        if self.cover:
            for cell in sheet.open:
                grounds = {c: g for c, g in sheet.grounds.items() if c != cell}
                change = f"leave the cell {list(cell)} open"
                yield change, replace(self.state, sheet=replace(sheet, grounds=grounds))
            return
        near = {near for cell in sheet.open for near in sheet.lattice.neighbours(cell)}
        known = {cell for placed in sheet.placed for cell in placed.cells}
        for cell in sorted(near & sheet.filled - known):
            rest = tuple(
                replace(group, cells=tuple(other for other in group.cells if other != cell))
                for group in sheet.lettered
            )
            yield (
                f"free the cell {list(cell)}",
                replace(
                    self.state, sheet=replace(sheet, lettered=tuple(g for g in rest if g.cells))
                ),
            )
        for cell in sorted(near - sheet.grounds.keys()):
            if min(cell) >= 0:
                grounds = {**sheet.grounds, cell: PLAIN}
                change = f"add the cell {list(cell)}"
                yield change, replace(self.state, sheet=replace(sheet, grounds=grounds))


def _where(cells: Sequence[Cell]) -> str:
    """Say which cells in words: themselves where they are few, or else the rows and columns."""
    if not cells:
        return ""
    if len(cells) <= 4:
        listed = ", ".join(str(list(cell)) for cell in cells)
        return f"the {'cell' if len(cells) == 1 else 'cells'} {listed}"
    rows, columns = [row for row, _ in cells], [column for _, column in cells]
    return f"the {len(cells)} marked cells in {_span('row', rows)}, {_span('column', columns)}"


def _span(what: str, numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{what} {low}" if low == high else f"{what}s {low} to {high}"
