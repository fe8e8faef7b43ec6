"""One peer solves one instance, twice: ``python peers.py PEER count|list INSTANCE.json``.

It needs only the peer's package, not tilesolve: its time does not contain the making of
placements. Prints one JSON line: solutions, seconds of the first and of the second run.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

Problem: TypeAlias = dict[str, Any]

AGAIN_WITHIN = 20.0
"""Seconds of the first run up to which a second one is made."""


def matrix(problem: Problem) -> Any:
    """Return the incidence matrix of a problem, options by items."""
    import numpy as np

    rows = np.zeros((len(problem["options"]), problem["items"]), dtype=bool)
    for number, option in enumerate(problem["options"]):
        rows[number, option] = True
    return rows


def miniexact(problem: Problem) -> Iterator[list[int]]:
    """Dancing links in C, through its Python API."""
    from miniexact import miniexacts_x

    solver = miniexacts_x()
    items = [solver.primary(f"i{number}") for number in range(problem["items"])]
    for option in problem["options"]:
        solver.add([items[number] for number in option])
    while solver.solve() == 10:
        yield list(solver.selected_options())


def pyxcc(problem: Problem) -> Iterator[list[str]]:
    """Exact cover in Rust."""
    import pyxcc as package

    names = [str(number) for number in range(problem["items"])]
    options = [
        package.Option(str(number), [names[item] for item in option], [])
        for number, option in enumerate(problem["options"])
    ]
    yield from package.solve(package.Problem(names, [], options), True).all()


def xcover(problem: Problem) -> Iterator[list[int]]:
    """Dancing cells, compiled by numba; its search, which has no memo."""
    from xcover import covers

    yield from covers(problem["options"])


def exact_cover(problem: Problem) -> Iterator[Any]:
    """Dancing links in C for numpy arrays."""
    from exact_cover import get_all_solutions

    yield from get_all_solutions(matrix(problem))


def count_exact_cover(problem: Problem) -> int:
    """Count with the function that exact-cover has for it."""
    from exact_cover import get_solution_count

    return int(get_solution_count(matrix(problem)))


def count_pyxcc(problem: Problem) -> int:
    """Count with the solutions that pyxcc holds, without turning them into lists."""
    import pyxcc as package

    names = [str(number) for number in range(problem["items"])]
    options = [
        package.Option(str(number), [names[item] for item in option], [])
        for number, option in enumerate(problem["options"])
    ]
    return int(package.solve(package.Problem(names, [], options), True).count())


def dlx_cython(problem: Problem) -> Iterator[list[int]]:
    """Dancing links in Cython."""
    from dlxsolver import DLXSolver

    yield from DLXSolver(matrix(problem).astype("int32")).solve(find_all=True)


def cpsat(problem: Problem) -> Iterator[list[int]]:
    """CP-SAT's enumeration with one worker."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in problem["options"]]
    covering: list[list[Any]] = [[] for _ in range(problem["items"])]
    for variable, option in zip(chosen, problem["options"], strict=True):
        for item in option:
            covering[item].append(variable)
    for variables in covering:
        model.add_exactly_one(variables)
    found: list[list[int]] = []

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append([n for n, variable in enumerate(chosen) if self.value(variable)])

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, Listener())
    yield from found


PEERS: dict[str, Callable[[Problem], Iterator[Any]]] = {
    "miniexact": miniexact,
    "pyxcc": pyxcc,
    "xcover": xcover,
    "exact-cover": exact_cover,
    "dlx-cython": dlx_cython,
    "cpsat": cpsat,
}

COUNTS: dict[str, Callable[[Problem], int]] = {
    "exact-cover": count_exact_cover,
    "pyxcc": count_pyxcc,
}


def run(peer: str, task: str, problems: list[Problem]) -> int:
    """Return the number of solutions of all problems together."""
    if task == "count" and peer in COUNTS:
        return sum(COUNTS[peer](problem) for problem in problems)
    return sum(1 for problem in problems for _ in PEERS[peer](problem))


def main() -> None:
    """Solve, and solve again if that does not take too long."""
    peer, task, path = sys.argv[1:]
    problems = json.loads(Path(path).read_text(encoding="utf-8"))
    seconds = []
    for _ in range(2):
        start = time.process_time()
        solutions = run(peer, task, problems)
        seconds.append(time.process_time() - start)
        if seconds[0] > AGAIN_WITHIN:
            break
    told = {"solutions": solutions, "cold": seconds[0], "warm": seconds[-1]}
    print(json.dumps({**told, "again": sum(seconds[1:])}))


if __name__ == "__main__":
    main()
