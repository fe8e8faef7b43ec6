"""A* against breadth-first search on grids with walls."""

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter
from tilesolve.graph.astar import shortest

Cell = tuple[int, int]
ROWS, COLUMNS = 4, 7
GOAL = (ROWS - 1, COLUMNS - 1)


def _open_cells(walls: set[Cell]) -> set[Cell]:
    cells = {(row, column) for row in range(ROWS) for column in range(COLUMNS)}
    return (cells - walls) | {(0, 0), GOAL}


def _around(cell: Cell, cells: set[Cell]) -> list[Cell]:
    row, column = cell
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [each for each in near if each in cells]


def _estimate(cell: Cell) -> int:
    return abs(cell[0] - GOAL[0]) + abs(cell[1] - GOAL[1])


def _breadth_first(cells: set[Cell]) -> int | None:
    distance = {(0, 0): 0}
    waiting = deque([(0, 0)])
    while waiting:
        here = waiting.popleft()
        for there in _around(here, cells):
            if there not in distance:
                distance[there] = distance[here] + 1
                waiting.append(there)
    return distance.get(GOAL)


walls = st.sets(st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1)), max_size=14)


@given(walls, st.integers(0, 16))
@settings(max_examples=60, deadline=None)
def test_lines_are_as_short_as_breadth_first_ones(blocked: set[Cell], limit: int) -> None:
    cells = _open_cells(blocked)

    def successors(cell: Cell) -> list[tuple[Cell, int]]:
        return [(each, _estimate(each) - _estimate(cell)) for each in _around(cell, cells)]

    expected = _breadth_first(cells)
    start = _estimate((0, 0))
    found = shortest((0, 0), start, successors, meter=Meter(budget=Budget()))
    assert found.moves == expected
    if expected is None:
        assert found.exhausted
    else:
        assert found.line[0] == (0, 0)
        assert found.line[-1] == GOAL
        assert all(b in _around(a, cells) for a, b in zip(found.line, found.line[1:], strict=False))
    limited = shortest((0, 0), start, successors, meter=Meter(budget=Budget()), limit=limit)
    assert limited.moves == (expected if expected is not None and expected <= limit else None)
    assert limited.exhausted == (limited.moves is None)


def test_a_stopped_search_has_a_bound_and_no_proof() -> None:
    meter = Meter(budget=Budget(seconds=None, work=500))
    found = shortest(0, 10**6, lambda at: [(at + 1, -1), (at - 1, 1)], meter=meter)
    assert (found.line, found.exhausted, meter.stopped_by) == ((), False, "work")
    assert found.bound <= 10**6
