"""Certificates that were changed at random: numbers, rungs, claims, and the puzzle itself.

Every mutant carries the hash of the puzzle that it is held against, so that the checker has to
look at the proof; and every one differs from what was proven, in the puzzle or in the proof.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from tilesolve.answers import Cell, Solved
from tilesolve.budget import Budget
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import PLAIN
from tilesolve.proof.certificate import Certificate, ProofRung, Step, puzzle_hash, read_certificate
from tilesolve.wire import Node
from tilesolve_models.polyform.fitting import fit
from tilesolve_models.polyform.rules import State, left
from tilesolve_models.polyform.scoring import best
from tilesolve_models.polyform.solving import solve

Kind: TypeAlias = Literal["changed", "borrowed", "moved"]


@dataclass(frozen=True)
class Source:
    """A puzzle without solution and its certificate."""

    state: State
    certificate: Certificate


@dataclass(frozen=True)
class Mutant:
    """A certificate to be refused, or shown to be a proof in spite of all.

    Parameters
    ----------
    kind : {"changed", "borrowed", "moved"}
        Numbers of the proof were changed; the proof is another puzzle's; the puzzle is another
        one, close by, that has a solution.
    """

    kind: Kind
    state: State
    certificate: Certificate


def mutant(chance: random.Random, sources: Sequence[Source]) -> Mutant | None:
    """Return a mutant; None where the dice give what was proven already."""
    source = chance.choice(sources)
    kind: Kind = chance.choice(("changed", "changed", "borrowed", "moved", "moved"))
    state, certificate = source.state, source.certificate
    if kind == "moved":
        easier = _easier(state, chance)
        if easier is None:
            return None
        certificate = _carried(certificate, state, easier, chance)
        state = easier
    if kind == "borrowed":
        certificate = chance.choice(sources).certificate
    if kind == "changed" or chance.random() < 0.5:
        certificate = _changed(certificate, chance)
    hashed = puzzle_hash(state.sheet, left(state), cover=state.goal == "cover")
    certificate = replace(certificate, puzzle=hashed)
    same = kind != "moved" and certificate == source.certificate
    return None if same else Mutant(kind, state, certificate)


def claimant(chance: random.Random, state: State) -> Certificate | None:
    """Return a certificate of a best score, of a single solution or in clauses, changed."""
    sources = (_nothing_better, _only_solution, _only_solution, _in_clauses)
    source = chance.choice(sources)(state)
    if source is None:
        return None
    claim = source.claim
    if claim.kind == "best" and chance.random() < 0.7:
        claim = replace(claim, score=claim.score + chance.choice((-2, -1, 1, 2)))
    if claim.kind == "unique" and claim.solution and chance.random() < 0.5:
        placed = list(claim.solution)
        where = chance.randrange(len(placed))
        cells = (*placed[where].cells[1:], chance.choice(sorted(state.sheet.grounds)))
        placed[where] = replace(placed[where], cells=tuple(sorted(cells)))
        claim = replace(claim, solution=tuple(placed))
    found = replace(source, claim=claim)
    if chance.random() < 0.7:
        found = replace(_changed(found, chance), claim=claim)
    return None if found == source else found


def _nothing_better(state: State) -> Certificate | None:
    answer = best(state, budget=Budget(work=20_000), proof=True)
    return None if answer.certificate is None else read_certificate(Node(answer.certificate))


def _only_solution(state: State) -> Certificate | None:
    cover = state.goal == "cover"
    *_, end = solve(state, limit=2, budget=Budget(work=20_000), cover=cover, unique=True)
    assert isinstance(end, Solved)
    return None if end.certificate is None else read_certificate(Node(end.certificate))


def _in_clauses(state: State) -> Certificate | None:
    answer = fit(state, budget=Budget(work=20_000), engine="clausal")
    return None if answer.certificate is None else read_certificate(Node(answer.certificate))


def _easier(state: State, chance: random.Random) -> State | None:
    """Return a puzzle close by that has a solution: a cell more, another cell, a piece less."""
    sheet = state.sheet
    near = sorted(
        {n for cell in sheet.open for n in sheet.lattice.neighbours(cell)} - sheet.grounds.keys()
    )
    grown = {**sheet.grounds, chance.choice(near): PLAIN}
    gone = chance.choice(sorted(sheet.grounds))
    shifted = {cell: ground for cell, ground in grown.items() if cell != gone}
    fewer = chance.randrange(len(state.pieces))
    pieces = tuple(
        replace(piece, least=piece.least - (n == fewer), most=(piece.most or 0) - (n == fewer))
        for n, piece in enumerate(state.pieces)
    )
    variants = [
        replace(state, sheet=replace(sheet, grounds=shifted)),
        replace(state, sheet=replace(sheet, grounds=grown), goal="packing"),
        replace(state, pieces=tuple(piece for piece in pieces if piece.most), goal="packing"),
    ]
    chance.shuffle(variants)
    for variant in variants:
        if fit(variant, budget=Budget(work=20_000)).answer == "yes":
            return variant
    return None


def _carried(
    certificate: Certificate, before: State, after: State, chance: random.Random
) -> Certificate:
    """Return a certificate in the cells and pieces of another puzzle, what is new at random."""
    old_cells, new_cells = sorted(before.sheet.grounds), sorted(after.sheet.grounds)
    old_pieces, new_pieces = left(before), left(after)
    items = _items(old_cells, old_pieces, new_cells, new_pieces)
    return replace(
        certificate,
        cells=_values(old_cells, certificate.cells, new_cells, chance),
        pieces=_values(
            [piece.name for piece in old_pieces],
            certificate.pieces,
            [piece.name for piece in new_pieces],
            chance,
        ),
        branches=tuple(items[item] for item in certificate.branches if item in items),
    )


def _values(
    old: Sequence[object], values: Sequence[int], new: Sequence[object], chance: random.Random
) -> tuple[int, ...]:
    if len(values) != len(old):
        return tuple(values)
    known = dict(zip(old, values, strict=True))
    return tuple(known.get(name, chance.choice(values)) for name in new)


def _items(
    old_cells: Sequence[Cell],
    old_pieces: Sequence[Piece],
    new_cells: Sequence[Cell],
    new_pieces: Sequence[Piece],
) -> Mapping[int, int]:
    """Return the items of a search in another puzzle, by those in the first."""
    new: list[object] = [*new_cells, *(piece.name for piece in new_pieces), "cost"]
    old: list[object] = [*old_cells, *(piece.name for piece in old_pieces), "cost"]
    numbers = {name: number for number, name in enumerate(new)}
    return {number: numbers[name] for number, name in enumerate(old) if name in numbers}


def _changed(certificate: Certificate, chance: random.Random) -> Certificate:
    """Return a certificate with a few numbers changed, dropped, doubled or swapped."""
    rung = certificate.rung
    if chance.random() < 0.1:
        rung = chance.choice(get_args(ProofRung))
    return replace(
        certificate,
        rung=rung,
        modulus=chance.choice((certificate.modulus, certificate.modulus, 2, 3)),
        cells=_stirred(certificate.cells, chance),
        pieces=_stirred(certificate.pieces, chance),
        branches=tuple(max(0, n) for n in _stirred(certificate.branches, chance)),
        steps=_stepped(certificate.steps, chance),
    )


def _stirred(numbers: tuple[int, ...], chance: random.Random) -> tuple[int, ...]:
    found = list(numbers)
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        if not found:
            break
        place = chance.randrange(len(found))
        match chance.randrange(4):
            case 0:
                found[place] += chance.choice((-2, -1, 1, 2))
            case 1:
                del found[place]
            case 2:
                found.insert(place, found[place])
            case 3:
                other = chance.randrange(len(found))
                found[place], found[other] = found[other], found[place]
    return tuple(found)


def _stepped(steps: tuple[Step, ...], chance: random.Random) -> tuple[Step, ...]:
    """Return steps with some left out, and the clauses of some changed."""
    kept = [step for step in steps if chance.random() < 0.95]
    return tuple(
        (added, _stirred(clause, chance) if chance.random() < 0.1 else clause)
        for added, clause in kept
    )
