"""The ladder of techniques: sound against all solutions, and each technique where it is needed."""

import random
from dataclasses import replace

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import LATTICES
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import plain_sheet, read_sheet
from tilesolve.placement.build import Layout, build
from tilesolve.placement.problem import bits
from tilesolve.placement.search import covers
from tilesolve.placement.techniques import (
    Board,
    apply,
    deduce,
    pocket_sizes,
)
from tilesolve.placement.telling import first_placement, reason_of
from tilesolve.wire import Node


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None))


def laid(sheet: object, pieces: object) -> Layout:
    read = read_sheet(Node(sheet))
    return build(read, read_pieces(Node(pieces), lattice=read.lattice).pieces, cover=True)


def random_layout(seed: int) -> Layout:
    chance = random.Random(seed)
    lattice = LATTICES[chance.choice(["square", "triangle", "hex"])]
    step = 2 if lattice.name == "hex" else 1
    cells = [(r, r % step + step * c) for r in range(3) for c in range(5)]
    names = {
        "square": ["I3", "L3", "L4", "S4", "P", "U"],
        "hex": ["I2", "I3", "V3", "A3", "P4"],
        "triangle": ["I2", "I3", "I4", "C4", "T4"],
    }[lattice.name]
    chosen = chance.sample(names, 3)
    pieces = read_pieces(Node([*chosen, "I2*"]), lattice=lattice).pieces
    return build(plain_sheet(lattice, chance.sample(cells, 13)), pieces, cover=True)


@pytest.mark.parametrize("seed", range(60))
def test_no_technique_loses_a_solution(seed: int) -> None:
    layout = random_layout(seed)
    solutions = [frozenset(found) for found in covers(layout.problem, meter=meter())]
    found = deduce(layout.problem, meter=meter())
    board, position = Board(layout.problem), Board(layout.problem).start()
    for step in found.steps:
        position = apply(board, position, step)
        for solution in solutions:
            assert all(position.possible >> n & 1 or n in position.placed for n in solution), step
            assert set(position.placed) <= solution
    if found.end == "solved":
        assert solutions == [frozenset(found.position.placed)]
    if found.end == "contradiction":
        assert not solutions


@pytest.mark.parametrize(
    ("sheet", "pieces", "technique"),
    [
        (["..#", "#.."], ["I2*2"], "only placement of a cell"),
        (["...", "...", "#.#"], ["T4", "I3"], "pocket sizes"),
        (["....", "...."], ["I4", "L4"], None),
    ],
)
def test_easy_sheets_need_easy_techniques(
    sheet: object, pieces: object, technique: str | None
) -> None:
    found = deduce(laid(sheet, pieces).problem, meter=meter())
    if technique is None:
        assert found.end in ("stuck", "contradiction")
    else:
        assert (found.end, found.hardest) == ("solved", technique)


def test_pockets_strike_out_what_cuts_the_sheet() -> None:
    layout = laid("2x5", ["I2*2", "I3*2"])
    board = Board(layout.problem)
    step = pocket_sizes(board, board.start())
    assert step is not None
    struck = {
        layout.placed(number).cells
        for number in range(len(layout.problem.options))
        if step.struck >> number & 1
    }
    # A bar from the second to the fourth column alone leaves no single cell, for the other row
    # joins its ends; an upright domino in the second column leaves two and six cells, both of
    # which can be filled; upright in the middle it leaves four and four, but two dominoes and
    # two bars have no four without the domino that lies.
    assert ((0, 2), (1, 2)) in struck
    assert ((0, 1), (1, 1)) not in struck
    assert ((0, 1), (0, 2), (0, 3)) not in struck


def test_the_ladder_stops_with_the_meter() -> None:
    layout = laid("6x10", "pentominoes")
    found = deduce(layout.problem, meter=Meter(budget=Budget(seconds=None, work=1)))
    assert found.end == "stopped"


@pytest.mark.parametrize("seed", range(20))
def test_no_technique_loses_a_packing(seed: int) -> None:
    covered = random_layout(seed).problem
    packing = replace(covered, cover=False)
    solutions = [frozenset(found) for found in covers(packing, meter=meter())]
    found = deduce(packing, meter=meter())
    for solution in solutions:
        struck = [n for n in solution if not found.position.possible >> n & 1]
        if found.end != "solved":
            assert set(struck) <= set(found.position.placed)
        assert set(found.position.placed) <= solution
    if found.end == "contradiction":
        assert not solutions


def test_a_board_knows_what_covers_each_cell_and_what_is_of_each_kind() -> None:
    problem = random_layout(3).problem
    board, numbered = Board(problem), list(enumerate(problem.options))
    for cell, covering in enumerate(board.at):
        assert set(bits(covering)) == {n for n, option in numbered if option.mask >> cell & 1}
    for kind, own in enumerate(board.of):
        assert set(bits(own)) == {n for n, option in numbered if option.kind == kind}


def test_the_first_forced_placement_comes_with_its_reasons() -> None:
    problem = laid(["...", "...", "#.#"], ["T4", "I3"]).problem
    steps = first_placement(Board(problem), meter=meter())
    assert steps[-1].placed is not None
    assert all(step.placed is None and step.struck for step in steps[:-1])
    assert reason_of(problem, steps) == (
        "only the I3 fits here: nothing else covers [0, 0]: "
        "others leave a pocket that no choice of pieces fills"
    )
