"""Clauses: exactly the solutions of a puzzle satisfy them, and proofs in them are checked."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import LATTICES
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import plain_sheet
from tilesolve.placement.clausal import settle
from tilesolve.proof.certificate import Claim
from tilesolve.proof.clauses import Clause, _Numbers, clauses_of, counted, holds
from tilesolve.proof.puzzle import Puzzle, derive
from tilesolve.wire import Node


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None, work=200_000))


def satisfiable(clauses: list[Clause], chosen: frozenset[int], variables: int) -> bool:
    """Try whether the variables beyond the first can be set; by unit propagation alone.

    With all placements set a counter has no choice left.
    """
    truth = {variable: variable in chosen for variable in range(1, variables + 1)}
    going = True
    while going:
        going = False
        for clause in clauses:
            open_ones = [literal for literal in clause if abs(literal) not in truth]
            if any(truth.get(abs(literal)) == (literal > 0) for literal in clause):
                continue
            if not open_ones:
                return False
            if len(open_ones) == 1:
                truth[abs(open_ones[0])] = open_ones[0] > 0
                going = True
    return True


@given(
    st.integers(0, 7).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.integers(1, max(n, 1))), st.integers(0, 8))
    ),
    st.integers(0, 8),
)
def test_counted_clauses_say_how_many(drawn: tuple[int, set[int], int], more: int) -> None:
    number, wanted, least = drawn
    chosen = frozenset(one for one in wanted if one <= number)
    most = least + more
    clauses = list(counted(range(1, number + 1), least, most, _Numbers(number)))
    assert satisfiable(clauses, chosen, number) == (least <= len(chosen) <= most)


def small(seed: int) -> Puzzle:
    chance = random.Random(seed)
    name = chance.choice(list(LATTICES))
    step = 2 if name == "hex" else 1
    cells = [(r, r % step + step * c) for r in range(2) for c in range(4)]
    sheet = plain_sheet(LATTICES[name], chance.sample(cells, chance.randint(5, 8)))
    listed = [f"I2*{chance.randint(1, 3)}", chance.choice(["I1", "I3"])]
    pieces = read_pieces(Node(listed), lattice=LATTICES[name]).pieces
    needed = sum(piece.size * piece.least for piece in pieces)
    return derive(sheet, pieces, cover=needed == len(sheet.open), claim=Claim())


def solutions(puzzle: Puzzle) -> list[frozenset[int]]:
    found = []
    number = sum(puzzle.least)
    for chosen in combinations(range(len(puzzle.masks)), number):
        masks = [puzzle.masks[place] for place in chosen]
        owners = [puzzle.owners[place] for place in chosen]
        disjoint = sum(map(int.bit_count, masks)) == sum(set_bits(masks))
        right = all(owners.count(owner) == least for owner, least in enumerate(puzzle.least))
        if disjoint and right and (puzzle.may_stay_open or full(puzzle, masks)):
            found.append(frozenset(place + 1 for place in chosen))
    return found


def set_bits(masks: list[int]) -> list[int]:
    union = 0
    for mask in masks:
        union |= mask
    return [int(digit) for digit in bin(union)[2:]]


def full(puzzle: Puzzle, masks: list[int]) -> bool:
    return sum(set_bits(masks)) == len(puzzle.cells)


@pytest.mark.parametrize("seed", range(40))
def test_a_puzzle_and_its_clauses_have_the_same_solutions(seed: int) -> None:
    puzzle = small(seed)
    clauses = clauses_of(puzzle)
    found = solutions(puzzle)
    for solution in found:
        assert satisfiable(clauses, solution, len(puzzle.masks))
    settled = settle(clauses, meter=meter())
    assert settled is not None
    if settled.model is not None:
        chosen = frozenset(n for n in settled.model if n <= len(puzzle.masks))
        assert chosen in found
        return
    assert not found
    assert settled.steps is not None
    assert holds(clauses, settled.steps, meter=meter())


def test_steps_that_do_not_follow_are_refused() -> None:
    square = [(1, 2), (-1, 2), (1, -2), (-1, -2)]
    assert holds(square, [(True, (2,)), (True, ())], meter=meter())
    assert not holds(square[:3], [(True, (2,)), (True, ())], meter=meter())
    assert not holds(square, [(True, (5,)), (True, ())], meter=meter())  # an unknown variable
    assert not holds(square, [(True, (1, 2))], meter=meter())  # never empty
    assert holds([(1,), ()], [], meter=meter())


def test_a_check_can_be_stopped() -> None:
    square = [(1, 2), (-1, 2), (1, -2), (-1, -2)]
    steps = [(True, (1, 2))] * 100 + [(True, (2,)), (True, ())]
    assert holds(square, steps, meter=Meter(budget=Budget(work=10))) is None
