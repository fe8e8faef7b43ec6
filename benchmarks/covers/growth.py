"""How the cost of counting grows: ``python -m benchmarks.covers.growth``.

Tilings of 4xn, 5xn and 6xn by any number of each free tetromino, and of each free pentomino:
n doubles until one count takes longer than the budget. Columns: the number of solutions (or its
number of digits), processor seconds, and edges of the diagram.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from importlib.metadata import version

from tilesolve.budget import Budget, Meter
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import read_sheet
from tilesolve.placement.build import build
from tilesolve.placement.ways import count_covers
from tilesolve.wire import Node


def counted(rows: int, columns: int, pieces: str, seconds: float) -> tuple[int | None, float, int]:
    """Return solutions (None: stopped), processor seconds and work."""
    sheet, listed = read_sheet(Node(f"{rows}x{columns}")), read_pieces(Node(pieces)).pieces
    problem = build(sheet, listed, cover=True).problem
    meter = Meter(budget=Budget(seconds=seconds))
    start = time.process_time()
    solutions = count_covers(problem, meter=meter)
    return solutions, time.process_time() - start, meter.worked


def shown(solutions: int) -> str:
    """Return a number, or its length where it is long."""
    text = str(solutions)
    return text if len(text) <= 20 else f"{text[:6]}… ({len(text)} digits)"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="budget of one count")
    seconds = parser.parse_args().seconds
    print("# How the cost of counting grows")
    print()
    print(
        f"Python {platform.python_version()}, numpy {version('numpy')}, {os.cpu_count()} cores; "
        f"processor seconds; budget of one count {seconds:g} s by the clock. Made by "
        f"`python -m benchmarks.covers.growth --seconds {seconds:g}`."
    )
    print()
    print("| pieces | sheet | solutions | seconds | edges |")
    print("| --- | --- | --- | --- | --- |")
    for pieces in ("tetrominoes*", "pentominoes*"):
        for rows in (4, 5, 6):
            columns = 5 if pieces.startswith("p") else 4
            while columns <= 640:
                solutions, spent, work = counted(rows, columns, pieces, seconds)
                told = "stopped by the budget" if solutions is None else shown(solutions)
                print(
                    f"| {pieces} | {rows}x{columns} | {told} | {spent:.3f} | {work} |", flush=True
                )
                if solutions is None:
                    break
                columns *= 2


if __name__ == "__main__":
    main()
