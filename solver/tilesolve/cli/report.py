"""Answers in words, for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tilesolve.answers import (
    Best,
    Count,
    Difficulty,
    Explanation,
    Fit,
    Hints,
    Json,
    Reason,
    Simulation,
    Solved,
    Verdict,
    Verification,
    Violation,
    Witness,
)

_STOPPED = {
    "time": "the time ran out",
    "work": "the work limit was reached",
    "interrupted": "it was interrupted",
    "memory": "it would need too much memory",
}
_MOST_LISTED = 40


def report(answer: object) -> list[str]:
    """Return the lines that say an answer.

    Examples
    --------
    >>> report(Verdict(complete=True))
    ['legal and complete']
    """
    for kind, lines in _REPORTS.items():
        if isinstance(answer, kind):
            return list(lines(answer))
    return [str(answer)]


def illegal(verdict: Verdict) -> list[str]:
    """Return the lines that say why a position is refused."""
    return ["the position breaks the rules:", *map(_violation, verdict.violations)]


def _verdict(verdict: Verdict) -> Iterator[str]:
    if verdict.legal:
        yield "legal and complete" if verdict.complete else "legal, not complete"
        if verdict.score is not None:
            yield f"score: {verdict.score}"
    else:
        yield f"illegal, {_number(len(verdict.violations), 'rule is', 'rules are')} broken:"
        yield from map(_violation, verdict.violations)
    yield from _details(verdict.details)


def _violation(violation: Violation) -> str:
    rule = f"{violation.rule}, " if violation.rule else ""
    return f"  {violation.message} ({rule}{violation.code})"


def _fit(fit: Fit) -> Iterator[str]:
    each = bool(fit.pieces) and all(piece.placements for piece in fit.pieces)
    if fit.answer == "yes":
        yield "yes: every piece has a placement" if each else "yes"
    elif fit.answer == "no":
        yield f"no ({fit.rung})"
    else:
        yield f"unknown: {_STOPPED[fit.stopped_by or 'work']}"
    yield from map(_reason, fit.reasons)
    for piece in fit.pieces:
        example = f", one at {list(piece.example[0])}" if piece.example else ""
        yield f"  {piece.piece}: {_number(piece.placements, 'placement', 'placements')}{example}"
    if fit.witness:
        yield f"{_number(len(fit.witness), 'piece', 'pieces')} placed"
    yield from _details({k: v for k, v in fit.details.items() if k not in ("colouring", "weights")})
    if fit.read:
        read = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in fit.read.items())
        yield f"read: {read}"


def _reason(reason: Reason) -> str:
    return f"  {reason.message}"


def _best(best: Best) -> Iterator[str]:
    if best.proof == "optimal":
        yield f"best {best.unit}: {best.score}, proven"
    elif best.proof == "feasible":
        bound = "no bound known" if best.bound is None else f"not better than {best.bound}"
        yield f"{best.unit}: {best.score} found, {bound}; {_STOPPED[best.stopped_by or 'work']}"
    elif best.proof == "infeasible":
        yield "no play is possible"
    else:
        yield f"unknown: {_STOPPED[best.stopped_by or 'work']}"
    yield from map(_reason, best.reasons)
    for number, move in enumerate(best.line[:_MOST_LISTED], start=1):
        yield f"  {number}. {_json(move)}"
    if len(best.line) > _MOST_LISTED:
        yield f"  … {len(best.line)} moves in all"
    yield from _details(best.details)


def _hints(hints: Hints) -> Iterator[str]:
    if not hints.hints:
        yield "no hint"
    for number, hint in enumerate(hints.hints, start=1):
        value = "" if hint.value is None else f" [{hints.unit}: {_figure(hint.value)}"
        if hint.standard_error is not None:
            value += f" ± {hint.standard_error:.2f}"
        value += "]" if value else ""
        yield f"{number}. {'' if hint.move is None else _json(hint.move)}{value}"
        yield f"   {hint.reason}"
    yield from map(_reason, hints.reasons)
    if hints.stopped_by is not None:
        yield f"({_STOPPED[hints.stopped_by]})"
    yield from _details(hints.details)


def _count(count: Count) -> Iterator[str]:
    least = "" if count.exact else "at least "
    details = dict(count.details)
    counted = details.pop("counted", None)
    if counted is None:
        told = _number(count.raw, "solution", "solutions")
        yield f"{least}{told} (raw: each set of placements once)"
    else:  # games that count something else say what
        yield f"{least}{count.raw} {counted}"
    if count.reduced is not None:
        yield f"{least}{count.reduced} up to symmetry (reduced)"
    if count.symmetries:
        yield f"symmetries: {', '.join(count.symmetries)}"
    if count.stopped_by is not None:
        yield f"not all: {_STOPPED[count.stopped_by]}"
    yield from map(_reason, count.reasons)
    occurring = [marginal for marginal in count.marginals if marginal.solutions]
    occurring.sort(key=lambda marginal: -marginal.solutions)
    for marginal in occurring[:_MOST_LISTED]:
        number = "all" if count.exact and marginal.solutions == count.raw else marginal.solutions
        yield f"  {marginal.piece} on {_json(marginal.cells)}: in {number}"
    if len(occurring) > _MOST_LISTED:
        yield f"  … {len(occurring)} placements occur in some solution; --json lists them"
    for name, (one, many) in _SHARED.items():
        shared = details.pop(name, ())
        if shared:
            yield f"{_number(len(shared), one, many)}; --json lists them"
    yield from _details(details)


_SHARED = {
    "never": ("placement occurs in no solution", "placements occur in no solution"),
    "forced": ("placement occurs in all", "placements occur in all"),
    "forced_cells": (
        "cell is covered by the same piece in all",
        "cells are covered by the same piece in all",
    ),
}
"""Details of marginals: what all solutions share, and what none has."""


def _witness(witness: Witness) -> Iterator[str]:
    if witness.witness:
        yield f"{_number(len(witness.witness), 'piece', 'pieces')} placed"
    shown = dict(witness.details)
    for number, move in enumerate(shown.pop("line", ()), start=1):
        yield f"  {number}. {_json(move)}"
    yield from _details(shown)


def _solved(solved: Solved) -> Iterator[str]:
    yield _number(solved.solutions, "solution", "solutions")
    if solved.exhausted:
        yield "these are all"
    elif solved.stopped_by is not None:
        yield f"there may be more: {_STOPPED[solved.stopped_by]}"
    details = dict(solved.details)
    for reason in details.pop("reasons", ()):
        yield f"  {reason['message']}"
    yield from _details(details)


def _explanation(explanation: Explanation) -> Iterator[str]:
    rung = f" ({explanation.rung})" if explanation.rung else ""
    yield f"{explanation.answer}{rung}"
    yield from map(_reason, explanation.reasons)
    if explanation.conflict:
        yield _conflict(explanation.conflict)
    if explanation.stopped_by is not None:
        yield f"({_STOPPED[explanation.stopped_by]})"
    shown = {k: v for k, v in explanation.details.items() if k not in _DRAWN}
    yield from _details(shown)


_DRAWN = ("colouring", "weights", "witness")
"""Details that are drawn."""


def _conflict(conflict: Mapping[str, Json]) -> str:
    minimal = (
        "nothing of this can be left out" if conflict.get("minimal") else "perhaps not minimal"
    )
    message = conflict.get("message") or ", ".join(map(_json, conflict.get("pieces", ())))
    return f"  {message} ({minimal})"


def _verification(verification: Verification) -> Iterator[str]:
    words = {"yes": "accepted", "no": "refused", "unknown": "unknown"}
    yield f"{words[verification.accepted]}: {verification.message}"
    yield f"rung: {verification.rung}, claim: {_CLAIMS[verification.claim]}"


_CLAIMS = {
    "none": "there is no solution",
    "unique": "there is no other solution",
    "best": "there is nothing better",
    "alone": "none of the pieces can be placed",
}


def _difficulty(difficulty: Difficulty) -> Iterator[str]:
    yield f"grade {difficulty.grade:.1f} of 10"
    if difficulty.hardest_technique is not None:
        yield f"hardest technique: {difficulty.hardest_technique}"
    yield from _details(difficulty.measures)
    yield from _details(difficulty.details)


def _simulation(simulation: Simulation) -> Iterator[str]:
    for policy in simulation.policies:
        yield (
            f"{policy.policy}: {policy.games} games, mean {policy.mean:.2f} "
            f"± {policy.standard_error:.2f} {simulation.unit}"
        )
        shown = ", ".join(f"{score}: {n}" for score, n in policy.distribution.items())
        yield f"  {shown}"
    if simulation.optimum is not None:
        yield f"optimum: {_json(simulation.optimum)}"
    yield f"seed {simulation.seed}"
    if simulation.stopped_by is not None:
        yield f"stopped early: {_STOPPED[simulation.stopped_by]}"
    yield from _details(simulation.details)


_REPORTS: Mapping[type, Callable[[Any], Iterator[str]]] = {
    Verdict: _verdict,
    Fit: _fit,
    Best: _best,
    Hints: _hints,
    Count: _count,
    Witness: _witness,
    Solved: _solved,
    Explanation: _explanation,
    Verification: _verification,
    Difficulty: _difficulty,
    Simulation: _simulation,
}


def _details(details: Mapping[str, Json]) -> Iterator[str]:
    for name, value in details.items():
        if name == "certificate" or value in (None, "", (), [], {}):
            continue
        if isinstance(value, list) and len(value) > _MOST_LISTED:
            yield f"{name.replace('_', ' ')}: {len(value)} of them; --json lists them"
            continue
        yield f"{name.replace('_', ' ')}: {_json(value)}"


def _json(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_json(content)}" for name, content in value.items())
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_json(content) for content in value) + "]"
    return _figure(value)


def _figure(value: float | int | str | None) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
