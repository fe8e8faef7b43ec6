"""All 366 dates of the calendar puzzle rated in one command on one core, against exact counts.

``python benchmarks/difficulty/calendar_year.py`` runs ``tilesolve bench --sheets calendar``, counts
every date again with `tilesolve.count`, and writes `calendar_year.md` and, beside it, the table.
"""

from __future__ import annotations

import csv
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import tilesolve
from tilesolve.bench.ranks import correlations, measures_of
from tilesolve.bench.table import read

HERE = Path(__file__).parent
TOTAL, FEWEST, MOST = 24_405, (7, "calendar:10-06"), (216, "calendar:01-25")
"""Published figures of the puzzle."""

KEPT = ("name", "grade", "solutions", "nodes_per_solution", "entropy_bits", "good_moves_mean")


def rated(folder: Path) -> tuple[list[dict[str, object]], float, float]:
    """Return the rows, and the seconds on the clock and of the processor."""
    out = folder / "calendar.parquet"
    program = [sys.executable, "-c", "import tilesolve.cli as c; c.main()"]
    command = [*program, "bench", "--sheets", "calendar", "--workers", "1", "--out", str(out)]
    started = time.perf_counter()
    subprocess.run(command, check=True)
    clock = time.perf_counter() - started
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return read(out), clock, usage.ru_utime + usage.ru_stime


def checked(rows: Sequence[Mapping[str, object]]) -> str:
    """Hold the table against exact counts and the published figures."""
    counts = {str(row["name"]): int(str(row["solutions"])) for row in rows}
    for name, solutions in counts.items():
        exact = tilesolve.count(name, "calendar")
        assert exact.exact
        assert exact.raw == solutions, name
    assert all(row["solutions_exact"] for row in rows)
    assert (len(counts), sum(counts.values())) == (366, TOTAL)
    assert min((solutions, name) for name, solutions in counts.items()) == FEWEST
    assert max((solutions, name) for name, solutions in counts.items()) == MOST
    return (
        f"All {len(counts)} counts agree with `tilesolve count`: {TOTAL:,} solutions together, "
        f"fewest {FEWEST[0]} ({FEWEST[1]}), most {MOST[0]} ({MOST[1]})."
    )


def sample(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the hardest and the easiest dates as a table."""
    order = sorted(rows, key=lambda row: (-float(str(row["grade"])), str(row["name"])))
    head = f"| {' | '.join(KEPT)} |\n|{' --- |' * len(KEPT)}"
    lines = [f"| {' | '.join(str(row[name]) for name in KEPT)} |" for row in order]
    return "\n".join([head, *lines[:5], *lines[-5:]])


def main() -> None:
    """Rate, check, and write."""
    with tempfile.TemporaryDirectory() as name:
        rows, clock, processor = rated(Path(name))
    agreement = checked(rows)
    with (HERE / "calendar_year.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEPT)
        writer.writerows([row[name] for name in KEPT] for row in rows)
    with_grade = {
        second if first == "grade" else first: value
        for (first, second), value in correlations(rows, measures_of(rows)).items()
        if "grade" in (first, second)
    }
    strongest = sorted(with_grade.items(), key=lambda pair: -abs(pair[1]))[:8]
    text = [
        "# All 366 dates on one core",
        f"`tilesolve bench --sheets calendar --workers 1`: **{processor:.0f} processor seconds** "
        f"({clock:.0f} on the clock), Python {platform.python_version()}; load of the machine "
        f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores. Made by "
        "`python benchmarks/difficulty/calendar_year.py`; every date is in `calendar_year.csv`.",
        agreement,
        "The five hardest and the five easiest by grade:",
        sample(rows),
        "Rank correlation with the grade: "
        + ", ".join(f"{name} {value:+.2f}" for name, value in strongest)
        + ".",
    ]
    (HERE / "calendar_year.md").write_text("\n\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
