"""Everything the state graph says, against a search over plain sets written from the rules.

The oracle below shares no code with tilesolve: a position is a set of (kind, cells), moved cell
by cell.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.answers import Solved
from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks import boards, model, rules
from tilesolve_models.sliding_blocks.hints import hint
from tilesolve_models.sliding_blocks.measures import difficulty

BUDGET = Budget(seconds=None)
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))

Cells = frozenset[tuple[int, int]]
Position = frozenset[tuple[str, Cells]]


class Oracle:
    """A puzzle as rows and rules; `kinds` maps each letter to what makes it alike to others."""

    def __init__(self, rows: list[str], axes: dict[str, str], named: str, at: tuple[int, int]):
        self.open = {
            (r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "#"
        }
        self.at = at
        found: dict[str, set[tuple[int, int]]] = {}
        for r, row in enumerate(rows):
            for c, sign in enumerate(row):
                if sign not in "#.":
                    found.setdefault(sign, set()).add((r, c))
        self.start: Position = frozenset(
            (
                "goal" if letter == named else axes.get(letter, "free"),
                frozenset(cells),
            )
            for letter, cells in found.items()
        )
        self.axis = axes.get(named, "free")

    def done(self, position: Position) -> bool:
        ((_, cells),) = [block for block in position if block[0] == "goal"]
        return (min(r for r, _ in cells), min(c for _, c in cells)) == self.at

    def near(self, position: Position, metric: str) -> Iterator[Position]:
        for kind, cells in position:
            others = {cell for block in position if block[1] != cells for cell in block[1]}
            for end in self._ends(kind, cells, others, metric):
                yield position - {(kind, cells)} | {(kind, end)}

    def _ends(
        self, kind: str, cells: Cells, others: set[tuple[int, int]], metric: str
    ) -> set[Cells]:
        axis = self.axis if kind == "goal" else kind
        ways = {"horizontal": STEPS[2:], "vertical": STEPS[:2], "free": STEPS}[axis]

        def shifted(cells: Cells, way: tuple[int, int]) -> Cells | None:
            moved = frozenset((r + way[0], c + way[1]) for r, c in cells)
            return moved if moved <= self.open and not moved & others else None

        if metric == "steps":
            return {end for way in ways if (end := shifted(cells, way))}
        if metric == "lines":
            ends = set()
            for way in ways:
                end = shifted(cells, way)
                while end:
                    ends.add(end)
                    end = shifted(end, way)
            return ends
        ends, waiting = {cells}, [cells]
        while waiting:
            here = waiting.pop()
            for way in ways:
                end = shifted(here, way)
                if end and end not in ends:
                    ends.add(end)
                    waiting.append(end)
        return ends - {cells}

    def distances(self, starts: Iterable[Position], metric: str) -> dict[Position, int]:
        far = dict.fromkeys(starts, 0)
        waiting = deque(far)
        while waiting:
            here = waiting.popleft()
            for there in self.near(here, metric):
                if there not in far:
                    far[there] = far[here] + 1
                    waiting.append(there)
        return far

    def rate(self, moves: int, metric: str, careful: bool) -> float:
        """Return how often moves without a plan end at the goal, by where they are and were."""
        chances: dict[tuple[Position, Position | None], float] = {(self.start, None): 1.0}
        won = 0.0
        for left in range(moves, -1, -1):
            won += sum(chance for (here, _), chance in chances.items() if self.done(here))
            following: dict[tuple[Position, Position | None], float] = {}
            for (here, before), chance in chances.items():
                ways = set() if self.done(here) or not left else set(self.near(here, metric))
                ways = (ways - {before} or ways) if careful else ways
                for there in ways:
                    key = there, here if careful else None
                    following[key] = following.get(key, 0.0) + chance / len(ways)
            chances = following
        return won


@st.composite
def puzzles(draw: st.DrawFn) -> dict[str, Any]:
    """Small boards, seldom square, with walls, odd shapes, axes and some equal blocks."""
    rows, columns = draw(st.sampled_from([(2, 3), (3, 2), (3, 4), (2, 5), (5, 2), (1, 6)]))
    grid = [["."] * columns for _ in range(rows)]
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    for r, c in draw(st.lists(st.sampled_from(cells), max_size=1)):
        grid[r][c] = "#"
    names = "ABCD"[: draw(st.integers(1, 4))]
    for name in names:
        size = draw(st.integers(1, 4))
        free = [(r, c) for r, c in cells if grid[r][c] == "."]
        if len(free) < 2:
            break
        r, c = draw(st.sampled_from(free))
        grid[r][c] = name
        for _ in range(size - 1):
            rim = [
                (r, c)
                for r, c in cells
                if grid[r][c] == "."
                and any(
                    0 <= r + dr < rows and 0 <= c + dc < columns and grid[r + dr][c + dc] == name
                    for dr, dc in STEPS
                )
            ]
            if not rim or sum(row.count(".") for row in grid) < 2:
                break
            r, c = draw(st.sampled_from(rim))
            grid[r][c] = name
    used = sorted({sign for row in grid for sign in row} - set(".#"))
    axis = {n: draw(st.sampled_from(["free", "free", "horizontal", "vertical"])) for n in used}
    return {
        "board": ["".join(row) for row in grid],
        "axis": axis,
        "goal": {"block": used[0], "at": list(draw(st.sampled_from(cells)))},
    }


@settings(max_examples=60, deadline=None)
@given(puzzles(), st.sampled_from(["moves", "lines", "steps"]))
def test_everything_agrees_with_brute_force(puzzle: dict[str, Any], metric: str) -> None:
    state = boards.load(Node({"game": "sliding-blocks", "metric": metric, **puzzle}))
    goal = puzzle["goal"]
    oracle = Oracle(puzzle["board"], puzzle["axis"], goal["block"], tuple(goal["at"]))
    far = oracle.distances([oracle.start], metric)
    goals = [position for position in far if oracle.done(position)]

    count = model.count(state, budget=BUDGET)
    sizes = [list(far.values()).count(distance) for distance in range(max(far.values()) + 1)]
    assert (count.raw, count.details["distances"]) == (len(far), sizes)
    assert count.details["goal_states"] == len(goals)

    best = model.best(state, budget=BUDGET)
    assert best.score == min((far[position] for position in goals), default=None)
    assert model.fit(state, budget=BUDGET).answer == ("yes" if goals else "no")

    measures = difficulty(state, budget=BUDGET).measures
    degrees = [len(set(oracle.near(position, metric))) for position in far]
    assert measures["dead_ends"] == degrees.count(1)
    assert measures["moves_mean"] == round(sum(degrees) / len(degrees), 2)
    if best.score is not None:
        assert measures["hardest"] == max(oracle.distances(goals, metric).values())
        rates = {name: player["rate"] for name, player in measures["players"].items()}
        told = {name: oracle.rate(10 * best.score, metric, name == "careful") for name in rates}
        assert set(rates) == {"random", "careful"}
        assert rates == pytest.approx(told, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.sampled_from(["moves", "lines", "steps"]))
def test_every_hint_is_worth_what_it_says(puzzle: dict[str, Any], metric: str) -> None:
    state = boards.load(Node({"game": "sliding-blocks", "metric": metric, **puzzle}))
    legal = [boards.dump_move(move) for move in rules.moves(state)]
    best = model.best(state, budget=BUDGET)
    hints = hint(state, count=100, budget=BUDGET)
    if not best.score:
        assert hints.hints == ()
        assert hints.reasons
        return
    assert sorted(map(str, legal)) == sorted(str(one.move) for one in hints.hints)
    for one in hints.hints:
        after = rules.apply(state, boards.load_move(Node(one.move), state))
        assert model.best(after, budget=BUDGET).score == one.value
        assert isinstance(one.value, int)
        assert one.loss == one.value + 1 - best.score
    assert hints.hints[0].value == best.score - 1


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.sampled_from(["moves", "lines", "steps"]))
def test_all_shortest_lines_are_given_once(puzzle: dict[str, Any], metric: str) -> None:
    state = boards.load(Node({"game": "sliding-blocks", "metric": metric, **puzzle}))
    oracle = Oracle(
        puzzle["board"], puzzle["axis"], puzzle["goal"]["block"], tuple(puzzle["goal"]["at"])
    )
    *witnesses, end = model.solve(state, limit=300, budget=BUDGET)
    assert isinstance(end, Solved)
    lines = {oracle.start: 1}
    seen = oracle.distances([oracle.start], metric)
    while lines and not any(oracle.done(position) for position in lines):
        depth = seen[next(iter(lines))]
        following: dict[Position, int] = {}
        for position, ways in lines.items():
            for there in set(oracle.near(position, metric)):
                if seen[there] == depth + 1:
                    following[there] = following.get(there, 0) + ways
        lines = following
    expected = sum(ways for position, ways in lines.items() if oracle.done(position))
    assert end.solutions == min(expected, 300)
    assert len({str(witness.details["line"]) for witness in witnesses}) == len(witnesses)
    assert end.exhausted == (expected <= 300)


@settings(max_examples=60, deadline=None)
@given(puzzles())
def test_turning_and_mirroring_the_board_changes_nothing(puzzle: dict[str, Any]) -> None:
    """Mirror images are never merged, and which way a board lies does not matter."""
    rows = puzzle["board"]
    name = puzzle["goal"]["block"]
    cells = [(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == name]
    width = 1 + max(c for _, c in cells) - min(c for _, c in cells)
    row, column = puzzle["goal"]["at"]
    mirrored = {
        "board": [text[::-1] for text in rows],
        "axis": puzzle["axis"],
        "goal": {"block": name, "at": [row, len(rows[0]) - width - column]},
    }
    turned = {"horizontal": "vertical", "vertical": "horizontal", "free": "free"}
    transposed = {
        "board": ["".join(text[c] for text in rows) for c in range(len(rows[0]))],
        "axis": {block: turned[axis] for block, axis in puzzle["axis"].items()},
        "goal": {"block": name, "at": [column, row]},
    }
    for metric in ("moves", "lines", "steps"):
        scores = {
            model.best(
                boards.load(Node({"game": "sliding-blocks", **one})), budget=BUDGET, metric=metric
            ).score
            for one in (puzzle, mirrored, transposed)
        }
        assert len(scores) == 1
