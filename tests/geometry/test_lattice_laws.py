"""Laws of the three lattices, with random cells."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import HEX, LATTICES, SQUARE, TRIANGLE, Lattice
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.shape import Shape
from tilesolve.geometry.sheet import dump_sheet, plain_sheet, read_sheet
from tilesolve.wire import Node

lattices = st.sampled_from(list(LATTICES.values()))


def on(lattice: Lattice, cell: Cell) -> Cell:
    return (cell[0], cell[1] + sum(cell) % 2) if lattice is HEX else cell


cells = st.tuples(st.integers(-9, 9), st.integers(-9, 9))


@given(lattices, cells)
def test_neighbours_are_mutual(lattice: Lattice, cell: Cell) -> None:
    for near in lattice.neighbours(on(lattice, cell)):
        assert on(lattice, cell) in lattice.neighbours(near)


@given(lattices, cells)
def test_symmetries_keep_neighbours(lattice: Lattice, cell: Cell) -> None:
    start = on(lattice, cell)
    for symmetry in lattice.symmetries:
        image = set(map(symmetry.image, lattice.neighbours(start)))
        assert image == set(lattice.neighbours(symmetry.image(start)))


def test_symmetries_form_a_group_of_the_right_size() -> None:
    probe = [(0, 0), (1, 3), (2, 2), (5, 1), (0, 6)]
    for lattice, size in ((SQUARE, 8), (HEX, 12), (TRIANGLE, 12)):
        images = {tuple(map(s.image, probe)) for s in lattice.symmetries}
        assert len(images) == size
        products = {
            tuple(first.image(second.image(cell)) for cell in probe)
            for first in lattice.symmetries
            for second in lattice.symmetries
        }
        assert products == images
        names = [symmetry.name for symmetry in lattice.symmetries]
        assert len(set(names)) == size
        assert names[0] == "identity"


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    lattice = draw(lattices)
    grown = [on(lattice, draw(cells))]
    for _ in range(draw(st.integers(0, 6))):
        base = draw(st.sampled_from(grown))
        grown.append(draw(st.sampled_from(lattice.neighbours(base))))
    return Shape.of(grown, lattice)


@given(shapes(), st.integers(-4, 4), st.integers(-4, 4))
def test_normal_form_forgets_translations(shape: Shape, down: int, right: int) -> None:
    right += (down + right) % shape.lattice.step
    moved = [(row + down, column + right) for row, column in shape.cells]
    assert Shape.of(moved, shape.lattice) == shape


@given(shapes())
def test_orientations_share_their_free_form(shape: Shape) -> None:
    turned = shape.orientations()
    assert len(shape.lattice.symmetries) % len(turned) == 0
    for cells_ in turned:
        other = Shape(shape.lattice, cells_)
        assert other.free == shape.free
        assert len(cells_) == len(shape.cells)
        assert other.connected


@given(shapes())
def test_a_piece_has_the_orientations_of_its_shape(shape: Shape) -> None:
    piece = Piece.of("A", shape.cells, shape.lattice)
    found = {tuple(cell for cell, _ in pattern) for pattern in piece.orientations}
    assert found == set(shape.orientations())


@settings(max_examples=50)
@given(lattices, st.sets(cells, max_size=20))
def test_sheets_survive_writing(lattice: Lattice, raw: set[Cell]) -> None:
    here = {on(lattice, (abs(row), abs(column))) for row, column in raw}
    sheet = plain_sheet(lattice, here)
    assert read_sheet(Node(dump_sheet(sheet))) == sheet
