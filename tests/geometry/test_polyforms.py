"""Published numbers of polyforms (OEIS) and of their names."""

import pytest

from tilesolve.geometry.lattice import HEX, SQUARE, TRIANGLE, Lattice
from tilesolve.geometry.names import known, lettered, named_set
from tilesolve.geometry.shape import Forms, Shape, polyforms

COUNTS = {
    # A000105, A000988, A001168
    ("square", "free"): [1, 1, 2, 5, 12, 35, 108, 369, 1285],
    ("square", "one-sided"): [1, 1, 2, 7, 18, 60, 196, 704, 2500],
    ("square", "fixed"): [1, 2, 6, 19, 63, 216, 760, 2725, 9910],
    # A000228, A006535, A001207
    ("hex", "free"): [1, 1, 3, 7, 22, 82, 333, 1448],
    ("hex", "one-sided"): [1, 1, 3, 10, 33, 147, 620, 2821],
    ("hex", "fixed"): [1, 3, 11, 44, 186, 814, 3652, 16689],
    # A000577, A006534, A001420
    ("triangle", "free"): [1, 1, 1, 3, 4, 12, 24, 66, 160],
    ("triangle", "one-sided"): [1, 1, 1, 4, 6, 19, 43, 120, 307],
    ("triangle", "fixed"): [2, 3, 6, 14, 36, 94, 250, 675, 1838],
}
LATTICES = {lattice.name: lattice for lattice in (SQUARE, HEX, TRIANGLE)}


@pytest.mark.parametrize(("lattice", "forms"), COUNTS)
def test_numbers_of_polyforms(lattice: str, forms: Forms) -> None:
    published = COUNTS[lattice, forms]
    found = [
        len(polyforms(size, LATTICES[lattice], forms=forms))
        for size in range(1, len(published) + 1)
    ]
    assert found == published


def test_the_twelve_pentominoes_have_their_names() -> None:
    members = named_set("pentominoes")
    assert members is not None
    assert "".join(name for name, _ in members) == "FILNPTUVWXYZ"
    assert {shape.free for _, shape in members} == {shape.cells for shape in polyforms(5)}


# The number of orientations of each pentomino identifies its symmetry (Golomb, Polyominoes).
@pytest.mark.parametrize(
    ("name", "orientations"),
    [("I", 2), ("X", 1), ("V", 4), ("T", 4), ("U", 4), ("W", 4), ("Z", 4)]
    + [(name, 8) for name in "FLNPY"],
)
def test_orientations_of_pentominoes(name: str, orientations: int) -> None:
    shape = known(name)
    assert shape is not None
    assert len(shape.orientations()) == orientations


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("F", [".##", "##.", ".#."]),
        ("N", [".#", ".#", "##", "#."]),
        ("Z", ["##.", ".#.", ".##"]),
        ("Y", [".#", "##", ".#", ".#"]),
        ("S4", [".##", "##."]),
        ("L4", ["#.", "#.", "##"]),
    ],
)
def test_names_mean_the_shapes_people_mean(name: str, rows: list[str]) -> None:
    cells = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#"]
    shape = known(name)
    assert shape is not None
    assert Shape.of(cells).free == shape.free


@pytest.mark.parametrize("lattice", [SQUARE, HEX, TRIANGLE])
def test_names_are_distinct_shapes(lattice: Lattice) -> None:
    free = [shape.free for shape in lettered(lattice).values()]
    assert len(set(free)) == len(free)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("trominoes", 2),
        ("tetrominoes", 5),
        ("one-sided-tetrominoes", 7),
        ("fixed-tetrominoes", 19),
        ("hexominoes", 35),
        ("one-sided-hexominoes", 60),
        ("tetrahexes", 7),
        ("pentahexes", 22),
        ("one-sided-tetrahexes", 10),
        ("hexiamonds", 12),
        ("one-sided-hexiamonds", 19),
    ],
)
def test_sizes_of_named_sets(name: str, size: int) -> None:
    members = named_set(name)
    assert members is not None
    assert len({piece for piece, _ in members}) == len(members) == size


def test_the_hexagon_and_the_propeller_have_full_symmetry() -> None:
    hexagon, propeller = known("O6", TRIANGLE), known("Y4", HEX)
    assert hexagon is not None
    assert propeller is not None
    assert len(hexagon.orientations()) == 1
    assert len(propeller.orientations()) == 2
