"""Certificates of 'nothing is better': accepted at the best score, refused above it."""

import random
from dataclasses import replace

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.sheet import SheetRules
from tilesolve.placement.bounds import SCALE
from tilesolve.placement.build import build
from tilesolve.placement.objective import Objective
from tilesolve.proof.certificate import Certificate, Claim, dump_certificate, read_certificate
from tilesolve.proof.verify import verify as follow
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import Refutation, _Better, nothing_better
from tilesolve_models.polyform.scoring import best
from tilesolve_models.polyform.verifying import verify

WORK = Budget(seconds=None, work=3_000_000)


def random_state(seed: int) -> rules.State:
    chance = random.Random(seed)
    rows = ["".join(chance.choice("..o#.") for _ in range(5)) for _ in range(3)]
    legend = {"o": {"kind": "round", "penalty": chance.choice([0, 2, 3])}}
    names = chance.sample(["I2", "I3", "L3", "T4", "S4", "P"], 3)
    pieces = [
        {"name": name, "value": chance.choice([0, 2, -1]), "penalty": chance.choice([0, 1])}
        for name in names
    ]
    return rules.load(Node({"sheet": {"rows": rows, "legend": legend}, "pieces": pieces}))


def least(state: rules.State) -> int:
    """Try all sets of placements, one of each piece or none; shares no code with engines."""
    found = [rules.score(state)]
    for move in rules.moves(state):
        found.append(least(rules.apply(state, move)))
    return min(found)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_score_is_proven_and_no_higher_one(seed: int) -> None:
    state = random_state(seed)
    answer = best(state, budget=WORK)
    assert answer.score == answer.bound == least(state)
    pieces = rules.left(state)
    free = tuple(replace(piece, least=0) for piece in pieces)
    layout = replace(build(state.sheet, free, cover=False), pieces=pieces)
    objective = Objective(
        open_penalty=tuple(layout.sheet.grounds[cell].penalty for cell in layout.cells)
    )
    proven = nothing_better(layout, objective, score=answer.score or 0, meter=Meter(budget=WORK))
    assert proven is not None
    certificate = dump_certificate(proven.certificate)
    assert verify(state, budget=WORK, proof=Node(certificate)).accepted == "yes"
    bolder = {**certificate, "claim": {"kind": "best", "score": (answer.score or 0) + 1}}
    assert verify(state, budget=WORK, proof=Node(bolder)).accepted == "no"
    too_bold = nothing_better(
        layout, objective, score=(answer.score or 0) + 1, meter=Meter(budget=WORK)
    )
    assert too_bold is None


@pytest.mark.parametrize("seed", range(40))
def test_a_search_with_weights_proves_the_best_and_nothing_bolder(seed: int) -> None:
    chance = random.Random(seed)
    state = random_state(seed)
    costly = SheetRules(region_penalty=chance.choice([0, 1, 3]))
    state = replace(state, sheet=replace(state.sheet, rules=costly))
    score = least(state)
    proven = searched(state, score)
    assert proven is not None
    certificate = proven.certificate
    assert certificate.cells
    assert read_certificate(Node(dump_certificate(certificate))) == certificate
    assert searched(state, score + 1) is None
    bold = replace(certificate, claim=Claim(kind="best", score=score + 1))
    for _ in range(20):
        cells, pieces = [*certificate.cells], [*certificate.pieces]
        for numbers in (cells, pieces):
            numbers[chance.randrange(len(numbers))] += chance.randint(-3, 3) * SCALE
        kept = certificate.branches[: chance.randint(1, len(certificate.branches))]
        changed = replace(bold, cells=tuple(cells), pieces=tuple(pieces), branches=kept)
        assert checked(state, changed) is False


def test_weights_that_are_not_fair_are_refused() -> None:
    state = random_state(3)
    proven = searched(state, least(state))
    assert proven is not None
    good = proven.certificate
    cells, pieces = good.cells, good.pieces
    assert checked(state, good) is True
    assert checked(state, replace(good, cells=(cells[0] + 4 * SCALE, *cells[1:]))) is False
    assert checked(state, replace(good, pieces=(min(cells) - SCALE, *pieces[1:]))) is False
    assert checked(state, replace(good, cells=cells[1:])) is False
    assert checked(state, replace(good, modulus=0)) is False


def test_an_open_sheet_with_penalties_is_settled_in_a_few_steps() -> None:
    rows = ["dbecaddd", "cbaaeaed", "acbbbdce", "bcaedcea", "aebcadbc", "cddbaeca", "baceebda"]
    legend = {letter: {"kind": "plain", "penalty": n} for n, letter in enumerate("abcde", start=1)}
    sheet = {"rows": rows, "legend": legend}
    state = rules.load(Node({"sheet": sheet, "pieces": ["F", "I", "L", "N", "P", "T"]}))
    answer = best(state, budget=WORK, proof=True)
    assert answer.proof == "optimal"
    certificate = read_certificate(Node(answer.certificate))
    assert len(certificate.branches) < 3_000
    assert checked(state, certificate) is True


def searched(state: rules.State, score: int) -> Refutation | None:
    """Search for something better, with weights."""
    pieces = rules.left(state)
    free = tuple(replace(piece, least=0) for piece in pieces)
    layout = replace(build(state.sheet, free, cover=False), pieces=pieces)
    objective = Objective(
        open_penalty=tuple(layout.sheet.grounds[cell].penalty for cell in layout.cells),
        option_value=tuple(-pieces[option.kind].value for option in layout.problem.options),
        missing_penalty=tuple(piece.penalty for piece in pieces),
        region_penalty=state.sheet.rules.region_penalty,
    )
    asked = _Better(layout, objective, Claim(kind="best", score=score))
    return asked.by_search(Meter(budget=WORK))


def checked(state: rules.State, certificate: Certificate) -> bool | None:
    pieces, meter = rules.left(state), Meter(budget=WORK)
    return follow(state.sheet, pieces, certificate, cover=False, meter=meter).accepted
