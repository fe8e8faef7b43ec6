"""The state graph in plain integers is the one in packed keys."""

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks import boards
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.lanes import Lanes, lanes
from tilesolve_models.sliding_blocks.rules import METRICS

BOARDS = [
    ("AAB./C.BD", ""),
    ("A.B/CC#/.D.", "D at 0,0"),
    ("AABB/AACC/DE../FGHH/FGII", "A at 3,0"),
    ("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", "A touches right"),
    ("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", "A leaves right"),
    ("AB/.C", "C leaves right; A leaves top"),
    ("AAB/.CB/.C.", "A leaves left through 0"),
    ("AB", "A leaves right; B leaves right"),
    (".AB./.ACD/....", "D at 0,0"),  # regions of open cells on both sides of a block
    ("A.AB/AAAB/..C.", "A at 0,1"),  # a block whose step enters cells that are not beside another
]


def both(board: str, goal: str, metric: str) -> tuple[Arrangements, Lanes | None]:
    fields = {
        "game": boards.ID,
        "board": board,
        "metric": metric,
        **({"goal": goal} if goal else {}),
    }
    graph = arrangements(boards.load(Node(fields)), meter=Meter(budget=Budget(seconds=None)))
    assert graph is not None
    return graph, lanes(graph)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("board", "goal"), BOARDS)
def test_layers_are_as_large_up_to_the_goal(board: str, goal: str, metric: str) -> None:
    graph, plain = both(board, goal, metric)
    assert plain is not None
    seen = graph.walk(meter=Meter(budget=Budget(seconds=None)), until=graph.done)
    previous, current = set[int](), {plain.start}
    sizes = [1]
    while current and not (goal and plain.done(current)):
        previous, current = current, plain.beyond(current) - current - previous
        sizes.append(len(current))
    assert tuple(size for size in sizes if size) == seen.sizes
    assert len(seen.found) == (len(plain.done(current)) if goal else 0)


def test_wide_boards_and_equal_blocks_that_leave_are_left_to_packed_keys() -> None:
    assert both("AC..../....../....../....../....DB", "A at 4,0", "moves")[1] is None
    assert both("AB./...", "any of A B leaves top", "moves")[1] is None
