"""The solutions of a polyform puzzle: one by one, the question of uniqueness, random ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from tilesolve.answers import Json, Placed, Reason, Solved, Witness, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.placement.build import Layout
from tilesolve.placement.orbits import Group, one_of_each
from tilesolve.proof.certificate import dump_certificate
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.counting import Asked, asked
from tilesolve_models.polyform.rules import State

if TYPE_CHECKING:
    from tilesolve.placement.count import Engine


def solve(
    state: State,
    *,
    limit: int | None,
    budget: Budget,
    watch: Watch = SILENT,
    cover: bool | None = None,
    all: bool = False,  # noqa: A002  # the setting is called so
    unique: bool = False,
    distinct: bool = False,
    sample: int | None = None,
    engine: Engine = "auto",
) -> Iterator[Witness | Solved]:
    """Yield solutions one by one in a fixed order, each checked by the rules, and then the end.

    Parameters
    ----------
    limit : int or None
        Solutions at most; None is no limit.
    cover : bool or None
        Whether no cell may stay open; None takes the state's goal, or cover.
    all : bool
        All solutions, whatever `limit` says.
    unique : bool
        Ask only whether there is exactly one. ``unique`` in the end's details is ``yes``, ``no``
        or ``unknown``, and ``found`` says ``exactly one``, ``several`` (two are given), ``none``
        or ``unknown``.
    distinct : bool
        Leave out solutions that are symmetric copies of one that is given.
    sample : int or None
        Instead, draw so many at random, each solution being equally likely, with the budget's
        seed; one may come several times.
    engine : {"auto", "diagram", "search"}
        One engine alone, for comparison.

    Raises
    ------
    IllegalState
        If what lies on the sheet breaks a rule.
    InputError
        If a sample is to be unique or distinct, or is asked of the search: it is drawn from all
        solutions by the diagram.

    Examples
    --------
    >>> from tilesolve.wire import Node
    >>> state = rules.load(Node({"sheet": "2x2", "pieces": "dominoes*"}))
    >>> first, second, end = solve(state, limit=None, budget=Budget())
    >>> [placed.cells for placed in first.witness], end.exhausted
    ([((0, 0), (0, 1)), ((1, 0), (1, 1))], True)
    """
    if sample is not None and (unique or distinct):
        raise InputError("a sample is of all solutions, not of unique or distinct", place="sample")
    if sample is not None and engine == "search":
        raise InputError("the search draws no samples; leave the engine out", place="sample")
    question = asked(state, cover=cover, budget=budget, watch=watch)
    layout = question.layout
    if layout is None:
        yield _nothing(question, unique)
    elif sample is not None:
        yield from _drawn(question, layout, sample)
    else:
        most = None if all and not unique else 2 if unique else limit
        yield from _streamed(question, layout, engine, most, unique=unique, distinct=distinct)


def _nothing(question: Asked, unique: bool) -> Solved:
    """End at once: counting alone shows that there is no solution, or nothing was built."""
    details = _told(question.reasons)
    certificate: Json = None
    if unique and question.too_large:
        details |= _uniqueness(0, exhausted=False)
    elif unique:
        more, certificate = _none(question)
        details |= more
    return Solved(
        solutions=0,
        exhausted=not question.too_large,
        stopped_by="memory" if question.too_large else None,
        seconds=question.meter.seconds,
        details=details,
        certificate=certificate,
    )


def _none(question: Asked) -> tuple[dict[str, Json], Json]:
    """Return what is said where no solution seems to be, by the ladder of reasons of `fit`."""
    from tilesolve_models.polyform.fitting import fit

    meter = question.meter
    part = meter.part()
    answer = fit(question.state, budget=part.budget, watch=meter.watch, cover=question.cover)
    if answer.answer != "no":
        return _uniqueness(0, exhausted=False), None
    return {**_uniqueness(0, exhausted=True), "rung": answer.rung}, answer.certificate


def _told(reasons: tuple[Reason, ...]) -> dict[str, Json]:
    return {"reasons": [{"code": found.code, "message": found.message} for found in reasons]}


def _streamed(
    question: Asked,
    layout: Layout,
    engine: Engine,
    most: int | None,
    *,
    unique: bool,
    distinct: bool,
) -> Iterator[Witness | Solved]:
    from tilesolve.placement.solutions import solutions

    meter = question.meter
    # Of symmetric copies, one is given and many are passed over.
    wanted = None if distinct else most
    group = question.group(layout) if wanted is None else None
    found = solutions(layout.problem, group, meter=meter, wanted=wanted, engine=engine)
    if distinct and group is not None:
        found = filter(one_of_each(group), found)
    proof = Proof(question.state, layout)
    given = 0
    last: tuple[int, ...] = ()
    for last in found if most is None else islice(found, most):
        given += 1
        yield proof.witness(last)
        meter.report(Progress(stage="solutions", done=given))
    stopped_by = None if given == most else meter.stopped_by
    exhausted = given != most and stopped_by is None
    details = _uniqueness(given, exhausted=exhausted) if unique else {}
    certificate: Json = None
    if exhausted and unique:
        if not given:
            details, certificate = _none(question)
        elif distinct:  # there may be symmetric copies, which no certificate speaks of
            details = _agreed(layout, meter, question.group(layout))
        else:
            details, certificate = _confirmed(details, layout, last, meter)
        exhausted = details["unique"] != "unknown"
        stopped_by = None if exhausted else meter.stopped_by or "work"
    yield Solved(
        solutions=given,
        exhausted=exhausted,
        stopped_by=stopped_by,
        seconds=meter.seconds,
        details=details,
        certificate=certificate,
    )


def _confirmed(
    details: dict[str, Json], layout: Layout, chosen: tuple[int, ...], meter: Meter
) -> tuple[dict[str, Json], Json]:
    """Return what is said of a solution that seems to be the only one, and its certificate.

    Whichever engine found no second is believed once a search is written down and followed by the
    checker, or once a search and a diagram, each from scratch, find one solution too.
    """
    from tilesolve_models.polyform.refutation import only_solution

    refutation = only_solution(layout, chosen, meter=meter)
    if refutation is not None:
        proven = {**details, "rung": refutation.rung}
        return proven, dump_certificate(refutation.certificate)
    return _agreed(layout, meter), None


def _agreed(layout: Layout, meter: Meter, group: Group | None = None) -> dict[str, Json]:
    """Return whether a search and a diagram both find one solution, up to symmetry in a group."""
    from tilesolve.placement.solutions import solutions

    engines: tuple[Engine, Engine] = ("search", "diagram")
    for engine in engines:
        found: Iterable[tuple[int, ...]] = solutions(layout.problem, meter=meter, engine=engine)
        if group is not None:
            found = filter(one_of_each(group), found)
        given = len(list(islice(found, 2)))
        if given != 1 or meter.stopped_by is not None:
            return _uniqueness(given, exhausted=False)
    return {**_uniqueness(1, exhausted=True), "rung": "two engines"}


def _uniqueness(given: int, *, exhausted: bool) -> dict[str, Json]:
    if given > 1:
        return {"unique": "no", "found": "several"}
    if not exhausted:
        return {"unique": "unknown", "found": "unknown"}
    return {"unique": "yes", "found": "exactly one"} if given else {"unique": "no", "found": "none"}


def _drawn(question: Asked, layout: Layout, sample: int) -> Iterator[Witness | Solved]:
    from tilesolve.placement.diagram import compile_diagram

    meter = question.meter
    diagram = compile_diagram(layout.problem, meter=meter)
    proof = Proof(question.state, layout)
    given = 0
    if diagram is not None:
        draws = diagram.sample(sample, seed=meter.budget.seed)
        for chosen in draws:
            if not meter.spend(1):
                break
            given += 1
            yield proof.witness(chosen)
    details: dict[str, Json] = {"sample": sample, "seed": meter.budget.seed}
    if diagram is not None:
        details["of"] = diagram.total if diagram.total <= 2**53 else str(diagram.total)
    yield Solved(
        solutions=given,
        exhausted=diagram is not None and diagram.total == 0,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=details,
    )


class _Part(NamedTuple):
    """A placement that the rules allow: as cells, and as numbers that are quick to add up."""

    placed: Placed
    first: int
    cells: int
    size: int
    piece: int


_first = itemgetter(1)


@dataclass(frozen=True)
class Proof:
    """Re-checks solutions by the rules, which know no engine, before they are given away.

    Each placement is put to the rules once; of a whole solution it remains to see that no two
    placements overlap, that the counts are kept, and that no cell is open that may not be.
    """

    state: State
    layout: Layout
    _parts: dict[int, _Part] = field(default_factory=dict)
    _counts: set[int] = field(default_factory=set)

    def witness(self, chosen: Iterable[int]) -> Witness:
        """Return a solution as placed pieces, in reading order.

        Raises
        ------
        WrongAnswer
            If it is none: a fault of the program.
        """
        known = self._parts
        parts = [known.get(option) or self._legal(option) for option in chosen]
        cells = size = used = 0
        for _, _, taken, extent, copy in parts:
            cells |= taken
            size += extent
            used += copy
        disjoint = cells.bit_count() == size
        full = size == len(self.layout.cells) or not self.layout.problem.cover
        if not (disjoint and full and (used in self._counts or self._counted(parts, used))):
            raise WrongAnswer(f"a solution breaks the rules: {[part.placed for part in parts]}")
        parts.sort(key=_first)
        return Witness(witness=tuple([part.placed for part in parts]))

    def _legal(self, option: int) -> _Part:
        layout = self.layout
        placed = layout.placed(option)
        kind = layout.problem.options[option].kind
        # Contact rules belong to `best`: a set of placements has no order to touch in.
        if not rules.lies_well(self.state.sheet, layout.pieces[kind], placed.cells):
            raise WrongAnswer(f"a placement breaks the rules: {placed}")
        cells = sum([1 << layout.numbers[cell] for cell in placed.cells])
        # No more copies than cells are used, so counts do not run into each other.
        width = len(layout.cells).bit_length()
        part = _Part(placed, cells & -cells, cells, len(placed.cells), 1 << width * kind)
        self._parts[option] = part
        return part

    def _counted(self, parts: Iterable[_Part], used: int) -> bool:
        """Tell whether every piece is used as often as it must and may be."""
        copies = Counter(part.placed.piece for part in parts)
        kept = all(
            piece.least <= copies[piece.name]
            and (piece.most is None or copies[piece.name] <= piece.most)
            for piece in rules.left(self.state)
        )
        if kept:
            self._counts.add(used)
        return kept
