"""Advice: every legal move with the moves that are left after it."""

from __future__ import annotations

from tilesolve.answers import Hint, Hints, Reason
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.graph.paths import line_back
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.boards import dump_move
from tilesolve_models.sliding_blocks.lines import distances
from tilesolve_models.sliding_blocks.model import asked, measured, no_line
from tilesolve_models.sliding_blocks.rules import Move, State, apply, moves
from tilesolve_models.sliding_blocks.search import told


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
) -> Hints:
    """Rank the legal moves by the moves left after each, the first on a shortest line.

    When the budget ends before all are judged, only the move that begins the line found is
    given; when it ends before that, none.
    """
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric)
    if state.done:
        done = Reason(code="done", message="the goal is reached")
        return _hints(state, (), meter, reasons=(done,))
    graph = arrangements(state, meter=meter)
    if graph is None:
        return _hints(state, (), meter)
    seen = graph.walk(meter=meter, until=graph.done)
    if not len(seen.found):
        reasons = (no_line(seen.states),) if seen.exhausted else ()
        return _hints(state, (), meter, reasons=reasons)
    ranked = _ranked(graph, seen.depth, meter)
    if not ranked:
        keys = line_back(seen, seen.found[0], graph.neighbours)
        ranked = [(seen.depth - 1, told(graph, keys[:2])[0])]
    hints = tuple(_hint(state, move, left, seen.depth) for left, move in ranked[:count])
    return _hints(state, hints, meter, needed=seen.depth)


def _ranked(graph: Arrangements, needed: int, meter: Meter) -> list[tuple[int, Move]]:
    """Return each legal move with the moves left after it; empty when the meter stops.

    After one move the goal is at most ``needed + 1`` moves away, so everything that matters is
    at most ``needed + 2`` moves from here.
    """
    seen = graph.walk(meter=meter, depth=needed + 2)
    far = distances(graph, seen, meter=meter, depth=needed + 1)
    if meter.stopped_by is not None:
        return []
    judged = [
        (far.of(graph.key(apply(graph.state, move).blocks)), move) for move in moves(graph.state)
    ]
    return sorted(
        ((left, move) for left, move in judged if left is not None), key=lambda pair: pair[0]
    )


def _hint(state: State, move: Move, left: int, needed: int) -> Hint:
    block = state.blocks[move.block].along(move.path)
    row, column = block.place
    way = ", then ".join(move.path)
    told_left = f"{left} {state.metric[:-1] if left == 1 else state.metric} left"
    judged = {
        needed - 1: "on a shortest line",
        needed: "as far from the goal as before",
        needed + 1: "a move away from the goal",
    }[left]
    return Hint(
        move=dump_move(move),
        value=left,
        loss=left + 1 - needed,
        reason=f"{move.block} goes {way}, to row {row}, column {column}: {told_left}, {judged}.",
        cells=tuple(cell for cell in block.cells if state.board.within(cell)),
    )


def _hints(
    state: State,
    hints: tuple[Hint, ...],
    meter: Meter,
    *,
    reasons: tuple[Reason, ...] = (),
    needed: int | None = None,
) -> Hints:
    details = {**measured(state), **({} if needed is None else {"needed": needed})}
    return Hints(
        hints=hints,
        exact=meter.stopped_by is None,
        unit=f"{state.metric} left",
        reasons=reasons,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=details,
    )
