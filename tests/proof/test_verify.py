"""The checker: placements of its own, true proofs accepted, everything else refused."""

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.lattice import LATTICES
from tilesolve.geometry.piece import Piece, read_pieces
from tilesolve.geometry.sheet import PLAIN, Ground, Sheet, plain_sheet, rectangle
from tilesolve.placement.build import build
from tilesolve.placement.colouring import find_colouring
from tilesolve.placement.refute import refute, terms_of
from tilesolve.placement.search import covers
from tilesolve.proof.certificate import (
    Certificate,
    Claim,
    dump_certificate,
    pack,
    puzzle_hash,
    read_certificate,
)
from tilesolve.proof.puzzle import bits, derive
from tilesolve.proof.verify import Checked, verify
from tilesolve.wire import Node

NAMES = {
    "square": ["I1", "I2", "I3", "L3", "O4", "T4", "S4", "L4", "P", "W"],
    "hex": ["I2", "I3", "V3", "A3", "P4", "S4", "J4", "E5"],
    "triangle": ["I1", "I2", "I3", "C4", "T4", "P5", "O6"],
}


def meter() -> Meter:
    return Meter(budget=Budget(seconds=None, work=200_000))


def pieces_of(names: list[str], lattice: str = "square") -> tuple[Piece, ...]:
    return read_pieces(Node(names), lattice=LATTICES[lattice]).pieces


def holed(lattice: str, chance: random.Random, rows: int = 4, columns: int = 5) -> Sheet:
    step = 2 if lattice == "hex" else 1
    cells = [(r, r % step + step * c) for r in range(rows) for c in range(columns)]
    return plain_sheet(LATTICES[lattice], chance.sample(cells, chance.randint(8, len(cells))))


@pytest.mark.parametrize("lattice", LATTICES)
@pytest.mark.parametrize("seed", range(5))
def test_the_checker_finds_the_same_placements(lattice: str, seed: int) -> None:
    sheet = holed(lattice, random.Random(seed))
    pieces = pieces_of(NAMES[lattice], lattice)
    puzzle = derive(sheet, pieces, cover=True, claim=Claim())
    options = build(sheet, pieces, cover=True).problem.options
    assert list(zip(puzzle.owners, puzzle.masks, strict=True)) == [
        (option.kind, option.mask) for option in options
    ]


def checked(
    sheet: Sheet, pieces: tuple[Piece, ...], certificate: Certificate, cover: bool
) -> Checked:
    return verify(sheet, pieces, certificate, cover=cover, meter=meter())


def blank(
    sheet: Sheet, pieces: tuple[Piece, ...], cover: bool, *, branches: tuple[int, ...] = ()
) -> Certificate:
    hashed = puzzle_hash(sheet, pieces, cover=cover)
    return Certificate(puzzle=hashed, claim=Claim(), rung="search", branches=branches)


def solvable(sheet: Sheet, pieces: tuple[Piece, ...], cover: bool) -> bool:
    """Try all choices of placements; shares no code with searches or checker."""
    layout = build(sheet, pieces, cover=cover)
    masks: list[list[int]] = [[] for _ in pieces]
    for option in layout.problem.options:
        masks[option.kind].append(option.mask)
    copies = [kind for kind, piece in enumerate(pieces) for _ in range(piece.least)]

    def place(left: list[int], taken: int) -> bool:
        if not left:
            return not cover or taken == layout.problem.everything
        return any(place(left[1:], taken | m) for m in masks[left[0]] if not m & taken)

    return place(copies, 0)


def random_puzzle(seed: int) -> tuple[Sheet, tuple[Piece, ...], bool]:
    chance = random.Random(seed)
    lattice = chance.choice(list(LATTICES))
    sheet = holed(lattice, chance, 3, 4)
    names = [chance.choice(NAMES[lattice]) for _ in range(chance.randint(1, 4))]
    pieces = pieces_of(names, lattice)
    exact = sum(piece.size * piece.least for piece in pieces) == len(sheet.open)
    return sheet, pieces, exact and chance.random() < 0.5


@pytest.mark.parametrize("seed", range(150))
def test_written_searches_are_right_and_accepted(seed: int) -> None:
    sheet, pieces, cover = random_puzzle(seed)
    problem = build(sheet, pieces, cover=cover).problem
    found = refute(problem, terms_of(problem), meter=meter())
    assert found.stopped_by is None
    assert (found.found is not None) == solvable(sheet, pieces, cover)
    if found.branches is None:
        return
    certificate = blank(sheet, pieces, cover, branches=found.branches)
    assert checked(sheet, pieces, certificate, cover).accepted
    assert read_certificate(Node(dump_certificate(certificate))) == certificate
    longer = replace(certificate, branches=(*found.branches, 0))
    assert checked(sheet, pieces, longer, cover).accepted is False
    shorter = replace(certificate, branches=found.branches[:-1])
    assert checked(sheet, pieces, shorter, cover).accepted is False
    other = replace(certificate, puzzle="sha256:0")
    assert checked(sheet, pieces, other, cover).accepted is False


@pytest.mark.parametrize("seed", range(60))
def test_nothing_refutes_what_has_a_solution(seed: int) -> None:
    """Proofs of other puzzles, mutated and random ones, held against solvable puzzles."""
    chance = random.Random(seed)
    sheet, pieces, cover = next(
        puzzle
        for puzzle in (random_puzzle(chance.randrange(10**6)) for _ in range(1000))
        if solvable(*puzzle)
    )
    top = len(sheet.open) + len(pieces) + 2
    problem = build(sheet, pieces, cover=cover).problem
    for trial in range(40):
        branches = tuple(chance.randrange(top) for _ in range(chance.randint(0, 30)))
        cells = tuple(chance.randrange(-2, 3) for _ in sheet.open)
        weights = tuple(chance.randrange(3) for _ in pieces)
        base = replace(blank(sheet, pieces, cover), branches=branches, cells=cells, pieces=weights)
        for rung in ("search", "weights", "colouring", "trivial"):
            modulus = chance.choice([2, 3, 4, 8])
            certificate = replace(base, rung=rung, modulus=modulus)
            assert not checked(sheet, pieces, certificate, cover).accepted, (trial, rung)
    assert find_colouring(problem, meter=meter()) is None


def test_mutated_colourings_are_refused() -> None:
    sheet, pieces = rectangle(4, 5), pieces_of(["I4", "L4", "O4", "S4", "T4"])
    found = find_colouring(build(sheet, pieces, cover=True).problem, meter=meter())
    assert found is not None
    good = replace(
        blank(sheet, pieces, True),
        rung="colouring",
        modulus=found.modulus,
        cells=found.cells,
        pieces=found.kinds,
    )
    assert checked(sheet, pieces, good, True).accepted
    chance = random.Random(1)
    for _ in range(200):
        cells = list(found.cells)
        for cell in chance.sample(range(20), chance.randint(1, 3)):
            cells[cell] = (cells[cell] + chance.randint(1, 3)) % 4
        changed = replace(good, cells=tuple(cells))
        same = tuple(cell % 2 for cell in cells) == tuple(cell % 2 for cell in found.cells)
        assert checked(sheet, pieces, changed, True).accepted == same
    assert checked(sheet, pieces, replace(good, cells=found.cells[:-1]), True).accepted is False


@pytest.mark.parametrize("seed", range(40))
def test_unique_solutions_and_no_others(seed: int) -> None:
    """A search around the one solution proves that there is no second."""
    sheet, pieces, _ = random_puzzle(seed)
    problem = build(sheet, pieces, cover=True).problem
    solutions = list(covers(problem, meter=meter()))
    if not solutions:
        return
    layout = build(sheet, pieces, cover=True)
    known = frozenset(solutions[0])
    found = refute(problem, terms_of(problem, known=known), meter=meter())
    assert (found.branches is not None) == (len(solutions) == 1)
    if found.branches is None:
        return
    certificate = replace(
        blank(sheet, pieces, True, branches=found.branches),
        claim=Claim(kind="unique", solution=layout.witness(solutions[0])),
    )
    assert checked(sheet, pieces, certificate, True).accepted
    for claim in (Claim(), Claim(kind="unique")):
        assert checked(sheet, pieces, replace(certificate, claim=claim), True).accepted is False


def test_the_checker_can_be_stopped() -> None:
    sheet, pieces = rectangle(5, 6), pieces_of(["F", "W", "X", "T", "V", "Z"])
    problem = build(sheet, pieces, cover=True).problem
    found = refute(problem, terms_of(problem), meter=meter())
    assert found.branches is not None
    certificate = blank(sheet, pieces, True, branches=found.branches * 40)
    stopped = verify(sheet, pieces, certificate, cover=True, meter=Meter(budget=Budget(seconds=0)))
    assert stopped.accepted in (None, False)


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"certificate": 2}, "$.certificate"),
        ({"rung": "faith"}, "$.rung"),
        ({"branches": "!!"}, "$.branches"),
        ({"branches": pack([3])[:-6]}, "$.branches"),
        ({"claim": {}}, "$.claim"),
        ({"cells": [1.5]}, "$.cells[0]"),
    ],
)
def test_unreadable_certificates_name_the_place(changed: dict[str, object], place: str) -> None:
    from tilesolve.errors import InputError

    good = dump_certificate(blank(rectangle(1, 1), (), True, branches=(0,)))
    with pytest.raises(InputError) as caught:
        read_certificate(Node({**good, **changed}))
    assert caught.value.place == place


def test_the_checker_imports_no_engine() -> None:
    import subprocess
    import sys

    script = (
        "import sys, tilesolve.proof.verify\n"
        "print([m for m in sys.modules if m.startswith(('tilesolve.placement', 'ortools'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@st.composite
def boards(draw: st.DrawFn) -> Sheet:
    """Boards with holes and two kinds of cells, wherever they lie."""
    lattice = draw(st.sampled_from(list(LATTICES)))
    step = 2 if lattice == "hex" else 1
    down, right = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    cells = [(r + down, (r + down + right) % step + step * c) for r in range(4) for c in range(4)]
    kept = draw(st.sets(st.sampled_from(cells), min_size=1, max_size=13))
    sheet = plain_sheet(LATTICES[lattice], kept)
    odd = draw(st.sets(st.sampled_from(sorted(kept))))
    return replace(sheet, grounds={c: Ground("circle") if c in odd else PLAIN for c in sheet.open})


@given(boards(), st.data())
@settings(deadline=None)
def test_the_checker_finds_what_trying_all_sets_of_cells_finds(
    sheet: Sheet, data: st.DataObject
) -> None:
    lattice = sheet.lattice
    name = data.draw(st.sampled_from(NAMES[lattice.name]))
    base = pieces_of([name], lattice.name)[0]
    kinds = [data.draw(st.sampled_from(["", "", "circle", "plain"])) for _ in base.pattern]
    pattern = tuple((cell, kind) for (cell, _), kind in zip(base.pattern, kinds, strict=True))
    piece = replace(
        base, pattern=pattern, rotate=data.draw(st.booleans()), mirror=data.draw(st.booleans())
    )
    puzzle = derive(sheet, [piece], cover=False, claim=Claim())
    found = {tuple(puzzle.cells[n] for n in bits(mask)) for mask in puzzle.masks}
    assert len(found) == len(puzzle.masks)
    turned = set()
    for symmetry in lattice.symmetry(rotate=piece.rotate, mirror=piece.mirror):
        image = sorted((symmetry.image(cell), kind) for cell, kind in pattern)
        normal = lattice.normal(cell for cell, _ in image)
        turned.add(tuple(zip(normal, (kind for _, kind in image), strict=True)))
    expected = {
        cells
        for cells in combinations(sheet.open, piece.size)
        if any(
            lattice.normal(lattice.even(cells)) == tuple(cell for cell, _ in each)
            and all(
                want in ("", sheet.grounds[cell].kind)
                for cell, (_, want) in zip(cells, each, strict=True)
            )
            for each in turned
        )
    }
    assert found == expected
