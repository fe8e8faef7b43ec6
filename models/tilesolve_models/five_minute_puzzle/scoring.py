"""The least penalty that can still be reached, proven: free order, known rolls, best pre-fill.

Several engines, each of which may settle it. Short dives through packings in random order find
good ones, and counting cells often shows that none is better. Then all packings whose empty cells
cost less are read off a table of states; where there is no such table, a search goes through them.
CP-SAT is asked last. What none of them knows, the rounds in which a piece may be drawn, is checked
for every packing, and told CP-SAT in clauses. An optimum that only one of them vouches for needs a
certificate, or another of them that agrees.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

from tilesolve.answers import Best, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.placement.agreement import ONE_ENGINE
from tilesolve.placement.connect import beside, components
from tilesolve.placement.objective import Clause, Found, costs
from tilesolve.placement.problem import Kind, Option, bits
from tilesolve.proof.certificate import dump_certificate
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import Puzzle, puzzle, require_legal
from tilesolve_models.five_minute_puzzle.outcome import Solved, answer
from tilesolve_models.five_minute_puzzle.packing import Packer, Packing
from tilesolve_models.five_minute_puzzle.position import Lay, Position
from tilesolve_models.five_minute_puzzle.schedule import Rounds, conflict, schedule
from tilesolve_models.five_minute_puzzle.state import State

DIVES, DEPTH, EACH = 300, 150, 4
"""Dives into the packings, nodes of a dive, packings looked at in one."""

FEW, FEW_DIVES = 10, 25
"""With so few pieces left the exhaustive searches come soon."""

READABLE = 150_000
"""Packings that are read off a table before CP-SAT is asked."""

EXHAUSTIBLE = 12_000
"""Nodes after which the search of packings leaves the proof to CP-SAT."""

Engine: TypeAlias = Literal["auto", "cpsat", "search"]

_ASKED = {"cpsat": ("CP-SAT",), "search": ("search", "table")}
"""What may be asked where not all may be."""

SPARE = 10
"""Spare hexagons among which the ones to fill first are looked for in a dive."""


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    prefill: int = 0,
    engine: Engine = "auto",
    proof: bool = False,
) -> Best:
    """Find the least penalty that can still be reached, and rounds that reach it.

    The rolls that are known (``roll``, then ``rolls``) are kept to; after them the die is taken
    to fall as one would wish. With no roll known the order is free.

    Parameters
    ----------
    prefill : int
        Up to so many hexagons, 0 to 3, may be filled first, wherever it is best (FM8).
    engine : {"auto", "cpsat", "search"}
        Ask CP-SAT alone, whose word is no proof, or the search and the table alone.
    proof : bool
        Look for a certificate that nothing is better, which leaves FM3 and the rolls aside.

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
    now = rules.position(state)
    questions = [_Question(state, now, 0, engine)]
    if prefill and now.edition.hexagons:
        questions.insert(0, _Question(state, now, prefill, engine))
    solved: list[Solved] = []
    for question in questions:
        if not solved or solved[0].score > 0:
            solved.append(question.solve(meter))
    score = min(each.score for each in solved)
    doubted = any(each.shown_by(score) in ONE_ENGINE for each in solved)
    if (proof or doubted) and not prefill:
        certified = _certified(state, solved[0], meter)
        if certified is not None:
            return certified
    if doubted:
        pairs = zip(questions, solved, strict=False)
        solved = [question.confirmed(each, meter) for question, each in pairs]
    return answer(state, solved, meter)


def _certified(state: State, solved: Solved, meter: Meter) -> Best | None:
    """Return an answer with a certificate that nothing is better, if one is found."""
    from tilesolve_models.five_minute_puzzle.proving import nothing_better

    if solved.bound < solved.score:
        return None
    written = nothing_better(state, solved.score, meter=meter)
    if written is None:
        return None
    bound_by = f"{written.rung}, followed by a separate checker"
    found = answer(state, [replace(solved, bounds={bound_by: solved.score})], meter)
    return replace(found, certificate=dump_certificate(written.certificate))


def known_best(state: State, *, meter: Meter) -> tuple[int, bool]:
    """Return the least penalty found for the rolls that are known, and whether it is proven."""
    question = _Question(state, rules.position(state), 0, "auto")
    solved = question.confirmed(question.solve(meter), meter)
    return solved.score, solved.proven


@dataclass(frozen=True)
class _Question:
    """The best from a position, with 1 to `prefill` hexagons filled first, or with none."""

    state: State
    now: Position
    prefill: int
    engine: Engine

    def solve(self, meter: Meter) -> Solved:
        """Return the best, or what is known of it when the meter stops."""
        packer = Packer(self.now, ceiling=0)
        kept = self.nothing(packer)
        if self.engine != "cpsat":
            kept = self.dived(kept, packer, meter)
            if self.goes_on(kept, meter):
                kept = self.read_off(kept, meter)
            if self.goes_on(kept, meter) and not self.prefill:
                few = EXHAUSTIBLE if self.engine == "auto" else None
                kept = self.exhausted(kept, packer, meter, few)
        if self.engine != "search" and self.goes_on(kept, meter):
            kept = self.by_clauses(kept, meter)
        if self.engine == "auto" and self.goes_on(kept, meter) and not self.prefill:
            kept = self.exhausted(kept, packer, meter, None)
        return kept

    def goes_on(self, kept: Solved, meter: Meter) -> bool:
        """Return whether there may be something better, and time to look for it."""
        return not kept.settled and meter.stopped_by is None

    def confirmed(self, kept: Solved, meter: Meter) -> Solved:
        """Ask the other engines anew, where one alone says that nothing is better.

        Raises
        ------
        WrongAnswer
            If another engine finds something better.
        """
        for engine in ONE_ENGINE if self.engine == "auto" else _ASKED[self.engine]:
            if not kept.settled or kept.proven:
                break
            if kept.bounds.get(engine, -1) >= kept.score:
                continue
            part = meter.part(seconds=meter.share(1.0 if engine == "CP-SAT" else 0.5))
            found = self.anew(engine, replace(kept, bounds={"area": 0}), part)
            meter.spend(part.worked)
            if found.score < kept.score:
                raise WrongAnswer("one engine says that nothing is better, and another finds it")
            for by, bound in found.bounds.items():
                kept = kept.raised(bound, by)
        return kept

    def anew(self, engine: str, kept: Solved, meter: Meter) -> Solved:
        """Ask one engine, which knows the score but no bound."""
        match engine:
            case "search":
                return self.exhausted(kept, Packer(self.now, ceiling=0), meter, None)
            case "table":
                return self.read_off(kept, meter)
            case _:
                return self.by_clauses(kept, meter)

    def nothing(self, packer: Packer) -> Solved:
        """Return what stopping at once gives, and the bound from counting cells."""
        first = next(bits(self.now.edition.hexagons), 0)
        prefilled = 1 << first if self.prefill else 0
        score = replace(self.now, filled=self.now.filled | prefilled).penalty
        return Solved(prefilled, (), score, {"area": min(packer.floor(self.prefill), score)})

    def dived(self, kept: Solved, packer: Packer, meter: Meter) -> Solved:
        """Look at some packings in random order."""
        packer.chance = random.Random(meter.budget.seed)
        packer.limit = DEPTH
        few = self.now.available.bit_count() <= FEW
        for _ in range(min(FEW_DIVES, DIVES) if few else DIVES):
            if kept.settled or not meter.spend():
                break
            packer.nodes = 0
            # Hexagons filled first take at most themselves and a region each from the penalty.
            packer.ceiling = kept.score + 2 * self.prefill
            for number, packing in enumerate(packer.packings(), start=1):
                kept = self.with_packing(kept, packing, meter)
                packer.ceiling = kept.score + 2 * self.prefill
                if kept.settled or number == EACH:
                    break
            meter.spend(packer.nodes)
            meter.report(Progress(stage="dives", score=kept.score, bound=kept.bound))
        return kept

    def read_off(self, kept: Solved, meter: Meter) -> Solved:
        """Look at all packings whose empty cells cost less, read off a table of states.

        Empty cells add at least one region to what they cost.
        """
        from tilesolve.placement.cheapest import cheapest

        whole = self.puzzle()
        limit = max(0, kept.score - 2)
        part = meter.part(seconds=meter.share(0.5))
        found = cheapest(
            whole.problem, costs(whole.problem, whole.objective()), limit=limit, meter=part
        )
        meter.spend(part.worked)
        if found is None:
            return kept
        kept = kept.raised(min(found.bound + (found.bound > 0), kept.score), "table")
        best = [kept]
        better = found.selections(lambda: max(1, best[-1].score - 1))
        for number, (_, chosen) in enumerate(better):
            lays = [whole.lays[option] for option in chosen]
            best.append(self.tried(best.pop(), *self.laid(lays), meter))
            if best[-1].settled or number == READABLE or meter.stopped_by is not None:
                return best[-1]
        kept = best[-1]
        if not found.complete or part.stopped_by is not None:
            return kept
        return kept.raised(kept.score, "table")

    def exhausted(self, kept: Solved, packer: Packer, meter: Meter, limit: int | None) -> Solved:
        """Look at all packings that are better, if a search of so many nodes is enough."""
        packer.chance, packer.nodes, packer.limit, packer.meter = None, 0, limit, meter
        packer.ceiling = kept.score + 2 * self.prefill
        for packing in packer.packings():
            kept = self.with_packing(kept, packing, meter, None)
            packer.ceiling = kept.score + 2 * self.prefill
            if kept.settled or meter.stopped_by is not None:
                return kept
        return kept if packer.gave_up else kept.raised(kept.score, "search")

    def with_packing(
        self, kept: Solved, packing: Packing, meter: Meter, spare: int | None = SPARE
    ) -> Solved:
        """Return the better of what is kept and a packing, if it can be drawn in time."""
        for prefilled in self.prefills(packing, spare):
            kept = self.tried(kept, prefilled, dict(packing.lays), meter)
        return kept

    def tried(self, kept: Solved, prefilled: int, lays: Mapping[int, int], meter: Meter) -> Solved:
        """Return the better of what is kept and these placements, if they can be drawn in time."""
        now = replace(self.now, filled=self.now.filled | prefilled)
        score = replace(now, filled=now.filled | sum(lays.values())).penalty
        if score >= kept.score or any(self.adrift(now, lays)):
            return kept
        steps = schedule(self.rounds(now), lays, meter=meter)
        if steps is None:
            return kept
        return replace(kept, prefilled=prefilled, steps=steps, score=score)

    def laid(self, chosen: Sequence[Lay]) -> tuple[int, dict[int, int]]:
        """Return what is filled first, and what is drawn where."""
        prefilled = sum(mask for piece, mask in chosen if piece == PREFILLED)
        return prefilled, {piece: mask for piece, mask in chosen if piece != PREFILLED}

    def prefills(self, packing: Packing, most: int | None) -> Iterator[int]:
        """Yield sets of cells that may be filled first beside a packing, out of so many spare."""
        if not self.prefill:
            yield 0
            return
        spare = list(bits(packing.empty & self.now.edition.hexagons))[:most]
        for number in range(self.prefill, 0, -1):
            for chosen in combinations(spare, number):
                yield sum(1 << cell for cell in chosen)

    def rounds(self, now: Position) -> Rounds:
        """Return the rounds to come from a position."""
        return Rounds(now, self.state.upcoming, self.state.rules.forgo_may_cross_rolled)

    def by_clauses(self, kept: Solved, meter: Meter) -> Solved:
        """Solve with CP-SAT and cut: what cannot be drawn in time comes back as a clause."""
        from tilesolve.placement.cpsat.optimisation import optimise

        whole = self.puzzle()
        objective = whole.objective()
        if self.prefill:
            objective = replace(objective, touch=False)  # seen to by clauses
        while True:
            found = optimise(
                whole.problem, objective, meter=meter, hint=self.selection(whole, kept)
            )
            if found.bound is not None:
                kept = kept.raised(found.bound, found.bound_by)
            if found.score is None:
                return kept
            kept, clauses = self.considered(kept, whole, found, meter)
            if kept.settled or meter.stopped_by is not None:
                return kept
            objective = replace(objective, clauses=(*objective.clauses, *clauses))

    def puzzle(self) -> Puzzle:
        """Return the problem; hexagons to fill first are pieces of one cell, the last kind."""
        whole = puzzle(self.now)
        if not self.prefill:
            return whole
        problem = whole.problem
        spots = [1 << cell for cell in bits(self.now.edition.hexagons)]
        filling = Kind("pre-filled", 1, self.prefill)
        options = [Option(len(problem.kinds), whole.narrowed(mask)) for mask in spots]
        grown = replace(
            problem, kinds=(*problem.kinds, filling), options=(*problem.options, *options)
        )
        lays = (*whole.lays, *((PREFILLED, mask) for mask in spots))
        return Puzzle(self.now, replace(whole.layout, problem=grown), lays)

    def selection(self, whole: Puzzle, kept: Solved) -> tuple[int, ...]:
        """Return the options that a solution uses."""
        used = {(piece, mask) for _, piece, mask in kept.steps if mask}
        used |= {(PREFILLED, 1 << cell) for cell in bits(kept.prefilled)}
        return tuple(option for option, lay in enumerate(whole.lays) if lay in used)

    def considered(
        self, kept: Solved, whole: Puzzle, found: Found, meter: Meter
    ) -> tuple[Solved, list[Clause]]:
        """Return the better of what is kept and what was found, and what the latter breaks."""
        prefilled, lays = self.laid([whole.lays[option] for option in found.chosen])
        now = replace(self.now, filled=self.now.filled | prefilled)
        clauses = [_joining(whole, found, group) for group in self.adrift(now, lays)]
        if clauses:
            return kept, clauses
        steps = schedule(self.rounds(now), lays, meter=meter)
        assert found.score is not None
        if steps is not None:
            if found.score < kept.score:
                kept = replace(kept, prefilled=prefilled, steps=steps, score=found.score)
            return kept, []
        if meter.stopped_by is not None:
            return kept, []
        return kept, [_unlike(whole, found, conflict(self.rounds(now), lays, meter=meter))]

    def adrift(self, now: Position, lays: Mapping[int, int]) -> Iterator[int]:
        """Yield the groups of pieces that touch nothing pre-filled, where something is."""
        if not self.prefill:
            return
        near = now.edition.near
        for group in components(sum(lays.values()), near):
            if not beside(group, near) & now.filled:
                yield group


PREFILLED = -1
"""Stands for a piece in the placements that fill hexagons first."""


def _joining(whole: Puzzle, found: Found, group: int) -> Clause:
    """Return that something lies beside these pieces if they lie where they do."""
    around = beside(group, whole.now.edition.near)
    return Clause(
        given=tuple(option for option in found.chosen if whole.lays[option][1] & group),
        wanted=tuple(
            option
            for option, (_, mask) in enumerate(whole.lays)
            if mask & around and not mask & group
        ),
    )


def _unlike(whole: Puzzle, found: Found, blamed: tuple[tuple[int, ...], tuple[int, ...]]) -> Clause:
    """Return that not all these pieces lie where they do while those are left out."""
    laid, missing = blamed
    chosen = frozenset(found.chosen)
    wanted = [
        option
        for option, (piece, _) in enumerate(whole.lays)
        if piece in missing or (piece == PREFILLED and option not in chosen)
    ]
    given = [option for option in found.chosen if whole.lays[option][0] in (*laid, PREFILLED)]
    return Clause(given=tuple(given), wanted=tuple(wanted))
