"""A position as a polyform puzzle: what a no, its certificate and its explanation are about.

The puzzle asks whether all pieces that are left can be laid on the empty cells. It leaves FM3 and
the rolls aside, so what it refutes is impossible all the more.
"""

from __future__ import annotations

from dataclasses import replace

from tilesolve.answers import Explanation, Placed, Verification
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.geometry.lattice import HEX, regions
from tilesolve.geometry.sheet import SheetRules
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle.model import fit, require_legal
from tilesolve_models.five_minute_puzzle.state import CrossOut, Draw, State
from tilesolve_models.polyform import explaining, verifying
from tilesolve_models.polyform.refutation import Refutation, best_refutation
from tilesolve_models.polyform.rules import State as Puzzle
from tilesolve_models.polyform.rules import left


def puzzle_of(state: State) -> Puzzle:
    """Return the puzzle that a position leaves: its sheet, with what was drawn in order.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> found = puzzle_of(State(shipped("synthetic-a"), history=(CrossOut("A", 3),)))
    >>> len(found.sheet.open), len(found.pieces), found.goal
    (51, 11, 'packing')
    """
    edition = state.edition
    crossed = {entry.piece for entry in state.history if isinstance(entry, CrossOut)}
    drawn = [
        Placed(piece=entry.piece, cells=entry.cells)
        for entry in state.history
        if isinstance(entry, Draw)
    ]
    filled = tuple(Placed(piece="A", cells=group) for group in regions(HEX, state.prefilled))
    sheet = replace(
        edition.sheet,
        lettered=filled,
        placed=tuple(drawn),
        rules=SheetRules(region_penalty=1),
    )
    pieces = tuple(piece for piece in edition.pieces if piece.name not in crossed)
    return Puzzle(sheet, pieces, "packing")


def explain(state: State, *, budget: Budget, watch: Watch = SILENT) -> Explanation:
    """Say why the pieces that are left cannot all be drawn any more, and what would help.

    Raises
    ------
    IllegalState
        If the history breaks a rule.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> explain(State(shipped("synthetic-a")), budget=Budget()).answer
    'yes'
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    found = explaining.explain(puzzle_of(state), budget=budget, watch=watch, cover=False)
    if found.answer != "yes":
        return found
    answer = fit(state, budget=meter.part().budget, watch=watch)  # FM3 may forbid it all the same
    return Explanation(
        answer=answer.answer,
        rung=answer.rung,
        reasons=answer.reasons,
        stopped_by=answer.stopped_by,
        seconds=meter.seconds,
        details={"witness": answer.witness} if answer.witness else {},
    )


def verify(
    state: State, *, budget: Budget, watch: Watch = SILENT, proof: Node | None = None
) -> Verification:
    """Check a certificate of `fit`, `explain` or `best` with the checker that trusts no engine.

    Parameters
    ----------
    proof : Node
        The certificate.

    Raises
    ------
    InputError
        If no certificate is given, or it cannot be read.
    IllegalState
        If the history breaks a rule.
    """
    require_legal(state)
    return verifying.verify(puzzle_of(state), budget=budget, watch=watch, proof=proof)


def nothing_better(state: State, penalty: int, *, meter: Meter) -> Refutation | None:
    """Prove that no choice of the pieces left ends with less than a penalty; None if not found."""
    puzzle = puzzle_of(state)
    return best_refutation(puzzle.sheet, left(puzzle), cover=False, score=penalty, meter=meter)
