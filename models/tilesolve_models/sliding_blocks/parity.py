"""The argument that shows half of all 15-puzzle positions to be out of reach."""

from __future__ import annotations

from tilesolve.answers import Cell, Reason
from tilesolve.graph.packed import Keys
from tilesolve_models.sliding_blocks.arrangements import Arrangements


def parity_reason(graph: Arrangements, goal: Keys) -> Reason | None:
    """Say why a position of unit blocks with one open cell can't become another, if it can't.

    Every step exchanges the open cell with a block beside it: one exchange, and the open cell
    changes its colour on a chessboard. So an odd permutation needs the open cell to end on the
    other colour, an even one on the same. Says nothing where blocks are alike, larger or more
    than one cell is open.

    Parameters
    ----------
    goal : Keys
        The one arrangement to be reached.

    Notes
    -----
    W. W. Johnson and W. E. Story, "Notes on the '15' puzzle", American Journal of Mathematics
    2 (1879).
    """
    board = graph.state.board
    singles = all(len(group.names) == 1 for group in graph.groups)
    units = all(len(group.places[0].cells) == 1 for group in graph.groups)
    cells = board.rows * board.columns - len(board.walls)
    if not (singles and units and cells == len(graph.groups) + 1):
        return None
    now = [group[0].place for group in graph.places(graph.start)]
    then = [group[0].place for group in graph.places(goal)]
    if not all(board.within(cell) for cell in (*now, *then)):
        return None
    hole, end = _open_cell(graph, now), _open_cell(graph, then)
    moved = dict(zip([*now, hole], [*then, end], strict=True))
    same_colour = (sum(hole) - sum(end)) % 2 == 0
    if _even(moved) == same_colour:
        return None
    message = (
        f"the blocks are in an {'even' if _even(moved) else 'odd'} permutation of the goal, and "
        f"the open cell is on {'the same' if same_colour else 'the other'} colour of a "
        "chessboard; each step changes both, so they can never agree"
    )
    return Reason(code="parity", message=message, cells=(hole, end))


def _open_cell(graph: Arrangements, taken: list[Cell]) -> Cell:
    board = graph.state.board
    cells = {(row, column) for row in range(board.rows) for column in range(board.columns)}
    (cell,) = cells - set(taken) - board.walls
    return cell


def _even(moved: dict[Cell, Cell]) -> bool:
    seen: set[Cell] = set()
    exchanges = 0
    for cell, following in moved.items():
        while cell not in seen:
            seen.add(cell)
            cell, following = following, moved[following]
            exchanges += cell not in seen
    return exchanges % 2 == 0
