"""The best selection by CP-SAT, one rule at a time, and against trying everything."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import networkx as nx
import pytest

from tilesolve.answers import Placed, WrongAnswer
from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import HEX, SQUARE, TRIANGLE, Lattice
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.shape import polyforms
from tilesolve.geometry.sheet import plain_sheet
from tilesolve.placement.bounds import SCALE, area_bound, weight_bound
from tilesolve.placement.build import build
from tilesolve.placement.cpsat.optimisation import optimise
from tilesolve.placement.gaps import within
from tilesolve.placement.objective import Found, Objective, costs, evaluate, faults
from tilesolve.placement.optimum import confirmed, optimum
from tilesolve.placement.problem import Kind, Option, Problem


def meter(work: int | None = 20_000_000, seconds: float | None = None) -> Meter:
    return Meter(budget=Budget(seconds=seconds, work=work))


def packings(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yield every selection that keeps the counts, the plainest way there is."""

    def grow(start: int, filled: int, chosen: list[int], used: list[int]) -> Iterator[list[int]]:
        yield chosen
        for index in range(start, len(problem.options)):
            option = problem.options[index]
            most = problem.kinds[option.kind].most
            if option.mask & filled or (most is not None and used[option.kind] >= most):
                continue
            used[option.kind] += 1
            yield from grow(index + 1, filled | option.mask, [*chosen, index], used)
            used[option.kind] -= 1

    for chosen in grow(0, 0, [], [0] * len(problem.kinds)):
        counts = [
            sum(problem.options[i].kind == k for i in chosen) for k in range(len(problem.kinds))
        ]
        if all(kind.least <= count for kind, count in zip(problem.kinds, counts, strict=True)):
            yield tuple(chosen)


def graph_of(problem: Problem, groups: tuple[int, ...]) -> nx.Graph[int]:
    """Return the open cells, and the groups of filled cells as -1, -2 and so on."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(-len(groups), len(problem.cells)))
    graph.add_edges_from((a, b) for a, near in enumerate(problem.adjacent) for b in near)
    for number, group in enumerate(groups, start=1):
        graph.add_edges_from(
            (-number, cell) for cell in range(len(problem.cells)) if group >> cell & 1
        )
    return graph


def score_by_graph(problem: Problem, objective: Objective, chosen: tuple[int, ...]) -> int | None:
    """Return the score, or None if a rule is broken; by networkx, not by the code under test."""
    graph = graph_of(problem, objective.groups)
    filled = {cell for index in chosen for cell in problem.options[index].cells()}
    left_open = set(range(len(problem.cells))) - filled
    if problem.cover and left_open:
        return None
    parts = list(nx.connected_components(graph.subgraph(set(graph) - left_open)))
    if objective.connected and len(parts) > 1:
        return None
    if objective.touch:
        alone = [part for part in parts if min(part) >= 0]
        if len(alone) > (0 if objective.begun else 1):
            return None
    score = sum(objective.open_penalty[cell] for cell in left_open)
    score += sum(objective.option_value[index] for index in chosen if objective.option_value)
    for number, kind in enumerate(problem.kinds if objective.missing_penalty else ()):
        used = sum(problem.options[index].kind == number for index in chosen)
        score += objective.missing_penalty[number] * ((kind.most or 0) - used)
    regions = nx.number_connected_components(graph.subgraph(left_open))
    return score + objective.region_penalty * regions


def random_question(seed: int, *, plain_pieces: bool = False) -> tuple[Problem, Objective]:
    """Return a small sheet, a few pieces and an objective with a random choice of rules."""
    dice = random.Random(seed)
    lattice: Lattice = dice.choice([SQUARE, HEX, TRIANGLE])
    step = 2 if lattice is HEX else 1
    block = [(r, step * c + (r % 2 if lattice is HEX else 0)) for r in range(3) for c in range(4)]
    cells = dice.sample(block, dice.randint(7, 10))
    pieces = []
    for number in range(dice.randint(1, 3)):
        size = dice.choice([1, 2, 2, 3, 3, 3, 4])
        shape = dice.choice(polyforms(size, lattice))
        least, most = dice.choice([(0, 1), (0, 2), (1, 1), (1, 2), (0, None if size > 1 else 3)])
        piece = Piece.of(f"P{number}", shape.cells, lattice)
        pieces.append(replace(piece, least=least, most=most))
    filled = dice.sample(sorted(cells), dice.choice([0, 0, 1, 2, 3]))
    sheet = plain_sheet(lattice, cells)
    if filled:
        sheet = sheet.with_placed([Placed(piece="X", cells=tuple(filled))])
    problem = build(sheet, pieces, cover=dice.random() < 0.15).problem
    ground: nx.Graph[tuple[int, int]] = nx.Graph()
    ground.add_nodes_from(filled)
    ground.add_edges_from((a, b) for a in filled for b in lattice.neighbours(a) if b in filled)
    numbers = {cell: number for number, cell in enumerate(sheet.open)}
    groups = tuple(
        sum(
            1 << numbers[near]
            for near in {n for a in part for n in lattice.neighbours(a)} & set(numbers)
        )
        for part in nx.connected_components(ground)
    )
    sense: Literal["minimise", "maximise"] = "maximise" if dice.random() < 0.3 else "minimise"
    sign = 1 if sense == "minimise" else -1
    missing = tuple(
        0 if kind.most is None else sign * dice.choice([0, 0, 3]) for kind in problem.kinds
    )
    objective = Objective(
        sense=sense,
        open_penalty=tuple(sign * dice.choice([0, 1, 1, 2, 3]) for _ in problem.cells),
        option_value=tuple(dice.choice([0, 0, -2, 2]) for _ in problem.options),
        missing_penalty=missing,
        region_penalty=sign * dice.choice([0, 1, 4]),
        connected=dice.random() < 0.4,
        touch=dice.random() < 0.4,
        anchors=sum(1 << bit for bit in range(len(numbers)) if any(g >> bit & 1 for g in groups)),
        begun=bool(groups),
        groups=groups,
    )
    if plain_pieces:
        objective = replace(objective, option_value=(), missing_penalty=())
    return problem, objective


@pytest.mark.parametrize("seed", range(150))
def test_agrees_with_trying_everything(seed: int) -> None:
    problem, objective = random_question(seed)
    scores = {}
    for chosen in packings(problem):
        score = score_by_graph(problem, objective, chosen)
        assert (score is None) == bool(faults(problem, chosen, objective))
        if score is not None:
            assert evaluate(problem, objective, chosen) == score
            scores[chosen] = score
    for ask in (optimise, optimum):
        found = ask(problem, objective, meter=meter())
        if not scores:
            assert found.status == "infeasible"
            continue
        best = (min if objective.sense == "minimise" else max)(scores.values())
        assert (found.status, found.score, found.bound) == ("optimal", best, best)
        assert scores[found.chosen] == best


@pytest.mark.parametrize("seed", range(80))
def test_bounds_and_gaps_agree_with_trying_everything(seed: int) -> None:
    plain = seed % 4 != 0
    problem, objective = random_question(seed, plain_pieces=plain)
    cost = costs(problem, objective)
    scores = {
        chosen: cost.sign * score
        for chosen in packings(problem)
        if (score := score_by_graph(problem, objective, chosen)) is not None
    }
    best = min(scores.values(), default=10**6)
    for limit in {*range(4), *(range(best - 1, best + 2) if scores else ())} if plain else ():
        found = within(problem, objective, cost, limit, meter=meter())
        if found is None:
            assert limit > 2  # too many kinds of gaps may come together
        elif found.chosen is not None:
            assert scores[found.chosen] <= limit
        else:
            assert found.exhausted
            assert limit < best
    if not scores:
        return
    area = area_bound(problem, cost)
    assert area is not None
    assert area <= best
    for factor in (0, 1, 2):
        weights = [factor * SCALE * one for one in cost.open]
        assert weight_bound(problem, cost, weights) <= best


@pytest.mark.parametrize(
    "claim",
    [
        Found("infeasible", (), None, None, bound_by="CP-SAT"),
        Found("optimal", (), 5, 5, bound_by="CP-SAT"),
    ],
)
def test_a_false_claim_of_cpsat_is_never_confirmed(claim: Found) -> None:
    options = (Option(0, 0b011), Option(0, 0b110))
    row = Problem(("",) * 3, (Kind("I2", 0, 1),), options, False, ((1,), (0, 2), (1,)))
    objective = Objective(open_penalty=(3, 1, 1))
    with pytest.raises(WrongAnswer):
        confirmed(row, objective, claim, meter=meter())
