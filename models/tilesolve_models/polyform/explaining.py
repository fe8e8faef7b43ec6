"""Why not, and what would make it possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tilesolve.answers import Explanation, Fit, Json, Reason, WayOut
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import PLAIN
from tilesolve.placement.build import TooManyOptions, build
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.conflict import smallest_conflict
from tilesolve_models.polyform.fitting import fit
from tilesolve_models.polyform.rules import State

_MOST_OF_A_KIND = 3
"""Ways out of one kind that are shown."""

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
    reasons = (*answer.reasons, *asking.spoiler())
    conflict = asking.conflict()
    ways_out = asking.ways_out()
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

    def spoiler(self) -> Iterator[Reason]:
        """Say which placement made it impossible, if they came in order."""
        placed = self.state.sheet.placed
        bare = replace(self.state, sheet=replace(self.state.sheet, placed=()))
        if not placed or self.fit(bare, share=0.2).answer != "yes":
            return
        good, bad = 0, len(placed)
        while bad - good > 1:
            middle = (good + bad) // 2
            before = replace(bare, sheet=bare.sheet.with_placed(placed[:middle]))
            answer = self.fit(before, share=0.2).answer
            if answer == "unknown":
                return
            good, bad = (middle, bad) if answer == "yes" else (good, middle)
        culprit = placed[bad - 1]
        yield Reason(
            code="spoilt-by",
            message=f"with the first {good} of {len(placed)} placed pieces it still was possible; "
            f"{culprit.piece} at {list(culprit.cells[0])} made it impossible",
            cells=culprit.cells,
            pieces=(culprit.piece,),
        )

    def conflict(self) -> dict[str, Json]:
        """Return the smallest conflict found, or nothing where it cannot be refuted in time."""
        try:
            layout = build(self.state.sheet, rules.left(self.state), cover=self.cover)
        except TooManyOptions:
            return {}
        part = self.meter.part(seconds=self.meter.share(0.5))
        found = smallest_conflict(layout, meter=part)
        self.meter.spend(part.worked)
        if found is None:
            return {}
        return {
            "pieces": list(found.pieces),
            "cells": [list(cell) for cell in found.cells],
            "minimal": found.minimal,
        }

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
        return tuple(found)

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
        """Add a cell beside the open ones, or in a cover let one cell go."""
        sheet = self.state.sheet
        if self.cover:
            for cell in sheet.open:
                grounds = {c: g for c, g in sheet.grounds.items() if c != cell}
                change = f"leave the cell {list(cell)} open"
                yield change, replace(self.state, sheet=replace(sheet, grounds=grounds))
            return
        near = {near for cell in sheet.open for near in sheet.lattice.neighbours(cell)}
        for cell in sorted(near - sheet.grounds.keys()):
            if min(cell) >= 0:
                grounds = {**sheet.grounds, cell: PLAIN}
                change = f"add the cell {list(cell)}"
                yield change, replace(self.state, sheet=replace(sheet, grounds=grounds))
