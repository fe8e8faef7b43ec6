"""The rules of sliding-block puzzles: what lies where, what may slide, and when it is done.

There is no solver here; every answer is replayed with what is in this module.

- SB1: every block lies on the board's open cells.
- SB2: no two blocks share a cell.
- SB3: a block is one piece: its cells hang together by sides.
- SB4: a move slides one block by unit steps over open cells; it is never turned or lifted.
- SB5: a block with an axis slides along that axis only.
- SB6: a block may cross the board's edge only where the goal lets it leave. While any of it is
  outside it goes straight out or straight back, and it stops as soon as it is wholly outside.
  Outside the board nothing is in the way.
- SB7: the puzzle is done when every condition of the goal holds. If the goal lets a block
  leave, nothing moves after that.
- SB8: moves are counted in a metric: ``steps`` (one block by one cell), ``lines`` (one block any
  distance in a straight line), ``moves`` (one block any way). However a line is cut up, it
  counts the same: what one block does without interruption is one move.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby
from typing import Literal, TypeAlias

from tilesolve.answers import Cell, Verdict, Violation
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS, Block, Board, moved
from tilesolve_models.sliding_blocks.goals import Condition, Leave, met

Metric: TypeAlias = Literal["steps", "lines", "moves"]
"""What counts as one move (SB8)."""

METRICS: Mapping[Metric, str] = {
    "steps": "one block by one cell",
    "lines": "one block any distance in a straight line",
    "moves": "one block any distance any way",
}


@dataclass(frozen=True)
class Move:
    """One block slides along a path of directions.

    `path` is empty when a move was given by its end, `to`, and no way leads there.
    """

    block: str
    path: tuple[str, ...]
    to: Cell | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    """A puzzle and the moves made in it.

    Parameters
    ----------
    board : Board
        The board without blocks.
    start : tuple of Block
        The blocks before the first move, by name.
    goal : tuple of Condition
        All must hold; empty is no goal.
    metric : {"steps", "lines", "moves"}
        What counts as one move.
    alike : bool
        Whether blocks of one shape and axis that the goal does not tell apart count as the
        same, so that positions that differ by their exchange are one.
    moves : tuple of Move
        Made so far.
    """

    board: Board
    start: tuple[Block, ...]
    goal: tuple[Condition, ...] = ()
    metric: Metric = "moves"
    alike: bool = True
    moves: tuple[Move, ...] = ()

    @cached_property
    def blocks(self) -> Mapping[str, Block]:
        """The blocks where they are now: after the moves, up to the first that is not legal."""
        return self._replayed[0]

    @cached_property
    def _replayed(self) -> tuple[Mapping[str, Block], list[Violation]]:
        return _played(self)

    @property
    def done(self) -> bool:
        """Whether the goal holds now (SB7)."""
        return bool(self.goal) and met(self.goal, self.board, self.blocks)


def over(state: State) -> bool:
    """Return whether nothing may move any more (SB7)."""
    return _over(state, state.blocks)


def _over(state: State, blocks: Mapping[str, Block]) -> bool:
    leaving = any(isinstance(condition, Leave) for condition in state.goal)
    return leaving and met(state.goal, state.board, blocks)


def check(state: State, move: Move | None = None) -> Verdict:
    """Say which rules a state, and a move in it, break.

    The moves made so far are replayed from the start; what comes after the first move that is
    not legal cannot be judged and is not.

    Examples
    --------
    >>> board = Board(1, 3)
    >>> state = State(board=board, start=(Block("A", ((0, 0),)), Block("B", ((0, 1),))))
    >>> [violation.code for violation in check(state, Move("A", ("right",))).violations]
    ['blocked']
    >>> check(state, Move("B", ("right",))).legal
    True
    """
    broken = [*_misplaced(state)]
    if not broken:
        broken += state._replayed[1]
    if move is not None and not broken:
        broken += broken_by(state, move)
    counts = {metric: counted(state.moves, metric) for metric in METRICS}
    return Verdict(
        violations=tuple(broken),
        complete=state.done,
        score=counts[state.metric],
        details={"metric": state.metric, "made": counts},
    )


def broken_by(state: State, move: Move) -> tuple[Violation, ...]:
    """Say what a move breaks in a state that is legal."""
    return tuple(_move_violations(state, state.blocks, move))


def present(state: State) -> State:
    """Return the puzzle that begins where this one is now."""
    return replace(state, start=tuple(state.blocks.values()), moves=())


def moves(state: State) -> Iterator[Move]:
    """Yield the legal moves in the state's metric: by block, then by length of the path."""
    if over(state):
        return
    for name in state.blocks:
        for path, _ in _ways(state, state.blocks, name):
            yield Move(name, path)


def apply(state: State, move: Move) -> State:
    """Return the state after a legal move."""
    following = replace(state, moves=(*state.moves, move))
    blocks = dict(state.blocks)
    blocks[move.block] = blocks[move.block].along(move.path)
    following.__dict__["blocks"] = blocks  # what the cached property would find by replaying
    return following


def route(
    state: State, blocks: Mapping[str, Block], name: str, to: tuple[Cell, ...]
) -> tuple[str, ...]:
    """Return a shortest path that takes a block to some cells in one move; empty for no way.

    Parameters
    ----------
    blocks : mapping
        Where the blocks lie, which need not be where they do in `state`.
    """
    return next((path for path, end in _ways(state, blocks, name) if end == to), ())


def counted(line: Iterable[Move], metric: Metric) -> int:
    """Return how many moves a line counts in a metric (SB8).

    Examples
    --------
    >>> line = [Move("A", ("down", "down")), Move("A", ("left",)), Move("B", ("left",))]
    >>> [counted(line, metric) for metric in ("steps", "lines", "moves")]
    [4, 3, 2]
    """
    single = [(move.block, step) for move in line for step in move.path]
    if metric == "steps":
        return len(single)
    if metric == "lines":
        return sum(1 for _ in groupby(single))
    return sum(1 for _ in groupby(block for block, _ in single))


def _misplaced(state: State) -> Iterator[Violation]:
    holders: dict[Cell, str] = {}
    for block in state.start:
        name = (block.name,)
        outside = tuple(cell for cell in block.cells if not state.board.within(cell))
        if outside and not _in_exit(state, block):
            message = f"{block.name} lies outside the board"
            yield Violation(code="outside", rule="SB1", message=message, cells=outside, pieces=name)
        walled = tuple(cell for cell in block.cells if cell in state.board.walls)
        if walled:
            message = f"{block.name} lies on a wall"
            yield Violation(code="on-wall", rule="SB1", message=message, cells=walled, pieces=name)
        yield from _overlaps(state.board, block, holders)
        if not block.connected:
            message = f"{block.name} is in several parts; give each its own name"
            yield Violation(
                code="scattered", rule="SB3", message=message, cells=block.cells, pieces=name
            )


def _in_exit(state: State, block: Block) -> bool:
    return any(one.holds_out(state.board, block) for one in state.goal if isinstance(one, Leave))


def _overlaps(board: Board, block: Block, holders: dict[Cell, str]) -> Iterator[Violation]:
    shared: dict[str, list[Cell]] = {}
    for cell in filter(board.within, block.cells):
        other = holders.setdefault(cell, block.name)
        if other != block.name:
            shared.setdefault(other, []).append(cell)
    for other, cells in shared.items():
        yield Violation(
            code="overlap",
            rule="SB2",
            message=f"{other} and {block.name} lie on the same cells",
            cells=tuple(cells),
            pieces=(other, block.name),
        )


def _played(state: State) -> tuple[Mapping[str, Block], list[Violation]]:
    """Replay the moves; return the blocks then, and what the first illegal move breaks."""
    blocks = {block.name: block for block in state.start}
    for number, move in enumerate(state.moves, start=1):
        broken = list(_move_violations(state, blocks, move))
        if broken:
            told = [replace(one, message=f"move {number}: {one.message}") for one in broken]
            return blocks, told
        blocks[move.block] = blocks[move.block].along(move.path)
    return blocks, []


def _move_violations(state: State, blocks: Mapping[str, Block], move: Move) -> Iterator[Violation]:
    name = (move.block,)
    if move.block not in blocks:
        message = f"there is no block {move.block}"
        yield Violation(code="no-such-block", rule="SB4", message=message, pieces=name)
        return
    if _over(state, blocks):
        message = "the goal is reached and the block has left: nothing moves any more"
        yield Violation(code="over", rule="SB7", message=message, pieces=name)
    if not move.path:
        aim = f" to {list(move.to)}" if move.to is not None else ""
        message = f"{move.block} has no way{aim} in one move"
        yield Violation(code="no-way", rule="SB4", message=message, pieces=name)
        return
    yield from _path_violations(state, blocks, move)


def _path_violations(state: State, blocks: Mapping[str, Block], move: Move) -> Iterator[Violation]:
    """Say what the path breaks: every step against its axis, and the first that is blocked."""
    block = blocks[move.block]
    against = sorted({step for step in move.path if not block.may(step)})
    if against:
        message = f"{block.name} slides {block.axis}ly only, not {' and '.join(against)}"
        yield Violation(code="wrong-axis", rule="SB5", message=message, pieces=(block.name,))
    others = _others(state.board, blocks, block.name)
    cells = block.cells
    for step in move.path:
        after = moved(cells, *DIRECTIONS[step])
        if not others.isdisjoint(after):
            yield _blocked(state.board, blocks, block, step, after)
            return
        if not _leads(state, block, cells, step, after):
            yield _walled(state.board, block, step, after)
            return
        cells = after


def _blocked(
    board: Board, blocks: Mapping[str, Block], block: Block, step: str, after: Iterable[Cell]
) -> Violation:
    entered = [cell for cell in after if board.within(cell)]
    hit = {
        cell: other.name
        for other in blocks.values()
        if other.name != block.name
        for cell in other.cells
        if cell in entered
    }
    cells = tuple(cell for cell in entered if cell in hit)
    names = tuple(dict.fromkeys(hit[cell] for cell in cells))
    message = f"{block.name} cannot go {step}: {' and '.join(names)} in the way"
    pieces = (block.name, *names)
    return Violation(code="blocked", rule="SB4", message=message, cells=cells, pieces=pieces)


def _walled(board: Board, block: Block, step: str, after: Iterable[Cell]) -> Violation:
    walled = tuple(cell for cell in after if not board.open(cell))
    outside = any(not board.within(cell) for cell in walled)
    code, rule, what = ("edge", "SB6", "the edge") if outside else ("wall", "SB4", "a wall")
    message = f"{block.name} cannot go {step}: {what} is in the way"
    return Violation(code=code, rule=rule, message=message, cells=walled, pieces=(block.name,))


def may_step(state: State, block: Block, step: str) -> bool:
    """Return whether a block may take a step as far as board, axis and goal go (SB4 to SB6)."""
    after = moved(block.cells, *DIRECTIONS[step])
    return block.may(step) and _leads(state, block, block.cells, step, after)


def _leads(
    state: State, block: Block, cells: tuple[Cell, ...], step: str, after: tuple[Cell, ...]
) -> bool:
    """Return whether board and goal let a block, where it lies on `cells`, step to `after`."""
    board = state.board
    if board.cells.issuperset(after) and board.cells.issuperset(cells):
        return True
    here = replace(block, cells=cells)
    return any(one.lets(board, here, step) for one in state.goal if isinstance(one, Leave))


def _others(board: Board, blocks: Mapping[str, Block], name: str) -> AbstractSet[Cell]:
    """Return the cells of the board that all blocks but one lie on."""
    cells = [block.cells for other, block in blocks.items() if other != name]
    return board.cells.intersection(chain.from_iterable(cells))


def _ways(
    state: State, blocks: Mapping[str, Block], name: str
) -> Iterator[tuple[tuple[str, ...], tuple[Cell, ...]]]:
    """Yield the paths of one block that are one move, and its cells then: shortest first."""
    others = _others(state.board, blocks, name)
    block = blocks[name]
    seen = {block.cells}
    waiting: deque[tuple[tuple[Cell, ...], tuple[str, ...]]] = deque([(block.cells, ())])
    while waiting:
        cells, path = waiting.popleft()
        for step in _next_steps(state.metric, path):
            if not block.may(step):
                continue
            after = moved(cells, *DIRECTIONS[step])
            if after in seen or not others.isdisjoint(after):
                continue
            if not _leads(state, block, cells, step, after):
                continue
            seen.add(after)
            yield (*path, step), after
            waiting.append((after, (*path, step)))


def _next_steps(metric: Metric, path: tuple[str, ...]) -> Iterable[str]:
    if not path or metric == "moves":
        return DIRECTIONS
    return () if metric == "steps" else path[-1:]
