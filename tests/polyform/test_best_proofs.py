"""Certificates of 'nothing is better': accepted at the best score, refused above it."""

import random
from dataclasses import replace

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.placement.build import build
from tilesolve.placement.objective import Objective
from tilesolve.proof.certificate import dump_certificate
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import nothing_better
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
