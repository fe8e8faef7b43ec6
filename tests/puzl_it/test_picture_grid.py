import random

import pytest

from tilesolve_models.picture_grid import cards_of, connected_subsets, grid_of


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (5, 1), (3, 4), (8, 9), (6, 12)])
def test_neighbours_are_the_cells_at_distance_one(size: tuple[int, int]) -> None:
    grid = grid_of(*size)
    for card in range(grid.size):
        cell = grid.cell(card)
        near = tuple(other for other in grid.cells_of(grid.everything) if _touch(cell, other))
        assert grid.cells_of(grid.neighbours[card]) == near


def test_contacts_count_sides_and_not_cards() -> None:
    rng, grid = random.Random(1), grid_of(4, 5)
    for _ in range(200):
        mine, others = rng.getrandbits(20), rng.getrandbits(20)
        sides = sum(
            _touch(one, other) for one in grid.cells_of(mine) for other in grid.cells_of(others)
        )
        assert grid.contacts(mine, others) == sides


def test_groups_split_a_set_and_do_not_touch() -> None:
    rng, grid = random.Random(2), grid_of(4, 5)
    for _ in range(200):
        mask = rng.getrandbits(20)
        groups = grid.groups(mask)
        assert sum(groups) == mask
        for group in groups:
            assert grid.beside(group) & mask == 0
            assert grid.reach(group & -group, mask) == group


def test_connected_subsets_are_all_of_them_once_each() -> None:
    grid = grid_of(3, 4)
    for mask in (grid.everything, 0b101101110111, 0b000100000001, 0):
        found = list(connected_subsets(grid, mask))
        subsets = (part for part in range(1, 1 << 12) if part & ~mask == 0)
        assert sorted(found) == [part for part in subsets if len(grid.groups(part)) == 1]


def test_corners_of_a_single_row_are_its_ends() -> None:
    grid = grid_of(1, 5)
    assert list(cards_of(grid.corners)) == [0, 4]
