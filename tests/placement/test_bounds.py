"""Bounds in fixed situations; that they never exceed the optimum is tested with `optimise`."""

from __future__ import annotations

import pytest

from tilesolve.placement.bounds import SCALE, area_bound, forced_regions, weight_bound
from tilesolve.placement.objective import Costs
from tilesolve.placement.problem import Kind, Option, Problem


def row(cells: int, *kinds: Kind, cover: bool = False) -> Problem:
    """Return a row of cells; kind number k is a bar of k + 2 cells."""
    options = tuple(
        Option(number, ((1 << number + 2) - 1) << at)
        for number in range(len(kinds))
        for at in range(cells - number - 1)
    )
    adjacent = tuple(
        tuple(near for near in (cell - 1, cell + 1) if 0 <= near < cells) for cell in range(cells)
    )
    return Problem(tuple(f"0,{c}" for c in range(cells)), kinds, options, cover, adjacent)


def plain(problem: Problem, *, region: int = 0) -> Costs:
    kinds, options = len(problem.kinds), len(problem.options)
    return Costs(1, (1,) * len(problem.cells), (0,) * options, (0,) * kinds, region)


@pytest.mark.parametrize(
    ("cells", "kinds", "region", "bound"),
    [
        (6, [Kind("I2", 0, None)], 5, 0),
        (7, [Kind("I2", 0, None)], 0, 1),
        (7, [Kind("I2", 0, None)], 5, 6),
        (7, [Kind("I2", 0, 2)], 5, 8),
        (7, [Kind("I2", 0, 2), Kind("I3", 0, 1)], 5, 0),
        (8, [Kind("I2", 0, 2), Kind("I3", 1, 2)], 5, 0),
        (8, [Kind("I2", 0, 0), Kind("I3", 1, 9)], 5, 7),
        (4, [Kind("I2", 1, 1), Kind("I3", 1, 1)], 0, None),
    ],
)
def test_areas_of_bars(cells: int, kinds: list[Kind], region: int, bound: int | None) -> None:
    problem = row(cells, *kinds)
    assert area_bound(problem, plain(problem, region=region)) == bound


def test_a_cover_needs_an_area_that_adds_up() -> None:
    odd, even = (row(cells, Kind("I2", 0, None), cover=True) for cells in (7, 6))
    assert area_bound(odd, plain(odd)) is None
    assert area_bound(even, plain(even)) == 0


def test_missing_copies_and_option_costs_count() -> None:
    problem = row(4, Kind("I2", 0, 3))
    costs = Costs(1, (0,) * 4, (-2, 0, 0), (10,), 0)
    assert area_bound(problem, costs) == 30 - 2 * 12


def test_any_weights_give_a_right_bound_and_good_ones_the_best() -> None:
    """Seven cells, dominoes over an odd cell: the even cells outnumber the odd ones by one."""
    problem = row(7, Kind("I2", 0, None))
    costs = Costs(1, (1, 9, 1, 9, 1, 9, 1), (0,) * 6, (0,), 0)
    assert weight_bound(problem, costs, [0] * 7) == 0
    assert weight_bound(problem, costs, [9 * SCALE] * 7) <= 1
    assert weight_bound(problem, costs, [SCALE, -SCALE] * 3 + [SCALE]) == 1


def test_weights_show_a_need_that_areas_hide() -> None:
    """A bar of three cannot lie in pockets of two, whatever the area says."""
    problem = Problem(
        ("0,0", "0,1", "0,3", "0,4", "0,6", "0,7"), (Kind("I2", 0, 1),),
        (Option(0, 0b000011), Option(0, 0b001100), Option(0, 0b110000)), False,
        ((1,), (0,), (3,), (2,), (5,), (4,)),
    )  # fmt: skip
    assert weight_bound(problem, plain(problem), [SCALE] * 6) == 4


def test_pockets_that_no_numbers_of_pieces_fill() -> None:
    adjacent = ((1,), (0,), (3,), (2, 4), (3,), ())
    options = (Option(0, 0b000011), Option(0, 0b001100), Option(0, 0b011000))
    names = ("0,0", "0,1", "0,3", "0,4", "0,5", "0,7")
    problem = Problem(names, (Kind("I2", 0, None),), options, False, adjacent)
    assert forced_regions(problem) == 2
    across = Problem(names, problem.kinds, (*options, Option(0, 0b110000)), False, problem.adjacent)
    assert forced_regions(across) == 0
