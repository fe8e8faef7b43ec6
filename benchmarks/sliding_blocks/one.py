"""Ask one solver about one instance; print processor seconds, memory and the answer as JSON.

    python one.py SOLVER INSTANCE METRIC {time,memory}

`time` runs once to warm up and then reports the median of five runs in processor seconds
(networkx: of three, or of one, without warming up);
`memory` reports the peak that tracemalloc saw in one run (compiled peers allocate beyond its
sight: there the growth of the process is reported).
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Solver = Callable[[dict[str, Any], str], Callable[[], Any]]


def tilesolve(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    from tilesolve.budget import Budget
    from tilesolve.wire import Node
    from tilesolve_models.sliding_blocks import boards, model

    board: Any = instance["board"]
    fields = {"game": boards.ID, "board": board, "goal": instance["goal"], "metric": metric}

    def run() -> int | None:
        return model.best(boards.load(Node(fields)), budget=Budget(seconds=None)).score

    return run


def tilesolve_count(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    from tilesolve.budget import Budget
    from tilesolve.wire import Node
    from tilesolve_models.sliding_blocks import boards, model

    fields = {"game": boards.ID, "board": instance["board"], "metric": metric}

    def run() -> int:
        return model.count(boards.load(Node(fields)), budget=Budget(seconds=None)).raw

    return run


def networkx(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    """Build the graph of all positions, then ask it for a shortest path, as one would write it.

    A position is where the top left cell of each block's rectangle lies, sorted within kinds.
    """
    import networkx as nx

    rows = _rows(instance)
    board = _Places(rows, metric, bool(instance["name"].startswith("rush-hour")))
    goal = _goal(instance, rows)

    def run() -> int:
        graph: nx.Graph[Any] = nx.Graph()
        graph.add_node(board.start)
        waiting = [board.start]
        while waiting:
            here = waiting.pop()
            for there in board.near(here):
                if there not in graph:
                    waiting.append(there)
                graph.add_edge(here, there)
        distances = nx.single_source_shortest_path_length(graph, board.start)
        done = [state for state in distances if goal(board.text(state))]
        nearest = min(done, key=distances.__getitem__)
        return len(nx.shortest_path(graph, board.start, nearest)) - 1

    return run


def networkx_text(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    """Do the same with positions as text and moves found by text operations, tuned for speed."""
    import networkx as nx

    rows = _rows(instance)
    start = "".join(rows)
    goal = _goal(instance, rows)

    def run() -> int:
        moves = _Text(rows, metric, bool(instance["name"].startswith("rush-hour")))
        graph: nx.Graph[str] = nx.Graph()
        graph.add_node(moves.plain(start))
        waiting = [start]
        while waiting:
            here = waiting.pop()
            for there in moves.near(here):
                known = moves.plain(there) in graph
                graph.add_edge(moves.plain(here), moves.plain(there))
                if not known:
                    waiting.append(there)
        distances = nx.single_source_shortest_path_length(graph, moves.plain(start))
        nearest = min(filter(goal, distances), key=distances.__getitem__)
        return len(nx.shortest_path(graph, moves.plain(start), nearest)) - 1

    return run


def networkx_rules(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    """Build the graph of all positions from the game's own rules, as a user of them would."""
    import networkx as nx

    from tilesolve.wire import Node
    from tilesolve_models.sliding_blocks import boards, rules

    fields = {"game": boards.ID, "board": instance["board"], "goal": instance["goal"]}
    start = boards.load(Node({**fields, "metric": metric}))
    named = {name for condition in start.goal for name in condition.blocks}

    def plain(state: Any) -> Any:
        return frozenset(
            (block.cells, block.name if block.name in named else "")
            for block in state.blocks.values()
        )

    def run() -> int:
        graph: nx.Graph[Any] = nx.Graph()
        graph.add_node(plain(start))
        waiting, done = [start], set()
        while waiting:
            here = waiting.pop()
            if here.done:
                done.add(plain(here))
            for move in rules.moves(here):
                there = rules.present(rules.apply(here, move))
                known = plain(there) in graph
                graph.add_edge(plain(here), plain(there))
                if not known:
                    waiting.append(there)
        distances = nx.single_source_shortest_path_length(graph, plain(start))
        nearest = min(done, key=distances.__getitem__)
        return len(nx.shortest_path(graph, plain(start), nearest)) - 1

    return run


Place = tuple[int, int]


class _Places:
    """Positions as the places of the blocks, sorted within kinds."""

    def __init__(self, rows: list[str], metric: str, cars: bool) -> None:
        self.metric, self.cars = metric, cars
        self.rows = rows
        every = {(r, c) for r, row in enumerate(rows) for c in range(len(row))}
        self.cells = {(r, c) for r, c in every if rows[r][c] != "#"}
        blocks: dict[tuple[Any, str], list[tuple[str, Place]]] = {}
        for sign in sorted(set("".join(rows)) - set(".#")):
            own = sorted((r, c) for r, c in self.cells if rows[r][c] == sign)
            top, left = own[0][0], min(c for _, c in own)
            shape = tuple((r - top, c - left) for r, c in own)
            named = sign if sign == "A" or sign.isdigit() else ""
            blocks.setdefault((shape, named), []).append((sign, (top, left)))
        self.kinds = [(shape, [sign for sign, _ in found]) for (shape, _), found in blocks.items()]
        self.start = tuple(tuple(sorted(at for _, at in found)) for found in blocks.values())

    def text(self, state: tuple[tuple[Place, ...], ...]) -> str:
        taken = {
            (top + r, left + c): sign
            for (shape, signs), places in zip(self.kinds, state, strict=True)
            for sign, (top, left) in zip(signs, places, strict=True)
            for r, c in shape
        }
        open_ = dict.fromkeys(self.cells, ".")
        return "".join(
            (open_ | taken).get((r, c), "#")
            for r, row in enumerate(self.rows)
            for c in range(len(row))
        )

    def near(self, state: tuple[tuple[Place, ...], ...]) -> Iterator[Any]:
        taken = {
            (top + r, left + c)
            for (shape, _), places in zip(self.kinds, state, strict=True)
            for top, left in places
            for r, c in shape
        }
        for kind, ((shape, _), places) in enumerate(zip(self.kinds, state, strict=True)):
            for number, place in enumerate(places):
                own = {(place[0] + r, place[1] + c) for r, c in shape}
                for end in self._ends(place, shape, self.cells - (taken - own)):
                    after = tuple(sorted((*places[:number], end, *places[number + 1 :])))
                    yield (*state[:kind], after, *state[kind + 1 :])

    def _ends(self, start: Place, shape: Any, free: set[Place]) -> set[Place]:
        ways = [(0, 1), (0, -1), (1, 0), (-1, 0)]
        if self.cars:
            ways = ways[:2] if shape[1] == (0, 1) else ways[2:]
        ends: set[Place] = set()
        if self.metric == "moves":
            waiting = [start]
            while waiting:
                row, column = waiting.pop()
                for down, right in ways:
                    end = row + down, column + right
                    if end not in ends and all((end[0] + r, end[1] + c) in free for r, c in shape):
                        ends.add(end)
                        waiting.append(end)
            return ends - {start}
        for down, right in ways:
            end = start[0] + down, start[1] + right
            while all((end[0] + r, end[1] + c) in free for r, c in shape):
                ends.add(end)
                if self.metric == "steps":
                    break
                end = end[0] + down, end[1] + right
        return ends


class _Text:
    """Positions as text; blocks of one shape that the goal does not name are written alike."""

    def __init__(self, rows: list[str], metric: str, cars: bool) -> None:
        self.height, self.width = len(rows), len(rows[0])
        self.metric, self.cars = metric, cars
        text = "".join(rows)
        self.shapes = {
            sign: tuple(i - text.index(sign) for i, other in enumerate(text) if other == sign)
            for sign in set(text) - set(".#")
        }
        alike: dict[Any, str] = {}
        table = {}
        for sign in sorted(self.shapes):
            named = sign if sign == "A" or sign.isdigit() else ""
            table[ord(sign)] = alike.setdefault((self.shapes[sign], named), sign)
        self.table = table

    def plain(self, text: str) -> str:
        return text.translate(self.table)

    def near(self, text: str) -> Iterator[str]:
        for sign, shape in self.shapes.items():
            first = text.index(sign)
            others = text.replace(sign, ".")
            ways = [1, -1, self.width, -self.width]
            if self.cars:
                ways = ways[:2] if shape[1] == 1 else ways[2:]
            for end in self._ends(others, first, shape, ways):
                cells = list(others)
                for offset in shape:
                    cells[end + offset] = sign
                yield "".join(cells)

    def _ends(self, others: str, first: int, shape: tuple[int, ...], ways: list[int]) -> set[int]:
        def free(end: int, way: int) -> bool:
            for offset in shape:
                cell, before = end + offset, end + offset - way
                if not 0 <= cell < len(others) or others[cell] != ".":
                    return False
                if abs(way) == 1 and cell // self.width != before // self.width:
                    return False
            return True

        if self.metric == "steps":
            return {first + way for way in ways if free(first + way, way)}
        ends: set[int] = set()
        if self.metric == "lines":
            for way in ways:
                end = first + way
                while free(end, way):
                    ends.add(end)
                    end += way
            return ends
        waiting = [first]
        while waiting:
            here = waiting.pop()
            for way in ways:
                end = here + way
                if end != first and end not in ends and free(end, way):
                    ends.add(end)
                    waiting.append(end)
        return ends


def _rows(instance: dict[str, Any]) -> list[str]:
    board = instance["board"]
    if "/" in board:
        return list(board.split("/"))
    text = board.replace("o", ".").replace("x", "#")
    return [text[first : first + 6] for first in range(0, 36, 6)]


def _goal(instance: dict[str, Any], rows: list[str]) -> Callable[[str], bool]:
    goal, width = instance["goal"], len(rows[0])
    if goal == "A touches right":
        return lambda text: any(text[i] == "A" for i in range(width - 1, len(text), width))
    if "/" in goal:
        solved = goal.replace("/", "")
        return lambda text: text == solved
    row, column = map(int, goal.removeprefix("A at ").split(","))
    return lambda text: text.index("A") == row * width + column


def py_klotski(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    import klotski  # type: ignore[import-not-found]  # a peer

    layout = klotski.Layout(instance["klotski_code"])

    def run() -> int:
        search = klotski.FastCal(layout)
        return len(search.backtrack(search.solve())) - 1

    return run


def unblockme(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    from unblockme import unblockme as solve  # type: ignore[import-not-found]  # a peer

    text = "\n".join(_rows(instance)).replace("X", "?").replace("A", "X").replace(".", " ")

    def run() -> int:
        return len(solve(text, animate=False)) - 1

    return run


def slidingpuzzle(instance: dict[str, Any], metric: str) -> Callable[[], Any]:
    import slidingpuzzle as sliding  # type: ignore[import-not-found]  # a peer

    rows = [[0 if sign == "." else int(sign) for sign in row] for row in _rows(instance)]
    board = sliding.from_rows(*rows)

    def run() -> int:
        found = sliding.search(board, "a*", heuristic=sliding.manhattan_distance)
        return len(found.solution)

    return run


SOLVERS: dict[str, Solver] = {
    "tilesolve": tilesolve,
    "tilesolve-count": tilesolve_count,
    "networkx": networkx,
    "networkx-text": networkx_text,
    "networkx-rules": networkx_rules,
    "py-klotski": py_klotski,
    "unblockme": unblockme,
    "slidingpuzzle": slidingpuzzle,
}


def main() -> None:
    solver, name, metric, what = sys.argv[1:]
    file = Path(__file__).with_name("instances.json")
    instance = next(one for one in json.loads(file.read_text()) if one["name"] == name)
    run = SOLVERS[solver](instance, metric)
    runs = {"networkx": 3, "networkx-text": 3, "networkx-rules": 1}.get(solver, 5)
    run() if runs == 5 and what == "time" else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if what == "memory":
        tracemalloc.start()
        answer = run()
        peak = tracemalloc.get_traced_memory()[1]
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        print(json.dumps({"answer": answer, "peak": grown if solver == "py-klotski" else peak}))
        return
    seconds = []
    for _ in range(runs):
        began = time.process_time()
        answer = run()
        seconds.append(time.process_time() - began)
    print(json.dumps({"answer": answer, "seconds": statistics.median(seconds)}))


if __name__ == "__main__":
    main()
