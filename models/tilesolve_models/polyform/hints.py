"""The next placement of a polyform puzzle, with a reason; or the last move that was still good.

Placements are ranked by the number of solutions they leave. What is forced comes first, and what
anyone can see on the sheet (one placement left for a cell or a piece) before what only counting
shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Hint, Hints, Json, Placed, Reason
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.placement.build import Layout
from tilesolve.placement.problem import Problem, bits
from tilesolve.placement.search import first_cover
from tilesolve.placement.techniques import TECHNIQUES_BY_NAME, Board
from tilesolve.placement.telling import at_a_glance, first_placement, reason_of
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.counting import Asked, asked
from tilesolve_models.polyform.rules import State

UNIT = "solutions"

Solvable: TypeAlias = Literal["yes", "no", "unknown"]

_LOOKS = 2_000
"""Placements that are tried one by one, at most, where solutions cannot be counted."""

_LADDER_WORK = 100_000
"""Work of climbing the ladder of techniques where nothing is forced at a glance."""

_RANKS = {"only placement of a cell": 0, "only place of a piece": 1}


@dataclass(frozen=True)
class _Forced:
    """How plainly a placement is forced: rank 0 to 4, a sentence, the hardest technique."""

    rank: int = 5
    why: str = ""
    technique: str | None = None


_FREE = _Forced()
"""A placement that nothing forces."""

_GLANCE = 20_000
"""Nodes of a search for one solution before anything slower is asked."""


@dataclass(frozen=True)
class _Move:
    """A placement worth a hint: `rank` 0 to 4 is forced, 5 is not; `why` is its own sentence."""

    option: int
    forced: _Forced
    solutions: int | None
    solvable: Solvable = "yes"

    @property
    def rank(self) -> int:
        return self.forced.rank


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    level: int = 3,
) -> Hints:
    """Rank the next placements by the number of solutions they leave, forced ones first.

    Parameters
    ----------
    count : int
        Hints at most.
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.
    level : {1, 2, 3}
        How much is said: a region of the sheet, a piece, or the placement.

    Returns
    -------
    Hints
        ``exact`` when the solutions were counted. Where they are too many to count, placements
        are looked at one by one (`value` is None): ``solvable`` in a hint's details says yes, or
        unknown, and the answer's details say how many were looked at and which leave no
        solution. Without any hint the reasons say that the puzzle is finished, or that the
        position can no longer be finished and which move spoilt it.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": ["..#", "..."], "pieces": ["I2", "I3"]}))
    >>> hints = hint(state, count=1, budget=Budget())
    >>> hints.hints[0].move["cells"], hints.hints[0].reason
    ([[1, 0], [1, 1], [1, 2]], 'the I3 has no other placement left')
    """
    from tilesolve.placement.diagram import compile_diagram

    question = asked(state, cover=cover, budget=budget, watch=watch)
    layout = question.layout
    if layout is None:
        return _no_hint(question)
    if _finished(layout.problem):
        reason = Reason(code="finished", message="everything is placed")
        return _told(question, (), exact=True, reasons=(reason,))
    part = question.meter.part(seconds=question.meter.share(0.5))
    diagram = compile_diagram(layout.problem, meter=part)
    question.meter.spend(part.worked)
    if diagram is None:
        return _uncounted(question, layout, count, level)
    if not diagram.total:
        return _spoilt(question, layout.problem)
    forced = _forced(layout, question.meter)
    moves = _ranked(forced, diagram.marginals(), diagram.total)
    said = _said(state, layout, moves, level, diagram.total)
    return _told(question, _first(said, count), exact=True)


def _finished(problem: Problem) -> bool:
    return all(kind.least == 0 for kind in problem.kinds) and not (problem.cover and problem.cells)


def _told(
    question: Asked,
    hints: Sequence[Hint],
    *,
    exact: bool,
    reasons: tuple[Reason, ...] = (),
    details: dict[str, Json] | None = None,
) -> Hints:
    return Hints(
        hints=tuple(hints),
        exact=exact,
        unit=UNIT,
        reasons=reasons,
        stopped_by=None if exact else question.meter.stopped_by,
        seconds=question.meter.seconds,
        details=details or {},
    )


def _ranked(forced: Mapping[int, _Forced], marginals: Sequence[int], total: int) -> list[_Move]:
    """Return the placements that some solution has, forced ones first, then by solutions."""
    moves = []
    for option, solutions in enumerate(marginals):
        if not solutions:
            continue
        why = forced.get(option, _FREE)
        if why.rank > 3 and solutions == total:
            why = _Forced(3, f"every solution has it there ({total} in all)")
        moves.append(_Move(option, why, solutions))
    return sorted(moves, key=lambda move: (move.rank, -(move.solutions or 0), move.option))


def _forced(layout: Layout, meter: Meter) -> dict[int, _Forced]:
    """Return what the ladder of techniques says, and cells that only one piece can cover."""
    problem = layout.problem
    board = Board(problem)
    found = {
        option: _Forced(_RANKS[step.technique], reason_of(problem, [step]), step.technique)
        for option, step in at_a_glance(board).items()
    }
    if not found:
        steps = first_placement(board, meter=meter.part(work=_LADDER_WORK))
        if steps and steps[-1].placed is not None:
            hardest = max((step.technique for step in steps), key=TECHNIQUES_BY_NAME.index)
            found[steps[-1].placed] = _Forced(2, reason_of(problem, steps), hardest)
    for cell, options in enumerate(board.at) if problem.cover else ():
        kinds = [kind for kind, own in enumerate(board.of) if own & options]
        if len(kinds) == 1 < len(problem.kinds):
            why = f"only the {problem.kinds[kinds[0]].name} can cover {list(layout.cells[cell])}"
            for option in bits(options):
                found.setdefault(option, _Forced(4, why, None))
    return found


def _said(
    state: State, layout: Layout, moves: Sequence[_Move], level: int, total: int | None
) -> Iterator[Hint]:
    """Put moves into words; at the lower levels each region or piece is named once."""
    seen: set[str] = set()
    most = max((move.solutions or 0 for move in moves), default=0)
    for move in moves:
        placed = layout.placed(move.option)
        where = _region(state, placed.cells)
        subject = {1: where, 2: placed.piece}.get(level, str(move.option))
        if subject in seen:
            continue
        seen.add(subject)
        yield Hint(
            move=rules.dump_move(placed) if level == 3 else None,
            value=_figure(move.solutions),
            loss=_loss(most, move.solutions),
            reason=_sentence(move, placed, where, level, total),
            cells=_shown(state, placed.cells, level),
            details=_details(move, placed, where, level),
        )


def _sentence(move: _Move, placed: Placed, where: str, level: int, total: int | None) -> str:
    forced = move.rank < _FREE.rank
    if level == 1:
        return f"look at {where}" + (": something is forced there" if forced else "")
    left = move.forced.why or _left(move, total)
    if level == 2:
        # The cells of the reason would give the placement away.
        told = "its place is forced" if forced else left
        return f"place the {placed.piece} next: {told}"
    at = "on" if where.endswith("side") else "in"
    return left if forced else f"the {placed.piece} {at} {where}: {left}"


def _left(move: _Move, total: int | None) -> str:
    if move.solutions is not None:
        return f"it leaves {move.solutions} of {total} solutions"
    if move.solvable == "yes":
        return "it leaves the puzzle solvable"
    return "whether it leaves a solution was not found out"


def _details(move: _Move, placed: Placed, where: str, level: int) -> dict[str, Json]:
    details: dict[str, Json] = {"forced": move.rank < _FREE.rank}
    if move.forced.technique is not None:
        details["technique"] = move.forced.technique
    if level == 1:
        details["region"] = where
    elif level == 2:
        details["piece"] = placed.piece
    if move.solutions is None:
        details["solvable"] = move.solvable
    return details


def _figure(solutions: int | None) -> int | str | None:
    if solutions is None or solutions <= 2**53:
        return solutions
    return str(solutions)


def _loss(most: int, solutions: int | None) -> int | None:
    return None if solutions is None or most > 2**53 else most - solutions


def _shown(state: State, cells: Sequence[Cell], level: int) -> tuple[Cell, ...]:
    """Return the cells to mark: the placement, none for a piece, or the part of the sheet."""
    if level == 3:
        return tuple(cells)
    if level == 2:
        return ()
    rows, columns = [row for row, _ in cells], [column for _, column in cells]
    return tuple(
        (row, column)
        for row, column in state.sheet.open
        if min(rows) - 1 <= row <= max(rows) + 1 and min(columns) - 1 <= column <= max(columns) + 1
    )


def _region(state: State, cells: Sequence[Cell]) -> str:
    """Name the ninth of the sheet in which the middle of some cells lies."""
    rows = [row for row, _ in state.sheet.grounds]
    columns = [column for _, column in state.sheet.grounds]
    down = _third(sum(row for row, _ in cells) / len(cells), min(rows), max(rows))
    across = _third(sum(column for _, column in cells) / len(cells), min(columns), max(columns))
    names = (
        ("the top left", "the top", "the top right"),
        ("the left side", "the middle", "the right side"),
        ("the bottom left", "the bottom", "the bottom right"),
    )
    return names[down][across]


def _third(place: float, least: int, most: int) -> int:
    return min(2, int(3 * (place - least + 0.5) / (most - least + 1)))


def _first(hints: Iterator[Hint], count: int) -> list[Hint]:
    return [hint for _, hint in zip(range(count), hints, strict=False)]


def _uncounted(question: Asked, layout: Layout, count: int, level: int) -> Hints:
    """Tell of placement after placement whether it leaves a solution, as far as the budget goes."""
    meter, problem = question.meter, layout.problem
    part = meter.part(work=10 * _GLANCE)
    searched = first_cover(problem, meter=part)
    meter.spend(part.worked)
    if searched.exhausted and searched.chosen is None:
        return _spoilt(question, problem)
    forced = _forced(layout, meter)
    known: dict[int, Solvable] = dict.fromkeys(searched.chosen or (), "yes")
    options = range(len(problem.options))
    looks = 0
    for option in sorted(options, key=lambda option: (forced.get(option, _FREE).rank, option)):
        if looks == _LOOKS or not meter.spend(0):
            break
        if option not in known:
            looks += 1
            known |= _looked_at(problem, option, meter)
    moves = [
        _Move(option, forced.get(option, _FREE), None, solvable)
        for option, solvable in known.items()
        if solvable != "no"
    ]
    moves.sort(key=lambda move: (move.solvable != "yes", move.rank, move.option))
    if not moves:
        meter.stop("work")
    dead = sorted(option for option, solvable in known.items() if solvable == "no")
    told = {"looked_at": len(known), "placements": len(options), "solvable": 0, "unknown": 0}
    for move in moves:
        told["solvable" if move.solvable == "yes" else "unknown"] += 1
    message = (
        f"the solutions are too many to count within the budget; {len(known)} of {len(options)} "
        f"placements were looked at: {told['solvable']} leave a solution, {len(dead)} do not, "
        f"{told['unknown']} are unknown"
    )
    details: dict[str, Json] = {
        **told,
        "dead_ends": [rules.dump_move(layout.placed(option)) for option in dead],
    }
    said = _first(_said(question.state, layout, moves, level, None), count)
    reason = Reason(code="not-counted", message=message)
    return _told(question, said, exact=False, reasons=(reason,), details=details)


def _looked_at(problem: Problem, option: int, meter: Meter) -> dict[int, Solvable]:
    """Tell whether a solution has this option; with one, that holds for all of its options.

    A no takes two engines: the search, exhausted, and CP-SAT.
    """
    after = without(problem, option)
    part = meter.part(work=_GLANCE)
    searched = first_cover(after, meter=part)
    meter.spend(part.worked)
    if searched.chosen is not None:
        numbers = _numbers(problem, option)
        also = [numbers[chosen] for chosen in searched.chosen if chosen < len(numbers)]
        return dict.fromkeys([option, *also], "yes")
    from tilesolve.placement.cpsat.decision import decide

    part = meter.part(seconds=meter.share(0.2), work=_GLANCE)
    found = decide(after, meter=part)
    meter.spend(part.worked)
    if found.status == "infeasible" and searched.exhausted:
        return {option: "no"}
    return {option: "yes" if found.status == "feasible" else "unknown"}


def _numbers(problem: Problem, option: int) -> list[int]:
    """Return the numbers of the options that `without` keeps, in their order."""
    taken = problem.options[option].mask
    return [number for number, other in enumerate(problem.options) if not other.mask & taken]


def without(problem: Problem, option: int) -> Problem:
    """Return what is left of a problem once an option is chosen; its cells stay, taken.

    They are covered by the one option of a kind of their own.
    """
    chosen = problem.options[option]
    kind = problem.kinds[chosen.kind]
    rest = replace(
        kind,
        least=max(0, kind.least - 1),
        most=None if kind.most is None else kind.most - 1,
    )
    kinds = list(problem.kinds)
    kinds[chosen.kind] = rest
    taken = type(chosen)(len(kinds), chosen.mask)
    kinds.append(type(kind)("taken", 1, 1))
    left = tuple(other for other in problem.options if not other.mask & chosen.mask)
    return replace(problem, kinds=tuple(kinds), options=(*left, taken))


def _no_hint(question: Asked) -> Hints:
    """Answer where counting alone shows that there is no solution, or nothing was built."""
    if question.too_large:
        question.meter.stop("memory")
        return _told(question, (), exact=False, reasons=question.reasons)
    return _spoilt(question)


def _spoilt(question: Asked, problem: Problem | None = None) -> Hints:
    """Say that the position cannot be finished, and which move was the last good one.

    One engine has found no solution of the problem, or counting cells alone showed it (None).
    """
    if problem is not None and not _hopeless(problem, question.meter):
        question.meter.stop("work")
        message = (
            "one engine found no way to finish this position; the budget ended before a second "
            "one could confirm it"
        )
        reason = Reason(code="not-confirmed", message=message)
        return _told(question, (), exact=False, reasons=(reason,))
    placed = question.state.sheet.placed
    good = _last_good(question, len(placed))
    details: dict[str, Json] = {"finishable": False}
    if not placed or good == -1:
        message = "this puzzle has no solution"
        if placed:
            message += ", whatever was placed"
    elif good is None:
        message = (
            "this position can no longer be finished; the budget ended before the move that "
            "spoilt it was found"
        )
    else:
        details["spoilt_by"] = rules.dump_move(placed[good])
        details["take_back"] = len(placed) - good
        message = _last_good_message(placed, good)
        if good:
            details["last_good"] = rules.dump_move(placed[good - 1])
    reason = Reason(code="dead-end", message=message)
    return _told(question, (), exact=True, reasons=(reason, *question.reasons), details=details)


def _hopeless(problem: Problem, meter: Meter) -> bool | None:
    """Tell whether a problem has no solution; None unless a solution or two engines say so."""
    from tilesolve.placement.ways import count_covers

    part = meter.part(work=10 * _GLANCE)
    searched = first_cover(problem, meter=part)
    meter.spend(part.worked)
    if searched.chosen is not None:
        return False
    if not searched.exhausted:
        return None
    part = meter.part()
    solutions = count_covers(problem, meter=part)
    meter.spend(part.worked)
    return None if solutions is None else solutions == 0


def _last_good_message(placed: Sequence[Placed], good: int) -> str:
    spoilt = placed[good]
    by = f"the {spoilt.piece} at {list(spoilt.cells[0])} (move {good + 1}) spoilt it"
    if not good:
        return f"this position can no longer be finished: {by}, the very first move"
    last = placed[good - 1]
    return (
        "this position can no longer be finished; the last move that still could was the "
        f"{last.piece} at {list(last.cells[0])} (move {good}), and {by}"
    )


def _last_good(question: Asked, moves: int) -> int | None:
    """Return after how many moves the puzzle could last be finished.

    -1 if never; None if the budget ended first. What can be finished after some moves could be
    finished after fewer, so halving finds it.
    """
    low, high = -1, moves
    while high - low > 1:
        middle = (low + high) // 2
        finishable = _finishable(question, middle)
        if finishable is None:
            return None
        low, high = (middle, high) if finishable else (low, middle)
    return low


def _finishable(question: Asked, moves: int) -> bool | None:
    """Tell whether the puzzle could be finished after its first moves; None is unknown."""
    sheet = replace(question.state.sheet, placed=question.state.sheet.placed[:moves])
    earlier = asked(
        replace(question.state, sheet=sheet),
        cover=question.cover,
        budget=question.meter.part().budget,
        watch=question.meter.watch,
    )
    if earlier.layout is None:
        return None if earlier.too_large else False
    hopeless = _hopeless(earlier.layout.problem, question.meter)
    return None if hopeless is None else not hopeless
