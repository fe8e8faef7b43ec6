"""What is known of the least penalty: rounds that reach it, and what shows that nothing is better.

What anyone can add up shows it by itself. An engine's word needs another engine that agrees, or a
certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tilesolve.answers import Best, Reason, WrongAnswer
from tilesolve.budget import Meter
from tilesolve.placement.agreement import IN_WORDS, ONE_ENGINE, rests_on
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import UNIT
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.schedule import Step
from tilesolve_models.five_minute_puzzle.sheets import DIE
from tilesolve_models.five_minute_puzzle.state import CrossOut, Prefill, Round, State, dump_move

BOUND_BY = {**IN_WORDS, "": "nothing yet", "area": "cells counted by kind"}
"""What a bound rests on, in words."""


@dataclass(frozen=True)
class Solved:
    """A question's best: cells pre-filled, steps that reach the score, and what is proven.

    `bounds` holds what each way of proving has shown by itself that nothing undercuts.
    """

    prefilled: int
    steps: tuple[Step, ...]
    score: int
    bounds: Mapping[str, int]

    @property
    def bound(self) -> int:
        """What nothing undercuts."""
        return min(max(self.bounds.values()), self.score)

    @property
    def settled(self) -> bool:
        """Whether something says that nothing is better."""
        return self.bound == self.score

    @property
    def proven(self) -> bool:
        """Whether that does not rest on one engine alone."""
        return self.settled and self.shown_by(self.score) not in ONE_ENGINE

    def shown_by(self, score: int) -> str:
        """Return what shows that nothing undercuts a score: one way, or two engines that agree."""
        return rests_on(self.bounds, score)

    def raised(self, bound: int, by: str) -> Solved:
        """Return it with what one way of proving has shown."""
        kept = max(bound, self.bounds.get(by, 0))
        return replace(self, bounds={**self.bounds, by: kept})


def answer(state: State, solved: Sequence[Solved], meter: Meter) -> Best:
    """Return the answer that the best of some questions together give, its line replayed."""
    first = min(solved, key=lambda each: each.score)
    bound = min(first.score, *(each.bound for each in solved))
    shown = [each.shown_by(bound) for each in solved]
    alone = [by for by in shown if by in ONE_ENGINE]
    settled = bound == first.score
    optimal = settled and not alone
    said = BOUND_BY.get((alone or shown)[0], (alone or shown)[0])
    message = f"{said} says that nothing is better; nothing confirmed it in time"
    doubt = Reason(code="one-engine", message=message)
    return Best(
        proof="optimal" if optimal else "feasible",
        score=first.score,
        bound=bound,
        unit=UNIT,
        line=tuple(_line(state, first)),
        reasons=(doubt,) if settled and alone else (),
        stopped_by=None if optimal else meter.stopped_by or "work",
        seconds=meter.seconds,
        details={"bound_by": said},
    )


def _line(state: State, solved: Solved) -> Iterator[object]:
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


def _moves(state: State, solved: Solved) -> Iterator[Prefill | Round]:
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
    roll = rolls[0] if rolls else DIE.start
    rolled_too = state.rules.forgo_may_cross_rolled
    return roll, next(bits(now.crossable(roll, rolled_too=rolled_too)))
