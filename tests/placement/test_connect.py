"""Components, orders and cuts, each in fixed situations and against trying everything."""

from __future__ import annotations

from itertools import permutations

import pytest

from tilesolve.geometry.lattice import HEX, SQUARE, TRIANGLE, Lattice
from tilesolve.geometry.sheet import plain_sheet
from tilesolve.placement.build import build
from tilesolve.placement.connect import Cut, beside, components, cuts, touching_order, with_groups
from tilesolve.placement.connect import neighbour_masks as masks_of
from tilesolve.placement.problem import bits

CELLS = {
    SQUARE: [(r, c) for r in range(2) for c in range(4)],
    HEX: [(r, 2 * c + r % 2) for r in range(3) for c in range(3)][:8],
    TRIANGLE: [(r, c) for r in range(2) for c in range(4)],
}


def neighbours_on(lattice: Lattice) -> tuple[int, ...]:
    layout = build(plain_sheet(lattice, CELLS[lattice]), [], cover=False)
    return masks_of(layout.problem)


LATTICES = pytest.mark.parametrize("lattice", [SQUARE, HEX, TRIANGLE], ids=lambda one: one.name)

PATH = (0b0010, 0b0101, 0b1010, 0b0100)
"""Four cells in a row."""


def joined_to(start: int, within: int, neighbours: tuple[int, ...]) -> int:
    """Return the cells within that can be walked to; the plainest way there is."""
    reached = start & within
    for _ in neighbours:
        for cell, near in enumerate(neighbours):
            if within >> cell & 1 and near & reached:
                reached |= 1 << cell
    return reached


def test_components_of_fixed_sets() -> None:
    assert components(0, PATH) == ()
    assert components(0b1011, PATH) == (0b0011, 0b1000)
    assert components(0b1111, PATH) == (0b1111,)
    assert beside(0b0110, PATH) == 0b1001


@LATTICES
def test_components_are_what_can_be_walked_to(lattice: Lattice) -> None:
    neighbours = neighbours_on(lattice)
    for members in range(1 << len(neighbours)):
        parts = components(members, neighbours)
        assert sum(parts) == members
        for part in parts:
            for cell in bits(part):
                assert joined_to(1 << cell, members, neighbours) == part


@LATTICES
def test_a_set_keeps_all_cuts_exactly_if_it_grows_from_its_roots(lattice: Lattice) -> None:
    """Cuts of one set never exclude another that is right, and always exclude a wrong one."""
    neighbours = neighbours_on(lattice)
    everything = range(1 << len(neighbours))
    right = [
        (members, roots)
        for members in everything
        for roots in (members & 0b10010010, members & 0b01000001)
        if joined_to(roots, members, neighbours) == members
    ]
    found: set[Cut] = set()
    for members in everything:
        for roots in (members & 0b10010010, members & 0b01000001):
            broken = cuts(members, roots, neighbours)
            assert bool(broken) == ((members, roots) not in right)
            assert not any(cut.kept(members, roots) for cut in broken)
            found.update(broken)
    assert all(cut.kept(members, roots) for cut in found for members, roots in right)


def test_groups_become_cells_of_their_own() -> None:
    graph = with_groups(PATH, [0b0001, 0b1000])
    assert components(0b110001, graph) == (0b010001, 0b100000)
    assert components(0b111111, graph) == (0b111111,)


@pytest.mark.parametrize(
    ("masks", "anchors", "begun", "laid"),
    [
        ([], 0, False, 0),
        ([0b0011], 0, False, 1),
        ([0b0011, 0b1100], 0, False, 2),
        ([0b0001, 0b1000], 0, False, 1),
        ([0b0001, 0b1000], 0b0001, True, 1),
        ([0b0001, 0b1000], 0b1001, True, 2),
        ([0b1000, 0b0100, 0b0010], 0b0010, True, 3),
        ([0b0001], 0, True, 0),
    ],
)
def test_orders_of_fixed_placements(masks: list[int], anchors: int, begun: bool, laid: int) -> None:
    assert len(touching_order(masks, PATH, anchors=anchors, begun=begun)) == laid


def order_is_legal(
    order: tuple[int, ...],
    masks: list[int],
    neighbours: tuple[int, ...],
    anchors: int,
    begun: bool,
) -> bool:
    reached = anchors
    for place, index in enumerate(order):
        if (begun or place) and not masks[index] & reached:
            return False
        reached |= beside(masks[index], neighbours)
    return True


@LATTICES
def test_an_order_is_found_exactly_if_one_of_all_orders_is_legal(lattice: Lattice) -> None:
    neighbours = neighbours_on(lattice)
    for masks in ([1, 4, 16, 64], [3, 12, 128], [2, 8, 32], [1, 2, 4, 128], [1, 128]):
        for anchors in (0, 1, 0b1000, 0b10000001):
            for begun in (bool(anchors), True):
                order = touching_order(masks, neighbours, anchors=anchors, begun=begun)
                possible = any(
                    order_is_legal(one, masks, neighbours, anchors, begun)
                    for one in permutations(range(len(masks)))
                )
                assert (len(order) == len(masks)) == possible
                assert order_is_legal(order, masks, neighbours, anchors, begun)
