"""tilesolve solves one instance, twice: ``python -m benchmarks.covers.ours count|list INSTANCE``.

``count`` and ``list`` go through the library as anyone would: placements are made, counts come
with the number up to symmetry, and every solution is checked by the rules before it is given.
Prints one JSON line: solutions, seconds of the first and of the second run.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.covers.puzzles import INSTANCES


def run(task: str, name: str) -> int:
    """Return the number of solutions of all sheets together."""
    import tilesolve
    from tilesolve.answers import Witness

    sheets, pieces, _ = INSTANCES[name]
    total = 0
    for sheet in sheets:
        if task == "count" and pieces is None:
            # One puzzle stands for all dates, and every date's number is wanted.
            total += tilesolve.count(Path(sheet), by="month,day").raw
        elif task == "count":
            total += tilesolve.count(sheet, pieces).raw
        else:
            found = tilesolve.solve(sheet if pieces else Path(sheet), pieces, all=True)
            total += sum(1 for answer in found if isinstance(answer, Witness))
    return total


def main() -> None:
    """Solve, and solve again."""
    task, name = sys.argv[1:]
    seconds = []
    for _ in range(2):
        start = time.process_time()
        solutions = run(task, name)
        seconds.append(time.process_time() - start)
    told = {"solutions": solutions, "cold": seconds[0], "warm": seconds[-1]}
    print(json.dumps({**told, "again": sum(seconds[1:])}))


if __name__ == "__main__":
    main()
