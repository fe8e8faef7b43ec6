"""Scores and faults, recomputed by hand on a sheet of two rows of three."""

from __future__ import annotations

import pytest

from tilesolve.placement.objective import Costs, Objective, costs, evaluate, faults, open_mask
from tilesolve.placement.problem import Kind, Option, Problem

ADJACENT = ((1, 3), (0, 2, 4), (1, 5), (0, 4), (1, 3, 5), (2, 4))
NAMES = ("0,0", "0,1", "0,2", "1,0", "1,1", "1,2")


def sheet(*masks: int, least: int = 0, most: int | None = 3, cover: bool = False) -> Problem:
    options = tuple(Option(0, mask) for mask in masks)
    return Problem(NAMES, (Kind("I2", least, most),), options, cover, ADJACENT)


LEFT, MIDDLE, RIGHT = 0b001001, 0b010010, 0b100100
"""The three upright dominoes."""


@pytest.mark.parametrize(
    ("chosen", "score"),
    [
        ((), 21 + 10),
        ((0,), 21 - 1 - 4 + 10),
        ((1,), 21 - 2 - 5 + 20),
        ((0, 2), 21 - 5 - 9 + 10),
        ((0, 1, 2), 0),
    ],
)
def test_open_cells_and_their_regions(chosen: tuple[int, ...], score: int) -> None:
    objective = Objective(open_penalty=(1, 2, 3, 4, 5, 6), region_penalty=10)
    assert evaluate(sheet(LEFT, MIDDLE, RIGHT), objective, chosen) == score


def test_values_and_copies_left_out() -> None:
    objective = Objective(
        sense="maximise", option_value=(7, 8, 9), missing_penalty=(-100,), region_penalty=-1
    )
    assert evaluate(sheet(LEFT, MIDDLE, RIGHT), objective, (1,)) == 8 - 200 - 2
    assert evaluate(sheet(LEFT, MIDDLE, RIGHT), objective, (0, 1, 2)) == 24


def test_costs_turn_a_maximum_round() -> None:
    objective = Objective(sense="maximise", option_value=(7,), region_penalty=-1)
    expected = Costs(sign=-1, open=(0,) * 6, option=(-7,), missing=(0,), region=1)
    assert costs(sheet(LEFT), objective) == expected


def test_an_objective_that_does_not_match_is_refused() -> None:
    with pytest.raises(ValueError, match="1 figures for 6 cells"):
        costs(sheet(LEFT), Objective(open_penalty=(1,)))
    with pytest.raises(ValueError, match="no copy can be missing"):
        costs(sheet(LEFT, most=None), Objective(missing_penalty=(1,)))
    with pytest.raises(ValueError, match="unwelcome"):
        Objective(region_penalty=-1)
    with pytest.raises(ValueError, match="unwelcome"):
        Objective(sense="maximise", region_penalty=1)


def test_the_open_cells() -> None:
    assert open_mask(sheet(LEFT, MIDDLE, RIGHT), (0, 2)) == MIDDLE


def test_faults_of_counts_overlap_and_cover() -> None:
    problem = sheet(LEFT, MIDDLE, RIGHT, 0b000011, least=2, most=2)
    assert faults(problem, (0, 1)) == ()
    assert faults(problem, (0,)) == ("I2 is used 1 times",)
    assert faults(problem, (0, 1, 2)) == ("I2 is used 3 times",)
    assert faults(problem, (0, 3)) == ("options overlap",)
    assert faults(problem, (0, 0)) == ("options overlap",)
    assert faults(sheet(LEFT, MIDDLE, cover=True), (0, 1)) == ("not every cell is covered",)


TOUCH = ("an option does not touch what lies already",)
CONNECTED = ("what is filled is not connected",)


@pytest.mark.parametrize(
    ("chosen", "anchors", "begun", "touch", "connected"),
    [
        ((), 0, False, (), ()),
        ((0,), 0, False, (), ()),
        ((0, 1), 0, False, (), ()),
        ((0, 2), 0, False, TOUCH, CONNECTED),
        ((0,), LEFT, True, (), ()),
        ((1,), LEFT, True, TOUCH, CONNECTED),
        ((0, 1), LEFT, True, (), ()),
        ((0, 2), LEFT | RIGHT, True, (), ()),
        ((0,), 0, True, TOUCH, CONNECTED),
    ],
)
def test_faults_of_contact_and_connection(
    chosen: tuple[int, ...],
    anchors: int,
    begun: bool,
    touch: tuple[str, ...],
    connected: tuple[str, ...],
) -> None:
    problem = sheet(LEFT, MIDDLE, RIGHT)
    touching = Objective(touch=True, anchors=anchors, begun=begun)
    connecting = Objective(connected=True, anchors=anchors, begun=begun)
    assert faults(problem, chosen, touching) == touch
    assert faults(problem, chosen, connecting) == connected


def test_two_groups_are_to_be_joined_by_what_is_connected() -> None:
    problem = sheet(LEFT, MIDDLE, RIGHT)
    objective = Objective(
        connected=True, touch=True, anchors=LEFT | RIGHT, groups=(0b000001, 0b000100)
    )
    assert faults(problem, (), objective) == CONNECTED
    assert faults(problem, (0, 2), objective) == CONNECTED
    assert faults(problem, (0, 1, 2), objective) == ()
