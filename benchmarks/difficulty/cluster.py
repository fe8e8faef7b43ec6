"""Ten thousand sheets on a cluster whose workers and driver are killed, against a plain loop.

``python benchmarks/difficulty/cluster.py [--count N]`` starts a Dask scheduler and two workers on
this machine, rates random sheets, kills a worker in the middle, lets another join, kills the
driver, goes on, and compares every row with those of a single process. Then it measures what a
sheet costs more on a local cluster of two workers than in a plain loop. It writes `cluster.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAMILY = "random:5x6,holes=4..10,pieces=3..5,count={count},seed=10"
GAMES = 5
HERE = Path(__file__).parent


def tilesolve(out: Path, count: int, *options: str) -> list[str]:
    return [
        *(sys.executable, "-c", "import tilesolve.cli as c; c.main()", "bench"),
        *("--sheets", FAMILY.format(count=count), "--out", str(out), "--quiet"),
        *("--set", f"games={GAMES}", *options),
    ]


def dask(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "dask", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )


def worker(address: str) -> subprocess.Popen[str]:
    """Start a worker without a nanny, which would bring it back when it is killed."""
    return dask("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    file = folder / "scheduler.json"
    process = dask(
        *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        *("--scheduler-file", str(file)),
    )
    try:
        while not file.exists():
            time.sleep(0.1)
        yield json.loads(file.read_text("utf-8"))["address"]
    finally:
        process.kill()
        process.wait()


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_for(journal: Path, rows: int, driver: subprocess.Popen[bytes]) -> None:
    while lines(journal) < rows and driver.poll() is None:
        time.sleep(0.05)


def killed_and_resumed(folder: Path, count: int) -> tuple[Path, list[str]]:
    """Rate on a cluster while a worker and the driver are killed; return the table and a log."""
    out = folder / "cluster.jsonl"
    journal = out.with_name(out.name + ".journal")
    log = []

    def note(text: str) -> None:
        log.append(f"{lines(journal)} rows: {text}")
        print(log[-1], flush=True)

    with scheduler(folder) as address:
        workers = [worker(address), worker(address)]
        run = tilesolve(out, count, "--scheduler", address)
        driver = subprocess.Popen(run)
        wait_for(journal, count * 3 // 10, driver)
        workers[0].send_signal(signal.SIGKILL)
        note("a worker is killed")
        wait_for(journal, count * 4 // 10, driver)
        workers.append(worker(address))
        note("another worker joins")
        wait_for(journal, count * 6 // 10, driver)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        note("the driver is killed")
        subprocess.run(run, check=True)
        note("the driver went on to the end")
        for each in workers:
            each.kill()
            each.wait()
    return out, log


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table, without the time that each took."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in read:
        del row["seconds"]
    return read


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of the processors, children included."""

    clock: float
    processors: float


def timed(command: Sequence[str]) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=True)
    clock = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processors = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(clock, processors)


def overhead(folder: Path, count: int) -> tuple[Cost, Cost, Cost, Cost]:
    """Return the costs of few and of many sheets, in a loop and with two workers.

    The difference between many and few leaves out what a cluster costs to start.
    """
    few = max(8, count // 20)
    costs = []
    for name, options in (("loop", ("--workers", "1")), ("two", ("--workers", "2"))):
        for size in (few, count):
            out = folder / f"{name}-{size}.jsonl"
            costs.append(timed(tilesolve(out, size, *options)))
    return costs[0], costs[1], costs[2], costs[3]


def report(count: int, log: Sequence[str], checks: Sequence[str], figures: Sequence[str]) -> str:
    busy = f"load of the machine when this was written: {os.getloadavg()[0]:.1f}"
    parts = [
        f"# {count:,} sheets on a cluster that loses workers and driver",
        f"`{FAMILY.format(count=count)}`, {GAMES} games of each player, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores ({busy}). Made by "
        "`python benchmarks/difficulty/cluster.py`.",
        "## What was done to it",
        "\n".join(f"- {entry}" for entry in log),
        "## What came out",
        "\n".join(f"- {entry}" for entry in checks),
        "## What a sheet costs more with two workers than in a plain loop",
        "\n".join(figures),
    ]
    return "\n\n".join(parts) + "\n"


def compared(out: Path, straight: Path, count: int) -> list[str]:
    journal = out.with_name(out.name + ".journal").read_text("utf-8").splitlines()
    keys = [json.loads(line)["key"] for line in journal]
    table, single = rows(out), rows(straight)
    assert len(table) == len(set(keys)) == len(keys) == count
    assert table == single
    failed = sum("error" in row for row in table)
    return [
        f"{len(table):,} results, {len(keys) - len(set(keys))} of them twice, {failed} failed",
        "every row equal to that of a single process, but for the seconds it took",
    ]


def main() -> None:
    """Run it all and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=2_000, help="sheets of the timed runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out, log = killed_and_resumed(folder, options.count)
        straight = folder / "straight.jsonl"
        loop = timed(tilesolve(straight, options.count, "--workers", "1"))
        checks = compared(out, straight, options.count)
        checks.append(
            f"the single process took {loop.processors:.0f} processor seconds, "
            f"{1000 * loop.processors / options.count:.1f} ms a sheet"
        )
        few_loop, loop, few_two, two = overhead(folder, options.timed)
        sheets = options.timed - max(8, options.timed // 20)
        per = 1000 / sheets
        work = (two.processors - few_two.processors) - (loop.processors - few_loop.processors)
        clock = 2 * (two.clock - few_two.clock) - (loop.clock - few_loop.clock)
        figures = [
            "| | plain loop | two workers | more for each sheet |",
            "| --- | --- | --- | --- |",
            f"| processor seconds, {sheets} sheets | {loop.processors - few_loop.processors:.1f} | "
            f"{two.processors - few_two.processors:.1f} | {work * per:.2f} ms |",
            f"| seconds on the clock, both cores counted | {loop.clock - few_loop.clock:.1f} | "
            f"2 x {two.clock - few_two.clock:.1f} | {clock * per:.2f} ms |",
            "",
            "Figures are differences between a long and a short run, so that starting is left out. "
            "The clock counts only on a machine that does nothing else.",
        ]
    (HERE / "cluster.md").write_text(report(options.count, log, checks, figures), "utf-8")


if __name__ == "__main__":
    main()
